/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/quake2/encode.h"

/* The bit if the member differs. With a constant size memcmp() is a few instructions. */
#define CHANGED(bit, name) (memcmp(&from->name, &to->name, sizeof to->name) ? (bit) : 0u)

static void put_colors(struct q2_writer *out, unsigned bits, const uint8_t color[4])
{
    for (unsigned i = 0; i < 4; i++)
        if (bits >> i & 1)
            q2_put_u8(out, color[i]);
}

static void put_blend(struct q2_writer *out, const struct q2_variant *variant,
                      const struct q2_player *from, const struct q2_player *to)
{
    unsigned bits = 0;

    if (!variant->extensions2) {
        put_colors(out, 15, to->blend);
        return;
    }
    for (unsigned i = 0; i < 4; i++) {
        bits |= (unsigned)(to->blend[i] != from->blend[i]) << i;
        bits |= (unsigned)(to->damage_blend[i] != from->damage_blend[i]) << (4 + i);
    }
    q2_put_u8(out, (uint8_t)bits);
    put_colors(out, bits, to->blend);
    put_colors(out, bits >> 4, to->damage_blend);
}

/* Source: Q2PRO, msg.c MSG_WriteFog. */
static void put_fog(struct q2_writer *out, const struct q2_variant *variant,
                    const struct q2_fog *from, const struct q2_fog *to)
{
    unsigned bits = 0;

#define FOG(encoding, bit, member, row) bits |= CHANGED(bit, member);
#include "common/quake2/player_fields.def"
    q2_put_u8(out, (uint8_t)bits);
#define PUT_FOG_COLOR(member) q2_put_bytes(out, to->member, sizeof to->member)
#define PUT_FOG_SHARE(member) q2_put_u16(out, to->member)
#define PUT_FOG_DISTANCE(member) q2_put_coordinate(out, variant, 0, to->member)
#define FOG(encoding, bit, member, row)                                                            \
    if (bits & (bit))                                                                              \
        PUT_FOG_##encoding(member);
#include "common/quake2/player_fields.def"
}

/* Returns the mask of changed statistics. In most frames none changes. */
static uint64_t stat_bits(const int16_t *from, const int16_t *to, unsigned count)
{
    uint64_t bits = 0;

    if (memcmp(from, to, count * sizeof from[0]) == 0)
        return 0;
    for (unsigned i = 0; i < count; i++)
        if (to[i] != from[i])
            bits |= UINT64_C(1) << i;
    return bits;
}

static void put_stats(struct q2_writer *out, const struct q2_variant *variant,
                      const struct q2_player *from, const struct q2_player *to)
{
    const unsigned count = variant->extensions2 ? Q2_STATS_EXTENDED : Q2_STATS;
    const uint64_t bits = stat_bits(from->stats, to->stats, count);

    if (variant->extensions2) {
        uint64_t mask = bits;

        for (; mask > 0x7f; mask >>= 7)
            q2_put_u8(out, (uint8_t)(mask | 0x80));
        q2_put_u8(out, (uint8_t)mask);
    } else {
        q2_put_u32(out, (uint32_t)bits);
    }
    for (unsigned i = 0; i < count && bits >> i; i++)
        if (bits >> i & 1)
            q2_put_u16(out, (uint16_t)to->stats[i]);
}

/* clang-format off */
#define PUT_U8(member) q2_put_u8(out, to->member)
#define PUT_I16(member) q2_put_u16(out, (uint16_t)to->member)
#define PUT_WORD(member) q2_put_number(out, to->member, v->extensions2 ? 2 : 1)
#define PUT_VECTOR(member) q2_put_vector(out, v, from->member, to->member)
#define PUT_ANGLES(member) q2_put_angles(out, to->member)
#define PUT_ANGLES3 PUT_ANGLES
#define PUT_SIXTEENTHS(member) q2_put_bytes(out, to->member, sizeof to->member)
#define PUT_COLORS PUT_SIXTEENTHS
#define PUT_KICK PUT_SIXTEENTHS
#define PUT_GUN_OFFSET PUT_SIXTEENTHS
#define PUT_GUN_ANGLES PUT_SIXTEENTHS
#define PUT_GUN_FRAME PUT_U8
#define PUT_GUN(member)                                                                            \
    q2_put_number(out, (uint32_t)(to->member | to->gunskin << GUN_WORD_SKIN_SHIFT),                \
                  v->extensions ? 2 : 1)
#define PUT_BLEND(member) put_blend(out, v, from, to)
#define PUT_FOG(member) put_fog(out, v, &from->member, &to->member)
#define PUT_STATS(member) put_stats(out, v, from, to)
#define PUT_CLIENT PUT_I16
/* clang-format on */

void q2_put_player(struct q2_writer *out, const struct q2_variant *v, const struct q2_player *from,
                   const struct q2_player *to)
{
    uint32_t bits = 0;

#define FIELD(encoding, when, bit, extra, mvd, mvd_extra, member, row)                             \
    if (when)                                                                                      \
        bits |= CHANGED((uint32_t)(bit) | (extra), member);
#define PART(when, bit, member)                                                                    \
    if (when)                                                                                      \
        bits |= CHANGED(bit, member);
#include "common/quake2/player_fields.def"
    if (bits & (EPS_GUNOFFSET | EPS_GUNANGLES))
        bits |= PS_WEAPONFRAME;
    if (bits >> 16 & UINT8_MAX)
        bits |= PS_MOREBITS;
    bits = q2_with_implied_bits(bits);
    q2_put_u8(out, SVC_PLAYERINFO);
    q2_put_u16(out, (uint16_t)bits);
    if (bits & PS_MOREBITS)
        q2_put_u8(out, (uint8_t)(bits >> 16));
#define FIELD(encoding, when, bit, extra, mvd, mvd_extra, member, row)                             \
    if (bits & ((uint32_t)(bit) | (extra)) && (when)) {                                            \
        PUT_##encoding(member);                                                                    \
    }
#include "common/quake2/player_fields.def"
}
