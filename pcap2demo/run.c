/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/run.h"

#include <pcap/pcap.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "common/sessions/recording.h"
#include "pcap2demo/capture/comments.h"
#include "pcap2demo/capture/file_type.h"
#include "pcap2demo/capture/load.h"
#include "pcap2demo/capture/source.h"
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
    uint64_t frames;       /* in captures; those that the filter left out, too */
    unsigned sessions_max; /* most sessions of those that are numbered together */
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
    run->sessions_max = MAX(run->sessions_max, qs_sessions_count(run->sessions));
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
    if (!input_is_mixed(input) && !link_find(input_link_type(input))) {
        failure(EXIT_UNUSABLE, (struct qs_location){.file = input_name(input)},
                "captures of link type \"%s\" cannot be read",
                pcap_datalink_val_to_description_or_dlt(input_link_type(input)));
        return;
    }
    start_input(run, input_name(input), input_stem(input));
    signals_set_input(input);
    packets_read(&run->packets, input, run->sessions, qs_sessions_take_as_captured(run->sessions),
                 run->bytes_before);
    signals_set_input(NULL);
    qs_sessions_end_source(run->sessions);
    run->frames += input_frames(input);
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

/* The bytes of a demo, which are held in memory. What is wrong with compressed data says more than
 * that they end. */
static GByteArray *load_source(struct source *source, char **problem)
{
    GByteArray *bytes = load_stream(source_stream(source), QS_RECORDING_MAX, problem);

    if (source_problem(source)) {
        g_free(*problem);
        *problem = g_strdup(source_problem(source));
    }
    source_close_plain(source_stream(source));
    return bytes;
}

static void read_lender(GPtrArray *lenders, struct source *source, const char *name)
{
    char *problem = NULL, *error = NULL;
    GByteArray *bytes = load_source(source, &problem);
    struct qs_recording *recording = qs_recording_open(bytes, problem, name, &error);

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
        struct source *source = source_open(*name, &error);

        if (source) {
            read_lender(options->sessions.sign_ons, source, *name);
            source_close(source);
        } else {
            cannot_read(*name, error);
        }
    }
}

/* --- All inputs ------------------------------------------------------------------------------ */

static uint64_t file_size(const char *name)
{
    struct stat about;

    return stat(name, &about) == 0 && S_ISREG(about.st_mode) ? (uint64_t)about.st_size : 0;
}

/* False: the file has no size, as standard input and pipes have none. */
static bool add_size(const char *name, uint64_t *total)
{
    struct stat about;

    if (source_is_standard_input(name))
        return false;
    if (stat(name, &about) != 0)
        return true; /* which will be reported */
    *total += (uint64_t)about.st_size;
    return S_ISREG(about.st_mode);
}

/* 0: not known. */
static uint64_t total_size(char *const *files)
{
    uint64_t total = 0;

    for (; *files; files++)
        if (!add_size(*files, &total))
            return 0;
    return total;
}

/* Not between the lines of a dump that is read on the terminal. */
static bool wants_progress(const struct options *options)
{
    return !options->quiet && !(options->action == &dump_action && terminal_is(stdout));
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

/* A capture, or by its beginning none and so a demo. */
static void read_source(struct run *run, struct source *source, const char *name)
{
    if (!is_capture_stream(source_stream(source))) {
        char *problem = NULL;
        GByteArray *bytes = load_source(source, &problem);

        read_recording(run, bytes, problem, name);
        return;
    }
    read_capture(run, source_stream(source), name, comments_of_file(name));
    if (source_problem(source))
        failure(EXIT_PROBLEMS, (struct qs_location){.file = name}, "%s", source_problem(source));
}

static void read_file(struct run *run, const char *name)
{
    char *error = NULL;
    struct source *source = source_open(name, &error);

    if (source) {
        run->packets.source = source;
        read_source(run, source, name);
        run->packets.source = NULL;
        source_close(source);
    } else {
        cannot_read(name, error);
    }
    run->bytes_before += file_size(name);
}

static void read_all(struct run *run)
{
    char *const *files = run->options->files;

    progress_start(total_size(files), wants_progress(run->options));
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

static void report_filter(const struct run *run)
{
    const struct options *options = run->options;

    if (options->filter && run->frames && !run->packets.frames)
        failure(EXIT_PROBLEMS, (struct qs_location){0},
                "filter \"%s\" matches none of %" G_GUINT64_FORMAT " packets", options->filter,
                run->frames);
}

/* All that are asked for, as 1-5 may be more than there are. */
static void report_chosen(const struct run *run)
{
    const GArray *chosen = run->options->sessions.chosen;

    for (guint i = 0; i < chosen->len; i++)
        if (g_array_index(chosen, unsigned, i) <= run->sessions_max)
            return;
    if (chosen->len && run->inputs)
        failure(EXIT_PROBLEMS, (struct qs_location){0}, "session %u is not there: the input has %u",
                g_array_index(chosen, unsigned, 0), run->sessions_max);
}

static void run_files(const struct options *options)
{
    struct run run = {.options = options, .action = options->action->create(options)};

    packets_init(&run.packets);
    run.sessions = qs_sessions_new(&options->sessions, &run.action->handler);
    read_all(&run);
    packets_end(&run.packets, run.sessions);
    qs_sessions_free(run.sessions, keep_unfinished(options));
    report_filter(&run);
    report_chosen(&run);
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
