/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/sessions/session.h"

/* The protocol is asked what it knows every so many packets; more often while the map is not known.
 */
enum { ASK_EVERY = 256, ASK_FOR_MAP_EVERY = 32 };

/* Packets of one end. */
enum { LIVE_PACKETS = 16, CONTENT_PACKETS = 4 };

bool session_is_live(const struct session *session)
{
    return (session->heard_server && session->heard_client) || session->packets >= LIVE_PACKETS;
}

bool session_has_content(const struct session *session)
{
    return session_is_live(session) || session->recorded || session->state.level ||
           session->packets >= CONTENT_PACKETS;
}

const struct qs_demo_format *session_demo_format(const struct session *session)
{
    if (session->recorded)
        return session->recorded;
    return session->rebuilt ? session->rebuilt : qs_demo_format_of(session->protocol, false);
}

/* --- What is known of it --------------------------------------------------------------------- */

static char *take_printable(char *text)
{
    char *clean = text ? printable(text) : NULL;

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

static void enter_map(struct session *session, const char *map)
{
    if (session->maps->len < SESSION_MAPS_MAX)
        g_ptr_array_add(session->maps, printable(map));
    if (session->demo)
        demo_set_map(session->demo, map);
    session->map_known = true;
}

/* The map is entered once a level. */
static void describe(struct session *session, const struct qs_session *state)
{
    struct qs_description description = {0};

    session->protocol->describe(state, &description);
    replace(&session->version, description.version);
    replace(&session->player, description.player);
    if (session->demo)
        demo_set_player(session->demo, session->player);
    if (description.map && !session->map_known)
        enter_map(session, description.map);
    g_free(description.map);
}

/* The demo ends, and another one begins with the packet at hand, the first of a level. */
static void split_demo(struct session *session)
{
    const struct qs_demo_rebuilder *rebuilder = session->rebuilt->rebuilder;
    struct qs_demo_writer *out = demo_writer(session->demo);

    rebuilder->finish(session->rebuild);
    rebuilder->free(session->rebuild);
    out->begun = false;
    out->goes_on = true;
    session->rebuild = rebuilder->create(out);
}

static bool is_to_be_split(const struct session *session)
{
    return session->rebuild && session->level && demo_splits(session->demo) &&
           !session->rebuilt->rebuilder->by_level;
}

/* The map of a new level is not known before the protocol names it. */
static void enter_level(struct session *session, uint32_t level)
{
    if (is_to_be_split(session))
        split_demo(session);
    session->level = level;
    session->map_known = false;
    if (session->demo)
        demo_set_map(session->demo, NULL);
}

/* A unit of a stream can hold a whole sign-on. */
static bool is_to_be_asked(const struct session *session, const struct qs_packet *packet,
                           uint64_t packets)
{
    if (session->map_known)
        return packets % ASK_EVERY == 0;
    return packet->unit || packets % ASK_FOR_MAP_EVERY == 0;
}

/* `packets`: of the session, up to this one. */
static void follow_levels(struct session *session, const struct qs_session *state,
                          const struct qs_packet *packet, uint64_t packets)
{
    if (state->level != session->level)
        enter_level(session, state->level);
    if (is_to_be_asked(session, packet, packets))
        describe(session, state);
}

/* --- Its life -------------------------------------------------------------------------------- */

/* A capture that was made of a demo gives that very demo, unless it is to be sanitized. */
static void start_rebuilder(struct session *session, const char *comment)
{
    struct qs_demo_writer *out = demo_writer(session->demo);

    if (!out->sanitize)
        session->restorer = qs_demo_restorer_new(out, comment);
    if (!session->restorer)
        session->rebuild = session->rebuilt->rebuilder->create(out);
}

static void start_rebuild(struct session *session, const struct session_setup *setup,
                          const struct qs_demo_format *format)
{
    struct demo_setup demo = setup->demo;

    if (!session->chosen)
        return;
    session->rebuilt = format;
    demo.extension = format->extension;
    session->demo = demo_new(&demo);
    start_rebuilder(session, setup->comment);
}

static void rebuild_packet(struct session *session, const char *file, const char *comment,
                           const struct qs_decoder *decoder, const struct qs_packet *packet)
{
    demo_set_source(session->demo, file, packet->time);
    if (session->restorer)
        qs_demo_restorer_packet(session->restorer, packet, comment);
    else
        session->rebuilt->rebuilder->packet(session->rebuild, decoder, packet);
}

/* The packet just decoded shows that it needs a sign-on. `first`: and is the first that counts. */
static void hold_if_late(struct session *session, const struct qs_decoder *decoder,
                         const struct qs_packet *packet, bool first)
{
    if (!session->borrows || !session->borrows->is_late(decoder))
        return;
    session->held =
        held_new(session->lending, session->rebuilt, session->number, decoder, first, packet->time);
    session->borrows = NULL;
}

static void start_lender(struct session *session, const struct session_setup *setup,
                         const struct qs_demo_format *format)
{
    if (!format->lending)
        return;
    session->lending = setup->lending;
    session->lender = lender_new(setup->lending, format, session->number);
}

/* Of what was read from a demo there is nothing to rebuild. */
static void start_demo(struct session *session, const struct session_setup *setup,
                       const struct qs_packet *first)
{
    const struct qs_demo_format *format = qs_demo_format_of(session->protocol, first->unit != 0);

    if (!format || !setup->rebuild || session->recorded)
        return;
    start_lender(session, setup, format);
    start_rebuild(session, setup, format);
}

static void free_rebuild(struct session *session)
{
    if (session->restorer)
        qs_demo_restorer_free(session->restorer);
    if (session->held)
        held_free(session->held);
    if (session->rebuild)
        session->rebuilt->rebuilder->free(session->rebuild);
    demo_free(session->demo);
}

struct session *session_new(const struct session_setup *setup, const struct qs_decoder *decoder,
                            const struct qs_packet *first)
{
    struct session *session = g_new0(struct session, 1);

    session->number = setup->number;
    session->protocol = decoder->protocol;
    session->recorded = setup->recorded;
    session->first = (struct location){
        .file = setup->file, .packet = first->number, .block = setup->recorded != NULL};
    session->start = first->time;
    session->maps = g_ptr_array_new_with_free_func(g_free);
    session->chosen = setup->chosen;
    session->client = setup->client;
    session->server = setup->server;
    start_demo(session, setup, first);
    session->borrows = session->rebuild ? session->rebuilt->lending : NULL;
    hold_if_late(session, decoder, first, true);
    return session;
}

void session_free(struct session *session)
{
    if (session->demo)
        free_rebuild(session);
    g_ptr_array_free(session->maps, TRUE);
    g_free(session->version);
    g_free(session->player);
    g_free(session);
}

void session_packet(struct session *session, const char *file, const char *comment,
                    const struct qs_decoder *decoder, const struct qs_packet *packet)
{
    const bool heard_server = session->heard_server; /* before this packet */

    session->packets += packet->number != 0; /* what is before a demo's blocks is none */
    /* What a client asks a server after it has left does not make the session longer. */
    if (!decoder->connectionless)
        session->end = MAX(session->end, packet->time);
    session->problems += qs_decoder_problems(decoder) != 0;
    session->state = *decoder->session;
    session->heard_server |= decoder->accepted && decoder->direction == QS_S2C;
    session->heard_client |= decoder->accepted && decoder->direction == QS_C2S;
    if (session->lender && decoder->direction == QS_S2C)
        lender_packet(session->lender, decoder, packet, &session->server);
    if (session->held) {
        held_packet(session->held, decoder, file, packet);
        return;
    }
    follow_levels(session, decoder->session, packet, session->packets);
    if (!session->demo)
        return;
    if (session->borrows)
        hold_if_late(session, decoder, packet, decoder->direction == QS_S2C && !heard_server);
    if (!session->held)
        rebuild_packet(session, file, comment, decoder, packet);
    else if (!heard_server)
        held_packet(session->held, decoder, file, packet);
}

/* --- With a lent sign-on --------------------------------------------------------------------- */

/* Hears of the packets that were kept. */
struct again {
    struct held_listener listener;
    struct session *session;
    const struct qs_borrower *borrower; /* or NULL */
    uint64_t packets;
};

static void begin_again(struct held_listener *listener, struct qs_session *state)
{
    const struct again *again = (const struct again *)listener;
    const struct session *session = again->session;

    if (again->borrower)
        session->rebuilt->rebuilder->lend(session->rebuild, again->borrower, state);
}

static void take_again(struct held_listener *listener, const char *file,
                       const struct qs_decoder *decoder, const struct qs_packet *packet)
{
    struct again *again = (struct again *)listener;

    follow_levels(again->session, decoder->session, packet, ++again->packets);
    rebuild_packet(again->session, file, NULL, decoder, packet);
}

static void end_again(struct held_listener *listener, const struct qs_session *state)
{
    describe(((struct again *)listener)->session, state);
}

/* Rebuilds what was held, with the help of a lender where there is one. */
static void release(struct session *session)
{
    struct again again = {.listener = {begin_again, take_again, end_again}, .session = session};
    struct loan loan;

    held_find_lender(session->held, &session->server, &loan);
    again.borrower = loan.borrower;
    held_replay(session->held, &loan, &again.listener);
    demo_set_loan(session->demo, &loan);
    if (held_error(session->held))
        qs_demo_problem(demo_writer(session->demo), NULL, "%s", held_error(session->held));
    loan_clear(session->held, &loan);
}

/* --- Its end --------------------------------------------------------------------------------- */

void session_over(struct session *session, const struct qs_session *state)
{
    if (session->held)
        held_end(session->held, state);
    else
        describe(session, state);
    if (session->lender)
        lender_end(session->lending, session->lender);
    session->lender = NULL;
}

bool session_waits(const struct session *session)
{
    return session->held != NULL;
}

void session_set_same(struct session *session, unsigned number)
{
    session->same_as = number;
    if (session->demo)
        demo_drop(session->demo);
}

/* Of what a client sends alone there is no demo. */
static bool is_one_sided(const struct session *session)
{
    if (!session->rebuild || session->heard_server)
        return false;
    qs_demo_problem(demo_writer(session->demo), NULL,
                    "the capture has nothing that the server sent");
    return true;
}

void session_end(struct session *session, bool keep)
{
    keep = keep && !is_one_sided(session);
    if (session->held && keep)
        release(session);
    if (session->rebuild && keep)
        session->rebuilt->rebuilder->finish(session->rebuild);
    if (session->demo)
        demo_end(session->demo, keep);
}
