/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/sessions/flow.h"
#include "pcap2demo/actions/report.h"
#include "pcap2demo/capture/inputs.h"
#include "pcap2demo/capture/pipeline.h"
#include "pcap2demo/capture/signals.h"
#include "pcap2demo/output/files.h"
#include "pcap2demo/recording/recording.h"

#define SECOND INT64_C(1000000000) /* nanoseconds */

/* Maximum delay of a packet between its capture and this process (ns). */
#define DELAY (5 * SECOND)

enum { FRAMES_AT_ONCE = 1024, STATUS_EVERY_S = 5, WAIT_US = 100000 };

struct follower {
    const struct options *options;
    struct qs_sessions_options sessions_options;
    char *folder;                /* folder of the ring */
    struct capturers *capturers; /* NULL: other programs capture */
    struct ring *ring;
    struct recordings *recordings;
    struct action *action;
    struct pipeline pipeline;
    struct qs_sessions *sessions;
    struct status status;
    gint64 frame_read;                   /* when that frame was read (monotonic, microseconds) */
    gint64 scanned;                      /* time of the last ring_scan() (likewise) */
    unsigned ticks;                      /* seconds since the start */
    bool read_everything;                /* all existing frames have been read */
    bool failed;                         /* the folder of demos cannot be written */
    char *ring_trouble, *status_trouble; /* problems last logged; NULL: none */
};

static bool fail(const char *file, char *error)
{
    failure(EXIT_UNUSABLE, (struct qs_location){.file = file}, "%s", error);
    g_free(error);
    return false;
}

/* Logs a problem of `what` when it starts or changes, and `over` when it ends. Takes ownership of
 * `trouble`, which is NULL if there is no problem. */
static void log_trouble(char **logged, const char *what, char *trouble, const char *over)
{
    if (g_strcmp0(*logged, trouble) != 0)
        log_event(LOG_WARNING, trouble ? "trouble" : "trouble_over", NULL, "%s: %s", what,
                  trouble ? trouble : over);
    g_free(*logged);
    *logged = trouble;
}

/* --- Privileges ------------------------------------------------------------------------------ */

/* Returns the user that root becomes: of sudo, or the owner of the demos. NULL: none. */
static const struct passwd *find_user(const char *demos)
{
    const char *sudo = g_getenv("SUDO_UID");
    struct stat about;
    uid_t user = 0;

    if (sudo)
        user = (uid_t)g_ascii_strtoull(sudo, NULL, 10);
    if (!user && stat(demos, &about) == 0)
        user = about.st_uid;
    return user ? getpwuid(user) : NULL;
}

/* Becomes `user`; if not `for_good`, root can be regained. False on failure. */
static bool become(const struct passwd *user, bool for_good)
{
    return initgroups(user->pw_name, user->pw_gid) == 0 &&
           (for_good ? setresgid(user->pw_gid, user->pw_gid, user->pw_gid) == 0 &&
                           setresuid(user->pw_uid, user->pw_uid, user->pw_uid) == 0 &&
                           prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
                     : setegid(user->pw_gid) == 0 && seteuid(user->pw_uid) == 0);
}

/* --- Capturing ------------------------------------------------------------------------------- */

/* Creates the folders of demos and ring. Returns NULL and `*folder`, or a new error text. */
static char *make_ring(const char *demos, const char *ring, char **folder)
{
    char *error = make_folders(demos);
    mode_t mask;

    if (error)
        return error;
    *folder = ring ? g_strdup(ring) : g_build_filename(demos, "ring", NULL);
    mask = umask(077); /* the ring contains passwords and chat */
    error = make_folders(*folder);
    umask(mask);
    return error;
}

/* Starts tcpdump, and drops root's privileges for good. False after reporting an error. */
static bool start_capturers(struct follower *follower, const char *demos)
{
    const struct input_options *input = &follower->options->input;
    const struct recorder_options *recorder = &follower->options->recorder;
    const struct passwd *user = geteuid() ? NULL : find_user(demos);
    g_autofree char *filter = capturers_filter(input->ports, input->filter), *path = NULL;
    char *error = NULL;

    if (!geteuid() && !user)
        return fail(demos,
                    g_strdup("root does not record for itself: use sudo, or let another user "
                             "own this folder (chown)"));
    if (user && !become(user, false))
        return fail(user->pw_name, g_strdup(g_strerror(errno)));
    error = make_ring(demos, recorder->ring, &follower->folder);
    if (error)
        return fail(NULL, error);
    path = realpath(follower->folder, NULL);
    if (user && (seteuid(0) != 0 || setegid(0) != 0))
        return fail(user->pw_name, g_strdup(g_strerror(errno)));
    follower->capturers = capturers_start(recorder->interface, path ? path : follower->folder,
                                          recorder->ring_size, filter, user, &error);
    if (!follower->capturers)
        return fail(recorder->interface, error);
    if (user && !become(user, true))
        return fail(user->pw_name, g_strdup(g_strerror(errno)));
    log_event(LOG_INFO, "listening",
              json_pack("{s:s, s:s}", "interface", recorder->interface, "filter", filter),
              "tcpdump captures %s to %s, filter: %s", recorder->interface, follower->folder,
              filter);
    return true;
}

/* --- Tasks of every second ------------------------------------------------------------------- */

/* Returns how long no packet has come (ns), less DELAY. A change of the clock is no silence. */
static int64_t silence(const struct follower *follower)
{
    const int64_t by_capture = g_get_real_time() * 1000 - follower->status.until;
    const int64_t by_reading = (g_get_monotonic_time() - follower->frame_read) * 1000;

    return by_reading < DELAY ? 0 : MAX(by_capture, by_reading) - DELAY;
}

/* Returns the time up to which demos are complete, limited by sessions that may still continue. */
static int64_t until(const struct follower *follower, int64_t silent)
{
    const int64_t option = follower->options->recorder.idle, idle = option ? option : QS_FLOW_IDLE;
    const GPtrArray *sessions = follower->status.sessions;
    int64_t time = MIN(follower->status.until + silent, g_get_real_time() * 1000) - idle;

    for (guint i = 0; i < sessions->len; i++) {
        const struct qs_client_session *session = g_ptr_array_index(sessions, i);

        time = MIN(time, (qs_client_session_waits(session) ? session->start : session->end) - 1);
    }
    return time;
}

static void update_status(struct follower *follower)
{
    struct status *status = &follower->status;

    status->from = ring_oldest(follower->ring);
    if (follower->capturers)
        status->drops_known = capturers_dropped(follower->capturers, &status->dropped);
    log_trouble(&follower->status_trouble, "status",
                status_write(status, demo_files_folder(follower->options->demos),
                             follower->options->recorder.metrics),
                "can be written again");
}

/* Stores the time stamp. On failure the recording ends, and the next start reads the ring again. */
static void set_until(struct follower *follower, int64_t time)
{
    char *error = recordings_set_until(follower->recordings, time, ring_oldest(follower->ring));

    follower->failed = error != NULL;
    if (error)
        fail(NULL, g_strconcat("no demo can be written any more: ", error, NULL));
    g_free(error);
}

/* Performs the tasks of every second. `idle`: no frame was ready at the last attempt. */
static void tick(struct follower *follower, bool idle)
{
    const bool all_read = idle && !follower->ring_trouble && ring_is_read(follower->ring);
    const int64_t silent = all_read ? silence(follower) : 0;

    follower->read_everything |= idle;
    if (follower->status.until) {
        const int64_t time = until(follower, silent);

        if (silent)
            pipeline_flush(&follower->pipeline);
        qs_sessions_expire(follower->sessions, silent);
        tcp_expire(follower->pipeline.tcp, follower->status.until + silent);
        if (follower->read_everything)
            set_until(follower, time);
    }
    if (follower->options->recorder.ring_size)
        ring_remove_oldest(follower->ring, follower->options->recorder.ring_size);
    if (follower->ticks++ % STATUS_EVERY_S == 0) {
        update_status(follower);
        if (follower->capturers)
            capturers_ask(follower->capturers);
    }
    if (signals_poll_request())
        status_log(&follower->status);
}

/* --- Frames ---------------------------------------------------------------------------------- */

static void scan_ring(struct follower *follower)
{
    const int error = ring_scan(follower->ring);

    follower->scanned = g_get_monotonic_time();
    log_trouble(&follower->ring_trouble, follower->folder,
                error ? g_strdup(g_strerror(error)) : NULL, "can be read again");
}

/* Returns the identity of the last frame's file. All files share the name of their folder, because
 * packets are numbered through all of them. */
static const struct qs_capture_file *last_file(const struct follower *follower)
{
    struct input *input = ring_last_input(follower->ring);

    if (!input->file)
        input->file = qs_sessions_set_source(follower->sessions, follower->folder, "");
    return input->file;
}

/* Reads and decodes a batch of frames. False if none was ready. */
static bool read_frames(struct follower *follower, int64_t now)
{
    struct input_frame *frame;
    unsigned count = 0;

    while (count < FRAMES_AT_ONCE && (frame = ring_next(follower->ring, now))) {
        if (!follower->status.packets)
            recordings_complete(follower->recordings, &follower->options->sessions,
                                ring_oldest(follower->ring));
        frame->packet.number = frame->packet.frame = ++follower->status.packets;
        frame->packet.file = last_file(follower);
        follower->status.until = frame->packet.time;
        pipeline_add_frame(&follower->pipeline, frame);
        count++;
    }
    if (count)
        follower->frame_read = g_get_monotonic_time();
    return count != 0;
}

/* Records until interrupted, or until no capturer runs. With --follow only interrupts end it. */
static void follow(struct follower *follower)
{
    bool idle = false;

    while (!follower->failed && !signals_interrupted() &&
           (!follower->capturers || capturers_check(follower->capturers))) {
        if (g_get_monotonic_time() - follower->scanned >= G_USEC_PER_SEC) {
            scan_ring(follower);
            tick(follower, idle);
        }
        idle = !read_frames(follower, g_get_real_time() * 1000);
        if (idle)
            g_usleep(WAIT_US);
    }
}

/* --- End ------------------------------------------------------------------------------------- */

/* Ends the recording after Ctrl-C: records open sessions up to the last frame. signals.c ends the
 * process after two seconds; the next start completes the demos that are left. */
static void finish(struct follower *follower)
{
    scan_ring(follower);
    while (read_frames(follower, INT64_MAX))
        ;
    pipeline_flush(&follower->pipeline);
    qs_sessions_end_source(follower->sessions);
    pipeline_end(&follower->pipeline);
    qs_sessions_free(follower->sessions, true);
    if (follower->status.until)
        set_until(follower, MIN(follower->status.until, g_get_real_time() * 1000));
}

/* Ends the recording after other signals: leaves open demos for the next start. */
static void leave(struct follower *follower)
{
    struct qs_sessions_handler *handler = &follower->action->handler;

    recordings_leave(follower->recordings);
    handler->session_begin = handler->session_late = handler->session_map = NULL;
    handler->session_end = handler->session_left_out = NULL;
    handler->demo_file = NULL;
    pipeline_end(&follower->pipeline);
    qs_sessions_free(follower->sessions, false);
}

static void stop(struct follower *follower)
{
    const char *signal = signals_interruption();
    g_autofree char *text = NULL;

    if (follower->capturers)
        capturers_stop(follower->capturers);
    update_status(follower);
    if (g_strcmp0(signal, "SIGINT") == 0) {
        finish(follower); /* within two seconds, or not to its end */
        update_status(follower);
    }
    text = status_text(&follower->status);
    if (g_strcmp0(signal, "SIGINT") != 0)
        leave(follower);
    if (signal)
        exit_status_reset();
    else if (!follower->failed)
        failure(follower->status.until ? EXIT_PROBLEMS : EXIT_UNUSABLE,
                (struct qs_location){.file = follower->options->recorder.interface},
                "nothing is captured any more");
    if (follower->failed)
        exit_status_raise(EXIT_UNUSABLE);
    log_event(LOG_INFO, "stopped", NULL, "stopped%s%s: %s", signal ? " by " : "",
              signal ? signal : "", text);
}

/* --- Recording ------------------------------------------------------------------------------- */

static void run(struct follower *follower)
{
    const struct options *options = follower->options;
    const char *demos = demo_files_folder(options->demos);

    follower->ring =
        ring_new(follower->folder, options->recorder.follow ? options->input.filter : NULL);
    scan_ring(follower);
    follower->sessions_options = options->sessions;
    follower->sessions_options.store = (struct qs_demo_store *)follower->recordings;
    follower->sessions_options.idle = options->recorder.idle;
    follower->sessions_options.both_ends = true;
    follower->action = recording_action_new(options, &follower->status);
    follower->sessions = qs_sessions_new(&follower->sessions_options, &follower->action->handler);
    pipeline_init(&follower->pipeline, options->recorder.idle);
    pipeline_start(&follower->pipeline, follower->sessions);
    log_event(LOG_INFO, "folder",
              json_pack("{s:o, s:o}", "folder", report_text_json(demos), "ring",
                        report_text_json(follower->folder)),
              "follows %s; demos go to %s", follower->folder,
              strcmp(demos, ".") == 0 ? "the current folder" : demos);
    follow(follower);
    stop(follower);
    if (options->verbose)
        pipeline_print_counts(&follower->pipeline);
    pipeline_clear(&follower->pipeline);
    action_free(follower->action);
    ring_free(follower->ring);
    g_free(follower->ring_trouble);
    g_free(follower->status_trouble);
}

static bool open_recordings(struct follower *follower, const char *demos)
{
    char *error = NULL;

    follower->recordings =
        recordings_new(demos, &follower->options->recorder, &follower->status.no_room, &error);
    return follower->recordings || fail(NULL, error);
}

/* Raises the limit of open files: all files of a ring stay open. */
static void open_many_files(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
}

void recorder_run(const struct options *options, void (*prepare)(const struct options *options))
{
    const char *demos = demo_files_folder(options->demos);
    struct follower follower = {.options = options, .folder = g_strdup(options->recorder.follow)};
    char *error = NULL;

    signals_catch_requests();
    open_many_files();
    log_open(g_strcmp0(options->recorder.log_format, "json") == 0, !options->quiet);
    status_init(&follower.status);
    if (!qs_demo_names_are_generated(demo_files_naming(options->demos)))
        fail(NULL,
             g_strdup_printf("--output %s: demos of a recording go to a folder, not to a file",
                             options->demo.output));
    else if (options->recorder.follow && !g_file_test(follower.folder, G_FILE_TEST_IS_DIR))
        fail(follower.folder, g_strdup("there is no such folder"));
    else if (options->recorder.follow && options->input.filter &&
             !input_filter_is_valid(options->input.filter, &error))
        fail(NULL, error);
    else if ((options->recorder.follow || start_capturers(&follower, demos)) &&
             open_recordings(&follower, demos)) {
        prepare(options);
        run(&follower);
    }
    if (follower.capturers)
        capturers_free(follower.capturers);
    if (follower.recordings)
        recordings_free(follower.recordings);
    status_clear(&follower.status);
    log_close();
    g_free(follower.folder);
}
