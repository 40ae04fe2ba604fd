/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rebuilds frames of missing packets from the data that another client of the server received at
 * the same time: common/quake2/PROTOCOL.md, section 14.
 */
#include "common/demo/dm2/late_join.h"

#include <string.h>

enum {
    EVIDENCE_FRAMES = 24, /* of the session, as far back as changes are compared */
    EVIDENCE_MIN = 3,     /* so many more changes agree than not */
    OFFSET_MAX = Q2_FRAMES_KEPT,
    LOOKS_A_BYTE = 16,        /* at entities, for each byte of the session's packets, */
    LOOKS_AHEAD = 128 * 1024, /* and so many more */
    LOOKS_A_STATE = 3         /* that is healed */
};

/* Two clients: frame n of `session` is of the same time as frame n + offset of `peer`. */
struct pair {
    const struct q2_session *session, *peer;
    int32_t offset;
};

/* Q2PRO leaves out where the client's own entity is. */
static bool is_own(const struct q2_session *session, const struct q2_frame *frame, uint32_t number)
{
    const int16_t player =
        q2_is_q2pro(session->base.version) ? frame->player.clientnum : session->player;

    return number == (uint32_t)(player + 1);
}

static bool gets_own_entity(const struct q2_session *session)
{
    return !q2_is_q2pro(session->base.version) || session->recording;
}

/* --- Entities --- */

static bool looks_the_same(const struct q2_entity *a, const struct q2_entity *b)
{
    return a->frame == b->frame && memcmp(a->origin, b->origin, sizeof a->origin) == 0;
}

static bool is_changed(const struct q2_entity *before, const struct q2_entity *now)
{
    return before && !looks_the_same(before, now);
}

/* --- What it costs --- */

void dm2_healing_earn(struct dm2_healing *healing, uint32_t size)
{
    healing->earned += (uint64_t)LOOKS_A_BYTE * size;
}

static bool may_spend(const struct dm2_healing *healing)
{
    return healing->spent <= healing->earned + LOOKS_AHEAD;
}

/* --- What changed --- */

/* An entity of the session that changed since the previous frame. */
struct change {
    const struct q2_entity *now;
    int32_t frame; /* number of the frame */
};

/* What stands still is the same in both lists, which are in the order of numbers. */
static void collect_frame(const struct pair *pair, const struct q2_frame *before,
                          const struct q2_frame *now, GArray *changes)
{
    guint old = 0;

    for (guint i = 0; i < now->entities->len; i++) {
        const struct q2_entity *entity = q2_entities_at(now->entities, i);
        const struct q2_entity *then;

        while (old < before->entities->len &&
               q2_entities_at(before->entities, old)->number < entity->number)
            old++;
        if (old == before->entities->len)
            break;
        then = q2_entities_at(before->entities, old);
        if (then != entity && then->number == entity->number && is_changed(then, entity) &&
            !is_own(pair->session, now, entity->number))
            g_array_append_val(changes, ((struct change){entity, now->number}));
    }
}

static GArray *collect_changes(struct dm2_healing *healing, const struct pair *pair)
{
    const int32_t newest = pair->session->tracker->newest;
    GArray *changes = g_array_new(FALSE, FALSE, sizeof(struct change));

    for (int32_t i = 0; i < EVIDENCE_FRAMES; i++) {
        const struct q2_frame *now = q2_tracker_known(pair->session->tracker, (int64_t)newest - i);
        const struct q2_frame *before =
            q2_tracker_known(pair->session->tracker, (int64_t)newest - i - 1);

        if (!now || !before)
            continue;
        collect_frame(pair, before, now, changes);
        healing->spent += now->entities->len;
    }
    return changes;
}

/* --- Which frames are of one time --- */

/* How far the peer's frames have the changes, too. */
static int count_evidence(struct dm2_healing *healing, const struct pair *pair,
                          const GArray *changes)
{
    int score = 0;

    healing->spent += changes->len;
    for (guint i = 0; i < changes->len; i++) {
        const struct change *change = &g_array_index(changes, struct change, i);
        const struct q2_frame *other =
            q2_tracker_known(pair->peer->tracker, (int64_t)change->frame + pair->offset);
        const struct q2_entity *same = dm2_state_in(other, change->now->number);

        if (same && !is_own(pair->peer, other, same->number))
            score += looks_the_same(change->now, same) ? 1 : -1;
    }
    return score;
}

/* False: no evidence. */
static bool search_offset(struct dm2_healing *healing, struct pair *pair, const GArray *changes)
{
    const int64_t nearest = (int64_t)pair->peer->tracker->newest - pair->session->tracker->newest;
    struct pair trial = *pair;
    int best = EVIDENCE_MIN - 1;

    for (int32_t i = -OFFSET_MAX; i <= OFFSET_MAX && may_spend(healing); i++) {
        int score;

        if (nearest + i < INT32_MIN || nearest + i > INT32_MAX)
            continue;
        trial.offset = (int32_t)(nearest + i);
        score = count_evidence(healing, &trial, changes);
        if (score <= best)
            continue;
        best = score;
        pair->offset = trial.offset;
    }
    return best >= EVIDENCE_MIN && may_spend(healing);
}

/* id's servers number frames for all clients alike, Q2PRO for each from its own beginning. */
static bool synchronize(struct dm2_healing *healing, struct pair *pair)
{
    GArray *changes = collect_changes(healing, pair);
    const bool found = changes->len >= EVIDENCE_MIN && search_offset(healing, pair, changes);

    g_array_free(changes, TRUE);
    return found;
}

/* --- The frame --- */

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

    state.solid = known->solid; /* protocols differ in its form */
    if (is_own(pair->peer, other, seen->number) && !gets_own_entity(pair->peer)) {
        keep_place(&state, known);
        memcpy(state.origin, other->player.origin, sizeof state.origin);
    }
    if (is_own(pair->session, base, seen->number) && !gets_own_entity(pair->session))
        keep_place(&state, known);
    state.event = 0;
    return state;
}

/* What the peer saw with the session until then, and lost sight of while it moved, is gone. */
static bool is_gone(const struct pair *pair, const struct q2_frame *base,
                    const struct q2_entity *known)
{
    const struct q2_frame *before =
        q2_tracker_known(pair->session->tracker, (int64_t)base->number - 1);
    const struct q2_frame *other =
        q2_tracker_known(pair->peer->tracker, (int64_t)base->number + pair->offset);

    return known->number > pair->session->level.max_clients && dm2_state_in(other, known->number) &&
           is_changed(dm2_state_in(before, known->number), known);
}

static void heal_entities(const struct pair *pair, const struct q2_frame *base,
                          const struct q2_frame *other, struct q2_entities *healed)
{
    for (guint i = 0; i < base->entities->len; i++) {
        const struct q2_entity *known = q2_entities_at(base->entities, i);
        const struct q2_entity *seen = dm2_state_in(other, known->number);
        struct q2_entity state = *known;

        if (!seen && is_gone(pair, base, known))
            continue;
        if (seen)
            state = healed_state(pair, base, other, known, seen);
        state.event = 0;
        q2_entities_append(healed, &state);
    }
}

bool dm2_heal(struct dm2_healing *healing, const struct q2_session *session,
              const struct q2_session *peer, int32_t number)
{
    const struct q2_frame *base, *other;
    struct pair pair = {.session = session, .peer = peer};
    struct q2_frame healed;

    if (session == peer || !peer->tracker || !may_spend(healing) ||
        peer->level.servercount != session->level.servercount ||
        peer->variant.extensions != session->variant.extensions)
        return false;
    base = q2_tracker_frame(session->tracker, session->tracker->newest);
    if (!base || number <= base->number || !synchronize(healing, &pair))
        return false;
    healing->spent += LOOKS_A_STATE * base->entities->len;
    other = q2_tracker_known(peer->tracker, (int64_t)number + pair.offset);
    if (!other)
        return false;
    healed = *base;
    healed.trust = Q2_FRAME_GUESSED;
    healed.reference_missing = healed.healed = false;
    healed.number = number;
    healed.delta = base->number;
    healed.entities[0] = (struct q2_entities){0};
    heal_entities(&pair, base, other, healed.entities);
    q2_tracker_insert(session->tracker, &healed);
    q2_tracker_seen_elsewhere(session->tracker, other->entities);
    q2_frame_clear(&healed);
    return true;
}

/* --- Peers --- */

/* A client that looks for a frame among those of others. */
struct search {
    struct dm2_healing *healing;
    const struct q2_session *session;
    int32_t number;
    bool found;
};

static bool try_peer(void *user, const struct qs_session *peer)
{
    struct search *search = user;

    search->found =
        dm2_heal(search->healing, search->session, q2_session_of_const(peer), search->number);
    return !search->found && may_spend(search->healing);
}

bool dm2_heal_of_peers(struct dm2_healing *healing, struct qs_demo_writer *out,
                       const struct q2_session *session, int32_t number)
{
    struct search search = {.healing = healing, .session = session, .number = number};

    if (session && out->peers && may_spend(healing))
        out->peers(out, try_peer, &search);
    return search.found;
}
