/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/recorder/options.h"

#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "pcap2demo/actions/report.h"
#include "pcap2demo/capture/live.h"
#include "pcap2demo/capture/inputs.h"
#include "pcap2demo/capture/pipeline.h"
#include "pcap2demo/recorder/log.h"
#include "pcap2demo/recorder/recordings.h"
#include "pcap2demo/recorder/session_captures.h"
#include "pcap2demo/recorder/sandbox.h"
#include "pcap2demo/capture/signals.h"

/* STATUS_EVERY and _MAX are in seconds, FRAMES_AT_ONCE in frames. */
enum {
    WAIT_MS = 100,
    STATUS_EVERY = 5,
    STATUS_EVERY_MAX = 30,
    FRAMES_AT_ONCE = 4096,
    DRAIN_WAIT_MS = 10,
    DRAIN_MS = 10000
};

struct recorder {
    const struct options *options;
    struct qs_sessions_options sessions_options;
    bool records; /* demos; else another action has the sessions */
    char **interfaces;
    char *filter; /* or NULL */
    struct live *live;
    struct action *action;
    struct recordings *recordings;     /* NULL: no demos are written */
    struct session_captures *captures; /* NULL: no demos are written */
    struct pipeline pipeline;
    struct qs_sessions *sessions;
    struct status status;
    unsigned interface; /* of the last frame */
    int64_t frame_time; /* its time */
    gint64 last_frame;  /* when it was read: monotonic, microseconds */
    gint64 ticked;      /* the same */
    gint64 status_due;  /* the same */
};

/* --- systemd --------------------------------------------------------------------------------- */

/* The socket that $NOTIFY_SOCKET names, where systemd reads the service's state, as sd_notify(3)
 * sends it; -1: there is none. */
static int notify_socket = -1;

/* To be called before privileges are dropped that connecting needs. */
static void notify_open(void)
{
    const char *name = g_getenv("NOTIFY_SOCKET");
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const size_t size = name ? strlen(name) : 0;

    if (!size || size >= sizeof address.sun_path || !strchr("/@", *name))
        return;
    memcpy(address.sun_path, name, size);
    if (*name == '@') /* an abstract name */
        address.sun_path[0] = '\0';
    notify_socket = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (notify_socket >= 0 &&
        connect(notify_socket, (const struct sockaddr *)&address,
                (socklen_t)(offsetof(struct sockaddr_un, sun_path) + size)) != 0) {
        close(notify_socket);
        notify_socket = -1;
    }
}

/* Lines as "READY=1", "STATUS=...". */
static void notify(const char *state)
{
    if (notify_socket >= 0)
        (void)!send(notify_socket, state, strlen(state), MSG_NOSIGNAL);
}

/* --- Beginning ------------------------------------------------------------------------------- */

static void report_interface(const char *interface, const char *what, bool good)
{
    log_event(good ? LOG_INFO : LOG_WARNING, "interface",
              json_pack("{s:s}", "interface", interface), "%s: %s", interface, what);
}

/* libpcap's message about missing permissions is long and does not help. */
static void report_open_failure(const char *interface, const char *error)
{
    const bool refused = geteuid() != 0 && strstr(error, "ermission");
    g_autofree char *program = g_file_read_link("/proc/self/exe", NULL);

    failure(EXIT_UNUSABLE, (struct qs_location){.file = interface}, "%s%s",
            refused ? "no right to record from it; as root, once: setcap cap_net_raw+ep " : error,
            refused && program ? program : "");
}

static bool open_interfaces(struct recorder *recorder)
{
    const struct live_setup setup = {.names = recorder->interfaces,
                                     .filter = recorder->filter,
                                     .buffer = recorder_options.buffer,
                                     .tell = report_interface};
    const char *interface = recorder_options.interface;
    char *error = NULL;

    recorder->live = live_open(&setup, &interface, &error);
    if (!recorder->live)
        report_open_failure(interface, error);
    g_free(error);
    return recorder->live != NULL;
}

/* Only opening the interfaces needed privileges. */
static bool drop_privileges(const struct recorder *recorder)
{
    const struct options *options = recorder->options;
    char *metrics = recorder_options.metrics ? g_path_get_dirname(recorder_options.metrics) : NULL;
    const char *folders[4] = {NULL}; /* that are written to */
    unsigned count = 0;
    char *problem;

    if (recorder->records)
        folders[count++] = demo_files_folder(options->demos);
    else if (options->action == &extract_action)
        folders[count++] = options->argument;
    if (recorder_options.packets)
        folders[count++] = recorder_options.packets;
    folders[count] = metrics;
    problem = sandbox_enter(recorder_options.user, folders);
    g_free(metrics);
    if (!problem)
        return true;
    failure(EXIT_UNUSABLE, (struct qs_location){.file = recorder_options.interface}, "%s", problem);
    g_free(problem);
    return false;
}

/* False: they cannot be written. */
static bool open_recordings(struct recorder *recorder)
{
    struct demo_files *demos = recorder->options->demos;
    const char *captures = recorder_options.packets;
    char *error = NULL;

    if (!recorder->records && captures)
        error = g_strdup("--write-pcap goes with demos");
    else if (recorder->records && !qs_demo_names_is_free(demo_files_naming(demos)))
        error = g_strdup("--output: demos of interfaces go to a folder, not to one file");
    else if (recorder->records)
        recorder->recordings =
            recordings_new(demo_files_folder(demos), captures, &recorder->status, &error);
    if (error)
        failure(EXIT_UNUSABLE, (struct qs_location){.file = recorder_options.interface}, "%s",
                error);
    g_free(error);
    return recorder->recordings || (!recorder->records && !captures);
}

/* Completes what earlier runs left. */
static void start_recordings(struct recorder *recorder)
{
    status_continue(&recorder->status, demo_files_folder(recorder->options->demos));
    recordings_recover(recorder->recordings, &recorder->options->sessions);
    recorder->sessions_options.store = (struct qs_demo_store *)recorder->recordings;
    recorder->captures =
        session_captures_new(recorder->sessions_options.store, recorder_options.packets);
    recorder->pipeline.on_packet = session_captures_keep;
    recorder->pipeline.user = recorder->captures;
}

static void log_start(const struct recorder *recorder)
{
    const char *folder = recorder->records ? demo_files_folder(recorder->options->demos) : NULL;
    const char *filter = recorder->filter ? recorder->filter : "none";

    for (unsigned i = 0; recorder->interfaces[i]; i++)
        log_event(LOG_INFO, "listening",
                  json_pack("{s:s, s:s, s:s}", "interface", recorder->interfaces[i], "link",
                            live_link_name(recorder->live, i), "filter", filter),
                  "listening on %s (%s), filter: %s", recorder->interfaces[i],
                  live_link_name(recorder->live, i), filter);
    if (folder)
        log_event(LOG_INFO, "folder", json_pack("{s:s}", "folder", folder), "demos go to %s",
                  strcmp(folder, ".") == 0 ? "the current folder" : folder);
}

/* --- Packets --------------------------------------------------------------------------------- */

/* The next frames are of it. */
static void use_interface(struct recorder *recorder, unsigned interface)
{
    const char *name = recorder->interfaces[interface];

    recorder->interface = interface;
    qs_sessions_set_source(recorder->sessions, name, name);
}

/* Returns whether there were any. */
static bool read_frames(struct recorder *recorder)
{
    struct input_frame *frame;
    unsigned interface, count = 0;

    while (count < FRAMES_AT_ONCE && (frame = live_next(recorder->live, &interface))) {
        count++;
        recorder->frame_time = frame->packet.time;
        if (interface != recorder->interface)
            use_interface(recorder, interface);
        pipeline_add_frame(&recorder->pipeline, frame);
    }
    recorder->status.all[PACKETS] += count;
    if (count)
        recorder->last_frame = g_get_monotonic_time();
    else
        pipeline_flush(&recorder->pipeline);
    return count != 0;
}

/* --- Every second ---------------------------------------------------------------------------- */

static void update_drops(struct recorder *recorder)
{
    uint64_t *counts = recorder->status.all;
    const struct live_drops drops = live_drops(recorder->live);
    const uint64_t kernel = drops.kernel - counts[DROPPED_KERNEL],
                   interface = drops.interface - counts[DROPPED_INTERFACE];

    counts[DROPPED_KERNEL] = drops.kernel;
    counts[DROPPED_INTERFACE] = drops.interface;
    if (kernel || interface)
        log_event(LOG_WARNING, "drops",
                  json_pack("{s:o, s:o}", "kernel", report_number(kernel), "interface",
                            report_number(interface)),
                  "packets came too fast and are lost: %" G_GUINT64_FORMAT
                  " by the kernel, %" G_GUINT64_FORMAT " by interfaces",
                  kernel, interface);
}

/* Writes it to its files and returns it as a new text. */
static char *write_status(struct recorder *recorder)
{
    if (recorder->records)
        status_write(&recorder->status, demo_files_folder(recorder->options->demos),
                     recorder_options.metrics);
    return status_text(&recorder->status);
}

/* That takes no more than a 300th of the time, however many play. */
static void notify_status(struct recorder *recorder)
{
    const gint64 begun = g_get_monotonic_time();
    g_autofree char *text = write_status(recorder);
    g_autofree char *state = g_strconcat("STATUS=", text, "\nWATCHDOG=1", NULL);
    const gint64 took = g_get_monotonic_time() - begun;

    recorder->status_due = recorder->ticked + CLAMP(300 * took, STATUS_EVERY * G_USEC_PER_SEC,
                                                    STATUS_EVERY_MAX * G_USEC_PER_SEC);
    notify(state);
}

static void log_status(struct recorder *recorder)
{
    g_autofree char *text = write_status(recorder);

    log_event(LOG_WARNING, "status", status_json(&recorder->status), "status: %s", text);
    status_log_players(&recorder->status);
}

static void tick(struct recorder *recorder, gint64 now)
{
    recorder->ticked = now;
    qs_sessions_wait(recorder->sessions, (now - recorder->last_frame) * 1000);
    live_tend(recorder->live);
    update_drops(recorder);
    if (recorder->recordings)
        recordings_tick(recorder->recordings);
    if (recorder->records && now >= recorder->status_due)
        notify_status(recorder);
}

static void handle_signals(struct recorder *recorder)
{
    if (signals_requested(SIGUSR1))
        log_status(recorder);
    if (signals_requested(SIGHUP)) {
        log_reopen();
        live_tend(recorder->live);
        log_event(LOG_INFO, "reopened", NULL, "interfaces are opened again");
    }
}

/* --- The run --------------------------------------------------------------------------------- */

/* A service manager restarts it with the dropped privileges; without open sessions, or without the
 * folder of their demos, that loses nothing. */
static bool should_restart(const struct recorder *recorder)
{
    return notify_socket >= 0 &&
           ((live_lacks_right(recorder->live) && !recorder->status.sessions->len) ||
            (recorder->recordings && recordings_lack_folder(recorder->recordings)));
}

static void record(struct recorder *recorder)
{
    recorder->last_frame = recorder->ticked = g_get_monotonic_time();
    use_interface(recorder, 0);
    pipeline_start(&recorder->pipeline, recorder->sessions);
    if (recorder->action->input_start)
        recorder->action->input_start(recorder->action, recorder_options.interface);
    if (recorder->records)
        notify_status(recorder);
    while (!signals_interrupted() && !live_is_over(recorder->live) && !should_restart(recorder)) {
        const bool busy = read_frames(recorder);
        const gint64 now = g_get_monotonic_time();

        if (now - recorder->ticked >= G_USEC_PER_SEC)
            tick(recorder, now);
        handle_signals(recorder);
        log_flush(0);
        if (!busy)
            live_wait(recorder->live, WAIT_MS);
    }
}

/* Reads what the kernel still has: the last frame comes after LIVE_HANDED_OUT_MS, or before one
 * that is later than now. It takes no longer than DRAIN_MS. */
static void drain_kernel(struct recorder *recorder)
{
    const gint64 now = g_get_monotonic_time();
    const gint64 idle = now + LIVE_HANDED_OUT_MS * 1000, last = now + DRAIN_MS * 1000;
    const int64_t stopped = g_get_real_time() * 1000;
    bool busy = true;

    live_take_at_once(recorder->live);
    while (g_get_monotonic_time() < (busy ? last : idle) && recorder->frame_time < stopped) {
        busy = read_frames(recorder);
        if (!busy)
            live_wait(recorder->live, DRAIN_WAIT_MS);
    }
}

static void finish(struct recorder *recorder)
{
    notify("STOPPING=1");
    drain_kernel(recorder);
    pipeline_flush(&recorder->pipeline);
    update_drops(recorder);
    qs_sessions_end_source(recorder->sessions);
    recorder->action->interrupted = signals_interrupted();
    if (recorder->action->input_over)
        recorder->action->input_over(recorder->action, recorder_options.interface,
                                     recorder->status.all[PACKETS]);
    pipeline_end(&recorder->pipeline);
}

static void log_stop(struct recorder *recorder)
{
    const char *signal = signals_interruption();
    g_autofree char *text = write_status(recorder);

    if (live_is_over(recorder->live))
        failure(EXIT_PROBLEMS, (struct qs_location){0}, "no interface is left to record from");
    else if (!signal)
        failure(EXIT_PROBLEMS, (struct qs_location){0},
                "ends, to be started again with the right to open all interfaces and folders");
    if (recorder->records)
        log_event(LOG_INFO, "stopped", status_json(&recorder->status), "stopped%s%s: %s",
                  signal ? " by " : "", signal ? signal : "", text);
}

static void run(struct recorder *recorder)
{
    const struct options *options = recorder->options;

    if (recorder->recordings)
        start_recordings(recorder);
    recorder->action = recorder->records
                           ? recording_action_new(options, &recorder->status, recorder->captures)
                           : action_new(options);
    recorder->sessions = qs_sessions_new(&recorder->sessions_options, &recorder->action->handler);
    log_start(recorder);
    notify("READY=1");
    record(recorder);
    finish(recorder);
    qs_sessions_free(recorder->sessions, true);
    /* A requested stop exits with 0. */
    if (signals_interrupted() && options->action != &check_action)
        status_reset();
    if (recorder->captures)
        session_captures_free(recorder->captures);
    if (recorder->recordings)
        recordings_close(recorder->recordings);
    log_stop(recorder);
    if (options->verbose)
        pipeline_print_counts(&recorder->pipeline);
    if (recorder->action->end)
        recorder->action->end(recorder->action, true);
    action_free(recorder->action);
}

static void open_and_run(struct recorder *recorder)
{
    const struct log_setup setup = {.messages = !recorder->records, /* another action prints */
                                    .json = recorder_options.json,
                                    .events = !recorder->options->quiet};

    if (!open_interfaces(recorder))
        return;
    notify_open();
    if (recorder->records)
        log_open_terminal();
    if (drop_privileges(recorder) && open_recordings(recorder)) {
        log_open(&setup);
        run(recorder);
        log_close();
    }
    if (notify_socket >= 0)
        close(notify_socket);
    live_close(recorder->live);
}

/* Sessions get memory in large pages, if the system has any: of thousands of sessions each packet
 * touches a dozen pages, and the processor would have to look up most of them. */
static void reserve_heap(void)
{
#ifdef M_TOP_PAD
    enum { HEAP = 256 << 20, BLOCK = 1 << 20 }; /* bytes */
    uint8_t *start = sbrk(0);

    mallopt(M_MMAP_THRESHOLD, 2 * BLOCK);
    mallopt(M_TOP_PAD, HEAP);
    g_free(g_malloc(BLOCK)); /* the heap grows */
    (void)madvise(start, (size_t)((uint8_t *)sbrk(0) - start), MADV_HUGEPAGE);
#endif
}

void recorder_run(const struct options *options)
{
    struct recorder recorder = {.options = options,
                                .sessions_options = options->sessions,
                                .records = options->action == &convert_action,
                                .interfaces = g_strsplit(recorder_options.interface, ",", -1)};

    recorder.filter = input_options.filter ? g_strdup(input_options.filter)
                                           : recorder_port_filter(input_options.ports);
    recorder.sessions_options.idle = recorder_options.idle;
    recorder.sessions_options.prompt = recorder.records;
    reserve_heap();
    signals_catch_requests();
    if (!recorder.records) {
        setvbuf(stdout, NULL, _IOLBF, 0); /* to be read as it comes */
        signal(SIGPIPE, SIG_DFL);
    }
    status_init(&recorder.status);
    pipeline_init(&recorder.pipeline);
    open_and_run(&recorder);
    pipeline_clear(&recorder.pipeline);
    status_clear(&recorder.status);
    g_free(recorder.filter);
    g_strfreev(recorder.interfaces);
}
