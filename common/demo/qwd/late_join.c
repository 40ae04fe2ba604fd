/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Completes a QuakeWorld session that the capture joined late with a donor's sign-on, and reports
 * what remains unknown. Source: common/quakeworld/PROTOCOL.md, section 9.
 */
#include "common/core/findings.h"
#include "common/core/hash.h"
#include "common/core/text.h"
#include "common/core/containers.h"
#include "common/core/writer.h"
#include "common/demo/qwd/late_join.h"
#include "common/quakeworld/constants.h"

static bool is_of_player(uint8_t id)
{
    return id == SVC_UPDATEFRAGS || id == SVC_UPDATEPING || id == SVC_UPDATEPL ||
           id == SVC_UPDATEENTERTIME || id == SVC_UPDATEUSERINFO || id == SVC_SETINFO;
}

/* --- Creating and preparing a match --- */

static struct qs_donor_match *qwd_match_new(const struct qs_sign_on *sign_on,
                                            enum qs_donor_kind kind)
{
    struct qwd_match *m = g_new0(struct qwd_match, 1);

    qs_donor_match_init(&m->base, sign_on, kind);
    m->donor = (const struct qw_session *)sign_on->session;
    m->format = qw_delta_format(&m->donor->ext);
    m->baselines = qwd_view_of(sign_on)->baselines;
    for (guint i = 0; i < qs_sign_on_count(sign_on); i++) {
        const struct qs_view message = qs_sign_on_at(sign_on, i, NULL);

        if (message.data[0] == SVC_FTE_SPAWNBASELINE2 && message.size > 2)
            qs_numbers_set(&m->baseline_numbers, qs_le16(message.data + 1), true);
    }
    qs_sights_init(&m->sights);
    m->bases = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    m->firsts = g_hash_table_new_full(qs_direct_hash, NULL, NULL, g_free);
    return &m->base;
}

static void qwd_match_free(struct qs_donor_match *match)
{
    struct qwd_match *m = qwd_match_of(match);

    g_array_free(m->bases, TRUE);
    g_hash_table_destroy(m->firsts);
    qs_sights_clear(&m->sights);
    qs_donor_match_clear(match);
    g_free(m->own);
    g_free(m->states);
    g_free(m);
}

static bool has_same_extensions(const struct fte_session *a, const struct fte_session *b)
{
    return a->fte == b->fte && a->fte2 == b->fte2 &&
           !((a->mvd1 ^ b->mvd1) & ~(uint32_t)MVD1_HIDDEN_MESSAGES); /* only MVD has these */
}

/* Contradicts the donor if the session has another level or protocol. */
static void compare_sessions(struct qwd_match *m, const struct qw_session *late,
                             const struct qw_session *known)
{
    const struct qw_session *donor = m->donor;
    const char *level = qs_table_get(&late->texts, QW_TEXT_LEVEL);
    const char *donors = qs_table_get(&donor->texts, QW_TEXT_LEVEL);
    const bool is_known = !late->base.lost.in_game;

    if (is_known && level && g_strcmp0(level, donors) != 0)
        qs_donor_match_contradict(&m->base, "its level is \"%s\", but the session's is \"%s\"",
                                  donors ? donors : "", level);
    if (is_known && m->base.kind == QS_DONOR_CLIENT && late->sign_on.count &&
        donor->sign_on.count && late->sign_on.count != donor->sign_on.count)
        qs_donor_match_contradict(&m->base, "it is from another level");
    if (!known->base.version)
        return;
    if (known->base.version != donor->base.version)
        qs_donor_match_contradict(&m->base, "its protocol is %d, but the session's is %d",
                                  donor->base.version, known->base.version);
    if (!has_same_extensions(&known->ext, &donor->ext))
        qs_donor_match_contradict(&m->base, "its client had other protocol extensions");
}

static void qwd_prepare(struct qs_donor_match *match, struct qs_session *session,
                        const struct qs_session *known)
{
    struct qwd_match *m = qwd_match_of(match);
    struct qw_session *late = (struct qw_session *)session;

    compare_sessions(m, late, (const struct qw_session *)known);
    match->loss = session->lost;
    match->lacks = session->lost.packet || session->connection ? QS_LACKS_PART : QS_LACKS_START;
    qw_session_use_donor(late, m->donor);
    if (match->kind == QS_DONOR_DEMO)
        qs_table_clear(&late->userinfo);
    late->player = m->player;
    late->spectator = m->spectator;
}

/* --- Sign-on for the demo --- */

/* Adds the donor's svc_serverdata with the session's player; its layout is in PROTOCOL.md. */
static void add_serverdata(const struct qwd_match *m, struct qs_view message, qwd_add_message *add,
                           void *user)
{
    enum { SPECTATOR = 0x80 };
    const bool several = m->donor->ext.fte2 & FTE2_MAXPLAYERS;
    struct qs_reader in = qs_reader_over(message.data, message.size);
    uint8_t *bytes = g_memdup2(message.data, message.size);
    uint8_t *spectator;

    qs_reader_u8(&in);
    qwd_skip_pairs(&in);
    qwd_skip_to_players(&in, &m->donor->ext);
    spectator = bytes + in.pos;
    if (several)
        qs_reader_u8(&in); /* seats */
    if (!in.overrun && in.pos < in.size) {
        bytes[in.pos] = m->player;
        if (!(m->donor->ext.fte2 & FTE2_VRINPUTS) || !several)
            *spectator = (uint8_t)((*spectator & ~SPECTATOR) | (m->spectator ? SPECTATOR : 0));
    }
    add(user, (struct qs_view){bytes, message.size});
    g_free(bytes);
}

void qwd_match_messages(const struct qs_donor_match *match, qwd_add_message *add, void *user)
{
    const struct qwd_match *m = (const struct qwd_match *)match;

    for (guint i = 0; i < qs_sign_on_count(match->sign_on); i++) {
        const struct qs_view message = qs_sign_on_at(match->sign_on, i, NULL);

        if (match->kind == QS_DONOR_DEMO && is_of_player(message.data[0]))
            continue;
        if (message.data[0] == SVC_SERVERDATA)
            add_serverdata(m, message, add, user);
        else
            add(user, message);
    }
}

/* --- After all packets --- */

/* Finds the session's player. If no packet shows it, uses that of the donor, a client's demo. */
static void find_player(struct qwd_match *m)
{
    const struct qw_session *donor = m->donor;
    const int slot = qwd_find_slot(&m->players);
    const char *userinfo;

    if (slot < 0 && (m->base.kind == QS_DONOR_CLIENT || donor->player == QW_PLAYER_NONE))
        qs_donor_match_contradict(&m->base, "no packet shows which player the session's client is");
    m->player = slot < 0 ? donor->player : (uint8_t)slot;
    userinfo = qs_table_get(&donor->userinfo, m->player);
    if (m->base.kind == QS_DONOR_CLIENT)
        m->spectator = qs_info_value(qs_view_of(userinfo), "*spectator").size;
    else
        m->spectator = donor->spectator && m->player == donor->player;
}

static void qwd_judge(struct qs_donor_match *match)
{
    struct qwd_match *m = qwd_match_of(match);

    find_player(m);
    qs_donor_match_unknown(match, true, "the player's statistics, until they change");
    qs_donor_match_unknown(match, match->kind == QS_DONOR_DEMO,
                           "the names and frags of players, until they change");
    qs_donor_match_unknown(match, m->bases->len || m->replaces,
                           "what was in view and is never mentioned");
    qwd_find_states(m);
}

/* --- Callbacks --- */

/* True if a packet needs a level, and its svc_serverdata or a part of its sign-on is missing. */
static bool qwd_is_late(const struct qs_decoder *decoder)
{
    const struct qs_session *session = decoder->session;

    if (!decoder->found.accepted || decoder->found.connectionless ||
        decoder->found.direction != QS_S2C)
        return false;
    if (session->level)
        return session->lost.packet;
    /* Messages that extensions change need the sign-on, which names the extensions. */
    return qwd_needs_level(decoder) || (!session->connection && qs_decoder_problems(decoder));
}

const struct qs_late_join qwd_late_join = {
    .add_packet = qwd_add_packet,
    .is_late = qwd_is_late,
    .match_new = qwd_match_new,
    .match_free = qwd_match_free,
    .prepare = qwd_prepare,
    .observe = qwd_observe,
    .judge = qwd_judge,
};
