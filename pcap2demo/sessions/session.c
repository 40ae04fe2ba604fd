/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/sessions/session.h"

#include <string.h>

#include "pcap2demo/capture/flow.h"
#include "pcap2demo/sessions/stream.h"

/* What the protocol knows is asked for every so many packets; more often while the map is not
 * known.
 */
enum { ASK_EVERY = 256, ASK_FOR_MAP_EVERY = 32 };

struct conversation {
    struct flow flow;
    int protocol;
    struct qs_session *state;
    struct stream *stream; /* NULL: datagrams, or a demo. Streams are no part of the table */
    /* The format of the demo that it is, which is no part of the table; NULL: it is none. */
    const struct qs_demo_format *recorded;
    bool announced;          /* by a packet of another conversation */
    struct session *session; /* going on now, or NULL */
};

struct sessions {
    const struct options *options;
    struct action *action;
    struct flow_table *flows;
    struct conversation *demo; /* that is being read, or NULL */
    struct qs_decoder decoders[PROTOCOLS_MAX];
    const char *file; /* of the packet at hand; interned */
    const char *stem; /* interned */
    unsigned count;   /* sessions so far */
    bool keep;        /* unfinished demos at the end */
};

bool session_is_wanted(const struct session *session, const struct options *options)
{
    return session ? session->chosen : options->sessions->len == 0;
}

struct session_loss session_loss(const struct session *session)
{
    const struct qs_netchan *to_server = &session->state.to_server;
    const struct qs_netchan *to_client = &session->state.to_client;

    return (struct session_loss){.gaps = (uint64_t)to_server->gaps + to_client->gaps,
                                 .missing = (uint64_t)to_server->missing + to_client->missing,
                                 .not_captured =
                                     (uint64_t)to_server->not_captured + to_client->not_captured};
}

/* --- One session ----------------------------------------------------------------------------- */

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

/* Asks the protocol what it knows by now. The map is asked for once a level. */
static void learn(struct session *session, const struct qs_session *state)
{
    struct qs_description description = {0};

    session->protocol->describe(state, &description);
    replace(&session->version, description.version);
    replace(&session->player, description.player);
    if (description.map && !session->map_known)
        enter_map(session, description.map);
    g_free(description.map);
}

/* A level has begun: its map is not known before the protocol says so. */
static void enter_level(struct session *session, uint32_t level)
{
    session->level = level;
    session->map_known = false;
    if (session->demo)
        demo_set_map(session->demo, NULL);
}

static void keep_learning(struct session *session, const struct qs_session *state)
{
    if (state->level != session->level)
        enter_level(session, state->level);
    if (session->packets % ASK_FOR_MAP_EVERY == 0 &&
        (!session->map_known || session->packets % ASK_EVERY == 0))
        learn(session, state);
}

/* The server's end: as the protocol knows it, or else by the port. */
static enum qs_end server_end(const struct sessions *sessions,
                              const struct conversation *conversation)
{
    const struct qs_address *a = &conversation->flow.ends[QS_END_A];

    if (conversation->state->server != QS_END_UNKNOWN)
        return conversation->state->server;
    return protocol_selection_is_server(sessions->options->selection, conversation->protocol,
                                        a->port)
               ? QS_END_A
               : QS_END_B;
}

static void name_ends(const struct sessions *sessions, struct session *session,
                      const struct conversation *conversation)
{
    const enum qs_end server = server_end(sessions, conversation);

    session->server = conversation->flow.ends[server];
    session->client = conversation->flow.ends[server == QS_END_A ? QS_END_B : QS_END_A];
}

const struct qs_demo_format *session_demo_format(const struct session *session)
{
    if (session->recorded)
        return session->recorded;
    if (session->rebuilder && session->rebuilder->format)
        return session->rebuilder->format;
    return session->protocol->demo;
}

static void start_rebuild(struct sessions *sessions, struct session *session,
                          const struct qs_decoder *decoder, const struct qs_packet *first)
{
    const struct rebuilder *rebuilder = rebuilder_choose(decoder, first);
    struct demo_setup setup = {.naming =
                                   sessions->action->writes ? sessions->options->naming : NULL,
                               .demo_options = sessions->options->demo_options,
                               .capture = sessions->stem,
                               .session = session->number};

    if (!rebuilder || !sessions->action->wants_rebuild || !session->chosen || session->recorded)
        return;
    session->rebuilder = rebuilder;
    setup.extension = session_demo_format(session)->extension;
    session->demo = demo_new(&setup);
    session->rebuild = rebuilder->create(session->demo);
}

static struct session *session_new(struct sessions *sessions,
                                   const struct conversation *conversation,
                                   const struct qs_packet *packet)
{
    struct session *session = g_new0(struct session, 1);

    session->number = ++sessions->count;
    session->protocol = qs_protocols[conversation->protocol];
    session->recorded = conversation->recorded;
    session->first = (struct location){
        .file = sessions->file, .packet = packet->number, .block = conversation->recorded};
    session->start = packet->time;
    session->maps = g_ptr_array_new_with_free_func(g_free);
    session->chosen = options_chose(sessions->options, session->number);
    start_rebuild(sessions, session, &sessions->decoders[conversation->protocol], packet);
    return session;
}

static void session_free(struct session *session)
{
    if (session->rebuilder)
        session->rebuilder->free(session->rebuild);
    if (session->demo)
        demo_free(session->demo);
    g_ptr_array_free(session->maps, TRUE);
    g_free(session->version);
    g_free(session->player);
    g_free(session);
}

static void session_packet(struct sessions *sessions, struct session *session,
                           const struct conversation *conversation, const struct qs_packet *packet)
{
    const struct qs_decoder *decoder = &sessions->decoders[conversation->protocol];

    session->packets += packet->number != 0; /* what is before a demo's blocks is none */
    /* What a client asks a server after it has left does not make the session longer. */
    if (!decoder->connectionless)
        session->end = MAX(session->end, packet->time);
    session->problems += qs_decoder_problems(decoder) != 0;
    session->state = *conversation->state;
    keep_learning(session, conversation->state);
    if (!session->rebuilder)
        return;
    demo_set_source(session->demo, sessions->file);
    session->rebuilder->packet(session->rebuild, decoder, packet);
}

/* The conversation's session is over: nothing that the packet at hand says is of it. */
static void end_session(struct sessions *sessions, struct conversation *conversation)
{
    struct session *session = conversation->session;

    if (!session)
        return;
    conversation->session = NULL;
    name_ends(sessions, session, conversation);
    if (session->rebuilder && sessions->keep)
        session->rebuilder->finish(session->rebuild);
    if (session->demo)
        demo_end(session->demo, sessions->keep);
    if (session->chosen && sessions->action->session_over)
        sessions->action->session_over(sessions->action, session);
    session_free(session);
}

/* --- Conversations --------------------------------------------------------------------------- */

static struct qs_session *new_state(int protocol)
{
    struct qs_session *state = g_malloc(qs_protocols[protocol]->session_size);

    qs_protocols[protocol]->session_init(state);
    return state;
}

static void free_state(int protocol, struct qs_session *state)
{
    qs_protocols[protocol]->session_clear(state);
    g_free(state);
}

static void conversation_over(struct flow *flow, void *user)
{
    struct conversation *conversation = (struct conversation *)flow;

    if (conversation->session)
        learn(conversation->session, conversation->state);
    end_session(user, conversation);
    free_state(conversation->protocol, conversation->state);
    if (conversation->stream)
        stream_free(conversation->stream);
    g_free(conversation);
}

static struct conversation *conversation_new(struct sessions *sessions, int protocol,
                                             const struct qs_address *a, const struct qs_address *b,
                                             int64_t now)
{
    struct conversation *conversation = g_new0(struct conversation, 1);

    conversation->protocol = protocol;
    conversation->state = new_state(protocol);
    flow_add(sessions->flows, &conversation->flow, a, b, now);
    return conversation;
}

/* As long as no session has come of it, the conversation may turn out to be of another protocol. */
static void reconsider(const struct sessions *sessions, struct conversation *conversation,
                       const struct qs_packet *packet)
{
    const int protocol =
        protocol_selection_again(sessions->options->selection, packet, conversation->protocol);

    if (protocol == conversation->protocol)
        return;
    free_state(conversation->protocol, conversation->state);
    conversation->protocol = protocol;
    conversation->state = new_state(protocol);
}

static struct conversation *find_conversation(struct sessions *sessions, struct qs_packet *packet)
{
    struct conversation *conversation = (struct conversation *)flow_find(sessions->flows, packet);
    int protocol;

    if (conversation) {
        if (!conversation->session && !conversation->announced)
            reconsider(sessions, conversation, packet);
        return conversation;
    }
    protocol = protocol_selection_find(sessions->options->selection, packet);
    if (protocol < 0)
        return NULL;
    packet->from = QS_END_A;
    return conversation_new(sessions, protocol, &packet->source, &packet->destination,
                            packet->time);
}

/* The server goes on from another port: that conversation is claimed before its first packet. */
static void follow_announcement(struct sessions *sessions, int protocol, int64_t now)
{
    const struct qs_announcement *announced = &sessions->decoders[protocol].announced;
    struct conversation *next;

    if (!announced->valid)
        return;
    next = (struct conversation *)flow_between(sessions->flows, &announced->client,
                                               &announced->server);
    if (next && next->session && !next->state->disconnected)
        return;
    if (next)
        flow_end(sessions->flows, &next->flow);
    next = conversation_new(sessions, protocol, &announced->client, &announced->server, now);
    next->state->server = QS_END_B;
    next->announced = true;
}

/* Finds out whether the packet just decoded ended a session, or began one. */
static void follow_sessions(struct sessions *sessions, struct conversation *conversation,
                            const struct qs_packet *packet)
{
    const struct qs_decoder *decoder = &sessions->decoders[conversation->protocol];
    const struct session *session = conversation->session;

    if (session && session->state.connection != conversation->state->connection)
        end_session(sessions, conversation);
    if (!conversation->session && decoder->accepted)
        conversation->session = session_new(sessions, conversation, packet);
}

static void tell_action(struct sessions *sessions, const struct conversation *conversation,
                        const struct qs_packet *packet)
{
    const struct location location = {
        .file = sessions->file, .packet = packet->number, .block = conversation->recorded};

    if (sessions->action->packet)
        sessions->action->packet(
            sessions->action, &(struct seen){.location = location,
                                             .packet = packet,
                                             .decoder = &sessions->decoders[conversation->protocol],
                                             .session = conversation->session});
}

static void find_server_ports(const struct sessions *sessions,
                              const struct conversation *conversation, struct qs_packet *packet)
{
    const struct protocol_selection *selection = sessions->options->selection;

    packet->source_is_server_port =
        protocol_selection_is_server(selection, conversation->protocol, packet->source.port);
    packet->destination_is_server_port =
        protocol_selection_is_server(selection, conversation->protocol, packet->destination.port);
}

/* What follows from a packet or unit that was just decoded. */
static void follow(struct sessions *sessions, struct conversation *conversation,
                   const struct qs_packet *packet)
{
    follow_sessions(sessions, conversation, packet);
    if (conversation->session)
        session_packet(sessions, conversation->session, conversation, packet);
    tell_action(sessions, conversation, packet);
}

void sessions_packet(struct sessions *sessions, struct qs_packet *packet)
{
    struct conversation *conversation = find_conversation(sessions, packet);

    if (!conversation)
        return;
    find_server_ports(sessions, conversation, packet);
    qs_decode(&sessions->decoders[conversation->protocol], conversation->state,
              sessions->action->sink, packet);
    follow(sessions, conversation, packet);
    follow_announcement(sessions, conversation->protocol, packet->time);
}

/* --- Streams --------------------------------------------------------------------------------- */

static struct conversation *connection_new(int protocol, const struct qs_packet *first)
{
    struct conversation *conversation = g_new0(struct conversation, 1);

    conversation->protocol = protocol;
    conversation->state = new_state(protocol);
    conversation->stream = stream_new(qs_protocols[protocol]);
    conversation->flow.ends[first->from] = first->source;
    conversation->flow.ends[first->from == QS_END_A ? QS_END_B : QS_END_A] = first->destination;
    return conversation;
}

static struct conversation *find_connection(const struct sessions *sessions, void **reader,
                                            const struct qs_packet *bytes)
{
    int protocol;

    if (*reader)
        return *reader;
    protocol = protocol_selection_find_stream(sessions->options->selection, bytes);
    if (protocol >= 0)
        *reader = connection_new(protocol, bytes);
    return *reader;
}

static void take_unit(struct sessions *sessions, struct conversation *conversation,
                      struct qs_packet *unit)
{
    find_server_ports(sessions, conversation, unit);
    qs_decode_unit(&sessions->decoders[conversation->protocol], conversation->state,
                   sessions->action->sink, unit);
    follow(sessions, conversation, unit);
}

bool sessions_stream(struct sessions *sessions, void **reader, const struct qs_packet *bytes)
{
    struct conversation *conversation = find_connection(sessions, reader, bytes);
    struct qs_packet unit;

    if (!conversation)
        return false;
    stream_add(conversation->stream, bytes);
    while (stream_next(conversation->stream, conversation->state, &unit))
        take_unit(sessions, conversation, &unit);
    return true;
}

void sessions_stream_over(struct sessions *sessions, void *reader, uint64_t number)
{
    struct conversation *conversation = reader;
    struct qs_packet unit;

    for (int end = QS_END_A; end <= QS_END_B; end++) {
        if (!stream_rest(conversation->stream, conversation->state, (enum qs_end)end, &unit))
            continue;
        unit.number = number;
        take_unit(sessions, conversation, &unit);
    }
    conversation_over(&conversation->flow, sessions);
}

/* --- Demos ----------------------------------------------------------------------------------- */

void sessions_begin_demo(struct sessions *sessions, int protocol,
                         const struct qs_demo_format *format)
{
    sessions->demo = g_new0(struct conversation, 1);
    sessions->demo->protocol = protocol;
    sessions->demo->state = new_state(protocol);
    sessions->demo->recorded = format;
}

const struct qs_decoder *sessions_decode_block(struct sessions *sessions,
                                               const struct qs_packet *block, uint32_t offset)
{
    struct qs_decoder *decoder = &sessions->decoders[sessions->demo->protocol];

    qs_decode_demo_block(decoder, sessions->demo->recorded, sessions->demo->state,
                         sessions->action->sink, block, offset);
    return decoder;
}

void sessions_take_block(struct sessions *sessions, const struct qs_packet *block)
{
    struct conversation *demo = sessions->demo;

    if (!demo->session)
        demo->session = session_new(sessions, demo, block);
    session_packet(sessions, demo->session, demo, block);
    tell_action(sessions, demo, block);
}

void sessions_end_demo(struct sessions *sessions)
{
    conversation_over(&sessions->demo->flow, sessions);
    sessions->demo = NULL;
}

/* --- All of them ----------------------------------------------------------------------------- */

struct sessions *sessions_new(const struct options *options, struct action *action)
{
    struct sessions *sessions = g_new0(struct sessions, 1);

    sessions->options = options;
    sessions->action = action;
    sessions->keep = true;
    sessions->flows = flow_table_new(conversation_over, sessions);
    for (int i = 0; qs_protocols[i]; i++) {
        qs_decoder_init(&sessions->decoders[i], qs_protocols[i]);
        sessions->decoders[i].options = options->protocol_options[i];
        sessions->decoders[i].want_summary = action->want_summary;
        sessions->decoders[i].want_transfers = action->want_transfers;
    }
    return sessions;
}

void sessions_set_source(struct sessions *sessions, const char *file, const char *stem)
{
    sessions->file = g_intern_string(file);
    sessions->stem = g_intern_string(stem);
}

void sessions_free(struct sessions *sessions, bool keep)
{
    sessions->keep = keep;
    flow_table_free(sessions->flows);
    for (int i = 0; qs_protocols[i]; i++)
        qs_decoder_clear(&sessions->decoders[i]);
    g_free(sessions);
}
