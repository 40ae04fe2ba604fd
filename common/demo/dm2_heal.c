/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/demo/dm2_heal.h"

#include <string.h>

enum {
    EVIDENCE_FRAMES = 24, /* of the session, as far back as changes are compared */
    EVIDENCE_MIN = 3,     /* so many more changes agree than not */
    OFFSET_MAX = Q2_FRAMES_KEPT
};

/* Two clients: frame n of `session` is of the same time as frame n + offset of `peer`. */
struct pair {
    const struct q2_session *session, *peer;
    int32_t offset;
};

static const struct q2_frame *known_frame(const struct q2_session *session, int64_t number)
{
    return number > 0 && number <= INT32_MAX ? q2_tracker_frame(session->tracker, (int32_t)number)
                                             : NULL;
}

static const struct q2_entity *find(const struct q2_frame *frame, uint32_t number)
{
    guint index;

    return frame && q2_entities_find(frame->entities, number, &index)
               ? q2_entities_at(frame->entities, index)
               : NULL;
}

/* Q2PRO leaves out where the client's own entity is. */
static bool is_own(const struct q2_session *session, const struct q2_frame *frame, uint32_t number)
{
    const int16_t player =
        q2_is_q2pro(session->base.version) ? frame->player.clientnum : session->player;

    return number == (uint32_t)(player + 1);
}

static bool is_told_of_itself(const struct q2_session *session)
{
    return !q2_is_q2pro(session->base.version) || session->recording;
}

/* --- Which frames are of one time --- */

static bool is_changed(const struct q2_entity *before, const struct q2_entity *now)
{
    return before && (before->frame != now->frame ||
                      memcmp(before->origin, now->origin, sizeof now->origin) != 0);
}

static bool looks_the_same(const struct q2_entity *a, const struct q2_entity *b)
{
    return a->frame == b->frame && memcmp(a->origin, b->origin, sizeof a->origin) == 0;
}

/* What changed in the session's frame: how far the peer's frame has it, too. */
static int count_agreement(const struct pair *pair, const struct q2_frame *before,
                           const struct q2_frame *now, const struct q2_frame *other)
{
    int score = 0;

    for (guint i = 0; i < now->entities->len; i++) {
        const struct q2_entity *entity = q2_entities_at(now->entities, i);
        const struct q2_entity *same = find(other, entity->number);

        if (same && is_changed(find(before, entity->number), entity) &&
            !is_own(pair->session, now, entity->number) &&
            !is_own(pair->peer, other, entity->number))
            score += looks_the_same(entity, same) ? 1 : -1;
    }
    return score;
}

static int count_evidence(const struct pair *pair)
{
    const int32_t newest = pair->session->tracker->newest;
    int score = 0;

    for (int32_t i = 0; i < EVIDENCE_FRAMES; i++) {
        const struct q2_frame *now = known_frame(pair->session, (int64_t)newest - i);
        const struct q2_frame *before = known_frame(pair->session, (int64_t)newest - i - 1);
        const struct q2_frame *other = known_frame(pair->peer, (int64_t)newest - i + pair->offset);

        if (now && before && other)
            score += count_agreement(pair, before, now, other);
    }
    return score;
}

/* id's servers number frames for all clients alike, Q2PRO for each from its own beginning. */
static bool synchronize(struct pair *pair)
{
    const int64_t nearest = (int64_t)pair->peer->tracker->newest - pair->session->tracker->newest;
    struct pair trial = *pair;
    int best = EVIDENCE_MIN - 1;

    for (int32_t i = -OFFSET_MAX; i <= OFFSET_MAX; i++) {
        int score;

        if (nearest + i < INT32_MIN || nearest + i > INT32_MAX)
            continue;
        trial.offset = (int32_t)(nearest + i);
        score = count_evidence(&trial);
        if (score <= best)
            continue;
        best = score;
        pair->offset = trial.offset;
    }
    return best >= EVIDENCE_MIN;
}

/* --- The frame --- */

/* Protocols differ in how exactly they tell angles and solids: what is the same stays as it is. */
static void keep_precision(struct q2_entity *state, const struct q2_entity *known)
{
    for (unsigned i = 0; i < 3; i++)
        if ((uint16_t)state->angles[i] >> 8 == (uint16_t)known->angles[i] >> 8)
            state->angles[i] = known->angles[i];
    state->solid = known->solid;
}

static void keep_place(struct q2_entity *state, const struct q2_entity *known)
{
    memcpy(state->origin, known->origin, sizeof state->origin);
    memcpy(state->angles, known->angles, sizeof state->angles);
}

/* The entity, which the session knew as `known`, as the peer saw it. */
static struct q2_entity healed_state(const struct pair *pair, const struct q2_frame *base,
                                     const struct q2_frame *other, const struct q2_entity *known,
                                     const struct q2_entity *seen)
{
    struct q2_entity state = *seen;

    keep_precision(&state, known);
    if (is_own(pair->peer, other, seen->number) && !is_told_of_itself(pair->peer)) {
        keep_place(&state, known);
        memcpy(state.origin, other->player.origin, sizeof state.origin);
    }
    if (is_own(pair->session, base, seen->number) && !is_told_of_itself(pair->session))
        keep_place(&state, known);
    state.event = 0;
    return state;
}

/*
 * Whether the peer knows better. After a loss of its own it may not know of all that changed; but
 * what it sees change, changed.
 */
static bool is_news(const struct pair *pair, const struct q2_frame *base,
                    const struct q2_frame *other, const struct q2_entity *seen)
{
    const struct q2_frame *before = known_frame(pair->peer, (int64_t)base->number + pair->offset);
    const struct q2_entity *then = find(before, seen->number);

    return other->trust == Q2_FRAME_WHOLE || !then || !dm2_same_state(then, seen);
}

/* What the peer saw with the session until then, and lost sight of while it moved, is gone. */
static bool is_gone(const struct pair *pair, const struct q2_frame *base,
                    const struct q2_entity *known)
{
    const struct q2_frame *before = known_frame(pair->session, (int64_t)base->number - 1);
    const struct q2_frame *other = known_frame(pair->peer, (int64_t)base->number + pair->offset);

    return known->number > pair->session->max_clients && find(other, known->number) &&
           is_changed(find(before, known->number), known);
}

static void heal_entities(const struct pair *pair, const struct q2_frame *base,
                          const struct q2_frame *other, struct q2_entities *healed)
{
    for (guint i = 0; i < base->entities->len; i++) {
        const struct q2_entity *known = q2_entities_at(base->entities, i);
        const struct q2_entity *seen = find(other, known->number);
        struct q2_entity state = *known;

        if (!seen && is_gone(pair, base, known))
            continue;
        if (seen && is_news(pair, base, other, seen))
            state = healed_state(pair, base, other, known, seen);
        state.event = 0;
        q2_entities_append(healed, &state);
    }
}

/* The player is where the peer sees his entity. */
static void heal_player(const struct q2_session *session, struct q2_frame *healed,
                        const struct q2_frame *other)
{
    const struct q2_entity *own = find(other, (uint32_t)(session->player + 1));

    if (own && session->player >= 0)
        memcpy(healed->player.origin, own->origin, sizeof own->origin);
}

bool dm2_heal(const struct q2_session *session, const struct q2_session *peer, int32_t number)
{
    const struct q2_frame *base, *other;
    struct pair pair = {.session = session, .peer = peer};
    struct q2_frame healed;

    if (session == peer || !peer->tracker || peer->servercount != session->servercount ||
        peer->dialect.extensions != session->dialect.extensions)
        return false;
    base = q2_tracker_frame(session->tracker, session->tracker->newest);
    if (!base || number <= base->number || !synchronize(&pair))
        return false;
    other = known_frame(peer, (int64_t)number + pair.offset);
    if (!other)
        return false;
    healed = *base;
    healed.trust = Q2_FRAME_GUESSED;
    healed.reference_missing = healed.healed = false;
    healed.number = number;
    healed.delta = base->number;
    healed.entities = q2_entities_new();
    heal_entities(&pair, base, other, healed.entities);
    heal_player(session, &healed, other);
    q2_tracker_insert(session->tracker, &healed);
    q2_tracker_seen_elsewhere(session->tracker, other->entities);
    q2_frame_clear(&healed);
    return true;
}

/* --- Peers --- */

/* A client that looks for a frame among those of others. */
struct search {
    const struct q2_session *session;
    int32_t number;
    bool found;
};

static bool try_peer(void *user, const struct qs_sign_on *peer)
{
    struct search *search = user;
    const struct dm2_told *told = peer->extra ? dm2_told_of(peer) : NULL;

    search->found = told && told->live && dm2_heal(search->session, told->live, search->number);
    return !search->found;
}

bool dm2_heal_of_peers(struct qs_demo_writer *out, const struct q2_session *session, int32_t number)
{
    struct search search = {.session = session, .number = number};

    if (session && out->peers)
        out->peers(out, try_peer, &search);
    return search.found;
}
