/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/recorder/session_captures.h"

#include <string.h>

#include "pcap2demo/capture/pcap_out.h"
#include "pcap2demo/recorder/recordings.h"

enum {
    EACH_MAX = 256 * 1024,      /* bytes of a conversation */
    ALL_MAX = 16 * 1024 * 1024, /* of all */
    CONVERSATIONS_MAX = 4096
};

struct conversation {
    struct qs_endpoints ends;
    GByteArray *packets; /* as in a capture */
    GList link;          /* in `lru` */
};

struct session_captures {
    struct pcap_out *out;
    GByteArray *written;       /* by `out` */
    GByteArray *start;         /* of each capture */
    GHashTable *conversations; /* struct qs_endpoints, with which each begins -> the same */
    GQueue lru;                /* struct conversation, least recently used first */
    size_t bytes;              /* of their packets */
    struct qs_demo_store *store;
    const char *folder;   /* NULL: only late sessions have captures */
    GHashTable *sessions; /* number -> their captures, files of the store */
};

static void write_bytes(void *user, const void *data, size_t size)
{
    g_byte_array_append(((struct session_captures *)user)->written, data, (guint)size);
}

/* --- Packets that are kept ------------------------------------------------------------------- */

static void free_conversation(gpointer data)
{
    struct conversation *conversation = data;

    g_byte_array_free(conversation->packets, TRUE);
    g_free(conversation);
}

static void drop_packets(struct session_captures *captures, struct conversation *conversation)
{
    captures->bytes -= conversation->packets->len;
    g_byte_array_set_size(conversation->packets, 0);
}

static struct conversation *find_or_add(struct session_captures *captures,
                                        const struct qs_packet *packet)
{
    const struct qs_endpoints ends = {{packet->source, packet->destination}};
    struct conversation *conversation = g_hash_table_lookup(captures->conversations, &ends);

    if (conversation) {
        g_queue_unlink(&captures->lru, &conversation->link);
    } else {
        conversation = g_new0(struct conversation, 1);
        conversation->ends = ends;
        conversation->packets = g_byte_array_new();
        conversation->link.data = conversation;
        g_hash_table_add(captures->conversations, conversation);
    }
    g_queue_push_tail_link(&captures->lru, &conversation->link);
    return conversation;
}

/* Without any session to capture, a late one will lack the packets before it was found late. */
void session_captures_keep(void *user, const struct qs_packet *packet, bool is_segment)
{
    struct session_captures *captures = user;
    const struct frame_content content = {.source = &packet->source,
                                          .destination = &packet->destination,
                                          .is_segment = is_segment,
                                          .payload = {packet->data, packet->size},
                                          .wire_size = packet->wire_size};
    struct conversation *conversation;

    if (!captures->folder && !g_hash_table_size(captures->sessions))
        return;
    conversation = find_or_add(captures, packet);
    if (conversation->packets->len > EACH_MAX)
        drop_packets(captures, conversation);
    captures->bytes -= conversation->packets->len;
    captures->written = conversation->packets;
    pcap_out_packet(captures->out, packet->time, &content, NULL);
    captures->bytes += conversation->packets->len;
    while ((captures->bytes > ALL_MAX || captures->lru.length > CONVERSATIONS_MAX) &&
           captures->lru.length > 1) {
        conversation = g_queue_pop_head_link(&captures->lru)->data;
        drop_packets(captures, conversation);
        g_hash_table_remove(captures->conversations, &conversation->ends); /* and frees it */
    }
}

static struct conversation *find_between(const struct session_captures *captures,
                                         const struct qs_address *a, const struct qs_address *b)
{
    return g_hash_table_lookup(captures->conversations, &(const struct qs_endpoints){{*a, *b}});
}

/* Either may be NULL; without a capture the packets are dropped. */
static void write_packets(struct session_captures *captures, struct conversation *conversation,
                          void *capture)
{
    if (!conversation)
        return;
    if (capture && !captures->store->is_cut(capture))
        captures->store->write(capture, conversation->packets->data, conversation->packets->len);
    drop_packets(captures, conversation);
}

/* Whether it is between the client and another port of the server: servers of Quake answer a
 * connection request on one port and continue on another. */
static bool is_other_port(const struct conversation *conversation, const struct qs_address *client,
                          const struct qs_address *server)
{
    const struct qs_address *ends = conversation->ends.ends;
    const bool turned = qs_address_equal(&ends[1], client);
    struct qs_address other = *server;

    other.port = ends[!turned].port;
    return other.port != server->port && qs_address_equal(&ends[turned], client) &&
           qs_address_equal(&ends[!turned], &other);
}

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

static void *open_capture(struct session_captures *captures,
                          const struct qs_client_session *session)
{
    const bool late = qs_client_session_waits(session);
    struct qs_demo_name_request request = request_for(session);
    void *capture;

    if (!captures->folder && !late)
        return NULL;
    if (late)
        request.extension = LATE_CAPTURE_EXTENSION;
    capture = captures->store->begin(captures->store, &request);
    captures->store->write(capture, captures->start->data, captures->start->len);
    for (GList *link = captures->lru.head; link; link = link->next)
        if (is_other_port(link->data, &session->client, &session->server))
            write_packets(captures, link->data, capture);
    g_hash_table_insert(captures->sessions, GUINT_TO_POINTER(session->number), capture);
    return capture;
}

/* --- Interface ------------------------------------------------------------------------------- */

void session_captures_packet(struct session_captures *captures,
                             const struct qs_decoded_packet *decoded)
{
    const struct qs_client_session *session = decoded->session;
    const struct qs_packet *packet = decoded->packet;
    void *capture;

    if (!session || !qs_client_session_is_live(session))
        return;
    capture = g_hash_table_lookup(captures->sessions, GUINT_TO_POINTER(session->number));
    if (!capture)
        capture = open_capture(captures, session);
    write_packets(captures, find_between(captures, &packet->source, &packet->destination), capture);
}

void session_captures_over(struct session_captures *captures,
                           const struct qs_client_session *session, bool keep)
{
    const struct qs_demo_name_request request = request_for(session);
    struct qs_session_demo_file file = {0};
    void *capture = g_hash_table_lookup(captures->sessions, GUINT_TO_POINTER(session->number));

    /* Adds the conversation's later packets, unless they belong to the next session. */
    if (session->why != QS_SESSION_REPLACED)
        write_packets(captures, find_between(captures, &session->client, &session->server),
                      capture);
    if (!capture)
        return;
    if (keep && !session->same_as && captures->folder)
        captures->store->commit(captures->store, capture, &request, &file);
    g_free(file.name);
    g_free(file.error);
    g_hash_table_remove(captures->sessions, GUINT_TO_POINTER(session->number));
}

struct session_captures *session_captures_new(struct qs_demo_store *store, const char *folder)
{
    struct session_captures *captures = g_new0(struct session_captures, 1);

    captures->conversations =
        g_hash_table_new_full(qs_endpoints_hash, qs_endpoints_equal, NULL, free_conversation);
    g_queue_init(&captures->lru);
    captures->store = store;
    captures->folder = folder;
    captures->sessions = g_hash_table_new_full(NULL, NULL, NULL, store->end);
    captures->start = captures->written = g_byte_array_new();
    captures->out = pcap_out_new_to(write_bytes, captures);
    pcap_out_begin(captures->out, "All that was seen of one session.", false);
    return captures;
}

void session_captures_free(struct session_captures *captures)
{
    g_hash_table_destroy(captures->sessions);
    g_hash_table_destroy(captures->conversations);
    pcap_out_free(captures->out);
    g_byte_array_free(captures->start, TRUE);
    g_free(captures);
}
