/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/sessions/session.h"

#include "common/core/text.h"

/* The protocol is asked what it knows every so many packets; more often while the map is not known.
 */
enum { ASK_EVERY = 256, ASK_FOR_MAP_EVERY = 32 };

/* Packets of one end. */
enum { LIVE_PACKETS = 16, CONTENT_PACKETS = 4 };

bool qs_client_session_is_live(const struct qs_client_session *session)
{
    return (session->heard_server && session->heard_client) || session->packets >= LIVE_PACKETS;
}

bool qs_client_session_has_content(const struct qs_client_session *session)
{
    return qs_client_session_is_live(session) || session->recorded || session->state.level ||
           session->packets >= CONTENT_PACKETS;
}

const struct qs_demo_format *qs_client_session_demo_format(const struct qs_client_session *session)
{
    if (session->recorded)
        return session->recorded;
    return session->rebuilt ? session->rebuilt : qs_demo_format_of(session->protocol, false);
}

/* --- What is known of it --------------------------------------------------------------------- */

static char *take_printable(char *text)
{
    char *clean = text ? qs_text_printable(text) : NULL;

    g_free(text);
    return clean;
}

static void replace(char **text, char *by)
{
    if (!by)
        return;
    g_free(*text);
    *text = take_printable(by);
}

static void enter_map(struct qs_client_session *session, const char *map)
{
    g_free(session->map);
    session->map = qs_text_printable(map);
    if (session->maps->len < QS_SESSION_MAPS_MAX)
        g_ptr_array_add(session->maps, qs_text_printable(map));
    if (session->demo)
        qs_session_demo_set_map(session->demo, map);
    session->map_known = true;
}

/* The map is entered once a level. */
static void describe(struct qs_client_session *session, const struct qs_session *state)
{
    struct qs_description description = {0};

    session->protocol->describe(state, &description);
    replace(&session->version, description.version);
    replace(&session->player, description.player);
    if (session->demo)
        qs_session_demo_set_player(session->demo, session->player);
    if (description.map && !session->map_known)
        enter_map(session, description.map);
    g_free(description.map);
}

/* The demo ends, and another one begins with the packet at hand, the first of a level. */
static void split_demo(struct qs_client_session *session)
{
    const struct qs_demo_rebuilder *rebuilder = session->rebuilt->rebuilder;
    struct qs_demo_writer *out = qs_session_demo_writer(session->demo);

    rebuilder->finish(session->rebuild);
    rebuilder->free(session->rebuild);
    out->begun = false;
    out->goes_on = true;
    session->rebuild = rebuilder->create(out);
}

static bool is_to_be_split(const struct qs_client_session *session)
{
    return session->rebuild && session->level && !session->rebuilt->rebuilder->by_level &&
           (qs_session_demo_splits(session->demo) || qs_session_demo_is_cut(session->demo));
}

/* The map of a new level is not known before the protocol names it. */
static void enter_level(struct qs_client_session *session, uint32_t level)
{
    if (is_to_be_split(session))
        split_demo(session);
    session->level = level;
    session->map_known = false;
    g_clear_pointer(&session->map, g_free);
    if (session->demo)
        qs_session_demo_set_map(session->demo, NULL);
}

/* A unit of a stream can hold a whole sign-on. */
static bool is_to_be_asked(const struct qs_client_session *session, const struct qs_packet *packet,
                           uint64_t packets)
{
    if (session->map_known)
        return packets % ASK_EVERY == 0;
    return packet->unit || packets % ASK_FOR_MAP_EVERY == 0;
}

/* `packets`: of the session, up to this one. */
static void follow_levels(struct qs_client_session *session, const struct qs_session *state,
                          const struct qs_packet *packet, uint64_t packets)
{
    if (state->level != session->level)
        enter_level(session, state->level);
    if (is_to_be_asked(session, packet, packets))
        describe(session, state);
}

/* --- Its life -------------------------------------------------------------------------------- */

/* A capture that was made of a demo gives that very demo, unless it is to be sanitized. */
static void start_rebuilder(struct qs_client_session *session, const char *comment)
{
    struct qs_demo_writer *out = qs_session_demo_writer(session->demo);

    if (!out->sanitize)
        session->restorer = qs_demo_restorer_new(out, comment);
    if (!session->restorer)
        session->rebuild = session->rebuilt->rebuilder->create(out);
}

static void start_rebuild(struct qs_client_session *session,
                          const struct qs_client_session_setup *setup,
                          const struct qs_demo_format *format)
{
    struct qs_session_demo_setup demo = setup->demo;

    if (!session->chosen)
        return;
    session->rebuilt = format;
    demo.extension = format->extension;
    session->demo = qs_session_demo_new(&demo);
    start_rebuilder(session, setup->comment);
}

static void rebuild_packet(struct qs_client_session *session, const char *file, const char *comment,
                           const struct qs_decoder *decoder, const struct qs_packet *packet)
{
    qs_session_demo_set_source(session->demo, file, packet);
    if (session->restorer)
        qs_demo_restorer_packet(session->restorer, packet, comment);
    else
        session->rebuilt->rebuilder->packet(session->rebuild, decoder, packet);
}

/* The packet just decoded shows that it needs a sign-on. */
static bool is_late(const struct qs_client_session *session, const struct qs_decoder *decoder)
{
    return session->late_join && session->late_join->is_late(decoder);
}

/* `before`: see qs_late_session_new(). */
static void join_late(struct qs_client_session *session, const struct qs_decoder *decoder,
                      const struct qs_packet *packet, const struct qs_session *before)
{
    session->late = qs_late_session_new(session->donors, session->rebuilt, session->number, decoder,
                                        before, packet->time);
    session->late_join = NULL;
}

static void start_lender(struct qs_client_session *session,
                         const struct qs_client_session_setup *setup,
                         const struct qs_demo_format *format)
{
    if (!format->late_join)
        return;
    session->donors = setup->donors;
    session->donor = qs_donor_new(setup->donors, format, session->number);
}

/* Of what was read from a demo there is nothing to rebuild. */
static void start_demo(struct qs_client_session *session,
                       const struct qs_client_session_setup *setup, const struct qs_packet *first)
{
    const struct qs_demo_format *format = qs_demo_format_of(session->protocol, first->unit != 0);

    if (!format || !setup->rebuild || session->recorded)
        return;
    start_lender(session, setup, format);
    start_rebuild(session, setup, format);
    if (session->demo)
        qs_session_demo_set_peers(session->demo, session->donors, session->donor);
}

static void free_rebuild(struct qs_client_session *session)
{
    if (session->restorer)
        qs_demo_restorer_free(session->restorer);
    if (session->late)
        qs_late_session_free(session->late);
    if (session->rebuild)
        session->rebuilt->rebuilder->free(session->rebuild);
    qs_session_demo_free(session->demo);
}

struct qs_client_session *qs_client_session_new(const struct qs_client_session_setup *setup,
                                                const struct qs_decoder *decoder,
                                                const struct qs_packet *first)
{
    struct qs_client_session *session = g_new0(struct qs_client_session, 1);

    session->number = setup->number;
    session->protocol = decoder->protocol;
    session->recorded = setup->recorded;
    session->first = (struct qs_location){
        .file = setup->file, .packet = first->number, .block = setup->recorded != NULL};
    session->start = first->time;
    session->maps = g_ptr_array_new_with_free_func(g_free);
    session->chosen = setup->chosen;
    session->client = setup->client;
    session->server = setup->server;
    start_demo(session, setup, first);
    session->late_join = session->rebuild ? session->rebuilt->late_join : NULL;
    if (is_late(session, decoder))
        join_late(session, decoder, first, NULL);
    return session;
}

void qs_client_session_free(struct qs_client_session *session)
{
    if (session->demo)
        free_rebuild(session);
    g_ptr_array_free(session->maps, TRUE);
    g_free(session->map);
    g_free(session->version);
    g_free(session->player);
    g_free(session);
}

/* session->state is that before the packet. */
static void take(struct qs_client_session *session, const char *file, const char *comment,
                 const struct qs_decoder *decoder, const struct qs_packet *packet)
{
    const bool heard_server = session->heard_server; /* before this packet */

    session->packets += packet->number != 0; /* what is before a demo's blocks is none */
    /* What a client asks a server after it has left does not make the session longer. */
    if (!decoder->connectionless)
        session->end = MAX(session->end, packet->time);
    session->problems += qs_decoder_problems(decoder) != 0;
    session->heard_server |= decoder->accepted && decoder->direction == QS_S2C;
    session->heard_client |= decoder->accepted && decoder->direction == QS_C2S;
    if (session->donor && decoder->direction == QS_S2C)
        qs_donor_packet(session->donor, decoder, packet, &session->server);
    if (session->late) {
        qs_late_session_packet(session->late, decoder, file, packet);
        return;
    }
    follow_levels(session, decoder->session, packet, session->packets);
    if (!session->demo)
        return;
    if (is_late(session, decoder))
        join_late(session, decoder, packet,
                  heard_server || decoder->direction == QS_C2S ? &session->state : NULL);
    if (session->late)
        qs_late_session_packet(session->late, decoder, file, packet);
    else
        rebuild_packet(session, file, comment, decoder, packet);
}

void qs_client_session_packet(struct qs_client_session *session, const char *file,
                              const char *comment, const struct qs_decoder *decoder,
                              const struct qs_packet *packet)
{
    take(session, file, comment, decoder, packet);
    session->state = *decoder->session;
}

void qs_client_session_settle(struct qs_client_session *session)
{
    if (session->rebuild && !session->late && session->rebuilt->rebuilder->settle)
        session->rebuilt->rebuilder->settle(session->rebuild);
}

/* --- With a lent sign-on --------------------------------------------------------------------- */

/* Hears of the packets that were kept. */
struct again {
    struct qs_late_session_listener listener;
    struct qs_client_session *session;
    const struct qs_donor_match *match; /* or NULL */
    uint64_t packets;
};

static void begin_again(struct qs_late_session_listener *listener, struct qs_session *state)
{
    const struct again *again = (const struct again *)listener;
    const struct qs_client_session *session = again->session;

    /* A demo may begin with what is lent, before the first packet. */
    qs_session_demo_set_time(session->demo, qs_late_session_start(session->late));
    if (again->match)
        session->rebuilt->rebuilder->join_late(session->rebuild, again->match, state);
}

static void take_again(struct qs_late_session_listener *listener, const char *file,
                       const struct qs_decoder *decoder, const struct qs_packet *packet)
{
    struct again *again = (struct again *)listener;

    follow_levels(again->session, decoder->session, packet, ++again->packets);
    rebuild_packet(again->session, file, NULL, decoder, packet);
}

static void end_again(struct qs_late_session_listener *listener, const struct qs_session *state)
{
    describe(((struct again *)listener)->session, state);
}

/* Rebuilds what was held, with the help of a donor where there is one. */
static void rebuild_late(struct qs_client_session *session)
{
    struct again again = {.listener = {begin_again, take_again, end_again}, .session = session};
    struct qs_donor_choice choice;

    qs_late_session_find_donor(session->late, &session->server, &choice);
    again.match = choice.match;
    qs_late_session_replay(session->late, &choice, &again.listener);
    qs_session_demo_set_donor(session->demo, &choice);
    if (choice.refusals && !qs_session_demo_lacks(session->demo))
        qs_demo_problem(qs_session_demo_writer(session->demo), NULL, "nothing lends a sign-on: %s",
                        choice.refusals);
    if (qs_late_session_error(session->late))
        qs_demo_problem(qs_session_demo_writer(session->demo), NULL, "%s",
                        qs_late_session_error(session->late));
    qs_donor_choice_clear(session->late, &choice);
}

/* --- Its end --------------------------------------------------------------------------------- */

void qs_client_session_over(struct qs_client_session *session, const struct qs_session *state)
{
    if (session->late)
        qs_late_session_end(session->late, state);
    else
        describe(session, state);
    if (session->demo)
        qs_session_demo_set_peers(session->demo, NULL, NULL);
    if (session->donor)
        qs_donor_end(session->donors, session->donor);
    session->donor = NULL;
}

bool qs_client_session_waits(const struct qs_client_session *session)
{
    return session->late != NULL;
}

void qs_client_session_set_same(struct qs_client_session *session, unsigned number)
{
    session->same_as = number;
    if (session->demo)
        qs_session_demo_drop(session->demo);
}

/* Of what a client sends alone there is no demo. */
static bool is_one_sided(const struct qs_client_session *session)
{
    if (!session->rebuild || session->heard_server)
        return false;
    qs_demo_problem(qs_session_demo_writer(session->demo), NULL,
                    "the capture has nothing that the server sent");
    return true;
}

void qs_client_session_end(struct qs_client_session *session, bool keep)
{
    keep = keep && !is_one_sided(session);
    if (session->late && keep)
        rebuild_late(session);
    if (session->rebuild && keep)
        session->rebuilt->rebuilder->finish(session->rebuild);
    if (session->demo)
        qs_session_demo_end(session->demo, keep);
}
