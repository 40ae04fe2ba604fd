/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Observes the packets of a late Quake II session: common/quake2/PROTOCOL.md, section 14. */
#include <string.h>

#include "common/demo/dm2/dm2.h"
#include "common/quake2/session.h"

enum {
    SLOT_PROOF = 3,     /* frames at the player's origin that identify an entity */
    CUSTOM_MODEL = 255, /* model number of a player's own model */
    RATE_MAX = 60       /* frames per second; Q2PRO: MAX_FRAMEDIV */
};

#define MOVE_BITS (U_ORIGIN1 | U_ORIGIN2 | U_ORIGIN3 | U_ANGLE1 | U_ANGLE2)

bool dm2_is_beam(const struct q2_entity *entity)
{
    return entity->renderfx & (RF_BEAM | RF_FRAMELERP);
}

static void add_reference(struct dm2_match *m, int32_t number)
{
    for (unsigned i = 0; i < m->reference_count; i++)
        if (m->references[i] == number)
            return;
    if (m->reference_count < DM2_REFERENCES_MAX)
        m->references[m->reference_count++] = number;
}

/* Stores the first value sent of each field; earlier ones follow: PROTOCOL.md, section 14. */
static void observe_player(struct dm2_match *m, const struct q2_frame *frame)
{
    const struct q2_player *player = &frame->player;
    struct q2_player *first = &m->player;

    first->gunindex = first->gunindex ? first->gunindex : player->gunindex;
    first->clientnum = first->clientnum ? first->clientnum : player->clientnum;
    for (size_t i = 0; i < 3; i++)
        first->origin[i] = first->origin[i] ? first->origin[i] : player->origin[i];
    for (size_t i = 0; i <= STAT_FRAGS; i++)
        if (!first->stats[i] && player->stats[i]) {
            first->stats[i] = player->stats[i];
            m->sent[i] = MAX((int64_t)frame->number - m->first_frame, 0) + 1;
        }
}

/* Contradicts the donor if the player's weapon is not a weapon's model in its list. */
static void observe_gun(struct dm2_match *m, const struct q2_session *session, uint16_t model)
{
    const char *name = model ? q2_configstring(session, Q2_RANGE_MODELS, model) : NULL;

    if (model && (!name || !(strstr(name, "/v_") || strstr(name, "/grapple"))))
        qs_donor_match_contradict(&m->base, "the player's weapon, model %u, is %s in its list",
                                  model, name ? name : "not there");
}

/* Counts frames with a player's entity at the session's origin: the own entity always is there. */
static void observe_position(struct dm2_match *m, const struct q2_frame *frame)
{
    static const int32_t nowhere[3];
    const int32_t *origin = frame->player.origin;

    if (memcmp(origin, nowhere, sizeof nowhere) == 0)
        return;
    for (guint i = 0; i < frame->entities->len; i++) {
        const struct q2_entity *entity = q2_entities_at(frame->entities, i);

        if (entity->number < DM2_PLAYERS_MAX && entity->number <= m->donor.level.max_clients &&
            memcmp(entity->origin, origin, sizeof entity->origin) == 0)
            m->at_player[entity->number]++;
    }
}

static void observe_first(struct dm2_match *m, const struct q2_mention *mention,
                          const struct q2_entity *state)
{
    const gpointer number = GUINT_TO_POINTER(mention->number);
    struct dm2_first *first;

    if (m->whole_seen || g_hash_table_contains(m->firsts, number))
        return;
    first = g_new0(struct dm2_first, 1);
    first->mention = *mention;
    if (state)
        first->state = *state;
    g_hash_table_insert(m->firsts, number, first);
}

/* Notes players that return without a model, because Q2PRO's baseline for this client has it. */
static void observe_return(struct dm2_match *m, const struct q2_mention *mention)
{
    if (mention->number >= DM2_PLAYERS_MAX)
        return;
    m->mentioned[mention->number] = true;
    m->baseless[mention->number] |= mention->number <= m->donor.level.max_clients &&
                                    qs_numbers_has(&m->gone, mention->number) &&
                                    !(mention->bits & (U_MODEL | U_REMOVE));
}

/*
 * Contradicts the donor if an entity that comes into view repeats its baseline's model, which
 * deltas never do. Recorders leave out baselines without a model, so a missing one proves nothing.
 */
static void compare_baseline(struct dm2_match *m, const struct q2_mention *mention,
                             const struct q2_entity *state)
{
    const struct q2_entity *baseline = q2_baseline(&m->donor, mention->number);

    if (baseline && baseline->model[0] && mention->bits & U_MODEL && state &&
        state->model[0] == baseline->model[0] && mention->number > m->donor.level.max_clients)
        qs_donor_match_contradict(&m->base,
                                  "entity %u contradicts its baseline: it is of another map or "
                                  "game",
                                  mention->number);
}

/* Notes that an entity's origin or angles were sent. Q2PRO omits the client's own unless dead or
 * recording. */
static void observe_own_move(struct dm2_match *m, const struct q2_mention *mention,
                             const struct q2_frame *frame)
{
    if (mention->number >= DM2_PLAYERS_MAX || frame->player.pm_type >= PM_DEAD || m->set_to_record)
        return;
    m->moved[mention->number] |= (mention->bits & MOVE_BITS) != 0;
}

bool dm2_records(const struct dm2_match *m)
{
    return q2_is_q2pro(m->version) && m->slot >= 0 && m->slot + 1 < DM2_PLAYERS_MAX &&
           m->moved[m->slot + 1];
}

static void observe_mention(struct dm2_match *m, const struct q2_session *session,
                            const struct q2_mention *mention)
{
    const struct q2_frame *frame = q2_tracker_frame(m->tracker, mention->frame);
    const struct q2_entity *state = q2_frame_entity(frame, mention->number);

    if (!frame)
        return;
    if (mention->bits & U_MODEL && state && state->model[0] && state->model[0] != CUSTOM_MODEL &&
        !q2_configstring(session, Q2_RANGE_MODELS, state->model[0]))
        qs_donor_match_contradict(&m->base, "its list has no model %u, which the session has",
                                  state->model[0]);
    observe_return(m, mention);
    observe_own_move(m, mention, frame);
    observe_first(m, mention, state);
    if (qs_numbers_has(&m->gone, mention->number))
        compare_baseline(m, mention, state);
    qs_numbers_set(&m->gone, mention->number, mention->bits & U_REMOVE);
}

/* Until svc_setting comes, sets the rate to the frames that the server counted in a second, rounded
 * to tens, as all of Q2PRO's rates are: common/quake2/PROTOCOL.md, section 9. */
static void observe_rate(struct dm2_match *m, int32_t number, int64_t time)
{
    const double seconds = (double)(time - m->first_time) / 1e9;
    const double count = (double)number - m->first_frame;

    if (seconds >= 1)
        m->rate = 10 * (uint16_t)CLAMP(count / seconds / 10 + 0.5, 1, RATE_MAX / 10.0);
}

static void observe_frame(struct dm2_match *m, const struct q2_session *session,
                          const struct q2_frame *frame, int64_t time)
{
    m->base.seen = true;
    if (!m->first_frame) {
        m->first_frame = frame->number;
        m->first_time = time;
    }
    if (!m->rate)
        m->rate = session->level.frame_rate;
    if (session->variant.packed && !session->level.frame_rate)
        observe_rate(m, frame->number, time);
    if (frame->delta <= 0)
        m->whole_seen = true;
    else if (frame->delta < m->first_frame && !m->whole_seen)
        add_reference(m, frame->delta);
    observe_player(m, frame);
    if (frame->reference_missing)
        m->gone = (struct qs_numbers){0}; /* it may have returned in a missing frame */
    qs_donor_match_compare_mark(&m->base, dm2_position(&frame->player));
    observe_gun(m, session, frame->player.gunindex);
    observe_position(m, frame);
}

void dm2_observe(struct qs_donor_match *match, const struct qs_decoder *decoder)
{
    struct dm2_match *m = dm2_match_of(match);
    const struct q2_session *session = q2_session_of_const(decoder->session);
    const struct q2_tracker *tracker = m->tracker;

    m->version = session->base.version;
    m->set_to_record |= session->recording;
    if (decoder->found.direction != QS_S2C)
        return;
    for (guint i = 0; i < tracker->begun->len; i++) {
        const struct q2_frame *frame = q2_tracker_frame(tracker, q2_tracker_begun(tracker, i));

        if (frame)
            observe_frame(m, session, frame, decoder->packet->time);
    }
    for (guint i = 0; i < tracker->mentions->len; i++)
        observe_mention(m, session, &g_array_index(tracker->mentions, struct q2_mention, i));
}

/* --- Number of the player --- */

/* True if the player is the donor of the same time, which is another client. */
static bool is_donor(const struct dm2_match *m, int player)
{
    return m->base.kind == QS_DONOR_CLIENT && m->donor.player == player;
}

/* Returns a player of the level whose entity is never in view: perhaps dead and watching others. */
static int16_t find_unseen(const struct dm2_match *m)
{
    for (uint16_t i = 0; i < m->donor.level.max_clients && i + 1 < DM2_PLAYERS_MAX; i++)
        if (!is_donor(m, i) && !m->mentioned[i + 1] &&
            q2_configstring(&m->donor, Q2_RANGE_PLAYERSKINS, i))
            return (int16_t)i;
    return m->player.clientnum;
}

/* Falls back to clientnum: Q2PRO sends it if the view changes, but may omit the own position. */
int16_t dm2_find_slot(const struct dm2_match *m)
{
    unsigned best = 0;

    for (unsigned i = 1; i < DM2_PLAYERS_MAX; i++)
        if (m->at_player[i] > m->at_player[best] && !is_donor(m, (int)i - 1))
            best = i;
    if (m->at_player[best] >= SLOT_PROOF)
        return (int16_t)(best - 1);
    return is_donor(m, m->player.clientnum) ? find_unseen(m) : m->player.clientnum;
}
