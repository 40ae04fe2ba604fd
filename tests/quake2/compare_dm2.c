/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compares a rebuilt demo with the client's own recording of the same game, in meaning: every field
 * of the player and of every entity in every frame, and every other message byte for byte.
 *
 *     compare_dm2 [--modelled-only | --entities | --late] REBUILT RECORDED
 *
 * Prints the counts in one line. Exit status 0 whatever they are; 2: a file cannot be read.
 *
 * What two right demos may differ in is left out of the comparison:
 *   - where it begins: at the first frame of the recording, which may have begun later;
 *   - the numbers of frames, which Q2PRO counts anew; old origins but those of beams and of
 *     entities that move in steps, which a player does not get from the demo;
 *   - with --late what comes before the rebuilt demo's first frame; frames have the same numbers,
 * and wrong entity states are counted;
 *   - with --modelled-only entities without a model: recorders of id's engine and yquake2 forget
 *     their baselines.
 */
#include <stdio.h>

#include "common/core/decode.h"
#include "common/demo/dm2/dm2.h"
#include "common/quake2/session.h"

struct wish {
    bool modelled_only, entities_only, late;
};

struct frame {
    struct q2_frame state; /* with entities of its own */
    guint block;           /* in which it stands */
    guint message;         /* how many other messages came before that */
};

struct recording {
    gchar *data;
    GArray *blocks;   /* struct qs_view, of those that the game sent: behind the preamble */
    GArray *frames;   /* struct frame */
    GArray *messages; /* GBytes *: the others, from the first frame's packet on */
    guint bad;        /* blocks with problems, and frames whose delta has nothing to stand on */
};

static void keep_frame(struct recording *recording, const struct q2_frame *state, guint message)
{
    struct frame frame = {.block = recording->blocks->len - 1, .message = message};

    q2_frame_copy(&frame.state, state);
    g_array_append_val(recording->frames, frame);
}

static void keep_messages(struct recording *recording, const struct q2_tracker *tracker,
                          const struct qs_decoder *decoder)
{
    const guint before = recording->messages->len;
    guint frames = 0;

    for (guint i = 0; i < decoder->found.messages->len; i++) {
        const struct qs_message *message = qs_message_at(decoder, i);
        const int32_t number = message->id == SVC_FRAME ? q2_tracker_begun(tracker, frames++) : 0;
        const struct q2_frame *frame = number ? q2_tracker_frame(tracker, number) : NULL;

        if (message->id == SVC_FRAME && (!frame || frame->trust != Q2_FRAME_WHOLE))
            recording->bad++;
        if (frame)
            keep_frame(recording, frame, before);
        else if (message->id < SVC_PLAYERINFO) {
            GBytes *bytes = g_bytes_new(message->bytes, message->length);

            g_array_append_val(recording->messages, bytes);
        }
    }
}

/* The preamble ends with the command that makes the player load all. */
static bool ends_preamble(struct qs_view block)
{
    static const char precache[] = "\vprecache\n";

    return block.size >= sizeof precache &&
           memcmp(block.data + block.size - sizeof precache, precache, sizeof precache) == 0;
}

static void decode_blocks(struct recording *recording, struct qs_reader *in)
{
    struct q2_session session;
    struct qs_decoder decoder;
    struct qs_view block;
    bool preamble = true;

    q2_protocol.session_init(&session.base);
    q2_tracker_attach(q2_tracker_new(), &session);
    qs_decoder_init(&decoder, &q2_protocol);
    while (dm2_read_block(in, &block) == QS_DEMO_BLOCK) {
        const struct qs_packet packet = {
            .data = block.data, .size = block.size, .wire_size = block.size};

        qs_decode_server_messages(&decoder, &session.base, NULL, &packet);
        recording->bad += qs_decoder_problems(&decoder) != 0;
        /* A change of level within the file begins another game. */
        if (session.base.level > 1)
            break;
        if (!preamble) {
            g_array_append_val(recording->blocks, block);
            keep_messages(recording, session.tracker, &decoder);
        }
        preamble = preamble && !ends_preamble(block);
    }
    qs_decoder_clear(&decoder);
    q2_tracker_free(session.tracker);
    q2_protocol.session_clear(&session.base);
}

static bool load(const char *file, struct recording *recording)
{
    GError *error = NULL;
    struct qs_reader in;
    gsize size;

    if (!g_file_get_contents(file, &recording->data, &size, &error)) {
        fprintf(stderr, "compare_dm2: %s\n", error->message);
        g_error_free(error);
        return false;
    }
    recording->blocks = g_array_new(FALSE, FALSE, sizeof(struct qs_view));
    recording->frames = g_array_new(FALSE, FALSE, sizeof(struct frame));
    recording->messages = g_array_new(FALSE, FALSE, sizeof(GBytes *));
    in = qs_reader_over((const uint8_t *)recording->data, (uint32_t)size);
    decode_blocks(recording, &in);
    return true;
}

static void unload(struct recording *recording)
{
    for (guint i = 0; i < recording->frames->len; i++)
        q2_frame_clear(&g_array_index(recording->frames, struct frame, i).state);
    for (guint i = 0; i < recording->messages->len; i++)
        g_bytes_unref(g_array_index(recording->messages, GBytes *, i));
    g_array_free(recording->blocks, TRUE);
    g_array_free(recording->frames, TRUE);
    g_array_free(recording->messages, TRUE);
    g_free(recording->data);
}

/* --- Frames */

static bool same_entity(const struct q2_entity *a, const struct q2_entity *b)
{
    struct q2_entity one = *a, other = *b;

    if (!(one.renderfx & (RF_BEAM | RF_FRAMELERP))) {
        memset(one.old_origin, 0, sizeof one.old_origin);
        memset(other.old_origin, 0, sizeof other.old_origin);
    }
    return memcmp(&one, &other, sizeof one) == 0;
}

static const struct q2_entity *next_entity(const struct q2_frame *frame, guint *index,
                                           struct wish wish)
{
    while (*index < frame->entities->len) {
        const struct q2_entity *entity = q2_entities_at(frame->entities, (*index)++);

        if (!wish.modelled_only || entity->model[0])
            return entity;
    }
    return NULL;
}

static bool same_entities(const struct q2_frame *a, const struct q2_frame *b, struct wish wish)
{
    guint index_a = 0, index_b = 0;

    for (;;) {
        const struct q2_entity *one = next_entity(a, &index_a, wish);
        const struct q2_entity *other = next_entity(b, &index_b, wish);

        if (!one || !other)
            return one == other;
        if (!same_entity(one, other))
            return false;
    }
}

static bool same_player(const struct q2_player *a, const struct q2_player *b)
{
    struct q2_player one = *a, other = *b;

    one.clientnum = other.clientnum = 0; /* no demo has it */
    return memcmp(&one, &other, sizeof one) == 0;
}

static bool same_frame(const struct frame *a, const struct frame *b, struct wish wish)
{
    if (!same_entities(&a->state, &b->state, wish))
        return false;
    return wish.entities_only ||
           (a->state.area_bytes == b->state.area_bytes &&
            memcmp(a->state.areas, b->state.areas, a->state.area_bytes) == 0 &&
            same_player(&a->state.player, &b->state.player));
}

/* States of the second frame that the first has otherwise or lacks, and those it has too many. */
static guint count_wrong(const struct frame *a, const struct frame *b)
{
    guint right = 0, index;

    for (guint i = 0; i < b->state.entities->len; i++) {
        const struct q2_entity *wanted = q2_entities_at(b->state.entities, i);

        if (q2_entities_find(a->state.entities, wanted->number, &index) &&
            same_entity(q2_entities_at(a->state.entities, index), wanted))
            right++;
    }
    return MAX(a->state.entities->len, b->state.entities->len) - right;
}

static const struct frame *frame_at(const struct recording *recording, guint index)
{
    if (index >= recording->frames->len)
        return NULL;
    return &g_array_index(recording->frames, struct frame, index);
}

static const struct frame *frame_numbered(const struct recording *recording, guint from,
                                          int32_t number)
{
    const struct frame *frame;

    while ((frame = frame_at(recording, from)) && frame->state.number < number)
        from++;
    return frame && frame->state.number == number ? frame : NULL;
}

/* Where the recording begins in the rebuilt demo. */
struct alignment {
    guint from; /* the first frame of the recording that is compared */
    guint start;
    bool by_number; /* frames have the same numbers; else they are matched by their order */
};

static guint count_same(const struct recording *rebuilt, const struct recording *recorded,
                        struct alignment at, struct wish wish)
{
    const struct frame *wanted;
    guint same = 0;

    for (guint i = at.from; (wanted = frame_at(recorded, i)); i++) {
        const struct frame *frame = at.by_number
                                        ? frame_numbered(rebuilt, at.start, wanted->state.number)
                                        : frame_at(rebuilt, at.start + i);

        same += frame && same_frame(frame, wanted, wish);
    }
    return same;
}

static void print_states(const struct recording *rebuilt, const struct recording *recorded,
                         struct alignment at)
{
    const struct wish entities = {.entities_only = true};
    const struct frame *wanted;
    guint states = 0, wrong = 0, same = 0;

    for (guint i = at.from; (wanted = frame_at(recorded, i)); i++) {
        const struct frame *frame = at.by_number
                                        ? frame_numbered(rebuilt, at.start, wanted->state.number)
                                        : frame_at(rebuilt, at.start + i);

        states += wanted->state.entities->len;
        wrong += frame ? count_wrong(frame, wanted) : wanted->state.entities->len;
        same += frame && same_frame(frame, wanted, entities);
    }
    printf("wrong states %u of %u, entities of %u frames\n", wrong, states, same);
}

/* From the rebuilt demo's first frame on. */
static struct alignment align_late(const struct recording *rebuilt,
                                   const struct recording *recorded)
{
    const struct frame *first = frame_at(rebuilt, 0);
    struct alignment at = {.by_number = true};

    while (frame_at(recorded, at.from) &&
           (!first || frame_at(recorded, at.from)->state.number < first->state.number))
        at.from++;
    return at;
}

/* The frame of the recording's first number, or, where frames were counted anew, the one from which
 * most are the same. */
static struct alignment align(const struct recording *rebuilt, const struct recording *recorded,
                              struct wish wish)
{
    const struct frame *first = frame_at(recorded, 0);
    struct alignment best = {0};
    guint best_same = 0;

    if (wish.late)
        return align_late(rebuilt, recorded);
    for (guint i = 0; first && i < rebuilt->frames->len; i++) {
        const struct alignment here = {.start = i};
        guint same;

        if (first->state.number > 1 && frame_at(rebuilt, i)->state.number == first->state.number)
            return (struct alignment){.start = i, .by_number = true};
        same = count_same(rebuilt, recorded, here, wish);
        if (same > best_same) {
            best = here;
            best_same = same;
        }
    }
    return best;
}

/* --- Other messages and blocks */

static GBytes *message_of(const struct recording *recording, guint index)
{
    if (index >= recording->messages->len)
        return NULL;
    return g_array_index(recording->messages, GBytes *, index);
}

/* Prints what the recording has and the rebuilt demo has not, in order. */
static guint count_missing(const struct recording *rebuilt, guint at,
                           const struct recording *recorded)
{
    guint missing = 0;
    GBytes *wanted;

    for (guint i = 0; (wanted = message_of(recorded, i)); i++) {
        guint found = at;
        GBytes *candidate;

        while ((candidate = message_of(rebuilt, found)) && !g_bytes_equal(candidate, wanted))
            found++;
        if (candidate) {
            at = found + 1;
            continue;
        }
        missing++;
        fprintf(stderr, "missing: svc %u, %zu bytes\n",
                ((const uint8_t *)g_bytes_get_data(wanted, NULL))[0], g_bytes_get_size(wanted));
    }
    return missing;
}

static bool same_block(const struct recording *a, guint i, const struct recording *b, guint j)
{
    const struct qs_view one = g_array_index(a->blocks, struct qs_view, i);
    const struct qs_view other = g_array_index(b->blocks, struct qs_view, j);

    return one.size == other.size && (!one.size || memcmp(one.data, other.data, one.size) == 0);
}

/* Blocks of the recording that the rebuilt demo has too, in order. */
static guint count_same_blocks(const struct recording *rebuilt, guint at,
                               const struct recording *recorded)
{
    guint same = 0;

    for (guint i = 0; i < recorded->blocks->len; i++) {
        guint found = at;

        while (found < rebuilt->blocks->len && !same_block(rebuilt, found, recorded, i))
            found++;
        if (found == rebuilt->blocks->len)
            continue;
        same++;
        at = found + 1;
    }
    return same;
}

static void compare(const struct recording *rebuilt, const struct recording *recorded,
                    struct wish wish)
{
    const struct alignment at = align(rebuilt, recorded, wish);
    const struct frame *first = frame_at(rebuilt, at.start);

    printf("frames %u of %u, missing messages %u of %u, blocks %u of %u, bad %u\n",
           count_same(rebuilt, recorded, at, wish), recorded->frames->len - at.from,
           count_missing(rebuilt, first ? first->message : 0, recorded), recorded->messages->len,
           count_same_blocks(rebuilt, first ? first->block : 0, recorded), recorded->blocks->len,
           rebuilt->bad);
    if (wish.entities_only || wish.late)
        print_states(rebuilt, recorded, at);
}

int main(int argc, char **argv)
{
    const struct wish wish = {
        .modelled_only = argc == 4 && strcmp(argv[1], "--modelled-only") == 0,
        .entities_only = argc == 4 && strcmp(argv[1], "--entities") == 0,
        .late = argc == 4 && strcmp(argv[1], "--late") == 0,
    };
    const int options = wish.modelled_only || wish.entities_only || wish.late;
    struct recording rebuilt = {0}, recorded = {0};

    if (argc != 3 + options) {
        fprintf(stderr,
                "usage: compare_dm2 [--modelled-only | --entities | --late] REBUILT RECORDED\n");
        return 2;
    }
    if (!load(argv[1 + options], &rebuilt) || !load(argv[2 + options], &recorded))
        return 2;
    compare(&rebuilt, &recorded, wish);
    unload(&rebuilt);
    unload(&recorded);
    return 0;
}
