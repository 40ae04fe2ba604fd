/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What QuakeWorld's and Quake's clients with FTE's extensions read: fteqw cl_ents.c CLFTE_ReadDelta
 * and CLFTE_ParseEntities, cl_parse.c, pr_csqc.c CSQC_ParseEntities, snd_dma.c S_Voip_Parse.
 */
#include "tests/engine_reader/message.h"

#define FTE2_REPLACEMENTDELTAS 0x08u
#define FTE2_PREDINFO 0x20u
#define FTE2_NEWSIZEENCODING 0x40u
#define FTE2_LERPTIME 0x400u
#define MVD1_FLOATCOORDS 0x01u

enum {
    KEY_FTE = 0x58455446,
    KEY_FTE2 = 0x32455446,
    KEY_MVD1 = 0x3144564d,
    KEY_VLEN = 0x6e656c76,
    KEY_FRAG = 0x47415246,
    KEY_HUFF = 0x46465548
};

/* --- Numbers --- */

void take_uleb128(struct reading *r)
{
    while (!r->bad && take_byte(r) & 0x80)
        ;
}

uint64_t take_fte_varint(struct reading *r)
{
    uint32_t first = take_byte(r), more = 0;
    uint64_t value;

    while (more < 8 && first & 0x80u >> more)
        more++;
    value = more < 7 ? first & (0x7fu >> more) : 0;
    for (uint32_t i = 0; i < more; i++)
        value = value << 8 | take_byte(r);
    return value;
}

/* --- What was agreed on --- */

static bool next_is_key(const struct reading *r)
{
    uint32_t key = 0;

    for (unsigned i = 0; i < 4 && r->pos + 4 < r->size; i++)
        key |= (uint32_t)r->data[r->pos + i] << 8 * i;
    return key == KEY_FTE || key == KEY_FTE2 || key == KEY_MVD1 || key == KEY_VLEN ||
           key == KEY_FRAG || key == KEY_HUFF;
}

void take_fte_extensions(struct reading *r)
{
    while (!r->bad && next_is_key(r)) {
        const uint32_t key = take_long(r), value = take_long(r);

        if (key == KEY_FTE)
            r->fte = value;
        else if (key == KEY_FTE2)
            r->fte2 = value;
        else if (key == KEY_MVD1)
            r->mvd1 = value;
        else if (key == KEY_VLEN)
            skip(r, take_long(r));
        r->vlen |= key == KEY_VLEN;
    }
}

/* --- Replacement deltas --- */

struct update {
    uint32_t bits;
    bool lerptime, wide, predinfo;
};

/* A number whose width the bits and the extensions choose. */
static void take_number(struct reading *r, const struct update *u, bool can_be_wide)
{
    if (u->lerptime)
        take_uleb128(r);
    else
        skip(r, can_be_wide && u->wide ? 2 : 1);
}

uint32_t take_bits(struct reading *r)
{
    uint32_t bits = take_byte(r);

    for (unsigned shift = 8; shift < 32 && bits & 0x80u << (shift - 8); shift += 8)
        bits |= take_byte(r) << shift;
    return bits;
}

static void take_place(struct reading *r, const struct update *u)
{
    const uint8_t coord = r->mvd1 & MVD1_FLOATCOORDS ? 4 : r->coord_size;
    const uint8_t angle = u->bits & 0x40 && !u->predinfo ? 2 : r->angle_size;

    if (u->bits & 0x02)
        skip(r, 2u * coord);
    if (u->bits & 0x04)
        skip(r, coord);
    if (u->bits & 0x08)
        skip(r, 2u * angle);
    if (u->bits & 0x10)
        skip(r, angle);
}

static void take_effects(struct reading *r, const struct update *u)
{
    const bool low = u->bits & 0x20, high = u->bits & 0x20000000;

    if (u->lerptime && low)
        take_uleb128(r);
    else if (!u->lerptime)
        skip(r, low && high ? 4 : high ? 2 : low ? 1 : 0);
}

static void take_prediction(struct reading *r, const struct update *u)
{
    static const uint8_t sizes[] = {2, 2, 2, 1, 4, 2, 1};
    const uint32_t bits = take_byte(r);

    for (unsigned i = 0; i < G_N_ELEMENTS(sizes); i++)
        if (bits & 1u << i)
            skip(r, sizes[i]);
    if (!(bits & 0x80))
        return;
    if (u->predinfo)
        skip(r, (u->bits & 0x08 ? 4 : 0) + (u->bits & 0x10 ? 2 : 0));
    else if (take_byte(r) & 0x80)
        skip(r, 1);
}

static void take_solid(struct reading *r)
{
    uint32_t encoding;

    if (!(r->fte2 & FTE2_NEWSIZEENCODING)) {
        skip(r, 2);
        return;
    }
    encoding = take_byte(r);
    if (encoding == 16 || encoding == 32)
        skip(r, encoding / 8);
    else if (encoding > 3)
        r->bad = true;
}

static void take_bones(struct reading *r, const struct update *u)
{
    const uint32_t flags = take_byte(r);

    if (flags & 0x80)
        skip(r, 14 * take_byte(r));
    if (flags & 0x40) {
        take_number(r, u, false);
        if (u->lerptime)
            take_uleb128(r);
        else
            skip(r, 2);
    }
    if (flags & 0x3f)
        r->bad = true;
}

static void take_light(struct reading *r, const struct update *u)
{
    skip(r, 8);
    take_number(r, u, false);
    skip(r, 1);
}

static void take_trail(struct reading *r, const struct update *u)
{
    if (u->lerptime) {
        take_uleb128(r);
        take_uleb128(r);
    } else if (take_word(r) & 0x8000) {
        skip(r, 2);
    }
}

static void take_looks(struct reading *r, const struct update *u)
{
    const uint32_t bits = u->bits;

    skip(r, (bits & 0x10000 ? 1 : 0) + (bits & 0x20000 ? 1 : 0));
    if (bits & 0x40000)
        take_bones(r, u);
    if (bits & 0x80000 && (take_byte(r) & 7) >= 6)
        skip(r, 1);
    if (bits & 0x100000) {
        take_shape(r, "e");
        take_number(r, u, false);
    }
    if (bits & 0x200000)
        take_light(r, u);
    if (bits & 0x400000)
        take_trail(r, u);
    skip(r, (bits & 0x1000000 ? 3 : 0) + (bits & 0x2000000 ? 5 : 0) + (bits & 0x4000000 ? 1 : 0));
    if (bits & 0x8000000)
        take_number(r, u, true);
    skip(r, bits & 0x10000000 ? 2 : 0);
}

void take_fte_update(struct reading *r)
{
    struct update u = {.lerptime = r->fte2 & FTE2_LERPTIME, .predinfo = r->fte2 & FTE2_PREDINFO};

    u.bits = take_bits(r);
    u.wide = u.bits & 0x200;
    if (u.bits & (0xc0000000 | (u.lerptime ? 0x20000000 : 0))) {
        r->bad = true;
        return;
    }
    if (u.bits & 0x01)
        take_number(r, &u, true);
    take_place(r, &u);
    if (u.lerptime && u.bits & 0x200)
        take_uleb128(r);
    take_effects(r, &u);
    if (u.bits & 0x40)
        take_prediction(r, &u);
    if (u.bits & 0x400)
        take_number(r, &u, true);
    if (u.bits & 0x800)
        take_number(r, &u, true);
    if (u.bits & 0x1000)
        take_number(r, &u, false);
    if (u.bits & 0x2000)
        take_solid(r);
    if (u.bits & 0x4000)
        take_number(r, &u, false);
    take_looks(r, &u);
}

void take_fte_updates(struct reading *r)
{
    skip(r, 4);
    while (!r->bad) {
        const uint32_t word = take_word(r);

        if (!word)
            return;
        if (word & 0x4000)
            skip(r, 1);
        if (!(word & 0x8000))
            take_fte_update(r);
    }
}

void take_fte_baseline(struct reading *r)
{
    take_shape(r, "e");
    take_fte_update(r);
}

/* --- The others --- */

void take_fte_sound(struct reading *r)
{
    uint32_t mask = take_byte(r);

    if (mask & 0x04)
        mask |= (uint32_t)take_fte_varint(r) << 8;
    skip(r, (mask & 1) + (mask >> 1 & 1) + (mask >> 7 & 1) + (mask & 0x40 ? 2 : 0) +
                (mask & 0x100 ? 6 : 0) + (mask & 0x20 ? 2 : 0));
    take_shape(r, mask & 0x08 ? "eb" : "w");
    take_shape(r, mask & 0x10 ? "wC" : "bC");
}

void take_fte_angle_base(struct reading *r)
{
    const uint32_t flags = take_byte(r);

    skip(r, 2 * ((flags & 1) + (flags >> 1 & 1) + (flags >> 2 & 1)));
}

void take_fte_sized(struct reading *r)
{
    skip(r, take_word(r) & 0x7fff);
}

/* Removals can be read; of updates only where their size is said. */
static void take_mod_entities(struct reading *r, bool sized)
{
    while (!r->bad) {
        const uint32_t word = take_word(r);

        if (r->fte2 & FTE2_REPLACEMENTDELTAS && word & 0x4000)
            skip(r, 1);
        if (!word)
            return;
        if (word & 0x8000)
            continue;
        if (sized)
            skip(r, take_word(r));
        else
            r->bad = true;
    }
}

void take_fte_mod_entities(struct reading *r)
{
    take_mod_entities(r, true);
}

void take_fte_unsized_entities(struct reading *r)
{
    take_mod_entities(r, false);
}

void take_fte_voice(struct reading *r)
{
    skip(r, 3);
    skip(r, take_word(r));
}

/* fteqw cl_parse.c, CL_ParsePortalState. */
void take_portal_state(struct reading *r)
{
    const uint32_t mode = take_byte(r);
    const char *const number = mode & 0x02 ? "w" : "b";

    if (!(mode & 0x80)) {
        skip(r, 1);
        return;
    }
    if (mode & 0x20 || !(mode & 0x40))
        take_shape(r, number);
    if (mode & 0x40)
        take_shapes(r, number, 2);
}

/* --- Temporary entities of Quake and of those that came after it --- */

void take_quake_temp_entity(struct reading *r)
{
    static const char *const shapes[] = {
        [0] = "C",       [1] = "C",       [2] = "C",      [3] = "C",        [4] = "C",
        [5] = "eCC",     [6] = "eCC",     [7] = "C",      [8] = "C",        [9] = "eCC",
        [10] = "C",      [11] = "C",      [12] = "Cbb",   [13] = "eCC",     [14] = "C",
        [15] = "CC",     [16] = "CC",     [17] = "feCC",  [20] = "C",       [21] = "bC",
        [24] = "ebbCC",  [25] = "ebbCC",  [26] = "ebbCC", [27] = "ebbCC",   [28] = "ebbCC",
        [29] = "ebbbCC", [30] = "ebbCC",  [31] = "ebbCC", [32] = "ebbCC",   [50] = "Cbbbb",
        [51] = "Cbbbb",  [52] = "CCcw",   [53] = "Cbbb",  [54] = "CCCwbbc", [55] = "CCCwb",
        [56] = "CCCwb",  [57] = "C",      [58] = "C",     [59] = "C",       [70] = "C",
        [72] = "C",      [73] = "Cbbbbb", [74] = "CCb",   [75] = "C",       [76] = "CCC",
        [77] = "CCb",    [78] = "C",      [79] = "CCb"};
    const uint32_t type = take_byte(r);

    if (type < G_N_ELEMENTS(shapes) && shapes[type])
        take_shape(r, shapes[type]);
    else
        r->bad = true;
}
