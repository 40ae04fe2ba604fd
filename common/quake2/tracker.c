/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/quake2/tracker.h"

#include <string.h>

static struct q2_frame *slot_of(const struct q2_tracker *tracker, int32_t number)
{
    const unsigned slot = (uint32_t)number % Q2_FRAMES_KEPT;

    return (struct q2_frame *)&tracker->frames[slot];
}

struct q2_tracker *q2_tracker_new(void)
{
    struct q2_tracker *tracker = g_new0(struct q2_tracker, 1);

    tracker->baselines = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    tracker->bytes = g_byte_array_new();
    tracker->messages = g_array_new(FALSE, FALSE, sizeof(struct q2_copied_message));
    tracker->begun = g_array_new(FALSE, FALSE, sizeof(int32_t));
    return tracker;
}

static void forget_frames(struct q2_tracker *tracker)
{
    for (unsigned i = 0; i < Q2_FRAMES_KEPT; i++) {
        GArray *entities = tracker->frames[i].entities;

        if (entities)
            g_array_free(entities, TRUE);
        tracker->frames[i] = (struct q2_frame){0};
    }
    tracker->newest = 0;
    tracker->reading = NULL;
    tracker->base = NULL;
}

void q2_tracker_free(struct q2_tracker *tracker)
{
    if (!tracker)
        return;
    forget_frames(tracker);
    g_hash_table_destroy(tracker->baselines);
    g_byte_array_free(tracker->bytes, TRUE);
    g_array_free(tracker->messages, TRUE);
    g_array_free(tracker->begun, TRUE);
    if (tracker->spare.entities)
        g_array_free(tracker->spare.entities, TRUE);
    g_free(tracker);
}

void q2_tracker_level(struct q2_tracker *tracker)
{
    forget_frames(tracker);
    g_hash_table_remove_all(tracker->baselines);
}

void q2_tracker_begin_packet(struct q2_tracker *tracker)
{
    g_byte_array_set_size(tracker->bytes, 0);
    g_array_set_size(tracker->messages, 0);
    g_array_set_size(tracker->begun, 0);
    tracker->told = tracker->frames_copied = 0;
}

void q2_tracker_message(struct q2_tracker *tracker, uint8_t id, const uint8_t *data, uint32_t size)
{
    struct q2_copied_message message = {.id = id, .offset = tracker->bytes->len, .length = size};

    if (message.id == SVC_FRAME && tracker->frames_copied < tracker->begun->len)
        message.frame = g_array_index(tracker->begun, int32_t, tracker->frames_copied++);
    g_byte_array_append(tracker->bytes, data, size);
    g_array_append_val(tracker->messages, message);
}

void q2_tracker_baseline(struct q2_tracker *tracker, const struct q2_entity *baseline)
{
    struct q2_entity *copy;

    if (!baseline->number || baseline->number >= Q2_ENTITIES_EXTENDED_MAX)
        return;
    copy = g_new(struct q2_entity, 1);
    *copy = *baseline;
    g_hash_table_replace(tracker->baselines, GUINT_TO_POINTER(baseline->number), copy);
}

const struct q2_entity *q2_tracker_baseline_of(const struct q2_tracker *tracker, uint16_t number)
{
    return g_hash_table_lookup(tracker->baselines, GUINT_TO_POINTER(number));
}

const struct q2_frame *q2_tracker_frame(const struct q2_tracker *tracker, int32_t number)
{
    const struct q2_frame *frame = slot_of(tracker, number);

    return frame->trust != Q2_FRAME_NONE && frame->number == number ? frame : NULL;
}

const struct q2_entity *q2_frame_entity(const struct q2_frame *frame, uint16_t number)
{
    for (guint i = 0; i < frame->entities->len; i++) {
        const struct q2_entity *entity = &g_array_index(frame->entities, struct q2_entity, i);

        if (entity->number >= number)
            return entity->number == number ? entity : NULL;
    }
    return NULL;
}

/* --- Reading a frame */

/* What a frame is a delta from. Where that is missing, the newest frame that is known is the best
 * guess, as it is for Q2PRO ("recovering broken demo"). */
static enum q2_frame_trust find_base(struct q2_tracker *tracker, int32_t number, int32_t delta)
{
    const struct q2_frame *base = delta > 0 ? q2_tracker_frame(tracker, delta) : NULL;

    if (delta <= 0) {
        tracker->base = NULL;
        return Q2_FRAME_WHOLE;
    }
    if (base && delta != number) {
        tracker->base = base;
        return base->trust;
    }
    base = tracker->newest ? q2_tracker_frame(tracker, tracker->newest) : NULL;
    tracker->base = base;
    return base ? Q2_FRAME_GUESSED : Q2_FRAME_NONE;
}

/*
 * The frame that is read takes the place of the one that was kept there before. Where that is what
 * it is a delta from, the two trade places with the spare.
 */
static struct q2_frame *place_for(struct q2_tracker *tracker, int32_t number)
{
    struct q2_frame *frame = slot_of(tracker, number);

    if (tracker->base == frame) {
        const struct q2_frame spare = tracker->spare;

        tracker->spare = *frame;
        *frame = spare;
        tracker->base = &tracker->spare;
    }
    if (!frame->entities)
        frame->entities = g_array_new(FALSE, FALSE, sizeof(struct q2_entity));
    g_array_set_size(frame->entities, 0);
    return frame;
}

void q2_tracker_frame_begin(struct q2_tracker *tracker, int32_t number, int32_t delta,
                            uint8_t suppressed, struct qs_view areas)
{
    const bool missing = delta > 0 && (delta == number || !q2_tracker_frame(tracker, delta));
    const enum q2_frame_trust trust = find_base(tracker, number, delta);
    struct q2_frame *frame = place_for(tracker, number);

    *frame = (struct q2_frame){
        .trust = trust,
        .reference_missing = missing,
        .number = number,
        .delta = delta,
        .suppressed = suppressed,
        .entities = frame->entities,
    };
    if (tracker->base)
        frame->player = tracker->base->player;
    frame->area_bytes = (uint8_t)MIN(areas.size, Q2_AREA_BYTES_MAX);
    if (frame->area_bytes)
        memcpy(frame->areas, areas.data, frame->area_bytes);
    tracker->reading = frame;
    tracker->base_next = 0;
    g_array_append_val(tracker->begun, number);
}

struct q2_player *q2_tracker_player(struct q2_tracker *tracker)
{
    return tracker->reading ? &tracker->reading->player : NULL;
}

void q2_entity_came_from(struct q2_entity *entity, const int32_t origin[3], bool beams_keep_origin)
{
    if (!beams_keep_origin || !(entity->renderfx & RF_BEAM))
        memcpy(entity->old_origin, origin, sizeof entity->old_origin);
}

/* What is not mentioned is as it was: its event is over, and it comes from where it stands. */
static void carry(struct q2_entity *entity, bool beams_keep_origin)
{
    entity->event = 0;
    q2_entity_came_from(entity, entity->origin, beams_keep_origin);
}

static const struct q2_entity *next_of_base(const struct q2_tracker *tracker)
{
    if (!tracker->base || tracker->base_next >= tracker->base->entities->len)
        return NULL;
    return &g_array_index(tracker->base->entities, struct q2_entity, tracker->base_next);
}

/* Entities of the base that the delta skips are as they were. */
static void carry_below(struct q2_tracker *tracker, uint32_t number, bool beams_keep_origin)
{
    const struct q2_entity *first = next_of_base(tracker);
    GArray *entities = tracker->reading->entities;
    guint carried = entities->len;
    const struct q2_entity *old;

    while ((old = next_of_base(tracker)) && old->number < number)
        tracker->base_next++;
    if (!first)
        return;
    old = &g_array_index(tracker->base->entities, struct q2_entity, tracker->base_next);
    g_array_append_vals(entities, first, (guint)(old - first));
    for (; carried < entities->len; carried++)
        carry(&g_array_index(entities, struct q2_entity, carried), beams_keep_origin);
}

static struct q2_entity start_of(const struct q2_tracker *tracker, uint16_t number,
                                 const struct q2_entity *old)
{
    const struct q2_entity *from = old ? old : q2_tracker_baseline_of(tracker, number);
    struct q2_entity entity = {.number = number};

    if (from) {
        entity = *from;
        entity.event = 0;
    }
    return entity;
}

struct q2_entity *q2_tracker_entity(struct q2_tracker *tracker, uint16_t number, uint64_t bits,
                                    bool beams_keep_origin)
{
    const struct q2_entity *old;
    struct q2_entity entity;
    GArray *entities;

    if (!tracker->reading)
        return NULL;
    carry_below(tracker, number, beams_keep_origin);
    old = next_of_base(tracker);
    if (old && old->number == number)
        tracker->base_next++;
    else
        old = NULL;
    if (bits & U_REMOVE)
        return NULL;
    entity = start_of(tracker, number, old);
    entities = tracker->reading->entities;
    g_array_append_val(entities, entity);
    return &g_array_index(entities, struct q2_entity, entities->len - 1);
}

void q2_tracker_frame_end(struct q2_tracker *tracker, bool beams_keep_origin)
{
    if (!tracker->reading)
        return;
    carry_below(tracker, UINT32_MAX, beams_keep_origin);
    if (tracker->reading->trust != Q2_FRAME_NONE)
        tracker->newest = tracker->reading->number;
    tracker->reading = NULL;
}
