/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/recorder/session_captures.h"

#include "pcap2demo/recorder/log.h"
#include "pcap2demo/recorder/frame_cache.h"
#include "pcap2demo/recorder/recovery.h"

struct capture {
    struct qs_demo_store *store;
    void *file; /* the store's */
    struct pcap_out *out;
};

struct session_captures {
    struct frame_cache *cache;
    struct qs_demo_store *store;
    const char *folder;   /* NULL: only late sessions have captures */
    GHashTable *sessions; /* number -> struct capture */
};

/* --- One session ----------------------------------------------------------------------------- */

static struct qs_demo_name_request request_for(const struct qs_client_session *session)
{
    return (struct qs_demo_name_request){
        .capture = session->first.file,
        .session = session->number,
        .start = session->start,
        .player = session->player,
        .map = session->maps->len ? g_ptr_array_index(session->maps, 0) : NULL,
        .extension = CAPTURE_EXTENSION,
    };
}

static void free_capture(gpointer data)
{
    struct capture *capture = data;

    pcap_out_free(capture->out);
    capture->store->end(capture->file);
    g_free(capture);
}

static void add_frame(void *user, const struct pcap_out_frame *frame)
{
    const struct capture *capture = user;

    if (!capture->store->is_cut(capture->file))
        pcap_out_frame(capture->out, frame);
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
                           const struct qs_client_session *session, const struct capture *capture)
{
    const struct qs_demo_name_request request = request_for(session);
    char *name, *error = capture->store->commit(capture->store, capture->file, &request, &name);

    if (error)
        log_warning("session_capture", NULL, "session %u: its packets: %s", session->number, error);
    else
        log_capture(captures, session, capture, name);
    g_free(name);
    g_free(error);
}

/* --- Sessions -------------------------------------------------------------------------------- */

static struct capture *find_capture(const struct session_captures *captures,
                                    const struct qs_client_session *session)
{
    return g_hash_table_lookup(captures->sessions, GUINT_TO_POINTER(session->number));
}

static struct capture *open_capture(struct session_captures *captures,
                                    const struct qs_client_session *session)
{
    const bool late = qs_client_session_waits(session);
    struct qs_demo_name_request request = request_for(session);
    struct capture *capture;

    if (!captures->folder && !late)
        return NULL;
    if (late)
        request.extension = LATE_CAPTURE_EXTENSION;
    capture = g_new0(struct capture, 1);
    capture->store = captures->store;
    capture->file = captures->store->begin(captures->store, &request);
    capture->out = pcap_out_new_to(captures->store->write, capture->file);
    pcap_out_begin(capture->out, "All that was seen of one session.", false);
    g_hash_table_insert(captures->sessions, GUINT_TO_POINTER(session->number), capture);
    return capture;
}

/* --- Interface ------------------------------------------------------------------------------- */

/* Without any session to capture, a late one will lack the packets before it was found late. */
static bool is_active(const struct session_captures *captures)
{
    return captures->folder || g_hash_table_size(captures->sessions);
}

void session_captures_frame(struct session_captures *captures, const struct input_frame *frame)
{
    if (is_active(captures))
        frame_cache_add(captures->cache, frame);
}

void session_captures_assign(void *captures, const struct qs_packet *packet,
                             const GArray *fragments)
{
    if (is_active(captures))
        frame_cache_assign(((struct session_captures *)captures)->cache, packet, fragments);
}

void session_captures_packet(struct session_captures *captures,
                             const struct qs_decoded_packet *decoded)
{
    const struct qs_client_session *session = decoded->session;
    const struct qs_packet *packet = decoded->packet;
    struct capture *capture;

    if (!session || !qs_client_session_is_live(session))
        return;
    capture = find_capture(captures, session);
    if (!capture && (capture = open_capture(captures, session)))
        frame_cache_pop_other_ports(captures->cache, &session->client, &session->server,
                                    packet->number, add_frame, capture);
    frame_cache_pop(captures->cache, &packet->source, &packet->destination, packet->number,
                    capture ? add_frame : NULL, capture);
}

void session_captures_over(struct session_captures *captures,
                           const struct qs_client_session *session, bool keep)
{
    struct capture *capture = find_capture(captures, session);

    if (!capture)
        return;
    /* Adds the conversation's later packets, unless they belong to the next session. */
    if (session->why != QS_SESSION_REPLACED)
        frame_cache_pop(captures->cache, &session->client, &session->server, UINT64_MAX, add_frame,
                        capture);
    if (keep && !session->same_as && captures->folder)
        commit_capture(captures, session, capture);
    g_hash_table_remove(captures->sessions, GUINT_TO_POINTER(session->number));
}

struct session_captures *session_captures_new(struct qs_demo_store *store, const char *folder)
{
    struct session_captures *captures = g_new0(struct session_captures, 1);

    captures->cache = frame_cache_new();
    captures->store = store;
    captures->folder = folder;
    captures->sessions = g_hash_table_new_full(NULL, NULL, NULL, free_capture);
    return captures;
}

void session_captures_free(struct session_captures *captures)
{
    g_hash_table_destroy(captures->sessions);
    frame_cache_free(captures->cache);
    g_free(captures);
}
