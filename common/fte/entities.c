/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * FTE's replacement deltas: entities, players among them, as changes to the message before. Source:
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

/* --- What the fields are written as: encodings of update_fields.def. `lerptime`: with LERPTIME
 * numbers have a variable length --- */

static void read_number(struct qs_decoder *d, unsigned id, bool lerptime, bool wide)
{
    if (lerptime)
        fte_uleb128(d, id);
    else if (wide)
        qs_u16(d, id);
    else
        qs_u8(d, id);
}

static void read_model(struct qs_decoder *d, unsigned id, bool lerptime, bool wide)
{
    const uint32_t at = d->in.pos;
    const uint32_t model = lerptime ? fte_uleb128(d, id) : wide ? qs_u16(d, id) : qs_u8(d, id);

    fte_session(d)->game->name_model(d, model, at, d->in.pos - at);
}

static void read_effects(struct qs_decoder *d, unsigned id, bool lerptime, uint32_t bits)
{
    if (!lerptime && bits & UF_EFFECTS && bits & UF_EFFECTS2)
        qs_u32(d, id);
    else
        read_number(d, id, lerptime, bits & UF_EFFECTS2);
}

static void read_skin(struct qs_decoder *d, unsigned id, bool lerptime, bool wide)
{
    if (lerptime)
        fte_uleb128_biased(d, id, 64);
    else if (wide)
        qs_i16(d, id);
    else
        qs_unsigned_byte(d, id);
}

/* Seven bits, and eight more where the top one is set. */
static void read_weaponframe(struct qs_decoder *d, unsigned id)
{
    const uint32_t at = d->in.pos;
    uint32_t frame = qs_reader_u8(&d->in);

    if (frame & 0x80)
        frame = (frame & 0x7f) | (uint32_t)qs_reader_u8(&d->in) << 7;
    qs_emit_uint(d, id, at, d->in.pos - at, frame);
}

/* The size of what others collide with. */
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
        read_number(d, FTE_UPDATE_BASEBONE, lerptime, false);
        read_number(d, FTE_UPDATE_BASEFRAME, lerptime, true);
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

static void read_trail(struct qs_decoder *d, bool lerptime)
{
    if (lerptime) {
        fte_uleb128(d, FTE_UPDATE_TRAIL_NUMBER);
        fte_uleb128(d, FTE_UPDATE_EMIT);
    } else if (qs_u16(d, FTE_UPDATE_TRAIL) & TRAIL_EMITS) {
        qs_u16(d, FTE_UPDATE_EMIT);
    }
}

/* clang-format off */
#define READ_U8(id) qs_u8(d, id)
#define READ_I16(id) qs_i16(d, id)
#define READ_EIGHTHS(id) qs_scaled_i16(d, id, 1 / 8.0)
#define READ_SIXTEENTHS(id) qs_scaled_u8(d, id, 1 / 16.0)
#define READ_COORD(id) qs_coord(d, id)
#define READ_ANGLE(id) qs_angle(d, id)
#define READ_ANGLE16(id) qs_angle16(d, id)
#define READ_ENTITY(id) fte_entity(d, id)
#define READ_NUMBER(id) fte_uleb128(d, id)
#define READ_BYTE(id) read_number(d, id, lerptime, false)
#define READ_INDEX(id) read_number(d, id, lerptime, wide)
#define READ_MODEL(id) read_model(d, id, lerptime, wide)
#define READ_EFFECTS(id) read_effects(d, id, lerptime, bits)
#define READ_SKIN(id) read_skin(d, id, lerptime, wide)
#define READ_WEAPONFRAME(id) read_weaponframe(d, id)
#define READ_DRAWFLAGS(id) read_drawflags(d)
#define READ_TAG_INDEX(id) lerptime ? fte_uleb128_biased(d, id, 1) : qs_unsigned_byte(d, id)
#define READ_TRAIL(id) read_trail(d, lerptime)
#define READ_PREDINFO(id) update->predbits = read_predinfo(d, bits, predinfo)
/* Behind what is malformed nothing can be read. */
#define READ_SOLID(id) read_solid(d); if (d->stop) return
#define READ_BONEDATA(id) read_bonedata(d, lerptime); if (d->stop) return
/* clang-format on */

/* What a client predicts the entity's movement with. Returns its bits. */
static uint8_t read_predinfo(struct qs_decoder *d, uint32_t bits, bool predinfo)
{
    const uint8_t predbits = qs_u8(d, FTE_UPDATE_PREDBITS);

#define PREDICTED(encoding, which, row)                                                            \
    if (predbits & (which))                                                                        \
        READ_##encoding(row);
#include "common/fte/update_fields.def"
    return predbits;
}

static void read_fields(struct qs_decoder *d, struct qs_entity_update *update)
{
    const uint32_t bits = update->bits, fte2 = fte_session(d)->fte2;
    const bool lerptime = fte2 & FTE2_LERPTIME, predinfo = fte2 & FTE2_PREDINFO;
    const bool wide = !lerptime && bits & UF_16BIT_LERPTIME;

    /* Without PREDINFO, what is predicted has angles of 16 bits. */
    if ((bits & UF_PREDINFO) && !predinfo)
        d->angle_format = QS_ANGLE_SHORT;
#define FIELD(encoding, which, row)                                                                \
    if (bits & (which)) {                                                                          \
        READ_##encoding(row);                                                                      \
    }
#define ROWS(which, first, last)                                                                   \
    if (bits & (which))                                                                            \
        qs_rows(d, first, last);
#include "common/fte/update_fields.def"
}

/* Fills in the bits of `update`. MVD1's FLOATCOORDS widens its coordinates, too. */
static void read_update(struct qs_decoder *d, struct qs_entity_update *update)
{
    const uint32_t at = d->in.pos, bits = fte_read_bits(d, FTE_UPDATE_BITS);
    const bool lerptime = fte_session(d)->fte2 & FTE2_LERPTIME;
    const enum qs_angle_format angles = d->angle_format;
    enum qs_coord_format coords;

    if (bits & (UF_UNUSED1 | UF_EXTEND4 | (lerptime ? UF_EFFECTS2 : 0))) { /* engines stop at it */
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
