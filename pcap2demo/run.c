/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/command_line.h"

#include <pcap/pcap.h>
#include <stdio.h>
#include <sys/stat.h>

#include "common/core/numeric_text.h"
#include "common/sessions/demo_input.h"
#include "pcap2demo/capture/source.h"
#include "pcap2demo/capture/inputs.h"
#include "pcap2demo/output/message.h"
#include "pcap2demo/capture/pipeline.h"
#include "pcap2demo/recorder/options.h"

#include "pcap2demo/capture/signals.h"

/* One reading of all inputs, one after the other. */
struct run {
    const struct options *options;
    struct action *action;
    struct pipeline pipeline;
    struct qs_sessions *sessions;
    unsigned inputs;       /* that could be read */
    uint64_t frames;       /* in captures, including those that the filter left out */
    unsigned sessions_max; /* most sessions that are numbered together */
};

/* Frees the text. */
static void report_unusable(const char *name, char *error)
{
    failure(EXIT_UNUSABLE, (struct qs_location){.file = source_title_of(name)}, "%s", error);
    g_free(error);
}

static void begin_input(struct run *run, const char *name, const char *stem)
{
    run->inputs++;
    qs_sessions_set_source(run->sessions, name, stem);
    if (run->action->input_start)
        run->action->input_start(run->action, name);
}

/* Sessions may continue in the next input, unless inputs are separate. */
static void end_input(struct run *run, const char *name, uint64_t packets)
{
    run->action->interrupted = signals_interrupted();
    run->sessions_max = MAX(run->sessions_max, qs_sessions_count(run->sessions));
    if (run->action->separate_inputs) {
        pipeline_end(&run->pipeline);
        qs_sessions_free(run->sessions, !signals_interrupted());
        run->sessions = qs_sessions_new(&run->options->sessions, &run->action->handler);
    }
    if (run->action->input_over)
        run->action->input_over(run->action, name, packets);
}

/* --- Captures -------------------------------------------------------------------------------- */

static void read_frames(struct run *run, struct input *input)
{
    if (!input_has_known_links(input)) {
        failure(EXIT_UNUSABLE, (struct qs_location){.file = input->name},
                "captures of link type \"%s\" cannot be read",
                pcap_datalink_val_to_description_or_dlt(input_link_type(input)));
        return;
    }
    begin_input(run, input->name, input->stem);
    pipeline_read(&run->pipeline, input, run->sessions);
    qs_sessions_end_source(run->sessions);
    run->frames += input->frames;
    end_input(run, input->name, input->frames);
}

static void read_capture(struct run *run, FILE *stream, const char *name)
{
    char *error = NULL;
    struct input *input = input_open_capture(stream, name, input_options.filter, &error);

    if (!input) {
        report_unusable(name, error);
        return;
    }
    read_frames(run, input);
    input_close(input);
}

/* --- Demos ----------------------------------------------------------------------------------- */

/* NULL: `*error` is a new string. */
static struct qs_demo_input *open_demo(struct source *source, char **error)
{
    char *problem = NULL;
    GByteArray *bytes = source_load(source->stream, QS_DEMO_INPUT_MAX, &problem);
    char *of_source = source_problem(source);

    /* A problem of compressed data explains more than their early end. */
    if (of_source) {
        g_free(problem);
        problem = of_source;
    }
    source_close_plain(source->stream);
    return qs_demo_input_open(bytes, problem, source->title, error);
}

static void read_demo(struct run *run, struct qs_demo_input *demo)
{
    const char *name = demo->name;
    struct qs_demo_block block;

    begin_input(run, name, "");
    qs_sessions_begin_demo(run->sessions, demo);
    while (!signals_interrupted() && !ferror(stdout) && qs_demo_input_next(demo, &block))
        qs_sessions_block(run->sessions, &block);
    if (demo->error)
        failure(
            EXIT_PROBLEMS,
            (struct qs_location){.file = name, .packet = demo->reader.number + 1, .block = true},
            "%s", demo->error);
    qs_sessions_end_demo(run->sessions);
    end_input(run, name, demo->reader.number);
}

/* Whether it is no pipe or device: a file, or missing, which is reported later. */
static bool is_file(const char *name)
{
    struct stat status;

    return !source_is_standard_input(name) && (stat(name, &status) != 0 || S_ISREG(status.st_mode));
}

/* The first input that cannot be read again, or NULL. */
static const char *first_pipe(const struct options *options)
{
    for (char *const *file = options->files; *file; file++)
        if (!is_file(*file))
            return *file;
    return NULL;
}

/* Adds the demo of --sign-on or --sign-on-unchecked. Why it cannot be used, a new string; or NULL.
 */
static char *read_sign_on(GPtrArray *sign_ons, const char *name, bool unchecked)
{
    char *error = NULL;
    struct source *source = is_file(name) ? source_open(name, &error) : NULL;
    struct qs_demo_input *demo = NULL;

    if (!source)
        return error ? error : g_strdup("it is not a regular file");
    if (source_next(source, true) && source_is_capture(source->stream))
        error = g_strdup("it is a capture; make a demo of it first");
    else
        demo = open_demo(source, &error);
    if (demo && !qs_donor_demos_add(sign_ons, demo, unchecked))
        error = g_strdup("it has no sign-on of a whole level");
    if (demo)
        qs_demo_input_close(demo);
    source_close(source);
    return error;
}

/* Sessions that need none of them are written all the same. */
static void read_sign_ons(GPtrArray *sign_ons, char **name, bool unchecked)
{
    for (; name && *name; name++) {
        char *error = read_sign_on(sign_ons, *name, unchecked);

        if (error)
            message((struct qs_location){.file = source_title_of(*name)},
                    "not used for --sign-on: %s", error);
        g_free(error);
    }
}

/* --- All inputs ------------------------------------------------------------------------------ */

/* Reports a problem of compressed data; false: none. */
static bool report_problem(struct source *source)
{
    char *problem = source_problem(source);
    const bool any = problem != NULL;

    if (any)
        failure(EXIT_PROBLEMS, (struct qs_location){.file = source->title}, "%s", problem);
    g_free(problem);
    return any;
}

/* Reads a capture, or, if it does not begin as one, a demo. */
static void read_source(struct run *run, struct source *source)
{
    if (source_is_capture(source->stream)) {
        read_capture(run, source->stream, source->title);
        report_problem(source);
    } else {
        char *error = NULL;
        struct qs_demo_input *demo = open_demo(source, &error);

        if (demo)
            read_demo(run, demo);
        else
            report_unusable(source->title, error);
        if (demo)
            qs_demo_input_close(demo);
    }
}

static void read_sources(struct run *run, struct source *source)
{
    const bool demos = run->options->action != &convert_action;
    unsigned inputs = 0;

    for (; !signals_interrupted() && source_next(source, demos); inputs++)
        read_source(run, source);
    if (!report_problem(source) && !inputs && !signals_interrupted())
        failure(EXIT_UNUSABLE, (struct qs_location){.file = source->title},
                "no captures%s in this archive", demos ? " and no demos" : "");
}

static void read_input(struct run *run, const char *name)
{
    char *error = NULL;
    struct source *source = source_open(name, &error);

    if (source) {
        read_sources(run, source);
        source_close(source);
    } else {
        report_unusable(name, error);
    }
}

static void read_files(struct run *run)
{
    pipeline_init(&run->pipeline);
    for (char *const *file = run->options->files;
         *file && !signals_interrupted() && !qs_sessions_have_enough(run->sessions); file++)
        read_input(run, *file);
}

static void read_again(struct qs_sessions *again, void *user)
{
    const struct run *first = user;
    struct action nothing = {.options = first->options};
    struct run run = {.options = first->options, .action = &nothing, .sessions = again};

    messages_mute(true);
    read_files(&run);
    pipeline_end(&run.pipeline);
    pipeline_clear(&run.pipeline);
    messages_mute(false);
}

static void read_inputs(struct run *run, const struct options *options, struct action *action)
{
    *run = (struct run){.options = options,
                        .action = action,
                        .sessions = qs_sessions_new(&options->sessions, &action->handler)};
    if (!action->separate_inputs && !first_pipe(options))
        qs_sessions_set_read_again(run->sessions, read_again, run);
    read_files(run);
}

/* `keep` false: drops incomplete demos. */
static void end_sessions(struct run *run, bool keep)
{
    pipeline_end(&run->pipeline);
    qs_sessions_free(run->sessions, keep);
}

/* --- Reading twice --------------------------------------------------------------------------- */

/* The second pass reports problems of the inputs. */
static void read_ahead(const struct options *options, struct action *action)
{
    struct run run;

    messages_mute(true);
    action->ahead(action, true);
    read_inputs(&run, options, action);
    end_sessions(&run, false);
    pipeline_clear(&run.pipeline);
    action->ahead(action, false);
    messages_mute(false);
}

/* False: an input must be read twice, and cannot be. */
static bool prepare(const struct options *options, struct action *action)
{
    const char *pipe = action->ahead || action->reads_again ? first_pipe(options) : NULL;

    if (pipe) {
        failure(EXIT_UNUSABLE, (struct qs_location){.file = source_title_of(pipe)},
                "is read twice, and must be a file");
        return false;
    }
    if (action->ahead)
        read_ahead(options, action);
    return true;
}

/* --- The run --------------------------------------------------------------------------------- */

/*
 * A live capture from standard input is complete when interrupted. A file is not: demos of partial
 * sessions are dropped.
 */
static bool keep_incomplete(const struct options *options)
{
    if (!signals_interrupted())
        return true;
    for (char *const *file = options->files; *file; file++)
        if (source_is_standard_input(*file))
            return true;
    failure(EXIT_PROBLEMS, (struct qs_location){0}, "interrupted; unfinished demos are not kept");
    return false;
}

static void report_filter(const struct run *run)
{
    if (input_options.filter && run->frames && !run->pipeline.frames)
        failure(EXIT_PROBLEMS, (struct qs_location){0},
                "filter \"%s\" matches none of %" G_GUINT64_FORMAT " packets", input_options.filter,
                run->frames);
}

/* Only if none of them exists: a range may exceed the sessions. */
static void report_chosen(const struct run *run)
{
    const GArray *chosen = run->options->sessions.chosen;

    for (guint i = 0; i < chosen->len; i++)
        if (g_array_index(chosen, unsigned, i) <= run->sessions_max)
            return;
    if (chosen->len && run->inputs)
        failure(EXIT_PROBLEMS, (struct qs_location){0}, "no session %u: the input has %u session%s",
                g_array_index(chosen, unsigned, 0), run->sessions_max,
                qs_plural(run->sessions_max));
}

static void run_files(const struct options *options)
{
    struct action *action = action_new(options);
    struct run run;

    if (prepare(options, action)) {
        read_inputs(&run, options, action);
        end_sessions(&run, keep_incomplete(options));
        report_filter(&run);
        report_chosen(&run);
        if (options->verbose)
            pipeline_print_counts(&run.pipeline);
        action->end(action, run.inputs != 0);
        pipeline_clear(&run.pipeline);
    } else {
        action->end(action, false);
    }
    action_free(action);
}

void run_inputs(const struct options *options)
{
    signals_catch();
    read_sign_ons(options->sessions.sign_ons, demo_options.sign_ons, false);
    read_sign_ons(options->sessions.sign_ons, demo_options.unchecked_sign_ons, true);
    if (recorder_options.interface)
        recorder_run(options);
    else
        run_files(options);
}
