/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Telling control packets, and the beginning of a level, from anything else by their bytes. RTP's
 * first two bytes are those of a control packet too, and its third and fourth count: so flags,
 * length and command say little, and the whole body must read as the command's. Sources: as for
 * control.c.
 */
#include "common/core/text.h"
#include "common/quake/constants.h"
#include "common/quake/variant.h"
#include "common/quake/messages.h"

enum { COLORS_MAX = 0xff, SECONDS_MAX = 366 * 24 * 3600 };

/* --- Texts --- */

static bool is_plain(uint8_t c)
{
    return (c >= ' ' && c < 0x7f) || c == '\n' || c == '\r' || c == '\t';
}

/* The game's font has glyphs at nearly all numbers; names may have them. */
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

/* A text that is not empty and has only such characters. */
static bool has_text(struct qs_reader *in, bool (*is)(uint8_t c))
{
    const struct qs_view text = qs_reader_string(in);

    return text.size && is_all(text, is);
}

/* The same, but it may be empty. */
static bool has_any_text(struct qs_reader *in, bool (*is)(uint8_t c))
{
    return is_all(qs_reader_string(in), is) && !in->overrun;
}

/* --- Requests --- */

static bool is_for_game(struct qs_reader *in)
{
    const struct qs_view name = qs_reader_string(in);
    static const char game[] = "QUAKE";

    return name.size == sizeof game - 1 && memcmp(name.data, game, sizeof game - 1) == 0 &&
           qs_reader_left(in);
}

/*
 * FTE's client asks servers of all games alike, with the other games' request appended; the answer
 * shows which one it is (PROTOCOL.md, section 3).
 */
static bool is_connect(struct qs_reader *in)
{
    return is_for_game(in) &&
           !qs_view_contains((struct qs_view){in->data, in->size}, "getchallenge");
}

/* Engines may append to it. */
static bool is_server_request(struct qs_reader *in)
{
    return is_for_game(in);
}

static bool is_player_request(struct qs_reader *in)
{
    qs_reader_u8(in);
    return !qs_reader_left(in);
}

/* An empty one asks for the first rule. */
static bool is_rule_request(struct qs_reader *in)
{
    return has_any_text(in, is_plain) && !qs_reader_left(in);
}

static bool is_rcon(struct qs_reader *in)
{
    const bool password = has_any_text(in, is_plain);
    const bool command = password && has_any_text(in, is_plain);

    return command && !qs_reader_left(in);
}

/* --- Replies --- */

/* A port, and ProQuake's three bytes. */
static bool is_accept(struct qs_reader *in)
{
    return qs_reader_u32(in) <= UINT16_MAX && qs_reader_left(in) <= 3;
}

static bool is_reply(struct qs_reader *in)
{
    return has_text(in, is_plain) && !qs_reader_left(in);
}

static bool is_server_info(struct qs_reader *in)
{
    uint8_t players, players_max;

    if (!has_text(in, is_plain) || !has_any_text(in, is_glyph) || !has_any_text(in, is_plain))
        return false;
    players = qs_reader_u8(in);
    players_max = qs_reader_u8(in);
    return qs_reader_left(in) == 1 && players <= players_max;
}

static bool is_player_info(struct qs_reader *in)
{
    uint32_t colors, seconds;

    qs_reader_u8(in);
    if (!has_any_text(in, is_glyph))
        return false;
    colors = qs_reader_u32(in);
    qs_reader_u32(in); /* frags */
    seconds = qs_reader_u32(in);
    return colors <= COLORS_MAX && seconds <= SECONDS_MAX && has_any_text(in, is_plain) &&
           !qs_reader_left(in);
}

/* Empty behind the last rule. */
static bool is_rule_info(struct qs_reader *in)
{
    return !qs_reader_left(in) ||
           (has_text(in, is_plain) && has_any_text(in, is_plain) && !qs_reader_left(in));
}

/* --- The packet --- */

static bool (*body_of(uint8_t command))(struct qs_reader *in)
{
    switch (command) {
    case CCREQ_CONNECT:
        return is_connect;
    case CCREQ_SERVER_INFO:
        return is_server_request;
    case CCREQ_PLAYER_INFO:
        return is_player_request;
    case CCREQ_RULE_INFO:
        return is_rule_request;
    case CCREQ_RCON:
        return is_rcon;
    case CCREP_ACCEPT:
        return is_accept;
    case CCREP_REJECT:
    case CCREP_RCON:
        return is_reply;
    case CCREP_SERVER_INFO:
        return is_server_info;
    case CCREP_PLAYER_INFO:
        return is_player_info;
    case CCREP_RULE_INFO:
        return is_rule_info;
    }
    return NULL;
}

bool nq_is_control(struct qs_view packet)
{
    struct qs_reader in = qs_reader_over(packet.data, packet.size);
    bool (*is_body)(struct qs_reader * in);

    if (qs_reader_u32be(&in) != (NETFLAG_CTL | packet.size))
        return false;
    is_body = body_of(qs_reader_u8(&in));
    return is_body && is_body(&in) && !in.overrun;
}

/* --- The beginning of a level --- */

/* FTE's words of what was agreed on come in pairs before the version. */
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

/* Greetings and commands come before svc_serverinfo, in the same message. */
static bool has_serverinfo(struct qs_reader *in)
{
    uint8_t id;

    while ((id = qs_reader_u8(in)) == SVC_PRINT || id == SVC_STUFFTEXT)
        if (!has_any_text(in, is_glyph))
            return false;
    return id == SVC_SERVERINFO && has_version(in);
}

bool nq_is_sign_on(struct qs_view packet)
{
    struct qs_reader in = qs_reader_over(packet.data, packet.size);
    const uint32_t word = qs_reader_u32be(&in);

    qs_reader_u32be(&in); /* its number */
    return (word & ~NETFLAG_EOM) == (NETFLAG_DATA | packet.size) && has_serverinfo(&in) &&
           !in.overrun;
}

/* FTE's request to servers of all games is one, too. */
static bool may_be_control(const struct qs_packet *packet)
{
    struct qs_reader in = qs_reader_over(packet->data, packet->size);

    qs_reader_u32be(&in);
    return qs_packet_is_cut(packet) ||
           nq_is_control((struct qs_view){packet->data, packet->size}) ||
           (qs_reader_u8(&in) == CCREQ_CONNECT && is_for_game(&in));
}

/* Each header has the packet's length, and flags of which each kind of datagram has its own. */
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

bool nq_is_foreign(const struct qs_packet *packet)
{
    const struct qs_view bytes = {packet->data, packet->size};

    if (nq_is_connectionless(bytes))
        return !nq_is_known_text(bytes);
    return bytes.size < CONTROL_HEADER_SIZE || !is_header(qs_be32(bytes.data), packet);
}
