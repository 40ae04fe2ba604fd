/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/run.h"

#include <errno.h>
#include <pcap/pcap.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "common/sessions/recording.h"
#include "pcap2demo/capture/comments.h"
#include "pcap2demo/capture/file_type.h"
#include "pcap2demo/capture/gunzip.h"
#include "pcap2demo/capture/load.h"
#include "pcap2demo/output/message.h"
#include "pcap2demo/output/progress.h"
#include "pcap2demo/packets.h"
#include "pcap2demo/recorder/recorder.h"
#include "pcap2demo/signals.h"
#include "pcap2demo/summary.h"

struct run {
    const struct options *options;
    struct action *action;
    struct packets packets;
    struct qs_sessions *sessions;
    uint64_t bytes_before; /* of the files read before this one */
    unsigned inputs;       /* that could be read */
};

static void cannot_read(const char *name, char *error)
{
    failure(EXIT_UNUSABLE, (struct qs_location){.file = name}, "%s", error);
    g_free(error);
}

/* --- One capture ----------------------------------------------------------------------------- */

static void start_input(struct run *run, const char *name, const char *stem)
{
    run->inputs++;
    qs_sessions_set_source(run->sessions, name, stem);
    if (run->action->input_start)
        run->action->input_start(run->action, name);
}

/* Sessions may go on in the next input, unless each stands by itself. */
static void end_input(struct run *run, const char *name, uint64_t packets)
{
    run->action->interrupted = signals_interrupted();
    if (run->options->separate_inputs) {
        packets_end(&run->packets, run->sessions);
        qs_sessions_free(run->sessions, !signals_interrupted());
        run->sessions = qs_sessions_new(&run->options->sessions, &run->action->handler);
    }
    if (run->action->input_over)
        run->action->input_over(run->action, name, packets);
}

static void read_input(struct run *run, struct input *input)
{
    link_reader *link = link_find(input_link_type(input));
    const char *link_name = pcap_datalink_val_to_description_or_dlt(input_link_type(input));

    if (!link) {
        failure(EXIT_UNUSABLE, (struct qs_location){.file = input_name(input)},
                "captures of link type \"%s\" cannot be read", link_name);
        return;
    }
    start_input(run, input_name(input), input_stem(input));
    signals_set_input(input);
    packets_read(&run->packets, input, link, run->sessions,
                 qs_sessions_take_as_captured(run->sessions), run->bytes_before);
    signals_set_input(NULL);
    qs_sessions_end_source(run->sessions);
    end_input(run, input_name(input), input_frames(input));
}

/* --- One demo -------------------------------------------------------------------------------- */

static void read_blocks(struct run *run, struct qs_recording *recording)
{
    struct qs_demo_block block;

    while (!signals_interrupted() && !ferror(stdout) && qs_recording_next(recording, &block))
        qs_sessions_block(run->sessions, &block);
    if (qs_recording_error(recording))
        failure(EXIT_PROBLEMS,
                (struct qs_location){qs_recording_name(recording),
                                     qs_recording_number(recording) + 1, true},
                "%s", qs_recording_error(recording));
}

static void read_demo(struct run *run, struct qs_recording *recording)
{
    const char *name = qs_recording_name(recording);

    start_input(run, name, "");
    qs_sessions_begin_demo(run->sessions, recording);
    read_blocks(run, recording);
    qs_sessions_end_demo(run->sessions);
    end_input(run, name, qs_recording_number(recording));
}

/* --- Demos that lend their sign-on
 * ---------------------------------------------------------------- */

static void read_lender(GPtrArray *lenders, FILE *stream, const char *name)
{
    char *problem = NULL, *error = NULL;
    GByteArray *bytes = load_stream(stream, QS_RECORDING_MAX, &problem);
    struct qs_recording *recording;

    input_close_stream(stream);
    recording = qs_recording_open(bytes, problem, name, &error);
    if (!recording) {
        cannot_read(name, error);
        return;
    }
    if (!qs_lending_demos_add(lenders, recording))
        failure(EXIT_UNUSABLE, (struct qs_location){.file = name},
                "has no sign-on that could be lent");
    qs_recording_close(recording);
}

static void read_lenders(const struct options *options)
{
    for (char **name = options->sign_ons; name && *name; name++) {
        char *error = NULL;
        FILE *stream = input_open_stream(*name, &error);

        if (stream)
            read_lender(options->sessions.sign_ons, stream, *name);
        else
            cannot_read(*name, error);
    }
}

/* --- All inputs ------------------------------------------------------------------------------ */

static uint64_t file_size(const char *name)
{
    struct stat about;

    return stat(name, &about) == 0 && S_ISREG(about.st_mode) ? (uint64_t)about.st_size : 0;
}

static uint64_t total_size(char *const *files)
{
    uint64_t total = 0;

    for (; *files; files++)
        total += file_size(*files);
    return total;
}

/* Takes over the comments. */
static void read_capture(struct run *run, FILE *stream, const char *name,
                         struct qs_comments *comments)
{
    char *error = NULL;
    struct input *input = input_open_capture(stream, name, run->options->filter, &error);

    if (!input) {
        cannot_read(name, error);
    } else {
        qs_sessions_set_comments(run->sessions, comments);
        read_input(run, input);
        qs_sessions_set_comments(run->sessions, NULL);
        input_close(input);
    }
    qs_comments_free(comments);
}

static void read_recording(struct run *run, GByteArray *bytes, char *problem, const char *name)
{
    char *error = NULL;
    struct qs_recording *recording = qs_recording_open(bytes, problem, name, &error);

    if (!recording) {
        cannot_read(name, error);
        return;
    }
    read_demo(run, recording);
    qs_recording_close(recording);
}

/* Demos are held in memory. What is wrong with compressed data says more than that they end. */
static void read_loaded(struct run *run, FILE *stream, const struct gunzip *gunzip,
                        const char *name)
{
    char *problem = NULL;
    GByteArray *bytes = load_stream(stream, QS_RECORDING_MAX, &problem);

    input_close_stream(stream);
    if (gunzip && gunzip_problem(gunzip)) {
        g_free(problem);
        problem = g_strdup(gunzip_problem(gunzip));
    }
    read_recording(run, bytes, problem, name);
}

/* A capture, or by its beginning none and so a demo. `gunzip` NULL: it was not compressed. */
static void read_stream(struct run *run, FILE *stream, const struct gunzip *gunzip,
                        const char *name)
{
    if (!is_capture_stream(stream)) {
        read_loaded(run, stream, gunzip, name);
        return;
    }
    read_capture(run, stream, name, comments_of_file(name));
    if (gunzip && gunzip_problem(gunzip))
        failure(EXIT_PROBLEMS, (struct qs_location){.file = name}, "%s", gunzip_problem(gunzip));
}

static void read_packed(struct run *run, FILE *packed, const char *name)
{
    struct gunzip *gunzip = gunzip_new(packed, GUNZIP_TOTAL_MAX);
    FILE *stream = gunzip_stream(gunzip);

    if (stream)
        read_stream(run, stream, gunzip, name);
    else
        cannot_read(name, g_strdup(g_strerror(errno)));
    gunzip_free(gunzip);
    input_close_stream(packed);
}

static void read_file(struct run *run, const char *name)
{
    char *error = NULL;
    FILE *stream = input_open_stream(name, &error);

    if (!stream)
        cannot_read(name, error);
    else if (is_gzip_stream(stream))
        read_packed(run, stream, name);
    else
        read_stream(run, stream, NULL, name);
    run->bytes_before += file_size(name);
}

static void read_all(struct run *run)
{
    char *const *files = run->options->files;

    progress_start(total_size(files), !run->options->quiet);
    for (; *files && !signals_interrupted(); files++)
        read_file(run, *files);
    progress_erase();
}

/*
 * A recording that comes by standard input and is interrupted is done. A file that was not read to
 * its end is another matter: demos of half a session are not written.
 */
static bool keep_unfinished(const struct options *options)
{
    if (!signals_interrupted())
        return true;
    for (char *const *file = options->files; *file; file++)
        if (strcmp(*file, "-") == 0)
            return true;
    failure(EXIT_PROBLEMS, (struct qs_location){0}, "interrupted; unfinished demos are not kept");
    return false;
}

static void run_files(const struct options *options)
{
    struct run run = {.options = options, .action = options->action->create(options)};

    packets_init(&run.packets);
    run.sessions = qs_sessions_new(&options->sessions, &run.action->handler);
    read_all(&run);
    packets_end(&run.packets, run.sessions);
    qs_sessions_free(run.sessions, keep_unfinished(options));
    if (options->verbose)
        summary_print(&run.packets);
    run.action->end(run.action, run.inputs != 0);
    packets_clear(&run.packets);
}

void run_inputs(const struct options *options)
{
    signals_catch();
    read_lenders(options);
    if (options->interface)
        recorder_run(options);
    else
        run_files(options);
}
