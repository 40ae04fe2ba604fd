/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/quake2/encode.h"

#include <string.h>

enum {
    /* Values up to here are the same to readers that take two bytes with or without a sign. */
    SHORT_SAFE = 0x7fff,
    STEP_MAX = 0x3fff, /* of a variable coordinate in two bytes, down to -STEP_MAX - 1 */
    NO_DELTA = -1,
    ROOM = 4096 /* that a writer makes at once */
};

/* Writes at the end of an array, which is longer than what was written until end_writing(). It
 * keeps its room, as in array.h. */
struct writer {
    uint8_t *at, *end;
    GByteArray *array;
};

/* Seldom: it stays out of the way of what is put for each value. */
G_GNUC_NO_INLINE static void make_room(struct writer *out, guint written)
{
    g_byte_array_set_size(out->array, written + ROOM);
    out->at = out->array->data + written;
    out->end = out->at + ROOM;
}

static struct writer begin_writing(GByteArray *array)
{
    struct writer out = {.array = array};

    make_room(&out, array->len);
    return out;
}

static void end_writing(const struct writer *out)
{
    out->array->len = (guint)(out->at - out->array->data);
}

static inline void put_u8(struct writer *out, uint8_t value)
{
    if (out->at == out->end)
        make_room(out, (guint)(out->at - out->array->data));
    *out->at++ = value;
}

static inline void put_u16(struct writer *out, uint16_t value)
{
    put_u8(out, (uint8_t)value);
    put_u8(out, (uint8_t)(value >> 8));
}

static inline void put_u32(struct writer *out, uint32_t value)
{
    put_u16(out, (uint16_t)value);
    put_u16(out, (uint16_t)(value >> 16));
}

static void put_bytes(struct writer *out, const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        put_u8(out, bytes[i]);
}

void q2_encode_u8(GByteArray *out, uint8_t value)
{
    g_byte_array_append(out, &value, 1);
}

void q2_encode_u16(GByteArray *out, uint16_t value)
{
    const uint16_t bytes = GUINT16_TO_LE(value);

    g_byte_array_append(out, (const uint8_t *)&bytes, sizeof bytes);
}

void q2_encode_u32(GByteArray *out, uint32_t value)
{
    const uint32_t bytes = GUINT32_TO_LE(value);

    g_byte_array_append(out, (const uint8_t *)&bytes, sizeof bytes);
}

void q2_encode_configstring(GByteArray *out, uint16_t index, struct qs_view text)
{
    enum { HEAD = 3 };
    const guint at = out->len;

    g_byte_array_set_size(out, at + HEAD + text.size + 1);
    out->data[at] = SVC_CONFIGSTRING;
    out->data[at + 1] = (uint8_t)index;
    out->data[at + 2] = (uint8_t)(index >> 8);
    if (text.size)
        memcpy(out->data + at + HEAD, text.data, text.size);
    out->data[at + HEAD + text.size] = 0;
}

void q2_encode_text(GByteArray *out, struct qs_view text)
{
    if (text.size)
        g_byte_array_append(out, text.data, text.size);
    q2_encode_u8(out, 0);
}

/* In 16 bits; with variable coordinates as a step from `from`, or in 23 bits where that is too far.
 */
static void put_coordinate(struct writer *out, const struct q2_dialect *dialect, int32_t from,
                           int32_t to)
{
    const int32_t step = to - from;

    if (!dialect->extensions2) {
        put_u16(out, (uint16_t)to);
    } else if (step >= -STEP_MAX - 1 && step <= STEP_MAX) {
        put_u16(out, (uint16_t)((uint32_t)step << 1));
    } else {
        put_u16(out, (uint16_t)((uint32_t)to << 1 | 1));
        put_u8(out, (uint8_t)((uint32_t)to >> 15));
    }
}

static void put_vector(struct writer *out, const struct q2_dialect *dialect, const int32_t from[3],
                       const int32_t to[3])
{
    for (unsigned i = 0; i < 3; i++)
        put_coordinate(out, dialect, from[i], to[i]);
}

static void put_position(struct writer *out, const struct q2_dialect *dialect,
                         const int32_t position[3])
{
    static const int32_t nowhere[3];

    put_vector(out, dialect, nowhere, position);
}

static void put_angles(struct writer *out, const int16_t angles[3])
{
    for (unsigned i = 0; i < 3; i++)
        put_u16(out, (uint16_t)angles[i]);
}

static void put_quarters(struct writer *out, const int8_t quarters[3])
{
    for (unsigned i = 0; i < 3; i++)
        put_u8(out, (uint8_t)quarters[i]);
}

/* --- Entities */

static const uint64_t model_bits[] = {U_MODEL, U_MODEL2, U_MODEL3, U_MODEL4};
static const uint64_t origin_bits[] = {U_ORIGIN1, U_ORIGIN2, U_ORIGIN3};
static const uint64_t angle_bits[] = {U_ANGLE1, U_ANGLE2, U_ANGLE3};

static uint8_t angle_byte(int16_t angle)
{
    return (uint8_t)((uint16_t)angle >> 8);
}

/*
 * A solid of 32 bits is a box in units: radius, depth and height in 8, 8 and 16 bits; one of 16
 * bits in steps of 8 units. 0 is nothing and 31 a brush model in both. Source:
 * PROTOCOL.md, section 8.
 */
static uint16_t short_solid(uint32_t solid)
{
    int radius, down, up;

    if (solid <= UINT16_MAX)
        return (uint16_t)solid;
    radius = (int)(solid & 255) / 8;
    down = (int)(solid >> 8 & 255) / 8;
    up = ((int)(solid >> 16) - 32768 + 32) / 8;
    return (uint16_t)(CLAMP(up, 1, 63) << 10 | CLAMP(down, 1, 31) << 5 | CLAMP(radius, 1, 31));
}

static uint32_t solid_of(const struct q2_dialect *dialect, const struct q2_entity *entity)
{
    return dialect->long_solid ? entity->solid : short_solid(entity->solid);
}

/* The bits for a number that may take one, two or four bytes. */
static uint64_t size_bits(const struct q2_dialect *dialect, uint32_t value, uint64_t bit8,
                          uint64_t bit16)
{
    if (value <= UINT8_MAX)
        return bit8;
    return value <= (dialect->extensions ? UINT16_MAX : SHORT_SAFE) ? bit16 : bit8 | bit16;
}

static uint64_t model_index_bits(const struct q2_dialect *dialect, const struct q2_entity *from,
                                 const struct q2_entity *to)
{
    uint64_t bits = 0;
    unsigned indices = 0;

    for (unsigned i = 0; i < 4; i++) {
        if (to->model[i] != from->model[i])
            bits |= model_bits[i];
        indices |= to->model[i];
    }
    if (bits && dialect->extensions && indices > UINT8_MAX)
        bits |= U_MODEL16;
    return bits;
}

static uint64_t look_bits(const struct q2_dialect *dialect, const struct q2_entity *from,
                          const struct q2_entity *to)
{
    uint64_t bits = model_index_bits(dialect, from, to);

    if (to->frame != from->frame)
        bits |= to->frame <= UINT8_MAX ? U_FRAME8 : U_FRAME16;
    if (to->skin != from->skin)
        bits |= size_bits(dialect, to->skin, U_SKIN8, U_SKIN16);
    if (to->effects != from->effects)
        bits |= size_bits(dialect, to->effects, U_EFFECTS8, U_EFFECTS16);
    if (to->renderfx != from->renderfx)
        bits |= size_bits(dialect, to->renderfx, U_RENDERFX8, U_RENDERFX16);
    return bits;
}

/* Brush models turn too slowly for angles of one byte. */
static bool has_short_angles(const struct q2_dialect *dialect, const struct q2_entity *entity)
{
    return dialect->short_angles && entity->solid == Q2_SOLID_BRUSH;
}

static uint64_t turn_bits(const struct q2_dialect *dialect, const struct q2_entity *from,
                          const struct q2_entity *to)
{
    const bool wide = has_short_angles(dialect, to);
    uint64_t bits = 0;

    for (unsigned i = 0; i < 3; i++)
        if (wide ? to->angles[i] != from->angles[i]
                 : angle_byte(to->angles[i]) != angle_byte(from->angles[i]))
            bits |= angle_bits[i];
    return bits && wide ? bits | U_ANGLE16 : bits;
}

static bool same_position(const int32_t a[3], const int32_t b[3])
{
    return memcmp(a, b, 3 * sizeof a[0]) == 0;
}

/*
 * A receiver takes the origin of `from` for the old origin. Beams end there, and have theirs sent
 * always where their dialect does not keep it. Source: Q2PRO, msg.c MSG_WriteDeltaEntity.
 */
static bool needs_old_origin(const struct q2_dialect *dialect, const struct q2_entity *from,
                             const struct q2_entity *to, bool is_new)
{
    if ((is_new || to->renderfx & RF_FRAMELERP) && !same_position(to->old_origin, from->origin))
        return true;
    return to->renderfx & RF_BEAM &&
           (!dialect->beam_origin || !same_position(to->old_origin, from->old_origin));
}

static uint64_t location_bits(const struct q2_dialect *dialect, const struct q2_entity *from,
                              const struct q2_entity *to, bool is_new)
{
    uint64_t bits = turn_bits(dialect, from, to);

    for (unsigned i = 0; i < 3; i++)
        if (to->origin[i] != from->origin[i])
            bits |= origin_bits[i];
    return needs_old_origin(dialect, from, to, is_new) ? bits | U_OLDORIGIN : bits;
}

/* Fields that only extended limits have. */
static uint64_t extension_bits(const struct q2_dialect *dialect, const struct q2_entity *from,
                               const struct q2_entity *to)
{
    uint64_t bits = 0;

    if (!dialect->extensions)
        return 0;
    if (to->sound_volume != from->sound_volume || to->sound_attenuation != from->sound_attenuation)
        bits |= U_SOUND;
    if (to->morefx != from->morefx)
        bits |= size_bits(dialect, to->morefx, U_MOREFX8, U_MOREFX16);
    if (to->alpha != from->alpha)
        bits |= U_ALPHA;
    if (to->scale != from->scale)
        bits |= U_SCALE;
    return bits;
}

static uint64_t entity_bits(const struct q2_dialect *dialect, const struct q2_entity *from,
                            const struct q2_entity *to, bool is_new)
{
    uint64_t bits = look_bits(dialect, from, to) | location_bits(dialect, from, to, is_new) |
                    extension_bits(dialect, from, to);

    if (to->sound != from->sound)
        bits |= U_SOUND;
    if (solid_of(dialect, to) != solid_of(dialect, from))
        bits |= U_SOLID;
    if (to->event)
        bits |= U_EVENT; /* events last one frame: they are not compared */
    return bits;
}

static uint64_t with_more_bits(uint64_t bits)
{
    if (bits >> 32)
        bits |= U_MOREBITS4;
    if (bits >> 24)
        bits |= U_MOREBITS3;
    if (bits >> 16)
        bits |= U_MOREBITS2;
    if (bits >> 8)
        bits |= U_MOREBITS1;
    return bits;
}

static void put_mask(struct writer *out, uint64_t bits, uint16_t number)
{
    bits = with_more_bits(number > UINT8_MAX ? bits | U_NUMBER16 : bits);
    put_u8(out, (uint8_t)bits);
    if (bits & U_MOREBITS1)
        put_u8(out, (uint8_t)(bits >> 8));
    if (bits & U_MOREBITS2)
        put_u8(out, (uint8_t)(bits >> 16));
    if (bits & U_MOREBITS3)
        put_u8(out, (uint8_t)(bits >> 24));
    if (bits & U_MOREBITS4)
        put_u8(out, (uint8_t)(bits >> 32));
    if (bits & U_NUMBER16)
        put_u16(out, number);
    else
        put_u8(out, (uint8_t)number);
}

static void put_sized(struct writer *out, uint64_t bits, uint64_t bit8, uint64_t bit16,
                      uint32_t value)
{
    if ((bits & bit8) && (bits & bit16))
        put_u32(out, value);
    else if (bits & bit8)
        put_u8(out, (uint8_t)value);
    else if (bits & bit16)
        put_u16(out, (uint16_t)value);
}

static void put_looks(struct writer *out, uint64_t bits, const struct q2_entity *to)
{
    for (unsigned i = 0; i < 4; i++)
        if (bits & model_bits[i] && bits & U_MODEL16)
            put_u16(out, to->model[i]);
        else if (bits & model_bits[i])
            put_u8(out, (uint8_t)to->model[i]);
    put_sized(out, bits, U_FRAME8, U_FRAME16, to->frame);
    put_sized(out, bits, U_SKIN8, U_SKIN16, to->skin);
    put_sized(out, bits, U_EFFECTS8, U_EFFECTS16, to->effects);
    put_sized(out, bits, U_RENDERFX8, U_RENDERFX16, to->renderfx);
}

static void put_location(struct writer *out, const struct q2_dialect *dialect, uint64_t bits,
                         const struct q2_entity *from, const struct q2_entity *to)
{
    for (unsigned i = 0; i < 3; i++)
        if (bits & origin_bits[i])
            put_coordinate(out, dialect, from->origin[i], to->origin[i]);
    for (unsigned i = 0; i < 3; i++)
        if (bits & angle_bits[i] && bits & U_ANGLE16)
            put_u16(out, (uint16_t)to->angles[i]);
        else if (bits & angle_bits[i])
            put_u8(out, angle_byte(to->angles[i]));
    if (bits & U_OLDORIGIN)
        put_position(out, dialect, to->old_origin);
}

static void put_sound(struct writer *out, const struct q2_dialect *dialect,
                      const struct q2_entity *from, const struct q2_entity *to)
{
    const bool volume = to->sound_volume != from->sound_volume;
    const bool attenuation = to->sound_attenuation != from->sound_attenuation;

    if (!dialect->extensions) {
        put_u8(out, (uint8_t)to->sound);
        return;
    }
    put_u16(out, (uint16_t)(to->sound | (volume ? SOUND_WORD_VOLUME : 0) |
                            (attenuation ? SOUND_WORD_ATTENUATION : 0)));
    if (volume)
        put_u8(out, to->sound_volume);
    if (attenuation)
        put_u8(out, to->sound_attenuation);
}

static void put_extensions(struct writer *out, uint64_t bits, const struct q2_entity *to)
{
    put_sized(out, bits, U_MOREFX8, U_MOREFX16, to->morefx);
    if (bits & U_ALPHA)
        put_u8(out, to->alpha);
    if (bits & U_SCALE)
        put_u8(out, to->scale);
}

static void put_entity(struct writer *out, const struct q2_dialect *dialect,
                       const struct q2_entity *from, const struct q2_entity *to, bool always,
                       bool is_new)
{
    const uint64_t bits = entity_bits(dialect, from, to, is_new);

    if (!bits && !always)
        return;
    put_mask(out, bits, to->number);
    put_looks(out, bits, to);
    put_location(out, dialect, bits, from, to);
    if (bits & U_SOUND)
        put_sound(out, dialect, from, to);
    if (bits & U_EVENT)
        put_u8(out, to->event);
    if (bits & U_SOLID && dialect->long_solid)
        put_u32(out, to->solid);
    else if (bits & U_SOLID)
        put_u16(out, short_solid(to->solid));
    put_extensions(out, bits, to);
}

void q2_encode_entity(GByteArray *out, const struct q2_dialect *dialect,
                      const struct q2_entity *from, const struct q2_entity *to, bool always,
                      bool is_new)
{
    struct writer writer = begin_writing(out);

    put_entity(&writer, dialect, from, to, always, is_new);
    end_writing(&writer);
}

void q2_encode_baseline(GByteArray *out, const struct q2_dialect *dialect,
                        const struct q2_entity *baseline)
{
    const struct q2_entity nothing = {0};

    q2_encode_u8(out, SVC_SPAWNBASELINE);
    q2_encode_entity(out, dialect, &nothing, baseline, true, false);
}

/* --- The player */

static unsigned movement_bits(const struct q2_player *from, const struct q2_player *to)
{
    unsigned bits = 0;

    if (to->pm_type != from->pm_type)
        bits |= PS_M_TYPE;
    if (!same_position(to->origin, from->origin))
        bits |= PS_M_ORIGIN;
    if (!same_position(to->velocity, from->velocity))
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

static unsigned view_bits(const struct q2_dialect *dialect, const struct q2_player *from,
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
    if (dialect->extensions2 && colour_changed(from->damage_blend, to->damage_blend))
        bits |= PS_BLEND;
    if (dialect->player_fog && fog_bits(&from->fog, &to->fog))
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

static void put_byte_or_word(struct writer *out, const struct q2_dialect *dialect, uint16_t value)
{
    if (dialect->extensions2)
        put_u16(out, value);
    else
        put_u8(out, (uint8_t)value);
}

static void put_movement(struct writer *out, const struct q2_dialect *dialect, unsigned bits,
                         const struct q2_player *from, const struct q2_player *to)
{
    if (bits & PS_M_TYPE)
        put_u8(out, to->pm_type);
    if (bits & PS_M_ORIGIN)
        put_vector(out, dialect, from->origin, to->origin);
    if (bits & PS_M_VELOCITY)
        put_vector(out, dialect, from->velocity, to->velocity);
    if (bits & PS_M_TIME)
        put_byte_or_word(out, dialect, to->pm_time);
    if (bits & PS_M_FLAGS)
        put_byte_or_word(out, dialect, to->pm_flags);
    if (bits & PS_M_GRAVITY)
        put_u16(out, (uint16_t)to->gravity);
    if (bits & PS_M_DELTA_ANGLES)
        put_angles(out, to->delta_angles);
}

static void put_gun_index(struct writer *out, const struct q2_dialect *dialect,
                          const struct q2_player *to)
{
    if (dialect->extensions)
        put_u16(out, (uint16_t)(to->gunindex | to->gunskin << GUN_WORD_SKIN_SHIFT));
    else
        put_u8(out, (uint8_t)to->gunindex);
}

static void put_gun(struct writer *out, const struct q2_dialect *dialect, unsigned bits,
                    const struct q2_player *to)
{
    if (bits & PS_WEAPONINDEX)
        put_gun_index(out, dialect, to);
    if (bits & PS_WEAPONFRAME) {
        put_u8(out, to->gunframe);
        put_quarters(out, to->gunoffset);
        put_quarters(out, to->gunangles);
    }
}

static void put_colours(struct writer *out, unsigned bits, const uint8_t colour[4])
{
    for (unsigned i = 0; i < 4; i++)
        if (bits >> i & 1)
            put_u8(out, colour[i]);
}

static void put_blend(struct writer *out, const struct q2_dialect *dialect,
                      const struct q2_player *from, const struct q2_player *to)
{
    unsigned bits = 0;

    if (!dialect->extensions2) {
        put_colours(out, 15, to->blend);
        return;
    }
    for (unsigned i = 0; i < 4; i++) {
        bits |= (unsigned)(to->blend[i] != from->blend[i]) << i;
        bits |= (unsigned)(to->damage_blend[i] != from->damage_blend[i]) << (4 + i);
    }
    put_u8(out, (uint8_t)bits);
    put_colours(out, bits, to->blend);
    put_colours(out, bits >> 4, to->damage_blend);
}

/* Source: Q2PRO, msg.c MSG_WriteFog. */
static void put_fog(struct writer *out, const struct q2_dialect *dialect, const struct q2_fog *from,
                    const struct q2_fog *to)
{
    const unsigned bits = fog_bits(from, to);

    put_u8(out, (uint8_t)bits);
    if (bits & FOG_BIT_COLOR)
        put_bytes(out, to->color, sizeof to->color);
    if (bits & FOG_BIT_DENSITY) {
        put_u16(out, to->density);
        put_u16(out, to->sky_factor);
    }
    if (bits & FOG_BIT_HEIGHT_DENSITY)
        put_u16(out, to->height_density);
    if (bits & FOG_BIT_HEIGHT_FALLOFF)
        put_u16(out, to->height_falloff);
    if (bits & FOG_BIT_HEIGHT_START_COLOR)
        put_bytes(out, to->start_color, sizeof to->start_color);
    if (bits & FOG_BIT_HEIGHT_END_COLOR)
        put_bytes(out, to->end_color, sizeof to->end_color);
    if (bits & FOG_BIT_HEIGHT_START_DIST)
        put_coordinate(out, dialect, 0, to->start_dist);
    if (bits & FOG_BIT_HEIGHT_END_DIST)
        put_coordinate(out, dialect, 0, to->end_dist);
}

static void put_view(struct writer *out, const struct q2_dialect *dialect, unsigned bits,
                     const struct q2_player *from, const struct q2_player *to)
{
    if (bits & PS_VIEWOFFSET)
        put_quarters(out, to->viewoffset);
    if (bits & PS_VIEWANGLES)
        put_angles(out, to->viewangles);
    if (bits & PS_KICKANGLES)
        put_quarters(out, to->kick_angles);
    put_gun(out, dialect, bits, to);
    if (bits & PS_BLEND)
        put_blend(out, dialect, from, to);
    if (bits & PS_FOG)
        put_fog(out, dialect, &from->fog, &to->fog);
    if (bits & PS_FOV)
        put_u8(out, to->fov);
    if (bits & PS_RDFLAGS)
        put_u8(out, to->rdflags);
}

/* Seven bits a byte, the lowest first; bit 7: another follows. */
static void put_variable_mask(struct writer *out, uint64_t mask)
{
    for (; mask > 0x7f; mask >>= 7)
        put_u8(out, (uint8_t)(mask | 0x80));
    put_u8(out, (uint8_t)mask);
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

static void put_stats(struct writer *out, const struct q2_dialect *dialect,
                      const struct q2_player *from, const struct q2_player *to)
{
    const unsigned count = dialect->extensions2 ? Q2_STATS_EXTENDED : Q2_STATS;
    const uint64_t bits = stat_bits(from->stats, to->stats, count);

    if (dialect->extensions2)
        put_variable_mask(out, bits);
    else
        put_u32(out, (uint32_t)bits);
    for (unsigned i = 0; i < count && bits >> i; i++)
        if (bits >> i & 1)
            put_u16(out, (uint16_t)to->stats[i]);
}

static void put_player(struct writer *out, const struct q2_dialect *dialect,
                       const struct q2_player *from, const struct q2_player *to)
{
    const unsigned bits = movement_bits(from, to) | view_bits(dialect, from, to);

    put_u8(out, SVC_PLAYERINFO);
    put_u16(out, (uint16_t)bits);
    if (bits & PS_MOREBITS)
        put_u8(out, (uint8_t)(bits >> 16));
    put_movement(out, dialect, bits, from, to);
    put_view(out, dialect, bits, from, to);
    put_stats(out, dialect, from, to);
}

/* --- The frame */

static inline const struct q2_entity *entity_at(const struct q2_entities *entities, guint index)
{
    return index < entities->len ? q2_entities_at(entities, index) : NULL;
}

/* An entity that the frame before lacks starts from its baseline. */
static void put_new_entity(struct writer *out, const struct q2_frame_style *style,
                           const struct q2_entity *entity)
{
    static const struct q2_entity nothing;
    const struct q2_entity *baseline = q2_tracker_baseline_of(style->baselines, entity->number);

    put_entity(out, &style->dialect, baseline ? baseline : &nothing, entity, true, true);
}

/* Frames share the states of entities that nothing happened to between them. The end of a beam may
 * have to be sent all the same. */
static bool is_shared(const struct q2_entity *old, const struct q2_entity *new)
{
    return new &&old == new && !(new->renderfx &RF_BEAM);
}

static void put_entities(struct writer *out, const struct q2_frame_style *style,
                         const struct q2_entities *from, const struct q2_entities *entities)
{
    guint old_index = 0, new_index = 0;

    while (old_index < from->len || new_index < entities->len) {
        const struct q2_entity *old = entity_at(from, old_index);
        const struct q2_entity *new = entity_at(entities, new_index);

        if (is_shared(old, new)) {
            old_index++;
            new_index++;
        } else if (old && (!new || old->number < new->number)) {
            put_mask(out, U_REMOVE, old->number);
            old_index++;
        } else if (old && old->number == new->number) {
            put_entity(out, &style->dialect, old, new, false, new->number <= style->max_clients);
            old_index++;
            new_index++;
        } else {
            put_new_entity(out, style, new);
            new_index++;
        }
    }
    put_u16(out, 0);
}

static void put_frame(struct writer *out, const struct q2_frame_style *style,
                      const struct q2_frame *from, const struct q2_frame *frame)
{
    static const struct q2_player nobody;
    static const struct q2_entities none;

    put_u8(out, SVC_FRAME);
    put_u32(out, (uint32_t)frame->number);
    put_u32(out, (uint32_t)(from ? from->number : NO_DELTA));
    if (style->dialect.suppress_byte)
        put_u8(out, frame->suppressed);
    put_u8(out, frame->area_bytes);
    put_bytes(out, frame->areas, frame->area_bytes);
    put_player(out, &style->dialect, from ? &from->player : &nobody, &frame->player);
    put_u8(out, SVC_PACKETENTITIES);
    put_entities(out, style, from ? from->entities : &none, frame->entities);
}

void q2_encode_frame(GByteArray *out, const struct q2_frame_style *style,
                     const struct q2_frame *from, const struct q2_frame *frame)
{
    struct writer writer = begin_writing(out);

    put_frame(&writer, style, from, frame);
    end_writing(&writer);
}
