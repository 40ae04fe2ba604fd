/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * GTV streams a server's MVD over TCP to relays while it is recorded.
 *
 * Each end sends four bytes of magic, then messages: a length, a number and a body. After the
 * server's hello its messages may be one deflate stream. Then a PDU is the stream's bytes in one
 * segment, with all messages that they complete. Source: PROTOCOL.md, section 18; Q2PRO,
 * server/mvd.c parse_message, server/mvd/client.c parse_message, server/mvd/protocol.h.
 */
#include "common/core/containers.h"
#include "common/core/text.h"
#include "common/core/writer.h"
#include "common/quake2/decode.h"

enum {
    LENGTH_SIZE = 2,
    SERVER_MESSAGE_MAX = Q2_MVD_BLOCK_MAX, /* MAX_GTS_MSGLEN */
    CLIENT_MESSAGE_MAX = 256,              /* MAX_GTC_MSGLEN */
    DEFLATED_MAX = 4096,                   /* maximum size of a PDU of the deflate stream */
    ADLER32_SIZE = 4,
    DEFLATE = 1 /* GTF_DEFLATE */
};

static struct q2_gtv *gtv_of(const struct qs_decoder *d)
{
    return &q2_session_of(d->session)->gtv;
}

/* --- Cutting the stream into PDUs --- */

bool q2_recognize_stream(struct qs_view start)
{
    return qs_view_begins(start, Q2_MVD_MAGIC);
}

static uint32_t message_size(struct qs_view start, uint32_t max)
{
    uint32_t length;

    if (start.size < LENGTH_SIZE)
        return LENGTH_SIZE;
    length = qs_le16(start.data);
    return length <= max ? LENGTH_SIZE + length : 0;
}

/* Returns the size of the PDU at `start`, or 0 if none begins there. */
static uint32_t size_at_stage(const struct qs_session *session, enum qs_end from,
                              struct qs_view start)
{
    const uint32_t size = MIN(start.size, (uint32_t)Q2_MVD_MAGIC_SIZE);

    switch (q2_session_of_const(session)->gtv.stage[from]) {
    case Q2_GTV_STAGE_MAGIC:
        return memcmp(start.data, Q2_MVD_MAGIC, size) == 0 ? Q2_MVD_MAGIC_SIZE : 0;
    case Q2_GTV_STAGE_MESSAGES:
        return message_size(start,
                            session->server == from ? SERVER_MESSAGE_MAX : CLIENT_MESSAGE_MAX);
    case Q2_GTV_STAGE_DEFLATED:
        return MIN(start.size, (uint32_t)DEFLATED_MAX);
    case Q2_GTV_STAGE_LOST:
        break;
    }
    return 0;
}

uint32_t q2_pdu_length(const struct qs_session *session, const struct qs_packet *start,
                       uint32_t seen)
{
    const struct qs_view bytes = {start->data, start->size};
    const uint32_t size = start->missing ? 0 : size_at_stage(session, start->from, bytes);

    (void)seen;
    return size ? size : MAX(start->size, 1);
}

/* --- Messages --- */

static void read_client_hello(struct qs_decoder *d)
{
    qs_rows(d, Q2_GTV_PROTOCOL, Q2_GTV_RESERVED);
    qs_label_text(d, ": ", qs_text(d, Q2_GTV_NAME), "");
    qs_rows(d, Q2_GTV_PASSWORD, Q2_GTV_VERSION);
}

QS_ROWS_READER(read_stream_start, Q2_GTV_MAXBUF, Q2_GTV_MAXBUF)

static void read_stringcmd(struct qs_decoder *d)
{
    const struct qs_view text = qs_text(d, Q2_GTV_STRINGCMD);

    qs_label_text(d, ": ", text, "");
    qs_summary_text(d, " \"", text, "\"");
}

/* Reads the server's hello, which accepts the client and so begins a connection. */
static void read_server_hello(struct qs_decoder *d)
{
    const uint32_t flags = qs_u32(d, Q2_GTV_FLAGS);

    if (d->in.overrun)
        return;
    q2_session_connect(q2_session_of(d->session));
    gtv_of(d)->begun = true;
    d->found.accepted = true;
    d->found.connectionless = false;
    if (flags & DEFLATE)
        gtv_of(d)->stage[d->packet->from] = Q2_GTV_STAGE_DEFLATED;
}

static void read_end(struct qs_decoder *d)
{
    d->session->disconnected = true;
}

/* Stores the body, a block of MVD. An empty one suspends the stream until a player joins. */
static void read_stream_data(struct qs_decoder *d)
{
    const struct qs_view body = qs_rest(d);

    if (!body.size) {
        qs_label(d, ": suspended");
        qs_summary(d, " (suspended)");
        return;
    }
    if (!d->probing) {
        /* Keeps the message as it would be in an .mvd2 file. */
        struct q2_gtv *gtv = gtv_of(d);

        if (!gtv->blocks)
            gtv->blocks = g_byte_array_new();
        qs_write_u16(gtv->blocks, (uint16_t)body.size);
        qs_write_view(gtv->blocks, body);
    }
}

/* clang-format off */
static const struct qs_message_type client_messages[] = {
#define GTC(id, number, name, read) [GTC_##id] = {name, &name[sizeof "gtc_" - 1], Q2_GTC_##id, read},
#include "common/quake2/messages.def"
};

static const struct qs_message_type server_messages[] = {
#define GTS(id, number, name, read) [GTS_##id] = {name, &name[sizeof "gts_" - 1], Q2_GTS_##id, read},
#include "common/quake2/messages.def"
};
/* clang-format on */

static const struct qs_message_type *lookup(const struct qs_decoder *d, uint32_t id)
{
    if (qs_session_from_server(d->session, d->packet))
        return id < G_N_ELEMENTS(server_messages) ? &server_messages[id] : NULL;
    return id < G_N_ELEMENTS(client_messages) ? &client_messages[id] : NULL;
}

/* Reads a message. A length of 0 ends the stream. */
static void read_message(struct qs_decoder *d, uint32_t end)
{
    const bool from_server = qs_session_from_server(d->session, d->packet);
    uint16_t length;
    bool has_data;

    d->in.limit = end;
    qs_open(d, Q2_GTV);
    length = qs_u16(d, Q2_GTV_LENGTH);
    has_data = length && from_server && d->in.data[d->in.pos] == GTS_STREAM_DATA;
    if (length) {
        qs_read_message(d, from_server ? Q2_GTS : Q2_GTC, lookup);
    } else {
        qs_label(d, ": the end of the stream");
        read_end(d);
    }
    qs_close(d);
    if (has_data)
        q2_read_mvd_messages(d);
    d->stop = false;
    qs_undecoded_to(d, end);
}

/* --- Loss of the stream --- */

/* Stops decoding what this end sends. */
static void lose(struct qs_decoder *d)
{
    gtv_of(d)->stage[d->packet->from] = Q2_GTV_STAGE_LOST;
}

static void decode_rest(struct qs_decoder *d)
{
    qs_summary(d, " %u bytes of a GTV stream", qs_reader_left(&d->in));
    qs_undecoded(d);
}

static void decode_no_pdu(struct qs_decoder *d)
{
    qs_note(d, QS_NOTE_MALFORMED, d->in.pos, qs_reader_left(&d->in),
            "Not a GTV message: the start of the next one cannot be found");
    lose(d);
    decode_rest(d);
}

/* --- The deflate stream --- */

static void read_whole_messages(struct qs_decoder *d)
{
    for (;;) {
        const struct qs_view left = {d->in.data + d->in.pos, d->in.size - d->in.pos};
        const uint32_t size = message_size(left, SERVER_MESSAGE_MAX);

        if (!size) {
            decode_no_pdu(d);
            return;
        }
        if (size > left.size)
            return;
        read_message(d, d->in.pos + size);
        d->in.limit = d->in.size;
    }
}

static void hold_rest(struct qs_decoder *d)
{
    const uint32_t left = qs_reader_left(&d->in);

    if (!left)
        return;
    gtv_of(d)->held = g_bytes_new(d->in.data + d->in.pos, left);
    qs_bytes(d, Q2_GTV_PART, left);
}

/* Returns the bytes of an incomplete message, to append more. The caller frees them. */
static GByteArray *remove_held(struct q2_gtv *gtv)
{
    GByteArray *bytes = g_byte_array_new();

    if (gtv->held) {
        g_byte_array_append(bytes, g_bytes_get_data(gtv->held, NULL),
                            (guint)g_bytes_get_size(gtv->held));
        g_bytes_unref(gtv->held);
    }
    gtv->held = NULL;
    return bytes;
}

static void read_inflated(struct qs_decoder *d, const GByteArray *inflated)
{
    if (!inflated->len ||
        !qs_push_source(d, "Inflated GTV messages", inflated->data, inflated->len))
        return;
    read_whole_messages(d);
    hold_rest(d);
    qs_pop_source(d);
}

/* Reads the checksum after the last block of the deflate stream. */
static void read_trailer(struct qs_decoder *d)
{
    if (gtv_of(d)->inflating.ended && qs_reader_left(&d->in))
        qs_bytes(d, Q2_GTV_ADLER32, MIN(qs_reader_left(&d->in), (uint32_t)ADLER32_SIZE));
    qs_undecoded(d);
}

static void decode_deflated(struct qs_decoder *d)
{
    struct q2_gtv *gtv = gtv_of(d);
    const struct qs_view packed = {d->in.data, d->in.size};
    GByteArray *inflated;
    uint32_t used;

    if (gtv->inflating.ended) {
        read_trailer(d);
        return;
    }
    inflated = remove_held(gtv);
    if (qs_inflate_more(d, &gtv->inflating, 0, packed, inflated, &used)) {
        qs_bytes(d, Q2_GTV_DEFLATED, used);
        read_inflated(d, inflated);
        read_trailer(d);
    } else {
        lose(d);
        decode_rest(d);
    }
    g_byte_array_free(inflated, TRUE);
}

/* --- PDUs --- */

/* Determines the ends: the client sends first, and servers listen on known ports. */
static void learn_ends(struct qs_decoder *d)
{
    if (d->session->server != QS_END_UNKNOWN)
        return;
    if (d->found.direction == QS_DIRECTION_UNKNOWN)
        d->found.direction = QS_C2S;
    qs_learn_direction(d, d->found.direction);
}

/* True if the PDU has the size that its stage requires. */
static bool is_whole_pdu(const struct qs_decoder *d)
{
    const struct qs_view bytes = {d->packet->data, d->packet->size};

    return bytes.size && size_at_stage(d->session, d->packet->from, bytes) == bytes.size;
}

static void decode_pdu(struct qs_decoder *d)
{
    switch (gtv_of(d)->stage[d->packet->from]) {
    case Q2_GTV_STAGE_MAGIC:
        qs_bytes(d, Q2_GTV_MAGIC, Q2_MVD_MAGIC_SIZE);
        gtv_of(d)->stage[d->packet->from] = Q2_GTV_STAGE_MESSAGES;
        break;
    case Q2_GTV_STAGE_MESSAGES:
        read_message(d, d->in.size);
        break;
    case Q2_GTV_STAGE_DEFLATED:
        decode_deflated(d);
        break;
    case Q2_GTV_STAGE_LOST:
        break;
    }
}

void q2_decode_pdu(struct qs_decoder *d)
{
    struct q2_gtv *gtv = gtv_of(d);

    if (gtv->blocks)
        qs_bytes_empty(gtv->blocks);
    learn_ends(d);
    d->found.accepted = gtv->begun;
    d->found.connectionless = !gtv->begun;
    qs_summary(d, "GTV");
    if (gtv->stage[d->packet->from] == Q2_GTV_STAGE_LOST) {
        decode_rest(d);
    } else if (d->packet->missing) {
        qs_note(d, QS_NOTE_NOT_CAPTURED, 0, 0,
                "The capture lacks %u bytes of the stream before packet %" G_GUINT64_FORMAT
                ": the start of the next message cannot be found",
                d->packet->missing, d->packet->missing_before);
        lose(d);
        decode_rest(d);
    } else if (qs_packet_is_cut(d->packet)) {
        lose(d); /* the stream ended, or could not be reassembled, within the PDU */
        decode_rest(d);
    } else if (!is_whole_pdu(d)) {
        decode_no_pdu(d);
    } else {
        decode_pdu(d);
    }
}
