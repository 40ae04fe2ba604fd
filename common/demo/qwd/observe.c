/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Evidence in the packets of a late QuakeWorld session, in each variant that it may use: the
 * players in view, the first updates of entities, and contradictions to the donor. Source:
 * common/quakeworld/PROTOCOL.md, section 9.
 */
#include "common/core/writer.h"
#include "common/demo/qwd/late_join.h"
#include "common/quakeworld/constants.h"

enum {
    LOOK_AT_MOST = 20000, /* packets */
    CHOOSE_AFTER = 200,   /* packets; then only the best variant is decoded */
};

/* --- Observing the session --- */

static void see_playerinfo(struct qwd_observation *observed, struct qs_view body)
{
    struct qwd_place place;

    if (!qwd_read_place(body, &observed->session.ext, &place) || place.player >= QWD_PLAYERS_MAX)
        return;
    observed->infos[place.player]++;
    memcpy(observed->origins[place.player], place.origin, sizeof place.origin);
    observed->other[place.player] |= (place.flags & (PF_MSEC | PF_COMMAND)) != 0;
}

/* A client receives the commands of all players except its own. */
int qwd_find_slot(const struct qwd_observation *observed)
{
    const uint32_t *infos = observed->updates.any ? observed->updates.infos : observed->infos;
    const bool *other = observed->updates.any ? observed->updates.others : observed->other;
    int best = -1;

    for (int i = 0; i < QWD_PLAYERS_MAX; i++)
        if (infos[i] && !other[i] && (best < 0 || infos[i] > infos[best]))
            best = i;
    return best;
}

static bool has_model(const struct qwd_observation *observed, uint32_t model)
{
    return !model || qs_table_get(&observed->session.models, model);
}

/* Model numbers differ from map to map: the weapon model must be a weapon. */
static void see_weapon(struct qwd_observation *observed, struct qs_view body)
{
    const char *name;

    if (body.size < 2 || body.data[0] != STAT_WEAPON || !body.data[1])
        return;
    name = qs_table_get(&observed->session.models, body.data[1]);
    if (!name || !strstr(name, "/v_"))
        observed->wrong_models++;
    else
        observed->agreements++;
}

static void add_base(struct qwd_observation *observed, uint32_t base)
{
    guint i = 0;

    while (i < observed->bases->len && g_array_index(observed->bases, uint32_t, i) < base)
        i++;
    if (observed->bases->len < QW_FRAMES_KEPT &&
        (i == observed->bases->len || g_array_index(observed->bases, uint32_t, i) != base))
        g_array_insert_val(observed->bases, i, base);
}

/* The state after the delta is applied to the baseline. */
static struct qw_entity from_baseline(const struct qwd_observation *observed,
                                      const struct qw_delta *delta, struct qs_reader *in)
{
    const struct qw_entity *baseline = qw_states_find(observed->baselines, delta->number);
    struct qw_entity state = baseline ? *baseline : (struct qw_entity){.number = delta->number};

    qw_read_delta_fields(in, &observed->format, delta, &state);
    return state;
}

/* Doors and the like move; items stay where the donor saw them. */
static bool can_move(const struct qwd_observation *observed, const struct qw_entity *usual)
{
    const char *name = qs_table_get(&observed->session.models, qw_entity_model(usual));

    return !name || name[0] == '*';
}

const struct qw_entity *qwd_common_state(const struct qwd_match *m,
                                         const struct qwd_observation *observed, uint16_t number,
                                         struct qw_entity *state)
{
    for (guint i = 0; i < m->views->len; i++) {
        const struct qwd_view *view = g_ptr_array_index(m->views, i);

        if (qwd_view_common_state(view, &observed->format, number, state))
            return state;
    }
    return NULL;
}

/* Both at the precision of shorts: one of the two may come from floats. */
static bool is_alike(const struct qwd_observation *observed, const struct qw_entity *a,
                     const struct qw_entity *m)
{
    struct qw_delta_format coarse = observed->format;
    struct qw_entity one = *a, other = *m;

    coarse.coord_size = 2;
    coarse.angle_size = 1;
    qw_entity_translate(&one, &observed->format, &coarse);
    qw_entity_translate(&other, &observed->format, &coarse);
    return qw_entities_equal(&coarse, &one, &other);
}

static bool repeats_model(const struct qw_delta *delta, const struct qw_entity *baseline,
                          const struct qw_entity *state)
{
    return baseline && (delta->bits & U_MODEL) &&
           qw_entity_model(baseline) == qw_entity_model(state);
}

bool qwd_is_common_state(const struct qwd_match *m, const struct qwd_observation *observed,
                         const struct qw_entity *state)
{
    struct qw_entity usual;

    return qwd_common_state(m, observed, state->number, &usual) &&
           is_alike(observed, &usual, state);
}

/* It comes into view: a server sends only differences from the baseline, but may compare more bits
 * of coordinates than it sends. */
static void judge(const struct qwd_match *m, struct qwd_observation *observed,
                  const struct qw_delta *delta, const struct qw_entity *state)
{
    const struct qw_entity *baseline = qw_states_find(observed->baselines, delta->number);

    if (!qw_entity_model(state) || repeats_model(delta, baseline, state)) {
        observed->wrong++;
        return;
    }
    qwd_view_vote(observed->own, state);
    if (baseline)
        observed->agreements += qwd_is_common_state(m, observed, state);
}

/* Whether the delta alone shows that the entity comes into view. */
static bool arrives(const struct qwd_observation *observed, const struct qw_delta *delta,
                    const struct qw_entity *baseline, const struct qw_entity *state)
{
    if (!baseline)
        return qw_entity_model(state);
    return (delta->bits & (U_ORIGIN1 | U_ORIGIN2 | U_ORIGIN3)) && !can_move(observed, baseline);
}

/* Whether the donor had a state like the first update of a permanent entity. */
static void weigh_first(const struct qwd_match *m, struct qwd_observation *observed,
                        const struct qwd_first *first)
{
    struct qw_entity usual;

    if (!qw_states_find(observed->baselines, first->state.number) ||
        !qwd_common_state(m, observed, first->state.number, &usual))
        return;
    if (first->removes || is_alike(observed, &usual, &first->state))
        observed->agreements++;
    else if (!can_move(observed, &usual))
        observed->strange++;
}

static void see_first(const struct qwd_match *m, struct qwd_observation *observed,
                      const struct qw_delta *delta, const struct qw_entity *state)
{
    const gpointer number = GUINT_TO_POINTER(delta->number);
    const struct qw_entity *baseline = qw_states_find(observed->baselines, delta->number);
    struct qwd_first *first;

    if (observed->whole_seen || g_hash_table_contains(observed->firsts, number))
        return;
    first = g_new0(struct qwd_first, 1);
    first->update = observed->update_count;
    first->removes = delta->removes;
    first->state = *state;
    first->arrives = arrives(observed, delta, baseline, state);
    first->repeats = repeats_model(delta, baseline, state);
    g_hash_table_insert(observed->firsts, number, first);
    weigh_first(m, observed, first);
}

static void see_delta(const struct qwd_match *m, struct qwd_observation *observed,
                      uint32_t sequence, uint32_t base, bool whole, const struct qw_delta *delta,
                      struct qs_reader *in)
{
    struct qw_entity state = {.number = delta->number};
    uint32_t *gone = &observed->gone[delta->number % QW_STATES_MAX];

    if (!delta->removes)
        state = from_baseline(observed, delta, in);
    see_first(m, observed, delta, &state);
    if (delta->number < QW_STATES_MAX)
        qwd_numbers_set(&observed->known, delta->number, !delta->removes);
    if (delta->removes) {
        *gone = *gone ? *gone : sequence;
        return;
    }
    if (!has_model(observed, qw_entity_model(&state)))
        observed->wrong_models++;
    if (whole || (*gone && base >= *gone))
        judge(m, observed, delta, &state);
    *gone = 0;
}

/* A full update: each of its entities counts as coming into view. */
static void see_whole(struct qwd_observation *observed)
{
    observed->whole_seen = true;
    memset(observed->gone, 0, sizeof observed->gone);
}

/* Until a full update has arrived. */
static void add_sample(struct qwd_observation *observed, uint8_t player)
{
    const uint32_t update = observed->update_count++;
    struct qwd_sample *sample;

    if (!qs_samples_is_due(&observed->samples, update))
        return;
    sample = qs_samples_add(&observed->samples, update);
    *sample = (struct qwd_sample){.update = update, .player = player, .numbers = observed->known};
    memcpy(sample->origin, observed->origins[player], sizeof sample->origin);
}

static void see_view(struct qwd_observation *observed, struct qs_view body, bool is_delta)
{
    const int player = qwd_find_slot(observed);

    if (player < 0)
        return;
    if (!observed->whole_seen) {
        add_sample(observed, (uint8_t)player);
        return;
    }
    memcpy(observed->own->origin, observed->origins[player], sizeof observed->own->origin);
    qwd_view_update(observed->own, (uint8_t)player, body, is_delta);
}

/* A removed entity may have returned in an update that the client had and the capture lacks. */
static void see_base(struct qwd_observation *observed, uint32_t base)
{
    if (observed->updates_at[base % QW_FRAMES_KEPT] != base)
        memset(observed->gone, 0, sizeof observed->gone);
}

static void see_update(const struct qwd_match *m, struct qwd_observation *observed,
                       uint32_t sequence, struct qs_view body, bool is_delta)
{
    struct qs_reader in = qs_reader_over(body.data, body.size);
    const uint32_t base = is_delta ? qw_delta_base(sequence, qs_reader_u8(&in)) : 0;

    if (!observed->first_update)
        observed->first_update = sequence;
    if (!is_delta)
        see_whole(observed);
    else if (base < observed->first_update && !observed->whole_seen)
        add_base(observed, base);
    if (is_delta)
        see_base(observed, base);
    observed->updates_at[sequence % QW_FRAMES_KEPT] = sequence;
    while (qs_reader_left(&in) >= 2 && qs_le16(in.data + in.pos)) {
        const struct qw_delta delta = qw_read_delta(&in, observed->format.fte);

        see_delta(m, observed, sequence, base, !is_delta, &delta, &in);
    }
    see_view(observed, body, is_delta);
}

/* The captured part of the session's own sign-on must equal the donor's. */

static void see_models(const struct qwd_match *m, struct qwd_observation *observed)
{
    const struct qs_table *own = &observed->session.models;

    for (uint32_t i = 1; i < qs_table_end(own); i++)
        observed->wrong_models +=
            g_strcmp0(qs_table_get(own, i), qs_table_get(&m->donor.models, i)) != 0;
    observed->agreements += QS_DONOR_PROOF;
}

static void see_baseline(struct qwd_observation *observed, struct qs_view body, bool as_delta)
{
    struct qs_reader in = qs_reader_over(body.data, body.size);
    const struct qw_entity *baseline;
    struct qw_entity own;

    if (as_delta)
        qw_read_delta_baseline(&in, &observed->format, &own);
    else
        qw_read_baseline(&in, &observed->format, &own);
    baseline = qw_states_find(observed->baselines, own.number);
    if (baseline && qw_entity_model(baseline) == qw_entity_model(&own))
        observed->agreements++;
    else
        observed->wrong++;
}

static void see_message(const struct qwd_match *m, struct qwd_observation *observed,
                        uint32_t sequence, uint16_t id, struct qs_view message)
{
    const struct qs_view body = {message.data + 1, message.size - 1};

    switch (id) {
    case SVC_PLAYERINFO:
        see_playerinfo(observed, body);
        break;
    case SVC_MODELLIST:
    case SVC_FTE_MODELLISTSHORT:
        see_models(m, observed);
        break;
    case SVC_SPAWNBASELINE:
    case SVC_FTE_SPAWNBASELINE2:
        if (!(observed->variant.fte2 & FTE2_REPLACEMENTDELTAS))
            see_baseline(observed, body, id == SVC_FTE_SPAWNBASELINE2);
        break;
    case SVC_UPDATESTAT:
    case SVC_UPDATESTATLONG:
        see_weapon(observed, body);
        break;
    case SVC_PACKETENTITIES:
    case SVC_DELTAPACKETENTITIES:
        see_update(m, observed, sequence, body, id == SVC_DELTAPACKETENTITIES);
        break;
    }
}

static void see_packet(const struct qwd_match *m, struct qwd_observation *observed,
                       uint32_t sequence, const struct qs_packet *packet)
{
    const uint32_t level = observed->session.base.level;
    struct qs_decoder *decoder = &observed->decoder;

    if (observed->over)
        return;
    observed->session.base.to_client = (struct qs_netchan){0};
    qs_decode_server_messages(decoder, &observed->session.base, NULL, packet);
    observed->packets++;
    if (qs_decoder_problems(decoder)) {
        observed->unreadable++;
        return;
    }
    observed->over = observed->session.base.level != level;
    qwd_updates_observe(&observed->updates, decoder);
    for (guint i = 0; i < decoder->messages->len; i++)
        see_message(m, observed, sequence,
                    g_array_index(decoder->messages, struct qs_message, i).id,
                    qwd_message_view(decoder, i));
}

void qwd_choose_variant(struct qwd_match *m)
{
    unsigned best = 0;

    for (unsigned i = 1; i < m->observed_count; i++)
        if (m->observed[i]->unreadable < m->observed[best]->unreadable)
            best = i;
    for (unsigned i = 0; i < m->observed_count; i++)
        if (i != best)
            qwd_observation_free(m->observed[i]);
    m->observed[0] = m->observed[best];
    m->observed_count = MIN(m->observed_count, 1);
}

/* The messages after the plain netchan's header: they may have come in fragments. */
static GByteArray *plain_packet(const struct qs_decoder *decoder)
{
    const struct qw_session *session = (const struct qw_session *)decoder->session;
    const uint32_t start = session->joined ? 0 : session->header_size;
    GByteArray *bytes = g_byte_array_new();

    qs_write_u32(bytes, decoder->sequence);
    qs_write_u32(bytes, decoder->acknowledged);
    g_byte_array_append(bytes, session->content.data + start, session->content.size - start);
    return bytes;
}

bool qwd_observe(struct qs_donor_match *match, const struct qs_decoder *decoder)
{
    struct qwd_match *m = qwd_match_of(match);
    const struct qw_session *session = (const struct qw_session *)decoder->session;
    struct qs_packet packet = {.number = 1, .from = QS_END_UNKNOWN};
    GByteArray *bytes;

    if (decoder->direction != QS_S2C || !decoder->accepted || !session->content.data ||
        qs_packet_is_cut(decoder->packet))
        return true;
    bytes = plain_packet(decoder);
    packet.data = bytes->data;
    packet.size = packet.wire_size = bytes->len;
    for (unsigned i = 0; i < m->observed_count; i++)
        see_packet(m, m->observed[i], decoder->sequence, &packet);
    g_byte_array_free(bytes, TRUE);
    if (++m->looked_at == CHOOSE_AFTER)
        qwd_choose_variant(m);
    return m->looked_at < LOOK_AT_MOST;
}
