/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/quakeworld/frames.h"

#include "common/core/writer.h"
#include "common/quakeworld/constants.h"

/* --- Life --- */

void qw_frames_init(struct qw_frames *frames)
{
    *frames = (struct qw_frames){.baselines = g_hash_table_new_full(NULL, NULL, NULL, g_free)};
}

static void forget_frame(struct qw_frame *frame)
{
    if (frame->entities)
        g_array_unref(frame->entities);
    *frame = (struct qw_frame){0};
}

void qw_frames_level(struct qw_frames *frames)
{
    for (unsigned i = 0; i < QW_FRAMES_KEPT; i++)
        forget_frame(&frames->kept[i]);
    g_hash_table_remove_all(frames->baselines);
    frames->any = false;
}

void qw_frames_clear(struct qw_frames *frames)
{
    qw_frames_level(frames);
    g_hash_table_destroy(frames->baselines);
}

/* --- Baselines --- */

static const struct qw_entity *baseline_of(const struct qw_frames *frames, uint16_t number)
{
    return g_hash_table_lookup(frames->baselines, GUINT_TO_POINTER(number));
}

void qw_frames_baseline(struct qw_frames *frames, struct qs_view body, bool as_delta)
{
    struct qs_reader in = qs_reader_over(body.data, body.size);
    struct qw_entity baseline;

    if (as_delta)
        qw_read_delta_baseline(&in, &frames->format, &baseline);
    else
        qw_read_baseline(&in, &frames->format, &baseline);
    if (in.overrun || baseline.number >= QW_BASELINES_MAX)
        return;
    g_hash_table_replace(frames->baselines, GUINT_TO_POINTER(baseline.number),
                         g_memdup2(&baseline, sizeof baseline));
}

/* --- Frames --- */

static struct qw_frame *place_of(const struct qw_frames *frames, uint32_t sequence)
{
    return (struct qw_frame *)&frames->kept[sequence % QW_FRAMES_KEPT];
}

const struct qw_frame *qw_frames_at(const struct qw_frames *frames, uint32_t sequence)
{
    const struct qw_frame *frame = place_of(frames, sequence);

    return frame->trust != QW_FRAME_NONE && frame->sequence == sequence ? frame : NULL;
}

void qw_frames_set(struct qw_frames *frames, uint32_t sequence, GArray *entities,
                   enum qw_frame_trust trust)
{
    struct qw_frame *frame = place_of(frames, sequence);
    GArray *shared = g_array_ref(entities);

    forget_frame(frame);
    *frame = (struct qw_frame){.trust = trust, .sequence = sequence, .entities = shared};
    frames->newest = sequence;
    frames->any = true;
}

/* --- An update --- */

/* The merge of what a delta counts from with what it says, both in the order of numbers. */
struct merge {
    const struct qw_frames *frames;
    const GArray *from; /* NULL: nothing */
    guint next;         /* the first of `from` that was not looked at */
    GArray *to;
};

static void add(struct merge *merge, const struct qw_entity *entities, guint count)
{
    const guint room = QW_FRAME_ENTITIES_MAX - merge->to->len;

    g_array_append_vals(merge->to, entities, MIN(count, room));
}

static const struct qw_entity *next_of(const struct merge *merge)
{
    if (!merge->from || merge->next >= merge->from->len)
        return NULL;
    return &g_array_index(merge->from, struct qw_entity, merge->next);
}

/* What the delta skips is as it was. */
static void carry_below(struct merge *merge, uint32_t number)
{
    const guint first = merge->next;
    const struct qw_entity *entity;

    while ((entity = next_of(merge)) && entity->number < number)
        merge->next++;
    if (merge->next > first)
        add(merge, &g_array_index(merge->from, struct qw_entity, first), merge->next - first);
}

/* What the fields of a delta change: the state before, the baseline, or nothing. */
static struct qw_entity start_of(struct merge *merge, uint16_t number)
{
    const struct qw_entity *start = next_of(merge);

    if (start && start->number == number)
        merge->next++;
    else
        start = baseline_of(merge->frames, number);
    return start ? *start : (struct qw_entity){0};
}

static void read_entity(struct merge *merge, struct qs_reader *in)
{
    const struct qw_delta_format *format = &merge->frames->format;
    const struct qw_delta delta = qw_read_delta(in, format);
    struct qw_entity entity;

    carry_below(merge, delta.number);
    entity = start_of(merge, delta.number);
    if (delta.removes)
        return;
    qw_read_delta_fields(in, format, &delta, &entity);
    if (!in->overrun)
        add(merge, &entity, 1);
}

static bool at_end(struct qs_reader *in)
{
    return qs_reader_left(in) < 2 || qs_le16(in->data + in->pos) == 0;
}

/* The states that `in` makes of `from`: a new reference, or NULL where it is cut. */
static GArray *merge(const struct qw_frames *frames, GArray *from, struct qs_reader *in)
{
    struct merge merge = {.frames = frames, .from = from};

    /* Most often nothing has changed. */
    if (from && at_end(in))
        return g_array_ref(from);
    merge.to = g_array_sized_new(FALSE, FALSE, sizeof(struct qw_entity), from ? from->len + 1 : 1);
    while (!at_end(in))
        read_entity(&merge, in);
    carry_below(&merge, UINT32_MAX);
    if (!in->overrun)
        return merge.to;
    g_array_unref(merge.to);
    return NULL;
}

/* The frame that an update is applied to, and how far the outcome can be trusted. */
static const struct qw_frame *find_base(const struct qw_frames *frames, struct qw_update *update,
                                        enum qw_frame_trust *trust)
{
    const struct qw_frame *base = qw_frames_at(frames, update->base);

    update->base_used = base;
    *trust = base ? base->trust : QW_FRAME_GUESSED;
    return base || !frames->any ? base : qw_frames_at(frames, frames->newest);
}

struct qw_update qw_frames_update(struct qw_frames *frames, uint32_t sequence, struct qs_view body,
                                  bool is_delta)
{
    struct qs_reader in = qs_reader_over(body.data, body.size);
    struct qw_update update = {.is_delta = is_delta};
    enum qw_frame_trust trust = QW_FRAME_WHOLE;
    const struct qw_frame *base = NULL;
    GArray *entities;

    if (is_delta) {
        update.base = qw_delta_base(sequence, qs_reader_u8(&in));
        base = find_base(frames, &update, &trust);
    }
    entities = merge(frames, base ? base->entities : NULL, &in);
    if (!entities)
        return update;
    qw_frames_set(frames, sequence, entities, trust);
    g_array_unref(entities);
    update.frame = qw_frames_at(frames, sequence);
    return update;
}

void qw_frames_append(GByteArray *to, const struct qw_frames *frames, const struct qw_frame *frame)
{
    qs_write_u8(to, SVC_PACKETENTITIES);
    for (guint i = 0; i < frame->entities->len; i++) {
        const struct qw_entity *entity = &g_array_index(frame->entities, struct qw_entity, i);

        qw_append_delta(to, &frames->format, baseline_of(frames, entity->number), entity);
    }
    qs_write_u16(to, 0);
}
