/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Server messages, one function each, by number. Source: dm2-format, section 3; additions of
 * protocols 35 and 36: PROTOCOL.md, sections 5, 7 and 11; engine, cl_parse.c.
 */
#include "common/core/inflate.h"
#include "common/core/text.h"
#include "common/quake2/decode.h"

enum {
    INVENTORY_ITEMS = 256,
    PACKED_ID_BITS = 5, /* bits of the id in a message byte of protocols 35 and 36 */
    PACKED_ID_MASK = (1 << PACKED_ID_BITS) - 1,
    UNICAST_BIT = 0x80, /* bit of a message byte in relay recordings */
    RELAY_ID_MASK = UNICAST_BIT - 1,
    DOWNLOADS_SINCE = 32, /* first protocol in which svc_download carries data */
    SETTING_FPS = 1,      /* SVS_FPS */
    FRAME_RATE_MAX = 1000 /* maximum of a plausible frame rate */
};

static void label_name(struct qs_decoder *d, const struct qs_name *names, uint32_t value)
{
    const char *name;

    if (!qs_label_wanted(d))
        return;
    name = qs_name_of(names, value);
    qs_label(d, ": %s", name ? name : "unknown");
}

static void read_muzzleflash(struct qs_decoder *d)
{
    const uint32_t at = d->in.pos;
    const uint16_t entity = qs_u16(d, Q2_MUZZLEFLASH_ENTITY);
    uint8_t id;

    if (entity && entity <= q2_session_of(d->session)->level.max_clients)
        q2_emit_player_name(d, Q2_MUZZLEFLASH_PLAYER, at, entity - 1U, false);
    id = qs_u8(d, Q2_MUZZLEFLASH_ID_BYTE) & 0x7f;
    label_name(d, q2_muzzleflash_names, id);
}

/* Reads a monster's flash. With extended limits it uses three spare bits of the entity's word. */
static void read_muzzleflash2(struct qs_decoder *d)
{
    const bool wide = q2_variant(d)->extensions;
    const uint32_t at = d->in.pos;
    const uint16_t word = qs_u16(d, wide ? Q2_MUZZLEFLASH2_ENTITY_WORD : Q2_MUZZLEFLASH2_ENTITY);
    const uint16_t entity = wide ? word & 0x1fff : word;
    uint16_t id = qs_reader_u8(&d->in);

    if (wide) {
        qs_emit_generated_uint(d, Q2_MUZZLEFLASH2_ENTITY, at, 2, entity);
        id = (uint16_t)(id | word >> 13 << 8);
    }
    qs_emit_uint(d, Q2_MUZZLEFLASH2_ID, at + 2, 1, id);
    label_name(d, q2_muzzleflash2_names, id);
}

/* Adds scores: "client X Y SLOT FRAGS PING MINUTES" or "ctf X Y SLOT FRAGS PING" for each
 * player. */
static void add_scores(struct qs_decoder *d, struct qs_view layout)
{
    enum { X, Y, SLOT, FRAGS, PING, NUMBERS };
    int64_t numbers[NUMBERS];
    struct qs_token word;
    uint32_t pos = 0;

    while (qs_token_next(layout, &pos, &word)) {
        if (!qs_view_equal(word.text, "client") && !qs_view_equal(word.text, "ctf"))
            continue;
        for (unsigned i = 0; i < NUMBERS; i++)
            if (!qs_token_next(layout, &pos, &word) ||
                !qs_view_number_within(word.text, INT16_MIN, INT16_MAX, &numbers[i]))
                return;
        qs_add_player_event(d, QS_PLAYER_FRAGS, (uint32_t)numbers[SLOT], (int32_t)numbers[FRAGS]);
        qs_add_player_event(d, QS_PLAYER_PING, (uint32_t)numbers[SLOT], (int32_t)numbers[PING]);
    }
}

static void read_layout(struct qs_decoder *d)
{
    add_scores(d, qs_text(d, Q2_LAYOUT_TEXT));
}

/* Emits an item's count that was read at `at`. */
static void emit_inventory_item(struct qs_decoder *d, uint32_t at, uint32_t item, int16_t count)
{
    const char *name = q2_configstring(q2_session_of(d->session), Q2_RANGE_ITEMS, item);

    qs_open_at(d, Q2_INVENTORY_ITEM, at);
    qs_emit_generated_uint(d, Q2_INVENTORY_INDEX, at, 0, item);
    qs_emit_generated_text(d, Q2_INVENTORY_NAME, at, 0, name);
    qs_emit_int(d, Q2_INVENTORY_COUNT, at, 2, count);
    qs_label_text(d, " ", qs_view_of(name), "");
    qs_label(d, ": %d", count);
    qs_close(d);
}

static void read_inventory(struct qs_decoder *d)
{
    for (uint32_t i = 0; i < INVENTORY_ITEMS; i++) {
        const uint32_t at = d->in.pos;
        const int16_t count = (int16_t)qs_reader_u16(&d->in);

        if (d->fields_wanted)
            emit_inventory_item(d, at, i, count);
    }
}

static void read_disconnect(struct qs_decoder *d)
{
    d->session->disconnected = true;
}

static void read_sound_index(struct qs_decoder *d, unsigned flags)
{
    const struct q2_variant *variant = q2_variant(d);
    const bool wide = (variant->extensions && flags & 0x20) || variant->rerelease;
    const uint32_t at = d->in.pos;
    const uint16_t index = wide ? qs_u16(d, Q2_SOUND_INDEX) : qs_u8(d, Q2_SOUND_INDEX);
    const char *name = q2_emit_name(d, Q2_SOUND_NAME, at, Q2_RANGE_SOUNDS, index);
    if (name)
        qs_label_text(d, ": ", qs_view_of(name), "");
}

void q2_read_sound_fields(struct qs_decoder *d, uint8_t flags)
{
    int32_t position[3];

    read_sound_index(d, flags);
    if (flags & 0x01)
        qs_scaled_u8(d, Q2_SOUND_VOLUME, 1.0 / 255);
    if (flags & 0x02) {
        const uint8_t raw = qs_scaled_u8(d, Q2_SOUND_ATTENUATION, 1.0 / 64);

        if (raw % 64 == 0)
            qs_emit_generated_uint(d, Q2_SOUND_ATTENUATION_RAW, d->in.pos - 1, 1, raw / 64);
    }
    if (flags & 0x10)
        qs_u8(d, Q2_SOUND_OFFSET);
    if (flags & 0x08 && flags & 0x40 && q2_variant(d)->rerelease)
        qs_u32(d, Q2_SOUND_SOURCE_WIDE);
    else if (flags & 0x08)
        qs_u16(d, Q2_SOUND_SOURCE);
    if (flags & 0x04)
        q2_read_position(d, Q2_SOUND_POSITION, position);
}

static void read_sound(struct qs_decoder *d)
{
    q2_read_sound_fields(d, qs_u8(d, Q2_SOUND_FLAGS));
}

enum { CLIENTS = 256 /* MAX_CLIENTS */ };

static struct qs_view name_of(const struct qs_session *session, uint32_t player)
{
    return qs_view_up_to(qs_view_of(q2_configstring((const struct q2_session *)session,
                                                    Q2_RANGE_PLAYERSKINS, player)),
                         "\\");
}

void q2_read_print(struct qs_decoder *d)
{
    const bool chat = qs_u8(d, Q2_PRINT_LEVEL) == QS_PRINT_CHAT;
    const struct qs_view text = qs_text(d, Q2_PRINT_TEXT);

    qs_label_text(d, ": ", text, "");
    if (chat)
        qs_emit_speaker(d, Q2_PRINT_SPEAKER, text, CLIENTS, name_of);
}

static void read_stufftext(struct qs_decoder *d)
{
    const struct qs_view text = qs_text(d, Q2_STUFFTEXT_TEXT);

    qs_label_text(d, ": ", text, "");
    q2_level_stufftext(d, text);
}

QS_TEXT_READER(read_centerprint, Q2_CENTERPRINT_TEXT)

/* Sets the bits of a message byte that are its id. They change with svc_serverdata. */
static void set_id_mask(struct qs_decoder *d)
{
    const struct q2_variant *variant = q2_variant(d);

    d->id_mask = UINT8_MAX;
    if (variant->packed && !variant->q2repro)
        d->id_mask = PACKED_ID_MASK;
    else if (variant->relay)
        d->id_mask = RELAY_ID_MASK;
}

static void read_serverdata(struct qs_decoder *d)
{
    q2_read_serverdata(d);
    set_id_mask(d);
}

/* --- Downloads, compressed packets, settings --- */

/* Reads a piece of a file after its size and percentage. The size is negative in a refusal. */
static void read_piece(struct qs_decoder *d, int16_t size, uint8_t percent,
                       enum qs_transfer_packing packing)
{
    struct qs_transfer transfer = {
        .event = QS_TRANSFER_PIECE, .packing = packing, .percent = percent};

    if (size < 0)
        transfer.event = QS_TRANSFER_REFUSED;
    else if (size > 0)
        transfer.data = qs_bytes(d, Q2_DOWNLOAD_DATA, (uint32_t)size);
    qs_add_transfer(d, &transfer);
}

static void read_download(struct qs_decoder *d)
{
    const int32_t version = d->session->version;
    const int16_t size = qs_i16(d, Q2_DOWNLOAD_SIZE);
    const uint8_t percent = qs_u8(d, Q2_DOWNLOAD_PERCENT);

    if (!version || version >= DOWNLOADS_SINCE)
        read_piece(d, size, percent, QS_TRANSFER_PLAIN);
}

static void read_zdownload(struct qs_decoder *d)
{
    const int16_t size = qs_i16(d, Q2_DOWNLOAD_SIZE);
    const uint8_t percent = qs_u8(d, Q2_DOWNLOAD_PERCENT);
    const bool each = d->session->version == Q2_PROTOCOL_R1Q2;

    if (size >= 0 && each)
        qs_u16(d, Q2_DOWNLOAD_UNPACKED);
    read_piece(d, size, percent, each ? QS_TRANSFER_DEFLATED : QS_TRANSFER_STREAM);
}

static void read_inflated(struct qs_decoder *d, GBytes *inflated)
{
    struct q2_session *session = q2_session_of(d->session);
    const bool stopped = d->stop;

    session->packet.inflating = true;
    q2_read_source(d, "Inflated messages", inflated, q2_read_server_messages);
    session->packet.inflating = false;
    d->stop = stopped;
}

static void read_zpacket(struct qs_decoder *d)
{
    const uint32_t at = d->in.pos;
    const uint16_t packed_size = qs_u16(d, Q2_ZPACKET_SIZE);
    const uint16_t size = qs_u16(d, Q2_ZPACKET_UNPACKED);
    const struct qs_view packed = qs_bytes(d, Q2_ZPACKET_DATA, packed_size);
    GBytes *inflated;

    if (d->in.overrun)
        return;
    if (q2_session_of(d->session)->packet.inflating) {
        qs_note(d, QS_NOTE_MALFORMED, at, d->in.pos - at,
                "Compressed messages contain compressed ones: no client reads them");
        return;
    }
    inflated = qs_inflate(d, at, packed, size);
    if (!inflated)
        return;
    read_inflated(d, inflated);
    g_bytes_unref(inflated);
}

static void read_setting(struct qs_decoder *d)
{
    const int32_t setting = qs_i32(d, Q2_SERVER_SETTING);
    const int32_t value = qs_i32(d, Q2_SERVER_SETTING_VALUE);

    if (setting == SETTING_FPS && value > 0 && value <= FRAME_RATE_MAX)
        q2_session_of(d->session)->level.frame_rate = (uint16_t)value;
}

/* --- Message loop --- */

static void read_extend(struct qs_decoder *d);

static void read_frame(struct qs_decoder *d)
{
    const struct q2_variant *variant = q2_variant(d);
    const uint8_t extra = variant->q2repro ? 0 : qs_message_byte(d) >> PACKED_ID_BITS;

    if (variant->packed && !variant->q2repro)
        qs_emit_uint(d, Q2_SVC_EXTRA, d->in.pos - 1, 1, extra);
    q2_read_frame(d, extra);
}

/* clang-format off */
#define TYPE(id, name, read) {name, &name[sizeof "svc_" - 1], Q2_SVC_##id, read}

static const struct qs_message_type messages[] = {
#define SVC(id, number, name, read, demo, blurb) [SVC_##id] = TYPE(id, name, read),
#include "common/quake2/messages.def"
};

/* First protocol that has each message; 0 if all have it. */
static const uint8_t since[] = {
#define SVC(id, number, name, read, demo, blurb) [SVC_##id] = 0,
#define SVC_SINCE(protocol, id, ...) [SVC_##id] = protocol,
#include "common/quake2/messages.def"
};

static const struct qs_message_type r1q2_messages[] = {
#define SVC_R1Q2(id, number, name, read, demo, blurb) [SVC_##id] = TYPE(id, name, read),
#include "common/quake2/messages.def"
};

static const struct qs_message_type q2repro_messages[] = {
#define SVC_Q2REPRO(id, number, name, read, blurb) [number] = TYPE(id, name, read),
#define SVC_Q2REPRO_AS(id, number, name, read) [number] = TYPE(id, name, read),
#include "common/quake2/messages.def"
};
/* clang-format on */

static const struct qs_message_type *find(uint32_t id, int32_t protocol)
{
    return id < G_N_ELEMENTS(messages) && messages[id].name && since[id] <= protocol ? &messages[id]
                                                                                     : NULL;
}

const struct qs_message_type *q2_plain_message(const struct qs_decoder *d, uint32_t id)
{
    (void)d;
    return find(id, 0);
}

/* True if the message is R1Q2's svc_playerupdate. Q2PRO's svc_gamestate has the same number, but is
 * compressed: in a guessed session an uncompressed message is R1Q2's. */
static bool has_playerupdate(const struct qs_decoder *d)
{
    return d->session->version == Q2_PROTOCOL_R1Q2 ||
           (q2_session_of_const(d->session)->handshake.guessed && !d->source_depth);
}

static const struct qs_message_type *lookup_packed(const struct qs_decoder *d, uint32_t id)
{
    if (id == SVC_PLAYERUPDATE && has_playerupdate(d))
        return &r1q2_messages[id];
    if (id == SVC_PLAYERINFO || id == SVC_PACKETENTITIES)
        return NULL;
    return find(id, d->session->version);
}

static const struct qs_message_type *lookup_q2repro(uint32_t id)
{
    if (id == SVC_PLAYERINFO || id == SVC_PACKETENTITIES || id >= G_N_ELEMENTS(q2repro_messages) ||
        (id > SVC_FRAME && id < Q2REPRO_SVC_DAMAGE))
        return NULL;
    return q2repro_messages[id].name ? &q2repro_messages[id] : find(id, 0);
}

/* Looks up a message of the rerelease; ids between svc_frame and q2repro's first are its own. */
static const struct qs_message_type *lookup_rerelease(uint32_t id)
{
    if (id <= SVC_FRAME || id > Q2REPRO_SVC_ACHIEVEMENT)
        return find(id, 0);
    return q2repro_messages[id].name ? &q2repro_messages[id] : NULL;
}

static bool has_rerelease_messages(int32_t version)
{
    return version == Q2_PROTOCOL_Q2REPRO || q2_is_rerelease(version);
}

/* True if ids are q2repro's. A demo begins with its version; connections agree on theirs before. */
static bool is_q2repro(const struct qs_decoder *d)
{
    const uint8_t *next = d->in.data + d->in.pos;

    return has_rerelease_messages(d->session->version) ||
           (qs_reader_left(&d->in) > 4 && next[0] == SVC_SERVERDATA &&
            has_rerelease_messages((int32_t)qs_le32(next + 1)));
}

/* Reads the message whose number follows (AQtion). svc_extend must not follow itself. */
static void read_extend(struct qs_decoder *d)
{
    const uint32_t at = d->in.pos;
    const uint8_t id = qs_u8(d, Q2_EXTEND_ID);
    const struct qs_message_type *type = id == SVC_EXTEND ? NULL : find(id, d->session->version);

    if (d->in.overrun)
        return;
    if (!type || !type->read) {
        qs_note(d, QS_NOTE_UNKNOWN_MESSAGE, at, 1, "Unknown message %u after svc_extend", id);
        d->stop = true;
        return;
    }
    qs_label(d, ": %s", type->name);
    qs_open(d, type->group);
    type->read(d);
    qs_close(d);
}

static void read_unicast(struct qs_decoder *d)
{
    const struct qs_message_type *type = find(qs_message_byte(d) & RELAY_ID_MASK, 0);

    qs_u8(d, Q2_UNICAST_CLIENT);
    qs_open(d, type->group);
    type->read(d);
    qs_close(d);
}

static const struct qs_message_type unicast = {"svc for one client", "unicast", Q2_SVC_UNICAST,
                                               read_unicast};

static const struct qs_message_type *lookup_relay(const struct qs_decoder *d, uint32_t id)
{
    const struct qs_message_type *type = find(id, 0);
    const bool for_one = d->in.data[d->in.pos] & UNICAST_BIT;

    return for_one && type && type->read ? &unicast : type;
}

static const struct qs_message_type *lookup(const struct qs_decoder *d, uint32_t id)
{
    const struct q2_session *session = q2_session_of_const(d->session);

    if (session->variant.rerelease)
        return lookup_rerelease(id);
    if (session->variant.q2repro)
        return lookup_q2repro(id);
    if (session->variant.packed)
        return lookup_packed(d, id);
    return session->variant.relay ? lookup_relay(d, id) : find(id, 0);
}

static void read_messages(struct qs_decoder *d)
{
    set_id_mask(d);
    qs_read_messages(d, is_q2repro(d) ? Q2_SVC_OF_Q2REPRO : Q2_SVC, lookup);
}

/* True if the first message may be the test release's svc_serverdata: its version (25) follows a
 * byte, and the packet cannot be read as one that begins with frame 25. */
static bool begins_like_test_release(const struct qs_decoder *d)
{
    return qs_reader_left(&d->in) > 4 && !qs_packet_is_cut(d->packet) &&
           qs_le32(d->in.data + d->in.pos + 1) == Q2_PROTOCOL_TEST_RELEASE &&
           !qs_is_readable(d, d->session, read_messages);
}

/*
 * Recognizes the test release (3.00), whose message numbers are unknown, by the start of a level.
 * If the capture lacks the client's connect, that is a guess, which the first packet that can be
 * read otherwise disproves.
 */
static void notice_test_release(struct qs_decoder *d)
{
    struct q2_session *session = q2_session_of(d->session);

    if (session->base.version || d->found.direction == QS_C2S || !begins_like_test_release(d))
        return;
    q2_session_set_version(session, Q2_PROTOCOL_TEST_RELEASE);
    session->handshake.guessed = session->handshake.wanted.version != Q2_PROTOCOL_TEST_RELEASE;
}

void q2_read_server_messages(struct qs_decoder *d)
{
    notice_test_release(d);
    if (q2_pass_over(d))
        return;
    read_messages(d);
}

void q2_decode_messages(struct qs_decoder *d)
{
    struct q2_tracker *tracker = q2_tracker(d);

    if (tracker)
        q2_tracker_begin_packet(tracker);
    d->found.accepted = true;
    q2_read_server_messages(d);
}
