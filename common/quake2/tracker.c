/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/quake2/tracker.h"

#include <string.h>

#include "common/core/containers.h"
#include "common/quake2/session.h"

static struct q2_frame **slot_of(struct q2_tracker *tracker, int32_t number)
{
    return &tracker->frames[(uint32_t)number % Q2_UPDATE_BACKUP];
}

struct q2_tracker *q2_tracker_new(void)
{
    struct q2_tracker *tracker = g_new0(struct q2_tracker, 1);

    tracker->sources = g_ptr_array_new_with_free_func((GDestroyNotify)g_bytes_unref);
    tracker->begun = g_array_new(FALSE, FALSE, sizeof(int32_t));
    return tracker;
}

void q2_tracker_level(struct q2_tracker *tracker)
{
    for (unsigned i = 0; i < Q2_UPDATE_BACKUP; i++)
        g_clear_pointer(&tracker->frames[i], q2_frame_free);
    tracker->newest = 0;
    tracker->reading = NULL;
    tracker->base = NULL;
}

void q2_tracker_free(struct q2_tracker *tracker)
{
    if (!tracker)
        return;
    q2_tracker_detach(tracker);
    if (tracker->mentions)
        g_array_free(tracker->mentions, TRUE);
    q2_tracker_level(tracker);
    g_ptr_array_free(tracker->sources, TRUE);
    g_array_free(tracker->begun, TRUE);
    q2_frame_free(tracker->unfinished);
    g_free(tracker);
}

void q2_tracker_detach(struct q2_tracker *tracker)
{
    if (tracker->followed)
        tracker->followed->tracker = NULL;
    tracker->followed = NULL;
}

void q2_tracker_attach(struct q2_tracker *tracker, struct q2_session *session)
{
    if (session->tracker)
        q2_tracker_detach(session->tracker);
    q2_tracker_detach(tracker);
    session->tracker = tracker;
    tracker->followed = session;
    q2_tracker_level(tracker);
}

void q2_tracker_want_mentions(struct q2_tracker *tracker)
{
    tracker->mentions = g_array_new(FALSE, FALSE, sizeof(struct q2_mention));
}

void q2_tracker_insert(struct q2_tracker *tracker, const struct q2_frame *frame)
{
    struct q2_frame **slot = slot_of(tracker, frame->number);

    if (!*slot)
        *slot = g_new0(struct q2_frame, 1);
    q2_frame_copy(*slot, frame);
    tracker->newest = MAX(tracker->newest, frame->number);
}

void q2_tracker_begin_packet(struct q2_tracker *tracker)
{
    qs_array_empty(tracker->begun);
    if (tracker->mentions)
        qs_array_empty(tracker->mentions);
    if (tracker->sources->len)
        g_ptr_array_set_size(tracker->sources, 0);
    tracker->reading = NULL; /* left over from a cut packet */
}

void q2_tracker_source(struct q2_tracker *tracker, GBytes *source)
{
    g_ptr_array_add(tracker->sources, g_bytes_ref(source));
}

const struct q2_frame *q2_tracker_frame(const struct q2_tracker *tracker, int32_t number)
{
    const struct q2_frame *frame = tracker->frames[(uint32_t)number % Q2_UPDATE_BACKUP];

    return frame && frame->number == number ? frame : NULL;
}

int32_t q2_tracker_begun(const struct q2_tracker *tracker, guint index)
{
    return index < tracker->begun->len ? g_array_index(tracker->begun, int32_t, index) : 0;
}

struct q2_player *q2_tracker_guessed_player(struct q2_tracker *tracker, int32_t number)
{
    struct q2_frame *frame = *slot_of(tracker, number);

    return frame && frame->trust == Q2_FRAME_GUESSED && frame->number == number ? &frame->player
                                                                                : NULL;
}

void q2_frame_copy(struct q2_frame *to, const struct q2_frame *from)
{
    q2_entities_copy(to->entities, from->entities);
    memcpy(to, from, offsetof(struct q2_frame, entities));
}

void q2_frame_clear(struct q2_frame *frame)
{
    q2_entities_clear(frame->entities);
    *frame = (struct q2_frame){0};
}

void q2_frame_free(struct q2_frame *frame)
{
    if (frame)
        q2_frame_clear(frame);
    g_free(frame);
}

/* --- Frames that are read --- */

/* Finds the frame that a delta refers to. If it is missing, the newest known frame is the best
 * guess, as in Q2PRO ("recovering broken demo"). */
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
    return base || tracker->mentions ? Q2_FRAME_GUESSED : Q2_FRAME_NONE;
}

void q2_tracker_frame_begin(struct q2_tracker *tracker, int32_t number, int32_t delta,
                            uint8_t suppressed, struct qs_view areas)
{
    const bool missing = delta > 0 && (delta == number || !q2_tracker_frame(tracker, delta));
    struct q2_frame *frame = tracker->unfinished;

    if (!frame)
        frame = tracker->unfinished = g_new0(struct q2_frame, 1);
    q2_entities_empty(frame->entities);
    frame->trust = find_base(tracker, number, delta);
    frame->reference_missing = missing;
    frame->removes = false;
    frame->number = number;
    frame->delta = delta;
    frame->suppressed = suppressed;
    frame->player = tracker->base ? tracker->base->player : (struct q2_player){0};
    frame->area_bytes = (uint8_t)MIN(areas.size, Q2_AREA_BYTES_MAX);
    if (frame->area_bytes)
        memcpy(frame->areas, areas.data, frame->area_bytes);
    tracker->reading = frame;
    tracker->base_next = 0;
    qs_array_add(tracker->begun, &tracker->begun_room);
    g_array_index(tracker->begun, int32_t, tracker->begun->len - 1) = number;
}

struct q2_player *q2_tracker_player(struct q2_tracker *tracker)
{
    return tracker->reading ? &tracker->reading->player : NULL;
}

/* Carries over the base's entities below `number`, which the delta does not mention. */
static void carry_below(struct q2_tracker *tracker, uint32_t number, bool beams_keep_origin)
{
    const struct q2_entities *from = tracker->base ? tracker->base->entities : NULL;

    if (from && tracker->base_next < from->len &&
        q2_entities_at(from, tracker->base_next)->number < number)
        tracker->base_next = q2_entities_carry(tracker->reading->entities, from, tracker->base_next,
                                               number, beams_keep_origin);
}

static const struct q2_entity *read_from_base(struct q2_tracker *tracker, uint16_t number)
{
    const struct q2_entity *old;

    if (!tracker->base || tracker->base_next >= tracker->base->entities->len)
        return NULL;
    old = q2_entities_at(tracker->base->entities, tracker->base_next);
    if (old->number != number)
        return NULL;
    tracker->base_next++;
    return old;
}

/* Returns the state that an entity's delta refers to. */
static const struct q2_entity *start_of(const struct q2_tracker *tracker, uint16_t number,
                                        const struct q2_entity *old)
{
    static const struct q2_entity nothing;
    const struct q2_entity *from = old ? old : q2_baseline(tracker->followed, number);

    return from ? from : &nothing;
}

struct q2_entity *q2_tracker_entity(struct q2_tracker *tracker, uint16_t number, uint64_t bits,
                                    bool beams_keep_origin)
{
    const struct q2_entity *old;
    struct q2_entity *entity;

    if (!tracker->reading)
        return NULL;
    carry_below(tracker, number, beams_keep_origin);
    old = read_from_base(tracker, number);
    if (tracker->mentions) {
        const struct q2_mention mention = {tracker->reading->number, number, bits};

        g_array_append_val(tracker->mentions, mention);
    }
    tracker->reading->removes |= bits & U_REMOVE;
    if (bits & U_REMOVE)
        return NULL;
    entity = q2_entities_append(tracker->reading->entities, start_of(tracker, number, old));
    entity->number = number;
    entity->event = 0;
    return entity;
}

void q2_tracker_frame_end(struct q2_tracker *tracker, bool beams_keep_origin)
{
    if (!tracker->reading)
        return;
    carry_below(tracker, UINT32_MAX, beams_keep_origin);
    if (tracker->reading->trust != Q2_FRAME_NONE) {
        /* Stores the frame. The replaced one may be its base, or the same frame, read earlier. */
        struct q2_frame **slot = slot_of(tracker, tracker->unfinished->number), *old = *slot;

        *slot = tracker->unfinished;
        tracker->newest = (*slot)->number;
        tracker->unfinished = old;
    }
    tracker->reading = NULL;
    tracker->base = NULL;
}

bool q2_tracker_lacks_first(const struct q2_tracker *tracker)
{
    const struct q2_frame *last = tracker->unfinished;

    return tracker->begun->len && !tracker->newest && last && last->delta != last->number;
}
