/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * truncate_packets MEGABYTES both|in-turn CAPTURE...
 *
 * Decodes each packet of captures whole, and cut at every length, in a copy of the session as it
 * was before that packet. Cut ones twice each: as a datagram that was sent that short, and as one
 * that the capture cut. Each decode is held to the promises of tests/support/invariants.h, with
 * bytes of exactly the cut's size, so that a sanitizer sees any read beyond.
 *
 * If MEGABYTES is not 0, only so many packets of each capture, evenly spread, are cut as make up
 * that many megabytes to decode. "in-turn" cuts every second length one way, the others the other
 * way: sanitizers see the same reads, and other builds compare both.
 */
#include <stdio.h>
#include <stdlib.h>

#include "common/sessions/heuristic.h"
#include "pcap2demo/capture/pipeline.h"
#include "pcap2demo/capture/source.h"
#include "tests/support/invariants.h"

/* A packet, and the session before it. */
struct visit {
    const struct qs_protocol *protocol;
    struct qs_session *session;
    const struct qs_packet *packet;
};

struct truncation {
    struct qs_sessions_handler handler;
    GHashTable *before; /* struct visit without a packet, by the conversation's number */
    void (*visit)(struct truncation *truncation, const struct visit *visit);
    struct invariants invariants;
    uint64_t packets, work; /* of the capture: packets, and bytes that cutting them all decodes */
    uint64_t every;         /* one in so many packets is cut */
    bool in_turn;
    uint64_t seen, chosen, cuts;
};

static void measure(struct truncation *truncation, const struct visit *visit)
{
    truncation->packets++;
    /* Decoding cuts of each length from 0, both ways. */
    truncation->work += (uint64_t)visit->packet->size * visit->packet->size;
}

static void decode_cut(struct truncation *truncation, const struct visit *visit, uint32_t size,
                       uint32_t wire_size)
{
    const struct qs_protocol *protocol = visit->protocol;
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
        fprintf(stderr, "packet %" G_GUINT64_FORMAT " cut at %u: %u notes say that it is cut\n",
                packet.number, size, decoder.found.notes[QS_NOTE_CUT]);
        abort();
    }
    qs_decoder_clear(&decoder);
    protocol->session_clear(session);
    g_free(session);
    truncation->cuts++;
}

static void cut(struct truncation *truncation, const struct visit *visit)
{
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

/* --- Reading captures */

static void free_visit(gpointer data)
{
    struct visit *visit = data;

    visit->protocol->session_clear(visit->session);
    g_free(visit->session);
    g_free(visit);
}

/* Adds an uninitialized session: the one before the next packet of the conversation. */
static struct visit *add_visit(struct truncation *truncation,
                               const struct qs_decoded_packet *decoded)
{
    const struct qs_protocol *protocol = decoded->decoder->protocol;
    struct visit *visit = g_new(struct visit, 1);

    *visit = (struct visit){protocol, g_malloc(protocol->session_size), NULL};
    g_hash_table_insert(truncation->before, g_memdup2(&decoded->conversation, sizeof(uint64_t)),
                        visit);
    return visit;
}

static void on_packet(struct qs_sessions_handler *handler, const struct qs_decoded_packet *decoded)
{
    struct truncation *truncation = (struct truncation *)handler;
    const struct qs_protocol *protocol = decoded->decoder->protocol;
    struct visit *before = g_hash_table_lookup(truncation->before, &decoded->conversation);

    if (!before) {
        before = add_visit(truncation, decoded);
        protocol->session_init(before->session);
    }
    before->packet = decoded->packet;
    truncation->visit(truncation, before);
    protocol->session_copy(add_visit(truncation, decoded)->session, decoded->decoder->session);
}

static bool visit_packets(struct truncation *truncation, const char *file,
                          void (*visit)(struct truncation *truncation, const struct visit *visit))
{
    g_autofree char *error = NULL;
    FILE *stream = source_open_plain(file, &error);
    struct input *input = stream ? input_open_capture(stream, file, NULL, &error) : NULL;
    struct qs_sessions_options options = {.selection = qs_protocol_selection_new(),
                                          .chosen = g_array_new(FALSE, FALSE, sizeof(unsigned)),
                                          .sessions_max = QS_SESSIONS_MAX};
    struct qs_sessions *sessions = qs_sessions_new(&options, &truncation->handler);
    struct pipeline pipeline;
    struct input_frame frame;

    truncation->visit = visit;
    truncation->before = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, free_visit);
    qs_sessions_set_source(sessions, file, "");
    pipeline_init(&pipeline, 0);
    pipeline_start(&pipeline, sessions);
    while (input && input_next(input, &frame) == INPUT_FRAME)
        pipeline_add_frame(&pipeline, &frame);
    pipeline_end(&pipeline);
    pipeline_clear(&pipeline);
    qs_sessions_free(sessions, true);
    g_hash_table_destroy(truncation->before);
    g_array_free(options.chosen, TRUE);
    qs_protocol_selection_free(options.selection);
    if (input)
        input_close(input);
    else
        fprintf(stderr, "%s: %s\n", file, error);
    return input;
}

/* `megabytes` 0: all. */
static bool truncate_capture(const char *file, uint64_t megabytes, bool in_turn)
{
    struct truncation truncation = {
        .handler = {.packet = on_packet, .as_captured = true}, .every = 1, .in_turn = in_turn};

    if (!visit_packets(&truncation, file, measure))
        return false;
    if (megabytes)
        truncation.every += truncation.work / (megabytes * 1000000);
    invariants_init(&truncation.invariants);
    visit_packets(&truncation, file, cut);
    invariants_clear(&truncation.invariants);
    printf("%s: %" G_GUINT64_FORMAT " cuts of %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT
           " packets\n",
           file, truncation.cuts, truncation.chosen, truncation.packets);
    fflush(stdout);
    return true;
}

int main(int argc, char **argv)
{
    bool good = true;

    if (argc < 4) {
        printf("skipped: there are no captures\n");
        return 77;
    }
    for (int i = 3; good && i < argc; i++)
        good =
            truncate_capture(argv[i], strtoull(argv[1], NULL, 10), g_str_equal(argv[2], "in-turn"));
    return good ? 0 : 1;
}
