/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/sessions/order.h"

struct conversation {
    struct qs_endpoints ends; /* the first end has sent */
    GList link;
    bool answered;
    uint32_t size;
    uint8_t *bytes; /* struct qs_packet, each before its datagram, padded */
};

struct qs_unanswered {
    GHashTable *conversations; /* by their ends */
    GQueue by_use;             /* longest idle first */
};

static void free_conversation(gpointer data)
{
    g_free(((struct conversation *)data)->bytes);
    g_free(data);
}

struct qs_unanswered *qs_unanswered_new(void)
{
    struct qs_unanswered *unanswered = g_new0(struct qs_unanswered, 1);

    unanswered->conversations =
        g_hash_table_new_full(qs_endpoints_hash, qs_endpoints_equal, NULL, free_conversation);
    return unanswered;
}

void qs_unanswered_free(struct qs_unanswered *unanswered)
{
    g_hash_table_destroy(unanswered->conversations);
    g_free(unanswered);
}

/* Returns the conversation, or adds it; makes it the latest. May drop the longest idle one. */
static struct conversation *use(struct qs_unanswered *unanswered, const struct qs_packet *packet)
{
    const struct qs_endpoints ends = {{packet->source, packet->destination}};
    struct conversation *found = g_hash_table_lookup(unanswered->conversations, &ends);

    if (found) {
        g_queue_unlink(&unanswered->by_use, &found->link);
    } else {
        found = g_new0(struct conversation, 1);
        found->ends = ends;
        found->link.data = found;
        g_hash_table_insert(unanswered->conversations, &found->ends, found);
    }
    g_queue_push_tail_link(&unanswered->by_use, &found->link);
    if (unanswered->by_use.length > QS_UNANSWERED_MAX) {
        struct conversation *oldest = g_queue_pop_head_link(&unanswered->by_use)->data;

        g_hash_table_remove(unanswered->conversations, &oldest->ends);
    }
    return found;
}

static uint32_t size_of(const struct qs_packet *packet)
{
    return (uint32_t)(sizeof *packet + ((packet->size + 7) & ~UINT32_C(7)));
}

static void keep(struct conversation *conversation, const struct qs_packet *packet)
{
    struct qs_packet *copy;

    if (packet->size > QS_UNANSWERED_BYTES - sizeof *packet)
        return;
    if (conversation->size + size_of(packet) > QS_UNANSWERED_BYTES)
        conversation->size = 0;
    conversation->bytes = g_realloc(conversation->bytes, conversation->size + size_of(packet));
    copy = (struct qs_packet *)(void *)(conversation->bytes + conversation->size);
    *copy = *packet;
    if (packet->size)
        memcpy(copy + 1, packet->data, packet->size);
    conversation->size += size_of(packet);
}

bool qs_unanswered_pass(struct qs_unanswered *unanswered, const struct qs_packet *packet,
                        void (*each)(void *user, struct qs_packet *packet), void *user)
{
    struct conversation *conversation = use(unanswered, packet);

    if (conversation->answered)
        return true;
    if (qs_address_equal(&conversation->ends.ends[0], &packet->source)) {
        keep(conversation, packet);
        return false;
    }
    conversation->answered = true;
    for (uint32_t at = 0; at < conversation->size;) {
        struct qs_packet *kept = (struct qs_packet *)(void *)(conversation->bytes + at);
        struct qs_packet copy = *kept;

        at += size_of(kept);
        copy.data = (const uint8_t *)(kept + 1);
        each(user, &copy);
    }
    g_clear_pointer(&conversation->bytes, g_free);
    return true;
}
