/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/command_line.h"

#include <pcap/pcap.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/core/numeric_text.h"
#include "common/sessions/demo_input.h"
#include "pcap2demo/capture/inputs.h"
#include "pcap2demo/capture/source.h"
#include "pcap2demo/output/message.h"
#include "pcap2demo/capture/pipeline.h"
#include "pcap2demo/recording/recording.h"

#include "pcap2demo/capture/signals.h"

/* Number of frames between two checks of standard output. */
enum { CHECK_EVERY = 1024 };

/* One pass over all inputs. */
struct run {
    struct input_visitor visitor;
    const struct options *options;
    struct action *action;
    struct pipeline pipeline;
    struct qs_sessions *sessions;
    bool group_begun; /* a capture of the merged group has begun */
    unsigned inputs;  /* number of readable inputs */
    uint64_t frames;  /* number of frames in captures, including those that the filter rejected */
    unsigned sessions_max; /* maximum number of sessions numbered together */
};

/* Reports an input that cannot be read. Takes ownership of `error`. */
static void report_unusable(struct input_visitor *visitor, const char *name, char *error)
{
    (void)visitor;
    failure(EXIT_UNUSABLE, (struct qs_location){.file = name}, "%s", error);
    g_free(error);
}

static const struct qs_capture_file *begin_input(struct run *run, const char *name,
                                                 const char *stem)
{
    run->inputs++;
    if (run->action->input_start)
        run->action->input_start(run->action, name);
    return qs_sessions_set_source(run->sessions, name, stem);
}

/* Ends a group of merged captures: decodes packets that still wait for earlier ones. */
static void end_group(struct input_visitor *visitor)
{
    struct run *run = (struct run *)visitor;

    if (run->group_begun) {
        pipeline_flush(&run->pipeline);
        qs_sessions_end_source(run->sessions);
    }
    run->group_begun = false;
}

/* Ends an input. Sessions continue in the next one, unless inputs are separate. */
static void end_input(struct run *run, const char *name, uint64_t packets)
{
    run->action->interrupted = signals_interrupted();
    run->action->read.file = g_intern_string(name);
    run->sessions_max = MAX(run->sessions_max, qs_sessions_count(run->sessions));
    if (run->action->separate_inputs) {
        end_group(&run->visitor);
        pipeline_end(&run->pipeline);
        qs_sessions_free(run->sessions, !signals_interrupted());
        run->sessions = qs_sessions_new(&run->options->sessions, &run->action->handler);
    }
    if (run->action->input_over)
        run->action->input_over(run->action, name, packets);
}

/* --- Captures -------------------------------------------------------------------------------- */

static bool is_wireless(int link_type)
{
    return link_type == DLT_IEEE802_11 || link_type == DLT_IEEE802_11_RADIO ||
           link_type == DLT_PRISM_HEADER || link_type == DLT_PPI;
}

static bool begin_capture(struct input_visitor *visitor, struct input *input)
{
    struct run *run = (struct run *)visitor;

    if (!input_has_known_links(input)) {
        failure(EXIT_UNUSABLE, (struct qs_location){.file = input->name},
                "captures of link type \"%s\" cannot be read%s",
                pcap_datalink_val_to_description_or_dlt(input_link_type(input)),
                is_wireless(input_link_type(input))
                    ? "; capture without monitor mode (tcpdump without -I), or at the server"
                    : "");
        return false;
    }
    input->file = begin_input(run, input->name, input->stem);
    if (!run->group_begun)
        pipeline_start(&run->pipeline, run->sessions);
    run->group_begun = true;
    return true;
}

/* Counts a frame of an unknown link type. DLT_ values have 16 bits. */
static void count_unknown(struct input *input, int link_type)
{
    const guint index = (uint16_t)link_type;

    if (!input->unknown)
        input->unknown = g_array_new(FALSE, TRUE, sizeof(uint64_t));
    if (index >= input->unknown->len)
        g_array_set_size(input->unknown, index + 1);
    g_array_index(input->unknown, uint64_t, index)++;
}

/* Reports frames of unknown link types: as a problem, because other frames are readable. */
static void report_unknown(const struct input *input)
{
    for (guint i = 0; input->unknown && i < input->unknown->len; i++)
        if (g_array_index(input->unknown, uint64_t, i))
            failure(EXIT_PROBLEMS, (struct qs_location){.file = input->name},
                    "link type \"%s\" cannot be read, packets: %" G_GUINT64_FORMAT,
                    pcap_datalink_val_to_description_or_dlt((int)i),
                    g_array_index(input->unknown, uint64_t, i));
}

static void add_frame(struct input_visitor *visitor, struct input *input, struct input_frame *frame)
{
    struct run *run = (struct run *)visitor;

    frame->packet.file = input->file;
    if (run->action->numbers_of_input) {
        frame->packet.number = frame->packet.frame;
        frame->packet.frame = input->frames;
    }
    if (!pipeline_add_frame(&run->pipeline, frame))
        count_unknown(input, frame->link_type);
    if (visitor->frames % CHECK_EVERY != 0)
        return;
    visitor->is_over = ferror(stdout);
    progress_update(visitor->read, visitor->size);
}

static void end_capture(struct input_visitor *visitor, struct input *input,
                        enum input_status status)
{
    struct run *run = (struct run *)visitor;

    if (status != INPUT_END && !signals_interrupted())
        failure(EXIT_PROBLEMS,
                (struct qs_location){.file = input->name, .packet = input->frames + 1}, "%s",
                input->error);
    report_unknown(input);
    run->frames += input->frames;
    end_input(run, input->name, input->frames);
}

/* --- Demos ----------------------------------------------------------------------------------- */

/* Loads and opens a demo. Returns NULL and sets `*error`, which the caller frees, if it cannot. */
static struct qs_demo_input *open_demo(struct source *source, char **error)
{
    char *problem = NULL;
    GByteArray *bytes = source_load(source->stream, QS_DEMO_INPUT_MAX, &problem);
    char *of_source = source_problem(source);

    /* A decompression error explains more than the truncated data that follows from it. */
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

/* Returns the first input that cannot be read twice, or NULL. */
static const char *first_pipe(const struct options *options)
{
    for (char *const *file = options->files; *file; file++)
        if (!source_is_file(*file))
            return *file;
    return NULL;
}

/* Adds the demo of a --sign-on option. Returns NULL, or a new error text. */
static char *read_sign_on(GPtrArray *sign_ons, const char *name)
{
    char *error = NULL;
    struct source *source = source_is_file(name) ? source_open(name, &error) : NULL;
    struct qs_demo_input *demo = NULL;

    if (!source)
        return error ? error : g_strdup("it is not a regular file");
    if (!source_next(source, true)) {
        error = source_problem(source);
        error = error ? error : g_strdup("no demo is in this archive");
    } else if (source_is_capture(source->stream)) {
        error = g_strdup("it is a capture; make a demo of it first");
        source_close_plain(source->stream);
    } else {
        demo = open_demo(source, &error);
    }
    if (demo && !qs_donor_demos_add(sign_ons, demo))
        error = g_strdup("it has no sign-on of a whole level");
    if (demo)
        qs_demo_input_close(demo);
    source_close(source);
    return error;
}

/* Reads all demos of --sign-on. A bad one is only a warning: some sessions do not need it. */
static void read_sign_ons(const struct options *options)
{
    for (guint i = 0; i < options->demo.sign_ons->len; i++) {
        const char *name = g_ptr_array_index(options->demo.sign_ons, i);
        g_autofree char *error = read_sign_on(options->sessions.sign_ons, name);

        if (error)
            message((struct qs_location){.file = source_title_of(name)},
                    "not used for --sign-on: %s", error);
    }
}

/* --- All inputs ------------------------------------------------------------------------------ */

static void read_other(struct input_visitor *visitor, struct source *source)
{
    char *error = NULL;
    struct qs_demo_input *demo = open_demo(source, &error);

    progress_update(visitor->read, visitor->size);
    if (demo)
        read_demo((struct run *)visitor, demo);
    else
        report_unusable(visitor, source->title, error);
    if (demo)
        qs_demo_input_close(demo);
}

/* Reports a decompression error, or an archive without inputs. */
static void end_source(struct input_visitor *visitor, struct source *source)
{
    char *problem = source_problem(source);

    if (problem)
        failure(EXIT_PROBLEMS, (struct qs_location){.file = source->title}, "%s", problem);
    else if (!visitor->inputs && !signals_interrupted())
        failure(EXIT_UNUSABLE, (struct qs_location){.file = source->title},
                "no captures%s in this archive", visitor->demos ? " and no demos" : "");
    g_free(problem);
}

static void read_files(struct run *run)
{
    run->visitor = (struct input_visitor){.filter = run->options->input.filter,
                                          .demos = run->options->action != &convert_action,
                                          .separate = run->action->separate_inputs,
                                          .unusable = report_unusable,
                                          .capture_start = begin_capture,
                                          .frame = add_frame,
                                          .capture_end = end_capture,
                                          .group_end = end_group,
                                          .other = read_other,
                                          .source_end = end_source};
    pipeline_init(&run->pipeline, 0);
    /* A progress line would break into a dump on the terminal. */
    progress_begin(run->options->action == &dump_action && isatty(STDOUT_FILENO)
                       ? "never"
                       : run->options->progress);
    merge_read(run->options->files, &run->visitor);
    progress_end();
}

static void read_inputs(struct run *run, const struct options *options, struct action *action)
{
    *run = (struct run){.options = options,
                        .action = action,
                        .sessions = qs_sessions_new(&options->sessions, &action->handler)};
    read_files(run);
}

/* Ends all sessions. If `keep` is false, drops incomplete demos. */
static void end_sessions(struct run *run, bool keep)
{
    pipeline_end(&run->pipeline);
    qs_sessions_free(run->sessions, keep);
}

/* --- First of two passes --------------------------------------------------------------------- */

/* Makes the first pass silently: the second one reports problems of the inputs. */
static void read_first_pass(const struct options *options, struct action *action)
{
    struct run run;

    messages_mute(true);
    action->first_pass(action, true);
    read_inputs(&run, options, action);
    end_sessions(&run, false);
    pipeline_clear(&run.pipeline);
    action->first_pass(action, false);
    messages_mute(false);
    action->read.identity = run.visitor.identity;
}

/* True if all inputs can be read twice; reports the first that cannot. */
static bool check_files(const struct options *options)
{
    const char *pipe = first_pipe(options);

    if (pipe)
        failure(EXIT_UNUSABLE, (struct qs_location){.file = source_title_of(pipe)},
                "is read twice, and must be a file");
    return !pipe;
}

/* Makes the first pass, if needed. False if an input must be read twice and cannot be. */
static bool prepare(const struct options *options, struct action *action)
{
    if ((action->first_pass || action->reads_again) && !check_files(options))
        return false;
    if (action->first_pass)
        read_first_pass(options, action);
    return true;
}

/* --- Sessions of a player (--player) --------------------------------------------------------- */

struct player_search {
    struct action action;
    char *part;    /* case-folded part of the name */
    GArray *found; /* numbers of matching sessions (struct qs_range) */
};

static void search_session(struct qs_sessions_handler *handler,
                           const struct qs_client_session *session)
{
    const struct player_search *search = (const struct player_search *)handler;
    g_autofree char *name = g_utf8_casefold(session->player ? session->player : "", -1);
    const struct qs_range number = {session->number, session->number};

    if (strstr(name, search->part))
        g_array_append_val(search->found, number);
}

/* Makes a silent first pass. Returns the numbers of sessions whose player's name contains the value
 * of --player (struct qs_range); the caller frees the array. */
static GArray *find_player(const struct options *options, uint64_t *identity)
{
    g_autofree char *part = g_utf8_make_valid(options->input.player, -1);
    struct player_search search = {
        .action = {.handler = {.as_captured = options->action->running.handler.as_captured,
                               .session_end = search_session},
                   .options = options},
        .part = g_utf8_casefold(part, -1),
        .found = g_array_new(FALSE, FALSE, sizeof(struct qs_range))};
    struct run run;

    messages_mute(true);
    read_inputs(&run, options, &search.action);
    end_sessions(&run, false);
    pipeline_clear(&run.pipeline);
    messages_mute(false);
    *identity = run.visitor.identity;
    g_free(search.part);
    return search.found;
}

/* --- Run ------------------------------------------------------------------------------------- */

/* True if unfinished demos are kept. An interrupt is the normal end of a live capture on standard
 * input; in a file it leaves sessions unread, so their demos are dropped. */
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
    if (run->options->input.filter && run->frames && !run->pipeline.frames)
        failure(EXIT_PROBLEMS, (struct qs_location){0},
                "filter \"%s\" matches none of %" G_GUINT64_FORMAT " packets",
                run->options->input.filter, run->frames);
}

/* Reports missing sessions of --session if all are missing: ranges may be too wide. */
static void report_chosen(const struct run *run)
{
    const GArray *chosen = run->options->sessions.chosen;

    for (guint i = 0; i < chosen->len; i++)
        if (g_array_index(chosen, struct qs_range, i).first <= run->sessions_max)
            return;
    if (chosen->len && run->inputs)
        failure(EXIT_PROBLEMS, (struct qs_location){0},
                "no session %" G_GUINT64_FORMAT ": the input has %u session%s",
                g_array_index(chosen, struct qs_range, 0).first, run->sessions_max,
                qs_plural(run->sessions_max));
}

/* Returns the identity of the files: see struct input_visitor. */
static uint64_t run_files(const struct options *options)
{
    uint64_t identity = 0;
    struct action *action = action_new(options);
    struct run run;
    bool changed;

    if (prepare(options, action)) {
        read_inputs(&run, options, action);
        action->interrupted = !keep_incomplete(options);
        end_sessions(&run, !action->interrupted);
        report_filter(&run);
        report_chosen(&run);
        if (options->verbose)
            pipeline_print_counts(&run.pipeline);
        identity = run.visitor.identity;
        changed = action->first_pass && !action->interrupted && action->read.identity != identity;
        if (changed)
            failure(EXIT_PROBLEMS, (struct qs_location){.file = options->argument},
                    "not written: a capture was overwritten meanwhile");
        action->read.identity = identity;
        action->read.overlap = run.visitor.overlap;
        action->read.packets = run.pipeline.frames;
        action->read.cut = run.pipeline.cut;
        action->read.datagrams = run.pipeline.datagrams;
        action->read.segments = tcp_counts(run.pipeline.tcp)->segments;
        action->read.files = run.inputs;
        action->end(action, run.inputs != 0 && !changed);
        pipeline_clear(&run.pipeline);
    } else {
        action->end(action, false);
    }
    action_free(action);
    return identity;
}

static void run_player(const struct options *options)
{
    struct options selected = *options;
    uint64_t identity;

    if (!check_files(options))
        return;
    selected.sessions.chosen = find_player(options, &identity);
    if (selected.sessions.chosen->len) {
        if (run_files(&selected) != identity && !signals_interrupted() && !ferror(stdout))
            failure(EXIT_PROBLEMS, (struct qs_location){0},
                    "a capture was overwritten meanwhile; the sessions may be of other players");
    } else {
        failure(EXIT_PROBLEMS, (struct qs_location){0},
                "no player%s has \"%s\" in the name; --list shows their names",
                options->sessions.chosen->len ? " of the chosen sessions" : "",
                options->input.player);
    }
    g_array_free(selected.sessions.chosen, TRUE);
}

void run_inputs(const struct options *options)
{
    signals_catch();
    if (recorder_is_wanted(options)) {
        recorder_run(options, read_sign_ons);
        return;
    }
    read_sign_ons(options);
    if (options->input.player)
        run_player(options);
    else
        run_files(options);
}
