/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sign-on of a Quake II donor: config strings and baselines from its session, and the states in
 * which its client first saw entities, for those in view when a late session begins. Source:
 * common/quake2/PROTOCOL.md, section 14.
 */
#include "common/core/findings.h"
#include "common/core/text.h"
#include "common/demo/dm2/dm2.h"
#include "common/quake2/decode.h"

enum { SEE_EVERY = 8 /* number of frames from one look at the entities to the next */ };

/* Frames that the donor saw. */
struct donor_view {
    struct q2_tracker *own; /* follows the session if no other tracker does; or NULL */
    int32_t next;           /* number of the next frame to look at */
};

static void view_free(gpointer data)
{
    struct donor_view *view = data;

    q2_tracker_free(view->own);
    g_free(view);
}

static struct donor_view *view_of(struct qs_sign_on *sign_on)
{
    struct donor_view *view = sign_on->extra;

    if (!view) {
        sign_on->extra = view = g_new0(struct donor_view, 1);
        sign_on->extra_free = view_free;
    }
    return view;
}

const struct q2_entity *dm2_first_seen_state(const struct qs_sign_on *sign_on, uint32_t number)
{
    return (const void *)qs_sign_on_state(sign_on, number).data;
}

struct qs_sign_on *dm2_own(const struct qs_session *session)
{
    const struct q2_session *own = q2_session_of_const(session);
    struct qs_sign_on *sign_on;

    if (!session->level || own->base.lost.packet || !q2_configstring(own, Q2_RANGE_MODELS, 1))
        return NULL;
    sign_on = qs_sign_on_new();
    qs_sign_on_complete(sign_on, &q2_protocol, session);
    return sign_on;
}

struct qs_view dm2_position(const struct q2_player *player)
{
    /* The returned view covers both members: velocity follows origin. */
    const bool moves = player->velocity[0] && player->velocity[1] && player->origin[0] &&
                       player->origin[1] && player->origin[2];

    return (struct qs_view){(const uint8_t *)player->origin,
                            moves ? sizeof player->origin + sizeof player->velocity : 0};
}

static void store_frame(struct qs_sign_on *sign_on, struct donor_view *view,
                        const struct q2_frame *frame)
{
    qs_sign_on_mark(sign_on, dm2_position(&frame->player));
    if (frame->number < view->next)
        return;
    view->next = frame->number + MIN(SEE_EVERY, INT32_MAX - frame->number);
    for (guint i = 0; i < frame->entities->len; i++) {
        const struct q2_entity *entity = q2_entities_at(frame->entities, i);

        if (!dm2_first_seen_state(sign_on, entity->number))
            qs_sign_on_set_state(sign_on, entity->number,
                                 (struct qs_view){(const void *)entity, sizeof *entity});
    }
}

static const struct q2_tracker *follow(struct donor_view *view, struct q2_session *session)
{
    if (!session->tracker) {
        view->own = view->own ? view->own : q2_tracker_new();
        q2_tracker_attach(view->own, session);
    }
    return session->tracker;
}

bool dm2_is_of_level(const struct q2_session *session, uint32_t index)
{
    enum q2_range range;
    uint32_t number;

    return q2_configstring_range(session, index, &range, &number) &&
           (range == Q2_RANGE_MODELS || range == Q2_RANGE_SOUNDS || range == Q2_RANGE_IMAGES);
}

/* Adds models, sounds and images that the level needs later. */
static void add_strings(struct qs_sign_on *sign_on, const struct q2_session *session)
{
    struct q2_session *known = q2_session_of(sign_on->session);

    for (uint32_t i = 0; qs_table_next(&session->level.configstrings, &i); i++)
        if (dm2_is_of_level(session, i) && !qs_table_get(&known->level.configstrings, i))
            qs_table_set(&known->level.configstrings, i,
                         qs_view_of(qs_table_get(&session->level.configstrings, i)));
}

/* Completes the sign-on at the first frame, if all config strings and baselines were captured. */
bool dm2_add_packet(struct qs_sign_on *sign_on, const struct qs_decoder *decoder)
{
    struct q2_session *session = q2_session_of(decoder->session);
    const struct q2_tracker *tracker;
    const struct q2_frame *frame;

    if (!session->base.level)
        return false;
    tracker = follow(view_of(sign_on), session);
    if (!sign_on->complete)
        sign_on->broken |= qs_decoder_problems(decoder) ||
                           decoder->found.notes[QS_NOTE_NOT_CAPTURED] || session->base.lost.packet;
    frame = q2_tracker_frame(tracker, tracker->newest);
    if (sign_on->broken || decoder->found.direction != QS_S2C || !frame)
        return false;
    if (!sign_on->complete)
        qs_sign_on_complete(sign_on, decoder->protocol, decoder->session);
    else if (qs_has_message(decoder, SVC_CONFIGSTRING))
        add_strings(sign_on, session);
    store_frame(sign_on, view_of(sign_on), frame);
    return qs_has_message(decoder, SVC_FRAME);
}
