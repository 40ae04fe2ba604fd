/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/recorder/session_captures.h"

#include "pcap2demo/recorder/log.h"
#include "pcap2demo/recorder/frame_cache.h"
#include "pcap2demo/recorder/recovery.h"

/* Whose captures: see the header. */
enum { ALL_SESSIONS, LATE_SESSIONS, KINDS };

static const char *const extensions[KINDS] = {CAPTURE_EXTENSION, LATE_CAPTURE_EXTENSION};

struct capture {
    struct qs_demo_store *store;
    void *file; /* the store's; NULL: none */
    struct pcap_out *out;
};

struct captured {
    struct capture captures[KINDS];
};

struct session_captures {
    struct frame_cache *cache;
    const char *folder;
    struct qs_demo_store *stores[KINDS]; /* or NULL */
    GHashTable *sessions;                /* number -> struct captured */
};

/* --- One session ----------------------------------------------------------------------------- */

static struct qs_demo_name_request request_for(const struct qs_client_session *session, int kind)
{
    return (struct qs_demo_name_request){
        .capture = session->first.file,
        .session = session->number,
        .start = session->start,
        .player = session->player,
        .map = session->maps->len ? g_ptr_array_index(session->maps, 0) : NULL,
        .extension = extensions[kind],
    };
}

static void open_capture(struct capture *capture, struct qs_demo_store *store,
                         const struct qs_demo_name_request *request)
{
    capture->store = store;
    capture->file = store->begin(store, request);
    capture->out = pcap_out_new_to(store->write, capture->file);
    pcap_out_begin(capture->out, "All that was seen of one session.", false);
}

static void close_capture(struct capture *capture)
{
    if (!capture->file)
        return;
    pcap_out_free(capture->out);
    capture->store->end(capture->file);
}

static void free_captured(gpointer data)
{
    struct captured *captured = data;

    for (int kind = 0; kind < KINDS; kind++)
        close_capture(&captured->captures[kind]);
    g_free(captured);
}

static void add_frame(void *user, const struct pcap_out_frame *frame)
{
    const struct captured *captured = user;

    for (int kind = 0; kind < KINDS; kind++) {
        const struct capture *capture = &captured->captures[kind];

        if (capture->file && !(capture->store->is_cut && capture->store->is_cut(capture->file)))
            pcap_out_frame(capture->out, frame);
    }
}

static void log_capture(const struct session_captures *captures,
                        const struct qs_client_session *session, const struct capture *capture,
                        const char *name)
{
    const uint64_t packets = pcap_out_packets(capture->out);
    char *path = g_build_filename(captures->folder, name, NULL);

    log_event("session_capture",
              json_pack("{s:i, s:s, s:I}", "session", (int)session->number, "file", path, "packets",
                        (json_int_t)packets),
              "%s: packets of session %u: %" G_GUINT64_FORMAT, path, session->number, packets);
    g_free(path);
}

static void commit_capture(const struct session_captures *captures,
                           const struct qs_client_session *session, struct capture *capture)
{
    const struct qs_demo_name_request request = request_for(session, ALL_SESSIONS);
    char *name, *error = capture->store->commit(capture->store, capture->file, &request, &name);

    if (error)
        log_warning("session_capture", NULL, "session %u: its packets: %s", session->number, error);
    else
        log_capture(captures, session, capture, name);
    g_free(name);
    g_free(error);
}

/* --- Sessions -------------------------------------------------------------------------------- */

static bool is_wanted(const struct session_captures *captures,
                      const struct qs_client_session *session, int kind)
{
    return captures->stores[kind] && (kind == ALL_SESSIONS || qs_client_session_waits(session));
}

static struct captured *find_captured(const struct session_captures *captures,
                                      const struct qs_client_session *session)
{
    return g_hash_table_lookup(captures->sessions, GUINT_TO_POINTER(session->number));
}

/* Its captures, with those that are wanted from now on; NULL: none is. */
static struct captured *open_wanted(struct session_captures *captures,
                                    const struct qs_client_session *session, uint64_t number)
{
    struct captured *captured = find_captured(captures, session);
    const bool first = !captured;

    for (int kind = 0; kind < KINDS; kind++) {
        const struct qs_demo_name_request request = request_for(session, kind);

        if (!is_wanted(captures, session, kind) || (captured && captured->captures[kind].file))
            continue;
        if (!captured) {
            captured = g_new0(struct captured, 1);
            g_hash_table_insert(captures->sessions, GUINT_TO_POINTER(session->number), captured);
        }
        open_capture(&captured->captures[kind], captures->stores[kind], &request);
    }
    if (captured && first)
        frame_cache_pop_other_ports(captures->cache, &session->client, &session->server, number,
                                    add_frame, captured);
    return captured;
}

/* --- Interface -------------------------------------------------------------------------- */

void session_captures_frame(struct session_captures *captures, const struct input_frame *frame)
{
    frame_cache_add(captures->cache, frame);
}

void session_captures_packet(struct session_captures *captures,
                             const struct qs_decoded_packet *decoded)
{
    const struct qs_packet *packet = decoded->packet;
    struct captured *captured;

    if (!decoded->session || !qs_client_session_is_live(decoded->session))
        return;
    captured = open_wanted(captures, decoded->session, packet->number);
    frame_cache_pop(captures->cache, &packet->source, &packet->destination, packet->number,
                    captured ? add_frame : NULL, captured);
}

void session_captures_over(struct session_captures *captures,
                           const struct qs_client_session *session, bool keep)
{
    struct captured *captured = find_captured(captures, session);

    if (!captured)
        return;
    /* Adds the conversation's later packets, unless they belong to the next session. */
    if (session->why != QS_SESSION_REPLACED)
        frame_cache_pop(captures->cache, &session->client, &session->server, UINT64_MAX, add_frame,
                        captured);
    if (keep && !session->same_as && captured->captures[ALL_SESSIONS].file)
        commit_capture(captures, session, &captured->captures[ALL_SESSIONS]);
    g_hash_table_remove(captures->sessions, GUINT_TO_POINTER(session->number));
}

struct session_captures *session_captures_new(const struct session_captures_setup *setup)
{
    struct session_captures *captures = g_new0(struct session_captures, 1);

    captures->cache = frame_cache_new();
    captures->folder = setup->folder;
    captures->stores[ALL_SESSIONS] = setup->all;
    captures->stores[LATE_SESSIONS] = setup->late;
    captures->sessions = g_hash_table_new_full(NULL, NULL, NULL, free_captured);
    return captures;
}

void session_captures_free(struct session_captures *captures)
{
    g_hash_table_destroy(captures->sessions);
    frame_cache_free(captures->cache);
    g_free(captures);
}
