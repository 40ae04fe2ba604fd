/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a Quake II session can lend: its config strings and baselines, and frames, for the states of
 * entities that a borrower's first frames are changes to. Source: common/quake2/PROTOCOL.md,
 * section 14.
 */
#include <string.h>

#include "common/demo/dm2/late_join.h"
#include "common/quake2/configstrings.h"

/* Frames; of a demo there is time to look at more. */
enum { VOTE_EVERY = 32, VOTE_EVERY_OF_DEMO = 8, VIEW_EVERY = 2 };

bool dm2_same_state(const struct q2_entity *a, const struct q2_entity *m)
{
    return memcmp(a->model, m->model, sizeof a->model) == 0 && a->frame == m->frame &&
           a->skin == m->skin && a->effects == m->effects && a->renderfx == m->renderfx &&
           memcmp(a->origin, m->origin, sizeof a->origin) == 0 &&
           memcmp(a->angles, m->angles, sizeof a->angles) == 0 && a->sound == m->sound &&
           a->alpha == m->alpha && a->scale == m->scale && a->morefx == m->morefx;
}

/* --- What is kept --- */

static void init(struct dm2_donor_view *told, const struct qs_sign_on_extra *extra)
{
    memset(told, 0, sizeof *told);
    told->extra = *extra;
    told->views = NULL;
    told->usual = g_hash_table_new_full(NULL, NULL, NULL, g_free);
}

static void free_frames(struct q2_frame *frames, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (frames[i].entities)
            q2_entities_free(frames[i].entities);
}

static void told_free(void *extra)
{
    struct dm2_donor_view *told = extra;

    q2_tracker_free(told->own);
    q2_session_clear(&told->session.base);
    if (told->recent)
        free_frames(told->recent, Q2_FRAMES_KEPT);
    g_free(told->recent);
    free_frames(told->samples, DM2_SAMPLES);
    g_hash_table_destroy(told->usual);
    g_hash_table_destroy(told->views);
    g_free(told);
}

static void copy_frames(struct q2_frame *to, const struct q2_frame *from, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (from[i].entities)
            q2_frame_copy(&to[i], &from[i]);
}

static void copy_usual(struct dm2_donor_view *to, const struct dm2_donor_view *from)
{
    GHashTableIter iter;
    gpointer number, usual;

    g_hash_table_iter_init(&iter, from->usual);
    while (g_hash_table_iter_next(&iter, &number, &usual)) {
        struct dm2_vote *copy = g_new(struct dm2_vote, 1);

        *copy = *(const struct dm2_vote *)usual;
        g_hash_table_insert(to->usual, number, copy);
    }
}

/* Whether the donor is still in the level. */
static bool goes_on(const struct dm2_donor_view *told)
{
    return told->live && told->live->tracker && told->live->base.level == told->session.base.level;
}

/* Q2PRO leaves out where a client's own entity is; a player who stands still looks where his last
 * command says. */
static void place_in(struct q2_frame *frame, const struct q2_session *session)
{
    guint index;
    struct q2_entity *own;

    if (!frame->entities || frame->player.pm_type >= PM_DEAD ||
        !q2_entities_find(frame->entities, (uint32_t)(frame->player.clientnum + 1), &index))
        return;
    own = q2_entities_change(frame->entities, index);
    memcpy(own->origin, frame->player.origin, sizeof own->origin);
    own->angles[0] = (int16_t)(session->newest.angles[0] + frame->player.delta_angles[0]) / 3;
    own->angles[1] = (int16_t)(session->newest.angles[1] + frame->player.delta_angles[1]);
}

static void place_itself(struct dm2_donor_view *told)
{
    const struct q2_session *session = &told->session;

    if (!q2_is_q2pro(session->base.version) || session->recording)
        return;
    for (unsigned i = 0; i < Q2_FRAMES_KEPT; i++)
        place_in(&told->recent[i], session);
}

static void *told_copy(const void *extra)
{
    const struct dm2_donor_view *told = extra;
    struct dm2_donor_view *copy = g_new(struct dm2_donor_view, 1);

    init(copy, &told->extra);
    copy->recent = g_new0(struct q2_frame, Q2_FRAMES_KEPT);
    if (goes_on(told)) {
        q2_session_copy(&copy->session.base, &told->live->base);
        copy_frames(copy->recent, told->live->tracker->frames, Q2_FRAMES_KEPT);
    } else {
        q2_session_copy(&copy->session.base, &told->session.base);
        if (told->recent)
            copy_frames(copy->recent, told->recent, Q2_FRAMES_KEPT);
    }
    copy_frames(copy->samples, told->samples, DM2_SAMPLES);
    copy_usual(copy, told);
    copy->views = dm2_views_copy(told->views);
    place_itself(copy);
    return copy;
}

static const struct qs_sign_on_extra extra_of_dm2 = {told_copy, told_free, true};

/* --- Samples --- */

/* The state that most of the samples have wins in the end, if there is one. */
static void vote(struct dm2_donor_view *told, const struct q2_entity *entity)
{
    const gpointer number = GUINT_TO_POINTER(entity->number);
    struct dm2_vote *usual = g_hash_table_lookup(told->usual, number);

    if (!usual) {
        usual = g_new0(struct dm2_vote, 1);
        g_hash_table_insert(told->usual, number, usual);
    }
    if (!usual->votes)
        usual->state = *entity;
    if (dm2_same_state(&usual->state, entity))
        usual->votes++;
    else
        usual->votes--;
}

const struct q2_entity *dm2_common_state(const struct dm2_donor_view *told, uint32_t number)
{
    const struct dm2_vote *usual = g_hash_table_lookup(told->usual, GUINT_TO_POINTER(number));

    return usual ? &usual->state : NULL;
}

/* Every other one makes room. */
static void thin_out(struct dm2_donor_view *told)
{
    for (unsigned i = 0; i < DM2_SAMPLES / 2; i++) {
        const struct q2_frame kept = told->samples[2 * i];

        q2_frame_clear(&told->samples[2 * i + 1]);
        told->samples[2 * i] = (struct q2_frame){0};
        told->samples[i] = kept;
    }
    told->every *= 2;
}

static void keep_sample(struct dm2_donor_view *told, const struct q2_frame *frame)
{
    unsigned count = 0;

    while (count < DM2_SAMPLES && told->samples[count].entities)
        count++;
    if (count == DM2_SAMPLES) {
        thin_out(told);
        count = DM2_SAMPLES / 2;
    }
    q2_frame_copy(&told->samples[count], frame);
    told->next = frame->number + MIN(told->every, INT32_MAX - frame->number);
}

/* Samples get rarer; votes are cast all the level long. */
static void sample(struct dm2_donor_view *told, const struct q2_frame *frame, int32_t vote_every)
{
    if (frame->number < told->next_vote)
        return;
    told->next_vote = frame->number + MIN(vote_every, INT32_MAX - frame->number);
    for (guint i = 0; i < frame->entities->len; i++)
        vote(told, q2_entities_at(frame->entities, i));
    if (!told->next)
        told->every = vote_every;
    if (frame->number >= told->next)
        keep_sample(told, frame);
    q2_session_clear(&told->session.base);
    q2_session_copy(&told->session.base, &told->live->base);
}

/* --- Packets and blocks --- */

static struct dm2_donor_view *told_of(struct qs_sign_on *sign_on)
{
    struct dm2_donor_view *told;

    if (!sign_on->extra) {
        told = g_new(struct dm2_donor_view, 1);
        init(told, &extra_of_dm2);
        told->views = dm2_views_new();
        sign_on->extra = &told->extra;
    }
    return (struct dm2_donor_view *)sign_on->extra;
}

struct qs_sign_on *dm2_own(const struct qs_session *session)
{
    const struct q2_session *own = q2_session_of_const(session);
    struct qs_sign_on *sign_on;

    if (!session->level || own->lost.seen || !q2_configstring(own, Q2_RANGE_MODELS, 1))
        return NULL;
    sign_on = qs_sign_on_new();
    q2_session_copy(&told_of(sign_on)->session.base, session);
    sign_on->complete = true;
    return sign_on;
}

static void follow(struct dm2_donor_view *told, struct q2_session *session)
{
    told->live = session;
    if (!session->tracker) {
        if (!told->own)
            told->own = q2_tracker_new();
        q2_tracker_attach(told->own, session);
    }
    if (told->own && session->tracker != told->own) {
        q2_tracker_free(told->own);
        told->own = NULL;
    }
}

/* Nothing is to be kept of what is known already. */
static bool has_enough(const struct qs_sign_on *sign_on, const struct q2_session *session)
{
    const struct dm2_donor_view *told = (const struct dm2_donor_view *)sign_on->extra;

    return sign_on->complete && told->live == session && session->tracker &&
           session->tracker != told->own && session->tracker->newest < told->next_vote;
}

static void see_views(const struct qs_sign_on *sign_on, const struct q2_session *session)
{
    struct dm2_donor_view *told = (struct dm2_donor_view *)sign_on->extra;
    const struct q2_frame *frame;

    if (!sign_on->complete || told->live != session || !session->tracker ||
        ABS((int64_t)session->tracker->newest - told->viewed) < VIEW_EVERY)
        return;
    told->viewed = session->tracker->newest;
    frame = q2_tracker_frame(session->tracker, told->viewed);
    if (frame)
        dm2_views_add(told->views, frame);
}

/* Config strings, baselines, then a frame: all of it must be there. */
void dm2_add_packet(struct qs_sign_on *sign_on, const struct qs_decoder *decoder)
{
    struct q2_session *session = q2_session_of(decoder->session);
    const struct q2_frame *frame;
    struct dm2_donor_view *told;

    if (!session->base.level)
        return;
    see_views(sign_on, session);
    if (has_enough(sign_on, session))
        return;
    told = told_of(sign_on);
    follow(told, session);
    if (!sign_on->complete)
        sign_on->broken |= qs_decoder_problems(decoder) || decoder->notes[QS_NOTE_NOT_CAPTURED] ||
                           session->lost.seen;
    frame = q2_tracker_frame(session->tracker, session->tracker->newest);
    if (sign_on->broken || decoder->direction != QS_S2C || !frame)
        return;
    sign_on->complete = true;
    sample(told, frame, decoder->packet->from == QS_END_UNKNOWN ? VOTE_EVERY_OF_DEMO : VOTE_EVERY);
}
