/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Recognizes control packets, and the beginning of a level, by their bytes. RTP begins with the
 * same two bytes as a control packet, and its next two count up; so flags, length and command prove
 * little, and the whole body must fit the command. Sources: see control.c.
 */
#include "common/core/text.h"
#include "common/quake/decode.h"

enum { COLORS_MAX = 0xff, SECONDS_MAX = 366 * 24 * 3600 };

/* --- Texts --- */

static bool is_plain(uint8_t c)
{
    return (c >= ' ' && c < 0x7f) || c == '\n' || c == '\r' || c == '\t';
}

/* Nearly all codes are glyphs of the game's font, and names may have them. */
static bool is_glyph(uint8_t c)
{
    return c != 0;
}

static bool is_all(struct qs_view text, bool (*is)(uint8_t c))
{
    for (uint32_t i = 0; i < text.size; i++)
        if (!is(text.data[i]))
            return false;
    return true;
}

static bool has_text(struct qs_reader *in, bool (*is)(uint8_t c))
{
    return is_all(qs_reader_string(in), is) && !in->overrun;
}

/* --- Control packets --- */

static bool is_for_game(struct qs_reader *in)
{
    return qs_view_equal(qs_reader_string(in), "QUAKE") && qs_reader_left(in);
}

enum part {
    END,
    GAME, /* name of the game, and at least one byte behind it */
    NAME, /* a text that is not empty */
    TEXT,
    GLYPHS,
    BYTE,
    LONG,
    PORT,
    COLORS,
    SECONDS,
    PLAYERS, /* number of players, and their maximum */
    MOD,     /* ProQuake's three bytes, or fewer */
    REST     /* any bytes: engines append their own */
};

static const struct body {
    uint8_t command;
    uint8_t parts[8];
} bodies[] = {
    {CCREQ_CONNECT, {GAME, REST}},
    {CCREQ_SERVER_INFO, {GAME, REST}},
    {CCREQ_PLAYER_INFO, {BYTE}},
    {CCREQ_RULE_INFO, {TEXT}}, /* an empty one asks for the first rule */
    {CCREQ_RCON, {TEXT, TEXT}},
    {CCREP_ACCEPT, {PORT, MOD}},
    {CCREP_REJECT, {NAME}},
    {CCREP_RCON, {NAME}},
    {CCREP_SERVER_INFO, {NAME, GLYPHS, TEXT, PLAYERS, BYTE}},
    {CCREP_PLAYER_INFO, {BYTE, GLYPHS, COLORS, LONG, SECONDS, TEXT}},
    {CCREP_RULE_INFO, {END}}, /* reply behind the last rule */
    {CCREP_RULE_INFO, {NAME, TEXT}},
};

static bool has_part(struct qs_reader *in, uint8_t part)
{
    uint8_t players;

    switch (part) {
    case GAME:
        return is_for_game(in);
    case NAME:
        return qs_reader_left(in) && in->data[in->pos] && has_text(in, is_plain);
    case TEXT:
        return has_text(in, is_plain);
    case GLYPHS:
        return has_text(in, is_glyph);
    case BYTE:
        qs_reader_u8(in);
        return true;
    case PORT:
        return qs_reader_u32(in) <= UINT16_MAX;
    case COLORS:
        return qs_reader_u32(in) <= COLORS_MAX;
    case SECONDS:
        return qs_reader_u32(in) <= SECONDS_MAX;
    case PLAYERS:
        players = qs_reader_u8(in);
        return players <= qs_reader_u8(in);
    case MOD:
        return qs_reader_bytes(in, MIN(qs_reader_left(in), 3u));
    case REST:
        return qs_reader_bytes(in, qs_reader_left(in));
    }
    qs_reader_u32(in);
    return true;
}

static bool is_body(const struct body *body, struct qs_reader in)
{
    for (const uint8_t *part = body->parts; *part; part++)
        if (!has_part(&in, *part))
            return false;
    return !qs_reader_left(&in) && !in.overrun;
}

bool nq_is_control(struct qs_view packet)
{
    struct qs_reader in = qs_reader_over(packet.data, packet.size);
    const bool has_header = qs_reader_u32be(&in) == (NETFLAG_CTL | packet.size);
    const uint8_t command = qs_reader_u8(&in);

    /* FTE's client asks servers of all games with one packet, which has the other games' request
     * appended; only the answer shows the game (PROTOCOL.md, section 3). */
    if (!has_header || (command == CCREQ_CONNECT && qs_view_contains(packet, "getchallenge")))
        return false;
    for (size_t i = 0; i < G_N_ELEMENTS(bodies); i++)
        if (bodies[i].command == command && is_body(&bodies[i], in))
            return true;
    return false;
}

/* --- The beginning of a level --- */

/* Skips up to four pairs of words before the version: agreed extensions of FTE. */
static bool has_version(struct qs_reader *in)
{
    enum { PAIRS_MAX = 4 };

    for (unsigned i = 0; i <= PAIRS_MAX; i++) {
        if (nq_is_decoded(qs_reader_u32(in)))
            return true;
        qs_reader_u32(in);
    }
    return false;
}

/* Skips greetings and commands, which may come before svc_serverinfo in the same message. */
bool nq_begins_level(struct qs_view messages)
{
    struct qs_reader in = qs_reader_over(messages.data, messages.size);
    uint8_t id;

    while ((id = qs_reader_u8(&in)) == SVC_PRINT || id == SVC_STUFFTEXT)
        if (!has_text(&in, is_glyph))
            return false;
    return id == SVC_SERVERINFO && has_version(&in) && !in.overrun;
}

bool nq_is_sign_on(struct qs_view packet)
{
    return packet.size >= NET_HEADER_SIZE &&
           (qs_be32(packet.data) & ~(uint32_t)NETFLAG_EOM) == (NETFLAG_DATA | packet.size) &&
           nq_begins_level(
               (struct qs_view){packet.data + NET_HEADER_SIZE, packet.size - NET_HEADER_SIZE});
}

/* True also for FTE's request to servers of all games. */
static bool may_be_control(const struct qs_packet *packet)
{
    struct qs_reader in = qs_reader_over(packet->data, packet->size);

    qs_reader_u32be(&in);
    return qs_packet_is_cut(packet) ||
           nq_is_control((struct qs_view){packet->data, packet->size}) ||
           (qs_reader_u8(&in) == CCREQ_CONNECT && is_for_game(&in));
}

/* True if the header has the packet's length, and the flags of one kind of datagram. */
static bool is_header(uint32_t word, const struct qs_packet *packet)
{
    if ((word & NETFLAG_LENGTH_MASK) != packet->wire_size)
        return false;
    switch (word & ~NETFLAG_LENGTH_MASK) {
    case NETFLAG_DATA:
    case NETFLAG_DATA | NETFLAG_EOM:
    case NETFLAG_ACK:
    case NETFLAG_NAK:
    case NETFLAG_UNRELIABLE:
        return packet->wire_size >= NET_HEADER_SIZE;
    case NETFLAG_CTL:
        return may_be_control(packet);
    }
    return false;
}

bool nq_is_foreign(const struct qs_protocol *protocol, const struct qs_packet *packet)
{
    const struct qs_view bytes = {packet->data, packet->size};

    (void)protocol;
    if (nq_is_connectionless(bytes))
        return !nq_is_known_text(bytes);
    return bytes.size < CONTROL_HEADER_SIZE || !is_header(qs_be32(bytes.data), packet);
}
