/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/demo/dem/entity_frames.h"

#include <string.h>

#include "common/core/writer.h"
#include "common/quake/constants.h"
#include "common/quake/dialect.h"
#include "common/quake/fields.h"

enum {
    FIRST_VERSION = 5,
    MOVE_VERSION = 7, /* from here on with the number of the client's last move */
    FRAME_SIZE = 4,
    MOVE_SIZE = 4,
    END_SIZE = 2
};

bool dem_has_frames(const struct nq_session *session)
{
    return nq_darkplaces_version(session) >= FIRST_VERSION;
}

/* The bytes before the first entity. */
static uint32_t head_size(unsigned version)
{
    return 1u + FRAME_SIZE + (version >= MOVE_VERSION ? MOVE_SIZE : 0u);
}

static uint32_t read_bits(struct qs_reader *in)
{
    uint32_t bits = qs_reader_u8(in);

    if (bits & E_EXTEND1)
        bits |= (uint32_t)qs_reader_u8(in) << 8;
    if (bits & E_EXTEND2)
        bits |= (uint32_t)qs_reader_u8(in) << 16;
    if (bits & E_EXTEND3)
        bits |= (uint32_t)qs_reader_u8(in) << 24;
    return bits;
}

/* Fields whose size does not depend on other bits. */
static const struct {
    uint32_t bit;
    uint8_t size;
} fixed[] = {
    {E5_FLAGS, 1},    {E5_SKIN, 1},       {E5_ALPHA, 1},          {E5_SCALE, 1},
    {E5_COLORMAP, 1}, {E5_LIGHT, 10},     {E5_GLOW, 2},           {E5_COLORMOD, 3},
    {E5_GLOWMOD, 3},  {E5_ATTACHMENT, 3}, {E5_TRAILEFFECTNUM, 2},
};

static uint32_t effects_size(uint32_t bits)
{
    if (bits & E5_EFFECTS32)
        return 4;
    return bits & E5_EFFECTS16 ? 2 : 1;
}

/* Bytes behind the bits, in whatever order; without animations, which are of any size. */
static uint32_t fields_size(uint32_t bits)
{
    uint32_t size = 0;

    for (size_t i = 0; i < G_N_ELEMENTS(fixed); i++)
        size += bits & fixed[i].bit ? fixed[i].size : 0;
    if (bits & E5_ORIGIN)
        size += bits & E5_ORIGIN32 ? 12 : 6;
    if (bits & E5_ANGLES)
        size += bits & E5_ANGLES16 ? 6 : 3;
    if (bits & E5_MODEL)
        size += bits & E5_MODEL16 ? 2 : 1;
    if (bits & E5_FRAME)
        size += bits & E5_FRAME16 ? 2 : 1;
    if (bits & E5_EFFECTS)
        size += effects_size(bits);
    return size;
}

/* `update`: from the entity's number on, which is `number`. */
static void keep(struct qs_sign_on *sign_on, uint16_t number, struct qs_view head,
                 struct qs_view update)
{
    GByteArray *bytes = g_byte_array_new();

    qs_write_view(bytes, head);
    qs_write_view(bytes, update);
    qs_write_u16(bytes, ENTITIES_END);
    qs_sign_on_replace(sign_on, qs_sign_on_about(SVC_DP_ENTITIES, number), qs_view_of_bytes(bytes));
    g_byte_array_free(bytes, TRUE);
}

void dem_frames_keep(struct qs_sign_on *sign_on, const struct nq_session *session,
                     struct qs_view message)
{
    const struct qs_view head = {message.data, head_size(nq_darkplaces_version(session))};
    struct qs_reader in = qs_reader_over(message.data, message.size);

    qs_reader_take(&in, head.size);
    while (!in.overrun && qs_reader_left(&in) > END_SIZE) {
        const uint32_t at = in.pos;
        const uint16_t word = qs_reader_u16(&in);
        uint32_t bits;

        if (word & ENTITY_REMOVE)
            continue;
        bits = read_bits(&in);
        if (bits & E5_COMPLEXANIMATION)
            return;
        qs_reader_take(&in, fields_size(bits));
        if (bits & E5_FULLUPDATE && !in.overrun)
            keep(sign_on, word, head, (struct qs_view){message.data + at, in.pos - at});
    }
}

/* --- The late session --- */

enum { ENTITIES = ENTITY_NUMBER + 1 };

/* The first that the late session is told of an entity. */
enum first { NOTHING, FULL_UPDATE, CHANGE, REMOVAL };

struct dem_frames_entity {
    uint8_t first;  /* enum first */
    bool judged;    /* its first full update was seen */
    uint16_t model; /* the donor's; 0: it has none */
    double place[2];
};

void dem_frames_init(struct dem_frames *frames)
{
    *frames = (struct dem_frames){.entities = g_new0(struct dem_frames_entity, ENTITIES)};
}

void dem_frames_clear(struct dem_frames *frames)
{
    g_free(frames->entities);
}

static void hear_place(struct dem_frames *frames, unsigned row, const struct qs_value *value)
{
    if (row == NQ_ENTITY_ORIGIN_X)
        frames->place[0] = value->f;
    else if (row == NQ_ENTITY_ORIGIN_Y)
        frames->place[1] = value->f;
}

void dem_frames_hear_lent(struct dem_frames *frames, unsigned row, const struct qs_value *value)
{
    struct dem_frames_entity *entity = &frames->entities[frames->number];

    hear_place(frames, row, value);
    if (row == NQ_ENTITY_WORD) {
        frames->number = (uint32_t)value->u & ENTITY_NUMBER;
    } else if (row == NQ_ENTITY_MODEL) {
        entity->model = (uint16_t)value->u;
        memcpy(entity->place, frames->place, sizeof entity->place);
    }
}

static void note_first(struct dem_frames *frames, enum first first)
{
    struct dem_frames_entity *entity = &frames->entities[frames->number];

    if (entity->first == NOTHING)
        entity->first = (uint8_t)first;
}

static bool is_same_place(const double a[2], const double b[2])
{
    return a[0] == b[0] && a[1] == b[1];
}

/* Numbers of missiles and the like are used again: another place alone proves nothing. */
static void judge(struct dem_frames *frames, uint16_t model)
{
    struct dem_frames_entity *entity = &frames->entities[frames->number];

    if (!frames->full || entity->judged || !entity->model)
        return;
    entity->judged = true;
    if (entity->model != model)
        frames->contradictions++;
    else if (is_same_place(entity->place, frames->place))
        frames->agreements++;
}

void dem_frames_hear_late(struct dem_frames *frames, unsigned row, const struct qs_value *value)
{
    hear_place(frames, row, value);
    switch (row) {
    case NQ_ENTITY_WORD:
        frames->number = (uint32_t)value->u & ENTITY_NUMBER;
        if (value->u & ENTITY_REMOVE)
            note_first(frames, REMOVAL);
        break;
    case NQ_ENTITY_E5BITS:
        frames->full = value->u & E5_FULLUPDATE;
        note_first(frames, frames->full ? FULL_UPDATE : CHANGE);
        break;
    case NQ_ENTITY_MODEL:
        judge(frames, (uint16_t)value->u);
        break;
    }
}

bool dem_frames_is_kept(const struct dem_frames *frames, struct qs_view message, unsigned version,
                        bool *wanted)
{
    const uint32_t head = head_size(version);
    enum first first;

    if (message.data[0] != SVC_DP_ENTITIES || message.size < head + END_SIZE)
        return false;
    first = (enum first)frames->entities[qs_le16(message.data + head) & ENTITY_NUMBER].first;
    *wanted = first == CHANGE || first == REMOVAL;
    return true;
}
