/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/sessions/lending.h"

#include <string.h>

#include "pcap2demo/sessions/spool.h"

/* Of sessions that are over, the oldest go first; and so many of one level are tried. */
enum { REMEMBER_AFTER = 16 };
enum { LENDERS_MAX = 128, DEMO_LEVELS_MAX = 128, TRIES_MAX = 8 };

struct lender {
    GPtrArray *over; /* where levels go that are over */
    guint over_max;
    const struct qs_demo_format *format;
    struct qs_address server; /* of a demo: none */
    unsigned session;         /* 0: it is a demo */
    char *name;
    struct qs_sign_on *sign_on;
    uint32_t level;
    int64_t since, until; /* the level lasted, as far as it was seen */
};

struct lending {
    GPtrArray *live;  /* struct lender, owned by their sessions */
    GPtrArray *over;  /* struct lender: levels that are over */
    GPtrArray *demos; /* struct lender, of the caller; or NULL */
};

static void free_lender(gpointer data)
{
    struct lender *lender = data;

    qs_sign_on_free(lender->sign_on);
    g_free(lender->name);
    g_free(lender);
}

struct lending *lending_new(GPtrArray *demos)
{
    struct lending *lending = g_new0(struct lending, 1);

    lending->live = g_ptr_array_new();
    lending->over = g_ptr_array_new_with_free_func(free_lender);
    lending->demos = demos;
    return lending;
}

void lending_free(struct lending *lending)
{
    g_ptr_array_free(lending->live, TRUE);
    g_ptr_array_free(lending->over, TRUE);
    g_free(lending);
}

/* --- Lenders --------------------------------------------------------------------------------- */

static bool can_lend(const struct lender *lender)
{
    return lender->sign_on->complete && !lender->sign_on->broken;
}

static struct lender *copy_lender(const struct lender *lender)
{
    struct lender *copy = g_new(struct lender, 1);

    *copy = *lender;
    copy->name = g_strdup(lender->name);
    copy->sign_on = qs_sign_on_copy(lender->sign_on);
    return copy;
}

/* Its level is over. */
static void keep_level(struct lender *lender)
{
    if (!can_lend(lender))
        return;
    if (lender->over->len == lender->over_max)
        g_ptr_array_remove_index(lender->over, 0);
    g_ptr_array_add(lender->over, copy_lender(lender));
}

/* Takes over the name. */
static struct lender *begin_lender(GPtrArray *over, guint over_max,
                                   const struct qs_demo_format *format, char *name)
{
    struct lender *lender = g_new0(struct lender, 1);

    lender->over = over;
    lender->over_max = over_max;
    lender->format = format;
    lender->name = name;
    lender->sign_on = qs_sign_on_new();
    return lender;
}

struct lender *lender_new(struct lending *lending, const struct qs_demo_format *format,
                          unsigned session)
{
    struct lender *lender =
        begin_lender(lending->over, LENDERS_MAX, format, g_strdup_printf("session %u", session));

    lender->session = session;
    g_ptr_array_add(lending->live, lender);
    return lender;
}

static void tell(struct lender *lender, const struct qs_decoder *decoder)
{
    if (decoder->session->level != lender->level) {
        keep_level(lender);
        qs_sign_on_clear(lender->sign_on);
        lender->level = decoder->session->level;
    }
    if (!lender->sign_on->broken)
        lender->format->lending->tell(lender->sign_on, decoder);
}

void lender_packet(struct lender *lender, const struct qs_decoder *decoder,
                   const struct qs_packet *packet, const struct qs_address *server)
{
    const uint32_t level = lender->level;

    if (!decoder->accepted)
        return;
    tell(lender, decoder);
    if (level != lender->level)
        lender->since = packet->time;
    lender->until = packet->time;
    if (server->port != lender->server.port) /* it was not known who the server is */
        lender->server = *server;
}

void lender_end(struct lending *lending, struct lender *lender)
{
    keep_level(lender);
    g_ptr_array_remove(lending->live, lender);
    free_lender(lender);
}

/* --- Demos that lend --- */

static void tell_blocks(struct lender *lender, struct recording *recording,
                        struct qs_decoder *decoder, struct qs_session *session)
{
    const struct qs_demo_format *format = recording_demo_format(recording);
    struct qs_demo_block block;

    while (recording_next(recording, &block)) {
        const struct qs_packet packet = {.data = block.bytes.data,
                                         .size = block.bytes.size,
                                         .wire_size = block.bytes.size,
                                         .number = block.number,
                                         .from = QS_END_UNKNOWN};

        qs_decode_block(decoder, format->decode_block, session, NULL, &packet, block.offset);
        tell(lender, decoder);
    }
}

GPtrArray *lending_demos_new(void)
{
    return g_ptr_array_new_with_free_func(free_lender);
}

bool lending_demos_add(GPtrArray *demos, struct recording *recording)
{
    const struct qs_demo_format *format = recording_demo_format(recording);
    const guint before = demos->len;
    struct qs_session *session;
    struct qs_decoder decoder;
    struct lender *lender;

    if (!format->lending)
        return false;
    lender =
        begin_lender(demos, before + DEMO_LEVELS_MAX, format, g_strdup(recording_name(recording)));
    session = g_malloc(format->protocol->session_size);
    format->protocol->session_init(session);
    qs_decoder_init(&decoder, format->protocol);
    tell_blocks(lender, recording, &decoder, session);
    keep_level(lender);
    qs_decoder_clear(&decoder);
    format->protocol->session_clear(session);
    g_free(session);
    free_lender(lender);
    return demos->len != before;
}

/* --- Sessions that are held ------------------------------------------------------------------ */

struct held {
    struct lending *lending;
    const struct qs_demo_format *format;
    struct qs_session *session; /* before the first packet that was kept */
    struct qs_session *known;   /* at last; NULL: it goes on */
    const uint32_t *options;    /* of the decoder */
    struct spool *spool;
    unsigned number;      /* of the session */
    uint32_t level;       /* that lacks its beginning */
    int64_t since, until; /* it lasted, as far as it was seen */
    bool level_over;
    GPtrArray *lenders;   /* struct lender: as they were when the session turned out to be late */
    unsigned from_server; /* packets since then, up to REMEMBER_AFTER */
};

static struct qs_session *copy_session(const struct qs_protocol *protocol,
                                       const struct qs_session *session)
{
    struct qs_session *copy = g_malloc(protocol->session_size);

    protocol->session_copy(copy, session);
    return copy;
}

static void free_session(const struct qs_protocol *protocol, struct qs_session *session)
{
    protocol->session_clear(session);
    g_free(session);
}

/* As it was before its first packet. */
static struct qs_session *first_session(const struct qs_decoder *decoder)
{
    struct qs_session *session = g_malloc(decoder->protocol->session_size);

    decoder->protocol->session_init(session);
    session->server = decoder->session->server;
    return session;
}

static void forget_lender(struct held *held, const struct lender *lender)
{
    for (guint i = 0; i < held->lenders->len; i++) {
        const struct lender *other = g_ptr_array_index(held->lenders, i);

        if (other->session == lender->session && other->level == lender->level) {
            g_ptr_array_remove_index(held->lenders, i);
            return;
        }
    }
}

/* Those that came last are the likeliest to stay. */
static void remember_lenders(struct held *held)
{
    const GPtrArray *live = held->lending->live;
    unsigned tries = 0;

    for (guint i = live->len; i-- > 0 && tries < TRIES_MAX;) {
        const struct lender *lender = g_ptr_array_index(live, i);

        if (lender->format != held->format || !can_lend(lender))
            continue;
        forget_lender(held, lender);
        g_ptr_array_add(held->lenders, copy_lender(lender));
        tries++;
    }
}

struct held *held_new(struct lending *lending, const struct qs_demo_format *format, unsigned number,
                      const struct qs_decoder *decoder, bool first, int64_t now)
{
    struct held *held = g_new0(struct held, 1);

    held->number = number;
    held->lending = lending;
    held->format = format;
    held->session =
        first ? first_session(decoder) : copy_session(decoder->protocol, decoder->session);
    held->options = decoder->options;
    held->spool = spool_new();
    held->level = decoder->session->level;
    held->since = held->until = now;
    held->lenders = g_ptr_array_new_with_free_func(free_lender);
    remember_lenders(held);
    return held;
}

void held_free(struct held *held)
{
    free_session(held->format->protocol, held->session);
    if (held->known)
        free_session(held->format->protocol, held->known);
    spool_free(held->spool);
    g_ptr_array_free(held->lenders, TRUE);
    g_free(held);
}

void held_packet(struct held *held, const struct qs_decoder *decoder, const char *file,
                 const struct qs_packet *packet)
{
    /* What lenders saw shortly before and after is worth most. */
    if (decoder->direction == QS_S2C && held->from_server < REMEMBER_AFTER &&
        ++held->from_server == REMEMBER_AFTER)
        remember_lenders(held);
    held->level_over |= decoder->session->level != held->level;
    if (!held->level_over)
        held->until = packet->time;
    spool_add(held->spool, file, packet);
}

void held_end(struct held *held, const struct qs_session *state)
{
    held->known = copy_session(held->format->protocol, state);
}

const char *held_error(const struct held *held)
{
    return spool_error(held->spool);
}

/* --- Decoding again --- */

/* Calls `packet` until it has enough, then `over`. */
struct replay {
    struct qs_borrower *borrower; /* or NULL */
    struct qs_sink *sink;
    bool (*packet)(void *user, const char *file, const struct qs_decoder *decoder,
                   const struct qs_packet *packet);
    void (*begin)(void *user, struct qs_session *session);    /* or NULL */
    void (*over)(void *user, const struct qs_session *state); /* or NULL */
    void *user;
};

static void decode_kept(struct held *held, const struct replay *replay, struct qs_session *session)
{
    struct qs_decoder decoder;
    struct qs_packet packet;
    const char *file;
    bool more = true;

    qs_decoder_init(&decoder, held->format->protocol);
    decoder.options = held->options;
    spool_rewind(held->spool);
    while (more && spool_next(held->spool, &file, &packet)) {
        qs_decode(&decoder, session, replay->sink, &packet);
        more = replay->packet(replay->user, file, &decoder, &packet);
    }
    qs_decoder_clear(&decoder);
}

static void replay(struct held *held, const struct replay *replay)
{
    const struct qs_protocol *protocol = held->format->protocol;
    struct qs_session *session = copy_session(protocol, held->session);

    if (replay->borrower)
        held->format->lending->seed(replay->borrower, session, held->known);
    if (replay->begin)
        replay->begin(replay->user, session);
    decode_kept(held, replay, session);
    if (replay->over)
        replay->over(replay->user, session);
    free_session(protocol, session);
}

static void pass_begin(void *user, struct qs_session *session)
{
    struct held_listener *listener = user;

    listener->begin(listener, session);
}

static bool pass_packet(void *user, const char *file, const struct qs_decoder *decoder,
                        const struct qs_packet *packet)
{
    struct held_listener *listener = user;

    listener->packet(listener, file, decoder, packet);
    return true;
}

static void pass_end(void *user, const struct qs_session *state)
{
    struct held_listener *listener = user;

    listener->over(listener, state);
}

void held_replay(struct held *held, const struct loan *loan, struct held_listener *listener)
{
    replay(held, &(struct replay){.borrower = loan->borrower,
                                  .begin = pass_begin,
                                  .packet = pass_packet,
                                  .over = pass_end,
                                  .user = listener});
}

/* --- Looking for a lender --- */

struct looking {
    char *map; /* that the lender was on; or NULL */
    const struct qs_demo_lending *lending;
    struct qs_borrower *borrower;
    bool begun;
    uint32_t level; /* that is looked at */
};

/* New, or NULL. */
static char *map_of(const struct qs_protocol *protocol, const struct qs_session *session)
{
    struct qs_description description = {0};

    protocol->describe(session, &description);
    g_free(description.version);
    g_free(description.player);
    return description.map;
}

static void begin_looking(struct looking *looking, const struct qs_decoder *decoder)
{
    looking->map = map_of(decoder->protocol, decoder->session);
    looking->level = decoder->session->level;
    looking->begun = true;
}

static bool look(void *user, const char *file, const struct qs_decoder *decoder,
                 const struct qs_packet *packet)
{
    struct looking *looking = user;

    (void)file;
    (void)packet;
    if (!looking->begun)
        begin_looking(looking, decoder);
    /* Its own next sign-on has come. */
    if (decoder->session->level != looking->level)
        return false;
    return looking->lending->look(looking->borrower, decoder);
}

/* What came of a try. */
struct tried {
    struct qs_borrower *borrower; /* NULL: it does not fit */
    char *map;                    /* that the lender was on; or NULL */
    char *refusal;                /* why it does not fit; or NULL */
};

static void tried_clear(const struct held *held, struct tried *tried)
{
    if (tried->borrower)
        held->format->lending->free(tried->borrower);
    g_free(tried->map);
    g_free(tried->refusal);
    *tried = (struct tried){0};
}

static struct tried try_lender(struct held *held, const struct lender *lender,
                               enum qs_lender_kind kind)
{
    const struct qs_demo_lending *lending = held->format->lending;
    struct looking looking = {.lending = lending,
                              .borrower = lending->borrow(lender->sign_on, kind)};
    struct tried tried;

    replay(held, &(struct replay){.borrower = looking.borrower,
                                  .sink = looking.borrower->sink,
                                  .packet = look,
                                  .user = &looking});
    tried = (struct tried){looking.borrower, looking.map, lending->refusal(looking.borrower)};
    if (tried.refusal)
        lending->free(tried.borrower);
    if (tried.refusal)
        tried.borrower = NULL;
    return tried;
}

/* Takes over what was tried. */
static void lend(const struct held *held, const struct lender *lender, struct tried *tried,
                 struct loan *loan)
{
    *loan = (struct loan){
        .borrower = tried->borrower,
        .lender = g_strdup(lender->session == held->number ? "a level of its own" : lender->name)};
    tried->borrower = NULL;
    tried_clear(held, tried);
}

/*
 * A server may have several addresses, and many servers share one: the address only tells who is
 * tried first.
 */
static bool is_same_server(const struct lender *lender, const struct qs_address *server)
{
    return lender->server.family == server->family &&
           memcmp(lender->server.bytes, server->bytes, sizeof server->bytes) == 0 &&
           (lender->format->lending->any_port || lender->server.port == server->port);
}

/* Both were in their levels at one time: on one server that is one level. */
static bool is_present(const struct held *held, const struct lender *lender)
{
    return lender->since <= held->until && held->since <= lender->until;
}

/* Whom to try. */
struct wanted {
    bool same_server, present;
    struct qs_address server;
};

static bool is_wanted(const struct held *held, const struct lender *lender,
                      const struct wanted *wanted)
{
    return lender->format == held->format && can_lend(lender) &&
           is_same_server(lender, &wanted->server) == wanted->same_server &&
           is_present(held, lender) == wanted->present;
}

/* At another time the server may have been at another level, and another address may be of another
 * server: that it fits must be proven. */
static bool is_proven(const struct qs_borrower *borrower, const struct wanted *wanted)
{
    return (wanted->present && wanted->same_server) || borrower->proof >= QS_LENDER_PROOF;
}

static bool try_all(struct held *held, const GPtrArray *lenders, const struct wanted *wanted,
                    struct loan *loan)
{
    const enum qs_lender_kind kind = wanted->present ? QS_LENDER_PRESENT : QS_LENDER_OTHER;
    unsigned tries = 0;

    for (guint i = lenders->len; i-- > 0 && tries < TRIES_MAX && !loan->borrower;) {
        const struct lender *lender = g_ptr_array_index(lenders, i);
        struct tried tried;

        if (!is_wanted(held, lender, wanted))
            continue;
        tries++;
        tried = try_lender(held, lender, kind);
        if (tried.borrower && is_proven(tried.borrower, wanted))
            lend(held, lender, &tried, loan);
        else
            tried_clear(held, &tried);
    }
    return loan->borrower;
}

static bool try_sessions(struct held *held, const struct wanted *wanted, struct loan *loan)
{
    return try_all(held, held->lenders, wanted, loan) ||
           try_all(held, held->lending->live, wanted, loan) ||
           try_all(held, held->lending->over, wanted, loan);
}

/* The levels of demos that were tried. */
struct trials {
    GString *refusals;
    const char *refused; /* the demo that was named there last: its first reason is enough */
    struct tried best;
    const struct lender *lender; /* who that is */
    bool ambiguous;              /* another map fits as well */
    char *next_map;              /* that the session was on later; or NULL */
};

static void add_refusal(struct trials *trials, const struct lender *lender, const char *refusal)
{
    if (!trials->refused || strcmp(trials->refused, lender->name) != 0)
        g_string_append_printf(trials->refusals, "%s%s: %s", trials->refusals->len ? "; " : "",
                               lender->name, refusal);
    trials->refused = lender->name;
}

/* Where nothing else tells, a level is seldom followed by one of the same map. */
static int worth(const struct trials *trials, const struct tried *tried)
{
    return 2 * (int)MIN(tried->borrower->proof, INT16_MAX) +
           (g_strcmp0(tried->map, trials->next_map) != 0);
}

/* Keeps the better of the two. */
static void compare(struct held *held, struct trials *trials, const struct lender *lender,
                    struct tried *tried)
{
    struct tried *best = &trials->best;

    if (best->borrower && worth(trials, best) >= worth(trials, tried)) {
        trials->ambiguous |=
            worth(trials, best) == worth(trials, tried) && g_strcmp0(best->map, tried->map) != 0;
        tried_clear(held, tried);
        return;
    }
    tried_clear(held, best);
    *best = *tried;
    trials->lender = lender;
    trials->ambiguous = false;
}

static void try_demo(struct held *held, const struct lender *lender, struct trials *trials)
{
    struct tried tried = try_lender(held, lender, QS_LENDER_OTHER);

    if (tried.borrower) {
        compare(held, trials, lender, &tried);
        return;
    }
    add_refusal(trials, lender, tried.refusal);
    tried_clear(held, &tried);
}

/* That its map is the session's is what the user says. */
static void lend_demo(struct held *held, struct trials *trials, struct loan *loan)
{
    GString *unknown;

    if (!trials->best.borrower)
        return;
    if (trials->ambiguous) {
        add_refusal(trials, trials->lender, "levels of different maps fit");
        tried_clear(held, &trials->best);
        return;
    }
    unknown = trials->best.borrower->unknown;
    if (trials->best.borrower->proof < QS_LENDER_PROOF)
        g_string_append_printf(unknown, "%swhether it was on this map", unknown->len ? "; " : "");
    lend(held, trials->lender, &trials->best, loan);
}

/* Of all levels of all demos the one that fits best. */
static bool try_demos(struct held *held, struct loan *loan)
{
    const GPtrArray *demos = held->lending->demos;
    struct trials trials = {
        .refusals = g_string_new(NULL),
        .next_map = held->level_over ? map_of(held->format->protocol, held->known) : NULL};

    for (guint i = 0; demos && i < demos->len; i++) {
        const struct lender *lender = g_ptr_array_index(demos, i);

        if (lender->format == held->format)
            try_demo(held, lender, &trials);
    }
    g_free(trials.next_map);
    lend_demo(held, &trials, loan);
    loan->refusals = g_string_free(trials.refusals, !trials.refusals->len || loan->borrower);
    return loan->borrower;
}

void held_find_lender(struct held *held, const struct qs_address *server, struct loan *loan)
{
    *loan = (struct loan){0};
    if (try_sessions(held, &(struct wanted){true, true, *server}, loan) ||
        try_sessions(held, &(struct wanted){false, true, *server}, loan) || try_demos(held, loan))
        return;
    try_sessions(held, &(struct wanted){true, false, *server}, loan);
}

void loan_clear(const struct held *held, struct loan *loan)
{
    if (loan->borrower)
        held->format->lending->free(loan->borrower);
    g_free(loan->lender);
    g_free(loan->refusals);
}
