/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/quake2/encode.h"

#include <string.h>

#include "common/quake2/encode_entity.h"
#include "common/quake2/encode_player.h"

enum { NO_DELTA = -1 };

void q2_encode_u8(GByteArray *out, uint8_t value)
{
    g_byte_array_append(out, &value, 1);
}

void q2_encode_u16(GByteArray *out, uint16_t value)
{
    const uint16_t bytes = GUINT16_TO_LE(value);

    g_byte_array_append(out, (const uint8_t *)&bytes, sizeof bytes);
}

void q2_encode_u32(GByteArray *out, uint32_t value)
{
    const uint32_t bytes = GUINT32_TO_LE(value);

    g_byte_array_append(out, (const uint8_t *)&bytes, sizeof bytes);
}

void q2_encode_configstring(GByteArray *out, uint16_t index, struct qs_view text)
{
    enum { HEAD = 3 };
    const guint at = out->len;

    g_byte_array_set_size(out, at + HEAD + text.size + 1);
    out->data[at] = SVC_CONFIGSTRING;
    out->data[at + 1] = (uint8_t)index;
    out->data[at + 2] = (uint8_t)(index >> 8);
    if (text.size)
        memcpy(out->data + at + HEAD, text.data, text.size);
    out->data[at + HEAD + text.size] = 0;
}

void q2_encode_text(GByteArray *out, struct qs_view text)
{
    if (text.size)
        g_byte_array_append(out, text.data, text.size);
    q2_encode_u8(out, 0);
}

/* --- Entities */

void q2_encode_entity(GByteArray *out, const struct q2_variant *variant,
                      const struct q2_entity *from, const struct q2_entity *to, bool always,
                      bool is_new)
{
    struct q2_writer writer = q2_begin_writing(out);

    q2_put_entity(&writer, variant, from, to, always, is_new);
    q2_end_writing(&writer);
}

void q2_encode_baseline(GByteArray *out, const struct q2_variant *variant,
                        const struct q2_entity *baseline)
{
    const struct q2_entity nothing = {0};

    q2_encode_u8(out, SVC_SPAWNBASELINE);
    q2_encode_entity(out, variant, &nothing, baseline, true, false);
}

/* --- The frame */

static inline const struct q2_entity *entity_at(const struct q2_entities *entities, guint index)
{
    return index < entities->len ? q2_entities_at(entities, index) : NULL;
}

/* An entity that the frame before lacks starts from its baseline. */
static void put_new_entity(struct q2_writer *out, const struct q2_frame_style *style,
                           const struct q2_entity *entity)
{
    static const struct q2_entity nothing;
    const struct q2_entity *baseline = q2_tracker_baseline_of(style->baselines, entity->number);

    q2_put_entity(out, &style->variant, baseline ? baseline : &nothing, entity, true, true);
}

/* Frames share the states of entities that nothing happened to between them. The end of a beam may
 * have to be sent all the same. */
static bool is_shared(const struct q2_entity *old, const struct q2_entity *new)
{
    return new &&old == new && !(new->renderfx &RF_BEAM);
}

static void put_entities(struct q2_writer *out, const struct q2_frame_style *style,
                         const struct q2_entities *from, const struct q2_entities *entities)
{
    guint old_index = 0, new_index = 0;

    while (old_index < from->len || new_index < entities->len) {
        const struct q2_entity *old = entity_at(from, old_index);
        const struct q2_entity *new = entity_at(entities, new_index);

        if (is_shared(old, new)) {
            old_index++;
            new_index++;
        } else if (old && (!new || old->number < new->number)) {
            q2_put_entity_mask(out, U_REMOVE, old->number);
            old_index++;
        } else if (old && old->number == new->number) {
            q2_put_entity(out, &style->variant, old, new, false, new->number <= style->max_clients);
            old_index++;
            new_index++;
        } else {
            put_new_entity(out, style, new);
            new_index++;
        }
    }
    q2_put_u16(out, 0);
}

static void put_frame(struct q2_writer *out, const struct q2_frame_style *style,
                      const struct q2_frame *from, const struct q2_frame *frame)
{
    static const struct q2_player nobody;
    static const struct q2_entities none;

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
}

void q2_encode_frame(GByteArray *out, const struct q2_frame_style *style,
                     const struct q2_frame *from, const struct q2_frame *frame)
{
    struct q2_writer writer = q2_begin_writing(out);

    put_frame(&writer, style, from, frame);
    q2_end_writing(&writer);
}
