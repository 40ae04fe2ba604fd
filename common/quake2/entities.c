/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Entity deltas. Source: dm2-format, sections 3.15 and 3.19; extended limits: PROTOCOL.md,
 * section 13. */
#include "common/core/text.h"
#include "common/quake2/decode.h"

enum { PLAYER_MODEL = 255 };

struct q2_entity_mask q2_read_entity_mask(struct qs_decoder *d)
{
    const bool wide = q2_variant(d)->extensions || q2_variant(d)->rerelease;
    const uint32_t at = d->in.pos;
    struct q2_entity_mask mask = {.bits = qs_reader_u8(&d->in)};

    if (mask.bits & U_MOREBITS1) {
        mask.bits |= (uint64_t)qs_reader_u8(&d->in) << 8;
        if (mask.bits & U_MOREBITS2)
            mask.bits |= (uint64_t)qs_reader_u8(&d->in) << 16;
        if (mask.bits & U_MOREBITS3)
            mask.bits |= (uint64_t)qs_reader_u8(&d->in) << 24;
    }
    qs_emit_uint(d, Q2_ENTITY_BITS, at, d->in.pos - at, (uint32_t)mask.bits);
    if (wide && mask.bits & U_MOREBITS4)
        mask.bits |= (uint64_t)qs_u8(d, Q2_ENTITY_BITS5) << 32;
    mask.number = mask.bits & U_NUMBER16 ? qs_u16(d, Q2_ENTITY_NUMBER) : qs_u8(d, Q2_ENTITY_NUMBER);
    return mask;
}

/* --- Encodings of entity_fields.def */

static uint16_t read_model(struct qs_decoder *d, unsigned id, bool wide)
{
    const uint32_t at = d->in.pos;
    const uint16_t model = (uint16_t)q2_read_number(d, id, wide ? 2 : 1);
    const char *name = NULL;

    if (model && model != PLAYER_MODEL) /* the row after a model's has its name */
        name = q2_emit_name(d, id + 1, at, Q2_RANGE_MODELS, model);
    if (name)
        qs_label_text(d, " ", qs_view_of(name), "");
    return model;
}

/* Reads a skin. For a player's model its low byte is the player's number. */
static uint32_t read_skin(struct qs_decoder *d, unsigned size, const struct q2_entity *entity)
{
    const uint32_t at = d->in.pos, skin = q2_read_number(d, Q2_ENTITY_SKIN, size);

    if (entity->model[0] == PLAYER_MODEL)
        q2_emit_player_name(d, Q2_ENTITY_PLAYER, at, skin & 0xff, false);
    return skin;
}

/* True if the entity's coordinates are floats; in protocol 2022 only those of solid entities. */
static bool has_floats(const struct qs_decoder *d, uint16_t number)
{
    const struct q2_session *session = q2_session_of_const(d->session);
    const char *known = qs_table_get(&session->level.solids, number);
    const struct q2_entity *baseline = q2_baseline(session, number);

    if (session->variant.floats)
        return true;
    return known ? known[0] == '1' : baseline && baseline->solid;
}

void q2_rerelease_remove(struct q2_session *session, uint16_t number)
{
    if (session->variant.rerelease)
        qs_table_set(&session->level.solids, number, (struct qs_view){0});
}

static inline void read_coordinate(struct qs_decoder *d, unsigned id, uint16_t number, int32_t *to)
{
    if (q2_variant(d)->rerelease)
        *to = q2_read_plain_coordinate(d, id, has_floats(d, number));
    else
        q2_read_stepped_coordinate(d, id, to);
}

static void read_coordinates(struct qs_decoder *d, unsigned id, uint16_t number, int32_t to[3])
{
    qs_open(d, id);
    for (unsigned i = 0; i < 3; i++)
        read_coordinate(d, id + 1 + i, number, &to[i]);
    qs_close(d);
}

/* Reads an angle. The state does not store the rerelease's angles, which are floats. */
static void read_angle(struct qs_decoder *d, unsigned id, uint64_t bits, int16_t *to)
{
    if (q2_variant(d)->rerelease)
        qs_f32(d, id);
    else if (q2_variant(d)->short_angles && bits & U_ANGLE16)
        *to = qs_angle16(d, id);
    else
        *to = (int16_t)(qs_angle8(d, id) * 256);
}

/* Reads a solid and shows the size of its box. Source: PROTOCOL.md, section 8. */
static uint32_t read_solid(struct qs_decoder *d, uint16_t number)
{
    const uint32_t at = d->in.pos;
    const bool wide = q2_variant(d)->long_solid;
    const uint32_t s = q2_read_number(d, Q2_ENTITY_SOLID, wide ? 4 : 2);
    const uint32_t length = d->in.pos - at;

    if (q2_variant(d)->rerelease && !d->in.overrun) {
        qs_table_set(&q2_session_of(d->session)->level.solids, number, qs_view_of(s ? "1" : "0"));
    } else if (d->fields_wanted && s && s != Q2_SOLID_BRUSH) {
        qs_emit_generated_int(d, Q2_ENTITY_SOLID_RADIUS, at, length, wide ? s & 255 : 8 * (s & 31));
        qs_emit_generated_int(d, Q2_ENTITY_SOLID_DOWN, at, length,
                              wide ? s >> 8 & 255 : 8 * (s >> 5 & 31));
        qs_emit_generated_int(d, Q2_ENTITY_SOLID_UP, at, length,
                              wide ? (int32_t)(s >> 16) - 32768 : 8 * (int32_t)(s >> 10) - 32);
    }
    return s;
}

static void read_sound(struct qs_decoder *d, struct q2_entity *entity)
{
    const bool wide = q2_variant(d)->extensions || q2_variant(d)->rerelease;
    const uint32_t at = d->in.pos;
    const uint16_t word = wide ? qs_u16(d, Q2_ENTITY_SOUND_WORD) : qs_u8(d, Q2_ENTITY_SOUND);

    if (word & SOUND_WORD_VOLUME)
        entity->sound_volume = qs_scaled_u8(d, Q2_ENTITY_SOUND_VOLUME, 1.0 / 255);
    if (word & SOUND_WORD_ATTENUATION)
        entity->sound_attenuation = qs_scaled_u8(d, Q2_ENTITY_SOUND_ATTENUATION, 1.0 / 64);
    entity->sound = word & SOUND_WORD_INDEX;
    if (entity->sound)
        q2_emit_name(d, Q2_ENTITY_SOUND_NAME, at, Q2_RANGE_SOUNDS, entity->sound);
}

/* clang-format off */
#define READ_U8(bit, bit16, member, id) entity->member = qs_u8(d, id)
#define READ_SHARE(bit, bit16, member, id) entity->member = qs_scaled_u8(d, id, 1.0 / 255)
#define READ_SIXTEENTHS(bit, bit16, member, id) entity->member = qs_scaled_u8(d, id, 1.0 / 16)
#define READ_SIZED(bit8, bit16, member, id)                                                        \
    entity->member = q2_read_number(d, id, q2_number_size(bits, bit8, bit16))
#define READ_SKIN(bit8, bit16, member, id)                                                         \
    entity->member = read_skin(d, q2_number_size(bits, bit8, bit16), entity)
#define READ_FRAME(bit8, bit16, member, id)                                                        \
    entity->member = bits & (bit8) ? qs_u8(d, id) : entity->member;                                \
    entity->member = bits & (bit16) ? qs_u16(d, id) : entity->member
#define READ_MODEL(bit, bit16, member, id)                                                         \
    entity->member = read_model(d, id, (v->extensions || v->rerelease) && bits & U_MODEL16)
#define READ_COORDINATE(bit, bit16, member, id)                                                    \
    read_coordinate(d, id, entity->number, &entity->member)
#define READ_COORDINATES(bit, bit16, member, id)                                                   \
    read_coordinates(d, id, entity->number, entity->member)
#define READ_POSITION(bit, bit16, member, id) q2_read_position(d, id, entity->member)
#define READ_ANGLE(bit, bit16, member, id) read_angle(d, id, bits, &entity->member)
#define READ_SOUND(bit, bit16, member, id) read_sound(d, entity)
#define READ_EVENT READ_U8
#define READ_SOLID(bit, bit16, member, id) entity->member = read_solid(d, entity->number)
#define SKIP_U8(id) qs_u8(d, id)
#define SKIP_U16(id) qs_u16(d, id)
/* clang-format on */

void q2_read_entity(struct qs_decoder *d, uint64_t bits, struct q2_entity *entity)
{
    const struct q2_variant *v = q2_variant(d);

#define FIELD(encoding, when, bit8, bit16, member, row)                                            \
    if ((when) && bits & ((bit8) | (bit16))) {                                                     \
        READ_##encoding(bit8, bit16, member, row);                                                 \
    }
#define READ_ONLY(encoding, when, bit, row)                                                        \
    if ((when) && bits & (bit))                                                                    \
        SKIP_##encoding(row);
#include "common/quake2/entity_fields.def"
}

void q2_read_baseline(struct qs_decoder *d, struct q2_entity_mask mask)
{
    struct q2_entity entity = {.number = mask.number};

    qs_label(d, " #%u", mask.number);
    q2_read_entity(d, mask.bits, &entity);
    if (!d->in.overrun)
        q2_baseline_set(q2_session_of(d->session), &entity);
}
