/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/sessions/session.h"

#include "common/core/text.h"
#include "common/demo/parts.h"
#include "common/demo_formats.h"
#include "common/protocols.h"
#include "common/core/findings.h"

struct session {
    struct qs_client_session shared;
    struct qs_sessions_handler *handler;
    uint32_t level;

    /* Of a session with a demo. */
    void *rebuild;                        /* state of its format's rebuilder, or NULL */
    struct qs_demo_restorer *restorer;    /* instead of it; or NULL */
    struct qs_donors *donors;             /* NULL: nothing is rebuilt */
    struct qs_donor *donor;               /* what it could lend; or NULL */
    const struct qs_late_join *late_join; /* how it could be lent a sign-on; NULL: it cannot */
    struct qs_late_session *late;         /* its demo waits for a donor; or NULL */

    /* What the handler has received. */
    bool begin_reported, late_reported;
    uint32_t map_reported; /* level + 1, whose map it has received */
    guint files_reported;
};

/* The protocol is asked what it knows every so many packets; more often while the map is not known.
 */
enum { DESCRIBE_EVERY = 256, FIND_MAP_EVERY = 32 };

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

static const struct qs_demo_rebuilder *rebuilder_of(const struct session *session)
{
    return session->shared.format->rebuilder;
}

/* --- What is known of it --------------------------------------------------------------------- */

static void replace(char **text, char *by)
{
    if (!by)
        return;
    g_free(*text);
    *text = qs_text_printable(by);
    g_free(by);
}

static void enter_map(struct session *session, const char *map)
{
    struct qs_client_session *shared = &session->shared;

    shared->map = qs_text_printable(map);
    if (shared->maps->len < QS_SESSION_MAPS_MAX)
        g_ptr_array_add(shared->maps, g_strdup(shared->map));
    if (shared->demo)
        qs_session_demo_set_map(shared->demo, map);
}

static void describe(struct session *session, const struct qs_session *state)
{
    struct qs_client_session *shared = &session->shared;
    struct qs_description description = {0};

    shared->protocol->describe(state, &description);
    replace(&shared->version, description.version);
    replace(&shared->player, description.player);
    shared->spectator = description.spectator;
    if (shared->demo)
        qs_session_demo_set_player(shared->demo, shared->player);
    if (description.map && !shared->map)
        enter_map(session, description.map);
    g_free(description.map);
}

/* The demo ends, and another one begins with the packet at hand, the first of a level. */
static void split_demo(struct session *session)
{
    struct qs_demo_writer *writer = &session->shared.demo->writer;

    rebuilder_of(session)->finish(session->rebuild);
    rebuilder_of(session)->free(session->rebuild);
    writer->begun = false;
    writer->goes_on = true;
    session->rebuild = rebuilder_of(session)->create(writer);
}

/* `packets`: of the session, up to this one. A unit of a stream can hold a whole sign-on. */
static void update_level(struct session *session, const struct qs_session *state,
                         const struct qs_packet *packet, uint64_t packets)
{
    if (state->level != session->level) {
        /* The map of a new level is not known before the protocol names it. */
        if (session->rebuild && session->level && !rebuilder_of(session)->by_level &&
            qs_session_demo_splits(session->shared.demo))
            split_demo(session);
        session->level = state->level;
        g_clear_pointer(&session->shared.map, g_free);
        if (session->shared.demo)
            qs_session_demo_set_map(session->shared.demo, NULL);
    }
    if (session->shared.map ? packets % DESCRIBE_EVERY == 0
                            : packet->unit || packets % FIND_MAP_EVERY == 0)
        describe(session, state);
}

/* --- Events ---------------------------------------------------------------------------------- */

static void report(struct session *session, void (*event)(struct qs_sessions_handler *handler,
                                                          const struct qs_client_session *session))
{
    if (session->shared.chosen && event)
        event(session->handler, &session->shared);
}

static guint file_count(const struct session *session)
{
    return session->shared.demo ? session->shared.demo->files->len : 0;
}

static void report_files(struct session *session)
{
    struct qs_sessions_handler *handler = session->handler;

    for (; session->files_reported < file_count(session); session->files_reported++)
        if (session->shared.chosen && handler->demo_file)
            handler->demo_file(
                handler, &session->shared,
                g_ptr_array_index(session->shared.demo->files, session->files_reported));
}

/* Mostly nothing is new. */
static bool has_events(const struct session *session)
{
    return !session->begin_reported || (session->late && !session->late_reported) ||
           (session->shared.map && session->map_reported != session->level + 1) ||
           session->files_reported != file_count(session);
}

static void report_events(struct session *session)
{
    const struct qs_sessions_handler *handler = session->handler;

    if (!session->begin_reported) {
        if (!qs_client_session_is_live(&session->shared))
            return;
        session->begin_reported = true;
        report(session, handler->session_begin);
    }
    if (session->late && !session->late_reported) {
        session->late_reported = true;
        report(session, handler->session_late);
    }
    report_files(session);
    if (session->shared.map && session->map_reported != session->level + 1) {
        session->map_reported = session->level + 1;
        report(session, handler->session_map);
    }
}

void qs_client_session_report(struct qs_client_session *shared)
{
    struct session *session = (struct session *)shared;

    report_events(session);
    report_files(session);
}

/* --- Its demo -------------------------------------------------------------------------------- */

static void start_demo(struct session *session, const struct qs_client_session_setup *setup,
                       const char *comment)
{
    struct qs_session_demo_setup demo = setup->demo;
    struct qs_demo_writer *writer;

    demo.extension = session->shared.format->extension;
    session->shared.demo = qs_session_demo_new(&demo);
    qs_session_demo_set_peers(session->shared.demo, session->donors, session->donor);
    /* A capture that was made of a demo gives that very demo, unless it is to be sanitized. */
    writer = &session->shared.demo->writer;
    if (!writer->sanitize)
        session->restorer = qs_demo_restorer_new(writer, comment);
    if (session->restorer)
        return;
    session->rebuild = rebuilder_of(session)->create(writer);
    session->late_join = session->shared.format->late_join;
}

/* The packet shows that the session needs a sign-on. `before`: see qs_late_session_new(). */
static void join_if_late(struct session *session, const struct qs_decoded_packet *decoded,
                         const struct qs_session *before)
{
    if (!session->late_join || !session->late_join->is_late(decoded->decoder))
        return;
    session->late =
        qs_late_session_new(session->donors, session->shared.format, session->shared.number,
                            decoded->decoder, before, decoded->packet->time);
    session->late_join = NULL;
}

static void rebuild_packet(struct session *session, const char *file, const char *comment,
                           const struct qs_decoder *decoder, const struct qs_packet *packet)
{
    qs_session_demo_set_source(session->shared.demo, file, packet);
    if (session->restorer)
        qs_demo_restorer_packet(session->restorer, packet, comment);
    else
        rebuilder_of(session)->packet(session->rebuild, decoder, packet);
}

static void free_demo(struct session *session)
{
    if (session->restorer)
        qs_demo_restorer_free(session->restorer);
    if (session->late)
        qs_late_session_free(session->late);
    if (session->rebuild)
        rebuilder_of(session)->free(session->rebuild);
    qs_session_demo_free(session->shared.demo);
}

/* --- A session that joined late: again, with a sign-on --------------------------------------- */

struct replay {
    struct qs_late_session_listener listener;
    struct session *session;
    uint64_t packets;
};

static void begin_replay(struct qs_late_session_listener *listener,
                         const struct qs_donor_match *match, struct qs_session *state)
{
    const struct session *session = ((const struct replay *)listener)->session;

    /* A demo may begin with the donor's sign-on, before the first packet. */
    qs_session_demo_set_time(session->shared.demo, qs_late_session_start(session->late));
    if (match)
        rebuilder_of(session)->join_late(session->rebuild, match, state);
}

static bool replay_packet(struct qs_late_session_listener *listener, const char *file,
                          const struct qs_decoder *decoder, const struct qs_packet *packet)
{
    struct replay *replay = (struct replay *)listener;

    update_level(replay->session, decoder->session, packet, ++replay->packets);
    rebuild_packet(replay->session, file, NULL, decoder, packet);
    return true;
}

static void end_replay(struct qs_late_session_listener *listener, const struct qs_session *state)
{
    describe(((struct replay *)listener)->session, state);
}

static void rebuild_late(struct session *session)
{
    struct replay replay = {.listener = {begin_replay, replay_packet, end_replay},
                            .session = session};
    struct qs_session_demo *demo = session->shared.demo;

    qs_late_session_find_donor(session->late, &session->shared.server, &demo->donor);
    qs_late_session_replay(session->late, &replay.listener);
    if (demo->donor.refusals && !demo->lacks)
        qs_demo_problem(&demo->writer, NULL, "nothing lends a sign-on: %s", demo->donor.refusals);
    if (qs_late_session_error(session->late))
        qs_demo_problem(&demo->writer, NULL, "%s", qs_late_session_error(session->late));
}

/* --- Its way --------------------------------------------------------------------------------- */

struct qs_client_session *qs_client_session_new(const struct qs_client_session_setup *setup,
                                                const struct qs_decoded_packet *first)
{
    struct session *session = g_new0(struct session, 1);
    struct qs_client_session *shared = &session->shared;

    session->handler = setup->handler;
    shared->number = setup->number;
    shared->protocol = first->decoder->protocol;
    shared->client = setup->client;
    shared->server = setup->server;
    shared->first = first->location;
    shared->start = first->packet->time;
    shared->maps = g_ptr_array_new_with_free_func(g_free);
    shared->quality = setup->handler->want_lines ? qs_quality_new() : NULL;
    shared->chosen = setup->chosen;
    shared->recorded = setup->recorded;
    shared->format = setup->recorded ? setup->recorded
                                     : qs_demo_format_of(shared->protocol, first->packet->unit != 0,
                                                         setup->demo.demo_options.extension);
    /* A demo is not rebuilt of a demo. */
    if (!shared->format || !session->handler->want_rebuild || shared->recorded)
        return shared;
    if (shared->format->late_join) {
        session->donors = setup->donors;
        session->donor = qs_donor_new(setup->donors, shared->format, shared->number);
    }
    if (shared->chosen)
        start_demo(session, setup, first->comment);
    join_if_late(session, first, NULL);
    return shared;
}

void qs_client_session_free(struct qs_client_session *shared)
{
    if (shared->demo)
        free_demo((struct session *)shared);
    g_ptr_array_free(shared->maps, TRUE);
    qs_quality_free(shared->quality);
    g_free(shared->map);
    g_free(shared->version);
    g_free(shared->player);
    g_free(shared);
}

static void update_demo(struct session *session, const struct qs_decoded_packet *decoded,
                        bool heard_server)
{
    const struct qs_decoder *decoder = decoded->decoder;

    if (!session->late)
        join_if_late(session, decoded,
                     heard_server || decoder->direction == QS_C2S ? &session->shared.state : NULL);
    if (session->late)
        qs_late_session_packet(session->late, decoder, decoded->location.file, decoded->packet);
    else
        rebuild_packet(session, decoded->location.file, decoded->comment, decoder, decoded->packet);
}

/* The next connection may be about to begin: what follows is of another session. */
static void keep_known(struct session *session, const struct qs_session *state)
{
    const bool same = state->connection == session->shared.state.connection;

    if (session->late)
        qs_late_session_end(session->late, state, same);
    else if (same)
        describe(session, state);
}

void qs_client_session_packet(struct qs_client_session *shared,
                              const struct qs_decoded_packet *decoded)
{
    struct session *session = (struct session *)shared;
    const struct qs_decoder *decoder = decoded->decoder;
    const struct qs_packet *packet = decoded->packet;
    const bool heard_server = shared->heard_server; /* before this packet */

    shared->packets += packet->number != 0; /* what is before a demo's blocks is none */
    /* What a client asks a server after it has left does not make the session longer. */
    if (!decoder->connectionless)
        shared->end = MAX(shared->end, packet->time);
    shared->problems += qs_decoder_problems(decoder) != 0;
    if (shared->quality)
        qs_quality_add(shared->quality, decoder);
    shared->heard_server |= decoder->accepted && decoder->direction == QS_S2C;
    shared->heard_client |= decoder->accepted && decoder->direction == QS_C2S;
    if (session->donor && decoder->direction == QS_S2C)
        qs_donor_packet(session->donor, decoder, packet, &shared->server);
    if (!session->late)
        update_level(session, decoder->session, packet, shared->packets);
    if (shared->demo)
        update_demo(session, decoded, heard_server);
    if (decoder->connectionless)
        keep_known(session, decoder->session);
    shared->state = *decoder->session;
    if (has_events(session))
        report_events(session);
}

void qs_client_session_settle(struct qs_client_session *shared)
{
    const struct session *session = (const struct session *)shared;

    if (session->rebuild && !session->late && rebuilder_of(session)->settle)
        rebuilder_of(session)->settle(session->rebuild);
}

/* --- Its end --------------------------------------------------------------------------------- */

void qs_client_session_over(struct qs_client_session *shared, const struct qs_session *state)
{
    struct session *session = (struct session *)shared;

    keep_known(session, state);
    if (shared->demo)
        qs_session_demo_set_peers(shared->demo, NULL, NULL);
    if (session->donor)
        qs_donor_end(session->donors, session->donor);
    session->donor = NULL;
}

bool qs_client_session_waits(const struct qs_client_session *session)
{
    return ((const struct session *)session)->late != NULL;
}

void qs_client_session_set_same(struct qs_client_session *session, unsigned number)
{
    session->same_as = number;
    if (session->demo)
        qs_session_demo_drop(session->demo);
}

void qs_client_session_end(struct qs_client_session *shared, bool keep)
{
    struct session *session = (struct session *)shared;

    if (keep && session->rebuild && !shared->heard_server) {
        qs_demo_problem(&shared->demo->writer, NULL,
                        "the capture has nothing that the server sent");
        keep = false;
    }
    if (session->late && keep)
        rebuild_late(session);
    if (session->rebuild && keep)
        rebuilder_of(session)->finish(session->rebuild);
    if (shared->demo)
        qs_session_demo_end(shared->demo, keep);
}
