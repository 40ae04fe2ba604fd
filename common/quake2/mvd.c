/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Messages of MVD, the demo of a server, which GTV streams, too. Source: PROTOCOL.md, section 18;
 * Q2PRO, server/mvd/parse.c, server/mvd.c.
 */

#include "common/core/text.h"
#include "common/quake2/decode.h"

enum {
    NO_PLAYER = 255, /* CLIENTNUM_NONE: end of the list */
    SND_POS = 4,
    SND_ENT = 8
};

/* --- Frames --- */

/* States of all players and entities, as deltas from the previous frame. Source: Q2PRO,
 * server/mvd/parse.c MVD_ParseFrame, msg.c MSG_ParseDeltaPlayerstate_Packet. */

/* Reads a mask. In variants without a third byte, the bit that announces it removes the player. */
static unsigned read_bits(struct qs_decoder *d)
{
    const unsigned bits = qs_u16(d, Q2_MVD_PLAYER_BITS);

    if (!(bits & PPS_MOREBITS))
        return bits;
    if (!q2_variant(d)->player_fog)
        return bits | PPS_REMOVE;
    return bits | (unsigned)qs_u8(d, Q2_MVD_PLAYER_BITS3) << 16;
}

/* Reads the fields, after mapping MVD's mask to the bits of other protocols. */
static void read_fields(struct qs_decoder *d, uint32_t mvd_bits, uint8_t number)
{
    struct q2_player player = {.clientnum = number};
    uint32_t bits = 0;

#define FIELD(encoding, when, bit, extra, mvd, mvd_extra, member, row)                             \
    bits |= (mvd_bits & (mvd) ? (uint32_t)(bit) : 0) | (mvd_bits & (mvd_extra) ? (extra) : 0);
#include "common/quake2/player_fields.def"
    q2_read_player_fields(d, bits, &player);
}

/* Returns true if another player may follow. */
static bool read_player(struct qs_decoder *d)
{
    unsigned bits;
    uint8_t number;

    qs_open(d, Q2_MVD_PLAYER);
    number = qs_u8(d, Q2_MVD_PLAYER_NUMBER);
    if (number == NO_PLAYER || d->in.overrun) {
        qs_label(d, ": end");
        qs_close(d);
        return false;
    }
    qs_label(d, " %u", number);
    q2_emit_player_name(d, Q2_MVD_PLAYER_NAME, d->in.pos - 1, number, true);
    bits = read_bits(d);
    read_fields(d, bits, number);
    if (bits & PPS_REMOVE)
        qs_label(d, " gone");
    qs_close(d);
    return !d->in.overrun;
}

static void read_players(struct qs_decoder *d)
{
    unsigned count = 0;

    qs_open(d, Q2_MVD_PLAYERS);
    while (read_player(d))
        count++;
    qs_label(d, ": %u players", count);
    qs_close(d);
}

static void read_states(struct qs_decoder *d)
{
    const uint8_t size = qs_u8(d, Q2_MVD_PORTAL_BYTES);

    if (size)
        qs_bytes(d, Q2_MVD_PORTALS, size);
    read_players(d);
    qs_open(d, Q2_MVD_ENTITIES);
    q2_read_packetentities(d);
    qs_close(d);
}

/* --- Messages --- */

/* Returns the bits above the id in the message byte that was just read. */
static uint8_t read_extra(struct qs_decoder *d)
{
    const uint8_t extra = qs_message_byte(d) >> Q2_MVD_ID_BITS;

    qs_emit_uint(d, Q2_MVD_EXTRA, d->in.pos - 1, 1, extra);
    return extra;
}

/* --- Gamestate --- */

/* Stops decoding this stream, because its version is not supported. */
static void refuse(struct qs_decoder *d, int32_t version, uint32_t minor)
{
    struct q2_session *session = q2_session_of(d->session);

    d->stop = true;
    if (version != Q2_PROTOCOL_MVD) {
        qs_note(d, QS_NOTE_MALFORMED, d->in.pos, qs_reader_left(&d->in), "MVD of protocol %d",
                version);
        return;
    }
    session->minor = minor;
    q2_session_set_version(session, version);
    q2_pass_over(d);
}

static void read_level(struct qs_decoder *d, uint32_t minor, uint16_t flags)
{
    struct q2_session *session = q2_session_of(d->session);
    struct qs_view gamedir;

    q2_session_begin_level(session);
    q2_session_set_mvd(session, minor, flags);
    session->level.servercount = qs_i32(d, Q2_SERVERDATA_COUNT);
    gamedir = qs_text(d, Q2_SERVERDATA_GAMEDIR);
    session->player = qs_i16(d, Q2_SERVERDATA_PLAYER);
    qs_table_set(&session->texts, Q2_TEXT_GAMEDIR, gamedir);
    q2_read_configstring_stream(d);
    read_states(d);
}

static void read_serverdata(struct qs_decoder *d)
{
    const uint8_t extra = read_extra(d);
    const int32_t version = (int32_t)qs_u32(d, Q2_SERVERDATA_PROTOCOL);
    const uint16_t minor = qs_u16(d, Q2_SERVERDATA_MINOR);
    uint16_t flags = extra;

    if (d->in.overrun)
        return;
    if (version != Q2_PROTOCOL_MVD || !q2_is_minor_of_mvd(minor)) {
        refuse(d, version, minor);
        return;
    }
    /* Relays write the minor version in 32 bits, but read 16. PROTOCOL.md, section 18. */
    if (qs_reader_left(&d->in) >= 2 && !qs_peek_u16(d))
        qs_u16(d, Q2_MVD_MINOR_UPPER);
    if (minor >= MVD_EXTLIMITS_2)
        flags = qs_u16(d, Q2_MVD_FLAGS);
    else
        qs_emit_uint(d, Q2_MVD_FLAGS, d->in.pos, 0, flags);
    qs_label(d, ": protocol %d, minor version %u", version, minor);
    read_level(d, minor, flags);
}

/* --- Messages within messages --- */

/* Reads the lower byte of a length, whose upper bits are in the message byte. */
static uint32_t read_length(struct qs_decoder *d)
{
    const uint32_t extra = read_extra(d);
    const uint32_t at = d->in.pos;
    const uint32_t length = qs_reader_u8(&d->in) | extra << 8;

    qs_emit_uint(d, Q2_MVD_LENGTH, at, 1, length);
    return length;
}

/* Only MVD's own messages begin levels and frames. */
static const struct qs_message_type *inner_message(const struct qs_decoder *d, uint32_t id)
{
    const bool is_own =
        id == SVC_SERVERDATA || id == SVC_FRAME || id == SVC_PLAYERINFO || id == SVC_PACKETENTITIES;

    return is_own ? NULL : q2_plain_message(d, id);
}

/* Reads server messages in the form that a player receives. */
static void read_messages(struct qs_decoder *d, uint32_t length)
{
    const uint32_t limit = d->in.limit;
    const uint32_t end = d->in.pos + length;

    if (length > qs_reader_left(&d->in)) {
        qs_reader_overrun(&d->in);
        return;
    }
    d->in.limit = end;
    d->id_mask = UINT8_MAX;
    while (qs_reader_left(&d->in) && qs_read_message(d, Q2_SVC, inner_message))
        ;
    qs_undecoded_to(d, end);
    d->in.limit = limit;
    d->id_mask = Q2_MVD_ID_MASK;
    d->stop = false;
}

static void read_multicast_all(struct qs_decoder *d)
{
    read_messages(d, read_length(d));
}

static void read_multicast(struct qs_decoder *d)
{
    const uint32_t length = read_length(d);

    qs_label(d, ": leaf %u", qs_u16(d, Q2_MVD_LEAF));
    read_messages(d, length);
}

static void read_unicast(struct qs_decoder *d)
{
    const uint32_t length = read_length(d);
    const uint8_t client = qs_u8(d, Q2_MVD_CLIENT);

    qs_label(d, ": client %u", client);
    q2_emit_player_name(d, Q2_MVD_CLIENT_NAME, d->in.pos - 1, client, true);
    read_messages(d, length);
}

/* --- Other messages --- */

/* Reads a sound, which comes from its entity's position. */
static void read_sound(struct qs_decoder *d)
{
    read_extra(d);
    q2_read_sound_fields(d, (uint8_t)((qs_u8(d, Q2_SOUND_FLAGS) | SND_ENT) & ~SND_POS));
}

static void read_frame(struct qs_decoder *d)
{
    q2_session_of(d->session)->mvd_frames++;
    read_states(d);
}

/* clang-format off */
static const struct qs_message_type messages[] = {
#define MVD(id, number, name, read) [MVD_##id] = {name, &name[sizeof "mvd_" - 1], Q2_MVD_##id, read},
#include "common/quake2/messages.def"
};
/* clang-format on */

static const struct qs_message_type *lookup(const struct qs_decoder *d, uint32_t id)
{
    (void)d;
    return id < G_N_ELEMENTS(messages) && messages[id].name ? &messages[id] : NULL;
}

void q2_read_mvd_messages(struct qs_decoder *d)
{
    const uint32_t end = d->in.limit;

    if (q2_pass_over(d))
        return;
    d->id_mask = Q2_MVD_ID_MASK;
    while (qs_reader_left(&d->in) && qs_read_message(d, Q2_MVD, lookup))
        ;
    d->id_mask = UINT8_MAX;
    d->stop = false;
    qs_undecoded_to(d, end);
    d->in.limit = end;
}

/* --- Blocks of files --- */

void q2_decode_mvd_block(struct qs_decoder *d)
{
    uint16_t length;

    d->found.direction = QS_S2C;
    d->found.accepted = true;
    if (!d->packet->number) {
        qs_summary(d, "MVD2");
        qs_bytes(d, Q2_MVD2_MAGIC, Q2_MVD_MAGIC_SIZE);
        return;
    }
    qs_open(d, Q2_MVD2);
    length = qs_u16(d, Q2_MVD2_LENGTH);
    if (length)
        qs_label(d, ": %u bytes", length);
    else
        qs_label(d, ": the demo's end");
    qs_close(d);
    if (d->in.overrun) {
        qs_no_block(d);
        return;
    }
    qs_enter_payload(d);
    q2_read_mvd_messages(d);
}
