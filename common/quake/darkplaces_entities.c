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

/* clang-format off */
#define READ_U8(row) qs_u8(d, row)
#define READ_U16(row) qs_u16(d, row)
#define READ_SHARE(row) qs_scaled_u8(d, row, 1.0 / 255)
#define READ_SIXTEENTHS(row) qs_scaled_u8(d, row, 1.0 / 16)
#define READ_FOURS(row) qs_scaled_u8(d, row, 4)
#define READ_ANGLE(row) qs_angle(d, row)
#define READ_TAG(row) qs_rows(d, row, NQ_ENTITY_TAG_INDEX)
#define READ_LIGHT(row) qs_rows(d, row, NQ_ENTITY_LIGHT_RADIUS)
/* clang-format on */

/* --- DP1 to DP4 --- */

/*
 * Entities for which whole units are enough have these, but in DP2 all. The flag for this comes
 * only when it changes: the session remembers it.
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
    const uint8_t flags = qs_u8(d, NQ_ENTITY_FLAGS);
    const bool coarse = flags & RENDER_LOWPRECISION;

    qs_table_set(&nq_session_of(d)->coarse, number, (struct qs_view){mark, coarse});
    choose_coordinates(d, number);
}

static void read_origin(struct qs_decoder *d, unsigned row, struct qs_entity_update *update)
{
    const unsigned axis = row - NQ_ENTITY_ORIGIN_X;

    update->origin[axis] = qs_coord(d, row);
    update->has |= (uint8_t)(QS_ENTITY_ORIGIN1 << axis);
}

static void read_yaw(struct qs_decoder *d, unsigned row, struct qs_entity_update *update)
{
    update->yaw = qs_angle(d, row);
    update->has |= QS_ENTITY_YAW;
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

/* clang-format off */
#define READ_FLAGS(row) read_flags(d, update->number)
#define READ_ORIGIN(row) read_origin(d, row, update)
#define READ_YAW(row) read_yaw(d, row, update)
#define READ_MODEL(row) read_model(d, bits, update)
/* clang-format on */

static void read_state(struct qs_decoder *d, struct qs_entity_update *update)
{
    const bool is_dp2 = nq_darkplaces_version(nq_session_of(d)) == 2;
    const uint32_t bits = fte_read_bits(d, NQ_ENTITY_EBITS);
    const enum qs_coord_format coords = d->coord_format;
    const enum qs_angle_format angles = d->angle_format;

    update->bits = bits;
    choose_coordinates(d, update->number);
    d->angle_format = QS_ANGLE_BYTE;
#define FRAME(encoding, which, row)                                                                \
    if (bits & (which))                                                                            \
        READ_##encoding(row);
#include "common/quake/update_fields.def"
    d->coord_format = coords;
    d->angle_format = angles;
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
        qs_scaled_u8(d, red_row + color, 1.0 / 32);
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
        qs_scaled_u8(d, NQ_ENTITY_BLEND_LERP, 1.0 / 255);
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

/* clang-format off */
#define READ_ORIGIN5(row) read_origin5(d, update)
#define READ_ANGLES5(row) read_angles5(d, update)
#define READ_MODEL5(row) read_model5(d, update)
#define READ_FRAME5(row) bits & E5_FRAME16 ? qs_u16(d, row) : qs_u8(d, row)
#define READ_EFFECTS5(row) read_effects5(d, bits)
#define READ_LIGHT5(row) qs_rows(d, row, NQ_ENTITY_LIGHT_PFLAGS)
#define READ_TINT(row) read_tint(d, row)
/* Behind what is malformed nothing can be read. */
#define READ_ANIMATION(row) read_animation(d); if (d->stop) return
/* clang-format on */

static void read_update5(struct qs_decoder *d, struct qs_entity_update *update)
{
    const uint32_t bits = update->bits = fte_read_bits(d, NQ_ENTITY_E5BITS);

#define FRAME5(encoding, which, row)                                                               \
    if (bits & (which)) {                                                                          \
        READ_##encoding(row);                                                                      \
    }
#include "common/quake/update_fields.def"
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
