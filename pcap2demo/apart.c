/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/apart.h"

#include "pcap2demo/jobs.h"
#include "pcap2demo/output/message.h"
#include "pcap2demo/output/progress.h"
#include "pcap2demo/output/transcript.h"
#include "pcap2demo/signals.h"
#include "pcap2demo/ties.h"

/* Of an input: its ties, exit status, whether it could be read, sessions, all frames, those that
 * the filter took, its clock, what was printed meanwhile, its demos, what the action has learnt. */
#define GIVEN "(" TIES_GIVEN "ubutt(xx)ay" DEMO_FILES_GIVEN "v)"
#define GIVEN_PARTS "(@" TIES_GIVEN "ubutt(xx)^ay@" DEMO_FILES_GIVEN "v)"

struct given {
    guint32 status;
    gboolean readable;
    guint32 sessions;
    guint64 frames, taken;
    struct qs_sessions_clock clock;
    char *lines;
    GVariant *ties, *demos, *learnt;
};

struct apart {
    struct reading *reading;
    struct jobs *jobs;
    unsigned count;
    uint64_t bytes; /* of the inputs that are done */
};

/* --- The child ------------------------------------------------------------------------------- */

/* Ends what was read. */
static void end_input(struct reading *reading, struct ties *ties)
{
    const uint64_t incomplete = ip_counts(reading->packets.ip)->incomplete;

    ties_end_input(ties, false);
    reading_end(reading, true);
    ties_end_input(ties, ip_counts(reading->packets.ip)->incomplete != incomplete);
}

static GVariant *give(struct reading *reading, struct ties *ties, const GString *lines,
                      const struct qs_sessions_clock *clock)
{
    GVariant *learnt = reading->action->give(reading->action);

    return g_variant_new(GIVEN_PARTS, ties_give(ties), (guint32)status_so_far(),
                         reading->inputs != 0, reading->sessions_max, reading->frames,
                         reading->packets.frames, clock->last, clock->furthest, lines->str,
                         demo_files_give(reading->options->demos), learnt);
}

static GVariant *read_apart(void *user, unsigned index)
{
    const struct apart *apart = user;
    struct options options = *apart->reading->options;
    struct action *action = options.action->create(&options);
    struct ties *ties = ties_new(&action->handler);
    GString *lines = g_string_new(NULL);
    struct qs_sessions_clock clock;
    struct reading reading;
    GVariant *given;

    signals_default();
    keep_lines(lines);
    forgive();
    progress_start(0, false);
    demo_files_set_aside(options.demos);
    options.sessions.claim = ties_hear_of_unclaimed;
    options.sessions.claim_user = ties;
    reading_begin(&reading, &options, action, ties_handler(ties));
    reading_read(&reading, options.files[index]);
    clock = qs_sessions_clock(reading.sessions);
    end_input(&reading, ties);
    given = give(&reading, ties, lines, &clock);
    reading_clear(&reading);
    ties_free(ties);
    keep_lines(NULL);
    g_string_free(lines, TRUE);
    return given;
}

/* --- The parent: what was given -------------------------------------------------------------- */

static void on_over(void *user, unsigned index, pid_t process, bool well)
{
    struct apart *apart = user;
    const struct options *options = apart->reading->options;

    if (!well || signals_interrupted())
        demo_files_sweep(options->demos, (long)process);
    apart->bytes += reading_file_size(options->files[index]);
    progress_update(apart->bytes);
}

/* False: there is nothing; what went wrong was reported. */
static bool wait_for(const struct apart *apart, unsigned index, struct given *given)
{
    char *problem;
    GVariant *variant = jobs_wait(apart->jobs, index, &problem);

    if (variant) {
        g_variant_get(variant, GIVEN_PARTS, &given->ties, &given->status, &given->readable,
                      &given->sessions, &given->frames, &given->taken, &given->clock.last,
                      &given->clock.furthest, &given->lines, &given->demos, &given->learnt);
        g_variant_unref(variant);
        return true;
    }
    if (problem)
        failure(EXIT_UNUSABLE, (struct qs_location){.file = apart->reading->options->files[index]},
                "%s", problem);
    g_free(problem);
    return false;
}

static void clear(struct given *given)
{
    g_free(given->lines);
    g_variant_unref(given->ties);
    g_variant_unref(given->demos);
    g_variant_unref(given->learnt);
}

/* The input is taken as if it had been read now. */
static void take(struct reading *reading, const struct given *given)
{
    const unsigned before = qs_sessions_count(reading->sessions);

    transcript_print(given->lines);
    raise_status((enum exit_status)given->status);
    demo_files_take(reading->options->demos, given->demos);
    reading->action->take(reading->action, given->learnt, before);
    reading->inputs += given->readable ? 1 : 0;
    reading->frames += given->frames;
    reading->packets.frames += given->taken;
    if (!reading->options->separate_inputs)
        qs_sessions_skip(reading->sessions, given->sessions);
    reading->sessions_max = MAX(reading->sessions_max, before + given->sessions);
}

/* --- The parent: inputs that have sessions of their own -------------------------------------- */

static void take_each(const struct apart *apart)
{
    for (unsigned i = 0; i < apart->count && !signals_interrupted(); i++) {
        struct given given;

        if (wait_for(apart, i, &given)) {
            take(apart->reading, &given);
            clear(&given);
        }
    }
}

/* --- The parent: inputs whose sessions may belong together ------------------------------------ */

/* What ties the inputs; NULL: they could not be read. */
static GVariant **read_ties(const struct apart *apart)
{
    GVariant **ties = g_new0(GVariant *, apart->count);

    for (unsigned i = 0; i < apart->count && !signals_interrupted(); i++) {
        char *problem;
        GVariant *variant = jobs_wait(apart->jobs, i, &problem);

        if (variant) {
            ties[i] = g_variant_get_child_value(variant, 0);
            g_variant_unref(variant);
        }
        g_free(problem);
    }
    return ties;
}

static void take_or_read(const struct apart *apart, unsigned index, bool tied)
{
    struct reading *reading = apart->reading;
    struct given given;

    if (!wait_for(apart, index, &given))
        return;
    if (!tied)
        qs_sessions_pass_time(reading->sessions, &given.clock);
    if (!tied && demo_files_can_take(reading->options->demos, given.demos)) {
        take(reading, &given);
    } else {
        demo_files_drop(given.demos);
        reading_read(reading, reading->options->files[index]);
    }
    clear(&given);
}

static void drop(const struct apart *apart, unsigned index)
{
    struct given given;

    if (wait_for(apart, index, &given)) {
        demo_files_drop(given.demos);
        clear(&given);
    }
}

static void take_all(const struct apart *apart)
{
    GVariant **ties = read_ties(apart);
    bool *tied = g_new0(bool, apart->count);

    ties_find(ties, apart->count, tied);
    for (unsigned i = 0; i < apart->count; i++) {
        if (!signals_interrupted())
            take_or_read(apart, i, tied[i]);
        else
            drop(apart, i);
        if (ties[i])
            g_variant_unref(ties[i]);
    }
    g_free(tied);
    g_free(ties);
}

/* --- Whether ---------------------------------------------------------------------------------- */

/* What can be read only once is not read by a child first. */
static bool are_files(char *const *files)
{
    while (*files && !source_is_standard_input(*files) && reading_is_repeatable(*files))
        files++;
    return !*files;
}

/* --verbose counts packets of all inputs together. */
static bool may_be_apart(const struct reading *reading)
{
    const struct options *options = reading->options;

    if (options->jobs < 2 || !reading->action->give || options->verbose ||
        !are_files(options->files))
        return false;
    return options->separate_inputs ||
           (!options->sessions.chosen->len && !demo_files_is_one(options->demos));
}

bool apart_read(struct reading *reading)
{
    struct apart apart = {.reading = reading, .count = g_strv_length(reading->options->files)};
    const struct jobs_setup setup = {.count = apart.count,
                                     .at_once = reading->options->jobs,
                                     .type = G_VARIANT_TYPE(GIVEN),
                                     .work = read_apart,
                                     .over = on_over,
                                     .user = &apart};

    if (apart.count < 2 || !may_be_apart(reading))
        return false;
    apart.jobs = jobs_new(&setup);
    if (!apart.jobs)
        return false;
    if (reading->options->separate_inputs)
        take_each(&apart);
    else
        take_all(&apart);
    jobs_free(apart.jobs);
    return true;
}
