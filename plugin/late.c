/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plugin/late.h"

#include "common/sessions/protocol_selection.h"
#include "common/sessions/unclaimed.h"
#include "plugin/dissectors.h"

static uint32_t *options[QS_PROTOCOLS_MAX];
static struct qs_unclaimed *unclaimed; /* NULL: nobody has asked in this capture */

/* A packet that completed the evidence. */
struct completion {
    int protocol;
    struct qs_evidence evidence;
};
static GHashTable *completions; /* offset of the frame in its file -> struct completion */

/* The packet that was asked about last, by its offset, and what came of it. (Numbers are given
 * twice where a filter leaves frames out of two passes.) */
static int64_t last = -1;
static int found = QS_PROTOCOL_NONE;

static void take_options(struct dissector *dissector)
{
    options[qs_protocol_number(dissector->protocol->name)] = dissector->options;
}

void late_begin(void)
{
    g_clear_pointer(&unclaimed, qs_unclaimed_free);
    g_clear_pointer(&completions, g_hash_table_destroy);
    last = -1;
}

static void start(void)
{
    dissectors_each(take_options);
    unclaimed = qs_unclaimed_new(options);
    completions = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free);
}

static void forget(void *user, struct qs_packet *packet)
{
    (void)user, (void)packet;
}

/* What was kept of the conversation is not needed any more. */
static void complete(const struct qs_packet *packet)
{
    struct completion *completion = g_new(struct completion, 1);

    *completion = (struct completion){found, qs_unclaimed_evidence(unclaimed)};
    g_hash_table_insert(completions, g_memdup2(&last, sizeof last), completion);
    qs_unclaimed_claim(unclaimed, &packet->source, &packet->destination, forget, NULL);
}

static void ask(const struct qs_packet *packet, int by_port)
{
    struct qs_address server;

    if (!unclaimed)
        start();
    found = qs_unclaimed_add(unclaimed, packet, by_port, &server);
    if (found != QS_PROTOCOL_NONE)
        complete(packet);
}

static const struct completion *completed_by(const packet_info *pinfo)
{
    return completions ? g_hash_table_lookup(completions, &pinfo->fd->file_off) : NULL;
}

bool late_is_recognised(const struct dissector *dissector, const packet_info *pinfo,
                        const struct qs_packet *packet)
{
    const bool by_port = packet->source_is_server_port || packet->destination_is_server_port;
    const int protocol = qs_protocol_number(dissector->protocol->name);
    const struct completion *completion;

    if (pinfo->flags.in_error_pkt)
        return false;
    if (!PINFO_FD_VISITED(pinfo) && pinfo->fd->file_off != last) {
        last = pinfo->fd->file_off;
        ask(packet, by_port ? protocol : QS_PROTOCOL_NONE);
    }
    completion = completed_by(pinfo);
    return completion && completion->protocol == protocol;
}

static void show_evidence(struct dissector *dissector, packet_info *pinfo, proto_item *top,
                          const struct qs_evidence *evidence)
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
