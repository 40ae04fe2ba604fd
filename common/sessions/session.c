/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/core/numeric_text.h"
#include "common/core/text.h"
#include "common/demo_formats.h"
#include "common/core/findings.h"
#include "common/sessions/sessions_state.h"

struct session {
    struct qs_client_session shared;
    struct qs_sessions_handler *handler;
    uint32_t level, described; /* current level; last level that was described during play */
    uint32_t unproven;         /* level whose map only the user's donor names; 0: none */

    /* For the demo: */
    void *rebuild;                        /* state of the rebuilder, or NULL */
    struct qs_donors *donors;             /* list in which the session may be a donor; or NULL */
    struct qs_donor *donor;               /* the session as a donor; or NULL */
    const struct qs_late_join *late_join; /* for a late join, if possible; or NULL */
    struct qs_late_session *late;         /* the session while it waits for a donor; or NULL */

    /* Events that the handler has received. */
    bool begin_reported, late_reported;
    bool has_events;       /* the late join or the map is to be reported */
    uint32_t map_reported; /* level + 1 of the last map reported */
    guint files_reported;

    bool both_ends;   /* keep no demo unless both ends have sent */
    GHashTable *maps; /* qs_sessions.maps */
    char *status_map; /* map of `status_level`, from a status answer; or NULL */
    uint32_t status_level;
    int64_t level_start; /* time of the packet that began the level; 0: not captured */
};

/* Number of packets between two descriptions of the session; fewer while its map is unknown. */
enum { DESCRIBE_EVERY = 256, FIND_MAP_EVERY = 32 };

bool qs_client_session_is_live(const struct qs_client_session *session)
{
    enum { LIVE_PACKETS = 16 }; /* packets of one end */

    return (session->received_from_server && session->received_from_client) ||
           session->packets >= LIVE_PACKETS;
}

static const struct qs_demo_rebuilder *rebuilder_of(const struct session *session)
{
    return session->shared.format->rebuilder;
}

/* --- Description of the session -------------------------------------------------------------- */

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

    session->has_events = true;
    shared->map = qs_text_printable(map);
    if (shared->maps->len < QS_SESSION_MAPS_MAX)
        g_ptr_array_add(shared->maps, g_strdup(shared->map));
    if (shared->demo)
        qs_session_demo_set_map(shared->demo, map);
}

/* Keeps the map from the server's last status answer since the level began, to any client, if the
 * capture lacks the level's beginning or part of its sign-on. */
static void keep_status_map(struct session *session, const struct qs_session *state)
{
    const struct qs_server_map *server_map;

    if (state->connection || (state->level && !state->lost.packet))
        return;
    server_map = g_hash_table_lookup(session->maps, &session->shared.server);
    if (!server_map || server_map->time < MAX(session->shared.start, session->level_start) ||
        server_map->time > session->shared.end)
        return;
    g_free(session->status_map);
    session->status_map = g_strdup(server_map->map);
    session->status_level = state->level;
}

/* Returns the map of the status answer, to be freed; NULL if unknown. */
static char *status_map(const struct session *session, const struct qs_session *state)
{
    return session->status_map && state->level == session->status_level
               ? g_strdup(session->status_map)
               : NULL;
}

static void describe(struct session *session, const struct qs_session *state)
{
    struct qs_client_session *shared = &session->shared;
    struct qs_description description = {0};

    shared->protocol->describe(state, &description);
    replace(&shared->version, description.version);
    if (description.has_all_players) {
        g_auto(GStrv) names = qs_match_names(shared->match);

        description.player = *names ? g_strjoinv(", ", names) : NULL;
    }
    replace(&shared->player, description.player);
    shared->spectator = description.spectator;
    if (shared->demo)
        shared->demo->player = shared->player;
    if (!description.map)
        description.map = status_map(session, state);
    if (description.map && !shared->map && (!state->level || state->level != session->unproven))
        enter_map(session, description.map);
    g_free(description.map);
}

/* Ends the demo, and begins another one with the current packet, the first of a level. */
static void split_demo(struct session *session)
{
    struct qs_demo_writer *writer = &session->shared.demo->writer;

    rebuilder_of(session)->finish(session->rebuild);
    rebuilder_of(session)->free(session->rebuild);
    writer->begun = false;
    writer->is_continuation = true;
    session->rebuild = rebuilder_of(session)->create(writer);
}

/* Follows changes of level, and describes the session now and then, and after each PDU until the
 * map is known, because one PDU can hold a whole sign-on. `packets`: number of packets so far. */
static void update_level(struct session *session, const struct qs_session *state,
                         const struct qs_packet *packet, uint64_t packets)
{
    const bool playing = state->level_state >= QS_LEVEL_PLAYING;

    if (state->level != session->level) {
        /* The map of a new level is unknown until the protocol names it. */
        if (session->rebuild && session->level && !rebuilder_of(session)->by_level &&
            qs_session_demo_splits(session->shared.demo))
            split_demo(session);
        session->level = state->level;
        g_clear_pointer(&session->shared.map, g_free);
        if (session->shared.demo)
            qs_session_demo_set_map(session->shared.demo, NULL);
    }
    /* Without sequence numbers, the next packet may begin another session. */
    if (!session->shared.protocol->seqinfo ||
        packets % (session->shared.map ? DESCRIBE_EVERY : FIND_MAP_EVERY) == 0 ||
        (!session->shared.map && packet->pdu) || (playing && session->described != state->level))
        describe(session, state);
    if (playing)
        session->described = state->level;
}

/* --- Events ---------------------------------------------------------------------------------- */

static void report(struct session *session, void (*event)(struct qs_sessions_handler *handler,
                                                          const struct qs_client_session *session))
{
    if (session->shared.chosen && event)
        event(session->handler, &session->shared);
}

/* `over`: reports files of sessions that never were live, too. */
static void report_events(struct session *session, bool over)
{
    struct qs_sessions_handler *handler = session->handler;
    struct qs_client_session *shared = &session->shared;
    const GPtrArray *files = shared->demo ? shared->demo->files : NULL;
    const bool live = session->begin_reported || qs_client_session_is_live(shared);

    if (live && !session->begin_reported)
        report(session, handler->session_begin);
    session->begin_reported = live;
    session->has_events = false;
    if (live && session->late && !session->late_reported)
        report(session, handler->session_late);
    session->late_reported |= live && session->late;
    for (; (live || over) && files && session->files_reported < files->len;
         session->files_reported++)
        if (shared->chosen && handler->demo_file)
            handler->demo_file(handler, shared, files->pdata[session->files_reported]);
    if (live && shared->map && session->map_reported != session->level + 1) {
        session->map_reported = session->level + 1;
        report(session, handler->session_map);
    }
}

/* --- The session's demo ---------------------------------------------------------------------- */

static void start_demo(struct session *session, const struct qs_sessions *sessions,
                       const struct qs_decoded_packet *first)
{
    const struct qs_capture_file *file = first->packet->file ? first->packet->file : sessions->file;
    const struct qs_session_demo_setup setup = {
        .store = sessions->handler->write_demos ? sessions->options->store : NULL,
        .demo_options = sessions->options->demo,
        .capture = file ? file->stem : NULL,
        .format = session->shared.format,
        .session = session->shared.number};
    struct qs_session_demo *demo = qs_session_demo_new(&setup);

    session->shared.demo = demo;
    qs_session_demo_set_source(demo, first->location.file, first->packet);
    session->rebuild = rebuilder_of(session)->create(&demo->writer);
    session->late_join = session->shared.format->late_join;
}

/* True if the packet shows that the session needs a sign-on. */
static bool is_late(const struct session *session, const struct qs_decoder *decoder)
{
    return session->late_join && session->late_join->is_late(decoder);
}

/* Keeps packets from now on, for a donor. `before`: see qs_late_session_new(). */
static void join_late(struct session *session, const struct qs_decoded_packet *decoded,
                      const struct qs_session *before)
{
    struct qs_session_demo *demo = session->shared.demo;

    /* Reports the hole now, because the replay detects none in Quake's fragment numbers. */
    if (demo->writer.begun) {
        qs_session_demo_set_source(demo, decoded->location.file, decoded->packet);
        qs_demo_count_losses(&demo->writer, decoded->decoder, decoded->packet);
    }
    session->late = qs_late_session_new(session->donors, session->shared.format, decoded->decoder,
                                        before, session->shared.start);
    session->late_join = NULL;
    session->has_events = true;
}

static void rebuild_packet(struct session *session, const char *file,
                           const struct qs_decoder *decoder, const struct qs_packet *packet)
{
    qs_session_demo_set_source(session->shared.demo, file, packet);
    rebuilder_of(session)->packet(session->rebuild, decoder, packet);
}

static bool has_events(const struct session *session)
{
    const struct qs_session_demo *demo = session->shared.demo;

    return session->has_events || !session->begin_reported ||
           (demo && session->files_reported < demo->files->len);
}

static void free_demo(struct session *session)
{
    if (session->late)
        qs_late_session_free(session->late);
    if (session->rebuild)
        rebuilder_of(session)->free(session->rebuild);
    qs_session_demo_free(session->shared.demo);
}

/* --- Replay of a late session with a sign-on ------------------------------------------------- */

struct replay {
    struct qs_late_session_listener listener;
    struct session *session;
    uint64_t packets;
    bool reads_match; /* with the sign-on; a level that was played before the hole stays */
};

/* The donor's sign-on begins a level. If its map is that of the current level, both are one. */
static void continue_level(struct session *session, const struct qs_session *state)
{
    g_autofree char *map = qs_map_of(session->shared.protocol, state);

    if (!session->level || !session->shared.map || g_strcmp0(map, session->shared.map) != 0)
        return;
    session->map_reported += state->level - session->level;
    session->level = state->level;
}

static void begin_replay(struct qs_late_session_listener *listener,
                         const struct qs_donor_match *match, struct qs_session *state)
{
    struct replay *replay = (struct replay *)listener;
    struct session *session = replay->session;
    const bool played = session->level && session->described == session->level;

    /* A demo may begin with the donor's sign-on, before the first packet. */
    session->shared.demo->time = qs_late_session_start(session->late);
    if (!match)
        return;
    replay->reads_match = session->shared.match && !played;
    if (replay->reads_match)
        qs_match_rewind(session->shared.match, qs_late_session_start(session->late));
    continue_level(session, state);
    session->unproven = match->unproven ? state->level : 0;
    rebuilder_of(session)->join_late(session->rebuild, match, state);
}

static bool replay_packet(struct qs_late_session_listener *listener, const char *file,
                          const struct qs_decoder *decoder, const struct qs_packet *packet)
{
    struct replay *replay = (struct replay *)listener;

    if (replay->reads_match)
        qs_match_packet(replay->session->shared.match, decoder, packet);
    update_level(replay->session, decoder->session, packet, ++replay->packets);
    rebuild_packet(replay->session, file, decoder, packet);
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
        qs_demo_problem(&demo->writer, NULL, "no other session has its sign-on: %s",
                        demo->donor.refusals);
    if (qs_late_session_error(session->late))
        qs_demo_problem(&demo->writer, NULL, "%s", qs_late_session_error(session->late));
}

bool qs_ranges_have(const GArray *ranges, uint64_t number)
{
    for (guint i = 0; i < ranges->len; i++) {
        const struct qs_range *range = &g_array_index(ranges, struct qs_range, i);

        if (number >= range->first && number <= range->last)
            return true;
    }
    return false;
}

/* --- Life of a session ----------------------------------------------------------------------- */

struct qs_client_session *
qs_client_session_new(const struct qs_sessions *sessions, const struct qs_address *client,
                      const struct qs_address *server, const struct qs_demo_format *recorded,
                      unsigned number, const struct qs_decoded_packet *first)
{
    const struct qs_sessions_options *options = sessions->options;
    struct session *session = g_new0(struct session, 1);
    struct qs_client_session *shared = &session->shared;

    session->handler = sessions->handler;
    session->both_ends = options->both_ends;
    session->maps = sessions->maps;
    *shared = (struct qs_client_session){
        .number = number,
        .protocol = first->decoder->protocol,
        .client = *client,
        .server = *server,
        .first = first->location,
        .start = first->packet->time,
        .maps = g_ptr_array_new_with_free_func(g_free),
        .match = session->handler->want_figures || recorded || first->packet->pdu ? qs_match_new()
                                                                                  : NULL,
        .quality = session->handler->want_figures ? qs_path_new() : NULL,
        .chosen = !options->chosen->len || qs_ranges_have(options->chosen, number),
        .recorded = recorded,
    };
    shared->format = shared->recorded ? shared->recorded
                                      : qs_demo_format_of(shared->protocol, first->packet->pdu != 0,
                                                          options->demo.extension);
    /* No demo is rebuilt from a demo. */
    if (!shared->format || !session->handler->want_rebuild || shared->recorded)
        return shared;
    if (shared->format->late_join)
        session->donors = sessions->donors;
    if (shared->chosen)
        start_demo(session, sessions, first);
    if (is_late(session, first->decoder))
        join_late(session, first, NULL);
    return shared;
}

void qs_client_session_free(struct qs_client_session *shared)
{
    if (shared->demo)
        free_demo((struct session *)shared);
    g_ptr_array_free(shared->maps, TRUE);
    qs_match_free(shared->match);
    qs_path_free(shared->quality);
    g_free(((struct session *)shared)->status_map);
    g_free(shared->map);
    g_free(shared->version);
    g_free(shared->player);
    g_free(shared);
}

/* Adds the packet to the demo. `late`: it shows that the session is late. */
static void update_demo(struct session *session, const struct qs_decoded_packet *decoded, bool late,
                        bool received_from_server)
{
    const struct qs_decoder *decoder = decoded->decoder;

    if (late)
        join_late(session, decoded,
                  received_from_server || decoder->found.direction == QS_C2S
                      ? &session->shared.state
                      : NULL);
    if (session->late)
        qs_late_session_packet(session->late, decoder, decoded->location.file, decoded->packet);
    else
        rebuild_packet(session, decoded->location.file, decoder, decoded->packet);
}

/* Keeps the state of the session: the next packet may begin another one. */
static void keep_known(struct session *session, const struct qs_session *state)
{
    const bool same = state->connection == session->shared.state.connection;

    keep_status_map(session, state);
    if (session->late)
        qs_late_session_end(session->late, state, same);
    else if (same)
        describe(session, state);
}

static void follow_holes(struct qs_session_holes *holes, const struct qs_hole *before,
                         const struct qs_hole *hole)
{
    if (hole->number && hole->number <= QS_SESSION_HOLES_MAX)
        holes->first[hole->number - 1] = *hole;
    holes->count = hole->number;
    for (unsigned direction = QS_C2S; direction <= QS_S2C; direction++)
        holes->packets[direction - QS_C2S] += qs_hole_growth(hole, before, direction);
}

void qs_client_session_packet(struct qs_client_session *shared,
                              const struct qs_decoded_packet *decoded)
{
    struct session *session = (struct session *)shared;
    const struct qs_decoder *decoder = decoded->decoder;
    const struct qs_packet *packet = decoded->packet;
    const bool received_from_server = shared->received_from_server; /* state before this packet */
    const bool late = is_late(session, decoder);

    shared->packets += packet->number != 0; /* the line before a demo's blocks is no packet */
    /* Connectionless packets do not extend the session: clients send some after they have left. */
    if (!decoder->found.connectionless)
        shared->end = MAX(shared->end, packet->time);
    if (qs_packet_is_cut(packet) && !packet->pdu) { /* the last PDU of a stream may be incomplete */
        shared->cut++;
        shared->cut_to = MAX(shared->cut_to, packet->size);
    }
    shared->problems += qs_decoder_problems(decoder) != 0;
    if (shared->quality)
        qs_path_add_event(shared->quality, decoder, 0, &shared->path);
    shared->received_from_server |= decoder->found.accepted && decoder->found.direction == QS_S2C;
    shared->received_from_client |= decoder->found.accepted && decoder->found.direction == QS_C2S;
    if (session->donors)
        session->donor = qs_donors_packet(session->donors, session->donor, shared->format,
                                          shared->number, decoder, &shared->server);
    if (shared->match)
        qs_match_packet(shared->match, decoder, packet);
    if (decoder->session->level != shared->state.level)
        session->level_start = packet->time;
    if (shared->packets % FIND_MAP_EVERY == 0)
        keep_status_map(session, decoder->session);
    if (!session->late)
        update_level(session, decoder->session, packet, shared->packets);
    if (shared->demo)
        update_demo(session, decoded, late, received_from_server);
    if (decoder->found.connectionless ||
        (decoder->session->disconnected && !shared->state.disconnected))
        keep_known(session, decoder->session);
    follow_holes(&shared->holes, &shared->state.hole, &decoder->session->hole);
    shared->state = *decoder->session;
    if (has_events(session))
        report_events(session, false);
}

void qs_client_session_copy(struct qs_client_session *session, enum qs_direction direction,
                            uint32_t number, int64_t time, int file_order)
{
    if (session->quality)
        qs_path_add_copy(session->quality, direction, number, time, file_order);
}

bool qs_sessions_want(const struct qs_sessions_options *options,
                      const struct qs_client_session *session)
{
    return session ? session->chosen : options->chosen->len == 0;
}

char *qs_small_sessions_text(const struct qs_small_sessions *others)
{
    return g_strdup_printf("and %" G_GUINT64_FORMAT " more session%s, of %" G_GUINT64_FORMAT
                           " packet%s in all: short, and captured in one direction only",
                           others->sessions, qs_plural(others->sessions), others->packets,
                           qs_plural(others->packets));
}

/* --- End of a session ------------------------------------------------------------------------ */

void qs_client_session_over(struct qs_client_session *shared, const struct qs_session *state)
{
    struct session *session = (struct session *)shared;

    keep_known(session, state);
    if (session->donors)
        qs_donors_end(session->donors, session->donor);
    session->donor = NULL;
}

bool qs_client_session_waits(const struct qs_client_session *session)
{
    return ((const struct session *)session)->late != NULL;
}

void qs_client_session_end(struct qs_client_session *shared, bool keep)
{
    struct session *session = (struct session *)shared;

    keep = keep &&
           (!session->both_ends || (shared->received_from_server && shared->received_from_client));
    if (keep && session->rebuild && !shared->received_from_server) {
        qs_demo_problem(&shared->demo->writer, NULL,
                        "the capture has nothing that the server sent");
        keep = false;
    }
    if (shared->cut && shared->demo && !shared->recorded)
        qs_session_demo_cut(shared->demo, shared->cut, shared->packets, shared->cut_to);
    if (session->late && keep)
        rebuild_late(session);
    if (session->rebuild && keep)
        rebuilder_of(session)->finish(session->rebuild);
    if (keep && shared->demo && shared->demo->writer.begun && shared->why == QS_SESSION_REPLACED)
        qs_demo_problem(&shared->demo->writer, NULL,
                        "the demo may lack its last moments: the client connected again, and the "
                        "capture has no disconnect before that");
    if (shared->demo)
        qs_session_demo_end(shared->demo, keep);
    report_events(session, true);
}
