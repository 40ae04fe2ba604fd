/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plugin/late.h"

#include "common/sessions/protocol_selection.h"
#include "common/sessions/heuristic.h"
#include "plugin/dissectors.h"
#include "common/protocols.h"

static uint32_t *options[QS_PROTOCOLS_MAX];
static struct qs_heuristic *unclaimed; /* NULL: nobody has asked in this capture */

/*
 * A frame in the first pass. The number alone does not tell it from one that a filter leaves out of
 * two passes, nor does the offset later: see packet_states.c.
 */
struct place {
    uint32_t number;
    int64_t offset; /* in its file */
};

/* A packet that completed the evidence. */
struct completion {
    int protocol;
    struct qs_heuristic_evidence evidence;
    struct place frame;
};
static GHashTable *completions; /* number of the frame -> struct completion */

/* The packet that was asked about last, and what came of it. */
static struct place last;
static int found = QS_PROTOCOL_NONE;

static void take_options(struct dissector *dissector)
{
    options[qs_protocol_number(dissector->protocol->name)] = dissector->options;
}

void late_begin(void)
{
    g_clear_pointer(&unclaimed, qs_heuristic_free);
    g_clear_pointer(&completions, g_hash_table_destroy);
    last = (struct place){0};
}

static void start(void)
{
    dissectors_each(take_options);
    unclaimed = qs_heuristic_new(options);
    completions = g_hash_table_new_full(NULL, NULL, NULL, g_free);
}

static void forget(void *user, struct qs_packet *packet)
{
    (void)user, (void)packet;
}

/* What was kept of the conversation is not needed any more. */
static void complete(const struct qs_packet *packet)
{
    struct completion *completion = g_new(struct completion, 1);

    *completion = (struct completion){found, qs_heuristic_evidence(unclaimed), last};
    g_hash_table_insert(completions, GUINT_TO_POINTER(last.number), completion);
    qs_heuristic_release(unclaimed, &packet->source, &packet->destination, forget, NULL);
}

static void ask(const struct qs_packet *packet, int by_port)
{
    struct qs_address server;

    if (!unclaimed)
        start();
    found = qs_heuristic_add(unclaimed, packet, by_port, &server);
    if (found != QS_PROTOCOL_NONE)
        complete(packet);
}

static bool is_at(const packet_info *pinfo, const struct place *frame)
{
    return pinfo->num == frame->number && pinfo->fd->file_off == frame->offset;
}

/* What a frame that was left out completed is dropped when its number comes again. */
static const struct completion *completed_by(const packet_info *pinfo)
{
    const void *number = GUINT_TO_POINTER(pinfo->num);
    const struct completion *completion =
        completions ? g_hash_table_lookup(completions, number) : NULL;

    if (!completion || PINFO_FD_VISITED(pinfo) || is_at(pinfo, &completion->frame))
        return completion;
    g_hash_table_remove(completions, number);
    return NULL;
}

bool late_is_recognised(const struct dissector *dissector, const packet_info *pinfo,
                        const struct qs_packet *packet)
{
    const bool by_port = packet->source_is_server_port || packet->destination_is_server_port;
    const int protocol = qs_protocol_number(dissector->protocol->name);
    const struct completion *completion;

    if (pinfo->flags.in_error_pkt)
        return false;
    if (!PINFO_FD_VISITED(pinfo) && !is_at(pinfo, &last)) {
        last = (struct place){pinfo->num, pinfo->fd->file_off};
        ask(packet, by_port ? protocol : QS_PROTOCOL_NONE);
    }
    completion = completed_by(pinfo);
    return completion && completion->protocol == protocol;
}

static void show_evidence(struct dissector *dissector, packet_info *pinfo, proto_item *top,
                          const struct qs_heuristic_evidence *evidence)
{
    expert_field *unusual = &dissector->expert_infos[QS_NOTE_UNUSUAL];
    const char *title = dissector->protocol->title;

    if (evidence->moves)
        expert_add_info_format(pinfo, top, unusual,
                               "The conversation is taken for %s from here on: %u packets of it "
                               "number and acknowledge each other in steps, and %u of them are "
                               "moves that can be read",
                               title, evidence->packets, evidence->moves);
    else
        expert_add_info_format(pinfo, top, unusual,
                               "The conversation is taken for %s from here on: servers of it "
                               "listen on its port, and %u packets are numbered in steps",
                               title, evidence->packets);
}

void late_show(struct dissector *dissector, packet_info *pinfo, proto_item *top)
{
    const struct completion *completion = completed_by(pinfo);

    if (completion && !pinfo->flags.in_error_pkt)
        show_evidence(dissector, pinfo, top, &completion->evidence);
}
