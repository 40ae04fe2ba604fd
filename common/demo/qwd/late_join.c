/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a QuakeWorld session that began late borrows, and the extensions that it may speak in.
 * Source: common/quakeworld/PROTOCOL.md, section 9.
 */
#include "common/core/lists.h"
#include "common/core/findings.h"
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
    struct qs_packet packet = {.number = 1, .from = QS_END_UNKNOWN};
    struct qs_decoder decoder;

    qs_write_u32(bytes, 1);
    qs_write_u32(bytes, 0);
    qs_sign_on_append(bytes, m->sign_on, m->kind, is_of_players);
    packet.data = bytes->data;
    packet.size = packet.wire_size = bytes->len;
    qs_decoder_init(&decoder, &qw_protocol);
    qs_decode_server_messages(&decoder, &m->donor.base, NULL, &packet);
    qs_decoder_clear(&decoder);
    m->donor.content = (struct qs_view){0};
    g_byte_array_free(bytes, TRUE);
}

/* --- Dialects --- */

/* The donor's states as the session would have them. */
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

struct qwd_observation *qwd_observation_new(const struct qwd_match *m,
                                            const struct qwd_variant *dialect)
{
    const struct qwd_view *told = qwd_view_of(m->sign_on);
    const struct fte_session agreed = {
        .fte = dialect->fte, .fte2 = dialect->fte2, .mvd1 = dialect->mvd1};
    struct qwd_observation *observed = g_new0(struct qwd_observation, 1);

    observed->variant = *dialect;
    observed->format = qwd_format_of(dialect);
    observed->bases = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    observed->firsts = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    observed->baselines = translated(told->baselines, &told->format, &observed->format);
    observed->own = qwd_view_new(&observed->format);
    observed->own->baselines = qw_states_copy(observed->baselines);
    qwd_updates_init(&observed->updates, m->sign_on);
    qs_decoder_init(&observed->decoder, &qw_protocol);
    observed->decoder.want_entities = QS_ENTITIES_ALL;
    qw_protocol.session_init(&observed->session.base);
    qw_session_borrow(&observed->session, &m->donor, &agreed);
    return observed;
}

void qwd_observation_free(struct qwd_observation *observed)
{
    qs_decoder_clear(&observed->decoder);
    qw_protocol.session_clear(&observed->session.base);
    g_array_free(observed->bases, TRUE);
    g_hash_table_destroy(observed->firsts);
    observed->own->extra.free(observed->own);
    qwd_samples_clear(&observed->samples);
    g_free(observed->baselines);
    g_free(observed);
}

static bool is_tried(const struct qwd_match *m, const struct qwd_variant *dialect)
{
    for (unsigned i = 0; i < m->observed_count; i++)
        if (m->observed[i]->variant.fte == dialect->fte &&
            m->observed[i]->variant.fte2 == dialect->fte2 &&
            m->observed[i]->variant.mvd1 == dialect->mvd1)
            return true;
    return false;
}

static void try_dialect(struct qwd_match *m, struct qwd_variant dialect)
{
    if (m->observed_count < QWD_VARIANTS_MAX && !is_tried(m, &dialect))
        m->observed[m->observed_count++] = qwd_observation_new(m, &dialect);
}

/* Nothing that the capture has says what the client agreed on, but what comes after it. */
static void try_dialects(struct qwd_match *m, const struct qw_session *known)
{
    /* ezQuake's with mvdsv. */
    static const struct qwd_variant usual = {.fte = 0x21407000, .fte2 = 0x2, .mvd1 = 0x1};
    struct qwd_variant other = m->theirs;

    if (known->base.version) {
        try_dialect(m, (struct qwd_variant){.fte = known->ext.fte,
                                            .fte2 = known->ext.fte2,
                                            .mvd1 = known->ext.mvd1});
        return;
    }
    try_dialect(m, m->theirs);
    try_dialect(m, (struct qwd_variant){0});
    try_dialect(m, usual);
    other.mvd1 ^= MVD1_FLOATCOORDS;
    if (other.fte)
        try_dialect(m, other);
}

/* --- The record's first steps --- */

static struct qs_donor_match *qwd_match_new(const struct qs_sign_on *sign_on,
                                            enum qs_donor_kind kind)
{
    struct qwd_match *m = g_new0(struct qwd_match, 1);

    m->base.sink = &m->sink;
    m->base.unknown = g_string_new(NULL);
    m->sign_on = sign_on;
    m->views = g_ptr_array_new();
    g_ptr_array_add(m->views, sign_on->extra);
    m->then = g_ptr_array_new();
    m->kind = kind;
    qw_protocol.session_init(&m->donor.base);
    learn(m);
    m->theirs = (struct qwd_variant){
        .fte = m->donor.ext.fte, .fte2 = m->donor.ext.fte2, .mvd1 = m->donor.ext.mvd1};
    m->variant = m->theirs;
    return &m->base;
}

/* Models stand for maps: each has others, and in another order. */
static bool has_same_models(const struct qwd_view *told, const struct qwd_view *other)
{
    if (!told->baselines || !other->baselines || told->baselines->count != other->baselines->count)
        return false;
    for (uint32_t i = 0; i < told->baselines->count; i++) {
        const struct qw_entity *a = &told->baselines->entities[i];
        const struct qw_entity *m = &other->baselines->entities[i];

        if (a->number != m->number || qw_entity_model(a) != qw_entity_model(m))
            return false;
    }
    return true;
}

static void qwd_consult(struct qs_donor_match *match, const struct qs_sign_on *other, bool then)
{
    struct qwd_match *m = qwd_match_of(match);

    if (!has_same_models(qwd_view_of(m->sign_on), qwd_view_of(other)))
        return;
    if (other != m->sign_on)
        g_ptr_array_add(m->views, other->extra);
    if (then)
        g_ptr_array_add(m->then, other->extra);
}

static void qwd_match_free(struct qs_donor_match *match)
{
    struct qwd_match *m = qwd_match_of(match);

    for (unsigned i = 0; i < m->observed_count; i++)
        qwd_observation_free(m->observed[i]);
    qw_protocol.session_clear(&m->donor.base);
    g_string_free(m->base.unknown, TRUE);
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
    const struct fte_session agreed = {
        .fte = m->variant.fte, .fte2 = m->variant.fte2, .mvd1 = m->variant.mvd1};

    m->version = known->version ? known->version : m->donor.base.version;
    m->lost = late->sign_on.lost;
    m->lacks_part = m->lost || session->connection;
    qw_session_borrow(late, &m->donor, &agreed);
    late->player = m->variant.player;
    late->spectator = m->variant.spectator;
    if (!m->observed_count)
        try_dialects(m, (const struct qw_session *)known);
}

/* --- Lending --- */

void qwd_match_messages(const struct qs_donor_match *match, qwd_add_message *add, void *user)
{
    const struct qwd_match *m = (const struct qwd_match *)match;
    const GPtrArray *messages = qs_sign_on_messages(m->sign_on);
    GByteArray *bytes = g_byte_array_new();

    for (guint i = 0; i < messages->len; i++) {
        const struct qs_sign_on_message *told = g_ptr_array_index(messages, i);
        const struct qs_view message = told->bytes;

        if (!qs_sign_on_applies(told, m->kind, is_of_players) ||
            qwd_updates_is_kept(&m->donor.ext, message.data[0]))
            continue;
        qs_bytes_empty(bytes);
        qwd_translate(bytes, &m->theirs, &m->variant, message);
        if (bytes->len)
            add(user, told->block, qs_view_of_bytes(bytes));
    }
    g_byte_array_free(bytes, TRUE);
}

const struct qw_states *qwd_match_states(const struct qs_donor_match *match)
{
    return ((const struct qwd_match *)match)->states;
}

bool qwd_match_updates(const struct qs_donor_match *match, GByteArray *out)
{
    const struct qwd_match *m = (const struct qwd_match *)match;

    if (m->observed[0]->updates.any)
        qwd_updates_append(out, &m->observed[0]->updates, m->sign_on,
                           qwd_view_of(m->sign_on)->presence);
    return m->observed[0]->updates.any;
}

char *qwd_late_reason(const struct qs_donor_match *match, const char *map)
{
    const struct qwd_match *m = (const struct qwd_match *)match;
    const struct qs_sign_on_loss loss = {m->lost, true};

    return m->lacks_part ? qs_sign_on_loss_text(map, &loss) : qs_late_text(map);
}

const GArray *qwd_match_bases(const struct qs_donor_match *match)
{
    return ((const struct qwd_match *)match)->observed[0]->bases;
}

/* --- The record --- */

/* Without svc_serverdata there is no level to play in, and none without all of its sign-on. */
static bool qwd_is_late(const struct qs_decoder *decoder)
{
    const struct qs_session *session = decoder->session;

    if (!decoder->accepted || decoder->connectionless || decoder->direction != QS_S2C)
        return false;
    if (session->level)
        return ((const struct qw_session *)session)->sign_on.lost;
    /* What extensions change cannot be read without the sign-on that tells them. */
    return qwd_needs_level(decoder) || (!session->connection && qs_decoder_problems(decoder));
}

const struct qs_late_join qwd_late_join = {
    .add_packet = qwd_add_packet,
    .is_late = qwd_is_late,
    .match_new = qwd_match_new,
    .consult = qwd_consult,
    .match_free = qwd_match_free,
    .prepare = qwd_prepare,
    .observe = qwd_observe,
    .judge = qwd_judge,
};
