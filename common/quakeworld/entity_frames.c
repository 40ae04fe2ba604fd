/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/quakeworld/entity_states.h"

#include "common/core/containers.h"
#include "common/core/writer.h"
#include "common/quakeworld/constants.h"

enum { BASELINE_MAX = 256, BASELINES_SENT_MAX = 16 * 1024 /* limits in bytes */ };

/* --- Initializing and clearing --- */

static void clear_root(void *root)
{
    g_free(((struct qw_root *)root)->states);
}

void qw_frames_init(struct qw_frames *frames)
{
    *frames = (struct qw_frames){.roots = g_array_new(FALSE, FALSE, sizeof(struct qw_root)),
                                 .baselines_sent = g_byte_array_new(),
                                 .bytes = g_byte_array_new()};
    g_array_set_clear_func(frames->roots, clear_root);
}

static struct qw_frame *frame_slot(struct qw_frames *frames, uint32_t number)
{
    return &frames->kept[number % QW_UPDATES_MAX];
}

void qw_frames_level(struct qw_frames *frames)
{
    for (uint32_t i = 0; i < frames->count; i++)
        g_clear_pointer(&frame_slot(frames, frames->first + i)->states, g_free);
    frames->first += frames->count;
    frames->count = 0;
    g_array_set_size(frames->roots, 0);
    qs_bytes_empty(frames->bytes);
    qs_bytes_empty(frames->baselines_sent);
    g_clear_pointer(&frames->baselines, g_free);
}

void qw_frames_clear(struct qw_frames *frames)
{
    qw_frames_level(frames);
    g_free(frames->kept);
    g_array_free(frames->roots, TRUE);
    g_byte_array_free(frames->baselines_sent, TRUE);
    g_byte_array_free(frames->bytes, TRUE);
}

/* --- Baselines --- */

static struct qw_states *baselines_of(struct qw_frames *frames)
{
    struct qs_reader in = qs_reader_over(frames->baselines_sent->data, frames->baselines_sent->len);

    while (qs_reader_left(&in)) {
        const bool as_delta = qs_reader_u8(&in);
        const uint32_t size = qs_reader_u16(&in);
        struct qw_entity baseline;

        if (qw_read_baseline((struct qs_view){qs_reader_bytes(&in, size), size}, as_delta,
                             &frames->format, &baseline))
            frames->baselines = qw_states_set(frames->baselines, &baseline);
    }
    if (in.size) {
        g_byte_array_free(frames->baselines_sent, TRUE);
        frames->baselines_sent = g_byte_array_new();
    }
    return frames->baselines;
}

void qw_frames_baseline(struct qw_frames *frames, struct qs_view body, bool as_delta)
{
    if (frames->baselines_sent->len > BASELINES_SENT_MAX)
        baselines_of(frames);
    body.size = MIN(body.size, BASELINE_MAX);
    qs_write_u8(frames->baselines_sent, as_delta);
    qs_write_u16(frames->baselines_sent, (uint16_t)body.size);
    qs_write_view(frames->baselines_sent, body);
}

/* --- States of frames --- */

static struct qw_root *root_of(struct qw_frames *frames, uint32_t number)
{
    for (guint i = 0; i < frames->roots->len; i++) {
        struct qw_root *root = &g_array_index(frames->roots, struct qw_root, i);

        if (root->number == number)
            return root;
    }
    return NULL;
}

static bool is_kept(const struct qw_frames *frames, uint32_t number)
{
    return number - frames->first < frames->count;
}

/* Applies the frame's own update to `states`, and returns the result. */
static struct qw_states *apply(struct qw_frames *frames, const struct qw_frame *frame,
                               struct qw_states *states)
{
    if (!frame->size)
        return states;
    return qw_states_apply(states, baselines_of(frames), &frames->format,
                           qs_reader_over(frames->bytes->data + frame->at, frame->size));
}

/* Walks back from a frame to the first one whose states are stored. Returns a copy of these states
 * (NULL: none), and in `path` the numbers of the `*steps` frames walked, the newest first. */
static struct qw_states *start_of(struct qw_frames *frames, uint32_t number,
                                  uint32_t path[QW_UPDATES_MAX], unsigned *steps)
{
    const struct qw_root *root;

    for (*steps = 0; is_kept(frames, number);) {
        const struct qw_frame *frame = frame_slot(frames, number);

        if (frame->states)
            return qw_states_copy(frame->states);
        path[(*steps)++] = number;
        if (!frame->has_parent)
            return NULL;
        number = frame->parent;
    }
    root = root_of(frames, number);
    return root ? qw_states_copy(root->states) : NULL;
}

/* Returns the states of a kept frame, and stores them in the frame. NULL: no entities. */
static const struct qw_states *states_of(struct qw_frames *frames, uint32_t number)
{
    uint32_t path[QW_UPDATES_MAX];
    unsigned steps;
    struct qw_frame *frame = frame_slot(frames, number);
    struct qw_states *states;

    if (frame->states)
        return frame->states;
    states = start_of(frames, number, path, &steps);
    while (steps)
        states = apply(frames, frame_slot(frames, path[--steps]), states);
    frame->states = states;
    return states;
}

/* --- Older frames --- */

/* Returns the root that replaces the frame: its parent if no other frame is a delta from that,
 * otherwise a new root with a copy of the parent's states. */
static struct qw_root *inherit(struct qw_frames *frames, const struct qw_frame *frame)
{
    struct qw_root *parent = frame->has_parent ? root_of(frames, frame->parent) : NULL;
    struct qw_root root = {0};

    if (parent && !--parent->children)
        return parent;
    if (parent && frame->children)
        root.states = qw_states_copy(parent->states);
    g_array_append_val(frames->roots, root);
    return &g_array_index(frames->roots, struct qw_root, frames->roots->len - 1);
}

/* Turns the first kept frame into a root, or drops it if no frame is a delta from it. */
static void fold_first(struct qw_frames *frames)
{
    struct qw_frame *frame = frame_slot(frames, frames->first);
    struct qw_root *root = inherit(frames, frame);

    root->number = frames->first++;
    root->children = frame->children;
    frames->count--;
    if (frame->states) {
        g_free(root->states);
        root->states = g_steal_pointer(&frame->states);
    } else if (root->children) {
        root->states = apply(frames, frame, root->states);
    }
    if (!root->children)
        g_array_remove_index_fast(frames->roots,
                                  (guint)(root - &g_array_index(frames->roots, struct qw_root, 0)));
}

/* Makes room for new frames. Of frames that no new delta can reach, keeps only the states, and only
 * if other frames are deltas from them. */
static void fold(struct qw_frames *frames)
{
    uint32_t size;

    while (frames->count > QW_FRAMES_KEPT)
        fold_first(frames);
    size = frame_slot(frames, frames->first)->at;
    g_byte_array_remove_range(frames->bytes, 0, size);
    for (uint32_t i = 0; i < frames->count; i++)
        frame_slot(frames, frames->first + i)->at -= size;
}

/* --- Updates --- */

enum { END_SIZE = 2 }; /* size of the word that ends an update */

/* Finds the frame of packet `sequence`. Returns false, without setting `*number`, if none is kept.
 * Searches from the newest on: numbers of packets grow, and a recent one is wanted most often. */
static bool find_frame(struct qw_frames *frames, uint32_t sequence, uint32_t *number)
{
    for (uint32_t i = frames->count; i; i--) {
        const struct qw_frame *frame = frame_slot(frames, frames->first + i - 1);

        if (frame->sequence > sequence)
            continue;
        if (frame->sequence < sequence)
            return false;
        *number = frames->first + i - 1;
        return true;
    }
    return false;
}

static struct qw_frame *add_frame(struct qw_frames *frames, uint32_t sequence,
                                  struct qs_view deltas)
{
    struct qw_frame *frame;

    if (!frames->kept)
        frames->kept = g_new0(struct qw_frame, QW_UPDATES_MAX);
    frame = frame_slot(frames, frames->first + frames->count++);
    *frame = (struct qw_frame){.sequence = sequence, .at = frames->bytes->len};
    if (deltas.size <= END_SIZE || deltas.size > QW_UPDATE_BYTES_MAX)
        return frame;
    frame->size = (uint16_t)deltas.size;
    g_byte_array_append(frames->bytes, deltas.data, deltas.size);
    return frame;
}

/* Adds a delta from packet update->base, or from the newest frame if that packet's is unknown. */
static void add_delta(struct qw_frames *frames, uint32_t sequence, struct qs_view deltas,
                      struct qw_update *update)
{
    const bool any = frames->count;
    uint32_t parent = frames->first + frames->count - 1;
    struct qw_frame *frame;

    update->base_known = find_frame(frames, update->base, &parent);
    frame = add_frame(frames, sequence, deltas);
    if (any) {
        frame_slot(frames, parent)->children++;
        frame->parent = parent;
        frame->has_parent = true;
    }
}

void qw_frames_update(struct qw_frames *frames, uint32_t sequence, struct qs_view body,
                      bool is_delta, struct qw_update *update)
{
    if (frames->count == QW_UPDATES_MAX)
        fold(frames);
    update->is_delta = is_delta && body.size;
    update->base_known = false;
    update->base = 0;
    if (!update->is_delta) {
        add_frame(frames, sequence, body);
        return;
    }
    update->base = qw_delta_base(sequence, body.data[0]);
    add_delta(frames, sequence, (struct qs_view){body.data + 1, body.size - 1}, update);
}

void qw_frames_add(struct qw_frames *frames, uint32_t sequence, const struct qw_states *states)
{
    if (frames->count == QW_UPDATES_MAX)
        fold(frames);
    add_frame(frames, sequence, (struct qs_view){0})->states = qw_states_copy(states);
}

void qw_frames_append(GByteArray *to, struct qw_frames *frames)
{
    const struct qw_states *states =
        frames->count ? states_of(frames, frames->first + frames->count - 1) : NULL;

    qs_write_u8(to, SVC_PACKETENTITIES);
    for (uint32_t i = 0; states && i < MIN(states->count, frames->format.entities); i++) {
        const struct qw_entity *entity = &states->entities[i];

        qw_append_delta(to, &frames->format, qw_states_find(baselines_of(frames), entity->number),
                        entity);
    }
    qs_write_u16(to, 0);
}
