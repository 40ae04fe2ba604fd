/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Observes a late QuakeWorld session's packets: players in view, first updates of entities, and
 * contradictions to the donor. Source: common/quakeworld/PROTOCOL.md, section 9.
 */
#include <string.h>

#include "common/core/findings.h"
#include "common/demo/qwd/late_join.h"
#include "common/quakeworld/constants.h"

enum { ORIGIN = U_ORIGIN1 | U_ORIGIN2 | U_ORIGIN3 };

/* --- Players --- */

static void observe_playerinfo(struct qwd_match *m, struct qs_view body)
{
    struct qwd_position position;

    if (!qwd_read_position(body, &m->late->ext, &position) || position.player >= QWD_PLAYERS_MAX)
        return;
    qwd_players_observe(&m->players, position.player, position.flags & PF_MSEC);
    memcpy(m->players.origins[position.player], position.origin, sizeof position.origin);
}

/* Finds the player whose svc_playerinfo never has PF_MSEC, which is the client's own. */
int qwd_find_slot(const struct qwd_players *players)
{
    int best = -1;

    for (int i = 0; i < QWD_PLAYERS_MAX; i++)
        if (players->infos[i] && !players->other[i] &&
            (best < 0 || players->infos[i] > players->infos[best]))
            best = i;
    return best;
}

/* --- Contradictions --- */

static void contradict_baseline(struct qwd_match *m, uint16_t number)
{
    qs_donor_match_contradict(
        &m->base, "entity %u contradicts its baseline: it is of another map or game", number);
}

/* Checks the donor's map: the weapon model's number must be a weapon in its list. */
static void observe_weapon(struct qwd_match *m, struct qs_view body)
{
    const char *name;

    if (body.size < 2 || body.data[0] != STAT_WEAPON || !body.data[1])
        return;
    name = qs_table_get(&m->late->models, body.data[1]);
    if (!name || !strstr(name, "/v_"))
        qs_donor_match_contradict(&m->base, "the player's weapon, model %u, is %s in its list",
                                  body.data[1], name ? name : "not there");
}

/* Contradicts the donor if the captured part of the session's own sign-on differs. */
static void observe_models(struct qwd_match *m)
{
    const struct qs_table *own = &m->late->models;

    for (uint32_t i = 1; i < qs_table_end(own); i++) {
        const char *donors = qs_table_get(&m->donor->models, i), *model = qs_table_get(own, i);

        if (g_strcmp0(model, donors) != 0)
            qs_donor_match_contradict(&m->base, "its model %u is %s, but the session's is %s", i,
                                      donors ? donors : "not there", model ? model : "not there");
    }
}

static void observe_baseline(struct qwd_match *m, struct qs_view body, bool as_delta)
{
    const struct qw_entity *baseline;
    struct qw_entity own;

    if (!qw_read_baseline(body, as_delta, &m->format, &own))
        return;
    baseline = qw_states_find(m->baselines, own.number);
    if (!baseline || qw_entity_model(baseline) != qw_entity_model(&own))
        contradict_baseline(m, own.number);
}

/* --- Updates --- */

static void add_base(struct qwd_match *m, uint32_t base)
{
    guint i = 0;

    while (i < m->bases->len && g_array_index(m->bases, uint32_t, i) < base)
        i++;
    if (m->bases->len < QW_FRAMES_KEPT &&
        (i == m->bases->len || g_array_index(m->bases, uint32_t, i) != base))
        g_array_insert_val(m->bases, i, base);
}

/* True if the delta alone shows that the entity comes into view. Doors and other brush models move;
 * items stay where they were dropped. */
static bool must_arrive(const struct qwd_match *m, const struct qwd_change *change,
                        const struct qw_entity *baseline)
{
    const char *name;

    if (!baseline)
        return qw_entity_model(change->state);
    name = qs_table_get(&m->late->models, qw_entity_model(baseline));
    return (change->delta->bits & ORIGIN) && name && name[0] != '*';
}

static void observe_first(struct qwd_match *m, const struct qwd_change *change,
                          const struct qw_entity *baseline)
{
    const gpointer number = GUINT_TO_POINTER(change->delta->number);
    struct qwd_first *first;

    if (m->whole_seen || g_hash_table_contains(m->firsts, number))
        return;
    first = g_new0(struct qwd_first, 1);
    first->state = *change->state;
    first->arrives = !change->delta->removes && must_arrive(m, change, baseline);
    g_hash_table_insert(m->firsts, number, first);
}

/*
 * Observes an entity that comes into view: its delta is from the baseline, and never repeats the
 * model. It may repeat coordinates, because servers compare more bits of them than they send.
 */
static void observe_arrival(struct qwd_match *m, const struct qwd_change *change,
                            const struct qw_entity *baseline)
{
    const uint16_t model = qw_entity_model(change->state);

    if (!model ||
        (baseline && (change->delta->bits & U_MODEL) && qw_entity_model(baseline) == model))
        contradict_baseline(m, change->delta->number);
    if (!qw_states_find(m->own, change->delta->number))
        m->own = qw_states_set(m->own, change->state);
}

static void observe_change(void *user, const struct qwd_change *change)
{
    struct qwd_match *m = user;
    const struct qw_entity *baseline = qw_states_find(m->baselines, change->delta->number);
    const uint16_t model = qw_entity_model(change->state);

    observe_first(m, change, baseline);
    if (!change->delta->removes && model && !qs_table_get(&m->late->models, model))
        qs_donor_match_contradict(&m->base, "its list has no model %u, which the session has",
                                  model);
    if (change->arrives)
        observe_arrival(m, change, baseline);
}

/* Adds a sight, unless a full update has arrived. */
static void add_sight(struct qwd_match *m)
{
    const int player = qwd_find_slot(&m->players);

    if (player < 0 || m->whole_seen)
        return;
    if (qs_sights_is_due(&m->sights, m->update_count))
        qs_sights_add(&m->sights, m->update_count, m->players.origins[player])->player =
            (uint8_t)player;
    m->update_count++;
}

static void observe_update(struct qwd_match *m, uint32_t sequence, struct qs_view body,
                           bool is_delta)
{
    struct qs_reader in = qs_reader_over(body.data, body.size);
    const uint32_t base = is_delta ? qw_delta_base(sequence, qs_reader_u8(&in)) : 0;

    if (!m->first_update)
        m->first_update = sequence;
    m->whole_seen |= !is_delta;
    if (base < m->first_update && !m->whole_seen)
        add_base(m, base);
    qwd_follow_update(&m->seen, sequence, base, !is_delta, in, &m->format, m->baselines,
                      observe_change, m);
    add_sight(m);
}

static void observe_message(struct qwd_match *m, uint32_t sequence, uint16_t id,
                            struct qs_view message)
{
    const struct qs_view body = {message.data + 1, message.size - 1};

    switch (id) {
    case SVC_PLAYERINFO:
        observe_playerinfo(m, body);
        break;
    case SVC_MODELLIST:
    case SVC_FTE_MODELLISTSHORT:
        observe_models(m);
        break;
    case SVC_SPAWNBASELINE:
    case SVC_FTE_SPAWNBASELINE2:
        if (!(m->donor->ext.fte2 & FTE2_REPLACEMENTDELTAS))
            observe_baseline(m, body, id == SVC_FTE_SPAWNBASELINE2);
        break;
    case SVC_UPDATESTAT:
    case SVC_UPDATESTATLONG:
        observe_weapon(m, body);
        break;
    case SVC_PACKETENTITIES:
    case SVC_DELTAPACKETENTITIES:
        observe_update(m, sequence, body, id == SVC_DELTAPACKETENTITIES);
        break;
    }
}

void qwd_observe(struct qs_donor_match *match, const struct qs_decoder *decoder)
{
    struct qwd_match *m = qwd_match_of(match);

    m->late = (const struct qw_session *)decoder->session;
    if (decoder->found.direction != QS_S2C || !m->late->content.data)
        return;
    match->seen |= qwd_needs_level(decoder);
    qs_donor_match_compare_mark(match, qwd_messages(decoder));
    qwd_updates_observe(m, decoder);
    for (guint i = 0; i < decoder->found.messages->len; i++)
        observe_message(m, decoder->found.sequence, qs_message_at(decoder, i)->id,
                        qs_message_view(qs_message_at(decoder, i)));
}
