/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * FTE's replacement deltas: entities, players among them, as changes to the message before. Source:
 * PROTOCOL.md, sections 3 and 4; fteqw cl_ents.c CLFTE_ParseEntities and CLFTE_ReadDelta.
 */
#include "common/fte/fte.h"
#include "common/core/findings.h"

/* An entity's update, and what the session's extensions make of its bits. */
struct update {
    uint32_t at; /* of the bits */
    uint32_t bits;
    bool lerptime; /* LERPTIME: numbers of variable length, bit 9 is a time */
    bool predinfo; /* PREDINFO */
    bool wide;     /* frame, model and skin have 16 bits */
};

/* --- Bits --- */

uint32_t fte_read_bits(struct qs_decoder *d, unsigned id)
{
    const uint32_t at = d->in.pos;
    uint32_t bits = qs_reader_u8(&d->in);

    if (bits & UF_EXTEND1)
        bits |= (uint32_t)qs_reader_u8(&d->in) << 8;
    if (bits & UF_EXTEND2)
        bits |= (uint32_t)qs_reader_u8(&d->in) << 16;
    if (bits & UF_EXTEND3)
        bits |= (uint32_t)qs_reader_u8(&d->in) << 24;
    qs_emit_uint(d, id, at, d->in.pos - at, bits);
    return bits;
}

static struct update read_update_bits(struct qs_decoder *d)
{
    const uint32_t fte2 = fte_session(d)->fte2;
    struct update update = {
        .at = d->in.pos, .lerptime = fte2 & FTE2_LERPTIME, .predinfo = fte2 & FTE2_PREDINFO};

    update.bits = fte_read_bits(d, FTE_UPDATE_BITS);
    update.wide = !update.lerptime && (update.bits & UF_16BIT_LERPTIME);
    return update;
}

/* Bits that engines end the game at. */
static bool is_legal(const struct update *update)
{
    const uint32_t illegal =
        UF_UNUSED1 | UF_EXTEND4 | (update->lerptime ? UF_EFFECTS2 : UINT32_C(0));

    return !(update->bits & illegal);
}

/* --- Numbers whose width the bits and the extensions choose --- */

static uint32_t read_index(struct qs_decoder *d, unsigned id, const struct update *update)
{
    if (update->lerptime)
        return fte_uleb128(d, id);
    return update->wide ? qs_u16(d, id) : qs_u8(d, id);
}

static uint32_t read_byte(struct qs_decoder *d, unsigned id, const struct update *update)
{
    return update->lerptime ? fte_uleb128(d, id) : qs_u8(d, id);
}

static void read_model(struct qs_decoder *d, unsigned id, const struct update *update)
{
    const uint32_t at = d->in.pos;
    const uint32_t model = read_index(d, id, update);

    fte_session(d)->game->name_model(d, model, at, d->in.pos - at);
}

/* --- Parts, in wire order --- */

/* MVD1's FLOATCOORDS widens these, too. */
static void read_origin(struct qs_decoder *d, const struct update *update)
{
    const enum qs_coord_format coords = fte_widen_coords(d);

    if (update->bits & UF_ORIGINXY) {
        qs_coord(d, FTE_UPDATE_X);
        qs_coord(d, FTE_UPDATE_Y);
    }
    if (update->bits & UF_ORIGINZ)
        qs_coord(d, FTE_UPDATE_Z);
    d->coord_format = coords;
}

/* Without PREDINFO, what is predicted has angles of 16 bits. */
static void read_angles(struct qs_decoder *d, const struct update *update)
{
    const enum qs_angle_format format = d->angle_format;

    if ((update->bits & UF_PREDINFO) && !update->predinfo)
        d->angle_format = QS_ANGLE_SHORT;
    if (update->bits & UF_ANGLESXZ) {
        qs_angle(d, FTE_UPDATE_PITCH);
        qs_angle(d, FTE_UPDATE_ROLL);
    }
    if (update->bits & UF_ANGLESY)
        qs_angle(d, FTE_UPDATE_YAW);
    d->angle_format = format;
}

static void read_effects(struct qs_decoder *d, const struct update *update)
{
    const uint32_t both = UF_EFFECTS | UF_EFFECTS2;

    if (update->lerptime) {
        if (update->bits & UF_EFFECTS)
            fte_uleb128(d, FTE_UPDATE_EFFECTS);
    } else if ((update->bits & both) == both) {
        qs_u32(d, FTE_UPDATE_EFFECTS);
    } else if (update->bits & UF_EFFECTS2) {
        qs_u16(d, FTE_UPDATE_EFFECTS);
    } else if (update->bits & UF_EFFECTS) {
        qs_u8(d, FTE_UPDATE_EFFECTS);
    }
}

static void read_view_angles(struct qs_decoder *d, const struct update *update)
{
    if (update->bits & UF_ANGLESXZ) {
        qs_angle16(d, FTE_UPDATE_VIEW_PITCH);
        qs_angle16(d, FTE_UPDATE_VIEW_ROLL);
    }
    if (update->bits & UF_ANGLESY)
        qs_angle16(d, FTE_UPDATE_VIEW_YAW);
}

/* Seven bits, and eight more where the top one is set. */
static void read_weaponframe(struct qs_decoder *d)
{
    const uint32_t at = d->in.pos;
    uint32_t frame = qs_reader_u8(&d->in);

    if (frame & 0x80)
        frame = (frame & 0x7f) | (uint32_t)qs_reader_u8(&d->in) << 7;
    qs_emit_uint(d, FTE_UPDATE_WEAPONFRAME, at, d->in.pos - at, frame);
}

/* What a client predicts the entity's movement with. Returns its bits. */
static uint8_t read_predinfo(struct qs_decoder *d, const struct update *update)
{
    const uint8_t predbits = qs_u8(d, FTE_UPDATE_PREDBITS);

    if (predbits & UFP_FORWARD)
        qs_i16(d, FTE_UPDATE_FORWARD);
    if (predbits & UFP_SIDE)
        qs_i16(d, FTE_UPDATE_SIDE);
    if (predbits & UFP_UP)
        qs_i16(d, FTE_UPDATE_UP);
    if (predbits & UFP_MOVETYPE)
        qs_u8(d, FTE_UPDATE_MOVETYPE);
    if (predbits & UFP_VELOCITYXY) {
        qs_scaled_i16(d, FTE_UPDATE_VELOCITY_X, 1 / 8.0);
        qs_scaled_i16(d, FTE_UPDATE_VELOCITY_Y, 1 / 8.0);
    }
    if (predbits & UFP_VELOCITYZ)
        qs_scaled_i16(d, FTE_UPDATE_VELOCITY_Z, 1 / 8.0);
    if (predbits & UFP_MSEC)
        qs_u8(d, FTE_UPDATE_MSEC);
    if ((predbits & UFP_VIEWANGLE) && update->predinfo)
        read_view_angles(d, update);
    else if (predbits & UFP_VIEWANGLE)
        read_weaponframe(d);
    return predbits;
}

/* The size of what others collide with. */
static void read_solid(struct qs_decoder *d)
{
    const uint32_t at = d->in.pos;
    uint8_t encoding;

    if (!(fte_session(d)->fte2 & FTE2_NEWSIZEENCODING)) {
        qs_u16(d, FTE_UPDATE_SIZE16);
        return;
    }
    encoding = qs_u8(d, FTE_UPDATE_SOLID);
    if (encoding == SOLID_SIZE16)
        qs_u16(d, FTE_UPDATE_SIZE16);
    else if (encoding == SOLID_SIZE32)
        qs_u32(d, FTE_UPDATE_SIZE32);
    else if (encoding > SOLID_HULL2)
        fte_stop_malformed(d, at, "Unknown size encoding of an entity update:", encoding);
}

static void read_bones(struct qs_decoder *d)
{
    const uint8_t count = qs_u8(d, FTE_UPDATE_BONE_COUNT);

    for (unsigned i = 0; i < count && !d->in.overrun; i++)
        qs_bytes(d, FTE_UPDATE_BONE, BONE_SIZE);
}

static void read_bonedata(struct qs_decoder *d, const struct update *update)
{
    const uint32_t at = d->in.pos;
    const uint8_t flags = qs_u8(d, FTE_UPDATE_BONE_FLAGS);

    if (flags & BONEDATA_BONES)
        read_bones(d);
    if (flags & BONEDATA_BASE) {
        read_byte(d, FTE_UPDATE_BASEBONE, update);
        if (update->lerptime)
            fte_uleb128(d, FTE_UPDATE_BASEFRAME);
        else
            qs_u16(d, FTE_UPDATE_BASEFRAME);
    }
    if (flags & ~(BONEDATA_BONES | BONEDATA_BASE))
        fte_stop_malformed(d, at, "Unknown bone data of an entity update:", flags);
}

/* Hexen II's. */
static void read_drawflags(struct qs_decoder *d)
{
    if ((qs_u8(d, FTE_UPDATE_DRAWFLAGS) & DRAWFLAGS_MLS) >= MLS_ADDLIGHT)
        qs_u8(d, FTE_UPDATE_ABSLIGHT);
}

static void read_light(struct qs_decoder *d, const struct update *update)
{
    qs_rows(d, FTE_UPDATE_LIGHT_RED, FTE_UPDATE_LIGHT_RADIUS);
    read_byte(d, FTE_UPDATE_LIGHT_STYLE, update);
    qs_u8(d, FTE_UPDATE_LIGHT_FLAGS);
}

static void read_trail(struct qs_decoder *d, const struct update *update)
{
    if (update->lerptime) {
        fte_uleb128(d, FTE_UPDATE_TRAIL_NUMBER);
        fte_uleb128(d, FTE_UPDATE_EMIT);
    } else if (qs_u16(d, FTE_UPDATE_TRAIL) & TRAIL_EMITS) {
        qs_u16(d, FTE_UPDATE_EMIT);
    }
}

/* Bits 0 to 15: what changes at every moment, and what spawning sets. Returns UFP_*. */
static uint8_t read_common(struct qs_decoder *d, const struct update *update)
{
    uint8_t predbits = 0;
    const uint32_t bits = update->bits;

    if (bits & UF_FRAME)
        read_index(d, FTE_UPDATE_FRAME, update);
    read_origin(d, update);
    read_angles(d, update);
    if (update->lerptime && (bits & UF_16BIT_LERPTIME))
        fte_uleb128(d, FTE_UPDATE_LERPEND);
    read_effects(d, update);
    if (bits & UF_PREDINFO)
        predbits = read_predinfo(d, update);
    if (bits & UF_MODEL)
        read_model(d, FTE_UPDATE_MODEL, update);
    if (bits & UF_SKIN && update->lerptime)
        fte_uleb128_biased(d, FTE_UPDATE_SKIN, 64);
    else if (bits & UF_SKIN && update->wide)
        qs_i16(d, FTE_UPDATE_SKIN);
    else if (bits & UF_SKIN)
        qs_unsigned_byte(d, FTE_UPDATE_SKIN);
    if (bits & UF_COLORMAP)
        read_byte(d, FTE_UPDATE_COLORMAP, update);
    if (bits & UF_SOLID)
        read_solid(d);
    if ((bits & UF_FLAGS) && !d->stop)
        read_byte(d, FTE_UPDATE_FLAGS, update);
    return predbits;
}

/* Bits 16 to 31: looks. */
static void read_looks(struct qs_decoder *d, const struct update *update)
{
    const uint32_t bits = update->bits;

    if (bits & UF_ALPHA)
        qs_u8(d, FTE_UPDATE_ALPHA);
    if (bits & UF_SCALE)
        qs_scaled_u8(d, FTE_UPDATE_SCALE, 1 / 16.0);
    if (bits & UF_BONEDATA)
        read_bonedata(d, update);
    if (d->stop)
        return;
    if (bits & UF_DRAWFLAGS)
        read_drawflags(d);
    if (bits & UF_TAGINFO) {
        fte_entity(d, FTE_UPDATE_TAG_ENTITY);
        if (update->lerptime)
            fte_uleb128_biased(d, FTE_UPDATE_TAG_INDEX, 1);
        else
            qs_unsigned_byte(d, FTE_UPDATE_TAG_INDEX);
    }
    if (bits & UF_LIGHT)
        read_light(d, update);
    if (bits & UF_TRAILEFFECT)
        read_trail(d, update);
    if (bits & UF_COLORMOD)
        qs_rows(d, FTE_UPDATE_COLORMOD_RED, FTE_UPDATE_COLORMOD_BLUE);
    if (bits & UF_GLOW)
        qs_rows(d, FTE_UPDATE_GLOW_SIZE, FTE_UPDATE_GLOW_BLUE);
    if (bits & UF_FATNESS)
        qs_u8(d, FTE_UPDATE_FATNESS);
    if (bits & UF_MODELINDEX2)
        read_model(d, FTE_UPDATE_MODEL2, update);
    if (bits & UF_GRAVITYDIR)
        qs_rows(d, FTE_UPDATE_GRAVITY_PITCH, FTE_UPDATE_GRAVITY_YAW);
}

/* Fills in the bits of `read`. */
static void read_update(struct qs_decoder *d, struct qs_entity_update *read)
{
    const struct update update = read_update_bits(d);

    if (!is_legal(&update)) {
        fte_stop_malformed(d, update.at, "Illegal bits of an entity update:", update.bits);
        return;
    }
    read->bits = update.bits;
    read->predbits = read_common(d, &update);
    if (!d->stop)
        read_looks(d, &update);
}

/* --- The messages --- */

static void read_entity(struct qs_decoder *d)
{
    const uint32_t at = d->in.pos;
    struct qs_entity_update update = {.kind = QS_ENTITY_REPLACEMENT};
    uint16_t word;

    qs_open(d, FTE_UPDATE);
    word = qs_u16(d, FTE_UPDATE_WORD);
    update.number = word & UPDATE_NUMBER;
    update.removes = word & UPDATE_REMOVE;
    if (word & UPDATE_EXTENDED)
        update.number |= (uint32_t)qs_u8(d, FTE_UPDATE_NUMBER_HIGH) << 14;
    qs_emit_generated_uint(d, FTE_UPDATE_NUMBER, at, d->in.pos - at, update.number);
    if (!update.removes) {
        qs_label(d, " %u", update.number);
        fte_session(d)->game->name_entity(d, update.number);
        read_update(d, &update);
    } else if (update.number) {
        qs_label(d, " %u removed", update.number);
    } else {
        qs_label(d, ": all removed");
    }
    qs_close(d);
    update.bytes = (struct qs_view){d->in.data + at, d->in.pos - at};
    qs_add_entity(d, &update);
}

void fte_read_updateentities(struct qs_decoder *d)
{
    qs_f32(d, FTE_UPDATE_TIME);
    while (!d->in.overrun && !d->stop) {
        if (qs_reader_left(&d->in) < 2 || qs_peek_u16(d) == 0) {
            qs_u16(d, fte_session(d)->game->rows.entities_end);
            return;
        }
        read_entity(d);
    }
}

/* SPAWNSTATIC2 with REPLACEMENTDELTAS: one update from nothing, the entity's number before it. */
void fte_read_baseline_update(struct qs_decoder *d)
{
    qs_label(d, ": entity %u", fte_entity(d, FTE_BASELINE_ENTITY));
    fte_read_static_update(d);
}

void fte_read_static_update(struct qs_decoder *d)
{
    struct qs_entity_update update;

    read_update(d, &update);
}
