/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/quake2/encode.h"

#include <string.h>

enum {
    /* Values up to here are the same to readers that take two bytes with or without a sign. */
    SHORT_SAFE = 0x7fff,
    NO_DELTA = -1
};

void q2_encode_u8(GByteArray *out, uint8_t value)
{
    g_byte_array_append(out, &value, 1);
}

void q2_encode_u16(GByteArray *out, uint16_t value)
{
    q2_encode_u8(out, (uint8_t)value);
    q2_encode_u8(out, (uint8_t)(value >> 8));
}

void q2_encode_u32(GByteArray *out, uint32_t value)
{
    q2_encode_u16(out, (uint16_t)value);
    q2_encode_u16(out, (uint16_t)(value >> 16));
}

void q2_encode_text(GByteArray *out, struct qs_view text)
{
    if (text.size)
        g_byte_array_append(out, text.data, text.size);
    q2_encode_u8(out, 0);
}

static void put_position(GByteArray *out, const int32_t position[3])
{
    for (unsigned i = 0; i < 3; i++)
        q2_encode_u16(out, (uint16_t)position[i]);
}

static void put_angles(GByteArray *out, const int16_t angles[3])
{
    for (unsigned i = 0; i < 3; i++)
        q2_encode_u16(out, (uint16_t)angles[i]);
}

static void put_quarters(GByteArray *out, const int8_t quarters[3])
{
    for (unsigned i = 0; i < 3; i++)
        q2_encode_u8(out, (uint8_t)quarters[i]);
}

/* --- Entities */

static uint8_t angle_byte(int16_t angle)
{
    return (uint8_t)((uint16_t)angle >> 8);
}

/*
 * A solid of 32 bits is a box in units: radius, depth and height in 8, 8 and 16 bits; one of 16
 * bits in steps of 8 units. Both say 0 for nothing and 31 for a brush model. Source: facts,
 * section 6.
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

/* The bits for a number that may take one, two or four bytes. */
static uint64_t size_bits(uint32_t value, uint64_t bit8, uint64_t bit16)
{
    if (value <= UINT8_MAX)
        return bit8;
    return value <= SHORT_SAFE ? bit16 : bit8 | bit16;
}

static uint64_t place_bits(const struct q2_entity *from, const struct q2_entity *to)
{
    static const uint64_t origins[] = {U_ORIGIN1, U_ORIGIN2, U_ORIGIN3};
    static const uint64_t angles[] = {U_ANGLE1, U_ANGLE2, U_ANGLE3};
    uint64_t bits = 0;

    for (unsigned i = 0; i < 3; i++) {
        if (to->origin[i] != from->origin[i])
            bits |= origins[i];
        if (angle_byte(to->angles[i]) != angle_byte(from->angles[i]))
            bits |= angles[i];
    }
    return bits;
}

static uint64_t look_bits(const struct q2_entity *from, const struct q2_entity *to)
{
    static const uint64_t models[] = {U_MODEL, U_MODEL2, U_MODEL3, U_MODEL4};
    uint64_t bits = 0;

    for (unsigned i = 0; i < 4; i++)
        if (to->model[i] != from->model[i])
            bits |= models[i];
    if (to->frame != from->frame)
        bits |= to->frame <= UINT8_MAX ? U_FRAME8 : U_FRAME16;
    if (to->skin != from->skin)
        bits |= size_bits(to->skin, U_SKIN8, U_SKIN16);
    if (to->effects != from->effects)
        bits |= size_bits(to->effects, U_EFFECTS8, U_EFFECTS16);
    if (to->renderfx != from->renderfx)
        bits |= size_bits(to->renderfx, U_RENDERFX8, U_RENDERFX16);
    return bits;
}

static uint64_t entity_bits(const struct q2_entity *from, const struct q2_entity *to, bool is_new)
{
    uint64_t bits = place_bits(from, to) | look_bits(from, to);

    if (to->sound != from->sound)
        bits |= U_SOUND;
    if (short_solid(to->solid) != short_solid(from->solid))
        bits |= U_SOLID;
    if (to->event)
        bits |= U_EVENT; /* events last one frame: they are not compared */
    if (is_new || to->renderfx & RF_BEAM)
        bits |= U_OLDORIGIN;
    return bits;
}

static void put_mask(GByteArray *out, uint64_t bits, uint16_t number)
{
    if (number > UINT8_MAX)
        bits |= U_NUMBER16;
    if (bits & 0xff000000)
        bits |= U_MOREBITS3 | U_MOREBITS2 | U_MOREBITS1;
    else if (bits & 0x00ff0000)
        bits |= U_MOREBITS2 | U_MOREBITS1;
    else if (bits & 0x0000ff00)
        bits |= U_MOREBITS1;
    q2_encode_u8(out, (uint8_t)bits);
    if (bits & U_MOREBITS1)
        q2_encode_u8(out, (uint8_t)(bits >> 8));
    if (bits & U_MOREBITS2)
        q2_encode_u8(out, (uint8_t)(bits >> 16));
    if (bits & U_MOREBITS3)
        q2_encode_u8(out, (uint8_t)(bits >> 24));
    if (bits & U_NUMBER16)
        q2_encode_u16(out, number);
    else
        q2_encode_u8(out, (uint8_t)number);
}

static void put_sized(GByteArray *out, uint64_t bits, uint64_t bit8, uint64_t bit16, uint32_t value)
{
    if ((bits & bit8) && (bits & bit16))
        q2_encode_u32(out, value);
    else if (bits & bit8)
        q2_encode_u8(out, (uint8_t)value);
    else if (bits & bit16)
        q2_encode_u16(out, (uint16_t)value);
}

static void put_looks(GByteArray *out, uint64_t bits, const struct q2_entity *to)
{
    static const uint64_t models[] = {U_MODEL, U_MODEL2, U_MODEL3, U_MODEL4};

    for (unsigned i = 0; i < 4; i++)
        if (bits & models[i])
            q2_encode_u8(out, (uint8_t)to->model[i]);
    put_sized(out, bits, U_FRAME8, U_FRAME16, to->frame);
    put_sized(out, bits, U_SKIN8, U_SKIN16, to->skin);
    put_sized(out, bits, U_EFFECTS8, U_EFFECTS16, to->effects);
    put_sized(out, bits, U_RENDERFX8, U_RENDERFX16, to->renderfx);
}

static void put_place(GByteArray *out, uint64_t bits, const struct q2_entity *to)
{
    if (bits & U_ORIGIN1)
        q2_encode_u16(out, (uint16_t)to->origin[0]);
    if (bits & U_ORIGIN2)
        q2_encode_u16(out, (uint16_t)to->origin[1]);
    if (bits & U_ORIGIN3)
        q2_encode_u16(out, (uint16_t)to->origin[2]);
    if (bits & U_ANGLE1)
        q2_encode_u8(out, angle_byte(to->angles[0]));
    if (bits & U_ANGLE2)
        q2_encode_u8(out, angle_byte(to->angles[1]));
    if (bits & U_ANGLE3)
        q2_encode_u8(out, angle_byte(to->angles[2]));
    if (bits & U_OLDORIGIN)
        put_position(out, to->old_origin);
}

void q2_encode_entity(GByteArray *out, const struct q2_entity *from, const struct q2_entity *to,
                      bool always, bool is_new)
{
    const uint64_t bits = entity_bits(from, to, is_new);

    if (!bits && !always)
        return;
    put_mask(out, bits, to->number);
    put_looks(out, bits, to);
    put_place(out, bits, to);
    if (bits & U_SOUND)
        q2_encode_u8(out, (uint8_t)to->sound);
    if (bits & U_EVENT)
        q2_encode_u8(out, to->event);
    if (bits & U_SOLID)
        q2_encode_u16(out, short_solid(to->solid));
}

void q2_encode_baseline(GByteArray *out, const struct q2_entity *baseline)
{
    const struct q2_entity nothing = {0};

    q2_encode_u8(out, SVC_SPAWNBASELINE);
    q2_encode_entity(out, &nothing, baseline, true, true);
}

/* --- The player */

static unsigned movement_bits(const struct q2_player *from, const struct q2_player *to)
{
    unsigned bits = 0;

    if (to->pm_type != from->pm_type)
        bits |= PS_M_TYPE;
    if (memcmp(to->origin, from->origin, sizeof to->origin) != 0)
        bits |= PS_M_ORIGIN;
    if (memcmp(to->velocity, from->velocity, sizeof to->velocity) != 0)
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

static unsigned view_bits(const struct q2_player *from, const struct q2_player *to)
{
    unsigned bits = 0;

    if (memcmp(to->viewoffset, from->viewoffset, sizeof to->viewoffset) != 0)
        bits |= PS_VIEWOFFSET;
    if (memcmp(to->viewangles, from->viewangles, sizeof to->viewangles) != 0)
        bits |= PS_VIEWANGLES;
    if (memcmp(to->kick_angles, from->kick_angles, sizeof to->kick_angles) != 0)
        bits |= PS_KICKANGLES;
    if (memcmp(to->blend, from->blend, sizeof to->blend) != 0)
        bits |= PS_BLEND;
    if (to->fov != from->fov)
        bits |= PS_FOV;
    if (to->rdflags != from->rdflags)
        bits |= PS_RDFLAGS;
    if (to->gunindex != from->gunindex)
        bits |= PS_WEAPONINDEX;
    if (gun_moved(from, to))
        bits |= PS_WEAPONFRAME;
    return bits;
}

static void put_movement(GByteArray *out, unsigned bits, const struct q2_player *to)
{
    if (bits & PS_M_TYPE)
        q2_encode_u8(out, to->pm_type);
    if (bits & PS_M_ORIGIN)
        put_position(out, to->origin);
    if (bits & PS_M_VELOCITY)
        put_position(out, to->velocity);
    if (bits & PS_M_TIME)
        q2_encode_u8(out, (uint8_t)to->pm_time);
    if (bits & PS_M_FLAGS)
        q2_encode_u8(out, (uint8_t)to->pm_flags);
    if (bits & PS_M_GRAVITY)
        q2_encode_u16(out, (uint16_t)to->gravity);
    if (bits & PS_M_DELTA_ANGLES)
        put_angles(out, to->delta_angles);
}

static void put_view(GByteArray *out, unsigned bits, const struct q2_player *to)
{
    if (bits & PS_VIEWOFFSET)
        put_quarters(out, to->viewoffset);
    if (bits & PS_VIEWANGLES)
        put_angles(out, to->viewangles);
    if (bits & PS_KICKANGLES)
        put_quarters(out, to->kick_angles);
    if (bits & PS_WEAPONINDEX)
        q2_encode_u8(out, (uint8_t)to->gunindex);
    if (bits & PS_WEAPONFRAME) {
        q2_encode_u8(out, to->gunframe);
        put_quarters(out, to->gunoffset);
        put_quarters(out, to->gunangles);
    }
    if (bits & PS_BLEND)
        g_byte_array_append(out, to->blend, sizeof to->blend);
    if (bits & PS_FOV)
        q2_encode_u8(out, to->fov);
    if (bits & PS_RDFLAGS)
        q2_encode_u8(out, to->rdflags);
}

static void put_stats(GByteArray *out, const struct q2_player *from, const struct q2_player *to)
{
    uint32_t bits = 0;

    for (unsigned i = 0; i < Q2_STATS; i++)
        if (to->stats[i] != from->stats[i])
            bits |= UINT32_C(1) << i;
    q2_encode_u32(out, bits);
    for (unsigned i = 0; i < Q2_STATS; i++)
        if (bits >> i & 1)
            q2_encode_u16(out, (uint16_t)to->stats[i]);
}

static void put_player(GByteArray *out, const struct q2_player *from, const struct q2_player *to)
{
    const unsigned bits = movement_bits(from, to) | view_bits(from, to);

    q2_encode_u8(out, SVC_PLAYERINFO);
    q2_encode_u16(out, (uint16_t)bits);
    put_movement(out, bits, to);
    put_view(out, bits, to);
    put_stats(out, from, to);
}

/* --- The frame */

static const struct q2_entity *entity_at(const struct q2_frame *frame, guint index)
{
    if (!frame || index >= frame->entities->len)
        return NULL;
    return &g_array_index(frame->entities, struct q2_entity, index);
}

/* An entity that the frame before lacks starts from its baseline. */
static void put_new_entity(GByteArray *out, const struct q2_frame_style *style,
                           const struct q2_entity *entity)
{
    const struct q2_entity nothing = {0};
    const struct q2_entity *baseline = q2_tracker_baseline_of(style->baselines, entity->number);

    q2_encode_entity(out, baseline ? baseline : &nothing, entity, true, true);
}

static void put_entities(GByteArray *out, const struct q2_frame_style *style,
                         const struct q2_frame *from, const struct q2_frame *frame)
{
    guint old_index = 0, new_index = 0;

    for (;;) {
        const struct q2_entity *old = entity_at(from, old_index);
        const struct q2_entity *new = entity_at(frame, new_index);

        if (!old && !new)
            break;
        if (old && (!new || old->number < new->number)) {
            put_mask(out, U_REMOVE, old->number);
            old_index++;
        } else if (old && old->number == new->number) {
            q2_encode_entity(out, old, new, false, new->number <= style->max_clients);
            old_index++;
            new_index++;
        } else {
            put_new_entity(out, style, new);
            new_index++;
        }
    }
    q2_encode_u16(out, 0);
}

void q2_encode_frame(GByteArray *out, const struct q2_frame_style *style,
                     const struct q2_frame *from, const struct q2_frame *frame)
{
    const struct q2_player nobody = {0};

    q2_encode_u8(out, SVC_FRAME);
    q2_encode_u32(out, (uint32_t)frame->number);
    q2_encode_u32(out, (uint32_t)(from ? from->number : NO_DELTA));
    if (style->suppress_byte)
        q2_encode_u8(out, frame->suppressed);
    q2_encode_u8(out, frame->area_bytes);
    g_byte_array_append(out, frame->areas, frame->area_bytes);
    put_player(out, from ? &from->player : &nobody, &frame->player);
    q2_encode_u8(out, SVC_PACKETENTITIES);
    put_entities(out, style, from, frame);
}
