/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * FTE's replacement deltas: entities, including players, as changes to the message before. Source:
 * PROTOCOL.md, sections 3 and 4; fteqw cl_ents.c CLFTE_ParseEntities and CLFTE_ReadDelta.
 */
#include "common/fte/fte.h"
#include "common/core/findings.h"

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

/* --- Fields --- */

/* Reads a number of 1, 2 or 4 bytes; of variable length if `size` is 0, as always with LERPTIME. */
static uint32_t read_number(struct qs_decoder *d, unsigned id, unsigned size)
{
    if (size == 0)
        return (uint32_t)fte_uleb128(d, id);
    return size == 1 ? qs_u8(d, id) : size == 2 ? qs_u16(d, id) : qs_u32(d, id);
}

static void read_model(struct qs_decoder *d, unsigned id, unsigned size)
{
    const uint32_t at = d->in.pos, model = read_number(d, id, size);

    fte_session(d)->game->name_model(d, model, at, d->in.pos - at);
}

static void read_skin(struct qs_decoder *d, unsigned size)
{
    if (size == 0)
        fte_uleb128_biased(d, FTE_UPDATE_SKIN, 64);
    else if (size == 2)
        qs_i16(d, FTE_UPDATE_SKIN);
    else
        qs_unsigned_byte(d, FTE_UPDATE_SKIN);
}

/* Reads seven bits, and eight more if the top bit is set. */
static void read_weaponframe(struct qs_decoder *d)
{
    const uint32_t at = d->in.pos;
    uint32_t frame = qs_reader_u8(&d->in);

    if (frame & 0x80)
        frame = (frame & 0x7f) | (uint32_t)qs_reader_u8(&d->in) << 7;
    qs_emit_uint(d, FTE_UPDATE_WEAPONFRAME, at, d->in.pos - at, frame);
}

/* Reads the size of the entity's collision box. */
static void read_solid(struct qs_decoder *d)
{
    const uint32_t at = d->in.pos;
    uint8_t encoding = SOLID_SIZE16;

    if (fte_session(d)->fte2 & FTE2_NEWSIZEENCODING)
        encoding = qs_u8(d, FTE_UPDATE_SOLID);
    if (encoding == SOLID_SIZE16)
        qs_u16(d, FTE_UPDATE_SIZE16);
    else if (encoding == SOLID_SIZE32)
        qs_u32(d, FTE_UPDATE_SIZE32);
    else if (encoding > SOLID_HULL2)
        fte_stop_malformed(d, at, "Unknown size encoding of an entity update:", encoding);
}

static void read_bonedata(struct qs_decoder *d, bool lerptime)
{
    const uint32_t at = d->in.pos;
    const uint8_t flags = qs_u8(d, FTE_UPDATE_BONE_FLAGS);
    const uint8_t count = flags & BONEDATA_BONES ? qs_u8(d, FTE_UPDATE_BONE_COUNT) : 0;

    for (unsigned i = 0; i < count && !d->in.overrun; i++)
        qs_bytes(d, FTE_UPDATE_BONE, BONE_SIZE);
    if (flags & BONEDATA_BASE) {
        read_number(d, FTE_UPDATE_BASEBONE, lerptime ? 0 : 1);
        read_number(d, FTE_UPDATE_BASEFRAME, lerptime ? 0 : 2);
    }
    if (flags & ~(BONEDATA_BONES | BONEDATA_BASE))
        fte_stop_malformed(d, at, "Unknown bone data of an entity update:", flags);
}

static void read_trail(struct qs_decoder *d, bool lerptime)
{
    if (lerptime)
        fte_uleb128(d, FTE_UPDATE_TRAIL_NUMBER);
    if (lerptime || qs_u16(d, FTE_UPDATE_TRAIL) & TRAIL_EMITS)
        read_number(d, FTE_UPDATE_EMIT, lerptime ? 0 : 2);
}

/* clang-format off */
/* Reads the values by which clients predict the entity's movement. Returns their bits. */
static uint8_t read_predinfo(struct qs_decoder *d, uint32_t bits, bool predinfo)
{
    const uint8_t predbits = qs_u8(d, FTE_UPDATE_PREDBITS);

    if (predbits & UFP_FORWARD) qs_i16(d, FTE_UPDATE_FORWARD);
    if (predbits & UFP_SIDE) qs_i16(d, FTE_UPDATE_SIDE);
    if (predbits & UFP_UP) qs_i16(d, FTE_UPDATE_UP);
    if (predbits & UFP_MOVETYPE) qs_u8(d, FTE_UPDATE_MOVETYPE);
    if (predbits & UFP_VELOCITYXY) qs_scaled_i16(d, FTE_UPDATE_VELOCITY_X, 1 / 8.0);
    if (predbits & UFP_VELOCITYXY) qs_scaled_i16(d, FTE_UPDATE_VELOCITY_Y, 1 / 8.0);
    if (predbits & UFP_VELOCITYZ) qs_scaled_i16(d, FTE_UPDATE_VELOCITY_Z, 1 / 8.0);
    if (predbits & UFP_MSEC) qs_u8(d, FTE_UPDATE_MSEC);
    if (predbits & UFP_VIEWANGLE && predinfo) {
        if (bits & UF_ANGLESXZ) qs_angle16(d, FTE_UPDATE_VIEW_PITCH);
        if (bits & UF_ANGLESXZ) qs_angle16(d, FTE_UPDATE_VIEW_ROLL);
        if (bits & UF_ANGLESY) qs_angle16(d, FTE_UPDATE_VIEW_YAW);
    } else if (predbits & UFP_VIEWANGLE) {
        read_weaponframe(d);
    }
    return predbits;
}

static void read_fields(struct qs_decoder *d, struct qs_entity_update *update)
{
    const uint32_t bits = update->bits, fte2 = fte_session(d)->fte2;
    const bool lerptime = fte2 & FTE2_LERPTIME, predinfo = fte2 & FTE2_PREDINFO;
    const unsigned byte = lerptime ? 0 : 1; /* `size` of read_number() */
    const unsigned index = lerptime ? 0 : bits & UF_16BIT_LERPTIME ? 2 : 1;
    const unsigned effects = lerptime ? 0 : !(bits & UF_EFFECTS2) ? 1 : bits & UF_EFFECTS ? 4 : 2;

    /* Without PREDINFO, entities with prediction have angles of 16 bits. */
    if ((bits & UF_PREDINFO) && !predinfo) d->angle_format = QS_ANGLE_SHORT;
    if (bits & UF_FRAME) read_number(d, FTE_UPDATE_FRAME, index);
    if (bits & UF_ORIGINXY) qs_coord(d, FTE_UPDATE_X);
    if (bits & UF_ORIGINXY) qs_coord(d, FTE_UPDATE_Y);
    if (bits & UF_ORIGINZ) qs_coord(d, FTE_UPDATE_Z);
    if (bits & UF_ANGLESXZ) qs_angle(d, FTE_UPDATE_PITCH);
    if (bits & UF_ANGLESXZ) qs_angle(d, FTE_UPDATE_ROLL);
    if (bits & UF_ANGLESY) qs_angle(d, FTE_UPDATE_YAW);
    if (bits & UF_16BIT_LERPTIME && lerptime) fte_uleb128(d, FTE_UPDATE_LERPEND);
    if (bits & (UF_EFFECTS | UF_EFFECTS2)) read_number(d, FTE_UPDATE_EFFECTS, effects);
    if (bits & UF_PREDINFO) update->predbits = read_predinfo(d, bits, predinfo);
    if (bits & UF_MODEL) read_model(d, FTE_UPDATE_MODEL, index);
    if (bits & UF_SKIN) read_skin(d, index);
    if (bits & UF_COLORMAP) read_number(d, FTE_UPDATE_COLORMAP, byte);
    if (bits & UF_SOLID) read_solid(d);
    if (d->stop) return; /* nothing can be read after a malformed value */
    if (bits & UF_FLAGS) read_number(d, FTE_UPDATE_FLAGS, byte);
    if (bits & UF_ALPHA) qs_u8(d, FTE_UPDATE_ALPHA);
    if (bits & UF_SCALE) qs_scaled_u8(d, FTE_UPDATE_SCALE, 1 / 16.0);
    if (bits & UF_BONEDATA) read_bonedata(d, lerptime);
    if (d->stop) return;
    if (bits & UF_DRAWFLAGS && (qs_u8(d, FTE_UPDATE_DRAWFLAGS) & DRAWFLAGS_MLS) >= MLS_ADDLIGHT)
        qs_u8(d, FTE_UPDATE_ABSLIGHT);
    if (bits & UF_TAGINFO) {
        fte_entity(d, FTE_UPDATE_TAG_ENTITY);
        lerptime ? fte_uleb128_biased(d, FTE_UPDATE_TAG_INDEX, 1) : qs_unsigned_byte(d, FTE_UPDATE_TAG_INDEX);
    }
    if (bits & UF_LIGHT) {
        qs_rows(d, FTE_UPDATE_LIGHT_RED, FTE_UPDATE_LIGHT_RADIUS);
        read_number(d, FTE_UPDATE_LIGHT_STYLE, byte);
        qs_u8(d, FTE_UPDATE_LIGHT_FLAGS);
    }
    if (bits & UF_TRAILEFFECT) read_trail(d, lerptime);
    if (bits & UF_COLORMOD) qs_rows(d, FTE_UPDATE_COLORMOD_RED, FTE_UPDATE_COLORMOD_BLUE);
    if (bits & UF_GLOW) qs_rows(d, FTE_UPDATE_GLOW_SIZE, FTE_UPDATE_GLOW_BLUE);
    if (bits & UF_FATNESS) qs_u8(d, FTE_UPDATE_FATNESS);
    if (bits & UF_MODELINDEX2) read_model(d, FTE_UPDATE_MODEL2, index);
    if (bits & UF_GRAVITYDIR) qs_rows(d, FTE_UPDATE_GRAVITY_PITCH, FTE_UPDATE_GRAVITY_YAW);
}
/* clang-format on */

/* Reads an update and sets the bits of `update`. Coordinates are floats with MVD1's FLOATCOORDS. */
static void read_update(struct qs_decoder *d, struct qs_entity_update *update)
{
    const uint32_t at = d->in.pos, bits = fte_read_bits(d, FTE_UPDATE_BITS);
    const bool lerptime = fte_session(d)->fte2 & FTE2_LERPTIME;
    const enum qs_angle_format angles = d->angle_format;
    enum qs_coord_format coords;

    if (bits & (UF_UNUSED1 | UF_EXTEND4 | (lerptime ? UF_EFFECTS2 : 0))) { /* engines stop here */
        fte_stop_malformed(d, at, "Illegal bits of an entity update:", bits);
        return;
    }
    coords = fte_widen_coords(d);
    update->bits = bits;
    read_fields(d, update);
    d->coord_format = coords;
    d->angle_format = angles;
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
    fte_session(d)->update_time = qs_f32(d, FTE_UPDATE_TIME);
    while (!d->in.overrun && !d->stop) {
        if (qs_reader_left(&d->in) < 2 || qs_peek_u16(d) == 0) {
            qs_u16(d, fte_session(d)->game->rows.entities_end);
            return;
        }
        read_entity(d);
    }
}

/* SPAWNSTATIC2 with REPLACEMENTDELTAS: an entity's number, and one update from the empty state. */
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
