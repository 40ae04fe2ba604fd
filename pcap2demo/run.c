/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/run.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "common/sessions/demo_input.h"
#include "pcap2demo/inputs.h"
#include "pcap2demo/output/message.h"
#include "pcap2demo/output/progress.h"
#include "pcap2demo/reading.h"
#include "pcap2demo/recorder/options.h"
#include "pcap2demo/recorder/recorder.h"
#include "pcap2demo/signals.h"
#include "pcap2demo/summary.h"

/* --- Demos that lend their sign-on
 * ---------------------------------------------------------------- */

static void read_lender(GPtrArray *lenders, struct source *source)
{
    const char *name = source_title(source);
    char *problem = NULL, *error = NULL;
    GByteArray *bytes = reading_load(source, &problem);
    struct qs_demo_input *recording = qs_demo_input_open(bytes, problem, name, &error);

    if (!recording) {
        reading_fail(name, error);
        return;
    }
    if (!qs_lending_demos_add(lenders, recording))
        failure(EXIT_UNUSABLE, (struct qs_location){.file = name},
                "has no sign-on that could be lent");
    qs_demo_input_close(recording);
}

static void read_lenders(const struct options *options)
{
    for (char **name = demo_options.sign_ons; name && *name; name++) {
        char *error = NULL;
        struct source *source = source_open(*name, &error);

        if (source) {
            while (source_next(source, true))
                read_lender(options->sessions.sign_ons, source);
            source_close(source);
        } else {
            reading_fail(*name, error);
        }
    }
}

/* --- All inputs ------------------------------------------------------------------------------ */

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

static void read_all(struct reading *reading)
{
    char *const *files = reading->options->files;

    progress_start(total_size(files), wants_progress(reading->options));
    for (; *files && !signals_interrupted(); files++)
        reading_read(reading, *files);
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

static void report_filter(const struct reading *reading)
{
    if (input_options.filter && reading->frames && !reading->packets.frames)
        failure(EXIT_PROBLEMS, (struct qs_location){0},
                "filter \"%s\" matches none of %" G_GUINT64_FORMAT " packets", input_options.filter,
                reading->frames);
}

/* All that are asked for, as 1-5 may be more than there are. */
static void report_chosen(const struct reading *reading)
{
    const GArray *chosen = reading->options->sessions.chosen;

    for (guint i = 0; i < chosen->len; i++)
        if (g_array_index(chosen, unsigned, i) <= reading->sessions_max)
            return;
    if (chosen->len && reading->inputs)
        failure(EXIT_PROBLEMS, (struct qs_location){0}, "session %u is not there: the input has %u",
                g_array_index(chosen, unsigned, 0), reading->sessions_max);
}

/* --- Reading twice --------------------------------------------------------------------------- */

/* Standard input is kept for that. */
static bool can_read_again(const char *name)
{
    return source_is_standard_input(name) || reading_is_repeatable(name);
}

/* The first input that can be read only once, or NULL. */
static const char *find_once_only(char *const *files)
{
    while (*files && can_read_again(*files))
        files++;
    return *files;
}

/* False: what it is was reported. */
static bool keep_standard_input(char *const *files)
{
    char *error = NULL;

    for (; *files; files++)
        if (source_is_standard_input(*files) && !source_keep_standard_input(&error)) {
            reading_fail(SOURCE_STANDARD_INPUT, error);
            return false;
        }
    return true;
}

/* What is wrong with the inputs is reported when they are read again. */
static void read_ahead(const struct options *options, struct action *action)
{
    struct reading reading;

    messages_mute(true);
    action->ahead(action, true);
    reading_begin(&reading, options, action);
    read_all(&reading);
    reading_end(&reading, false);
    reading_clear(&reading);
    action->ahead(action, false);
    messages_mute(false);
}

/* False: an input has to be read twice, and cannot be. */
static bool prepare(const struct options *options, struct action *action)
{
    const char *once = action->ahead ? find_once_only(options->files) : NULL;

    if (once && action->twice)
        failure(EXIT_UNUSABLE, (struct qs_location){.file = once},
                "is no file: what is asked for reads it twice; give it by standard input");
    if (!action->ahead || once)
        return !once || !action->twice;
    if (!keep_standard_input(options->files))
        return false;
    read_ahead(options, action);
    return true;
}

static void run_files(const struct options *options)
{
    struct action *action = options->action->create(options);
    struct reading reading;

    if (!prepare(options, action)) {
        action->end(action, false);
        return;
    }
    reading_begin(&reading, options, action);
    read_all(&reading);
    reading_end(&reading, keep_unfinished(options));
    report_filter(&reading);
    report_chosen(&reading);
    if (options->verbose)
        summary_print(&reading.packets);
    action->end(action, reading.inputs != 0);
    reading_clear(&reading);
}

void run_inputs(const struct options *options)
{
    signals_catch();
    read_lenders(options);
    if (recorder_options.interface)
        recorder_run(options);
    else
        run_files(options);
}
