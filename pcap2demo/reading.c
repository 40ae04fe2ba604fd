/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/reading.h"

#include <pcap/pcap.h>
#include <stdio.h>
#include <sys/stat.h>

#include "common/sessions/demo_input.h"
#include "pcap2demo/inputs.h"
#include "pcap2demo/output/message.h"
#include "pcap2demo/signals.h"

void reading_fail(const char *name, char *error)
{
    failure(EXIT_UNUSABLE, (struct qs_location){.file = source_title_of(name)}, "%s", error);
    g_free(error);
}

/* --- One capture ----------------------------------------------------------------------------- */

static void start_input(struct reading *reading, const char *name, const char *stem)
{
    reading->inputs++;
    qs_sessions_set_source(reading->sessions, name, stem);
    if (reading->action->input_start)
        reading->action->input_start(reading->action, name);
}

/* Sessions may go on in the next input, unless each stands by itself. */
static void end_input(struct reading *reading, const char *name, uint64_t packets)
{
    reading->action->interrupted = signals_interrupted();
    reading->sessions_max = MAX(reading->sessions_max, qs_sessions_count(reading->sessions));
    if (reading->action->separate_inputs) {
        packets_end(&reading->packets, reading->sessions);
        qs_sessions_free(reading->sessions, !signals_interrupted());
        reading->sessions = qs_sessions_new(&reading->options->sessions, &reading->action->handler);
    }
    if (reading->action->input_over)
        reading->action->input_over(reading->action, name, packets);
}

static void read_input(struct reading *reading, struct input *input)
{
    if (!input_is_mixed(input) && !link_find(input_link_type(input))) {
        failure(EXIT_UNUSABLE, (struct qs_location){.file = input_name(input)},
                "captures of link type \"%s\" cannot be read",
                pcap_datalink_val_to_description_or_dlt(input_link_type(input)));
        return;
    }
    start_input(reading, input_name(input), input_stem(input));
    signals_set_input(input);
    packets_read(&reading->packets, input, reading->sessions,
                 qs_sessions_take_as_captured(reading->sessions), reading->bytes_before);
    signals_set_input(NULL);
    qs_sessions_end_source(reading->sessions);
    reading->frames += input_frames(input);
    end_input(reading, input_name(input), input_frames(input));
}

/* --- One demo -------------------------------------------------------------------------------- */

static void read_blocks(struct reading *reading, struct qs_demo_input *recording)
{
    struct qs_demo_block block;

    while (!signals_interrupted() && !ferror(stdout) && qs_demo_input_next(recording, &block))
        qs_sessions_block(reading->sessions, &block);
    if (qs_demo_input_error(recording))
        failure(EXIT_PROBLEMS,
                (struct qs_location){.file = qs_demo_input_name(recording),
                                     .packet = qs_demo_input_number(recording) + 1,
                                     .block = true},
                "%s", qs_demo_input_error(recording));
}

static void read_demo(struct reading *reading, struct qs_demo_input *recording)
{
    const char *name = qs_demo_input_name(recording);

    start_input(reading, name, "");
    qs_sessions_begin_demo(reading->sessions, recording);
    read_blocks(reading, recording);
    qs_sessions_end_demo(reading->sessions);
    end_input(reading, name, qs_demo_input_number(recording));
}

/* --- Any input ---------------------------------------------------------------------------------
 */

bool reading_is_repeatable(const char *name)
{
    struct stat about;

    return stat(name, &about) != 0 || S_ISREG(about.st_mode);
}

uint64_t reading_file_size(const char *name)
{
    struct stat about;

    return stat(name, &about) == 0 && S_ISREG(about.st_mode) ? (uint64_t)about.st_size : 0;
}

GByteArray *reading_load(struct source *source, char **problem)
{
    GByteArray *bytes = source_load(source_stream(source), QS_DEMO_INPUT_MAX, problem);
    char *of_source = source_problem(source);

    if (of_source) {
        g_free(*problem);
        *problem = of_source;
    }
    source_close_plain(source_stream(source));
    return bytes;
}

static void read_capture(struct reading *reading, FILE *stream, const char *name)
{
    char *error = NULL;
    struct input *input = input_open_capture(stream, name, input_options.filter, &error);

    if (!input) {
        reading_fail(name, error);
        return;
    }
    if (input_is_of_demos(input))
        reading->packets.comments = qs_comments_new();
    qs_sessions_set_comments(reading->sessions, reading->packets.comments);
    read_input(reading, input);
    qs_sessions_set_comments(reading->sessions, NULL);
    g_clear_pointer(&reading->packets.comments, qs_comments_free);
    input_close(input);
}

static void read_recording(struct reading *reading, GByteArray *bytes, char *problem,
                           const char *name)
{
    char *error = NULL;
    struct qs_demo_input *recording = qs_demo_input_open(bytes, problem, name, &error);

    if (!recording) {
        reading_fail(name, error);
        return;
    }
    read_demo(reading, recording);
    qs_demo_input_close(recording);
}

/* A capture, or by its beginning none and so a demo. */
static void read_source(struct reading *reading, struct source *source)
{
    char *problem = NULL;

    if (!source_is_capture(source_stream(source))) {
        GByteArray *bytes = reading_load(source, &problem);

        read_recording(reading, bytes, problem, source_title(source));
        return;
    }
    read_capture(reading, source_stream(source), source_title(source));
    problem = source_problem(source);
    if (problem)
        failure(EXIT_PROBLEMS, (struct qs_location){.file = source_title(source)}, "%s", problem);
    g_free(problem);
}

static void read_sources(struct reading *reading, struct source *source)
{
    const bool demos = reading->options->action != &convert_action;
    unsigned inputs = 0;
    char *problem;

    for (; !signals_interrupted() && source_next(source, demos); inputs++)
        read_source(reading, source);
    problem = source_problem(source);
    if (problem)
        failure(EXIT_PROBLEMS, (struct qs_location){.file = source_title(source)}, "%s", problem);
    else if (!inputs && !signals_interrupted())
        failure(EXIT_UNUSABLE, (struct qs_location){.file = source_title(source)},
                "no captures%s are in this archive", demos ? " and no demos" : "");
    g_free(problem);
}

void reading_read(struct reading *reading, const char *name)
{
    char *error = NULL;
    struct source *source = source_open(name, &error);

    if (source) {
        reading->packets.source = source;
        read_sources(reading, source);
        reading->packets.source = NULL;
        source_close(source);
    } else {
        reading_fail(name, error);
    }
    reading->bytes_before += reading_file_size(name);
}

/* --- All of them ----------------------------------------------------------------------------- */

void reading_begin(struct reading *reading, const struct options *options, struct action *action)
{
    *reading = (struct reading){.options = options, .action = action};
    packets_init(&reading->packets);
    reading->sessions = qs_sessions_new(&options->sessions, &action->handler);
}

void reading_end(struct reading *reading, bool keep)
{
    packets_end(&reading->packets, reading->sessions);
    qs_sessions_free(reading->sessions, keep);
    reading->sessions = NULL;
}

void reading_clear(struct reading *reading)
{
    packets_clear(&reading->packets);
}
