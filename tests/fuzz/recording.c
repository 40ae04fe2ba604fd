/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A demo as input, from the file's bytes to the fields of its blocks, and to a capture. The first
 * byte picks the name that the file has, which counts where its content leaves a doubt.
 */
#include <glib.h>
#include <stdlib.h>

#include "common/dump/dump.h"
#include "pcap2demo/capture/gunzip.h"
#include "pcap2demo/capture/load.h"
#include "pcap2demo/capture/file_type.h"
#include "pcap2demo/capture/recording.h"
#include "pcap2demo/sessions/sessions.h"
#include "pcap2demo/actions/action.h"
#include "tests/fuzz/fuzz.h"

/* Blocks lie one behind the other, without a gap. */
static void check_block(const struct qs_demo_block *block, uint32_t *end)
{
    if (block->offset != *end || !block->bytes.size)
        abort();
    *end += block->bytes.size;
}

static void check_time(struct session_handler *handler, const struct decoded_packet *decoded)
{
    (void)handler;
    if (decoded->packet->time < 0)
        abort();
}

static void read_blocks(struct sessions *sessions, struct recording *recording)
{
    struct qs_demo_block block;
    uint32_t end = 0;

    while (recording_next(recording, &block)) {
        check_block(&block, &end);
        sessions_block(sessions, &block);
    }
}

static void read_recording(struct recording *recording, const struct session_options *options,
                           struct session_handler *handler)
{
    struct sessions *sessions = sessions_new(options, handler);

    sessions_set_source(sessions, "input", "input");
    sessions_begin_demo(sessions, recording);
    read_blocks(sessions, recording);
    sessions_end_demo(sessions);
    sessions_free(sessions, true);
}

static struct recording *load_recording(FILE *stream, uint8_t name)
{
    static const char *const names[] = {"x.qwd", "x.dm2", "x.dem", "x", "x.mvd"};
    struct recording *recording = NULL;
    char *error = NULL, *problem = NULL;

    if (!is_capture_stream(stream)) {
        GByteArray *bytes = load_stream(stream, RECORDING_MAX, &problem);

        recording = recording_open(bytes, problem, names[name % G_N_ELEMENTS(names)], &error);
    }
    fclose(stream);
    g_free(error);
    return recording;
}

static struct recording *open_recording(const uint8_t *data, size_t size)
{
    FILE *stream = fmemopen((void *)(data + 1), size - 1, "rb");
    struct recording *recording;
    struct gunzip *gunzip;

    if (!stream)
        abort();
    if (!is_gzip_stream(stream))
        return load_recording(stream, data[0]);
    gunzip = gunzip_new(stream, RECORDING_MAX);
    recording = load_recording(gunzip_stream(gunzip), data[0]);
    gunzip_free(gunzip);
    fclose(stream);
    return recording;
}

static void read_fields(struct recording *recording, struct options *options)
{
    struct qs_count_sink counts;
    struct session_handler handler = {
        .sink = &counts.base, .want_rebuild = true, .packet = check_time};

    qs_count_sink_init(&counts);
    read_recording(recording, &options->sessions, &handler);
    if (counts.depth)
        abort();
}

/* There is no such folder: what is written goes nowhere. */
static void make_capture(struct recording *recording, struct options *options)
{
    char file[] = "/dev/null/capture";
    char *files[] = {file, NULL};
    struct action *action;

    options->argument = file;
    options->files = files;
    action = pcap_action.create(options);
    read_recording(recording, &options->sessions, &action->handler);
    action->end(action, false);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static void (*const uses[])(struct recording *, struct options *) = {read_fields, make_capture};
    struct options options = {.sessions = fuzz_session_options()};

    for (size_t i = 0; size > 1 && i < G_N_ELEMENTS(uses); i++) {
        struct recording *recording = open_recording(data, size);

        if (recording) {
            uses[i](recording, &options);
            recording_close(recording);
        }
    }
    fuzz_session_options_clear(&options.sessions);
    return 0;
}
