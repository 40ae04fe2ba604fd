/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Matches a donor with a Quake II session that the capture joined late: applies the sign-on in the
 * session's variant, and finds the session's player. Source: common/quake2/PROTOCOL.md, section 14.
 */
#include <string.h>

#include "common/core/hash.h"
#include "common/core/numeric_text.h"
#include "common/core/text.h"
#include "common/demo/dm2/dm2.h"

/* Removes the names of players, because a demo of another time has other players. */
static void forget_players(struct q2_session *session)
{
    enum q2_range range;
    uint32_t number;

    for (uint32_t i = 0; qs_table_next(&session->level.configstrings, &i); i++)
        if (q2_configstring_range(session, i, &range, &number) && range == Q2_RANGE_PLAYERSKINS)
            qs_table_set(&session->level.configstrings, i, (struct qs_view){0});
}

static struct qs_donor_match *dm2_match_new(const struct qs_sign_on *sign_on,
                                            enum qs_donor_kind kind)
{
    struct dm2_match *m = g_new0(struct dm2_match, 1);

    qs_donor_match_init(&m->base, sign_on, kind);
    m->player_known = Q2_PLAYER_UNKNOWN;
    q2_session_copy(&m->donor.base, sign_on->session);
    if (kind == QS_DONOR_DEMO)
        forget_players(&m->donor);
    m->tracker = q2_tracker_new();
    q2_tracker_want_mentions(m->tracker);
    m->firsts = g_hash_table_new_full(qs_direct_hash, NULL, NULL, g_free);
    return &m->base;
}

static void dm2_match_free(struct qs_donor_match *match)
{
    struct dm2_match *m = dm2_match_of(match);

    q2_session_clear(&m->donor.base);
    q2_tracker_free(m->tracker);
    g_hash_table_destroy(m->firsts);
    for (unsigned i = 0; i < m->reference_count; i++)
        q2_frame_clear(&m->bases[i]);
    qs_donor_match_clear(&m->base);
    g_free(m);
}

static void keep_own_strings(struct dm2_match *m, struct q2_session *late,
                             const struct q2_session *own)
{
    for (uint32_t i = 0; qs_table_next(&own->level.configstrings, &i); i++) {
        const char *text = qs_table_get(&own->level.configstrings, i);
        const char *donated = qs_table_get(&late->level.configstrings, i);

        if (dm2_is_of_level(own, i) && g_strcmp0(text, donated) != 0)
            qs_donor_match_contradict(&m->base,
                                      "its config string %u is %s, but the session's is %s", i,
                                      donated ? donated : "not there", text);
        qs_table_set(&late->level.configstrings, i, qs_view_of(text));
    }
}

/* Overrides the donor's sign-on with the captured part of the session's own. Players keep their
 * numbers from level to level. */
static void keep_own(struct dm2_match *m, struct q2_session *late, const struct q2_session *own)
{
    m->base.lacks = own->base.lost.packet ? QS_LACKS_PART : QS_LACKS_FRAME;
    m->base.loss = own->base.lost;
    if (own->level.servercount && m->base.kind == QS_DONOR_CLIENT &&
        own->level.servercount != m->donor.level.servercount)
        qs_donor_match_contradict(&m->base, "it is from another level");
    if (own->player != Q2_PLAYER_UNKNOWN)
        late->player = m->player_known = own->player;
    late->level.servercount = own->level.servercount;
    keep_own_strings(m, late, own);
    for (uint32_t i = 0; qs_table_next(&own->level.baselines, &i); i++)
        q2_baseline_set(late, q2_baseline(own, i));
}

/* Returns the session whose protocol applies: `own` if its svc_serverdata was captured, else
 * `known`, because another connection may have begun by the end. */
static const struct q2_session *speaker(const struct dm2_match *m, const struct q2_session *own,
                                        const struct q2_session *known)
{
    const bool is_known =
        own->base.level && own->player != Q2_PLAYER_UNKNOWN && !own->handshake.guessed;

    return is_known || m->base.kind == QS_DONOR_ITSELF ? own : known;
}

static void dm2_prepare(struct qs_donor_match *match, struct qs_session *session,
                        const struct qs_session *known)
{
    struct dm2_match *m = dm2_match_of(match);
    struct q2_session *late = q2_session_of(session);
    struct q2_session own;

    q2_session_copy(&own.base, &late->base);
    q2_session_use_donor(late, &m->donor, speaker(m, &own, q2_session_of_const(known)));
    m->variant = late->variant;
    if (!late->level.frame_rate)
        late->level.frame_rate = m->rate;
    if (m->variant.extensions != m->donor.variant.extensions)
        qs_donor_match_contradict(match,
                                  "only one of the demo and the session has extended limits");
    late->player = m->slot;
    if (own.base.level)
        keep_own(m, late, &own);
    /* Only recording clients receive their own entity's position: PROTOCOL.md, section 9. */
    late->recording |= m->records;
    if (!m->judged)
        q2_tracker_attach(m->tracker, late);
    q2_session_clear(&own.base);
}

/* --- Unknown state --- */

/* Returns a text with the statistics that players look at, and the times at which the session first
 * sends each. The caller frees it. */
static char *unknown_state(const struct dm2_match *m)
{
    static const char *const shown[G_N_ELEMENTS(m->sent)] = {[STAT_HEALTH] = "health",
                                                             [STAT_AMMO] = ", ammunition",
                                                             [STAT_ARMOR] = ", armor",
                                                             [STAT_FRAGS] = ", frags"};
    const int64_t rate = m->rate ? m->rate : DM2_CONVERT_RATE;
    GString *text = g_string_new("the player's state and statistics, until they change (");

    for (size_t i = 0; i < G_N_ELEMENTS(shown); i++) {
        char *time = m->sent[i] ? qs_duration_text((m->sent[i] - 1) / rate + 1) : g_strdup("never");

        if (shown[i])
            g_string_append_printf(text, "%s %s", shown[i], time);
        g_free(time);
    }
    return g_string_free(g_string_append_c(text, ')'), FALSE);
}

static void note_unknown(struct dm2_match *m)
{
    const bool any = !m->whole_seen || m->reference_count;
    g_autofree char *state = unknown_state(m);

    qs_donor_match_unknown(&m->base, any, state);
    qs_donor_match_unknown(&m->base, any && m->base.kind == QS_DONOR_DEMO,
                           "the names of players, until they change");
    qs_donor_match_unknown(&m->base, any && m->base.kind == QS_DONOR_ITSELF,
                           "whether entities that never change were in view");
    qs_donor_match_unknown(&m->base, m->variant.packed && !m->rate,
                           "the server's rate of frames, of which less than a second was captured");
}

static void dm2_judge(struct qs_donor_match *match)
{
    struct dm2_match *m = dm2_match_of(match);

    m->judged = true;
    m->slot = m->player_known != Q2_PLAYER_UNKNOWN ? m->player_known : dm2_find_slot(m);
    m->records = dm2_records(m);
    note_unknown(m);
    dm2_make_bases(m);
}

/* --- Record of the game --- */

/* True if the level's first frame is missing, from which the others are deltas. */
static bool lacks_first(const struct qs_decoder *decoder)
{
    const struct q2_tracker *tracker = q2_session_of_const(decoder->session)->tracker;

    return decoder->found.direction == QS_S2C && tracker && q2_tracker_lacks_first(tracker);
}

/* Implements qs_late_join.is_late. Without svc_serverdata no level can be shown. */
static bool dm2_is_late(const struct qs_decoder *decoder)
{
    if (!decoder->found.accepted)
        return false;
    if (decoder->session->level)
        return decoder->session->lost.packet || lacks_first(decoder);
    if (!decoder->session->connection)
        return true;
    return decoder->found.direction == QS_S2C && qs_has_message(decoder, SVC_FRAME);
}

const struct qs_late_join dm2_late_join = {
    .add_packet = dm2_add_packet,
    .is_late = dm2_is_late,
    .own_sign_on = dm2_own,
    .match_new = dm2_match_new,
    .match_free = dm2_match_free,
    .prepare = dm2_prepare,
    .observe = dm2_observe,
    .judge = dm2_judge,
};
