/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a QuakeWorld session that began late borrows: in which extensions it speaks, whether a
 * sign-on fits it, which player it is, and which entities were in view before its first update.
 * Source: common/quakeworld/PROTOCOL.md, section 9.
 */
#include <math.h>

#include "common/core/infostring.h"
#include "common/core/writer.h"
#include "common/demo/qwd_lend.h"
#include "common/quakeworld/constants.h"
#include "common/quakeworld/frames.h"
#include "common/quakeworld/session.h"

enum {
    LOOK_AT_MOST = 20000, /* packets */
    CHOOSE_AFTER = 200,   /* packets; then only the best dialect is looked at */
    DIALECTS_MAX = 5,
    PLAYERS_MAX = 32,
    HEADER_SIZE = 8,    /* of the netchan, from the server */
    UNREADABLE_MAX = 3, /* of a hundred packets */
    WRONG_MIN = 3,
    WRONG_MAX = 3, /* of a hundred entities that come into view */
    STRANGE_MIN = 5,
    FAR =
        256 /* units of distance weigh as much as one entity that should not be there, or should */
};

/* The first that is told of an entity. */
struct first {
    bool removes;
    bool arrives; /* it has a model, and no baseline; or it is told where it is, and never moves */
    bool repeats; /* it says what the baseline says: it was in view */
    struct qw_entity state; /* as if it had come into view with it */
};

/* What the session shows in one dialect. */
struct seen {
    struct qwd_dialect dialect;
    struct qw_delta_format format;
    struct qs_decoder decoder;
    struct qw_session session;
    struct qw_states *baselines; /* the lender's */

    uint32_t packets, unreadable;
    uint32_t infos[PLAYERS_MAX];   /* svc_playerinfo, by player */
    bool other[PLAYERS_MAX];       /* one had a command, which a client is not told of its own */
    uint32_t first_update;         /* number of its packet; 0: none was seen */
    bool whole_seen;               /* an update came that is no delta: nothing more to find out */
    GArray *bases;                 /* uint32_t: packets before the first that deltas count from */
    GHashTable *firsts;            /* number -> struct first */
    uint32_t gone[QW_STATES_MAX];  /* by number: packet in which it was removed; 0: it is there */
    uint32_t agreements, wrong;    /* entities that came into view */
    uint32_t strange;              /* that the lender never saw so: it may be, if it is seldom */
    float origins[PLAYERS_MAX][3]; /* of the first svc_playerinfo, by player */
    uint32_t wrong_models;         /* that are not in the list, or are no weapons in the hand */
};

struct borrower {
    struct qs_borrower base;
    struct qs_sink sink; /* hears nothing */
    const struct qs_sign_on *sign_on;
    enum qs_lender_kind kind;
    struct qw_session lent; /* what the sign-on makes known */
    struct qwd_dialect theirs;
    int32_t version; /* of the late session, where its later levels tell; else the lender's */

    struct seen *seen[DIALECTS_MAX]; /* the likeliest first */
    unsigned seen_count;
    uint32_t looked_at;
    struct qwd_dialect dialect; /* the session's; after refusal() */
    struct qw_states *states;   /* in view before its first update */
};

static struct borrower *of(struct qs_borrower *borrower)
{
    return (struct borrower *)borrower;
}

/* --- Learning the sign-on --- */

static bool is_of_players(uint8_t id)
{
    return id == SVC_UPDATEFRAGS || id == SVC_UPDATEPING || id == SVC_UPDATEPL ||
           id == SVC_UPDATEENTERTIME || id == SVC_UPDATEUSERINFO;
}

/* At another time other people played. */
static bool is_lent(const struct borrower *b, struct qs_view message)
{
    return b->kind == QS_LENDER_PRESENT || !is_of_players(message.data[0]);
}

/* Decodes the sign-on as one packet. */
static void learn(struct borrower *b)
{
    const GPtrArray *messages = b->sign_on->messages;
    GByteArray *bytes = g_byte_array_new();
    struct qs_packet packet = {.number = 1, .from = QS_END_UNKNOWN};
    struct qs_decoder decoder;

    qs_write_u32(bytes, 1);
    qs_write_u32(bytes, 0);
    for (guint i = 0; i < messages->len; i++) {
        const struct qs_told *told = g_ptr_array_index(messages, i);
        const struct qs_view message = told->bytes;

        if (is_lent(b, message))
            qs_write_view(bytes, message);
    }
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

static struct seen *seen_new(const struct borrower *b, const struct qwd_dialect *dialect)
{
    const struct qwd_told *told = qwd_told_of(b->sign_on);
    const struct fte_session agreed = {
        .fte = dialect->fte, .fte2 = dialect->fte2, .mvd1 = dialect->mvd1};
    struct seen *seen = g_new0(struct seen, 1);

    seen->dialect = *dialect;
    seen->format = qwd_format_of(dialect);
    seen->bases = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    seen->firsts = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    seen->baselines = translated(told->baselines, &told->format, &seen->format);
    qs_decoder_init(&seen->decoder, &qw_protocol);
    qw_protocol.session_init(&seen->session.base);
    qw_session_borrow(&seen->session, &b->lent, &agreed);
    return seen;
}

static void seen_free(struct seen *seen)
{
    qs_decoder_clear(&seen->decoder);
    qw_protocol.session_clear(&seen->session.base);
    g_array_free(seen->bases, TRUE);
    g_hash_table_destroy(seen->firsts);
    g_free(seen->baselines);
    g_free(seen);
}

static bool is_tried(const struct borrower *b, const struct qwd_dialect *dialect)
{
    for (unsigned i = 0; i < b->seen_count; i++)
        if (b->seen[i]->dialect.fte == dialect->fte && b->seen[i]->dialect.fte2 == dialect->fte2 &&
            b->seen[i]->dialect.mvd1 == dialect->mvd1)
            return true;
    return false;
}

static void try_dialect(struct borrower *b, struct qwd_dialect dialect)
{
    if (b->seen_count < DIALECTS_MAX && !is_tried(b, &dialect))
        b->seen[b->seen_count++] = seen_new(b, &dialect);
}

/* Nothing that the capture has says what the client agreed on, but what comes after it. */
static void try_dialects(struct borrower *b, const struct qw_session *known)
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
    struct borrower *b = g_new0(struct borrower, 1);

    b->base.sink = &b->sink;
    b->base.unknown = g_string_new(NULL);
    b->sign_on = sign_on;
    b->kind = kind;
    qw_protocol.session_init(&b->lent.base);
    learn(b);
    b->theirs = (struct qwd_dialect){
        .fte = b->lent.ext.fte, .fte2 = b->lent.ext.fte2, .mvd1 = b->lent.ext.mvd1};
    b->dialect = b->theirs;
    return &b->base;
}

static void qwd_borrower_free(struct qs_borrower *borrower)
{
    struct borrower *b = of(borrower);

    for (unsigned i = 0; i < b->seen_count; i++)
        seen_free(b->seen[i]);
    qw_protocol.session_clear(&b->lent.base);
    g_string_free(b->base.unknown, TRUE);
    g_free(b->states);
    g_free(b);
}

static void qwd_seed(struct qs_borrower *borrower, struct qs_session *session,
                     const struct qs_session *known)
{
    struct borrower *b = of(borrower);
    struct qw_session *late = (struct qw_session *)session;
    const struct fte_session agreed = {
        .fte = b->dialect.fte, .fte2 = b->dialect.fte2, .mvd1 = b->dialect.mvd1};

    b->version = known->version ? known->version : b->lent.base.version;
    qw_session_borrow(late, &b->lent, &agreed);
    late->player = b->dialect.player;
    late->spectator = b->dialect.spectator;
    if (!b->seen_count)
        try_dialects(b, (const struct qw_session *)known);
}

/* --- Looking at the session --- */

static void see_playerinfo(struct seen *seen, struct qs_view body)
{
    struct qwd_place place;

    if (!qwd_read_place(body, &seen->session.ext, &place) || place.player >= PLAYERS_MAX)
        return;
    if (!seen->infos[place.player]++)
        memcpy(seen->origins[place.player], place.origin, sizeof place.origin);
    seen->other[place.player] |= (place.flags & (PF_MSEC | PF_COMMAND)) != 0;
}

static bool has_model(const struct seen *seen, uint32_t model)
{
    return !model || qs_table_get(&seen->session.models, model);
}

/* Numbers of models differ from map to map: the one in the hand must be a weapon. */
static void see_weapon(struct seen *seen, struct qs_view body)
{
    const char *name;

    if (body.size < 2 || body.data[0] != STAT_WEAPON || !body.data[1])
        return;
    name = qs_table_get(&seen->session.models, body.data[1]);
    if (!name || !strstr(name, "/v_"))
        seen->wrong_models++;
    else
        seen->agreements++;
}

static void add_base(struct seen *seen, uint32_t base)
{
    guint i = 0;

    while (i < seen->bases->len && g_array_index(seen->bases, uint32_t, i) < base)
        i++;
    if (seen->bases->len < QW_FRAMES_KEPT &&
        (i == seen->bases->len || g_array_index(seen->bases, uint32_t, i) != base))
        g_array_insert_val(seen->bases, i, base);
}

/* The state that the delta makes of the baseline. */
static struct qw_entity from_baseline(const struct seen *seen, const struct qw_delta *delta,
                                      struct qs_reader *in)
{
    const struct qw_entity *baseline = qw_states_find(seen->baselines, delta->number);
    struct qw_entity state = baseline ? *baseline : (struct qw_entity){.number = delta->number};

    qw_read_delta_fields(in, &seen->format, delta, &state);
    return state;
}

static const struct qw_entity *usual_state(const struct borrower *b, const struct seen *seen,
                                           uint16_t number, struct qw_entity *state)
{
    const struct qwd_told *told = qwd_told_of(b->sign_on);
    const struct qwd_usual *usual = g_hash_table_lookup(told->usual, GUINT_TO_POINTER(number));

    if (!usual)
        return NULL;
    *state = usual->state;
    return qw_entity_translate(state, &told->format, &seen->format) ? state : NULL;
}

/* Both at the precision of shorts: one of the two may have been told floats. */
static bool is_alike(const struct seen *seen, const struct qw_entity *a, const struct qw_entity *b)
{
    struct qw_delta_format coarse = seen->format;
    struct qw_entity one = *a, other = *b;

    coarse.coord_size = 2;
    coarse.angle_size = 1;
    qw_entity_translate(&one, &seen->format, &coarse);
    qw_entity_translate(&other, &seen->format, &coarse);
    return qw_entities_equal(&coarse, &one, &other);
}

static bool repeats_model(const struct qw_delta *delta, const struct qw_entity *baseline,
                          const struct qw_entity *state)
{
    return baseline && (delta->bits & U_MODEL) &&
           qw_entity_model(baseline) == qw_entity_model(state);
}

static bool is_usual(const struct borrower *b, const struct seen *seen,
                     const struct qw_entity *state)
{
    struct qw_entity usual;

    return usual_state(b, seen, state->number, &usual) && is_alike(seen, &usual, state);
}

/* It comes into view: a server says only what differs from the baseline. Of coordinates it compares
 * more bits than it may send. */
static void judge(const struct borrower *b, struct seen *seen, const struct qw_delta *delta,
                  const struct qw_entity *state)
{
    const struct qw_entity *baseline = qw_states_find(seen->baselines, delta->number);

    if (!qw_entity_model(state) || repeats_model(delta, baseline, state))
        seen->wrong++;
    else if (baseline)
        seen->agreements += is_usual(b, seen, state);
}

/* Doors and the like move; items stay where the lender saw them. */
static bool can_move(const struct seen *seen, const struct qw_entity *usual)
{
    const char *name = qs_table_get(&seen->session.models, qw_entity_model(usual));

    return !name || name[0] == '*';
}

/* Whether it comes into view with the delta, as far as that shows by itself. */
static bool arrives(const struct seen *seen, const struct qw_delta *delta,
                    const struct qw_entity *baseline, const struct qw_entity *state)
{
    if (!baseline)
        return qw_entity_model(state);
    return (delta->bits & (U_ORIGIN1 | U_ORIGIN2 | U_ORIGIN3)) && !can_move(seen, baseline);
}

/* Whether the lender saw the like of what is first told of an entity: of one that lasts. */
static void weigh_first(const struct borrower *b, struct seen *seen, const struct first *first)
{
    struct qw_entity usual;

    if (!qw_states_find(seen->baselines, first->state.number) ||
        !usual_state(b, seen, first->state.number, &usual))
        return;
    if (first->removes || is_alike(seen, &usual, &first->state))
        seen->agreements++;
    else if (!can_move(seen, &usual))
        seen->strange++;
}

static void see_first(const struct borrower *b, struct seen *seen, const struct qw_delta *delta,
                      const struct qw_entity *state)
{
    const gpointer number = GUINT_TO_POINTER(delta->number);
    const struct qw_entity *baseline = qw_states_find(seen->baselines, delta->number);
    struct first *first;

    if (seen->whole_seen || g_hash_table_contains(seen->firsts, number))
        return;
    first = g_new0(struct first, 1);
    first->removes = delta->removes;
    first->state = *state;
    first->arrives = arrives(seen, delta, baseline, state);
    first->repeats = repeats_model(delta, baseline, state);
    g_hash_table_insert(seen->firsts, number, first);
    weigh_first(b, seen, first);
}

static void see_delta(const struct borrower *b, struct seen *seen, uint32_t sequence, uint32_t base,
                      bool whole, const struct qw_delta *delta, struct qs_reader *in)
{
    struct qw_entity state = {.number = delta->number};
    uint32_t *gone = &seen->gone[delta->number % QW_STATES_MAX];

    if (!delta->removes)
        state = from_baseline(seen, delta, in);
    see_first(b, seen, delta, &state);
    if (delta->removes) {
        *gone = *gone ? *gone : sequence;
        return;
    }
    if (!has_model(seen, qw_entity_model(&state)))
        seen->wrong_models++;
    if (whole || (*gone && base >= *gone))
        judge(b, seen, delta, &state);
    *gone = 0;
}

/* All that is there is told as if it came into view with it. */
static void see_whole(struct seen *seen)
{
    seen->whole_seen = true;
    memset(seen->gone, 0, sizeof seen->gone);
}

static void see_update(const struct borrower *b, struct seen *seen, uint32_t sequence,
                       struct qs_view body, bool is_delta)
{
    struct qs_reader in = qs_reader_over(body.data, body.size);
    const uint32_t base = is_delta ? qw_delta_base(sequence, qs_reader_u8(&in)) : 0;

    if (!seen->first_update)
        seen->first_update = sequence;
    if (!is_delta)
        see_whole(seen);
    else if (base < seen->first_update && !seen->whole_seen)
        add_base(seen, base);
    while (qs_reader_left(&in) >= 2 && qs_le16(in.data + in.pos)) {
        const struct qw_delta delta = qw_read_delta(&in, &seen->format);

        see_delta(b, seen, sequence, base, !is_delta, &delta, &in);
    }
}

/* Part of the sign-on is the session's own: it must be what the lender was told. */

static void see_models(const struct borrower *b, struct seen *seen)
{
    const struct qs_table *own = &seen->session.models;

    for (uint32_t i = 1; i < qs_table_end(own); i++)
        seen->wrong_models +=
            g_strcmp0(qs_table_get(own, i), qs_table_get(&b->lent.models, i)) != 0;
    seen->agreements += QS_LENDER_PROOF;
}

static void see_baseline(struct seen *seen, struct qs_view body, bool as_delta)
{
    struct qs_reader in = qs_reader_over(body.data, body.size);
    const struct qw_entity *baseline;
    struct qw_entity own;

    if (as_delta)
        qw_read_delta_baseline(&in, &seen->format, &own);
    else
        qw_read_baseline(&in, &seen->format, &own);
    baseline = qw_states_find(seen->baselines, own.number);
    if (baseline && qw_entity_model(baseline) == qw_entity_model(&own))
        seen->agreements++;
    else
        seen->wrong++;
}

static void see_message(const struct borrower *b, struct seen *seen, uint32_t sequence, uint16_t id,
                        struct qs_view message)
{
    const struct qs_view body = {message.data + 1, message.size - 1};

    switch (id) {
    case SVC_PLAYERINFO:
        see_playerinfo(seen, body);
        break;
    case SVC_MODELLIST:
    case SVC_FTE_MODELLISTSHORT:
        see_models(b, seen);
        break;
    case SVC_SPAWNBASELINE:
    case SVC_FTE_SPAWNBASELINE2:
        if (!(seen->dialect.fte2 & FTE2_REPLACEMENTDELTAS))
            see_baseline(seen, body, id == SVC_FTE_SPAWNBASELINE2);
        break;
    case SVC_UPDATESTAT:
    case SVC_UPDATESTATLONG:
        see_weapon(seen, body);
        break;
    case SVC_PACKETENTITIES:
    case SVC_DELTAPACKETENTITIES:
        see_update(b, seen, sequence, body, id == SVC_DELTAPACKETENTITIES);
        break;
    }
}

static void see_packet(const struct borrower *b, struct seen *seen, uint32_t sequence,
                       const struct qs_packet *packet)
{
    struct qs_decoder *decoder = &seen->decoder;

    seen->session.base.to_client = (struct qs_netchan){0};
    qs_decode_server_messages(decoder, &seen->session.base, NULL, packet);
    seen->packets++;
    if (qs_decoder_problems(decoder)) {
        seen->unreadable++;
        return;
    }
    for (guint i = 0; i < decoder->messages->len; i++)
        see_message(b, seen, sequence, g_array_index(decoder->messages, struct qs_message, i).id,
                    qwd_message_view(decoder, i));
}

/* The dialect in which most can be read goes on. */
static void choose(struct borrower *b)
{
    unsigned best = 0;

    for (unsigned i = 1; i < b->seen_count; i++)
        if (b->seen[i]->unreadable < b->seen[best]->unreadable)
            best = i;
    for (unsigned i = 0; i < b->seen_count; i++)
        if (i != best)
            seen_free(b->seen[i]);
    b->seen[0] = b->seen[best];
    b->seen_count = MIN(b->seen_count, 1);
}

/* The messages behind the header of the plain netchan: they may have come in fragments. */
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

static bool qwd_look(struct qs_borrower *borrower, const struct qs_decoder *decoder)
{
    struct borrower *b = of(borrower);
    const struct qw_session *session = (const struct qw_session *)decoder->session;
    struct qs_packet packet = {.number = 1, .from = QS_END_UNKNOWN};
    GByteArray *bytes;

    if (decoder->direction != QS_S2C || !decoder->accepted || !session->content.data)
        return true;
    bytes = plain_packet(decoder);
    packet.data = bytes->data;
    packet.size = packet.wire_size = bytes->len;
    for (unsigned i = 0; i < b->seen_count; i++)
        see_packet(b, b->seen[i], decoder->sequence, &packet);
    g_byte_array_free(bytes, TRUE);
    if (++b->looked_at == CHOOSE_AFTER)
        choose(b);
    return b->looked_at < LOOK_AT_MOST;
}

/* --- What was in view --- */

/* Whether it was in view before its first mention: PROTOCOL.md, section 9. */
static bool was_in_view(const struct borrower *b, const struct seen *seen,
                        const struct first *first)
{
    if (first->removes || first->repeats)
        return true;
    return !first->arrives && !is_usual(b, seen, &first->state);
}

static bool has_number(const struct qwd_sample *sample, uint32_t number)
{
    return sample->numbers[number / 32] >> number % 32 & 1;
}

static double distance(const float *a, const float *b)
{
    double sum = 0;

    for (unsigned i = 0; i < 3; i++)
        sum += fabs((double)a[i] - (double)b[i]);
    return sum;
}

/* How far the sample is from what the session had in view, and from where it saw that. */
static double difference(const struct borrower *b, const struct seen *seen,
                         const struct qwd_sample *sample)
{
    double sum = distance(sample->origin, seen->origins[b->dialect.player]);
    GHashTableIter iter;
    gpointer number, first;

    g_hash_table_iter_init(&iter, seen->firsts);
    while (g_hash_table_iter_next(&iter, &number, &first))
        if (was_in_view(b, seen, first) != has_number(sample, GPOINTER_TO_UINT(number)))
            sum += FAR;
    return sum;
}

/* The lender's view that was seen from the likest place; NULL: it had none. */
static const struct qwd_sample *likest_sample(const struct borrower *b, const struct seen *seen)
{
    const struct qwd_told *told = qwd_told_of(b->sign_on);
    const struct qwd_sample *best = NULL;
    double least = 0;

    for (unsigned i = 0; i < told->sample_count; i++) {
        const double own = difference(b, seen, &told->samples[i]);

        if (best && !(own < least))
            continue;
        best = &told->samples[i];
        least = own;
    }
    return best;
}

/* Whether an entity that is never mentioned was there all the time: one that lasts. */
static bool stays_in_view(const struct seen *seen, const struct qwd_sample *likest, uint16_t number)
{
    return likest && qw_states_find(seen->baselines, number) && has_number(likest, number);
}

/* Missiles, gibs and the like come and go; another client may have seen it, too. */
static struct qw_entity state_of_moment(const struct borrower *b, const struct seen *seen,
                                        const struct first *first)
{
    const struct qwd_told *told = qwd_told_of(b->sign_on);
    const struct qw_entity *current = qw_states_find(told->current, first->state.number);
    struct qw_entity state;

    if (b->kind != QS_LENDER_PRESENT || !current)
        return first->state;
    state = *current;
    if (!qw_entity_translate(&state, &told->format, &seen->format))
        return first->state;
    return state;
}

static struct qw_entity state_before(const struct borrower *b, const struct seen *seen,
                                     uint16_t number, const struct first *first)
{
    const struct qw_entity *baseline = qw_states_find(seen->baselines, number);
    struct qw_entity state;

    if (!baseline)
        return state_of_moment(b, seen, first);
    return usual_state(b, seen, number, &state) ? state : *baseline;
}

static void find_states(struct borrower *b, const struct seen *seen)
{
    const struct qwd_sample *likest = likest_sample(b, seen);

    for (uint16_t i = 1; seen->bases->len && i < QW_STATES_MAX; i++) {
        const struct first *first = g_hash_table_lookup(seen->firsts, GUINT_TO_POINTER(i));
        struct qw_entity state;

        if (!(first ? was_in_view(b, seen, first) : stays_in_view(seen, likest, i)))
            continue;
        state = state_before(b, seen, i, first);
        if (!qw_entity_model(&state))
            continue; /* nobody sees it */
        b->states = qw_states_set(b->states, &state);
    }
}

/* --- The verdict --- */

/* A client is told the commands of all players but its own. */
static int find_slot(const struct seen *seen)
{
    int best = -1;

    for (int i = 0; i < PLAYERS_MAX; i++)
        if (seen->infos[i] && !seen->other[i] && (best < 0 || seen->infos[i] > seen->infos[best]))
            best = i;
    return best;
}

static bool is_spectator(const struct borrower *b, uint8_t player)
{
    return qs_info_value(qs_view_of(qs_table_get(&b->lent.userinfo, player)), "*spectator").size;
}

static bool is_more_than(uint32_t part, uint32_t whole, unsigned hundredths)
{
    return (uint64_t)part * 100 > (uint64_t)whole * hundredths;
}

static void say_unknown(struct borrower *b, const struct seen *seen)
{
    g_string_append(b->base.unknown, "the player's statistics, until they change");
    if (b->kind == QS_LENDER_OTHER)
        g_string_append(b->base.unknown, "; the names and frags of players, until they change");
    if (seen->bases->len)
        g_string_append(b->base.unknown, "; what was in view and is never mentioned");
}

static char *why_not(const struct borrower *b, const struct seen *seen)
{
    const char *untranslatable = qwd_untranslatable(&b->theirs, &seen->dialect);

    if (b->version != b->lent.base.version)
        return g_strdup_printf("its protocol is %d, that of the session %d", b->lent.base.version,
                               b->version);
    if (!seen->packets)
        return g_strdup("nothing of the game is seen");
    if (is_more_than(seen->unreadable, seen->packets, UNREADABLE_MAX))
        return g_strdup_printf("with it, %u of %u packets of the session cannot be read",
                               seen->unreadable, seen->packets);
    if (untranslatable)
        return g_strdup(untranslatable);
    if (seen->wrong_models)
        return g_strdup("models of the session are others, or none, in its list");
    if (seen->wrong >= WRONG_MIN &&
        is_more_than(seen->wrong, seen->agreements + seen->wrong, WRONG_MAX))
        return g_strdup_printf("%u of %u entities contradict its baselines: it is of another map "
                               "or game",
                               seen->wrong, seen->agreements + seen->wrong);
    if (seen->strange >= STRANGE_MIN && seen->strange > seen->agreements)
        return g_strdup_printf("%u of %u entities are not as it has them: it is of another map or "
                               "game",
                               seen->strange, seen->agreements + seen->strange);
    if (find_slot(seen) < 0)
        return g_strdup("nothing of the game shows which player the session is");
    return NULL;
}

static char *qwd_refusal(struct qs_borrower *borrower)
{
    struct borrower *b = of(borrower);
    const struct seen *seen;
    char *refusal;

    choose(b);
    seen = b->seen[0];
    b->base.proof = seen->agreements - MIN(seen->strange, seen->agreements);
    refusal = why_not(b, seen);
    if (refusal)
        return refusal;
    b->dialect = seen->dialect;
    b->dialect.player = (uint8_t)find_slot(seen);
    b->dialect.spectator = is_spectator(b, b->dialect.player);
    say_unknown(b, seen);
    find_states(b, seen);
    return NULL;
}

/* --- Lending --- */

void qwd_lent_messages(const struct qs_borrower *borrower, qwd_add_lent *add, void *user)
{
    const struct borrower *b = (const struct borrower *)borrower;
    GByteArray *bytes = g_byte_array_new();

    for (guint i = 0; i < b->sign_on->messages->len; i++) {
        const struct qs_told *told = g_ptr_array_index(b->sign_on->messages, i);
        const struct qs_view message = told->bytes;

        if (!is_lent(b, message))
            continue;
        g_byte_array_set_size(bytes, 0);
        qwd_translate(bytes, &b->theirs, &b->dialect, message);
        if (bytes->len)
            add(user, told->block, qs_view_of_bytes(bytes));
    }
    g_byte_array_free(bytes, TRUE);
}

const struct qw_states *qwd_lent_states(const struct qs_borrower *borrower)
{
    return ((const struct borrower *)borrower)->states;
}

const GArray *qwd_lent_bases(const struct qs_borrower *borrower)
{
    return ((const struct borrower *)borrower)->seen[0]->bases;
}

/* --- The record --- */

/* Without svc_serverdata there is no level to play in. */
static bool qwd_is_late(const struct qs_decoder *decoder)
{
    const struct qs_session *session = decoder->session;

    if (session->level || !decoder->accepted || decoder->connectionless)
        return false;
    if (decoder->direction != QS_S2C)
        return false;
    /* What extensions change cannot be read without the sign-on that tells them. */
    return qwd_needs_level(decoder) || (!session->connection && qs_decoder_problems(decoder));
}

const struct qs_demo_lending qwd_lending = {
    .tell = qwd_tell,
    .is_late = qwd_is_late,
    .borrow = qwd_borrow,
    .free = qwd_borrower_free,
    .seed = qwd_seed,
    .look = qwd_look,
    .refusal = qwd_refusal,
};
