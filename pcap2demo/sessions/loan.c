/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Looks for who lends to a session that is held. */
#include <string.h>

#include "pcap2demo/sessions/held.h"

enum { OTHERS_LISTS = 3 };

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
    /* Its own next sign-on has come; not so where a packet is read in another's dialect. */
    if (decoder->session->level != looking->level && !qs_decoder_problems(decoder))
        return false;
    looking->level = decoder->session->level;
    return looking->lending->look(looking->borrower, decoder);
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
    bool demos; /* and nothing else matters */
    bool same_server, present;
    struct qs_address server;
};

static bool is_wanted(const struct held *held, const struct lender *lender,
                      const struct wanted *wanted)
{
    return lender->format == held->format && lender_can_lend(lender) &&
           (wanted->demos || (is_same_server(lender, &wanted->server) == wanted->same_server &&
                              is_present(held, lender) == wanted->present));
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

/* Lenders that may have seen more of the same level. */
struct others {
    const GPtrArray *lists[OTHERS_LISTS]; /* struct lender; NULL: no further one */
    const struct wanted *wanted;
};

static void consult(const struct held *held, const struct looking *looking,
                    const struct others *others)
{
    unsigned count = 0;

    for (unsigned i = 0; i < OTHERS_LISTS && others->lists[i]; i++)
        for (guint j = others->lists[i]->len; j-- > 0 && count < LENDER_TRIES_MAX;) {
            const struct lender *other = g_ptr_array_index(others->lists[i], j);

            if (!is_wanted(held, other, others->wanted))
                continue;
            looking->lending->consult(looking->borrower, other->sign_on,
                                      others->lists[i] == held->lenders);
            count++;
        }
}

static struct tried try_lender(struct held *held, const struct lender *lender,
                               enum qs_lender_kind kind, const struct others *others)
{
    const struct qs_demo_lending *lending = held->format->lending;
    struct looking looking = {.lending = lending,
                              .borrower = lending->borrow(lender->sign_on, kind)};
    struct tried tried;

    if (lending->consult)
        consult(held, &looking, others);
    held_decode(held, &(struct held_decode){.borrower = looking.borrower,
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

/* At another time the server may have been at another level, and another address may be of another
 * server: that it fits must be proven. */
static bool is_proven(const struct qs_borrower *borrower, const struct wanted *wanted)
{
    return (wanted->present && wanted->same_server) || borrower->proof >= QS_LENDER_PROOF;
}

/* Of those in one list the nearest lends. */
static bool try_all(struct held *held, const GPtrArray *lenders, const struct others *others,
                    struct loan *loan)
{
    const enum qs_lender_kind kind = others->wanted->present ? QS_LENDER_PRESENT : QS_LENDER_OTHER;
    const struct lender *nearest = NULL;
    struct tried best = {0};
    unsigned tries = 0;

    for (guint i = lenders->len; i-- > 0 && tries < LENDER_TRIES_MAX;) {
        const struct lender *lender = g_ptr_array_index(lenders, i);
        struct tried tried;

        if (!is_wanted(held, lender, others->wanted))
            continue;
        tries++;
        tried = try_lender(held, lender, kind, others);
        if (!tried.borrower || !is_proven(tried.borrower, others->wanted) ||
            (best.borrower && !(tried.borrower->distance < best.borrower->distance))) {
            tried_clear(held, &tried);
            continue;
        }
        tried_clear(held, &best);
        best = tried;
        nearest = lender;
        if (!(best.borrower->distance > 0))
            break;
    }
    if (best.borrower)
        lend(held, nearest, &best, loan);
    return loan->borrower;
}

static bool try_sessions(struct held *held, const struct wanted *wanted, struct loan *loan)
{
    const struct others others = {{held->lenders, held->lending->live, held->lending->over},
                                  wanted};

    for (unsigned i = 0; i < OTHERS_LISTS; i++)
        if (try_all(held, others.lists[i], &others, loan))
            return true;
    return false;
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
    const struct wanted demos = {.demos = true};
    const struct others others = {{held->lending->demos}, &demos};
    struct tried tried = try_lender(held, lender, QS_LENDER_OTHER, &others);

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
        g_string_append_printf(unknown, "%swhether it was on the map of the session",
                               unknown->len ? "; " : "");
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
    if (try_sessions(held, &(struct wanted){false, true, true, *server}, loan) ||
        try_sessions(held, &(struct wanted){false, false, true, *server}, loan) ||
        try_demos(held, loan))
        return;
    try_sessions(held, &(struct wanted){false, true, false, *server}, loan);
}

void loan_clear(const struct held *held, struct loan *loan)
{
    if (loan->borrower)
        held->format->lending->free(loan->borrower);
    g_free(loan->lender);
    g_free(loan->refusals);
}
