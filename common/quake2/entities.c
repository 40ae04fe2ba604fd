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
    if (mask.bits & U_NUMBER16)
        mask.number = qs_u16(d, Q2_ENTITY_NUMBER);
    else
        mask.number = qs_u8(d, Q2_ENTITY_NUMBER);
    return mask;
}

const char *q2_emit_name(struct qs_decoder *d, unsigned id, uint32_t at, enum q2_range range,
                         uint32_t number)
{
    const char *name = NULL;

    if (d->fields_wanted)
        name = q2_configstring(q2_session_of(d->session), range, number);
    qs_emit_generated_text(d, id, at, d->in.pos - at, name);
    return name;
}

void q2_emit_player_name(struct qs_decoder *d, unsigned id, uint32_t at, uint32_t player,
                         bool label)
{
    g_autofree char *name =
        d->fields_wanted ? q2_player_name(q2_session_of(d->session), player) : NULL;

    qs_emit_generated_text(d, id, at, d->in.pos - at, name);
    if (name && label)
        qs_label_text(d, " ", qs_view_of(name), "");
}

static uint16_t read_model(struct qs_decoder *d, unsigned id, bool wide)
{
    const uint32_t at = d->in.pos;
    const uint16_t model = wide ? qs_u16(d, id) : qs_u8(d, id);
    const char *name = NULL;

    if (model && model != PLAYER_MODEL) /* the row behind that of a model has its name */
        name = q2_emit_name(d, id + 1, at, Q2_RANGE_MODELS, model);
    if (name)
        qs_label_text(d, " ", qs_view_of(name), "");
    return model;
}

static void read_models(struct qs_decoder *d, uint64_t bits, struct q2_entity *entity)
{
    const bool wide = (q2_variant(d)->extensions || q2_variant(d)->rerelease) && bits & U_MODEL16;

    for (unsigned i = 0; i < 4; i++)
        if (bits & q2_model_bits[i])
            entity->model[i] = read_model(d, Q2_ENTITY_MODEL + 2 * i, wide);
}

/* A number in one, two or (where both bits are set) four bytes. */
static void read_sized(struct qs_decoder *d, unsigned id, uint64_t bits, uint64_t bit8,
                       uint64_t bit16, uint32_t *value)
{
    if ((bits & bit8) && (bits & bit16))
        *value = qs_u32(d, id);
    else if (bits & bit8)
        *value = qs_u8(d, id);
    else if (bits & bit16)
        *value = qs_u16(d, id);
}

/* The rerelease may send 64 bits: the lower half first, and the upper one in its place. */
static void read_effects(struct qs_decoder *d, uint64_t bits, struct q2_entity *entity)
{
    if (q2_variant(d)->rerelease && bits & U_KEX_EFFECTS64) {
        entity->effects = qs_u32(d, Q2_ENTITY_EFFECTS);
        read_sized(d, Q2_ENTITY_MOREFX, bits, U_EFFECTS8, U_EFFECTS16, &entity->morefx);
    } else {
        read_sized(d, Q2_ENTITY_EFFECTS, bits, U_EFFECTS8, U_EFFECTS16, &entity->effects);
    }
}

static void read_looks(struct qs_decoder *d, uint64_t bits, struct q2_entity *entity)
{
    static const uint64_t models = U_MODEL | U_MODEL2 | U_MODEL3 | U_MODEL4,
                          colors = U_SKIN8 | U_SKIN16 | U_EFFECTS8 | U_EFFECTS16 | U_RENDERFX8 |
                                   U_RENDERFX16 | U_KEX_EFFECTS64;
    uint32_t at;

    if (bits & models)
        read_models(d, bits, entity);
    if (bits & U_FRAME8)
        entity->frame = qs_u8(d, Q2_ENTITY_FRAME);
    if (bits & U_FRAME16)
        entity->frame = qs_u16(d, Q2_ENTITY_FRAME);
    if (!(bits & colors)) /* as most often */
        return;
    at = d->in.pos;
    read_sized(d, Q2_ENTITY_SKIN, bits, U_SKIN8, U_SKIN16, &entity->skin);
    /* Player models take their look from the player that the skin's low byte names. */
    if (bits & (U_SKIN8 | U_SKIN16) && entity->model[0] == PLAYER_MODEL)
        q2_emit_player_name(d, Q2_ENTITY_PLAYER, at, entity->skin & 0xff, false);
    read_effects(d, bits, entity);
    read_sized(d, Q2_ENTITY_RENDERFX, bits, U_RENDERFX8, U_RENDERFX16, &entity->renderfx);
}

static int16_t read_angle(struct qs_decoder *d, unsigned id, bool wide)
{
    return wide ? qs_angle16(d, id) : (int16_t)(qs_angle8(d, id) * 256);
}

static void read_location(struct qs_decoder *d, uint64_t bits, struct q2_entity *entity)
{
    const bool wide = q2_variant(d)->short_angles && bits & U_ANGLE16;

    for (unsigned i = 0; i < 3; i++)
        if (bits & q2_origin_bits[i])
            q2_read_stepped_coordinate(d, Q2_ENTITY_ORIGIN_X + i, &entity->origin[i]);
    for (unsigned i = 0; i < 3; i++)
        if (bits & q2_angle_bits[i])
            entity->angles[i] = read_angle(d, Q2_ENTITY_ANGLES_PITCH + i, wide);
    if (bits & U_OLDORIGIN)
        q2_read_position(d, Q2_ENTITY_OLDORIGIN, entity->old_origin);
}

/* Where the size of the box stands in a solid of 16 or 32 bits. Source: PROTOCOL.md, section
 * 8. */
static void read_solid(struct qs_decoder *d, struct q2_entity *entity)
{
    const uint32_t at = d->in.pos;
    const bool wide = q2_variant(d)->long_solid;
    const uint32_t s = wide ? qs_u32(d, Q2_ENTITY_SOLID) : qs_u16(d, Q2_ENTITY_SOLID);
    const uint32_t length = d->in.pos - at;

    entity->solid = s;
    if (!d->fields_wanted || !s || s == Q2_SOLID_BRUSH)
        return;
    qs_emit_generated_int(d, Q2_ENTITY_SOLID_RADIUS, at, length, wide ? s & 255 : 8 * (s & 31));
    qs_emit_generated_int(d, Q2_ENTITY_SOLID_DOWN, at, length,
                          wide ? s >> 8 & 255 : 8 * (s >> 5 & 31));
    qs_emit_generated_int(d, Q2_ENTITY_SOLID_UP, at, length,
                          wide ? (int32_t)(s >> 16) - 32768 : 8 * (int32_t)(s >> 10) - 32);
}

static uint16_t read_extended_sound(struct qs_decoder *d, struct q2_entity *entity)
{
    const uint16_t word = qs_u16(d, Q2_ENTITY_SOUND_WORD);

    if (word & SOUND_WORD_VOLUME)
        entity->sound_volume = qs_scaled_u8(d, Q2_ENTITY_SOUND_VOLUME, 1.0 / 255);
    if (word & SOUND_WORD_ATTENUATION)
        entity->sound_attenuation = qs_scaled_u8(d, Q2_ENTITY_SOUND_ATTENUATION, 1.0 / 64);
    return word & SOUND_WORD_INDEX;
}

void q2_read_entity_sound(struct qs_decoder *d, struct q2_entity *entity)
{
    const uint32_t at = d->in.pos;

    if (q2_variant(d)->extensions || q2_variant(d)->rerelease)
        entity->sound = read_extended_sound(d, entity);
    else
        entity->sound = qs_u8(d, Q2_ENTITY_SOUND);
    if (entity->sound)
        q2_emit_name(d, Q2_ENTITY_SOUND_NAME, at, Q2_RANGE_SOUNDS, entity->sound);
}

void q2_read_entity(struct qs_decoder *d, uint64_t bits, struct q2_entity *entity)
{
    read_looks(d, bits, entity);
    if (q2_variant(d)->rerelease) {
        q2_read_rerelease_entity(d, bits, entity);
        return;
    }
    read_location(d, bits, entity);
    if (bits & U_SOUND)
        q2_read_entity_sound(d, entity);
    if (bits & U_EVENT)
        entity->event = qs_u8(d, Q2_ENTITY_EVENT);
    if (bits & U_SOLID)
        read_solid(d, entity);
    if (q2_variant(d)->extensions) {
        read_sized(d, Q2_ENTITY_MOREFX, bits, U_MOREFX8, U_MOREFX16, &entity->morefx);
        if (bits & U_ALPHA)
            entity->alpha = qs_scaled_u8(d, Q2_ENTITY_ALPHA, 1.0 / 255);
        if (bits & U_SCALE)
            entity->scale = qs_scaled_u8(d, Q2_ENTITY_SCALE, 1.0 / 16);
    }
}

void q2_read_baseline(struct qs_decoder *d, struct q2_entity_mask mask)
{
    struct q2_session *session = q2_session_of(d->session);
    struct q2_entity entity = {.number = mask.number};

    qs_label(d, " #%u", mask.number);
    q2_read_entity(d, mask.bits, &entity);
    if (d->in.overrun)
        return;
    q2_baseline_set(session, &entity);
}
