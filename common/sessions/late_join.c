/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/sessions/late_join.h"

#include <string.h>

#include "common/core/findings.h"

/* Number of packets that justify one more try of a donor, and maximum number of tries. A few forged
 * packets look like a late session, and each try costs the work of many packets. */
enum { PACKETS_A_TRY = 32, TRIES_MAX = 16 };

struct qs_late_session {
    struct qs_donors *donors;
    const struct qs_demo_format *format;
    struct qs_session *session; /* state before the first packet that was kept */
    struct qs_session *known;   /* state at the session's end; NULL before */
    const uint32_t *options;    /* options of the decoder */
    struct qs_packet_buffer *packet_buffer;
    unsigned packets; /* number of packets in the buffer */
    uint32_t level;   /* number of the level whose beginning is missing */
    bool level_over;
    int64_t start;        /* time of the session's first packet (ns) */
    int64_t since, until; /* times of the first packet kept, and of the level's last one (ns) */
    struct qs_donor_match *match; /* match with the chosen donor, or NULL */
    struct qs_sign_on *own;       /* sign-on of the session, if it is its own donor */
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
    if (session)
        protocol->session_clear(session);
    g_free(session);
}

/* Copies the decoder's session, but with the sequence numbers and the hole of `before`. If that is
 * NULL, creates a session with the same server. */
static struct qs_session *session_before(const struct qs_decoder *decoder,
                                         const struct qs_session *before)
{
    struct qs_session *session;

    if (before) {
        session = copy_session(decoder->protocol, decoder->session);
        session->to_client = before->to_client;
        session->to_server = before->to_server;
        session->hole = before->hole;
    } else {
        session = g_malloc(decoder->protocol->session_size);
        decoder->protocol->session_init(session);
        session->server = decoder->session->server;
    }
    return session;
}

struct qs_late_session *qs_late_session_new(struct qs_donors *donors,
                                            const struct qs_demo_format *format,
                                            const struct qs_decoder *decoder,
                                            const struct qs_session *before, int64_t start)
{
    struct qs_late_session *late = g_new0(struct qs_late_session, 1);

    late->donors = donors;
    late->format = format;
    late->session = session_before(decoder, before);
    late->options = decoder->options;
    late->packet_buffer = qs_packet_buffer_new();
    late->level = decoder->session->level;
    late->start = start;
    late->since = late->until = decoder->packet->time;
    qs_donors_late_begin(donors);
    return late;
}

void qs_late_session_free(struct qs_late_session *late)
{
    if (late->match)
        late->format->late_join->match_free(late->match);
    qs_sign_on_free(late->own);
    free_session(late->format->protocol, late->session);
    free_session(late->format->protocol, late->known);
    qs_packet_buffer_free(late->packet_buffer);
    qs_donors_late_end(late->donors);
    g_free(late);
}

void qs_late_session_packet(struct qs_late_session *late, const struct qs_decoder *decoder,
                            const char *file, const struct qs_packet *packet)
{
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

/* --- Choice of a donor ----------------------------------------------------------------------- */

/* A test whether a donor's sign-on is that of the session's level; the match has the result. */
struct donor_trial {
    struct qs_late_session_listener listener;
    const struct qs_late_join *format;
    struct qs_donor_match *match;
    bool refused; /* contradicted before the first packet */
    bool begun;
    uint32_t level;        /* level of the session at its last packet */
    uint32_t read, unread; /* number of server packets that can be read completely, and of others */
};

static void begin(struct qs_late_session_listener *listener, const struct qs_donor_match *match,
                  struct qs_session *session)
{
    (void)session;
    ((struct donor_trial *)listener)->refused = match->contradiction;
}

static bool observe(struct qs_late_session_listener *listener, const char *file,
                    const struct qs_decoder *decoder, const struct qs_packet *packet)
{
    struct donor_trial *trial = (struct donor_trial *)listener;

    (void)file;
    if (trial->refused)
        return false;
    if (!decoder->found.messages->len || !decoder->found.accepted || qs_packet_is_cut(packet))
        return true;
    if (qs_decoder_problems(decoder)) {
        trial->unread += decoder->found.direction == QS_S2C;
        return true;
    }
    if (trial->begun && decoder->session->level != trial->level)
        return false; /* the session's next sign-on has begun */
    trial->begun = true;
    trial->level = decoder->session->level;
    trial->read += decoder->found.direction == QS_S2C;
    trial->format->observe(trial->match, decoder);
    return true;
}

/* Compares the maps, if the session's is known: in a hole in the game it may have changed. */
static void compare_maps(const struct qs_late_session *late, struct qs_donor_match *match)
{
    const struct qs_protocol *protocol = late->format->protocol;
    const bool may_have_changed = late->session->lost.in_game;
    g_autofree char *own = may_have_changed ? NULL : qs_map_of(protocol, late->session);
    g_autofree char *donors = qs_map_of(protocol, match->sign_on->session);

    if (own && g_strcmp0(own, donors) != 0)
        qs_donor_match_contradict(match, "its map is %s, but the session's is %s",
                                  donors ? donors : "unknown", own);
    match->unproven = match->kind == QS_DONOR_DEMO && !own;
}

/* True if packets are unreadable: any with another client's sign-on, most with a demo's, because
 * less is known of the client that recorded it. */
static bool is_unreadable(const struct donor_trial *trial)
{
    return trial->match->kind == QS_DONOR_CLIENT ? trial->unread > 0 : trial->unread > trial->read;
}

/* Observes the packets with the donor's sign-on. A recording of the session always fits. */
static void observe_packets(struct qs_late_session *late, struct qs_donor_match *match)
{
    struct donor_trial trial = {.listener = {.begin = begin, .packet = observe},
                                .format = late->format->late_join,
                                .match = match};

    decode(late, match, &trial.listener);
    if (match->recorded && !trial.refused) {
        g_clear_pointer(&match->contradiction, g_free);
        match->unproven = false;
    }
    if (is_unreadable(&trial))
        qs_donor_match_contradict(match,
                                  "with it, %u of %u packets of the session cannot be read: its "
                                  "client had other protocol extensions",
                                  trial.unread, trial.unread + trial.read);
    else if (!match->seen && match->kind != QS_DONOR_ITSELF)
        qs_donor_match_contradict(match, "no packet of the game was read with it");
}

/* Returns the match of the session and the sign-on. If something contradicts it, sets
 * `contradiction`, a new text, and returns NULL. */
static struct qs_donor_match *try_sign_on(struct qs_late_session *late,
                                          const struct qs_sign_on *sign_on, enum qs_donor_kind kind,
                                          char **contradiction)
{
    const struct qs_late_join *format = late->format->late_join;
    struct qs_donor_match *match = format->match_new(sign_on, kind);

    compare_maps(late, match);
    if (!match->contradiction)
        observe_packets(late, match);
    if (!match->contradiction)
        format->judge(match);
    *contradiction = g_steal_pointer(&match->contradiction);
    if (*contradiction)
        format->match_free(g_steal_pointer(&match));
    return match;
}

static void choose(struct qs_late_session *late, struct qs_donor_match *match, const char *name,
                   struct qs_donor_choice *choice)
{
    late->match = match;
    qs_donor_match_unknown(match, match->unproven, "whether the demo is of the session's map");
    choice->name = g_strdup(name);
    choice->unproven = match->unproven;
    choice->unknown = match->unknown->len ? g_strdup(match->unknown->str) : NULL;
}

/* True if the donor's level is that of the late session: the donor signed on during the session,
 * and both played the level at one time. */
static bool is_of_level(const struct qs_late_session *late, const struct qs_donor *donor,
                        const struct qs_address *server)
{
    return donor->format == late->format && qs_donor_is_complete(donor) &&
           qs_donor_is_of_server(donor, server) && donor->signed_on >= late->start &&
           donor->signed_on <= late->until && donor->until >= late->since;
}

static bool try_sessions(struct qs_late_session *late, const GPtrArray *donors,
                         const struct qs_address *server, unsigned *tries,
                         struct qs_donor_choice *choice)
{
    for (guint i = donors->len; i-- > 0 && *tries;) {
        const struct qs_donor *donor = donors->pdata[i];
        struct qs_donor_match *match;
        g_autofree char *contradiction = NULL;

        if (!is_of_level(late, donor, server))
            continue;
        --*tries;
        match = try_sign_on(late, donor->sign_on, QS_DONOR_CLIENT, &contradiction);
        if (!match)
            continue;
        choose(late, match, donor->name, choice);
        return true;
    }
    return false;
}

/* Chooses a level that is a recording of the session, or the first one that nothing contradicts. */
static void try_demos(struct qs_late_session *late, struct qs_donor_choice *choice)
{
    const GPtrArray *demos = late->donors->demos;
    GString *refusals = g_string_new(NULL);
    struct qs_donor_match *best = NULL;
    const char *name = NULL, *refused = NULL;

    for (guint i = 0; demos && i < demos->len && !(best && best->recorded); i++) {
        const struct qs_donor *donor = demos->pdata[i];
        const bool same_game = donor->format == late->format;
        g_autofree char *contradiction = same_game ? NULL : g_strdup("it is of another game");
        struct qs_donor_match *match =
            same_game ? try_sign_on(late, donor->sign_on, QS_DONOR_DEMO, &contradiction) : NULL;

        /* Of a demo with several levels, only the first reason is reported. */
        if (contradiction && g_strcmp0(donor->name, refused) != 0) {
            g_string_append_printf(refusals, "%s%s: %s", refused ? "; " : "", donor->name,
                                   contradiction);
            refused = donor->name;
        }
        if (!match || (best && !match->recorded)) {
            if (match)
                late->format->late_join->match_free(match);
            continue;
        }
        if (best)
            late->format->late_join->match_free(best);
        best = match;
        name = donor->name;
    }
    choice->refusals = g_string_free(refusals, !refusals->len || best);
    if (best)
        choose(late, best, name, choice);
}

/* Chooses the session's own sign-on if complete. Entities in view before it stay unknown. */
static bool try_itself(struct qs_late_session *late, struct qs_donor_choice *choice)
{
    const struct qs_late_join *format = late->format->late_join;
    g_autofree char *contradiction = NULL;
    struct qs_donor_match *match;

    late->own = format->own_sign_on ? format->own_sign_on(late->session) : NULL;
    match = late->own ? try_sign_on(late, late->own, QS_DONOR_ITSELF, &contradiction) : NULL;
    if (match)
        choose(late, match, "itself", choice);
    return match;
}

void qs_late_session_find_donor(struct qs_late_session *late, const struct qs_address *server,
                                struct qs_donor_choice *choice)
{
    unsigned tries = MIN(1 + late->packets / PACKETS_A_TRY, TRIES_MAX);

    *choice = (struct qs_donor_choice){0};
    if (!try_itself(late, choice) &&
        !try_sessions(late, late->donors->sessions, server, &tries, choice) &&
        !try_sessions(late, late->donors->over, server, &tries, choice))
        try_demos(late, choice);
}

void qs_donor_choice_clear(struct qs_donor_choice *choice)
{
    g_free(choice->name);
    g_free(choice->unknown);
    g_free(choice->refusals);
}
