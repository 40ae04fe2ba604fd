/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * svc_entities and svc_csqcentities: DarkPlaces' entities, as changes to earlier frames. They have
 * three forms: DP1 to DP3, DP4, and DP5 to DP8. Each entity has its number, bits for what has
 * changed, and the new values, in an order of the form's own. Sources: DarkPlaces protocol.h;
 * cl_ents.c, EntityFrame_CL_ReadFrame, EntityState_ReadFields; cl_ents4.c,
 * EntityFrame4_CL_ReadFrame; cl_ents5.c, EntityFrame5_CL_ReadFrame, EntityState5_ReadUpdate;
 * csprogs.c, CSQC_ReadEntities.
 */
#include "common/quake/decode.h"
#include "common/core/findings.h"

/* Reads what has changed of an entity into `update`, whose number is set. */
typedef void read_changes(struct qs_decoder *d, struct qs_entity_update *update);

/* --- DP1 to DP4 --- */

/*
 * Selects whole units for the entity's coordinates in DP2, and if it has RENDER_LOWPRECISION.
 * Servers send that flag only when it changes, so the session remembers it.
 */
static void choose_coordinates(struct qs_decoder *d, uint32_t number)
{
    const struct nq_session *session = nq_session_of(d);
    const bool is_coarse =
        nq_darkplaces_version(session) == 2 || qs_table_get(&session->coarse, number);

    d->coord_format = is_coarse ? QS_COORD_WHOLE : QS_COORD_FLOAT32;
}

static void read_flags(struct qs_decoder *d, uint32_t number)
{
    static const uint8_t mark[] = {'1'};
    const bool coarse = qs_u8(d, NQ_ENTITY_FLAGS) & RENDER_LOWPRECISION;

    qs_table_set(&nq_session_of(d)->coarse, number, (struct qs_view){mark, coarse});
    choose_coordinates(d, number);
}

/* Reads the model's number. The low byte alone is enough if no number of a model exceeds 255. */
static void read_model(struct qs_decoder *d, struct qs_entity_update *update)
{
    const bool low = update->bits & E_MODEL1, high = update->bits & E_MODEL2;
    const uint32_t at = d->in.pos;
    uint32_t model = 0;

    if (low)
        model = qs_u8(d, NQ_ENTITY_MODEL);
    if (high)
        model |= (uint32_t)qs_u8(d, NQ_ENTITY_MODEL2) << 8;
    if (low && (high || qs_table_end(&nq_session_of(d)->models) <= UINT8_MAX + 1))
        nq_set_entity_model(d, NQ_ENTITY_MODEL_NAME, model, at, d->in.pos - at, update);
}

static void read_update(struct qs_decoder *d, struct qs_entity_update *update)
{
    const bool is_dp2 = nq_darkplaces_version(nq_session_of(d)) == 2;
    const uint32_t bits = update->bits = fte_read_bits(d, NQ_ENTITY_EBITS);
    const enum qs_coord_format coords = d->coord_format;
    const enum qs_angle_format angles = d->angle_format;

    choose_coordinates(d, update->number);
    d->angle_format = QS_ANGLE_BYTE;
    /* clang-format off */
    if (bits & E_FLAGS && !is_dp2) read_flags(d, update->number);
    if (bits & E_ORIGIN1) nq_read_entity_origin(d, NQ_ENTITY_ORIGIN_X, 0, update);
    if (bits & E_ORIGIN2) nq_read_entity_origin(d, NQ_ENTITY_ORIGIN_X, 1, update);
    if (bits & E_ORIGIN3) nq_read_entity_origin(d, NQ_ENTITY_ORIGIN_X, 2, update);
    if (bits & E_ANGLE1) qs_angle(d, NQ_ENTITY_ANGLES_PITCH);
    if (bits & E_ANGLE2) nq_read_entity_yaw(d, NQ_ENTITY_ANGLES_YAW, update);
    if (bits & E_ANGLE3) qs_angle(d, NQ_ENTITY_ANGLES_ROLL);
    if (bits & (E_MODEL1 | E_MODEL2)) read_model(d, update);
    if (bits & E_FRAME1) qs_u8(d, NQ_ENTITY_FRAME);
    if (bits & E_FRAME2) qs_u8(d, NQ_ENTITY_FRAME2);
    if (bits & E_EFFECTS1) qs_u8(d, NQ_ENTITY_EFFECTS);
    if (bits & E_EFFECTS2) qs_u8(d, NQ_ENTITY_EFFECTS2);
    if (bits & E_COLORMAP) qs_u8(d, NQ_ENTITY_COLORMAP);
    if (bits & E_SKIN) qs_u8(d, NQ_ENTITY_SKIN);
    if (bits & E_ALPHA) qs_scaled_u8(d, NQ_ENTITY_ALPHA, 1.0 / 255);
    if (bits & E_SCALE) qs_scaled_u8(d, NQ_ENTITY_SCALE, 1.0 / 16);
    if (bits & E_GLOWSIZE) qs_scaled_u8(d, NQ_ENTITY_GLOW_SIZE, 4);
    if (bits & E_GLOWCOLOR) qs_u8(d, NQ_ENTITY_GLOW_COLOR);
    if (bits & E_FLAGS && is_dp2) read_flags(d, update->number);
    if (bits & E_TAGATTACHMENT) qs_rows(d, NQ_ENTITY_TAG_ENTITY, NQ_ENTITY_TAG_INDEX);
    if (bits & E_LIGHT) qs_rows(d, NQ_ENTITY_LIGHT_RED, NQ_ENTITY_LIGHT_RADIUS);
    if (bits & E_LIGHTSTYLE) qs_u8(d, NQ_ENTITY_LIGHT_STYLE);
    if (bits & E_LIGHTPFLAGS) qs_u8(d, NQ_ENTITY_LIGHT_PFLAGS);
    /* clang-format on */
    d->coord_format = coords;
    d->angle_format = angles;
}

/* --- DP5 to DP8 --- */

static void read_origin5(struct qs_decoder *d, struct qs_entity_update *update)
{
    const enum qs_coord_format coords = d->coord_format;

    d->coord_format = update->bits & E5_ORIGIN32 ? QS_COORD_FLOAT32 : QS_COORD_SHORT;
    qs_coord3_values(d, NQ_ENTITY_ORIGIN, update->origin);
    update->has |= 7 * QS_ENTITY_ORIGIN1;
    d->coord_format = coords;
}

static void read_angles5(struct qs_decoder *d, struct qs_entity_update *update)
{
    const enum qs_angle_format format = d->angle_format;
    double angles[3];

    d->angle_format = update->bits & E5_ANGLES16 ? QS_ANGLE_SHORT : QS_ANGLE_BYTE;
    qs_angle3_values(d, NQ_ENTITY_ANGLES, angles);
    d->angle_format = format;
    update->yaw = angles[1];
    update->has |= QS_ENTITY_YAW;
}

static void read_model5(struct qs_decoder *d, struct qs_entity_update *update)
{
    const uint32_t at = d->in.pos;
    const uint16_t model =
        update->bits & E5_MODEL16 ? qs_u16(d, NQ_ENTITY_MODEL) : qs_u8(d, NQ_ENTITY_MODEL);

    nq_set_entity_model(d, NQ_ENTITY_MODEL_NAME, model, at, d->in.pos - at, update);
}

/* Reads red, green and blue. */
static void read_tint(struct qs_decoder *d, unsigned red_row)
{
    for (unsigned color = 0; color < 3; color++)
        qs_scaled_u8(d, red_row + color, 1.0 / 32);
}

/* Reads all frames, then the age of each, then the share of each, which a single frame lacks. */
static void read_blend(struct qs_decoder *d, unsigned count)
{
    qs_open(d, NQ_ENTITY_BLEND);
    for (unsigned i = 0; i < count; i++)
        qs_u16(d, NQ_ENTITY_BLEND_FRAME);
    for (unsigned i = 0; i < count; i++)
        qs_u16(d, NQ_ENTITY_BLEND_AGE);
    for (unsigned i = 0; i < count && count > 1; i++)
        qs_scaled_u8(d, NQ_ENTITY_BLEND_LERP, 1.0 / 255);
    qs_close(d);
}

static void read_animation(struct qs_decoder *d)
{
    const uint32_t at = d->in.pos;
    const uint8_t type = qs_u8(d, NQ_ENTITY_ANIMATION);

    if (type <= ANIMATION_BLEND4) {
        read_blend(d, type + 1u);
    } else if (type == ANIMATION_SKELETON) {
        qs_u16(d, NQ_ENTITY_SKELETON_MODEL);
        for (unsigned bones = qs_u8(d, NQ_ENTITY_BONE_COUNT); bones && !d->in.overrun; bones--)
            qs_bytes(d, NQ_ENTITY_BONE, BONE_POSE_SIZE);
    } else {
        qs_note(d, QS_NOTE_MALFORMED, at, 1, "Unknown animation %u", type);
        d->stop = true;
    }
}

/* clang-format off */
static void read_update5(struct qs_decoder *d, struct qs_entity_update *update)
{
    const uint32_t bits = update->bits = fte_read_bits(d, NQ_ENTITY_E5BITS);

    if (bits & E5_FLAGS) qs_u8(d, NQ_ENTITY_FLAGS);
    if (bits & E5_ORIGIN) read_origin5(d, update);
    if (bits & E5_ANGLES) read_angles5(d, update);
    if (bits & E5_MODEL) read_model5(d, update);
    if (bits & E5_FRAME) bits & E5_FRAME16 ? qs_u16(d, NQ_ENTITY_FRAME) : qs_u8(d, NQ_ENTITY_FRAME);
    if (bits & E5_SKIN) qs_u8(d, NQ_ENTITY_SKIN);
    if (bits & E5_EFFECTS) bits & E5_EFFECTS32   ? qs_u32(d, NQ_ENTITY_EFFECTS)
                           : bits & E5_EFFECTS16 ? qs_u16(d, NQ_ENTITY_EFFECTS) : qs_u8(d, NQ_ENTITY_EFFECTS);
    if (bits & E5_ALPHA) qs_scaled_u8(d, NQ_ENTITY_ALPHA, 1.0 / 255);
    if (bits & E5_SCALE) qs_scaled_u8(d, NQ_ENTITY_SCALE, 1.0 / 16);
    if (bits & E5_COLORMAP) qs_u8(d, NQ_ENTITY_COLORMAP);
    if (bits & E5_ATTACHMENT) qs_rows(d, NQ_ENTITY_TAG_ENTITY, NQ_ENTITY_TAG_INDEX);
    if (bits & E5_LIGHT) qs_rows(d, NQ_ENTITY_LIGHT_RED, NQ_ENTITY_LIGHT_PFLAGS);
    if (bits & E5_GLOW) qs_scaled_u8(d, NQ_ENTITY_GLOW_SIZE, 4);
    if (bits & E5_GLOW) qs_u8(d, NQ_ENTITY_GLOW_COLOR);
    if (bits & E5_COLORMOD) read_tint(d, NQ_ENTITY_COLORMOD_RED);
    if (bits & E5_GLOWMOD) read_tint(d, NQ_ENTITY_GLOWMOD_RED);
    if (bits & E5_COMPLEXANIMATION) read_animation(d);
    if (bits & E5_TRAILEFFECTNUM && !d->stop) qs_u16(d, NQ_ENTITY_TRAIL);
}
/* clang-format on */

/* --- Messages --- */

static void stop_at_update(struct qs_decoder *d, struct qs_entity_update *update)
{
    qs_note(d, QS_NOTE_PROTOCOL_UNDECODED, d->in.pos, qs_reader_left(&d->in),
            "Only the game's csprogs knows how long the update of entity %u is", update->number);
    d->stop = true;
}

/* Reads the next entity, which is removed or changed. */
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

/* Reads entities up to and including the word `end`. */
static void read_entities(struct qs_decoder *d, uint16_t end, read_changes *read)
{
    while (qs_reader_left(&d->in) >= 2 && qs_peek_u16(d) != end && !d->stop)
        read_entity(d, read);
    if (!d->stop)
        qs_u16(d, NQ_ENTITIES_END);
}

void nq_read_entities(struct qs_decoder *d)
{
    const unsigned version = nq_darkplaces_version(nq_session_of(d));
    const bool until_dp3 = version >= 1 && version <= 3;
    int32_t frame;

    if (until_dp3 || version == 4)
        qs_i32(d, NQ_ENTITIES_REFERENCE);
    frame = qs_i32(d, NQ_ENTITIES_FRAME);
    qs_label(d, ": frame %d", frame);
    nq_read_frame_number(d, frame);
    if (version >= 7)
        qs_u32(d, NQ_ENTITIES_MOVE);
    if (until_dp3) {
        qs_open(d, NQ_ENTITIES_EYE);
        for (unsigned axis = 0; axis < 3; axis++)
            qs_f32(d, NQ_ENTITIES_EYE_X + axis);
        qs_close(d);
    }
    if (version == 4)
        qs_u16(d, NQ_ENTITIES_FIRST);
    if (until_dp3 || version == 4)
        read_entities(d, until_dp3 ? ENTITIES_END_DP1 : ENTITIES_END, read_update);
    else
        read_entities(d, ENTITIES_END, read_update5);
    if (version == 4)
        qs_u16(d, NQ_ENTITIES_LAST);
}

void nq_read_csqcentities(struct qs_decoder *d)
{
    read_entities(d, 0, stop_at_update);
}
