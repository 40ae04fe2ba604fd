/* SPDX-License-Identifier: GPL-2.0-or-later */
/* QuakeWorld's players, nails and other entities: ezquake cl_ents.c; fteqw cl_ents.c. */
#include "tests/engine_reader/message.h"

#define FTE_SCALE 0x02u
#define FTE_TRANS 0x08u
#define FTE_FATNESS 0x100u
#define FTE_HULLSIZE 0x800u
#define FTE_ENTITYDBL 0x2000u
#define FTE_COLOURMOD 0x80000u
#define FTE_HEXEN2 0x200000u
#define FTE_SPAWNSTATIC2 0x400000u
#define FTE_DPFLAGS 0x80000000u
#define FTE_MOREFLAGS (FTE_SCALE | FTE_TRANS | FTE_FATNESS | FTE_HULLSIZE)
#define FTE_EVENMORE                                                                               \
    (FTE_SCALE | FTE_TRANS | FTE_FATNESS | FTE_HEXEN2 | FTE_COLOURMOD | FTE_DPFLAGS | 0x7000u)
#define FTE2_REPLACEMENTDELTAS 0x08u
#define MVD1_FLOATCOORDS 0x01u
#define MVD1_WEAPONPREDICTION 0x80u

/* --- Players --- */

static void take_usercmd(struct reading *r)
{
    const uint32_t bits = take_byte(r);

    for (unsigned i = 0; i < 8; i++)
        if (bits & 1u << i)
            skip(r, i == 5 || i == 6 ? 1 : 2);
    skip(r, 1);
}

static void take_server_playerinfo(struct reading *r, uint32_t flags)
{
    skip(r, 1);
    for (unsigned i = 0; i < 3; i++)
        take_shape(r, flags & 1u << i ? "c" : "");
    for (unsigned i = 3; i < 6; i++)
        take_shape(r, flags & 1u << i ? "w" : "");
    take_shape(r, flags & 0x800 ? "m" : "");
    skip(r, (flags >> 7 & 1) + (flags >> 6 & 1) + (flags >> 10 & 1));
}

static void take_weapon_prediction(struct reading *r)
{
    if (take_byte(r))
        skip(r, 1 + 2 + 3 * 4 + 7);
}

static void take_player_looks(struct reading *r, uint32_t flags, uint32_t more)
{
    skip(r, (more & 1 && r->fte & FTE_SCALE ? 1 : 0) + (more & 2 && r->fte & FTE_TRANS ? 1 : 0) +
                (more & 4 && r->fte & FTE_FATNESS ? 1 : 0) +
                (flags & 0x4000 && r->fte & FTE_HULLSIZE ? 1 : 0) +
                (more & 8 && r->fte & FTE_COLOURMOD ? 3 : 0));
}

static void take_client_playerinfo(struct reading *r, uint32_t flags)
{
    const uint32_t more = r->fte & FTE_MOREFLAGS && flags & 0x8000 ? take_byte(r) : 0;

    skip(r, 3u * (r->mvd1 & MVD1_FLOATCOORDS ? 4 : r->coord_size) + 1);
    skip(r, flags & 0x01 ? 1 : 0);
    if (flags & 0x02)
        take_usercmd(r);
    skip(r, (flags & 0x04 ? 2 : 0) + (flags & 0x08 ? 2 : 0) + (flags & 0x10 ? 2 : 0));
    take_shape(r, flags & 0x20 ? "m" : "");
    if (flags & 0x20 && flags & 0x40 && r->pos < r->size && r->data[r->pos] & 0x80 &&
        r->data[r->pos - 1] + 256u > r->models)
        finding(r, "a player's model by its skin");
    skip(r, (flags >> 6 & 1) + (flags >> 7 & 1) + (flags >> 8 & 1));
    if (flags & 0x100 && r->mvd1 & MVD1_WEAPONPREDICTION)
        take_weapon_prediction(r);
    take_player_looks(r, flags, more);
}

void take_qw_playerinfo(struct reading *r)
{
    uint32_t flags;

    take_shape(r, "u");
    flags = take_word(r);
    if (r->mvd)
        take_server_playerinfo(r, flags);
    else
        take_client_playerinfo(r, flags);
}

/* --- Entities --- */

static uint32_t take_more_bits(struct reading *r)
{
    uint32_t bits = take_byte(r);

    if (bits & 0x80 && r->fte & FTE_EVENMORE) {
        bits |= take_byte(r) << 8;
        if (bits & 0x8000)
            bits |= take_byte(r) << 16;
    }
    return bits;
}

static void take_entity_place(struct reading *r, uint32_t word, uint32_t more)
{
    const uint8_t coord = r->mvd1 & MVD1_FLOATCOORDS ? 4 : r->coord_size;

    skip(r, word & 0x0200 ? coord : 0);
    skip(r, more & 0x01 ? r->angle_size : 0);
    skip(r, word & 0x0400 ? coord : 0);
    skip(r, word & 0x1000 ? r->angle_size : 0);
    skip(r, word & 0x0800 ? coord : 0);
    skip(r, more & 0x02 ? r->angle_size : 0);
}

static void take_entity_extras(struct reading *r, uint32_t more)
{
    const uint32_t yet = more >> 16;

    skip(r, (more & 0x100 && r->fte & FTE_SCALE ? 1 : 0) +
                (more & 0x200 && r->fte & FTE_TRANS ? 1 : 0) +
                (more & 0x400 && r->fte & FTE_FATNESS ? 1 : 0));
    if (r->fte & FTE_HEXEN2)
        skip(r, (yet & 1) + (yet >> 1 & 1));
    if (r->fte & FTE_COLOURMOD)
        skip(r, yet & 4 ? 3 : 0);
    skip(r,
         (yet & 8 ? 1 : 0) + (yet & 0x10 ? 4 : 0) + (yet & 0x20 ? 10 : 0) + (yet & 0x40 ? 1 : 0));
}

static void take_delta(struct reading *r, uint32_t word)
{
    uint32_t more = 0;

    if (word & 0x8000 && (!(word & 0x4000) || r->fte & FTE_ENTITYDBL))
        more = take_more_bits(r);
    if (word & 0x4000) {
        /* Players that drop an update read on as if nothing were removed. */
        if (word & 0x3e00 || more & ~0x6080u || (word & 0x8000 && !(r->fte & FTE_ENTITYDBL)))
            finding(r, "a removal %#x that some read as a change", word);
        return;
    }
    if (more & 0x04)
        take_shape(r, more & 0x800 ? "b" : "m");
    else if (more & 0x800)
        skip(r, 2);
    skip(r, (word >> 13 & 1) + (more >> 3 & 1) + (more >> 4 & 1) + (more >> 5 & 1));
    take_entity_place(r, word, more);
    take_entity_extras(r, more);
}

void take_qw_entities(struct reading *r)
{
    uint32_t word;

    r->active = true;
    while (!r->bad && (word = take_word(r)))
        take_delta(r, word);
}

void take_qw_delta_entities(struct reading *r)
{
    skip(r, 1);
    take_qw_entities(r);
}

void take_qw_static(struct reading *r)
{
    if (r->fte2 & FTE2_REPLACEMENTDELTAS)
        take_fte_update(r);
    else if (r->fte & FTE_SPAWNSTATIC2)
        take_delta(r, take_word(r));
    else
        r->bad = true;
}

void take_qw_baseline(struct reading *r)
{
    if (r->fte2 & FTE2_REPLACEMENTDELTAS)
        take_fte_baseline(r);
    else
        take_qw_static(r);
}

void take_qw_nails(struct reading *r)
{
    skip(r, 6 * take_byte(r));
}

void take_qw_nails2(struct reading *r)
{
    skip(r, 7 * take_byte(r));
}

void take_qw_projectiles(struct reading *r)
{
    uint32_t word;

    skip(r, 4);
    while (!r->bad && (word = take_word(r)))
        if (!(word & 0x8000)) {
            const uint32_t flags = take_word(r);

            take_shape(r, flags & 0x0200 ? "llllll" : "");
            take_shape(r, flags & 0x01 ? "A" : "");
            take_shape(r, flags & 0x04 ? "ww" : "");
            take_shape(r, flags & 0x0800 ? "b" : "");
        }
}
