/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/recorder/frame_cache.h"

#include <string.h>

#include "common/core/packet.h"
#include "pcap2demo/capture/link.h"

enum {
    EACH_MAX = 256 * 1024,      /* bytes of a conversation */
    ALL_MAX = 16 * 1024 * 1024, /* of all */
    CONVERSATIONS_MAX = 4096,
    UNASSIGNED_MAX =
        4096 /* frames: fragments, packets that wait to be reordered, other IP packets */
};

struct cached_frame {
    uint64_t number;
    int64_t time;
    uint32_t size, wire_size;
    uint16_t link_type;
    uint8_t data[];
};

struct cached_conversation {
    struct qs_endpoints ends;
    GQueue frames; /* struct cached_frame, oldest first */
    size_t bytes;
    GList link; /* in `lru` */
};

struct frame_cache {
    GHashTable *conversations; /* struct qs_endpoints, with which each begins -> the same */
    GQueue lru;                /* struct cached_conversation, least recently used first */
    GQueue unassigned;         /* struct cached_frame, oldest first */
    size_t bytes;
};

static size_t memory_of(const struct cached_frame *frame)
{
    return sizeof *frame + frame->size;
}

static struct cached_frame *copy_frame(const struct input_frame *frame)
{
    struct cached_frame *kept = g_malloc(sizeof *kept + frame->packet.size);

    *kept = (struct cached_frame){.number = frame->packet.number,
                                  .time = frame->packet.time,
                                  .size = frame->packet.size,
                                  .wire_size = frame->packet.wire_size,
                                  .link_type = link_type_to_file(frame->link_type)};
    memcpy(kept->data, frame->packet.data, frame->packet.size);
    return kept;
}

/* --- Conversations --------------------------------------------------------------------------- */

static struct cached_conversation *find(struct frame_cache *cache, const struct qs_address *a,
                                        const struct qs_address *b)
{
    const struct qs_endpoints ends = {{*a, *b}};

    return g_hash_table_lookup(cache->conversations, &ends);
}

static struct cached_conversation *find_or_add(struct frame_cache *cache,
                                               const struct qs_packet *packet)
{
    struct cached_conversation *conversation = find(cache, &packet->source, &packet->destination);

    if (conversation) {
        g_queue_unlink(&cache->lru, &conversation->link);
    } else {
        conversation = g_new0(struct cached_conversation, 1);
        conversation->ends = (struct qs_endpoints){{packet->source, packet->destination}};
        conversation->link.data = conversation;
        g_hash_table_add(cache->conversations, conversation);
    }
    g_queue_push_tail_link(&cache->lru, &conversation->link);
    return conversation;
}

/* The oldest frame, which is the caller's now. */
static struct cached_frame *pop(struct frame_cache *cache, struct cached_conversation *conversation)
{
    struct cached_frame *frame = g_queue_pop_head(&conversation->frames);

    conversation->bytes -= memory_of(frame);
    cache->bytes -= memory_of(frame);
    return frame;
}

static void drop_conversation(struct frame_cache *cache, struct cached_conversation *conversation)
{
    while (conversation->frames.length)
        g_free(pop(cache, conversation));
    g_queue_unlink(&cache->lru, &conversation->link);
    g_hash_table_remove(cache->conversations, &conversation->ends); /* and frees it */
}

static void push(struct frame_cache *cache, struct cached_conversation *conversation,
                 struct cached_frame *frame)
{
    g_queue_push_tail(&conversation->frames, frame);
    conversation->bytes += memory_of(frame);
    cache->bytes += memory_of(frame);
}

static void limit_memory(struct frame_cache *cache, struct cached_conversation *latest)
{
    while (latest->bytes > EACH_MAX && latest->frames.length > 1)
        g_free(pop(cache, latest));
    while ((cache->bytes > ALL_MAX || cache->lru.length > CONVERSATIONS_MAX) &&
           g_queue_peek_head(&cache->lru) != latest)
        drop_conversation(cache, g_queue_peek_head(&cache->lru));
}

/* --- Assigning ------------------------------------------------------------------------------- */

/* Assigns the frame of this number, if still cached, to the conversation. */
static void assign_frame(struct frame_cache *cache, struct cached_conversation *conversation,
                         uint64_t number)
{
    for (GList *link = cache->unassigned.tail; link; link = link->prev) {
        struct cached_frame *frame = link->data;

        if (frame->number == number) {
            g_queue_delete_link(&cache->unassigned, link);
            push(cache, conversation, frame);
            return;
        }
    }
}

/* --- Interface -------------------------------------------------------------------------- */

void frame_cache_add(struct frame_cache *cache, const struct input_frame *frame)
{
    g_queue_push_tail(&cache->unassigned, copy_frame(frame));
    if (cache->unassigned.length > UNASSIGNED_MAX)
        g_free(g_queue_pop_head(&cache->unassigned));
}

void frame_cache_assign(struct frame_cache *cache, const struct qs_packet *packet,
                        const GArray *fragments)
{
    struct cached_conversation *conversation = find_or_add(cache, packet);

    for (guint i = 0; i < fragments->len; i++)
        assign_frame(cache, conversation, g_array_index(fragments, uint64_t, i));
    assign_frame(cache, conversation, packet->number);
    limit_memory(cache, conversation);
}

static void pop_frames(struct frame_cache *cache, struct cached_conversation *conversation,
                       uint64_t number, frame_cache_visitor *visit, void *user)
{
    const struct cached_frame *first;

    while ((first = g_queue_peek_head(&conversation->frames)) && first->number <= number) {
        struct cached_frame *frame = pop(cache, conversation);

        if (visit)
            visit(user, &(struct pcap_out_frame){.link_type = frame->link_type,
                                                 .time = frame->time,
                                                 .bytes = {frame->data, frame->size},
                                                 .wire_size = frame->wire_size});
        g_free(frame);
    }
}

void frame_cache_pop(struct frame_cache *cache, const struct qs_address *a,
                     const struct qs_address *b, uint64_t number, frame_cache_visitor *visit,
                     void *user)
{
    struct cached_conversation *conversation = find(cache, a, b);

    if (conversation)
        pop_frames(cache, conversation, number, visit, user);
}

/* Whether it is between the client and another port of the server. */
static bool is_other_port(const struct cached_conversation *conversation,
                          const struct qs_address *client, const struct qs_address *server)
{
    const struct qs_address *ends = conversation->ends.ends;
    const bool turned = qs_address_equal(&ends[1], client);
    struct qs_address other = ends[!turned];

    if (!qs_address_equal(&ends[turned], client) || other.port == server->port)
        return false;
    other.port = server->port;
    return qs_address_equal(&other, server);
}

void frame_cache_pop_other_ports(struct frame_cache *cache, const struct qs_address *client,
                                 const struct qs_address *server, uint64_t number,
                                 frame_cache_visitor *visit, void *user)
{
    for (GList *link = cache->lru.head; link; link = link->next)
        if (is_other_port(link->data, client, server))
            pop_frames(cache, link->data, number, visit, user);
}

struct frame_cache *frame_cache_new(void)
{
    struct frame_cache *cache = g_new0(struct frame_cache, 1);

    cache->conversations =
        g_hash_table_new_full(qs_endpoints_hash, qs_endpoints_equal, g_free, NULL);
    g_queue_init(&cache->lru);
    g_queue_init(&cache->unassigned);
    return cache;
}

void frame_cache_free(struct frame_cache *cache)
{
    while (cache->lru.length)
        drop_conversation(cache, g_queue_peek_head(&cache->lru));
    g_queue_clear_full(&cache->unassigned, g_free);
    g_hash_table_destroy(cache->conversations);
    g_free(cache);
}
