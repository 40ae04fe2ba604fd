/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a QuakeWorld session that began late borrows, and the extensions that it may speak in.
 * Source: common/quakeworld/PROTOCOL.md, section 9.
 */
#include "common/core/lists.h"
#include "common/core/findings.h"
#include "common/core/writer.h"
#include "common/demo/qwd/borrower.h"
#include "common/demo/writer.h"
#include "common/quakeworld/constants.h"

/* --- Learning the sign-on --- */

static bool is_of_players(uint8_t id)
{
    return id == SVC_UPDATEFRAGS || id == SVC_UPDATEPING || id == SVC_UPDATEPL ||
           id == SVC_UPDATEENTERTIME || id == SVC_UPDATEUSERINFO;
}

/* Decodes the sign-on as one packet. */
static void learn(struct qwd_borrower *b)
{
    GByteArray *bytes = g_byte_array_new();
    struct qs_packet packet = {.number = 1, .from = QS_END_UNKNOWN};
    struct qs_decoder decoder;

    qs_write_u32(bytes, 1);
    qs_write_u32(bytes, 0);
    qs_sign_on_join(bytes, b->sign_on, b->kind, is_of_players);
    packet.data = bytes->data;
    packet.size = packet.wire_size = bytes->len;
    qs_decoder_init(&decoder, &qw_protocol);
    qs_decode_server_messages(&decoder, &b->lent.base, NULL, &packet);
    qs_decoder_clear(&decoder);
    b->lent.content = (struct qs_view){0};
    g_byte_array_free(bytes, TRUE);
}

/* --- Dialects --- */

/* The lender's states as the session would have them. */
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

struct qwd_seen *qwd_seen_new(const struct qwd_borrower *b, const struct qwd_dialect *dialect)
{
    const struct qwd_told *told = qwd_told_of(b->sign_on);
    const struct fte_session agreed = {
        .fte = dialect->fte, .fte2 = dialect->fte2, .mvd1 = dialect->mvd1};
    struct qwd_seen *seen = g_new0(struct qwd_seen, 1);

    seen->dialect = *dialect;
    seen->format = qwd_format_of(dialect);
    seen->bases = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    seen->firsts = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    seen->baselines = translated(told->baselines, &told->format, &seen->format);
    seen->own = qwd_told_new(&seen->format);
    seen->own->baselines = qw_states_copy(seen->baselines);
    qwd_updates_init(&seen->updates, b->sign_on);
    qs_decoder_init(&seen->decoder, &qw_protocol);
    seen->decoder.want_entities = QS_ENTITIES_ALL;
    qw_protocol.session_init(&seen->session.base);
    qw_session_borrow(&seen->session, &b->lent, &agreed);
    return seen;
}

void qwd_seen_free(struct qwd_seen *seen)
{
    qs_decoder_clear(&seen->decoder);
    qw_protocol.session_clear(&seen->session.base);
    g_array_free(seen->bases, TRUE);
    g_hash_table_destroy(seen->firsts);
    seen->own->extra.free(seen->own);
    qwd_samples_clear(&seen->samples);
    g_free(seen->baselines);
    g_free(seen);
}

static bool is_tried(const struct qwd_borrower *b, const struct qwd_dialect *dialect)
{
    for (unsigned i = 0; i < b->seen_count; i++)
        if (b->seen[i]->dialect.fte == dialect->fte && b->seen[i]->dialect.fte2 == dialect->fte2 &&
            b->seen[i]->dialect.mvd1 == dialect->mvd1)
            return true;
    return false;
}

static void try_dialect(struct qwd_borrower *b, struct qwd_dialect dialect)
{
    if (b->seen_count < QWD_DIALECTS_MAX && !is_tried(b, &dialect))
        b->seen[b->seen_count++] = qwd_seen_new(b, &dialect);
}

/* Nothing that the capture has says what the client agreed on, but what comes after it. */
static void try_dialects(struct qwd_borrower *b, const struct qw_session *known)
{
    /* ezQuake's with mvdsv. */
    static const struct qwd_dialect usual = {.fte = 0x21407000, .fte2 = 0x2, .mvd1 = 0x1};
    struct qwd_dialect other = b->theirs;

    if (known->base.version) {
        try_dialect(b, (struct qwd_dialect){.fte = known->ext.fte,
                                            .fte2 = known->ext.fte2,
                                            .mvd1 = known->ext.mvd1});
        return;
    }
    try_dialect(b, b->theirs);
    try_dialect(b, (struct qwd_dialect){0});
    try_dialect(b, usual);
    other.mvd1 ^= MVD1_FLOATCOORDS;
    if (other.fte)
        try_dialect(b, other);
}

/* --- The record's first steps --- */

static struct qs_borrower *qwd_borrow(const struct qs_sign_on *sign_on, enum qs_lender_kind kind)
{
    struct qwd_borrower *b = g_new0(struct qwd_borrower, 1);

    b->base.sink = &b->sink;
    b->base.unknown = g_string_new(NULL);
    b->sign_on = sign_on;
    b->told = g_ptr_array_new();
    g_ptr_array_add(b->told, sign_on->extra);
    b->then = g_ptr_array_new();
    b->kind = kind;
    qw_protocol.session_init(&b->lent.base);
    learn(b);
    b->theirs = (struct qwd_dialect){
        .fte = b->lent.ext.fte, .fte2 = b->lent.ext.fte2, .mvd1 = b->lent.ext.mvd1};
    b->dialect = b->theirs;
    return &b->base;
}

/* Models stand for maps: each has others, and in another order. */
static bool has_same_models(const struct qwd_told *told, const struct qwd_told *other)
{
    if (!told->baselines || !other->baselines || told->baselines->count != other->baselines->count)
        return false;
    for (uint32_t i = 0; i < told->baselines->count; i++) {
        const struct qw_entity *a = &told->baselines->entities[i];
        const struct qw_entity *b = &other->baselines->entities[i];

        if (a->number != b->number || qw_entity_model(a) != qw_entity_model(b))
            return false;
    }
    return true;
}

static void qwd_consult(struct qs_borrower *borrower, const struct qs_sign_on *other, bool then)
{
    struct qwd_borrower *b = qwd_borrower_of(borrower);

    if (!has_same_models(qwd_told_of(b->sign_on), qwd_told_of(other)))
        return;
    if (other != b->sign_on)
        g_ptr_array_add(b->told, other->extra);
    if (then)
        g_ptr_array_add(b->then, other->extra);
}

static void qwd_borrower_free(struct qs_borrower *borrower)
{
    struct qwd_borrower *b = qwd_borrower_of(borrower);

    for (unsigned i = 0; i < b->seen_count; i++)
        qwd_seen_free(b->seen[i]);
    qw_protocol.session_clear(&b->lent.base);
    g_string_free(b->base.unknown, TRUE);
    g_ptr_array_free(b->told, TRUE);
    g_ptr_array_free(b->then, TRUE);
    g_free(b->states);
    g_free(b);
}

static void qwd_seed(struct qs_borrower *borrower, struct qs_session *session,
                     const struct qs_session *known)
{
    struct qwd_borrower *b = qwd_borrower_of(borrower);
    struct qw_session *late = (struct qw_session *)session;
    const struct fte_session agreed = {
        .fte = b->dialect.fte, .fte2 = b->dialect.fte2, .mvd1 = b->dialect.mvd1};

    b->version = known->version ? known->version : b->lent.base.version;
    b->lost = late->sign_on.lost;
    b->lacks_part = b->lost || session->connection;
    qw_session_borrow(late, &b->lent, &agreed);
    late->player = b->dialect.player;
    late->spectator = b->dialect.spectator;
    if (!b->seen_count)
        try_dialects(b, (const struct qw_session *)known);
}

/* --- Lending --- */

void qwd_lent_messages(const struct qs_borrower *borrower, qwd_add_lent *add, void *user)
{
    const struct qwd_borrower *b = (const struct qwd_borrower *)borrower;
    const GPtrArray *messages = qs_sign_on_messages(b->sign_on);
    GByteArray *bytes = g_byte_array_new();

    for (guint i = 0; i < messages->len; i++) {
        const struct qs_told *told = g_ptr_array_index(messages, i);
        const struct qs_view message = told->bytes;

        if (!qs_told_is_lent(told, b->kind, is_of_players) ||
            qwd_updates_is_kept(&b->lent.ext, message.data[0]))
            continue;
        qs_bytes_empty(bytes);
        qwd_translate(bytes, &b->theirs, &b->dialect, message);
        if (bytes->len)
            add(user, told->block, qs_view_of_bytes(bytes));
    }
    g_byte_array_free(bytes, TRUE);
}

const struct qw_states *qwd_lent_states(const struct qs_borrower *borrower)
{
    return ((const struct qwd_borrower *)borrower)->states;
}

bool qwd_lent_updates(const struct qs_borrower *borrower, GByteArray *out)
{
    const struct qwd_borrower *b = (const struct qwd_borrower *)borrower;

    if (b->seen[0]->updates.any)
        qwd_updates_append(out, &b->seen[0]->updates, b->sign_on,
                           qwd_told_of(b->sign_on)->presence);
    return b->seen[0]->updates.any;
}

char *qwd_lent_because(const struct qs_borrower *borrower, const char *map)
{
    const struct qwd_borrower *b = (const struct qwd_borrower *)borrower;
    const struct qs_sign_on_loss loss = {b->lost, true};

    return b->lacks_part ? qs_sign_on_loss_text(map, &loss) : qs_late_text(map);
}

const GArray *qwd_lent_bases(const struct qs_borrower *borrower)
{
    return ((const struct qwd_borrower *)borrower)->seen[0]->bases;
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

const struct qs_demo_lending qwd_lending = {
    .tell = qwd_tell,
    .is_late = qwd_is_late,
    .borrow = qwd_borrow,
    .consult = qwd_consult,
    .free = qwd_borrower_free,
    .seed = qwd_seed,
    .look = qwd_look,
    .refusal = qwd_refusal,
};
