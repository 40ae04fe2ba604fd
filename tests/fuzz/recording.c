/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads a demo: its fields, as a capture (--pcap), and as a donor of sign-ons. The first byte
 * selects the name of the file, which counts if the content is ambiguous.
 */
#include <glib.h>
#include <stdlib.h>

#include "common/dump/dump.h"
#include "pcap2demo/capture/source.h"
#include "common/sessions/late_join.h"
#include "common/sessions/demo_input.h"
#include "common/sessions/sessions.h"
#include "pcap2demo/actions/action.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/count_sink.h"

/* Blocks follow each other without a gap. */
static void check_block(const struct qs_demo_block *block, uint32_t *end)
{
    if (block->offset != *end || !block->bytes.size)
        abort();
    *end += block->bytes.size;
}

static void check_time(struct qs_sessions_handler *handler, const struct qs_decoded_packet *decoded)
{
    (void)handler;
    if (decoded->packet->time < 0)
        abort();
}

static void read_blocks(struct qs_sessions *sessions, struct qs_demo_input *recording)
{
    struct qs_demo_block block;
    uint32_t end = 0;

    while (qs_demo_input_next(recording, &block)) {
        check_block(&block, &end);
        qs_sessions_block(sessions, &block);
    }
}

static void read_recording(struct qs_demo_input *recording,
                           const struct qs_sessions_options *options,
                           struct qs_sessions_handler *handler)
{
    struct qs_sessions *sessions = qs_sessions_new(options, handler);

    qs_sessions_set_source(sessions, "input", "input");
    qs_sessions_begin_demo(sessions, recording);
    read_blocks(sessions, recording);
    qs_sessions_end_demo(sessions);
    qs_sessions_free(sessions, true);
}

static struct qs_demo_input *load_recording(FILE *stream, uint8_t name)
{
    static const char *const names[] = {"x.qwd", "x.dm2", "x.dem", "x", "x.mvd", "x.mvd2"};
    struct qs_demo_input *recording = NULL;
    char *error = NULL, *problem = NULL;

    if (!source_is_capture(stream)) {
        GByteArray *bytes = source_load(stream, QS_DEMO_INPUT_MAX, &problem);

        recording = qs_demo_input_open(bytes, problem, names[name % G_N_ELEMENTS(names)], &error);
    }
    fclose(stream);
    g_free(error);
    return recording;
}

static struct qs_demo_input *open_recording(const uint8_t *data, size_t size)
{
    FILE *stream = fmemopen((void *)(data + 1), size - 1, "rb");
    struct qs_demo_input *recording;
    struct unpack *unpack;

    if (!stream)
        abort();
    if (!unpack_knows(stream))
        return load_recording(stream, data[0]);
    unpack = unpack_new(stream, NULL);
    recording = unpack_next(unpack) ? load_recording(unpack_stream(unpack), data[0]) : NULL;
    unpack_free(unpack);
    fclose(stream);
    return recording;
}

static void read_fields(struct qs_demo_input *recording, struct options *options)
{
    struct count_sink counts;
    struct qs_sessions_handler handler = {
        .sink = &counts.base, .want_rebuild = true, .packet = check_time};

    count_sink_init(&counts);
    read_recording(recording, &options->sessions, &handler);
    if (counts.depth)
        abort();
}

/* Nothing is written, because the folder does not exist. */
static void make_capture(struct qs_demo_input *recording, struct options *options)
{
    char file[] = "/dev/null/capture";
    char *files[] = {file, NULL};
    struct action *action;

    options->argument = file;
    options->files = files;
    options->action = &pcap_action;
    action = action_new(options);
    read_recording(recording, &options->sessions, &action->handler);
    action->end(action, false);
    action_free(action);
}

static void use_as_donor(struct qs_demo_input *recording, struct options *options)
{
    g_autoptr(GPtrArray) demos = qs_donor_demos_new();

    (void)options;
    if (qs_donor_demos_add(demos, recording) != (demos->len > 0))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct fuzz_cost started = fuzz_begin();
    static void (*const uses[])(struct qs_demo_input *,
                                struct options *) = {read_fields, make_capture, use_as_donor};
    struct options options;

    options_init(&options);
    options.sessions = fuzz_session_options();
    for (size_t i = 0; size > 1 && i < G_N_ELEMENTS(uses); i++) {
        struct qs_demo_input *recording = open_recording(data, size);

        if (recording) {
            uses[i](recording, &options);
            qs_demo_input_close(recording);
        }
    }
    fuzz_session_options_clear(&options.sessions);
    options_clear(&options);
    fuzz_check_cost(started, size);
    return 0;
}
