/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/quake2/encode.h"

/* The bit where a member differs. Its size is known here: comparing it is an instruction or two. */
#define CHANGED(bit, name) (memcmp(&from->name, &to->name, sizeof to->name) ? (bit) : 0u)

static unsigned fog_bits(const struct q2_fog *from, const struct q2_fog *to)
{
    return CHANGED(FOG_BIT_COLOR, color) | CHANGED(FOG_BIT_DENSITY, density) |
           CHANGED(FOG_BIT_DENSITY, sky_factor) | CHANGED(FOG_BIT_HEIGHT_DENSITY, height_density) |
           CHANGED(FOG_BIT_HEIGHT_FALLOFF, height_falloff) |
           CHANGED(FOG_BIT_HEIGHT_START_COLOR, start_color) |
           CHANGED(FOG_BIT_HEIGHT_END_COLOR, end_color) |
           CHANGED(FOG_BIT_HEIGHT_START_DIST, start_dist) |
           CHANGED(FOG_BIT_HEIGHT_END_DIST, end_dist);
}

static unsigned player_bits(const struct q2_variant *variant, const struct q2_player *from,
                            const struct q2_player *to)
{
    unsigned bits = CHANGED(PS_M_TYPE, pm_type) | CHANGED(PS_M_ORIGIN, origin) |
                    CHANGED(PS_M_VELOCITY, velocity) | CHANGED(PS_M_TIME, pm_time) |
                    CHANGED(PS_M_FLAGS, pm_flags) | CHANGED(PS_M_GRAVITY, gravity) |
                    CHANGED(PS_M_DELTA_ANGLES, delta_angles) | CHANGED(PS_VIEWOFFSET, viewoffset) |
                    CHANGED(PS_VIEWANGLES, viewangles) | CHANGED(PS_KICKANGLES, kick_angles) |
                    CHANGED(PS_BLEND, blend) | CHANGED(PS_FOV, fov) | CHANGED(PS_RDFLAGS, rdflags) |
                    CHANGED(PS_WEAPONINDEX, gunindex) | CHANGED(PS_WEAPONINDEX, gunskin) |
                    CHANGED(PS_WEAPONFRAME, gunframe) | CHANGED(PS_WEAPONFRAME, gunoffset) |
                    CHANGED(PS_WEAPONFRAME, gunangles);

    if (variant->extensions2)
        bits |= CHANGED(PS_BLEND, damage_blend);
    if (variant->player_fog && fog_bits(&from->fog, &to->fog))
        bits |= PS_FOG | PS_MOREBITS;
    return bits;
}

static void put_byte_or_word(struct q2_writer *out, const struct q2_variant *variant,
                             uint16_t value)
{
    if (variant->extensions2)
        q2_put_u16(out, value);
    else
        q2_put_u8(out, (uint8_t)value);
}

static void put_movement(struct q2_writer *out, const struct q2_variant *variant, unsigned bits,
                         const struct q2_player *from, const struct q2_player *to)
{
    if (bits & PS_M_TYPE)
        q2_put_u8(out, to->pm_type);
    if (bits & PS_M_ORIGIN)
        q2_put_vector(out, variant, from->origin, to->origin);
    if (bits & PS_M_VELOCITY)
        q2_put_vector(out, variant, from->velocity, to->velocity);
    if (bits & PS_M_TIME)
        put_byte_or_word(out, variant, to->pm_time);
    if (bits & PS_M_FLAGS)
        put_byte_or_word(out, variant, to->pm_flags);
    if (bits & PS_M_GRAVITY)
        q2_put_u16(out, (uint16_t)to->gravity);
    if (bits & PS_M_DELTA_ANGLES)
        q2_put_angles(out, to->delta_angles);
}

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
    const unsigned bits = fog_bits(from, to);

    q2_put_u8(out, (uint8_t)bits);
    if (bits & FOG_BIT_COLOR)
        q2_put_bytes(out, to->color, sizeof to->color);
    if (bits & FOG_BIT_DENSITY) {
        q2_put_u16(out, to->density);
        q2_put_u16(out, to->sky_factor);
    }
    if (bits & FOG_BIT_HEIGHT_DENSITY)
        q2_put_u16(out, to->height_density);
    if (bits & FOG_BIT_HEIGHT_FALLOFF)
        q2_put_u16(out, to->height_falloff);
    if (bits & FOG_BIT_HEIGHT_START_COLOR)
        q2_put_bytes(out, to->start_color, sizeof to->start_color);
    if (bits & FOG_BIT_HEIGHT_END_COLOR)
        q2_put_bytes(out, to->end_color, sizeof to->end_color);
    if (bits & FOG_BIT_HEIGHT_START_DIST)
        q2_put_coordinate(out, variant, 0, to->start_dist);
    if (bits & FOG_BIT_HEIGHT_END_DIST)
        q2_put_coordinate(out, variant, 0, to->end_dist);
}

static void put_view(struct q2_writer *out, const struct q2_variant *variant, unsigned bits,
                     const struct q2_player *from, const struct q2_player *to)
{
    if (bits & PS_VIEWOFFSET)
        q2_put_bytes(out, to->viewoffset, sizeof to->viewoffset);
    if (bits & PS_VIEWANGLES)
        q2_put_angles(out, to->viewangles);
    if (bits & PS_KICKANGLES)
        q2_put_bytes(out, to->kick_angles, sizeof to->kick_angles);
    if (bits & PS_WEAPONINDEX && variant->extensions)
        q2_put_u16(out, (uint16_t)(to->gunindex | to->gunskin << GUN_WORD_SKIN_SHIFT));
    else if (bits & PS_WEAPONINDEX)
        q2_put_u8(out, (uint8_t)to->gunindex);
    if (bits & PS_WEAPONFRAME) {
        q2_put_u8(out, to->gunframe);
        q2_put_bytes(out, to->gunoffset, sizeof to->gunoffset);
        q2_put_bytes(out, to->gunangles, sizeof to->gunangles);
    }
    if (bits & PS_BLEND)
        put_blend(out, variant, from, to);
    if (bits & PS_FOG)
        put_fog(out, variant, &from->fog, &to->fog);
    if (bits & PS_FOV)
        q2_put_u8(out, to->fov);
    if (bits & PS_RDFLAGS)
        q2_put_u8(out, to->rdflags);
}

/* Seven bits a byte, the lowest first; bit 7: another follows. */
static void put_variable_mask(struct q2_writer *out, uint64_t mask)
{
    for (; mask > 0x7f; mask >>= 7)
        q2_put_u8(out, (uint8_t)(mask | 0x80));
    q2_put_u8(out, (uint8_t)mask);
}

/* In most frames none changes. */
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

    if (variant->extensions2)
        put_variable_mask(out, bits);
    else
        q2_put_u32(out, (uint32_t)bits);
    for (unsigned i = 0; i < count && bits >> i; i++)
        if (bits >> i & 1)
            q2_put_u16(out, (uint16_t)to->stats[i]);
}

void q2_put_player(struct q2_writer *out, const struct q2_variant *variant,
                   const struct q2_player *from, const struct q2_player *to)
{
    const unsigned bits = player_bits(variant, from, to);

    q2_put_u8(out, SVC_PLAYERINFO);
    q2_put_u16(out, (uint16_t)bits);
    if (bits & PS_MOREBITS)
        q2_put_u8(out, (uint8_t)(bits >> 16));
    put_movement(out, variant, bits, from, to);
    put_view(out, variant, bits, from, to);
    put_stats(out, variant, from, to);
}
