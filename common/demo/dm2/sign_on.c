/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a Quake II donor provides: config strings, baselines, and frames, for the states of entities
 * that a late session's first deltas start from. Source: common/quake2/PROTOCOL.md, section 14.
 */
#include <string.h>

#include "common/demo/dm2/late_join.h"
#include "common/quake2/session.h"

enum {
    SAMPLES = 32,    /* frames of a donor's whole level, besides the last ones */
    VOTE_EVERY = 32, /* frames, also of samples at first; for demos there is time to compare more */
    VOTE_EVERY_OF_DEMO = 8
};

/* --- What is kept --- */

static void clear_frame(void *frame)
{
    q2_frame_clear(frame);
}

static struct dm2_donor_view *view_new(const struct qs_sign_on_extra *extra)
{
    struct dm2_donor_view *view = g_new0(struct dm2_donor_view, 1);

    view->extra = *extra;
    view->votes = qs_votes_new();
    qs_samples_init(&view->samples, sizeof(struct q2_frame), SAMPLES, 0, clear_frame);
    return view;
}

static void view_free(void *extra)
{
    struct dm2_donor_view *view = extra;

    q2_tracker_free(view->own);
    q2_session_clear(&view->session.base);
    q2_tracker_free(view->recent);
    qs_samples_clear(&view->samples);
    g_hash_table_destroy(view->votes);
    g_free(view);
}

static bool goes_on(const struct dm2_donor_view *view)
{
    return view->live && view->live->tracker && view->live->base.level == view->session.base.level;
}

static void *view_copy(const void *extra)
{
    const struct dm2_donor_view *view = extra;
    struct dm2_donor_view *copy = view_new(&view->extra);
    const bool lives = goes_on(view);
    const struct q2_tracker *recent = lives ? view->live->tracker : view->recent;

    copy->recent = q2_tracker_new();
    if (recent)
        q2_tracker_keep_older(copy->recent, recent, true);
    q2_session_copy(&copy->session.base, &(lives ? view->live : &view->session)->base);
    g_array_set_size(copy->samples.all, view->samples.all->len);
    for (guint i = 0; i < view->samples.all->len; i++)
        q2_frame_copy(&g_array_index(copy->samples.all, struct q2_frame, i),
                      &g_array_index(view->samples.all, struct q2_frame, i));
    g_hash_table_destroy(copy->votes);
    copy->votes = qs_votes_copy(view->votes, sizeof(struct q2_entity));
    return copy;
}

static void view_follow(void *extra, struct qs_session *session)
{
    struct q2_session *live = q2_session_of(session);
    struct dm2_donor_view *view = extra;

    if (view->own && !live->tracker)
        q2_tracker_move(view->own, live);
    else if (live->tracker && view->live && view->live->tracker)
        q2_tracker_keep_older(live->tracker, view->live->tracker, false);
    view->live = live;
}

static const struct qs_sign_on_extra extra_of_dm2 = {view_copy, view_free, view_follow};

/* --- Samples --- */

static bool is_same(const void *format, const void *a, const void *b)
{
    (void)format;
    return q2_entity_looks_same(a, b);
}

const struct q2_entity *dm2_common_state(const struct dm2_donor_view *view, uint32_t number)
{
    return qs_votes_winner(view->votes, number);
}

/* Samples get rarer; votes are cast all the level long. */
static void sample(struct dm2_donor_view *view, const struct q2_frame *frame, int32_t vote_every)
{
    if (frame->number < view->next_vote)
        return;
    view->next_vote = frame->number + MIN(vote_every, INT32_MAX - frame->number);
    for (guint i = 0; i < frame->entities->len; i++) {
        const struct q2_entity *entity = q2_entities_at(frame->entities, i);

        qs_votes_add(view->votes, entity->number, entity, sizeof *entity, is_same, NULL);
    }
    if (!view->samples.every)
        view->samples.every = (uint32_t)vote_every;
    if (qs_samples_is_due(&view->samples, (uint32_t)frame->number))
        q2_frame_copy(qs_samples_add(&view->samples, (uint32_t)frame->number), frame);
    q2_session_clear(&view->session.base);
    q2_session_copy(&view->session.base, &view->live->base);
}

/* --- Packets and blocks --- */

static struct dm2_donor_view *view_of(struct qs_sign_on *sign_on)
{
    if (!sign_on->extra)
        sign_on->extra = &view_new(&extra_of_dm2)->extra;
    return (struct dm2_donor_view *)sign_on->extra;
}

struct qs_sign_on *dm2_own(const struct qs_session *session)
{
    const struct q2_session *own = q2_session_of_const(session);
    struct qs_sign_on *sign_on;

    if (!session->level || own->base.lost.packet || !q2_configstring(own, Q2_RANGE_MODELS, 1))
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
    session->tracker->keeps_older = true;
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
                           session->base.lost.packet;
    frame = q2_tracker_frame(session->tracker, session->tracker->newest);
    if (sign_on->broken || decoder->direction != QS_S2C || !frame)
        return;
    sign_on->complete = true;
    sample(view, frame, decoder->packet->from == QS_END_UNKNOWN ? VOTE_EVERY_OF_DEMO : VOTE_EVERY);
}
