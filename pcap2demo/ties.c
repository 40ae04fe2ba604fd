/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/ties.h"

#include <string.h>

#include "common/core/protocol.h"
#include "common/sessions/flow.h"

/* Pairs of ports that are looked at in an input; of more, all inputs are tied. */
enum { PAIRS_MAX = 65536 };

/* Nanoseconds by which packets that are one may seem to be apart: see nat_duplicates.c. */
#define CLOCKS_DIFFER (INT64_C(30) * 1000000000)

/* Bytes of an address with its port. */
enum { HALF = 1 + 16 + 2 };

/* Two of them, the lower one first. */
struct pair {
    uint8_t bytes[2 * HALF];
};

/* Packets between two ports. */
struct conversation {
    bool game;  /* it is one's */
    bool opens; /* its first packet asks for a connection, or answers that */
};

struct ties {
    struct qs_sessions_handler handler; /* passes on to: */
    struct qs_sessions_handler *to;
    bool everything;    /* the input is tied to all others */
    bool names_numbers; /* of other sessions */
    int64_t first, last;
    uint64_t seen;            /* conversations of games */
    unsigned without_content; /* sessions that are told of one by one */
    GHashTable *pairs;        /* GBytes, a struct pair: struct conversation */
    struct pair latest;       /* of a datagram of no known game */
    GHashTable *streams;      /* numbers of those that are open */
    GVariantBuilder sessions;
};

/* --- The child: conversations ---------------------------------------------------------------- */

static void write_address(uint8_t *to, const struct qs_address *address)
{
    to[0] = address->family;
    memcpy(to + 1, address->bytes, sizeof address->bytes);
    memcpy(to + 1 + sizeof address->bytes, &address->port, sizeof address->port);
}

static struct pair pair_of(const struct qs_packet *packet)
{
    struct pair pair;
    uint8_t low[HALF], high[HALF];

    write_address(low, &packet->source);
    write_address(high, &packet->destination);
    if (memcmp(low, high, HALF) > 0) {
        memcpy(pair.bytes, high, HALF);
        memcpy(pair.bytes + HALF, low, HALF);
    } else {
        memcpy(pair.bytes, low, HALF);
        memcpy(pair.bytes + HALF, high, HALF);
    }
    return pair;
}

static void hear_time(struct ties *ties, int64_t time)
{
    ties->first = ties->first ? MIN(ties->first, time) : time;
    ties->last = MAX(ties->last, time);
}

static void hear_pair(struct ties *ties, const struct pair *pair, bool game, bool opens)
{
    GBytes *key = g_bytes_new(pair, sizeof *pair);
    struct conversation *conversation = g_hash_table_lookup(ties->pairs, key);

    if (conversation) {
        conversation->game |= game;
        g_bytes_unref(key);
        return;
    }
    if (g_hash_table_size(ties->pairs) >= PAIRS_MAX) {
        ties->everything = true;
        g_bytes_unref(key);
        return;
    }
    conversation = g_new(struct conversation, 1);
    *conversation = (struct conversation){game, opens};
    g_hash_table_insert(ties->pairs, key, conversation);
}

int ties_hear_of_unclaimed(void *user, const struct qs_packet *packet)
{
    struct ties *ties = user;
    const struct pair pair = pair_of(packet);

    hear_time(ties, packet->time);
    if (memcmp(&pair, &ties->latest, sizeof pair) != 0) {
        ties->latest = pair;
        hear_pair(ties, &pair, false, false);
    }
    return QS_PROTOCOL_NONE;
}

/* Demos have neither addresses nor a time that could be compared. */
static void hear_packet(struct qs_sessions_handler *handler,
                        const struct qs_decoded_packet *decoded)
{
    struct ties *ties = (struct ties *)handler;

    if (!decoded->location.block)
        hear_time(ties, decoded->packet->time);
    if (decoded->conversation > ties->seen && !decoded->location.block) {
        const struct pair pair = pair_of(decoded->packet);

        ties->seen = decoded->conversation;
        hear_pair(ties, &pair, true, decoded->decoder->connectionless);
        if (decoded->packet->unit)
            g_hash_table_add(ties->streams, GUINT_TO_POINTER((guint)decoded->conversation));
    }
    if (ties->to->packet)
        ties->to->packet(ties->to, decoded);
}

static void hear_conversation_over(struct qs_sessions_handler *handler, uint64_t conversation,
                                   const struct qs_protocol *protocol)
{
    const struct ties *ties = (const struct ties *)handler;

    g_hash_table_remove(ties->streams, GUINT_TO_POINTER((guint)conversation));
    if (ties->to->conversation_over)
        ties->to->conversation_over(ties->to, conversation, protocol);
}

/* --- The child: sessions --------------------------------------------------------------------- */

/* Others with its server may have what it lacks. */
static bool is_needy(const struct qs_client_session *session)
{
    const struct qs_session_loss loss = qs_session_loss(&session->state);

    return session->demo && (loss.missing || qs_session_demo_lacks(session->demo));
}

static bool names_numbers(const struct qs_client_session *session)
{
    const char *lender = session->demo ? qs_session_demo_donor(session->demo)->name : NULL;

    return session->same_as || (lender && g_str_has_prefix(lender, "session "));
}

static guint32 protocol_number(const struct qs_protocol *protocol)
{
    guint32 number = 0;

    while (qs_protocols[number] && qs_protocols[number] != protocol)
        number++;
    return number;
}

/* By what a session with the same server is found: see qs_late_join.any_port. */
static GVariant *server_of(const struct qs_client_session *session)
{
    const struct qs_demo_format *format = qs_client_session_demo_format(session);
    struct qs_address server = session->server;
    uint8_t bytes[HALF];

    if (format && format->late_join && format->late_join->any_port)
        server.port = 0;
    write_address(bytes, &server);
    return g_variant_new_fixed_array(G_VARIANT_TYPE_BYTE, bytes, sizeof bytes, 1);
}

static void hear_session(struct qs_sessions_handler *handler,
                         const struct qs_client_session *session)
{
    struct ties *ties = (struct ties *)handler;

    ties->without_content += !qs_client_session_has_content(session);
    ties->names_numbers |= names_numbers(session);
    if (!session->recorded)
        g_variant_builder_add(&ties->sessions, "(@ayuxx^ayb)", server_of(session),
                              protocol_number(session->protocol), session->start, session->end,
                              session->player ? session->player : "", is_needy(session));
    if (ties->to->session_end)
        ties->to->session_end(ties->to, session);
}

static void hear_others(struct qs_sessions_handler *handler, const struct qs_crowd_others *others)
{
    struct ties *ties = (struct ties *)handler;

    ties->everything = true;
    if (ties->to->others)
        ties->to->others(ties->to, others);
}

/* --- The child: all of it -------------------------------------------------------------------- */

struct ties *ties_new(struct qs_sessions_handler *handler)
{
    struct ties *ties = g_new0(struct ties, 1);

    ties->handler = *handler;
    ties->handler.packet = hear_packet;
    ties->handler.conversation_over = hear_conversation_over;
    ties->handler.session_end = hear_session;
    ties->handler.others = hear_others;
    ties->to = handler;
    ties->pairs =
        g_hash_table_new_full(g_bytes_hash, g_bytes_equal, (GDestroyNotify)g_bytes_unref, g_free);
    ties->streams = g_hash_table_new(NULL, NULL);
    g_variant_builder_init(&ties->sessions, G_VARIANT_TYPE("a(ayuxxayb)"));
    return ties;
}

void ties_free(struct ties *ties)
{
    g_variant_builder_clear(&ties->sessions);
    g_hash_table_destroy(ties->streams);
    g_hash_table_destroy(ties->pairs);
    g_free(ties);
}

struct qs_sessions_handler *ties_handler(struct ties *ties)
{
    return &ties->handler;
}

void ties_end_input(struct ties *ties, bool open)
{
    ties->everything |= open || g_hash_table_size(ties->streams) != 0;
}

GVariant *ties_give(struct ties *ties)
{
    GVariantBuilder pairs;
    GHashTableIter iter;
    gpointer key, value;

    g_variant_builder_init(&pairs, G_VARIANT_TYPE("a(aybb)"));
    g_hash_table_iter_init(&iter, ties->pairs);
    while (g_hash_table_iter_next(&iter, &key, &value)) {
        const struct conversation *conversation = value;
        GVariant *pair = g_variant_new_from_bytes(G_VARIANT_TYPE_BYTESTRING, key, TRUE);

        g_variant_builder_add(&pairs, "(@aybb)", pair, conversation->game, conversation->opens);
    }
    return g_variant_new("(bbxxuua(aybb)a(ayuxxayb))", ties->everything, ties->names_numbers,
                         ties->first, ties->last, (guint32)ties->seen, ties->without_content,
                         &pairs, &ties->sessions);
}

/* --- The parent ------------------------------------------------------------------------------ */

/* What the process of an input heard. */
struct input {
    gboolean everything, names_numbers;
    gint64 first, last;
    guint32 conversations, without_content;
    GVariant *pairs, *sessions;
};

/* Packets between two ports in an input. */
struct appearance {
    unsigned input;
    struct conversation as;
};

struct session {
    unsigned input;
    GBytes *server;
    guint32 protocol;
    gint64 start, end;
    char *player; /* "": not known */
    gboolean needy;
};

struct finding {
    struct input *inputs;
    unsigned count;
    bool *tied;
};

static void tie(const struct finding *finding, unsigned one, unsigned other)
{
    finding->tied[one] = finding->tied[other] = true;
}

/* Nothing of `before` may go on in `later`. */
static bool is_apart(const struct finding *finding, const struct appearance *before,
                     const struct appearance *later)
{
    return (!before->as.game && !later->as.game) ||
           (later->as.opens && finding->inputs[later->input].first >=
                                   finding->inputs[before->input].last + QS_FLOW_IDLE);
}

static void add_appearance(const struct finding *finding, GArray *appearances,
                           const struct appearance *later)
{
    for (guint i = 0; i < appearances->len; i++) {
        const struct appearance *before = &g_array_index(appearances, struct appearance, i);

        if (!is_apart(finding, before, later))
            tie(finding, before->input, later->input);
    }
    g_array_append_val(appearances, *later);
}

static void find_in_pairs(const struct finding *finding, GHashTable *by_pair, unsigned input)
{
    GVariantIter pairs;
    GVariant *pair;
    gboolean game, opens;

    g_variant_iter_init(&pairs, finding->inputs[input].pairs);
    while (g_variant_iter_next(&pairs, "(@aybb)", &pair, &game, &opens)) {
        const struct appearance later = {input, {game, opens}};
        GBytes *key = g_variant_get_data_as_bytes(pair);
        GArray *appearances = g_hash_table_lookup(by_pair, key);

        if (!appearances) {
            appearances = g_array_new(FALSE, FALSE, sizeof later);
            g_hash_table_insert(by_pair, g_bytes_ref(key), appearances);
        }
        add_appearance(finding, appearances, &later);
        g_bytes_unref(key);
        g_variant_unref(pair);
    }
}

static void find_by_pairs(const struct finding *finding)
{
    GHashTable *by_pair = g_hash_table_new_full(
        g_bytes_hash, g_bytes_equal, (GDestroyNotify)g_bytes_unref, (GDestroyNotify)g_array_unref);

    for (unsigned i = 0; i < finding->count; i++)
        if (finding->inputs[i].pairs)
            find_in_pairs(finding, by_pair, i);
    g_hash_table_destroy(by_pair);
}

static bool may_be_one(const struct session *one, const struct session *other)
{
    return one->protocol == other->protocol && one->start <= other->end + CLOCKS_DIFFER &&
           other->start <= one->end + CLOCKS_DIFFER &&
           (!one->player[0] || !other->player[0] || strcmp(one->player, other->player) == 0);
}

static bool may_lend(const struct session *one, const struct session *other)
{
    return (one->needy || other->needy) && one->protocol == other->protocol &&
           g_bytes_equal(one->server, other->server);
}

static void find_among(const struct finding *finding, const GArray *sessions)
{
    for (guint i = 0; i < sessions->len; i++) {
        const struct session *one = &g_array_index(sessions, struct session, i);

        for (guint j = i + 1; j < sessions->len; j++) {
            const struct session *other = &g_array_index(sessions, struct session, j);

            if (one->input != other->input && (may_be_one(one, other) || may_lend(one, other)))
                tie(finding, one->input, other->input);
        }
    }
}

static void clear_session(gpointer data)
{
    struct session *session = data;

    g_bytes_unref(session->server);
    g_free(session->player);
}

static void add_sessions(const struct finding *finding, GArray *sessions, unsigned input)
{
    struct session session = {.input = input};
    GVariantIter given;
    GVariant *server;

    if (!finding->inputs[input].sessions)
        return;
    g_variant_iter_init(&given, finding->inputs[input].sessions);
    while (g_variant_iter_next(&given, "(@ayuxx^ayb)", &server, &session.protocol, &session.start,
                               &session.end, &session.player, &session.needy)) {
        session.server = g_variant_get_data_as_bytes(server);
        g_array_append_val(sessions, session);
        g_variant_unref(server);
    }
}

static void find_by_sessions(const struct finding *finding)
{
    GArray *sessions = g_array_new(FALSE, FALSE, sizeof(struct session));

    g_array_set_clear_func(sessions, clear_session);
    for (unsigned i = 0; i < finding->count; i++)
        add_sessions(finding, sessions, i);
    find_among(finding, sessions);
    g_array_free(sessions, TRUE);
}

/* The first input has no sessions before it, so that their numbers are final. */
static bool find_everything(const struct finding *finding)
{
    uint64_t conversations = 0, without_content = 0;
    bool everything = false;

    for (unsigned i = 0; i < finding->count; i++) {
        const struct input *input = &finding->inputs[i];

        everything |= input->everything;
        conversations += input->conversations;
        without_content += input->without_content;
        finding->tied[i] = i && input->names_numbers;
    }
    return everything || conversations > QS_CROWD_WAITING_MAX ||
           without_content > QS_CROWD_TOLD_MAX;
}

static void read_input(struct input *input, GVariant *given)
{
    if (given)
        g_variant_get(given, "(bbxxuu@a(aybb)@a(ayuxxayb))", &input->everything,
                      &input->names_numbers, &input->first, &input->last, &input->conversations,
                      &input->without_content, &input->pairs, &input->sessions);
}

void ties_find(GVariant *const *given, unsigned count, bool *tied)
{
    const struct finding finding = {g_new0(struct input, count), count, tied};

    for (unsigned i = 0; i < count; i++)
        read_input(&finding.inputs[i], given[i]);
    if (find_everything(&finding)) {
        memset(tied, true, count * sizeof *tied);
    } else {
        find_by_pairs(&finding);
        find_by_sessions(&finding);
    }
    for (unsigned i = 0; i < count; i++) {
        g_clear_pointer(&finding.inputs[i].pairs, g_variant_unref);
        g_clear_pointer(&finding.inputs[i].sessions, g_variant_unref);
    }
    g_free(finding.inputs);
}
