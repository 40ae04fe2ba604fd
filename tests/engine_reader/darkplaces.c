/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * svc_entities of DarkPlaces' protocols: cl_ents.c EntityFrame_CL_ReadFrame and
 * EntityState_ReadFields, cl_ents4.c EntityFrame4_CL_ReadFrame, cl_ents5.c
 * EntityFrame5_CL_ReadFrame and EntityState5_ReadUpdate.
 */
#include "tests/engine_reader/message.h"

enum { DP1 = 96, DP2 = 97, DP4 = 3501, DP7 = 3504, REMOVED = 0x8000, LOW_PRECISION = 16 };

/* --- From DP5 on --- */

static void take_animation(struct reading *r)
{
    const uint32_t type = take_byte(r);

    if (type == 0) {
        skip(r, 4);
    } else if (type <= 3) {
        skip(r, 5 * (type + 1));
    } else if (type == 4) {
        skip(r, 2);
        skip(r, 14 * take_byte(r));
    } else {
        r->bad = true;
    }
}

static void take_update5(struct reading *r)
{
    const uint32_t bits = take_bits(r);

    skip(r, bits >> 8 & 1);
    skip(r, bits & 1 << 1 ? (bits & 1 << 11 ? 12 : 6) : 0);
    skip(r, bits & 1 << 2 ? (bits & 1 << 12 ? 6 : 3) : 0);
    skip(r, bits & 1 << 3 ? (bits & 1 << 13 ? 2 : 1) : 0);
    skip(r, bits & 1 << 4 ? (bits & 1 << 21 ? 2 : 1) : 0);
    skip(r, bits >> 5 & 1);
    skip(r, bits & 1 << 6 ? (bits & 1 << 20 ? 4 : bits & 1 << 19 ? 2 : 1) : 0);
    skip(r, (bits >> 9 & 1) + (bits >> 10 & 1) + (bits >> 14 & 1));
    skip(r, (bits & 1 << 16 ? 3 : 0) + (bits & 1 << 17 ? 10 : 0) + (bits & 1 << 18 ? 2 : 0));
    skip(r, (bits & 1 << 22 ? 3 : 0) + (bits & 1 << 24 ? 3 : 0));
    if (bits & 1 << 25)
        take_animation(r);
    skip(r, bits & 1 << 26 ? 2 : 0);
}

static void take_frame5(struct reading *r)
{
    skip(r, 4); /* the frame's number */
    skip(r, r->version >= DP7 ? 4 : 0);
    while (!r->bad) {
        const uint32_t word = take_word(r);

        if (word == REMOVED)
            return;
        if (!(word & REMOVED))
            take_update5(r);
    }
}

/* --- Up to DP4 --- */

/* The flag comes only when it changes. */
static void take_flags(struct reading *r, uint32_t number)
{
    const uint32_t flags = take_byte(r), before = r->coarse->len;

    if (number >= before) {
        g_byte_array_set_size(r->coarse, number + 1);
        memset(r->coarse->data + before, 0, number + 1 - before);
    }
    r->coarse->data[number] = flags & LOW_PRECISION;
}

static void take_fields(struct reading *r, uint32_t number)
{
    const uint32_t bits = take_bits(r);
    const bool late = r->version == DP2;
    bool coarse = late;

    if (bits & 1 << 14 && !late)
        take_flags(r, number);
    coarse |= number < r->coarse->len && r->coarse->data[number];
    skip(r, __builtin_popcount(bits & 7) * (coarse ? 2 : 4));
    skip(r, __builtin_popcount(bits & 0x38));
    skip(r, __builtin_popcount(bits & 0x001f3f40));
    if (bits & 1 << 14 && late)
        take_flags(r, number);
    skip(r, (bits & 1 << 27 ? 3 : 0) + (bits & 1 << 21 ? 8 : 0));
    skip(r, (bits >> 28 & 1) + (bits >> 22 & 1));
}

static void take_changes(struct reading *r, uint32_t end)
{
    while (!r->bad) {
        const uint32_t word = take_word(r), number = word & 0x7fff;

        if (word == end)
            return;
        if (!(word & REMOVED))
            take_fields(r, number);
        else if (number < r->coarse->len)
            r->coarse->data[number] = 0;
    }
}

void take_darkplaces_entities(struct reading *r)
{
    if (r->version == DP4) {
        skip(r, 4 + 4 + 2);
        take_changes(r, REMOVED);
        skip(r, 2);
    } else if (r->version >= DP1 && r->version < DP4 &&
               (r->version <= DP2 || r->version == DP4 - 1)) {
        skip(r, 4 + 4 + 12);
        take_changes(r, 0xffff);
    } else {
        take_frame5(r);
    }
}
