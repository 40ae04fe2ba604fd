/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/recorder/pending_frames.h"

#include <string.h>

#include "common/core/packet.h"
#include "pcap2demo/capture/frame.h"
#include "pcap2demo/capture/link.h"
#include "pcap2demo/capture/pair.h"

enum {
    EACH_MAX = 256 * 1024,      /* bytes of a conversation */
    ALL_MAX = 16 * 1024 * 1024, /* of all */
    CONVERSATIONS_MAX = 4096,
    LOOSE_MAX = 256 /* frames of no datagram yet: fragments, and what is none */
};

struct pending {
    uint64_t number;
    int64_t time;
    uint32_t size, wire_size;
    uint16_t link_type;
    uint8_t data[];
};

struct waiting {
    struct pair pair;
    GQueue frames; /* struct pending, oldest first */
    size_t bytes;
    GList link; /* in `lately` */
};

struct pending_frames {
    struct ip *ip;
    GHashTable *waiting; /* struct pair -> struct waiting, which begins with it */
    GQueue lately;       /* the same; the one that had no frame for longest first */
    GQueue loose;        /* struct pending, oldest first */
    size_t bytes;
};

static size_t cost_of(const struct pending *frame)
{
    return sizeof *frame + frame->size;
}

static struct pending *keep(const struct input_frame *frame)
{
    struct pending *kept = g_malloc(sizeof *kept + frame->bytes.size);

    *kept = (struct pending){.number = frame->number,
                             .time = frame->time,
                             .size = frame->bytes.size,
                             .wire_size = frame->bytes.wire_size,
                             .link_type = link_type_to_file(frame->link_type)};
    memcpy(kept->data, frame->bytes.data, frame->bytes.size);
    return kept;
}

/* --- Conversations --------------------------------------------------------------------------- */

static struct waiting *find(struct pending_frames *pending, const struct qs_address *a,
                            const struct qs_address *b)
{
    const struct pair pair = {{*a, *b}};

    return g_hash_table_lookup(pending->waiting, &pair);
}

static struct waiting *find_or_begin(struct pending_frames *pending, const struct qs_packet *packet)
{
    struct waiting *waiting = find(pending, &packet->source, &packet->destination);

    if (waiting) {
        g_queue_unlink(&pending->lately, &waiting->link);
    } else {
        waiting = g_new0(struct waiting, 1);
        waiting->pair = (struct pair){{packet->source, packet->destination}};
        waiting->link.data = waiting;
        g_hash_table_add(pending->waiting, waiting);
    }
    g_queue_push_tail_link(&pending->lately, &waiting->link);
    return waiting;
}

/* The oldest frame, which is the caller's now. */
static struct pending *pop(struct pending_frames *pending, struct waiting *waiting)
{
    struct pending *frame = g_queue_pop_head(&waiting->frames);

    waiting->bytes -= cost_of(frame);
    pending->bytes -= cost_of(frame);
    return frame;
}

static void forget(struct pending_frames *pending, struct waiting *waiting)
{
    while (waiting->frames.length)
        g_free(pop(pending, waiting));
    g_queue_unlink(&pending->lately, &waiting->link);
    g_hash_table_remove(pending->waiting, &waiting->pair); /* and frees it */
}

static void push(struct pending_frames *pending, struct waiting *waiting, struct pending *frame)
{
    g_queue_push_tail(&waiting->frames, frame);
    waiting->bytes += cost_of(frame);
    pending->bytes += cost_of(frame);
}

static void make_room(struct pending_frames *pending, struct waiting *latest)
{
    while (latest->bytes > EACH_MAX && latest->frames.length > 1)
        g_free(pop(pending, latest));
    while ((pending->bytes > ALL_MAX || pending->lately.length > CONVERSATIONS_MAX) &&
           g_queue_peek_head(&pending->lately) != latest)
        forget(pending, g_queue_peek_head(&pending->lately));
}

/* --- Fragments ------------------------------------------------------------------------------- */

static void keep_loose(struct pending_frames *pending, const struct input_frame *frame)
{
    g_queue_push_tail(&pending->loose, keep(frame));
    if (pending->loose.length > LOOSE_MAX)
        g_free(g_queue_pop_head(&pending->loose));
}

/* The frame of this number, if it is still there, is of the conversation. */
static void take_loose(struct pending_frames *pending, struct waiting *waiting, uint64_t number)
{
    for (GList *link = pending->loose.head; link; link = link->next) {
        struct pending *frame = link->data;

        if (frame->number == number) {
            g_queue_delete_link(&pending->loose, link);
            push(pending, waiting, frame);
            return;
        }
    }
}

/* --- What is called -------------------------------------------------------------------------- */

void pending_frames_add(struct pending_frames *pending, const struct input_frame *frame)
{
    struct qs_packet packet;
    struct waiting *waiting;
    const GArray *fragments;

    if (frame_read(pending->ip, frame, &packet) == IP_NOTHING) {
        keep_loose(pending, frame);
        return;
    }
    waiting = find_or_begin(pending, &packet);
    fragments = ip_fragments(pending->ip);
    for (guint i = 0; i < fragments->len; i++)
        take_loose(pending, waiting, g_array_index(fragments, uint64_t, i));
    push(pending, waiting, keep(frame));
    make_room(pending, waiting);
}

static void take_all(struct pending_frames *pending, struct waiting *waiting, uint64_t number,
                     pending_frames_taker *take, void *user)
{
    const struct pending *first;

    while ((first = g_queue_peek_head(&waiting->frames)) && first->number <= number) {
        struct pending *frame = pop(pending, waiting);

        if (take)
            take(user, &(struct pcap_out_frame){.link_type = frame->link_type,
                                                .time = frame->time,
                                                .bytes = {frame->data, frame->size},
                                                .wire_size = frame->wire_size});
        g_free(frame);
    }
}

void pending_frames_take(struct pending_frames *pending, const struct qs_address *a,
                         const struct qs_address *b, uint64_t number, pending_frames_taker *take,
                         void *user)
{
    struct waiting *waiting = find(pending, a, b);

    if (waiting)
        take_all(pending, waiting, number, take, user);
}

/* Whether it is between the client and another port of the server. */
static bool is_aside(const struct waiting *waiting, const struct qs_address *client,
                     const struct qs_address *server)
{
    const struct qs_address *ends = waiting->pair.ends;
    const bool turned = qs_address_equal(&ends[1], client);
    struct qs_address other = ends[!turned];

    if (!qs_address_equal(&ends[turned], client) || other.port == server->port)
        return false;
    other.port = server->port;
    return qs_address_equal(&other, server);
}

void pending_frames_take_asides(struct pending_frames *pending, const struct qs_address *client,
                                const struct qs_address *server, uint64_t number,
                                pending_frames_taker *take, void *user)
{
    for (GList *link = pending->lately.head; link; link = link->next)
        if (is_aside(link->data, client, server))
            take_all(pending, link->data, number, take, user);
}

struct pending_frames *pending_frames_new(void)
{
    struct pending_frames *pending = g_new0(struct pending_frames, 1);

    pending->ip = ip_new();
    pending->waiting = g_hash_table_new_full(pair_hash, pair_equal, g_free, NULL);
    g_queue_init(&pending->lately);
    g_queue_init(&pending->loose);
    return pending;
}

void pending_frames_free(struct pending_frames *pending)
{
    while (pending->lately.length)
        forget(pending, g_queue_peek_head(&pending->lately));
    g_queue_clear_full(&pending->loose, g_free);
    g_hash_table_destroy(pending->waiting);
    ip_free(pending->ip);
    g_free(pending);
}
