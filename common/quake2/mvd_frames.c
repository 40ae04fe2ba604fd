/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Frames of MVD: the states of all players and all entities, as deltas from the frame before.
 * Source: PROTOCOL.md, section 18; Q2PRO, server/mvd/parse.c MVD_ParseFrame, msg.c
 * MSG_ParseDeltaPlayerstate_Packet.
 */
#include "common/core/text.h"
#include "common/quake2/configstrings.h"
#include "common/quake2/decode.h"

enum { NO_PLAYER = 255 }; /* CLIENTNUM_NONE: the end */

/* The bits of this mask, and those of other protocols for the same fields. */
static const struct {
    unsigned bit, ps, extra;
} fields[] = {
    {PPS_M_TYPE, PS_M_TYPE, 0},
    {PPS_M_ORIGIN, PS_M_ORIGIN, 0},
    {PPS_M_ORIGIN2, 0, EPS_M_ORIGIN2},
    {PPS_VIEWOFFSET, PS_VIEWOFFSET, 0},
    {PPS_VIEWANGLES, PS_VIEWANGLES, 0},
    {PPS_VIEWANGLE2, 0, EPS_VIEWANGLE2},
    {PPS_KICKANGLES, PS_KICKANGLES, 0},
    {PPS_BLEND, PS_BLEND, 0},
    {PPS_FOV, PS_FOV, 0},
    {PPS_WEAPONINDEX, PS_WEAPONINDEX, 0},
    {PPS_WEAPONFRAME, PS_WEAPONFRAME, 0},
    {PPS_GUNOFFSET, 0, EPS_GUNOFFSET},
    {PPS_GUNANGLES, 0, EPS_GUNANGLES},
    {PPS_RDFLAGS, PS_RDFLAGS, 0},
    {PPS_STATS, 0, EPS_STATS},
    {PPS_FOG, PS_FOG, 0},
};

/* Where there is no third byte, the bit that announces it is what removes the player. */
static unsigned read_bits(struct qs_decoder *d)
{
    const unsigned bits = qs_u16(d, Q2_MVD_PLAYER_BITS);

    if (!(bits & PPS_MOREBITS))
        return bits;
    if (!q2_session_of_const(d->session)->variant.player_fog)
        return bits | PPS_REMOVE;
    return bits | (unsigned)qs_u8(d, Q2_MVD_PLAYER_BITS3) << 16;
}

static void read_fields(struct qs_decoder *d, unsigned bits)
{
    struct q2_player player = {0};
    unsigned ps = 0, extra = 0;

    for (unsigned i = 0; i < G_N_ELEMENTS(fields); i++)
        if (bits & fields[i].bit) {
            ps |= fields[i].ps;
            extra |= fields[i].extra;
        }
    q2_read_player_fields(d, ps, extra, &player);
}

static void name_player(struct qs_decoder *d, uint8_t number)
{
    char *name;

    if (!d->fields_wanted)
        return;
    name = q2_player_name(q2_session_of(d->session), number);
    qs_emit_generated_text(d, Q2_MVD_PLAYER_NAME, d->in.pos - 1, 1, name);
    if (name)
        qs_label_text(d, " ", qs_view_of(name), "");
    g_free(name);
}

/* Whether another may follow. */
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
    name_player(d, number);
    bits = read_bits(d);
    read_fields(d, bits);
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

void q2_read_mvd_frame(struct qs_decoder *d)
{
    const uint8_t size = qs_u8(d, Q2_MVD_PORTAL_BYTES);

    if (size)
        qs_bytes(d, Q2_MVD_PORTALS, size);
    read_players(d);
    qs_open(d, Q2_MVD_ENTITIES);
    q2_read_packetentities(d);
    qs_close(d);
}
