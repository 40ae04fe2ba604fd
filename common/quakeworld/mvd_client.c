/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Client messages that MVDSV adds: weapons chosen by the server, and reports for its debugging.
 * Source: mvdsv sv_user.c SV_ExecuteClientMessage, SV_ClientExtensionWeaponSwitch,
 * SV_DebugClientSideWeaponScript.
 */
#include "common/quakeworld/decode.h"
#include "common/quakeworld/messages.h"

/* Two weapons a byte, the first above; a half that is 0 ends the list. */
static bool read_packed_weapons(struct qs_decoder *d)
{
    const uint8_t pair = qs_u8(d, QW_WEAPONS_PAIR);

    return pair >> 4 && pair & 0x0f;
}

void qw_read_mvd_weapon(struct qs_decoder *d)
{
    const uint8_t flags = qs_u8(d, QW_WEAPONS_FLAGS);

    if (flags & MVD_WEAPON_FORGET_RANKING)
        qs_u8(d, QW_WEAPONS_AGE);
    if (flags & MVD_WEAPON_FULL_IMPULSE) {
        while (qs_u8(d, QW_WEAPONS_IMPULSE))
            ;
    } else {
        while (read_packed_weapons(d))
            ;
    }
}

static void read_debug_antilag(struct qs_decoder *d)
{
    const uint8_t count = qs_u8(d, QW_DEBUG_PLAYERS);

    for (unsigned i = 0; i < count && !d->in.overrun; i++) {
        qs_open(d, QW_DEBUG_POSITION);
        qw_read_player(d, QW_DEBUG_PLAYER);
        qs_u8(d, QW_DEBUG_MSEC);
        qs_u8(d, QW_DEBUG_MODEL);
        qs_f32(d, QW_DEBUG_X);
        qs_f32(d, QW_DEBUG_Y);
        qs_f32(d, QW_DEBUG_Z);
        qs_close(d);
    }
}

void qw_read_weapon_choice(struct qs_decoder *d)
{
    qs_u32(d, QW_STAT_ITEMS);
    qs_u8(d, QW_DEBUG_SHELLS);
    qs_u8(d, QW_DEBUG_NAILS);
    qs_u8(d, QW_DEBUG_ROCKETS);
    qs_u8(d, QW_DEBUG_CELLS);
    qs_u8(d, QW_DEBUG_CHOICE);
    qs_text(d, QW_DEBUG_WEAPONS);
}

void qw_read_mvd_debug(struct qs_decoder *d)
{
    const uint32_t at = d->in.pos;
    const uint8_t type = qs_u8(d, QW_DEBUG_TYPE);

    if (type == MVD_DEBUG_ANTILAG) {
        read_debug_antilag(d);
    } else if (type == MVD_DEBUG_WEAPON) {
        qw_read_weapon_choice(d);
    } else if (!d->in.overrun) {
        qs_note(d, QS_NOTE_UNKNOWN_MESSAGE, at, 1, "Unknown clc_mvd_debug %u", type);
        d->stop = true;
    }
}
