/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/acknex/decode.h"
#include "common/core/decode.h"
#include "common/core/text.h"

/* --- Recognition ----------------------------------------------------------------------------- */

/*
 * Recognizes Acknex by its bytes. The protocol has no magic number, and three quarters of all bytes
 * begin a valid update, so many other packets can be read as Acknex. Hence a datagram must be
 * readable to its last byte in one direction, and must name, in that direction, a file of one of
 * the engine's kinds.
 */

/* Sink that counts file names while a packet is decoded on trial. */
struct name_sink {
    struct qs_sink base;
    const struct qs_field *fields;
    unsigned file_names, others; /* others: names of no such file */
};

static bool is_printable(struct qs_view text)
{
    for (uint32_t i = 0; i < text.size; i++)
        if (!g_ascii_isprint((gchar)text.data[i]))
            return false;
    return text.size > 0;
}

/* True for names of models, maps, terrains, sprites and their pictures: the files of entities. */
static bool is_file_name(struct qs_view text)
{
    static const char *const kinds[] = {".mdl", ".md2", ".md3", ".wmb", ".wmp", ".hmp",
                                        ".pcx", ".bmp", ".tga", ".dds", ".fx"};

    for (size_t i = 0; i < G_N_ELEMENTS(kinds); i++) {
        const size_t length = strlen(kinds[i]);

        if (text.size > length && g_ascii_strncasecmp((const char *)text.data + text.size - length,
                                                      kinds[i], length) == 0)
            return true;
    }
    return false;
}

static void count_name(struct qs_sink *base, const struct qs_field *field,
                       const struct qs_value *value)
{
    struct name_sink *sink = (struct name_sink *)base;
    const bool names_file = field == &sink->fields[ACKNEX_FILE] ||
                            field == &sink->fields[ACKNEX_TYPE] ||
                            field == &sink->fields[ACKNEX_LEVEL];

    if (!names_file)
        return;
    if (is_printable(value->bytes) && is_file_name(value->bytes))
        sink->file_names++;
    else
        sink->others++;
}

static bool names_files(const struct qs_protocol *protocol, const struct qs_packet *packet,
                        enum qs_direction direction)
{
    struct name_sink sink = {.base = {.field = count_name}, .fields = protocol->fields};

    return qs_reads_alone(protocol, packet, direction, &sink.base) && sink.file_names &&
           !sink.others;
}

bool acknex_recognize(const struct qs_protocol *protocol, const struct qs_packet *packet)
{
    /* Cheap test first: this function sees all traffic. */
    if (!packet->size || !memchr(packet->data, '.', packet->size))
        return false;
    return names_files(protocol, packet, QS_S2C) || names_files(protocol, packet, QS_C2S);
}

static bool is_foreign(const struct qs_protocol *protocol, const struct qs_packet *packet)
{
    return !qs_may_be_read(protocol, packet);
}

/* clang-format off */
static const struct qs_name message_names[] = {
#define CLS(id, number, name, brief, read, blurb) {number, "CLS_" #id},
#define SVC(id, number, name, brief, read, blurb) {number, "SVC_" #id},
#define CLS_SHARED(id, number, name, brief, read, blurb)
#define SVC_SHARED(id, number, name, brief, read, blurb)
#define SHARED(constant, name) {constant, name},
#define UPDATE(id, number, name, brief, read, blurb) QS_EACH_OF_64(number, "SVC_" #id), /* any of 64 */
#include "common/acknex/messages.def"
    {0, NULL},
};
/* clang-format on */

const struct qs_field acknex_fields[ACKNEX_FIELD_COUNT] = {
#define QS_ROWS_TABLE
#include "common/core/field_rows.h"
#include "common/acknex/fields.def"
#include "common/core/field_rows.h"
};

/* --- Messages by bytecode --- */

/* For an unknown direction: returns the message if only one end has it, or both read it alike. */
static const struct qs_message_type *from_either(uint32_t id)
{
    const struct qs_message_type *client = acknex_client_message(id);
    const struct qs_message_type *server = acknex_server_message(id);

    if (!client || !server)
        return client ? client : server;
    return client->read == server->read ? server : NULL;
}

static const struct qs_message_type *lookup(const struct qs_decoder *d, uint32_t id)
{
    switch (d->found.direction) {
    case QS_C2S:
        return acknex_client_message(id);
    case QS_S2C:
        return acknex_server_message(id);
    case QS_DIRECTION_UNKNOWN:
        break;
    }
    return from_either(id);
}

/* --- The packet --- */

static void find_direction(struct qs_decoder *d)
{
    if (d->probing)
        return;
    if (d->found.direction == QS_DIRECTION_UNKNOWN)
        d->found.direction = qs_probe_direction(d);
    if (d->session->server == QS_END_UNKNOWN)
        qs_learn_direction(d, d->found.direction);
}

/* Decodes a datagram: messages one after another, without a header. */
static void decode(struct qs_decoder *d)
{
    find_direction(d);
    d->found.accepted = true;
    qs_read_messages(d, ACKNEX_MESSAGE, lookup);
}

/* --- The record --- */

static const struct qs_name pos_resolutions[] = {
    {ACKNEX_POS_PACKED, "packed"},
    {ACKNEX_POS_FIXED, "fixed"},
    {0, NULL},
};

static const struct qs_name angle_byte_orders[] = {
    {ACKNEX_ANGLE_BIG_ENDIAN, "big-endian"},
    {ACKNEX_ANGLE_INTEL, "intel"},
    {0, NULL},
};

static const struct qs_option options[ACKNEX_OPTION_COUNT] = {
    [ACKNEX_POS_RESOLUTION] =
        {"pos_resolution", "Position resolution",
         "How the position of an update is sent, which nothing in the traffic "
         "tells: packed in three bytes a coordinate, or fixed in four. The "
         "engine's variable of the same name decides.",
         pos_resolutions, ACKNEX_POS_PACKED},
    [ACKNEX_ANGLE_BYTE_ORDER] = {"angle_byte_order", "Angle byte order",
                                 "The manual's worked example, the only bytes that it shows, has "
                                 "angles high byte first (big-endian), while its text calls them "
                                 "Shorts, which are little-endian (intel).",
                                 angle_byte_orders, ACKNEX_ANGLE_BIG_ENDIAN},
};

const struct qs_protocol acknex_protocol = {
    .name = "acknex",
    .short_name = "Acknex",
    .title = "Acknex (3D GameStudio)",
    .ports = "2300",
    .fields = acknex_fields,
    .field_count = ACKNEX_FIELD_COUNT,
    .undecoded = ACKNEX_UNDECODED,
    .links = ACKNEX_LINK_ACKS_FRAME,
    .notes = QS_NOTE_BIT(QS_NOTE_MALFORMED) | QS_NOTE_BIT(QS_NOTE_UNKNOWN_MESSAGE) |
             QS_NOTE_BIT(QS_NOTE_CUT),
    .options = options,
    .option_count = ACKNEX_OPTION_COUNT,
    .session_size = sizeof(struct acknex_session),
    .session_init = acknex_session_init,
    .session_copy = acknex_session_copy,
    .session_clear = acknex_session_clear,
    .session_shares = acknex_session_shares,
    .describe = acknex_session_describe,
    .recognize = acknex_recognize,
    .is_foreign = is_foreign,
    .recognize_on_request = true,
    .decode = decode,
};
