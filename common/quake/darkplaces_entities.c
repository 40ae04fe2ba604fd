/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * svc_entities and svc_csqcentities: DarkPlaces' entities, as changes to earlier frames.
 * Three forms: DP1 to DP3, DP4, and from DP5 on. Each entity has its number, bits for what has
 * changed, and the new values, in an order of their own. Sources: DarkPlaces protocol.h; cl_ents.c,
 * EntityFrame_CL_ReadFrame and EntityState_ReadFields; cl_ents4.c, EntityFrame4_CL_ReadFrame;
 * cl_ents5.c, EntityFrame5_CL_ReadFrame and EntityState5_ReadUpdate; csprogs.c, CSQC_ReadEntities.
 */
#include "common/quake/decode.h"
#include "common/core/findings.h"

/* What scaled bytes count in. */
static const double alpha_unit = 1.0 / 255;
static const double scale_unit = 1.0 / 16;
static const double glow_unit = 4;
static const double tint_unit = 1.0 / 32;
static const double lerp_unit = 1.0 / 255;

/* --- What the forms share --- */

static void name_model(struct qs_decoder *d, uint32_t model, uint32_t at)
{
    qs_emit_name(d, NQ_ENTITY_MODEL_NAME, &nq_session_of(d)->models, model, at, d->in.pos - at);
}

/* Reads what has changed, and fills in the bits and values of `update`, whose number is set. */
typedef void read_changes(struct qs_decoder *d, struct qs_entity_update *update);

/* The next entity: removed, or changed. */
static void read_entity(struct qs_decoder *d, read_changes *read)
{
    struct nq_session *session = nq_session_of(d);
    const uint32_t at = d->in.pos;
    struct qs_entity_update update = {.kind = QS_ENTITY_FRAME};
    uint32_t number;
    uint16_t word;

    qs_open(d, NQ_ENTITY);
    word = qs_u16(d, NQ_ENTITY_WORD);
    number = update.number = word & ENTITY_NUMBER;
    update.removes = word & ENTITY_REMOVE;
    qs_label(d, " %u", number);
    if (number >= 1 && number <= session->maxclients)
        qs_emit_name(d, NQ_ENTITY_PLAYER_NAME, &session->players, number - 1, at, 2);
    if (word & ENTITY_REMOVE) {
        qs_label(d, " removed");
        qs_table_set(&session->coarse, number, (struct qs_view){0});
    } else {
        read(d, &update);
    }
    qs_close(d);
    update.bytes = (struct qs_view){d->in.data + at, d->in.pos - at};
    qs_add_entity(d, &update);
}

/* Entities to the number word that ends them. */
static void read_entities(struct qs_decoder *d, uint16_t end, read_changes *read)
{
    while (qs_reader_left(&d->in) >= 2 && qs_peek_u16(d) != end && !d->stop)
        read_entity(d, read);
    if (!d->stop)
        qs_u16(d, NQ_ENTITIES_END);
}

/* --- DP1 to DP4 --- */

/*
 * Entities for which whole units are enough have these, but in DP2 all. The flag for this comes
 * only when it changes: the session remembers it.
 */
static bool is_coarse(struct qs_decoder *d, uint32_t number)
{
    const struct nq_session *session = nq_session_of(d);

    return nq_darkplaces_version(session) == 2 || qs_table_get(&session->coarse, number);
}

static void read_flags(struct qs_decoder *d, uint32_t number)
{
    static const uint8_t mark[] = {'1'};
    const uint8_t flags = qs_u8(d, NQ_ENTITY_FLAGS);
    const bool coarse = flags & RENDER_LOWPRECISION;

    qs_table_set(&nq_session_of(d)->coarse, number, (struct qs_view){mark, coarse});
}

static void read_position(struct qs_decoder *d, uint32_t bits, struct qs_entity_update *update)
{
    const enum qs_coord_format coords = d->coord_format;
    const enum qs_angle_format angle_format = d->angle_format;
    double angles[3] = {0};

    d->coord_format = is_coarse(d, update->number) ? QS_COORD_WHOLE : QS_COORD_FLOAT32;
    d->angle_format = QS_ANGLE_BYTE;
    for (unsigned axis = 0; axis < 3; axis++) {
        if (!(bits >> axis & E_ORIGIN1))
            continue;
        update->origin[axis] = qs_coord(d, NQ_ENTITY_ORIGIN_X + axis);
        update->has |= (uint8_t)(QS_ENTITY_ORIGIN1 << axis);
    }
    for (unsigned axis = 0; axis < 3; axis++)
        if (bits >> axis & E_ANGLE1)
            angles[axis] = qs_angle(d, NQ_ENTITY_ANGLES_PITCH + axis);
    update->yaw = angles[1];
    update->has |= bits & E_ANGLE1 << 1 ? QS_ENTITY_YAW : 0;
    d->coord_format = coords;
    d->angle_format = angle_format;
}

/* Without its upper byte a number names the model only where no model needs one. */
static void read_model(struct qs_decoder *d, uint32_t bits, struct qs_entity_update *update)
{
    const uint32_t at = d->in.pos;
    uint32_t model = 0;

    if (bits & E_MODEL1)
        model = qs_u8(d, NQ_ENTITY_MODEL);
    if (bits & E_MODEL2)
        model |= (uint32_t)qs_u8(d, NQ_ENTITY_MODEL2) << 8;
    if ((bits & E_MODEL1) &&
        (bits & E_MODEL2 || qs_table_end(&nq_session_of(d)->models) <= UINT8_MAX + 1)) {
        name_model(d, model, at);
        update->model = (uint16_t)model;
        update->has |= QS_ENTITY_MODEL;
    }
}

static const struct nq_optional_byte looks[] = {
    {E_FRAME1, NQ_ENTITY_FRAME, 0},        {E_FRAME2, NQ_ENTITY_FRAME2, 0},
    {E_EFFECTS1, NQ_ENTITY_EFFECTS, 0},    {E_EFFECTS2, NQ_ENTITY_EFFECTS2, 0},
    {E_COLORMAP, NQ_ENTITY_COLORMAP, 0},   {E_SKIN, NQ_ENTITY_SKIN, 0},
    {E_ALPHA, NQ_ENTITY_ALPHA, 1.0 / 255}, {E_SCALE, NQ_ENTITY_SCALE, 1.0 / 16},
    {E_GLOWSIZE, NQ_ENTITY_GLOW_SIZE, 4},  {E_GLOWCOLOR, NQ_ENTITY_GLOW_COLOR, 0},
};

static void read_state(struct qs_decoder *d, struct qs_entity_update *update)
{
    const bool flags_late = nq_darkplaces_version(nq_session_of(d)) == 2;
    const uint32_t bits = fte_read_bits(d, NQ_ENTITY_EBITS);

    if (bits & E_FLAGS && !flags_late)
        read_flags(d, update->number);
    update->bits = bits;
    read_position(d, bits, update);
    read_model(d, bits, update);
    nq_read_optional_bytes(d, bits, looks, G_N_ELEMENTS(looks), 0);
    if (bits & E_FLAGS && flags_late)
        read_flags(d, update->number);
    if (bits & E_TAGATTACHMENT)
        qs_rows(d, NQ_ENTITY_TAG_ENTITY, NQ_ENTITY_TAG_INDEX);
    if (bits & E_LIGHT)
        qs_rows(d, NQ_ENTITY_LIGHT_RED, NQ_ENTITY_LIGHT_RADIUS);
    if (bits & E_LIGHTSTYLE)
        qs_u8(d, NQ_ENTITY_LIGHT_STYLE);
    if (bits & E_LIGHTPFLAGS)
        qs_u8(d, NQ_ENTITY_LIGHT_PFLAGS);
}

static void read_eye(struct qs_decoder *d)
{
    qs_open(d, NQ_ENTITIES_EYE);
    for (unsigned axis = 0; axis < 3; axis++)
        qs_f32(d, NQ_ENTITIES_EYE_X + axis);
    qs_close(d);
}

static void read_frame_number(struct qs_decoder *d)
{
    const int32_t frame = qs_i32(d, NQ_ENTITIES_FRAME);

    qs_label(d, ": frame %d", frame);
    nq_take_frame(d, frame);
}

static void read_frame(struct qs_decoder *d)
{
    qs_i32(d, NQ_ENTITIES_REFERENCE);
    read_frame_number(d);
    read_eye(d);
    read_entities(d, ENTITIES_END_DP1, read_state);
}

static void read_frame4(struct qs_decoder *d)
{
    qs_i32(d, NQ_ENTITIES_REFERENCE);
    read_frame_number(d);
    qs_u16(d, NQ_ENTITIES_FIRST);
    read_entities(d, ENTITIES_END, read_state);
    qs_u16(d, NQ_ENTITIES_LAST);
}

/* --- From DP5 on --- */

static void read_model5(struct qs_decoder *d, struct qs_entity_update *update)
{
    const uint32_t at = d->in.pos;

    update->model =
        update->bits & E5_MODEL16 ? qs_u16(d, NQ_ENTITY_MODEL) : qs_u8(d, NQ_ENTITY_MODEL);
    update->has |= QS_ENTITY_MODEL;
    name_model(d, update->model, at);
}

static void read_effects5(struct qs_decoder *d, uint32_t bits)
{
    if (bits & E5_EFFECTS32)
        qs_u32(d, NQ_ENTITY_EFFECTS);
    else if (bits & E5_EFFECTS16)
        qs_u16(d, NQ_ENTITY_EFFECTS);
    else
        qs_u8(d, NQ_ENTITY_EFFECTS);
}

/* Red, green and blue. */
static void read_tint(struct qs_decoder *d, unsigned red_row)
{
    for (unsigned color = 0; color < 3; color++)
        qs_scaled_u8(d, red_row + color, tint_unit);
}

/* All frames, then when each began, then the share of each, which a single one does not have. */
static void read_blend(struct qs_decoder *d, unsigned count)
{
    qs_open(d, NQ_ENTITY_BLEND);
    for (unsigned i = 0; i < count; i++)
        qs_u16(d, NQ_ENTITY_BLEND_FRAME);
    for (unsigned i = 0; i < count; i++)
        qs_u16(d, NQ_ENTITY_BLEND_AGE);
    for (unsigned i = 0; i < count && count > 1; i++)
        qs_scaled_u8(d, NQ_ENTITY_BLEND_LERP, lerp_unit);
    qs_close(d);
}

static void read_skeleton(struct qs_decoder *d)
{
    unsigned bones;

    qs_u16(d, NQ_ENTITY_SKELETON_MODEL);
    bones = qs_u8(d, NQ_ENTITY_BONE_COUNT);
    for (unsigned i = 0; i < bones && !d->in.overrun; i++)
        qs_bytes(d, NQ_ENTITY_BONE, BONE_POSE_SIZE);
}

static void read_animation(struct qs_decoder *d)
{
    const uint32_t at = d->in.pos;
    const uint8_t type = qs_u8(d, NQ_ENTITY_ANIMATION);

    if (type <= ANIMATION_BLEND4) {
        read_blend(d, type + 1u);
    } else if (type == ANIMATION_SKELETON) {
        read_skeleton(d);
    } else {
        qs_note(d, QS_NOTE_MALFORMED, at, 1, "Unknown animation %u", type);
        d->stop = true;
    }
}

/* Where it is, and what its model does. */
static void read_common5(struct qs_decoder *d, struct qs_entity_update *update)
{
    const uint32_t bits = update->bits;

    if (bits & E5_FLAGS)
        qs_u8(d, NQ_ENTITY_FLAGS);
    if (bits & E5_ORIGIN) {
        const enum qs_coord_format coords = d->coord_format;

        d->coord_format = update->bits & E5_ORIGIN32 ? QS_COORD_FLOAT32 : QS_COORD_SHORT;
        qs_coord3_values(d, NQ_ENTITY_ORIGIN, update->origin);
        update->has |= 7 * QS_ENTITY_ORIGIN1;
        d->coord_format = coords;
    }
    if (bits & E5_ANGLES) {
        const enum qs_angle_format format = d->angle_format;
        double angles[3];

        d->angle_format = update->bits & E5_ANGLES16 ? QS_ANGLE_SHORT : QS_ANGLE_BYTE;
        qs_angle3_values(d, NQ_ENTITY_ANGLES, angles);
        d->angle_format = format;
        update->yaw = angles[1];
        update->has |= QS_ENTITY_YAW;
    }
    if (bits & E5_MODEL)
        read_model5(d, update);
    if (bits & E5_FRAME && bits & E5_FRAME16)
        qs_u16(d, NQ_ENTITY_FRAME);
    else if (bits & E5_FRAME)
        qs_u8(d, NQ_ENTITY_FRAME);
    if (bits & E5_SKIN)
        qs_u8(d, NQ_ENTITY_SKIN);
    if (bits & E5_EFFECTS)
        read_effects5(d, bits);
}

static void read_looks5(struct qs_decoder *d, uint32_t bits)
{
    if (bits & E5_ALPHA)
        qs_scaled_u8(d, NQ_ENTITY_ALPHA, alpha_unit);
    if (bits & E5_SCALE)
        qs_scaled_u8(d, NQ_ENTITY_SCALE, scale_unit);
    if (bits & E5_COLORMAP)
        qs_u8(d, NQ_ENTITY_COLORMAP);
    if (bits & E5_ATTACHMENT)
        qs_rows(d, NQ_ENTITY_TAG_ENTITY, NQ_ENTITY_TAG_INDEX);
    if (bits & E5_LIGHT) {
        qs_rows(d, NQ_ENTITY_LIGHT_RED, NQ_ENTITY_LIGHT_PFLAGS);
    }
    if (bits & E5_GLOW) {
        qs_scaled_u8(d, NQ_ENTITY_GLOW_SIZE, glow_unit);
        qs_u8(d, NQ_ENTITY_GLOW_COLOR);
    }
    if (bits & E5_COLORMOD)
        read_tint(d, NQ_ENTITY_COLORMOD_RED);
    if (bits & E5_GLOWMOD)
        read_tint(d, NQ_ENTITY_GLOWMOD_RED);
}

static void read_update5(struct qs_decoder *d, struct qs_entity_update *update)
{
    const uint32_t bits = fte_read_bits(d, NQ_ENTITY_E5BITS);

    update->bits = bits;
    read_common5(d, update);
    read_looks5(d, bits);
    if (bits & E5_COMPLEXANIMATION)
        read_animation(d);
    if (bits & E5_TRAILEFFECTNUM && !d->stop)
        qs_u16(d, NQ_ENTITY_TRAIL);
}

static void read_frame5(struct qs_decoder *d)
{
    read_frame_number(d);
    if (nq_darkplaces_version(nq_session_of(d)) >= 7)
        qs_u32(d, NQ_ENTITIES_MOVE);
    read_entities(d, ENTITIES_END, read_update5);
}

/* --- The messages --- */

void nq_read_entities(struct qs_decoder *d)
{
    const unsigned version = nq_darkplaces_version(nq_session_of(d));

    if (version == 4)
        read_frame4(d);
    else if (version >= 1 && version <= 3)
        read_frame(d);
    else
        read_frame5(d);
}

static void stop_at_update(struct qs_decoder *d, struct qs_entity_update *update)
{
    qs_note(d, QS_NOTE_PROTOCOL_UNDECODED, d->in.pos, qs_reader_left(&d->in),
            "Only the game's csprogs knows how long the update of entity %u is", update->number);
    d->stop = true;
}

void nq_read_csqcentities(struct qs_decoder *d)
{
    read_entities(d, 0, stop_at_update);
}
