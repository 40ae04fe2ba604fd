/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parts of AQtion's protocol 38 that Q2PRO's lacks: elements that the game puts on the screen,
 * variables that both ends share, and statistics. Source: PROTOCOL.md, section 15.
 */
#include "common/quake2/decode.h"

/* Bits of AQtion's byte in the player state; protocol.h AQPS_*. */
#define AQPS_PMFLAGS 0x1u
#define AQPS_TIMESTAMP 0x2u
#define AQPS_LEGHITS 0x4u

enum { GHUD_END = 255 };

static const double anchor_step = 1.0 / 200; /* share of the screen */

/* --- Elements on the screen --- */

unsigned q2_read_one_or_two_bytes(struct qs_decoder *d, unsigned id, unsigned more)
{
    const uint32_t at = d->in.pos;
    unsigned bits = qs_reader_u8(&d->in);

    if (bits & more)
        bits |= (unsigned)qs_reader_u8(&d->in) << 8;
    qs_emit_uint(d, id, at, d->in.pos - at, bits);
    return bits;
}

static void read_element(struct qs_decoder *d, unsigned bits)
{
    if (bits & GHU_TYPE)
        qs_u8(d, Q2_GHUD_TYPE);
    if (bits & GHU_FLAGS)
        qs_u16(d, Q2_GHUD_FLAGS);
    if (bits & GHU_INT)
        qs_i16(d, Q2_GHUD_VALUE);
    if (bits & GHU_TEXT)
        qs_label_text(d, ": ", qs_text(d, Q2_GHUD_TEXT), "");
    if (bits & GHU_COLOR) {
        qs_open(d, Q2_GHUD_COLOR);
        for (unsigned i = 0; i < 4; i++)
            qs_u8(d, Q2_GHUD_COLOR_RED + i);
        qs_close(d);
    }
    if (bits & GHU_POS) {
        qs_open(d, Q2_GHUD_ORIGIN);
        for (unsigned i = 0; i < 3; i++)
            qs_i16(d, Q2_GHUD_ORIGIN_X + i);
        qs_close(d);
        qs_scaled_u8(d, Q2_GHUD_ANCHOR_X, anchor_step);
        qs_scaled_u8(d, Q2_GHUD_ANCHOR_Y, anchor_step);
    }
    if (bits & GHU_SIZE) {
        qs_i16(d, Q2_GHUD_SIZE_X);
        qs_i16(d, Q2_GHUD_SIZE_Y);
    }
}

void q2_read_ghudupdate(struct qs_decoder *d)
{
    unsigned count = 0;

    for (; qs_reader_left(&d->in) && d->in.data[d->in.pos] != GHUD_END; count++) {
        unsigned bits;

        qs_open(d, Q2_GHUD);
        qs_label(d, " %u", qs_u8(d, Q2_GHUD_INDEX));
        bits = q2_read_one_or_two_bytes(d, Q2_GHUD_BITS, GHU_EXTRAF);
        if (!(bits & GHU_BLANK))
            read_element(d, bits);
        qs_close(d);
    }
    qs_u8(d, Q2_GHUD_INDEX);
    qs_label(d, ": %u elements", count);
}

/* --- Other messages --- */

void q2_read_userstatistic(struct qs_decoder *d)
{
    qs_label_text(d, ": ", qs_text(d, Q2_USERSTATISTIC_NAME), "");
    qs_i32(d, Q2_USERSTATISTIC_VALUE);
}

void q2_read_cvarsync(struct qs_decoder *d)
{
    const uint8_t count = qs_u8(d, Q2_CVARSYNC_COUNT);

    qs_label(d, ": %u variables", count);
    for (unsigned i = 0; i < count && !d->in.overrun; i++) {
        qs_open(d, Q2_CVARSYNC);
        qs_label_text(d, ": ", qs_text(d, Q2_CVARSYNC_NAME), "");
        qs_label_text(d, " = ", qs_text(d, Q2_CVARSYNC_VALUE), "");
        qs_close(d);
    }
}

void q2_read_clc_cvarsync(struct qs_decoder *d)
{
    qs_label(d, " %u", qs_u8(d, Q2_CVARSYNC_INDEX));
    qs_label_text(d, ": ", qs_text(d, Q2_CVARSYNC_VALUE), "");
}

void q2_read_aqtion_player(struct qs_decoder *d)
{
    const uint8_t bits = qs_u8(d, Q2_PLAYER_AQTION_BITS);

    if (bits & AQPS_PMFLAGS)
        qs_u8(d, Q2_PLAYER_AQTION_PM_FLAGS);
    if (bits & AQPS_TIMESTAMP)
        qs_u16(d, Q2_PLAYER_AQTION_TIMESTAMP);
    if (bits & AQPS_LEGHITS)
        qs_u8(d, Q2_PLAYER_AQTION_LEG_HITS);
}
