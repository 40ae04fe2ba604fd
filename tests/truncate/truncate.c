/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Decodes each packet of captures whole, and cut at every length, in a copy of the session as it
 * was before that packet. Cut ones twice each: as a datagram that was sent that short, and as one
 * that the capture cut. Each decode is held to the promises of tests/support/invariants.h, with
 * bytes of exactly the cut's size, so that a sanitizer sees any read beyond.
 *
 * With --work=MB only so many packets are cut as make up that many megabytes to decode, for each
 * capture; they are spread evenly over it. With --in-turn every second length is cut one way, the
 * others the other way: sanitizers see the same reads, and other builds compare both.
 */
#include <stdio.h>
#include <stdlib.h>

#include "tests/support/conversations.h"
#include "tests/support/invariants.h"
#include "common/protocols.h"

struct truncation {
    struct invariants invariants;
    uint64_t packets, work; /* of the capture: packets, and bytes that cutting them all decodes */
    uint64_t every;         /* one in so many packets is cut */
    bool in_turn;
    uint64_t seen, chosen, cuts;
};

static void measure(const struct visit *visit, void *user)
{
    struct truncation *truncation = user;

    truncation->packets++;
    /* Decoding cuts of each length from 0, both ways. */
    truncation->work += (uint64_t)visit->packet->size * visit->packet->size;
}

static void decode_cut(struct truncation *truncation, const struct visit *visit, uint32_t size,
                       uint32_t wire_size)
{
    const struct qs_protocol *protocol = qs_protocols[visit->protocol];
    struct qs_session *session = g_malloc(protocol->session_size);
    struct qs_packet packet = *visit->packet;
    g_autofree uint8_t *bytes = g_memdup2(packet.data, size);
    struct qs_decoder decoder;

    packet.data = bytes;
    packet.size = size;
    packet.wire_size = wire_size;
    protocol->session_copy(session, visit->session);
    qs_decoder_init(&decoder, protocol);
    decoder.want_summary = true;
    truncation->invariants.compare_silent = size == visit->packet->size;
    invariants_decode(&truncation->invariants, &decoder, session, &packet);
    if (!decoder.found.notes[QS_NOTE_CUT] != (size == wire_size)) {
        fprintf(stderr, "packet %" G_GUINT64_FORMAT " cut at %u: said %u times that it is cut\n",
                packet.number, size, decoder.found.notes[QS_NOTE_CUT]);
        abort();
    }
    qs_decoder_clear(&decoder);
    protocol->session_clear(session);
    g_free(session);
    truncation->cuts++;
}

static void cut(const struct visit *visit, void *user)
{
    struct truncation *truncation = user;

    if (truncation->seen++ % truncation->every)
        return;
    truncation->chosen++;
    for (uint32_t size = 0; size < visit->packet->size; size++) {
        if (!truncation->in_turn || size % 2)
            decode_cut(truncation, visit, size, size);
        if (!truncation->in_turn || size % 2 == 0)
            decode_cut(truncation, visit, size, visit->packet->wire_size);
    }
    decode_cut(truncation, visit, visit->packet->size, visit->packet->wire_size);
}

/* `megabytes` 0: all. */
static bool truncate_capture(const char *file, uint64_t megabytes, bool in_turn)
{
    struct truncation truncation = {.every = 1, .in_turn = in_turn};

    if (!conversations_visit(file, measure, &truncation))
        return false;
    if (megabytes)
        truncation.every += truncation.work / (megabytes * 1000000);
    invariants_init(&truncation.invariants);
    conversations_visit(file, cut, &truncation);
    invariants_clear(&truncation.invariants);
    printf("%s: %" G_GUINT64_FORMAT " cuts of %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT
           " packets\n",
           file, truncation.cuts, truncation.chosen, truncation.packets);
    fflush(stdout);
    return true;
}

int main(int argc, char **argv)
{
    gint megabytes = 0;
    gboolean in_turn = FALSE;
    const GOptionEntry entries[] = {
        {"work", 0, 0, G_OPTION_ARG_INT, &megabytes, "Decode about so many megabytes", "MB"},
        {"in-turn", 0, 0, G_OPTION_ARG_NONE, &in_turn, "Cut each length one way", NULL},
        G_OPTION_ENTRY_NULL};
    GOptionContext *context = g_option_context_new("CAPTURE...");
    GError *error = NULL;
    bool good;

    g_option_context_add_main_entries(context, entries, NULL);
    good = g_option_context_parse(context, &argc, &argv, &error) && argc > 1 && megabytes >= 0;
    if (!good)
        fprintf(stderr, "%s\n", error ? error->message : "usage: truncate_packets CAPTURE...");
    for (int i = 1; good && i < argc; i++)
        good = truncate_capture(argv[i], (uint64_t)megabytes, in_turn);
    g_clear_error(&error);
    g_option_context_free(context);
    return good ? 0 : 1;
}
