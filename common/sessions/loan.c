/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Looks for who lends to a session that is held. */
#include <string.h>

#include "common/sessions/held.h"

enum { OTHERS_LISTS = 3 };

struct looking {
    char *map; /* that the lender was on; or NULL */
    const struct qs_demo_lending *lending;
    struct qs_borrower *borrower;
    bool begun;
    uint32_t level; /* that is looked at */
};

static void begin_looking(struct looking *looking, const struct qs_decoder *decoder)
{
    looking->map = qs_map_of(decoder->protocol, decoder->session);
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

/* Both were in their levels at one time: on one server that is one level. */
static bool is_present(const struct qs_held *held, const struct qs_lender *lender)
{
    return lender->since <= held->until && held->since <= lender->until;
}

/* Whom to try. */
struct wanted {
    bool demos; /* and nothing else matters */
    bool same_server, present;
    struct qs_address server;
};

static bool is_wanted(const struct qs_held *held, const struct qs_lender *lender,
                      const struct wanted *wanted)
{
    return lender->format == held->format && qs_lender_can_lend(lender) &&
           (wanted->demos ||
            (qs_lender_is_of_server(lender, &wanted->server) == wanted->same_server &&
             is_present(held, lender) == wanted->present));
}

/* What came of a try. */
struct tried {
    struct qs_borrower *borrower; /* NULL: it does not fit */
    char *map;                    /* that the lender was on; or NULL */
    char *refusal;                /* why it does not fit; or NULL */
};

static void tried_clear(const struct qs_held *held, struct tried *tried)
{
    if (tried->borrower)
        held->format->lending->free(tried->borrower);
    g_free(tried->map);
    g_free(tried->refusal);
    *tried = (struct tried){0};
}

/* Lenders that may have seen more of the same level. */
struct others {
    const GPtrArray *lists[OTHERS_LISTS]; /* struct qs_lender; NULL: no further one */
    const struct wanted *wanted;
};

static void consult(const struct qs_held *held, const struct looking *looking,
                    const struct others *others)
{
    unsigned count = 0;

    for (unsigned i = 0; i < OTHERS_LISTS && others->lists[i]; i++)
        for (guint j = others->lists[i]->len; j-- > 0 && count < QS_LENDER_TRIES_MAX;) {
            const struct qs_lender *other = g_ptr_array_index(others->lists[i], j);

            if (!is_wanted(held, other, others->wanted))
                continue;
            looking->lending->consult(looking->borrower, other->sign_on,
                                      others->lists[i] == held->lenders);
            count++;
        }
}

/* A session that lacks only part of its sign-on may know its map. */
static char *refusal_of(const struct qs_held *held, const struct looking *looking)
{
    char *own = qs_map_of(held->format->protocol, held->session);
    char *refusal = NULL;

    if (own && g_strcmp0(own, looking->map) != 0)
        refusal = g_strdup_printf("it is of %s, and the session of %s",
                                  looking->map ? looking->map : "no map", own);
    g_free(own);
    return refusal ? refusal : looking->lending->refusal(looking->borrower);
}

static struct tried try_lender(struct qs_held *held, const struct qs_lender *lender,
                               enum qs_lender_kind kind, const struct others *others)
{
    const struct qs_demo_lending *lending = held->format->lending;
    struct looking looking = {.lending = lending,
                              .borrower = lending->borrow(lender->sign_on, kind)};
    struct tried tried;

    if (lending->consult)
        consult(held, &looking, others);
    qs_held_decode(held, &(struct qs_held_decode){.borrower = looking.borrower,
                                                  .sink = looking.borrower->sink,
                                                  .packet = look,
                                                  .user = &looking});
    tried = (struct tried){looking.borrower, looking.map, refusal_of(held, &looking)};
    if (tried.refusal)
        lending->free(tried.borrower);
    if (tried.refusal)
        tried.borrower = NULL;
    return tried;
}

/* Takes over what was tried. */
static void lend(const struct qs_held *held, const struct qs_lender *lender, struct tried *tried,
                 struct qs_loan *loan)
{
    *loan = (struct qs_loan){
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

/* The lender that fits best so far. */
struct choice {
    struct tried tried;
    const struct qs_lender *lender;
};

static bool is_better(const struct qs_borrower *borrower, const struct choice *choice)
{
    return !choice->tried.borrower || borrower->distance < choice->tried.borrower->distance;
}

/* Takes over what was tried. */
static void choose(struct qs_held *held, const struct qs_lender *lender, struct tried *tried,
                   const struct wanted *wanted, struct choice *choice)
{
    if (!tried->borrower || !is_proven(tried->borrower, wanted) ||
        !is_better(tried->borrower, choice)) {
        tried_clear(held, tried);
        return;
    }
    tried_clear(held, &choice->tried);
    *choice = (struct choice){*tried, lender};
}

/* No other can be nearer. */
static bool is_settled(const struct choice *choice)
{
    return choice->tried.borrower && !(choice->tried.borrower->distance > 0);
}

/* Tries cost more than a session's packets where these are few. */
static bool may_try(const struct qs_held *held)
{
    return held->tries <= held->packets / QS_LENDER_TRY_EVERY;
}

/* Of those in one list the nearest lends. */
static bool try_all(struct qs_held *held, const GPtrArray *lenders, const struct others *others,
                    struct qs_loan *loan)
{
    const enum qs_lender_kind kind = others->wanted->present ? QS_LENDER_PRESENT : QS_LENDER_OTHER;
    struct choice choice = {0};
    unsigned tries = 0;

    for (guint i = lenders->len;
         i-- > 0 && tries < QS_LENDER_TRIES_MAX && may_try(held) && !is_settled(&choice);) {
        const struct qs_lender *lender = g_ptr_array_index(lenders, i);
        struct tried tried;

        if (!is_wanted(held, lender, others->wanted))
            continue;
        tries++;
        held->tries++;
        tried = try_lender(held, lender, kind, others);
        choose(held, lender, &tried, others->wanted, &choice);
    }
    if (choice.tried.borrower)
        lend(held, choice.lender, &choice.tried, loan);
    return loan->borrower;
}

static bool try_sessions(struct qs_held *held, const struct wanted *wanted, struct qs_loan *loan)
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
    const struct qs_lender *lender; /* who that is */
    bool ambiguous;                 /* another map fits as well */
    char *next_map;                 /* that the session was on later; or NULL */
};

static void add_refusal(struct trials *trials, const struct qs_lender *lender, const char *refusal)
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
static void compare(struct qs_held *held, struct trials *trials, const struct qs_lender *lender,
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

static void try_demo(struct qs_held *held, const struct qs_lender *lender, struct trials *trials)
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
static void lend_demo(struct qs_held *held, struct trials *trials, struct qs_loan *loan)
{
    GString *unknown;
    bool unproven;

    if (!trials->best.borrower)
        return;
    if (trials->ambiguous) {
        add_refusal(trials, trials->lender, "levels of different maps fit");
        tried_clear(held, &trials->best);
        return;
    }
    unproven = trials->best.borrower->proof < QS_LENDER_PROOF;
    unknown = trials->best.borrower->unknown;
    if (unproven)
        g_string_append_printf(unknown, "%swhether it was on the map of the session",
                               unknown->len ? "; " : "");
    lend(held, trials->lender, &trials->best, loan);
    loan->unproven = unproven;
}

/* Of all levels of all demos the one that fits best. */
static bool try_demos(struct qs_held *held, struct qs_loan *loan)
{
    const GPtrArray *demos = held->lending->demos;
    struct trials trials = {
        .refusals = g_string_new(NULL),
        .next_map = held->level_over ? qs_map_of(held->format->protocol, held->known) : NULL};

    for (guint i = 0; demos && i < demos->len; i++) {
        const struct qs_lender *lender = g_ptr_array_index(demos, i);

        if (lender->format == held->format)
            try_demo(held, lender, &trials);
    }
    g_free(trials.next_map);
    lend_demo(held, &trials, loan);
    loan->refusals = g_string_free(trials.refusals, !trials.refusals->len || loan->borrower);
    return loan->borrower;
}

/* The session has what others would lend, but for what was seen then. */
static void lend_own(struct qs_held *held, struct qs_loan *loan)
{
    const struct qs_demo_lending *lending = held->format->lending;
    struct qs_sign_on *sign_on = lending->own ? lending->own(held->session) : NULL;
    const struct qs_lender itself = {.format = held->format, .sign_on = sign_on};
    struct tried tried;

    if (!sign_on)
        return;
    tried = try_lender(held, &itself, QS_LENDER_ITSELF, &(struct others){0});
    loan->borrower = g_steal_pointer(&tried.borrower);
    loan->lender = loan->borrower ? g_strdup("itself") : NULL;
    tried_clear(held, &tried);
    qs_sign_on_free(sign_on);
}

void qs_held_find_lender(struct qs_held *held, const struct qs_address *server,
                         struct qs_loan *loan)
{
    *loan = (struct qs_loan){0};
    if (try_sessions(held, &(struct wanted){false, true, true, *server}, loan) ||
        try_sessions(held, &(struct wanted){false, false, true, *server}, loan) ||
        try_demos(held, loan) ||
        try_sessions(held, &(struct wanted){false, true, false, *server}, loan))
        return;
    lend_own(held, loan);
}

void qs_loan_clear(const struct qs_held *held, struct qs_loan *loan)
{
    if (loan->borrower)
        held->format->lending->free(loan->borrower);
    g_free(loan->lender);
    g_free(loan->refusals);
}
