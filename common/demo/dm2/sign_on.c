/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a Quake II donor provides: config strings, baselines, and frames, for the states of entities
 * that a late session's first deltas start from. Source: common/quake2/PROTOCOL.md, section 14.
 */
#include <string.h>

#include "common/demo/dm2/late_join.h"
#include "common/quake2/configstrings.h"

/* In frames; for demos there is time to compare more. */
enum { VOTE_EVERY = 32, VOTE_EVERY_OF_DEMO = 8 };

bool dm2_same_state(const struct q2_entity *a, const struct q2_entity *m)
{
    return memcmp(a->model, m->model, sizeof a->model) == 0 && a->frame == m->frame &&
           a->skin == m->skin && a->effects == m->effects && a->renderfx == m->renderfx &&
           memcmp(a->origin, m->origin, sizeof a->origin) == 0 &&
           memcmp(a->angles, m->angles, sizeof a->angles) == 0 && a->sound == m->sound &&
           a->alpha == m->alpha && a->scale == m->scale && a->morefx == m->morefx;
}

/* --- What is kept --- */

static void init(struct dm2_donor_view *view, const struct qs_sign_on_extra *extra)
{
    memset(view, 0, sizeof *view);
    view->extra = *extra;
    view->usual = g_hash_table_new_full(NULL, NULL, NULL, g_free);
}

static void free_frames(struct q2_frame *frames, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (frames[i].entities)
            q2_entities_free(frames[i].entities);
}

static void view_free(void *extra)
{
    struct dm2_donor_view *view = extra;

    q2_tracker_free(view->own);
    q2_session_clear(&view->session.base);
    if (view->recent)
        free_frames(view->recent, Q2_FRAMES_KEPT);
    g_free(view->recent);
    free_frames(view->samples, DM2_SAMPLES);
    g_hash_table_destroy(view->usual);
    g_free(view);
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
static bool goes_on(const struct dm2_donor_view *view)
{
    return view->live && view->live->tracker && view->live->base.level == view->session.base.level;
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

static void place_itself(struct dm2_donor_view *view)
{
    const struct q2_session *session = &view->session;

    if (!q2_is_q2pro(session->base.version) || session->recording)
        return;
    for (unsigned i = 0; i < Q2_FRAMES_KEPT; i++)
        place_in(&view->recent[i], session);
}

static void *view_copy(const void *extra)
{
    const struct dm2_donor_view *view = extra;
    struct dm2_donor_view *copy = g_new(struct dm2_donor_view, 1);

    init(copy, &view->extra);
    copy->recent = g_new0(struct q2_frame, Q2_FRAMES_KEPT);
    if (goes_on(view)) {
        q2_session_copy(&copy->session.base, &view->live->base);
        copy_frames(copy->recent, view->live->tracker->frames, Q2_FRAMES_KEPT);
    } else {
        q2_session_copy(&copy->session.base, &view->session.base);
        if (view->recent)
            copy_frames(copy->recent, view->recent, Q2_FRAMES_KEPT);
    }
    copy_frames(copy->samples, view->samples, DM2_SAMPLES);
    copy_usual(copy, view);
    place_itself(copy);
    return copy;
}

static const struct qs_sign_on_extra extra_of_dm2 = {view_copy, view_free, true};

/* --- Samples --- */

/* The state that most of the samples have wins in the end, if there is one. */
static void vote(struct dm2_donor_view *view, const struct q2_entity *entity)
{
    const gpointer number = GUINT_TO_POINTER(entity->number);
    struct dm2_vote *usual = g_hash_table_lookup(view->usual, number);

    if (!usual) {
        usual = g_new0(struct dm2_vote, 1);
        g_hash_table_insert(view->usual, number, usual);
    }
    if (!usual->votes)
        usual->state = *entity;
    if (dm2_same_state(&usual->state, entity))
        usual->votes++;
    else
        usual->votes--;
}

const struct q2_entity *dm2_common_state(const struct dm2_donor_view *view, uint32_t number)
{
    const struct dm2_vote *usual = g_hash_table_lookup(view->usual, GUINT_TO_POINTER(number));

    return usual ? &usual->state : NULL;
}

/* Every other one makes room. */
static void thin_out(struct dm2_donor_view *view)
{
    for (unsigned i = 0; i < DM2_SAMPLES / 2; i++) {
        const struct q2_frame kept = view->samples[2 * i];

        q2_frame_clear(&view->samples[2 * i + 1]);
        view->samples[2 * i] = (struct q2_frame){0};
        view->samples[i] = kept;
    }
    view->every *= 2;
}

static void keep_sample(struct dm2_donor_view *view, const struct q2_frame *frame)
{
    unsigned count = 0;

    while (count < DM2_SAMPLES && view->samples[count].entities)
        count++;
    if (count == DM2_SAMPLES) {
        thin_out(view);
        count = DM2_SAMPLES / 2;
    }
    q2_frame_copy(&view->samples[count], frame);
    view->next = frame->number + MIN(view->every, INT32_MAX - frame->number);
}

/* Samples get rarer; votes are cast all the level long. */
static void sample(struct dm2_donor_view *view, const struct q2_frame *frame, int32_t vote_every)
{
    if (frame->number < view->next_vote)
        return;
    view->next_vote = frame->number + MIN(vote_every, INT32_MAX - frame->number);
    for (guint i = 0; i < frame->entities->len; i++)
        vote(view, q2_entities_at(frame->entities, i));
    if (!view->next)
        view->every = vote_every;
    if (frame->number >= view->next)
        keep_sample(view, frame);
    q2_session_clear(&view->session.base);
    q2_session_copy(&view->session.base, &view->live->base);
}

/* --- Packets and blocks --- */

static struct dm2_donor_view *view_of(struct qs_sign_on *sign_on)
{
    struct dm2_donor_view *view;

    if (!sign_on->extra) {
        view = g_new(struct dm2_donor_view, 1);
        init(view, &extra_of_dm2);
        sign_on->extra = &view->extra;
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
    q2_session_copy(&view_of(sign_on)->session.base, session);
    sign_on->complete = true;
    return sign_on;
}

static void follow(struct dm2_donor_view *view, struct q2_session *session)
{
    view->live = session;
    if (!session->tracker) {
        if (!view->own)
            view->own = q2_tracker_new();
        q2_tracker_attach(view->own, session);
    }
    if (view->own && session->tracker != view->own) {
        q2_tracker_free(view->own);
        view->own = NULL;
    }
}

/* Nothing is to be kept of what is known already. */
static bool has_enough(const struct qs_sign_on *sign_on, const struct q2_session *session)
{
    const struct dm2_donor_view *view = (const struct dm2_donor_view *)sign_on->extra;

    return sign_on->complete && view->live == session && session->tracker &&
           session->tracker != view->own && session->tracker->newest < view->next_vote;
}

/* Config strings, baselines, then a frame: all of it must be there. */
void dm2_add_packet(struct qs_sign_on *sign_on, const struct qs_decoder *decoder)
{
    struct q2_session *session = q2_session_of(decoder->session);
    const struct q2_frame *frame;
    struct dm2_donor_view *view;

    if (!session->base.level)
        return;
    if (has_enough(sign_on, session))
        return;
    view = view_of(sign_on);
    follow(view, session);
    if (!sign_on->complete)
        sign_on->broken |= qs_decoder_problems(decoder) || decoder->notes[QS_NOTE_NOT_CAPTURED] ||
                           session->lost.seen;
    frame = q2_tracker_frame(session->tracker, session->tracker->newest);
    if (sign_on->broken || decoder->direction != QS_S2C || !frame)
        return;
    sign_on->complete = true;
    sample(view, frame, decoder->packet->from == QS_END_UNKNOWN ? VOTE_EVERY_OF_DEMO : VOTE_EVERY);
}
