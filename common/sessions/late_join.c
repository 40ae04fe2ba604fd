/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sessions that the capture joined late: the packets that are kept of them, and their donors. */
#include "common/sessions/late_join.h"

#include <string.h>

#include "common/sessions/packet_buffer.h"

enum {
    DONOR_LISTS = 3,    /* remembered, live, of levels that are over */
    TRIES_MAX = 16,     /* donors of one list that are tried */
    REMEMBERED_MAX = 8, /* donors that are remembered, or consulted */
    /*
     * A few forged packets look like a late session, and each try costs the work of hundreds of
     * packets: of all lists together one donor is tried, and another for every 32 packets.
     */
    LOOKS_A_PACKET = 64, /* donors that are looked at */
    LOOKS_A_TRY = 32 * LOOKS_A_PACKET,
    REMEMBER_AFTER = 16 /* packets of the server, after which donors are remembered */
};

struct qs_late_session {
    struct qs_donors *donors;
    const struct qs_demo_format *format;
    struct qs_session *session; /* before the first packet that was kept */
    struct qs_session *known;   /* at the end; NULL: it is not over */
    const uint32_t *options;    /* of the decoder */
    struct qs_packet_buffer *packet_buffer;
    unsigned number;      /* of the session */
    unsigned packets;     /* in the buffer */
    uint64_t looks;       /* at donors that are no demos, and what their tries cost */
    uint32_t level;       /* that lacks its beginning */
    int64_t since, until; /* first and last packet seen */
    bool level_over;
    GPtrArray *remembered;        /* struct qs_donor: as they were soon after the session began */
    unsigned from_server;         /* packets since then, as far as they matter */
    struct qs_donor_match *match; /* the donor that was found; or NULL */
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

/* Those that came last are the likeliest to stay. */
static void remember_donors(struct qs_late_session *late)
{
    const GPtrArray *live = late->donors->live;

    for (guint i = live->len; i-- > 0 && late->remembered->len < REMEMBERED_MAX;) {
        struct qs_donor *donor = g_ptr_array_index(live, i), *copy;

        if (donor->format != late->format || !qs_donor_is_complete(donor))
            continue;
        copy = qs_donor_copy(late->donors, donor);
        if (!copy)
            return;
        g_ptr_array_add(late->remembered, copy);
    }
}

/* The session with its sequence numbers as they were before the packet; NULL: a new session. */
static struct qs_session *session_before(const struct qs_decoder *decoder,
                                         const struct qs_session *before)
{
    struct qs_session *session;

    if (before) {
        session = copy_session(decoder->protocol, decoder->session);
        session->to_client = before->to_client;
        session->to_server = before->to_server;
    } else {
        session = g_malloc(decoder->protocol->session_size);
        decoder->protocol->session_init(session);
        session->server = decoder->session->server;
    }
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
    late->session = session_before(decoder, before);
    late->options = decoder->options;
    late->packet_buffer = qs_packet_buffer_new();
    late->level = decoder->session->level;
    late->since = late->until = now;
    late->remembered = g_ptr_array_new_with_free_func(qs_donor_free);
    return late;
}

void qs_late_session_free(struct qs_late_session *late)
{
    if (late->match)
        late->format->late_join->match_free(late->match);
    free_session(late->format->protocol, late->session);
    if (late->known)
        free_session(late->format->protocol, late->known);
    qs_packet_buffer_free(late->packet_buffer);
    g_ptr_array_free(late->remembered, TRUE);
    g_free(late);
}

void qs_late_session_packet(struct qs_late_session *late, const struct qs_decoder *decoder,
                            const char *file, const struct qs_packet *packet)
{
    /* What donors saw shortly before and after is the best evidence. */
    if (decoder->direction == QS_S2C && late->from_server < REMEMBER_AFTER &&
        ++late->from_server == REMEMBER_AFTER)
        remember_donors(late);
    late->level_over |= decoder->session->level != late->level;
    if (!late->level_over)
        late->until = packet->time;
    late->packets++;
    qs_packet_buffer_add(late->packet_buffer, file, packet);
}

int64_t qs_late_session_start(const struct qs_late_session *late)
{
    return late->since;
}

void qs_late_session_end(struct qs_late_session *late, const struct qs_session *state, bool own)
{
    if (late->known && !own)
        return;
    if (late->known)
        free_session(late->format->protocol, late->known);
    late->known = copy_session(late->format->protocol, state);
}

const char *qs_late_session_error(const struct qs_late_session *late)
{
    return qs_packet_buffer_error(late->packet_buffer);
}

/* --- Decoding again -------------------------------------------------------------------------- */

static void decode(struct qs_late_session *late, struct qs_donor_match *match,
                   struct qs_late_session_listener *listener)
{
    const struct qs_protocol *protocol = late->format->protocol;
    struct qs_session *session = copy_session(protocol, late->session);
    struct qs_decoder decoder;
    struct qs_packet packet;
    const char *file;
    bool more = true;

    if (match)
        late->format->late_join->prepare(match, session, late->known);
    if (listener->begin)
        listener->begin(listener, match, session);
    qs_decoder_init(&decoder, protocol);
    decoder.want_entities = QS_ENTITIES_ALL;
    decoder.options = late->options;
    qs_packet_buffer_rewind(late->packet_buffer);
    while (more && qs_packet_buffer_next(late->packet_buffer, &file, &packet)) {
        qs_decode(&decoder, session, NULL, &packet);
        more = listener->packet(listener, file, &decoder, &packet);
    }
    qs_decoder_clear(&decoder);
    if (listener->end)
        listener->end(listener, session);
    free_session(protocol, session);
}

void qs_late_session_replay(struct qs_late_session *late, struct qs_late_session_listener *listener)
{
    decode(late, late->match, listener);
}

/* --- Donors ---------------------------------------------------------------------------------- */

struct trial {
    struct qs_late_session_listener listener;
    const struct qs_late_join *format;
    const struct qs_donor *donor;
    struct qs_donor_match *match; /* NULL: it does not fit */
    char *map;                    /* that the donor was on; or NULL */
    char *refusal;                /* why it does not fit; or NULL */
    bool begun;
    uint32_t level; /* of the session, at the last packet */
};

static void trial_clear(struct trial *trial)
{
    if (trial->match)
        trial->format->match_free(trial->match);
    g_free(trial->map);
    g_free(trial->refusal);
    *trial = (struct trial){0};
}

/* Which donors are tried, and the best of them so far. */
struct search {
    struct qs_late_session *late;
    const struct qs_address *server;     /* of the session */
    bool demos;                          /* that the user named: all of them, else */
    bool same_server, present;           /* sessions for which this is so */
    const GPtrArray *lists[DONOR_LISTS]; /* struct qs_donor; NULL: no further one */
    struct trial best;
    bool ambiguous;      /* a demo of another map fits as well */
    char *next_map;      /* that the session was on later; or NULL */
    GString *refusals;   /* of demos */
    const char *refused; /* the demo that was named there last: its first reason is enough */
};

static bool is_wanted(const struct search *search, const struct qs_donor *donor)
{
    const struct qs_late_session *late = search->late;
    /* Both were in their levels at one time: on one server that is one level. */
    const bool present = donor->since <= late->until && late->since <= donor->until;

    return donor->format == late->format && qs_donor_is_complete(donor) &&
           (search->demos || (qs_donor_is_of_server(donor, search->server) == search->same_server &&
                              present == search->present));
}

static bool observe(struct qs_late_session_listener *listener, const char *file,
                    const struct qs_decoder *decoder, const struct qs_packet *packet)
{
    struct trial *trial = (struct trial *)listener;

    (void)file;
    (void)packet;
    if (!trial->begun) {
        trial->map = qs_map_of(decoder->protocol, decoder->session);
        trial->level = decoder->session->level;
        trial->begun = true;
    }
    /* Its own next sign-on has come; not so where a packet is read in another's variant. */
    if (decoder->session->level != trial->level && !qs_decoder_problems(decoder))
        return false;
    trial->level = decoder->session->level;
    return trial->format->observe(trial->match, decoder);
}

static uint32_t unreadable_in(const struct trial *trial)
{
    return trial->match->evidence[QS_EVIDENCE_PACKETS].differ;
}

/* The next donor of the list that may be one, behind `*at` of them; NULL: no further one. */
static const struct qs_donor *next_donor(const struct search *search, const GPtrArray *list,
                                         guint *at)
{
    struct qs_late_session *late = search->late;

    while (*at < list->len && (search->demos || late->looks++ / LOOKS_A_PACKET <= late->packets)) {
        const guint before = (*at)++;
        const struct qs_donor *donor =
            g_ptr_array_index(list, search->demos ? before : list->len - 1 - before);

        if (is_wanted(search, donor))
            return donor;
    }
    return NULL;
}

/* The other donors may have seen more of the same level. */
static void consult(const struct search *search, const struct trial *trial)
{
    const struct qs_donor *other;
    unsigned count = 0;

    for (unsigned i = 0; i < DONOR_LISTS && search->lists[i]; i++)
        for (guint at = 0;
             count < REMEMBERED_MAX && (other = next_donor(search, search->lists[i], &at)); count++)
            trial->format->consult(trial->match, other->sign_on,
                                   search->lists[i] == search->late->remembered);
}

/* A session that lacks only part of its sign-on may know its map. */
static char *refusal_of(const struct qs_late_session *late, const struct trial *trial)
{
    char *own = qs_map_of(late->format->protocol, late->session);
    char *refusal;

    if (own && g_strcmp0(own, trial->map) != 0)
        refusal = g_strdup_printf("it is of %s, and the session of %s",
                                  trial->map ? trial->map : "no map", own);
    else
        refusal = trial->format->judge(trial->match);
    trial->match->proof += own ? QS_DONOR_PROOF : 0;
    g_free(own);
    return refusal;
}

static struct trial observe_donor(const struct search *search, const struct qs_donor *donor,
                                  enum qs_donor_kind kind, unsigned variant)
{
    const struct qs_late_join *format = search->late->format->late_join;
    struct trial trial = {.listener = {.packet = observe},
                          .format = format,
                          .donor = donor,
                          .match = format->match_new(donor->sign_on, kind)};

    trial.match->variant = variant;
    if (format->consult)
        consult(search, &trial);
    decode(search->late, trial.match, &trial.listener);
    return trial;
}

/* In the variant in which most packets can be read. */
static struct trial try_donor(const struct search *search, const struct qs_donor *donor,
                              enum qs_donor_kind kind)
{
    struct trial trial = observe_donor(search, donor, kind, 0);

    for (unsigned i = 1; i < trial.match->variants && unreadable_in(&trial); i++) {
        struct trial other = observe_donor(search, donor, kind, i), worse = other;

        if (unreadable_in(&other) < unreadable_in(&trial)) {
            worse = trial;
            trial = other;
        }
        trial_clear(&worse);
    }
    trial.refusal = refusal_of(search->late, &trial);
    if (trial.refusal)
        trial.format->match_free(g_steal_pointer(&trial.match));
    return trial;
}

static void add_refusal(struct search *search, const struct qs_donor *donor, const char *refusal)
{
    if (!search->refused || strcmp(search->refused, donor->name) != 0)
        g_string_append_printf(search->refusals, "%s%s: %s", search->refusals->len ? "; " : "",
                               donor->name, refusal);
    search->refused = donor->name;
}

static bool is_proven(const struct search *search, const struct trial *trial)
{
    const uint32_t proof = trial->match->proof;

    if (search->demos)
        return proof >= trial->format->demo_proof || trial->donor->unchecked;
    return (search->present && search->same_server) || proof >= QS_DONOR_PROOF;
}

/* At another time the server may have been at another level, and another address may be of another
 * server. */
static bool may_choose(const struct search *search, struct trial *trial)
{
    if (trial->match && !is_proven(search, trial))
        trial->refusal = g_strdup("nothing shows that it is of the session's map; "
                                  "--sign-on-unchecked uses it anyway");
    return trial->match && !trial->refusal;
}

/* Without other evidence: a level is seldom followed by one of the same map. */
static int worth(const struct search *search, const struct trial *trial)
{
    return 2 * (int)MIN(trial->match->proof, INT16_MAX) +
           (g_strcmp0(trial->map, search->next_map) != 0);
}

static void keep_better(struct search *search, struct trial *trial)
{
    const int better = search->best.match ? worth(search, trial) - worth(search, &search->best) : 1;

    if (better > 0) {
        trial_clear(&search->best);
        search->best = *trial;
        search->ambiguous = false;
        return;
    }
    search->ambiguous |= !better && g_strcmp0(search->best.map, trial->map) != 0;
    trial_clear(trial);
}

/* Of sessions the first that matches, from the newest on. */
static void try_list(struct search *search, const GPtrArray *donors)
{
    const enum qs_donor_kind kind = search->present ? QS_DONOR_PRESENT : QS_DONOR_OTHER;
    const struct qs_donor *donor;
    guint at = 0;

    for (unsigned tries = 0; (search->demos || (!search->best.match && tries < TRIES_MAX)) &&
                             (donor = next_donor(search, donors, &at));
         tries++) {
        struct trial trial = try_donor(search, donor, kind);

        search->late->looks += search->demos ? 0 : LOOKS_A_TRY;
        if (may_choose(search, &trial)) {
            keep_better(search, &trial);
            continue;
        }
        if (search->demos)
            add_refusal(search, donor, trial.refusal);
        trial_clear(&trial);
    }
}

static bool choose(struct search *search, struct qs_donor_choice *choice)
{
    struct qs_donor_match *match = g_steal_pointer(&search->best.match);
    const struct qs_donor *donor = search->best.donor;

    trial_clear(&search->best);
    if (!match)
        return false;
    search->late->match = match;
    match->unproven = search->demos && match->proof < search->late->format->late_join->demo_proof;
    choice->unproven = match->unproven;
    qs_donor_match_unknown(match, match->unproven, "whether it was on the map of the session");
    choice->name =
        g_strdup(donor->session == search->late->number ? "a level of its own" : donor->name);
    choice->unknown = match->unknown->len ? g_strdup(match->unknown->str) : NULL;
    return true;
}

static bool try_sessions(struct qs_late_session *late, const struct qs_address *server,
                         bool same_server, bool present, struct qs_donor_choice *choice)
{
    struct search search = {.late = late,
                            .server = server,
                            .same_server = same_server,
                            .present = present,
                            .lists = {late->remembered, late->donors->live, late->donors->over}};

    for (unsigned i = 0; i < DONOR_LISTS && !search.best.match; i++)
        try_list(&search, search.lists[i]);
    return choose(&search, choice);
}

/* Of all levels of all demos the one that fits best. */
static bool try_demos(struct qs_late_session *late, struct qs_donor_choice *choice)
{
    struct search search = {
        .late = late,
        .demos = true,
        .lists = {late->donors->demos},
        .refusals = g_string_new(NULL),
        .next_map = late->level_over ? qs_map_of(late->format->protocol, late->known) : NULL};

    if (late->donors->demos)
        try_list(&search, late->donors->demos);
    if (search.ambiguous) {
        add_refusal(&search, search.best.donor, "levels of different maps fit");
        trial_clear(&search.best);
    }
    g_free(search.next_map);
    choice->refusals = g_string_free(search.refusals, !search.refusals->len);
    return choose(&search, choice);
}

/* The session's own sign-on is complete; what was in view before is unknown. */
static void try_itself(struct qs_late_session *late, struct qs_donor_choice *choice)
{
    const struct qs_late_join *format = late->format->late_join;
    struct qs_sign_on *sign_on = format->own_sign_on ? format->own_sign_on(late->session) : NULL;
    struct qs_donor itself = {.name = "itself", .sign_on = sign_on};
    struct search search = {.late = late};

    if (!sign_on)
        return;
    search.best = try_donor(&search, &itself, QS_DONOR_ITSELF);
    choose(&search, choice);
    qs_sign_on_free(sign_on);
}

void qs_late_session_find_donor(struct qs_late_session *late, const struct qs_address *server,
                                struct qs_donor_choice *choice)
{
    *choice = (struct qs_donor_choice){0};
    if (try_sessions(late, server, true, true, choice) ||
        try_sessions(late, server, false, true, choice) || try_demos(late, choice) ||
        try_sessions(late, server, true, false, choice))
        g_clear_pointer(&choice->refusals, g_free);
    else
        try_itself(late, choice);
}

void qs_donor_choice_clear(struct qs_donor_choice *choice)
{
    g_free(choice->name);
    g_free(choice->unknown);
    g_free(choice->refusals);
}
