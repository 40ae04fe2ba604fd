/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Acknowledged frames of entities: if the capture lacks one, later frames do not repeat its
 * contents. DarkPlaces numbers its svc_entities, starting over in each level; the number of FTE's
 * update is that of its packet. Other clients acknowledge by svc_time: their moves repeat that of
 * the newest message that they have. Source: PROTOCOL.md, section 2.
 */
#include "common/core/emit.h"
#include "common/core/numeric_text.h"
#include "common/netchan/netchan.h"
#include "common/quake/decode.h"

enum {
    WINDOW = 64,  /* more than DarkPlaces' clients keep (client.h, LATESTFRAMENUMS) */
    AHEAD_MAX = 8 /* maximum delay of a frame in the capture, in frames */
};

/* True if the capture has the level from its beginning, and so should have all of its frames. */
static bool is_whole_level(const struct nq_session *session)
{
    return session->base.level && !session->has_donor;
}

static void start(struct nq_frames *frames, uint32_t number, bool whole)
{
    *frames = (struct nq_frames){.started = true,
                                 .newest = whole ? 0 : number,
                                 .top = number,
                                 .decided = whole ? 0 : ~UINT64_C(0)};
}

static void reach(struct nq_frames *frames, uint32_t number)
{
    const uint32_t step = number - frames->top;

    frames->decided = step < WINDOW ? frames->decided << step : 0;
    frames->acknowledged = step < WINDOW ? frames->acknowledged << step : 0;
    frames->top = number;
}

void nq_read_frame_number(struct qs_decoder *d, int32_t signed_number)
{
    struct nq_session *session = nq_session_of(d);
    struct nq_frames *frames = &session->frames;
    const uint32_t number = (uint32_t)signed_number;

    if (signed_number < 0 || d->in.overrun || session->delivered.reliable)
        return;
    d->found.path.ack_id = number + 1;
    if (!frames->started)
        start(frames, number, is_whole_level(session));
    else if (number > frames->top)
        reach(frames, number);
    else if (frames->top - number >= WINDOW) /* the numbers start over */
        start(frames, number, false);
    frames->decided |= UINT64_C(1) << (frames->top - number);
    frames->newest = MAX(frames->newest, number);
}

void nq_assume_frame_number(struct qs_decoder *d)
{
    const struct nq_session *session = nq_session_of(d);
    const bool fte = session->ext.fte2 & FTE2_REPLACEMENTDELTAS;

    nq_read_frame_number(d, (int32_t)(fte ? d->found.sequence : session->frames.newest + 1));
}

/* Returns the bits of frames that cannot arrive any more, because a newer one has, or because later
 * ones were acknowledged. */
static uint64_t past(const struct nq_frames *frames)
{
    const uint32_t ahead = MIN(frames->top - frames->newest + 1, AHEAD_MAX);

    return ~UINT64_C(0) << ahead;
}

/* Returns how many acknowledged frames turn out not to be captured; counts each only once. */
static unsigned confirm_loss(struct nq_frames *frames)
{
    const uint64_t lost = frames->acknowledged & ~frames->decided & past(frames);

    frames->decided |= lost;
    return (uint32_t)__builtin_popcountll(lost);
}

/* True if an acknowledgement is for a frame of this level; servers ignore those of earlier levels,
 * too. False without a level: no demo is written then, and not all messages can be read. */
static bool is_current(const struct nq_session *session)
{
    return (session->frames.started || is_whole_level(session)) && session->base.level &&
           session->signon >= SIGNON_DONE;
}

static void acknowledge(struct nq_frames *frames, uint32_t number)
{
    if (!frames->started)
        start(frames, number, true);
    else if (number > frames->top)
        reach(frames, number);
    if (frames->top - number < WINDOW)
        frames->acknowledged |= UINT64_C(1) << (frames->top - number);
}

/* Adds the acknowledgement of a frame; clients acknowledge each frame, in order. */
static void add_acked(struct qs_path_facts *path, uint32_t acked_id)
{
    const uint32_t step = acked_id - path->acked_id;

    if (path->acked_id && acked_id <= path->acked_id)
        return;
    path->acked_ids = (path->acked_id && step < WINDOW ? path->acked_ids << step : 0) | 1;
    path->acked_id = acked_id;
}

void nq_acknowledge_frame(struct qs_decoder *d, int32_t number)
{
    struct nq_session *session = nq_session_of(d);
    unsigned lost;

    if (number >= 0 && !d->in.overrun)
        add_acked(&d->found.path, (uint32_t)number + 1);
    if (number < 0 || d->in.overrun || d->found.direction != QS_C2S || !d->found.accepted ||
        !is_current(session))
        return;
    acknowledge(&session->frames, (uint32_t)number);
    lost = confirm_loss(&session->frames);
    if (!lost)
        return;
    session->base.to_client.not_captured += lost;
    qs_hole_named(d, 0, (uint32_t)number > session->frames.newest);
    qs_note(d, QS_NOTE_NOT_CAPTURED, d->in.pos - 4, 4,
            "The capture lacks %u frame%s of entities that the client has acknowledged", lost,
            qs_plural(lost));
    qs_summary_remark(d, "not captured: %u frame%s", lost, qs_plural(lost));
}

void nq_acknowledge_time(struct qs_decoder *d, float time)
{
    struct nq_session *session = nq_session_of(d);

    if (d->found.direction != QS_C2S || !d->found.accepted || session->frames.started ||
        session->base.level_state != QS_LEVEL_PLAYING || !(time > session->acknowledged_time))
        return;
    session->acknowledged_time = time;
    if (session->level_time > 0 && time > session->level_time)
        qs_hole_named(d, 1, true);
    else if (time > session->gap_from && time < session->gap_until)
        qs_hole_named(d, 0, false);
}

unsigned nq_frames_awaited(const struct nq_frames *frames)
{
    return (uint32_t)__builtin_popcountll(frames->acknowledged & ~frames->decided);
}
