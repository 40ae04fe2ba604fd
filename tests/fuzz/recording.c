/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A demo as input, from the file's bytes to the fields of its blocks, and to a capture. The first
 * byte picks the name that the file has, which counts where its content leaves a doubt.
 */
#include <glib.h>
#include <stdlib.h>

#include "common/dump/dump.h"
#include "pcap2demo/capture/load.h"
#include "pcap2demo/recording.h"
#include "pcap2demo/sessions/session.h"
#include "tests/fuzz/fuzz.h"

/* Blocks lie one behind the other, without a gap. */
static void check_block(const struct recording_block *block, uint32_t *end)
{
    if (block->offset != *end || !block->bytes.size)
        abort();
    *end += block->bytes.size;
}

static void read_blocks(struct sessions *sessions, struct recording *recording)
{
    struct recording_block block;
    uint32_t end = 0;

    while (recording_next(recording, &block) == RECORDING_BLOCK) {
        struct qs_packet packet = {.data = block.bytes.data,
                                   .size = block.bytes.size,
                                   .wire_size = block.bytes.size,
                                   .number = block.number,
                                   .from = QS_END_UNKNOWN};
        const struct qs_decoder *decoder = sessions_decode_block(sessions, &packet, block.offset);

        check_block(&block, &end);
        packet.time = recording_time(recording, decoder);
        if (packet.time < 0)
            abort();
        sessions_take_block(sessions, &packet);
    }
}

static void read_recording(struct recording *recording, struct options *options,
                           struct action *action)
{
    struct sessions *sessions = sessions_new(options, action);

    sessions_set_source(sessions, "input", "input");
    sessions_begin_demo(sessions, recording_protocol(recording), recording_demo_format(recording));
    read_blocks(sessions, recording);
    sessions_end_demo(sessions);
    sessions_free(sessions, true);
}

static struct recording *open_recording(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"x.qwd", "x.dm2", "x.dem", "x", "x.mvd"};
    FILE *stream = fmemopen((void *)(data + 1), size - 1, "rb");
    struct recording *recording = NULL;
    char *error = NULL, *problem = NULL;

    if (!stream)
        abort();
    if (recording_is_likely(stream)) {
        GByteArray *bytes = load_stream(stream, RECORDING_MAX, &problem);

        recording = recording_open(bytes, problem, names[data[0] % G_N_ELEMENTS(names)], &error);
    }
    fclose(stream);
    g_free(error);
    return recording;
}

static void read_fields(struct recording *recording, struct options *options)
{
    struct qs_count_sink counts;
    struct action action = {.sink = &counts.base, .wants_rebuild = true};

    qs_count_sink_init(&counts);
    read_recording(recording, options, &action);
    if (counts.depth)
        abort();
}

/* There is no such folder: what is written goes nowhere. */
static void make_capture(struct recording *recording, struct options *options)
{
    char file[] = "/dev/null/capture";
    char *files[] = {file, NULL};
    struct action *action;

    options->pcap = file;
    options->files = files;
    action = pcap_new(options);
    read_recording(recording, options, action);
    action->end(action, false);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static void (*const uses[])(struct recording *, struct options *) = {read_fields, make_capture};
    struct options options = {.selection = fuzz_selection(),
                              .sessions = g_array_new(FALSE, FALSE, sizeof(unsigned))};

    for (size_t i = 0; size > 1 && i < G_N_ELEMENTS(uses); i++) {
        struct recording *recording = open_recording(data, size);

        if (recording) {
            uses[i](recording, &options);
            recording_close(recording);
        }
    }
    g_array_free(options.sessions, TRUE);
    return 0;
}
