/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/quake2/encode.h"

#include "common/quake2/session.h"

enum {
    ROOM = 1024, /* bytes reserved at once; an entity, with what precedes it, needs half */
    NO_DELTA = -1,
    SHORT_SAFE = 0x7fff /* highest value whose two bytes are the same with and without a sign */
};

/* Reserves space after the bytes that were written. */
static void make_room(struct q2_writer *out, guint written)
{
    g_byte_array_set_size(out->array, written + ROOM);
    out->at = out->array->data + written;
    out->end = out->at + ROOM;
}

/* --- Entities */

static uint8_t angle_byte(int16_t angle)
{
    return (uint8_t)((uint16_t)angle >> 8);
}

/*
 * Converts a solid to the variant. A solid of 32 bits is a box in units: radius, depth and height
 * in 8, 8 and 16 bits; one of 16 bits has steps of 8 units. In both, 0 is no solid and 31 a brush
 * model. Source: PROTOCOL.md, section 8.
 */
static uint32_t solid_of(const struct q2_variant *v, uint32_t solid)
{
    int radius, down, up;

    if (v->long_solid || solid <= UINT16_MAX)
        return solid;
    radius = (int)(solid & 255) / 8;
    down = (int)(solid >> 8 & 255) / 8;
    up = ((int)(solid >> 16) - 32768 + 32) / 8;
    return (uint32_t)(CLAMP(up, 1, 63) << 10 | CLAMP(down, 1, 31) << 5 | CLAMP(radius, 1, 31));
}

/* Returns the mask bits for a number of one, two or four bytes. */
static uint64_t size_bits(const struct q2_variant *variant, uint32_t value, uint64_t bit8,
                          uint64_t bit16)
{
    if (value <= UINT8_MAX)
        return bit8;
    return value <= (variant->extensions ? UINT16_MAX : SHORT_SAFE) ? bit16 : bit8 | bit16;
}

/*
 * True if the old origin must be sent. Otherwise receivers set it to the origin of `from`. Beams
 * end at their old origin; a variant that does not keep it for them sends it in each frame. Source:
 * Q2PRO, msg.c MSG_WriteDeltaEntity.
 */
static bool needs_old_origin(const struct q2_variant *variant, const struct q2_entity *from,
                             const struct q2_entity *to, bool is_new)
{
    if ((is_new || to->renderfx & RF_FRAMELERP) &&
        memcmp(to->old_origin, from->origin, sizeof to->old_origin) != 0)
        return true;
    return to->renderfx & RF_BEAM &&
           (!variant->beam_origin ||
            memcmp(to->old_origin, from->old_origin, sizeof to->old_origin) != 0);
}

static void put_sound(struct q2_writer *out, const struct q2_variant *variant,
                      const struct q2_entity *from, const struct q2_entity *to)
{
    const bool volume = to->sound_volume != from->sound_volume;
    const bool attenuation = to->sound_attenuation != from->sound_attenuation;

    if (!variant->extensions) {
        q2_put_u8(out, (uint8_t)to->sound);
        return;
    }
    q2_put_u16(out, (uint16_t)(to->sound | (volume ? SOUND_WORD_VOLUME : 0) |
                               (attenuation ? SOUND_WORD_ATTENUATION : 0)));
    if (volume)
        q2_put_u8(out, to->sound_volume);
    if (attenuation)
        q2_put_u8(out, to->sound_attenuation);
}

static void put_entity_mask(struct q2_writer *out, uint64_t bits, uint16_t number)
{
    if (out->end - out->at < ROOM / 2)
        make_room(out, (guint)(out->at - out->array->data));
    if (number > UINT8_MAX)
        bits |= U_NUMBER16;
    for (unsigned i = 4; i--;) /* the top bit of a byte announces the next one */
        if (bits >> (8 * (i + 1)))
            bits |= (uint64_t)U_MOREBITS1 << 8 * i;
    for (unsigned i = 0; i < 5; i++) {
        q2_put_u8(out, (uint8_t)(bits >> 8 * i));
        if (!(bits >> 8 * i & U_MOREBITS1))
            break;
    }
    q2_put_number(out, number, bits & U_NUMBER16 ? 2 : 1);
}

/* clang-format off */
#define DIFF_U8(bit, bit16, member) (to->member != from->member ? (bit) : 0)
#define DIFF_SHARE DIFF_U8
#define DIFF_SIXTEENTHS DIFF_U8
#define DIFF_MODEL DIFF_U8
#define DIFF_COORDINATE DIFF_U8
#define DIFF_SOUND DIFF_U8
#define DIFF_EVENT(bit, bit16, member) (to->member ? (bit) : 0) /* an event lasts for one frame */
#define DIFF_FRAME(bit8, bit16, member)                                                            \
    (to->member == from->member ? 0 : to->member <= UINT8_MAX ? (bit8) : (bit16))
#define DIFF_SIZED(bit8, bit16, member)                                                            \
    (to->member != from->member ? size_bits(v, to->member, bit8, bit16) : 0)
#define DIFF_SKIN DIFF_SIZED
#define DIFF_ANGLE(bit, bit16, member)                                                             \
    (wide_angles ? DIFF_U8(bit, 0, member)                                                         \
                 : angle_byte(to->member) != angle_byte(from->member) ? (bit) : 0)
#define DIFF_POSITION(bit, bit16, member) (needs_old_origin(v, from, to, is_new) ? (bit) : 0)
#define DIFF_COORDINATES DIFF_POSITION
#define DIFF_SOLID(bit, bit16, member)                                                             \
    (to->member != from->member && solid_of(v, to->member) != solid_of(v, from->member) ? (bit) : 0)

#define PUT_U8(bit, bit16, member) q2_put_u8(out, to->member)
#define PUT_SHARE PUT_U8
#define PUT_SIXTEENTHS PUT_U8
#define PUT_EVENT PUT_U8
#define PUT_SIZED(bit8, bit16, member)                                                             \
    q2_put_number(out, to->member, q2_number_size(bits, bit8, bit16))
#define PUT_SKIN PUT_SIZED
#define PUT_FRAME PUT_SIZED
#define PUT_MODEL(bit, bit16, member) q2_put_number(out, to->member, bits & U_MODEL16 ? 2 : 1)
#define PUT_COORDINATE(bit, bit16, member) q2_put_coordinate(out, v, from->member, to->member)
#define PUT_ANGLE(bit, bit16, member)                                                              \
    if (bits & U_ANGLE16)                                                                          \
        q2_put_u16(out, (uint16_t)to->member);                                                     \
    else                                                                                           \
        q2_put_u8(out, angle_byte(to->member))
#define PUT_POSITION(bit, bit16, member) q2_put_vector(out, v, (const int32_t[3]){0}, to->member)
#define PUT_COORDINATES PUT_POSITION
#define PUT_SOUND(bit, bit16, member) put_sound(out, v, from, to)
#define PUT_SOLID(bit, bit16, member)                                                              \
    q2_put_number(out, solid_of(v, to->member), v->long_solid ? 4 : 2)
/* clang-format on */

static void put_entity(struct q2_writer *out, const struct q2_variant *v,
                       const struct q2_entity *from, const struct q2_entity *to, bool always,
                       bool is_new)
{
    /* Brush models turn too slowly for angles of one byte. */
    const bool wide_angles = v->short_angles && to->solid == Q2_SOLID_BRUSH;
    uint64_t bits = 0;

#define FIELD(encoding, when, bit8, bit16, member, row)                                            \
    if (when)                                                                                      \
        bits |= DIFF_##encoding(bit8, bit16, member);
#define PART(when, bit, member)                                                                    \
    if (when)                                                                                      \
        bits |= DIFF_U8(bit, 0, member);
#include "common/quake2/entity_fields.def"
    if (bits & (U_MODEL | U_MODEL2 | U_MODEL3 | U_MODEL4) && v->extensions &&
        (to->model[0] | to->model[1] | to->model[2] | to->model[3]) > UINT8_MAX)
        bits |= U_MODEL16;
    if (bits & (U_ANGLE1 | U_ANGLE2 | U_ANGLE3) && wide_angles)
        bits |= U_ANGLE16;
    if (!bits && !always)
        return;
    put_entity_mask(out, bits, to->number);
#define FIELD(encoding, when, bit8, bit16, member, row)                                            \
    if (bits & ((bit8) | (bit16)) && (when)) {                                                     \
        PUT_##encoding(bit8, bit16, member);                                                       \
    }
#include "common/quake2/entity_fields.def"
}

void q2_encode_entity(GByteArray *out, const struct q2_variant *variant,
                      const struct q2_entity *from, const struct q2_entity *to, bool always,
                      bool is_new)
{
    struct q2_writer writer = {.array = out};

    make_room(&writer, out->len);
    put_entity(&writer, variant, from, to, always, is_new);
    out->len = (guint)(writer.at - out->data);
}

/* --- Messages of the sign-on --- */

void q2_encode_text(GByteArray *out, struct qs_view text)
{
    qs_write_view(out, text);
    qs_write_u8(out, 0);
}

void q2_encode_configstring(GByteArray *out, uint16_t index, struct qs_view text)
{
    const uint8_t start[] = {SVC_CONFIGSTRING, (uint8_t)index, (uint8_t)(index >> 8)};

    g_byte_array_append(out, start, sizeof start);
    q2_encode_text(out, text);
}

void q2_encode_baseline(GByteArray *out, const struct q2_variant *variant,
                        const struct q2_entity *baseline)
{
    qs_write_u8(out, SVC_SPAWNBASELINE);
    q2_encode_entity(out, variant, &(struct q2_entity){0}, baseline, true, false);
}

/* --- Frames --- */

/* Counts the entities from `old` and `new` on whose unchanged state both frames share. Stops at
 * beams, whose old origin may have to be sent in each frame. */
static guint count_shared(const struct q2_entities *from, guint old,
                          const struct q2_entities *entities, guint new)
{
    const guint common = MIN(from->len - old, entities->len - new);
    struct q2_shared_entity *const *a, *const *b, *const *end;

    if (!common)
        return 0;
    a = from->shared + old;
    b = entities->shared + new;
    end = a + common;
    while (a < end && *a == *b && !((*b)->state.renderfx & RF_BEAM)) {
        a++;
        b++;
    }
    return (guint)(a - (from->shared + old));
}

/* Returns the entity number at the index; UINT32_MAX after the last. */
static uint32_t number_at(const struct q2_entities *entities, guint index)
{
    return index < entities->len ? q2_entities_at(entities, index)->number : UINT32_MAX;
}

static void put_entities(struct q2_writer *out, const struct q2_frame_style *style,
                         const struct q2_entities *from, const struct q2_entities *entities)
{
    static const struct q2_entity nothing;
    guint old = 0, new = 0;

    while (old < from->len || new < entities->len) {
        const guint shared = count_shared(from, old, entities, new);
        const uint32_t old_number = number_at(from, old += shared);
        const uint32_t number = number_at(entities, new += shared);

        if (old_number < number) {
            put_entity_mask(out, U_REMOVE, (uint16_t)old_number);
        } else if (number != UINT32_MAX) {
            const bool is_new = old_number > number; /* the delta is from its baseline */
            const struct q2_entity *base =
                is_new ? q2_baseline(style->baselines, number) : q2_entities_at(from, old);

            put_entity(out, &style->variant, base ? base : &nothing, q2_entities_at(entities, new),
                       is_new, is_new || number <= style->max_clients);
        }
        old += old_number <= number;
        new += number <= old_number;
    }
    q2_put_u16(out, 0);
}

void q2_encode_frame(GByteArray *array, const struct q2_frame_style *style,
                     const struct q2_frame *from, const struct q2_frame *frame)
{
    static const struct q2_player nobody;
    static const struct q2_entities none;
    struct q2_writer writer = {.array = array}, *out = &writer;

    make_room(out, array->len);
    q2_put_u8(out, SVC_FRAME);
    q2_put_u32(out, (uint32_t)frame->number);
    q2_put_u32(out, (uint32_t)(from ? from->number : NO_DELTA));
    if (style->variant.suppress_byte)
        q2_put_u8(out, frame->suppressed);
    q2_put_u8(out, frame->area_bytes);
    q2_put_bytes(out, frame->areas, frame->area_bytes);
    q2_put_player(out, &style->variant, from ? &from->player : &nobody, &frame->player);
    q2_put_u8(out, SVC_PACKETENTITIES);
    put_entities(out, style, from ? from->entities : &none, frame->entities);
    array->len = (guint)(out->at - array->data);
}
