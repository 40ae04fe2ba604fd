/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/quake2/encode_put.h"

static unsigned movement_bits(const struct q2_player *from, const struct q2_player *to)
{
    unsigned bits = 0;

    if (to->pm_type != from->pm_type)
        bits |= PS_M_TYPE;
    if (!q2_same_position(to->origin, from->origin))
        bits |= PS_M_ORIGIN;
    if (!q2_same_position(to->velocity, from->velocity))
        bits |= PS_M_VELOCITY;
    if (to->pm_time != from->pm_time)
        bits |= PS_M_TIME;
    if (to->pm_flags != from->pm_flags)
        bits |= PS_M_FLAGS;
    if (to->gravity != from->gravity)
        bits |= PS_M_GRAVITY;
    if (memcmp(to->delta_angles, from->delta_angles, sizeof to->delta_angles) != 0)
        bits |= PS_M_DELTA_ANGLES;
    return bits;
}

static bool gun_moved(const struct q2_player *from, const struct q2_player *to)
{
    return to->gunframe != from->gunframe ||
           memcmp(to->gunoffset, from->gunoffset, sizeof to->gunoffset) != 0 ||
           memcmp(to->gunangles, from->gunangles, sizeof to->gunangles) != 0;
}

static bool colour_changed(const uint8_t from[4], const uint8_t to[4])
{
    return memcmp(to, from, 4) != 0;
}

static unsigned fog_bits(const struct q2_fog *from, const struct q2_fog *to)
{
    unsigned bits = 0;

    if (memcmp(to->color, from->color, sizeof to->color) != 0)
        bits |= FOG_BIT_COLOR;
    if (to->density != from->density || to->sky_factor != from->sky_factor)
        bits |= FOG_BIT_DENSITY;
    if (to->height_density != from->height_density)
        bits |= FOG_BIT_HEIGHT_DENSITY;
    if (to->height_falloff != from->height_falloff)
        bits |= FOG_BIT_HEIGHT_FALLOFF;
    if (memcmp(to->start_color, from->start_color, sizeof to->start_color) != 0)
        bits |= FOG_BIT_HEIGHT_START_COLOR;
    if (memcmp(to->end_color, from->end_color, sizeof to->end_color) != 0)
        bits |= FOG_BIT_HEIGHT_END_COLOR;
    if (to->start_dist != from->start_dist)
        bits |= FOG_BIT_HEIGHT_START_DIST;
    if (to->end_dist != from->end_dist)
        bits |= FOG_BIT_HEIGHT_END_DIST;
    return bits;
}

static unsigned view_bits(const struct q2_variant *variant, const struct q2_player *from,
                          const struct q2_player *to)
{
    unsigned bits = 0;

    if (memcmp(to->viewoffset, from->viewoffset, sizeof to->viewoffset) != 0)
        bits |= PS_VIEWOFFSET;
    if (memcmp(to->viewangles, from->viewangles, sizeof to->viewangles) != 0)
        bits |= PS_VIEWANGLES;
    if (memcmp(to->kick_angles, from->kick_angles, sizeof to->kick_angles) != 0)
        bits |= PS_KICKANGLES;
    if (colour_changed(from->blend, to->blend))
        bits |= PS_BLEND;
    if (variant->extensions2 && colour_changed(from->damage_blend, to->damage_blend))
        bits |= PS_BLEND;
    if (variant->player_fog && fog_bits(&from->fog, &to->fog))
        bits |= PS_FOG | PS_MOREBITS;
    if (to->fov != from->fov)
        bits |= PS_FOV;
    if (to->rdflags != from->rdflags)
        bits |= PS_RDFLAGS;
    if (to->gunindex != from->gunindex || to->gunskin != from->gunskin)
        bits |= PS_WEAPONINDEX;
    if (gun_moved(from, to))
        bits |= PS_WEAPONFRAME;
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
        q2_put_quarters(out, to->viewoffset);
    if (bits & PS_VIEWANGLES)
        q2_put_angles(out, to->viewangles);
    if (bits & PS_KICKANGLES)
        q2_put_quarters(out, to->kick_angles);
    if (bits & PS_WEAPONINDEX && variant->extensions)
        q2_put_u16(out, (uint16_t)(to->gunindex | to->gunskin << GUN_WORD_SKIN_SHIFT));
    else if (bits & PS_WEAPONINDEX)
        q2_put_u8(out, (uint8_t)to->gunindex);
    if (bits & PS_WEAPONFRAME) {
        q2_put_u8(out, to->gunframe);
        q2_put_quarters(out, to->gunoffset);
        q2_put_quarters(out, to->gunangles);
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
    const unsigned bits = movement_bits(from, to) | view_bits(variant, from, to);

    q2_put_u8(out, SVC_PLAYERINFO);
    q2_put_u16(out, (uint16_t)bits);
    if (bits & PS_MOREBITS)
        q2_put_u8(out, (uint8_t)(bits >> 16));
    put_movement(out, variant, bits, from, to);
    put_view(out, variant, bits, from, to);
    put_stats(out, variant, from, to);
}
