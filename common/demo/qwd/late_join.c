/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A QuakeWorld session that the capture joined late, and a donor: the extensions that it may have
 * agreed on, whether the two match, and what the demo gets.
 * Source: common/quakeworld/PROTOCOL.md, section 9.
 */
#include "common/core/findings.h"
#include "common/core/lists.h"
#include "common/core/infostring.h"
#include "common/core/writer.h"
#include "common/demo/qwd/late_join.h"
#include "common/demo/writer.h"
#include "common/quakeworld/constants.h"

/* --- Learning the sign-on --- */

static bool is_of_players(uint8_t id)
{
    return id == SVC_UPDATEFRAGS || id == SVC_UPDATEPING || id == SVC_UPDATEPL ||
           id == SVC_UPDATEENTERTIME || id == SVC_UPDATEUSERINFO;
}

/* Decodes the sign-on as one packet. */
static void learn(struct qwd_match *m)
{
    GByteArray *bytes = g_byte_array_new();
    struct qs_decoder decoder;

    qs_write_u32(bytes, 1);
    qs_write_u32(bytes, 0);
    qs_decoder_init(&decoder, &qw_protocol);
    qs_sign_on_decode(m->base.sign_on, m->base.kind, is_of_players, &decoder, &m->donor.base,
                      bytes);
    qs_decoder_clear(&decoder);
    m->donor.content = (struct qs_view){0};
    g_byte_array_free(bytes, TRUE);
}

/* --- Variants --- */

/* The donor's states in the session's format. */
static struct qw_states *translated(const struct qw_states *states,
                                    const struct qw_delta_format *from,
                                    const struct qw_delta_format *to)
{
    struct qw_states *result = NULL;

    for (uint32_t i = 0; states && i < states->count; i++) {
        struct qw_entity entity = states->entities[i];

        if (qw_entity_translate(&entity, from, to))
            result = qw_states_set(result, &entity);
    }
    return result;
}

/* The capture lacks the client's negotiation; only the later packets show the extensions: they are
 * those of the donor, or none. */
static void set_variant(struct qwd_match *m, const struct qw_session *known)
{
    const struct qwd_view *view = qwd_view_of(m->base.sign_on);

    if (known->base.version)
        m->variant = (struct qwd_variant){
            .fte = known->ext.fte, .fte2 = known->ext.fte2, .mvd1 = known->ext.mvd1};
    else if (m->base.variant)
        m->variant = (struct qwd_variant){0};
    m->base.variants = known->base.version ? 1 : 2;
    m->format = qwd_format_of(&m->variant);
    m->baselines = translated(view->baselines, &view->format, &m->format);
    m->own = qwd_view_new(&m->format);
}

/* --- The record's first steps --- */

static struct qs_donor_match *qwd_match_new(const struct qs_sign_on *sign_on,
                                            enum qs_donor_kind kind)
{
    struct qwd_match *m = g_new0(struct qwd_match, 1);

    qs_donor_match_init(&m->base, sign_on, kind);
    m->views = g_ptr_array_new();
    g_ptr_array_add(m->views, sign_on->extra);
    m->then = g_ptr_array_new();
    qw_protocol.session_init(&m->donor.base);
    learn(m);
    m->theirs = (struct qwd_variant){
        .fte = m->donor.ext.fte, .fte2 = m->donor.ext.fte2, .mvd1 = m->donor.ext.mvd1};
    m->variant = m->theirs;
    qs_samples_init(&m->samples, sizeof(struct qwd_sample), QWD_SAMPLES, QWD_SAMPLE_EVERY, NULL);
    m->bases = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    m->firsts = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    qwd_updates_init(&m->updates, sign_on);
    return &m->base;
}

/* Models identify maps: each map has other models, in another order. */
static bool has_same_models(const struct qwd_view *view, const struct qwd_view *other)
{
    if (!view->baselines || !other->baselines || view->baselines->count != other->baselines->count)
        return false;
    for (uint32_t i = 0; i < view->baselines->count; i++) {
        const struct qw_entity *a = &view->baselines->entities[i];
        const struct qw_entity *m = &other->baselines->entities[i];

        if (a->number != m->number || qw_entity_model(a) != qw_entity_model(m))
            return false;
    }
    return true;
}

static void qwd_consult(struct qs_donor_match *match, const struct qs_sign_on *other, bool then)
{
    struct qwd_match *m = qwd_match_of(match);

    if (!has_same_models(qwd_view_of(m->base.sign_on), qwd_view_of(other)))
        return;
    if (other != m->base.sign_on)
        g_ptr_array_add(m->views, other->extra);
    if (then)
        g_ptr_array_add(m->then, other->extra);
}

static void qwd_match_free(struct qs_donor_match *match)
{
    struct qwd_match *m = qwd_match_of(match);

    g_array_free(m->bases, TRUE);
    g_hash_table_destroy(m->firsts);
    if (m->own)
        m->own->extra.free(m->own);
    qs_samples_clear(&m->samples);
    g_free(m->baselines);
    qw_protocol.session_clear(&m->donor.base);
    qs_donor_match_clear(&m->base);
    g_ptr_array_free(m->views, TRUE);
    g_ptr_array_free(m->then, TRUE);
    g_free(m->states);
    g_free(m);
}

static void qwd_prepare(struct qs_donor_match *match, struct qs_session *session,
                        const struct qs_session *known)
{
    struct qwd_match *m = qwd_match_of(match);
    struct qw_session *late = (struct qw_session *)session;
    const char *level = qs_table_get(&late->texts, QW_TEXT_LEVEL);
    const char *donors = qs_table_get(&m->donor.texts, QW_TEXT_LEVEL);
    struct fte_session agreed;

    if (!m->own)
        set_variant(m, (const struct qw_session *)known);
    agreed = qwd_agreed(&m->variant);
    m->base.version = known->version ? known->version : m->donor.base.version;
    m->base.loss = session->lost;
    if (level)
        m->level = g_strcmp0(level, donors) == 0 ? LEVEL_SAME : LEVEL_OTHER;
    m->base.lacks = session->lost.packet || session->connection ? QS_LACKS_PART : QS_LACKS_START;
    qw_session_use_donor(late, &m->donor, &agreed);
    late->player = m->variant.player;
    late->spectator = m->variant.spectator;
}

/* --- What the demo gets --- */

void qwd_match_messages(const struct qs_donor_match *match, qwd_add_message *add, void *user)
{
    const struct qwd_match *m = (const struct qwd_match *)match;
    const struct qs_sign_on *sign_on = m->base.sign_on;
    GByteArray *bytes = g_byte_array_new();

    for (guint i = 0; i < qs_sign_on_count(sign_on); i++) {
        const struct qs_view message = qs_sign_on_at(sign_on, i).bytes;

        if (!qs_sign_on_applies(message, m->base.kind, is_of_players) ||
            qwd_updates_is_kept(&m->donor.ext, message.data[0]))
            continue;
        qs_bytes_empty(bytes);
        qwd_translate(bytes, &m->theirs, &m->variant, message);
        if (bytes->len)
            add(user, qs_view_of_bytes(bytes));
    }
    g_byte_array_free(bytes, TRUE);
}

bool qwd_match_updates(const struct qs_donor_match *match, GByteArray *out)
{
    const struct qwd_match *m = (const struct qwd_match *)match;

    if (m->updates.any)
        qwd_updates_append(out, &m->updates, m->base.sign_on,
                           qwd_view_of(m->base.sign_on)->presence);
    return m->updates.any;
}

/* --- The verdict --- */

/* Items where the donor has them: of 59 donors of another map none had one. */
enum { PLACE_PROOF = QS_DONOR_PROOF / 2 };

/* Percentages of packets, and of entities that come into view. */
static const struct qs_evidence_limit limits[] = {
    {QS_EVIDENCE_PACKETS, 1, 3},
    {QS_EVIDENCE_MODELS, 1, 0},
    {QS_EVIDENCE_BASELINES, 3, 3},
    {QS_EVIDENCE_STATES, 5, 50},
};

static char *refusal_of(const struct qwd_match *m)
{
    const char *untranslatable = qwd_untranslatable(&m->theirs, &m->variant);
    const int32_t version = m->donor.base.version;
    char *refusal = qs_donor_match_refusal(&m->base, version, limits, 1);

    if (refusal)
        return refusal;
    if (!m->looked_at)
        return g_strdup("nothing of the game is seen");
    if (untranslatable)
        return g_strdup(untranslatable);
    refusal = qs_donor_match_refusal(&m->base, version, limits, G_N_ELEMENTS(limits));
    if (!refusal && qwd_find_slot(m) < 0)
        refusal = g_strdup("nothing of the game shows which player the session is");
    return refusal;
}

static char *qwd_judge(struct qs_donor_match *match)
{
    struct qwd_match *m = qwd_match_of(match);
    struct qs_evidence *evidence = match->evidence;
    struct qs_view userinfo;
    char *refusal;

    evidence[QS_EVIDENCE_MODELS].differ += m->level == LEVEL_OTHER;
    evidence[QS_EVIDENCE_STATES].agree = evidence[QS_EVIDENCE_BASELINES].agree;
    match->proof = PLACE_PROOF * evidence[QS_EVIDENCE_ITEMS].agree +
                   (m->level == LEVEL_SAME ? QS_DONOR_PROOF : 0);
    refusal = refusal_of(m);
    if (refusal)
        return refusal;
    m->variant.player = (uint8_t)qwd_find_slot(m);
    userinfo = qs_view_of(qs_table_get(&m->donor.userinfo, m->variant.player));
    m->variant.spectator = qs_info_value(userinfo, "*spectator").size;
    qs_donor_match_unknown(match, true, "the player's statistics, until they change");
    qs_donor_match_unknown(match, match->kind == QS_DONOR_OTHER,
                           "the names and frags of players, until they change");
    qs_donor_match_unknown(match, m->bases->len || m->updates.any,
                           "what was in view and is never mentioned");
    qwd_find_states(m);
    return NULL;
}

/* --- The record --- */

/* A level needs svc_serverdata and its whole sign-on. */
static bool qwd_is_late(const struct qs_decoder *decoder)
{
    const struct qs_session *session = decoder->session;

    if (!decoder->accepted || decoder->connectionless || decoder->direction != QS_S2C)
        return false;
    if (session->level)
        return session->lost.packet;
    /* Messages that extensions change need the sign-on that names the extensions. */
    return qwd_needs_level(decoder) || (!session->connection && qs_decoder_problems(decoder));
}

const struct qs_late_join qwd_late_join = {
    .demo_proof = PLACE_PROOF,
    .add_packet = qwd_add_packet,
    .is_late = qwd_is_late,
    .match_new = qwd_match_new,
    .consult = qwd_consult,
    .match_free = qwd_match_free,
    .prepare = qwd_prepare,
    .observe = qwd_observe,
    .judge = qwd_judge,
};
