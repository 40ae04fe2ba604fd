/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sessions that the capture joined late: the packets that are kept of them, and their donors. */
#include "common/sessions/late_join.h"

#include <string.h>

#include "common/sessions/donors.h"

/* Lists of donors: remembered, live, of levels that are over. */
enum { DONOR_LISTS = 3 };

/* Packets of the server behind which donors are remembered once more. */
enum { REMEMBER_AFTER = 16 };

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

static void forget_donor(struct qs_late_session *late, const struct qs_donor *donor)
{
    for (guint i = 0; i < late->remembered->len; i++) {
        const struct qs_donor *other = g_ptr_array_index(late->remembered, i);

        if (other->session == donor->session && other->level == donor->level) {
            g_ptr_array_remove_index(late->remembered, i);
            return;
        }
    }
}

/* Those that came last are the likeliest to stay. */
static void remember_donors(struct qs_late_session *late)
{
    const GPtrArray *live = late->donors->live;
    unsigned tries = 0;

    for (guint i = live->len; i-- > 0 && tries < QS_DONOR_TRIES_MAX;) {
        struct qs_donor *donor = g_ptr_array_index(live, i), *copy;

        if (donor->format != late->format || !qs_donor_is_complete(donor))
            continue;
        copy = qs_donor_copy(late->donors, donor);
        if (!copy)
            return;
        forget_donor(late, donor);
        g_ptr_array_add(late->remembered, copy);
        tries++;
    }
}

/* As it was before the packet, for what its numbers are judged by. */
static struct qs_session *session_before(const struct qs_decoder *decoder,
                                         const struct qs_session *before)
{
    struct qs_session *session = copy_session(decoder->protocol, decoder->session);

    session->to_client = before->to_client;
    session->to_server = before->to_server;
    return session;
}

struct qs_late_session *qs_late_session_new(struct qs_donors *donors,
                                            const struct qs_demo_format *format, unsigned number,
                                            const struct qs_decoder *decoder,
                                            const struct qs_session *before, int64_t now)
{
    struct qs_late_session *late = g_new0(struct qs_late_session, 1);

    late->number = number;
    late->donors = donors;
    late->format = format;
    late->session = before ? session_before(decoder, before) : first_session(decoder);
    late->options = decoder->options;
    late->spool = qs_packet_buffer_new();
    late->level = decoder->session->level;
    late->since = late->until = now;
    late->remembered = g_ptr_array_new_with_free_func(qs_donor_free);
    remember_donors(late);
    return late;
}

void qs_late_session_free(struct qs_late_session *late)
{
    free_session(late->format->protocol, late->session);
    if (late->known)
        free_session(late->format->protocol, late->known);
    qs_packet_buffer_free(late->spool);
    g_ptr_array_free(late->remembered, TRUE);
    g_free(late);
}

void qs_late_session_packet(struct qs_late_session *late, const struct qs_decoder *decoder,
                            const char *file, const struct qs_packet *packet)
{
    /* What donors saw shortly before and after is worth most. */
    if (decoder->direction == QS_S2C && late->from_server < REMEMBER_AFTER &&
        ++late->from_server == REMEMBER_AFTER)
        remember_donors(late);
    late->level_over |= decoder->session->level != late->level;
    if (!late->level_over)
        late->until = packet->time;
    late->packets++;
    qs_packet_buffer_add(late->spool, file, packet);
}

int64_t qs_late_session_start(const struct qs_late_session *late)
{
    return late->since;
}

void qs_late_session_end(struct qs_late_session *late, const struct qs_session *state)
{
    late->known = copy_session(late->format->protocol, state);
}

const char *qs_late_session_error(const struct qs_late_session *late)
{
    return qs_packet_buffer_error(late->spool);
}

/* --- Decoding again -------------------------------------------------------------------------- */

static void decode_packets(struct qs_late_session *late, struct qs_session *session,
                           struct qs_late_session_listener *listener)
{
    struct qs_decoder decoder;
    struct qs_packet packet;
    const char *file;
    bool more = true;

    qs_decoder_init(&decoder, late->format->protocol);
    decoder.want_entities = QS_ENTITIES_ALL;
    decoder.options = late->options;
    qs_packet_buffer_rewind(late->spool);
    while (more && qs_packet_buffer_next(late->spool, &file, &packet)) {
        qs_decode(&decoder, session, NULL, &packet);
        more = listener->packet(listener, file, &decoder, &packet);
    }
    qs_decoder_clear(&decoder);
}

void qs_late_session_decode(struct qs_late_session *late, struct qs_donor_match *match,
                            struct qs_late_session_listener *listener)
{
    const struct qs_protocol *protocol = late->format->protocol;
    struct qs_session *session = copy_session(protocol, late->session);

    if (match)
        late->format->late_join->prepare(match, session, late->known);
    if (listener->begin)
        listener->begin(listener, session);
    decode_packets(late, session, listener);
    if (listener->over)
        listener->over(listener, session);
    free_session(protocol, session);
}

/* --- Donors ---------------------------------------------------------------------------------- */

/* A try of a donor. */
struct trial {
    struct qs_late_session_listener listener;
    char *map; /* that the donor was on; or NULL */
    const struct qs_late_join *format;
    struct qs_donor_match *match;
    bool begun;
    uint32_t level; /* that is looked at */
};

static void begin_trial(struct trial *trial, const struct qs_decoder *decoder)
{
    trial->map = qs_map_of(decoder->protocol, decoder->session);
    trial->level = decoder->session->level;
    trial->begun = true;
}

static bool observe(struct qs_late_session_listener *listener, const char *file,
                    const struct qs_decoder *decoder, const struct qs_packet *packet)
{
    struct trial *trial = (struct trial *)listener;

    (void)file;
    (void)packet;
    if (!trial->begun)
        begin_trial(trial, decoder);
    /* Its own next sign-on has come; not so where a packet is read in another's dialect. */
    if (decoder->session->level != trial->level && !qs_decoder_problems(decoder))
        return false;
    trial->level = decoder->session->level;
    return trial->format->observe(trial->match, decoder);
}

/* Both were in their levels at one time: on one server that is one level. */
static bool is_present(const struct qs_late_session *late, const struct qs_donor *donor)
{
    return donor->since <= late->until && late->since <= donor->until;
}

/* Whom to try. */
struct wanted {
    bool demos; /* and nothing else matters */
    bool same_server, present;
    struct qs_address server;
};

static bool is_wanted(const struct qs_late_session *late, const struct qs_donor *donor,
                      const struct wanted *wanted)
{
    return donor->format == late->format && qs_donor_is_complete(donor) &&
           (wanted->demos ||
            (qs_donor_is_of_server(donor, &wanted->server) == wanted->same_server &&
             is_present(late, donor) == wanted->present));
}

/* What came of a try. */
struct tried {
    struct qs_donor_match *match; /* NULL: it does not fit */
    char *map;                    /* that the donor was on; or NULL */
    char *refusal;                /* why it does not fit; or NULL */
};

static void tried_clear(const struct qs_late_session *late, struct tried *tried)
{
    if (tried->match)
        late->format->late_join->match_free(tried->match);
    g_free(tried->map);
    g_free(tried->refusal);
    *tried = (struct tried){0};
}

/* Lenders that may have seen more of the same level. */
struct others {
    const GPtrArray *lists[DONOR_LISTS]; /* struct qs_donor; NULL: no further one */
    const struct wanted *wanted;
};

static void consult(const struct qs_late_session *late, const struct trial *trial,
                    const struct others *others)
{
    unsigned count = 0;

    for (unsigned i = 0; i < DONOR_LISTS && others->lists[i]; i++)
        for (guint j = others->lists[i]->len; j-- > 0 && count < QS_DONOR_TRIES_MAX;) {
            const struct qs_donor *other = g_ptr_array_index(others->lists[i], j);

            if (!is_wanted(late, other, others->wanted))
                continue;
            trial->format->consult(trial->match, other->sign_on,
                                   others->lists[i] == late->remembered);
            count++;
        }
}

/* A session that lacks only part of its sign-on may know its map. */
static char *refusal_of(const struct qs_late_session *late, const struct trial *trial)
{
    char *own = qs_map_of(late->format->protocol, late->session);
    char *refusal = NULL;

    if (own && g_strcmp0(own, trial->map) != 0)
        refusal = g_strdup_printf("it is of %s, and the session of %s",
                                  trial->map ? trial->map : "no map", own);
    g_free(own);
    return refusal ? refusal : trial->format->judge(trial->match);
}

static struct tried try_donor(struct qs_late_session *late, const struct qs_donor *donor,
                              enum qs_donor_kind kind, const struct others *others)
{
    const struct qs_late_join *format = late->format->late_join;
    struct trial trial = {.listener = {.packet = observe},
                          .format = format,
                          .match = format->match_new(donor->sign_on, kind)};
    struct tried tried;

    if (format->consult)
        consult(late, &trial, others);
    qs_late_session_decode(late, trial.match, &trial.listener);
    tried = (struct tried){trial.match, trial.map, refusal_of(late, &trial)};
    if (tried.refusal)
        format->match_free(tried.match);
    if (tried.refusal)
        tried.match = NULL;
    return tried;
}

/* Takes over what was tried. */
static void choose_donor(const struct qs_late_session *late, const struct qs_donor *donor,
                         struct tried *tried, struct qs_donor_choice *choice)
{
    *choice = (struct qs_donor_choice){
        .match = tried->match,
        .donor = g_strdup(donor->session == late->number ? "a level of its own" : donor->name)};
    tried->match = NULL;
    tried_clear(late, tried);
}

/* At another time the server may have been at another level, and another address may be of another
 * server: that it fits must be proven. */
static bool is_proven(const struct qs_donor_match *match, const struct wanted *wanted)
{
    return (wanted->present && wanted->same_server) || match->proof >= QS_DONOR_PROOF;
}

/* The donor that fits best so far. */
struct best {
    struct tried tried;
    const struct qs_donor *donor;
};

static bool is_better(const struct qs_donor_match *match, const struct best *best)
{
    return !best->tried.match || match->distance < best->tried.match->distance;
}

/* Takes over what was tried. */
static void choose(struct qs_late_session *late, const struct qs_donor *donor, struct tried *tried,
                   const struct wanted *wanted, struct best *best)
{
    if (!tried->match || !is_proven(tried->match, wanted) || !is_better(tried->match, best)) {
        tried_clear(late, tried);
        return;
    }
    tried_clear(late, &best->tried);
    *best = (struct best){*tried, donor};
}

/* No other can be nearer. */
static bool is_settled(const struct best *best)
{
    return best->tried.match && !(best->tried.match->distance > 0);
}

/* Tries cost more than a session's packets where these are few. */
static bool may_try(const struct qs_late_session *late)
{
    return late->tries <= late->packets / QS_DONOR_TRY_EVERY;
}

/* The nearest one in a list is the donor. */
static bool try_all(struct qs_late_session *late, const GPtrArray *donors,
                    const struct others *others, struct qs_donor_choice *choice)
{
    const enum qs_donor_kind kind = others->wanted->present ? QS_DONOR_PRESENT : QS_DONOR_OTHER;
    struct best best = {0};
    unsigned tries = 0;

    for (guint i = donors->len;
         i-- > 0 && tries < QS_DONOR_TRIES_MAX && may_try(late) && !is_settled(&best);) {
        const struct qs_donor *donor = g_ptr_array_index(donors, i);
        struct tried tried;

        if (!is_wanted(late, donor, others->wanted))
            continue;
        tries++;
        late->tries++;
        tried = try_donor(late, donor, kind, others);
        choose(late, donor, &tried, others->wanted, &best);
    }
    if (best.tried.match)
        choose_donor(late, best.donor, &best.tried, choice);
    return choice->match;
}

static bool try_sessions(struct qs_late_session *late, const struct wanted *wanted,
                         struct qs_donor_choice *choice)
{
    const struct others others = {{late->remembered, late->donors->live, late->donors->over},
                                  wanted};

    for (unsigned i = 0; i < DONOR_LISTS; i++)
        if (try_all(late, others.lists[i], &others, choice))
            return true;
    return false;
}

/* The levels of demos that were tried. */
struct trials {
    GString *refusals;
    const char *refused; /* the demo that was named there last: its first reason is enough */
    struct tried best;
    const struct qs_donor *donor; /* who that is */
    bool ambiguous;               /* another map fits as well */
    char *next_map;               /* that the session was on later; or NULL */
};

static void add_refusal(struct trials *trials, const struct qs_donor *donor, const char *refusal)
{
    if (!trials->refused || strcmp(trials->refused, donor->name) != 0)
        g_string_append_printf(trials->refusals, "%s%s: %s", trials->refusals->len ? "; " : "",
                               donor->name, refusal);
    trials->refused = donor->name;
}

/* Where nothing else tells, a level is seldom followed by one of the same map. */
static int worth(const struct trials *trials, const struct tried *tried)
{
    return 2 * (int)MIN(tried->match->proof, INT16_MAX) +
           (g_strcmp0(tried->map, trials->next_map) != 0);
}

/* Keeps the better of the two. */
static void compare(struct qs_late_session *late, struct trials *trials,
                    const struct qs_donor *donor, struct tried *tried)
{
    struct tried *best = &trials->best;

    if (best->match && worth(trials, best) >= worth(trials, tried)) {
        trials->ambiguous |=
            worth(trials, best) == worth(trials, tried) && g_strcmp0(best->map, tried->map) != 0;
        tried_clear(late, tried);
        return;
    }
    tried_clear(late, best);
    *best = *tried;
    trials->donor = donor;
    trials->ambiguous = false;
}

static void try_demo(struct qs_late_session *late, const struct qs_donor *donor,
                     struct trials *trials)
{
    const struct wanted demos = {.demos = true};
    const struct others others = {{late->donors->demos}, &demos};
    struct tried tried = try_donor(late, donor, QS_DONOR_OTHER, &others);

    if (tried.match) {
        compare(late, trials, donor, &tried);
        return;
    }
    add_refusal(trials, donor, tried.refusal);
    tried_clear(late, &tried);
}

/* The user claims that its map is the session's. */
static void choose_demo(struct qs_late_session *late, struct trials *trials,
                        struct qs_donor_choice *choice)
{
    GString *unknown;
    bool unproven;

    if (!trials->best.match)
        return;
    if (trials->ambiguous) {
        add_refusal(trials, trials->donor, "levels of different maps fit");
        tried_clear(late, &trials->best);
        return;
    }
    unproven = trials->best.match->proof < QS_DONOR_PROOF;
    unknown = trials->best.match->unknown;
    if (unproven)
        g_string_append_printf(unknown, "%swhether it was on the map of the session",
                               unknown->len ? "; " : "");
    choose_donor(late, trials->donor, &trials->best, choice);
    choice->unproven = unproven;
}

/* Of all levels of all demos the one that fits best. */
static bool try_demos(struct qs_late_session *late, struct qs_donor_choice *choice)
{
    const GPtrArray *demos = late->donors->demos;
    struct trials trials = {
        .refusals = g_string_new(NULL),
        .next_map = late->level_over ? qs_map_of(late->format->protocol, late->known) : NULL};

    for (guint i = 0; demos && i < demos->len; i++) {
        const struct qs_donor *donor = g_ptr_array_index(demos, i);

        if (donor->format == late->format)
            try_demo(late, donor, &trials);
    }
    g_free(trials.next_map);
    choose_demo(late, &trials, choice);
    choice->refusals = g_string_free(trials.refusals, !trials.refusals->len || choice->match);
    return choice->match;
}

/* The session has what others would lend, but for what was seen then. */
static void choose_own(struct qs_late_session *late, struct qs_donor_choice *choice)
{
    const struct qs_late_join *format = late->format->late_join;
    struct qs_sign_on *sign_on = format->own_sign_on ? format->own_sign_on(late->session) : NULL;
    const struct qs_donor itself = {.format = late->format, .sign_on = sign_on};
    struct tried tried;

    if (!sign_on)
        return;
    tried = try_donor(late, &itself, QS_DONOR_ITSELF, &(struct others){0});
    choice->match = g_steal_pointer(&tried.match);
    choice->donor = choice->match ? g_strdup("itself") : NULL;
    tried_clear(late, &tried);
    qs_sign_on_free(sign_on);
}

void qs_late_session_find_donor(struct qs_late_session *late, const struct qs_address *server,
                                struct qs_donor_choice *choice)
{
    *choice = (struct qs_donor_choice){0};
    if (try_sessions(late, &(struct wanted){false, true, true, *server}, choice) ||
        try_sessions(late, &(struct wanted){false, false, true, *server}, choice) ||
        try_demos(late, choice) ||
        try_sessions(late, &(struct wanted){false, true, false, *server}, choice))
        return;
    choose_own(late, choice);
}

void qs_donor_choice_clear(const struct qs_late_session *late, struct qs_donor_choice *choice)
{
    if (choice->match)
        late->format->late_join->match_free(choice->match);
    g_free(choice->donor);
    g_free(choice->refusals);
}
