/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parts of a recorder, by file: `follow.c` is its main loop, which reads the folder of captures
 * (`ring.c`), stores the demos (`recordings.c`), runs tcpdump (`capturers.c`), and reports events
 * (`status.c`, `log.c`).
 */
#ifndef PCAP2DEMO_RECORDING_H
#define PCAP2DEMO_RECORDING_H

#include <glib.h>
#include <jansson.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdint.h>
#include <syslog.h>

#include "common/sessions/sessions.h"
#include "pcap2demo/actions/action.h"
#include "pcap2demo/capture/inputs.h"
#include "pcap2demo/options.h"

/* --- follow.c and options.c ------------------------------------------------------------------ */

/* Default size of the ring of --interface, and default of --min-free (bytes). */
enum { RECORDER_SIZE = 1 << 30 };

extern const struct option_row recorder_rows[];

/* True if --follow or --interface is given. */
bool recorder_is_wanted(const struct options *options);

/* Completes and checks the options. False, after reporting it, if they do not go together. */
bool recorder_options_check(struct options *options);

/*
 * Records the captures of a folder until stopped, and captures to it with --interface. Calls
 * `prepare` after root's privileges are dropped. Reports failures; the exit status is EXIT_OK after
 * a stop by a signal.
 */
void recorder_run(const struct options *options, void (*prepare)(const struct options *options));

/* --- ring.c: folder of captures -------------------------------------------------------------- */

/*
 * Folder of capture files that other programs write: rings of tcpdump (-C, -W, -G) and of dumpcap
 * (-b), pcap and pcapng. The frames of all files are read in the order of time, while files appear,
 * grow, are renamed, overwritten and removed. Files that are no captures are ignored.
 *
 * Files that cannot be read are logged and skipped.
 */

/* Time for which a frame is held back (ns), because another file may still get an earlier one. */
#define RING_PATIENCE (INT64_C(2) * 1000000000)

struct ring;

/* Creates a ring. `folder` and `filter`, a tcpdump expression or NULL, must outlive it. */
struct ring *ring_new(const char *folder, const char *filter);
void ring_free(struct ring *ring);

/* Finds files that are new, have grown, were overwritten or were removed. Call it every second.
 * Returns 0, or an errno value if the folder cannot be read. */
int ring_scan(struct ring *ring);

/* Returns the next frame of all files by time, valid until the next call. NULL if there is none
 * before the next ring_scan(), or if it has to wait. `now`: time in nanoseconds since the epoch. */
struct input_frame *ring_next(struct ring *ring, int64_t now);

/* Returns the file of the last frame. Call it only after ring_next() has returned one. */
struct input *ring_last_input(const struct ring *ring);

/* True if all frames that the last ring_scan() found were read. */
bool ring_is_read(const struct ring *ring);

/* Returns the time of the oldest frame; 0 if there is none. */
int64_t ring_oldest(const struct ring *ring);

/* Removes the oldest files until all captures together have at most `max` bytes. Keeps files that
 * are not completely read, that changed in the last minute, or that a program is writing. */
void ring_remove_oldest(struct ring *ring, uint64_t max);

/* --- recordings.c: demos of a recording ------------------------------------------------------ */

/*
 * Demos of a recording. A demo gets its name when it is complete; until then it is a file
 * ".pcap2demo-START-RANDOM.EXTENSION". Nothing is overwritten: if a demo's name is taken, it gets
 * another one, unless that file has the same bytes.
 *
 * A restart reads the ring again from its oldest packet. The file ".pcap2demo-until" contains a
 * time stamp: all demos that ended at or before it have their names. They are not written again:
 * the ring may have lost their beginnings.
 */

struct recordings; /* first member: struct qs_demo_store */

/*
 * Opens the folder of demos, which must be writable, and locks it. Sets `*no_room`, and starts no
 * demo, while less disk space is free than --min-free. `folder`, `options` and `no_room` must
 * outlive the result. On failure returns NULL, and `*error` is a new text.
 */
struct recordings *recordings_new(const char *folder, const struct recorder_options *options,
                                  bool *no_room, char **error);

/* Frees the recordings and unlocks the folder. All sessions must have ended. */
void recordings_free(struct recordings *recordings);

/*
 * Handles demos that an earlier process did not finish. Removes those whose first packet is still
 * in the ring, because they are recorded again. Ends others after their last complete block, and
 * names them. `oldest` is the time of the ring's first packet. Call it before that is decoded.
 */
void recordings_complete(struct recordings *recordings, const struct qs_sessions_options *options,
                         int64_t oldest);

/*
 * Stores the time stamp: demos that ended up to `until` have their names. Demos that could not be
 * written hold it back while the ring, which begins at `oldest`, contains their start. Returns
 * NULL, or a new error text if the folder is not writable or was replaced.
 */
char *recordings_set_until(struct recordings *recordings, int64_t until, int64_t oldest);

/* Leaves unfinished demos from now on as they are, for the next start, instead of removing them. */
void recordings_leave(struct recordings *recordings);

/* --- capturers.c: processes of tcpdump ------------------------------------------------------- */

/* Processes of tcpdump, one for each interface, each with its own ring of files. They end with this
 * process, even if it is killed: a keeper process between the two ensures that. */

struct capturers;

/*
 * Starts tcpdump for `interfaces`, separated by commas, as `user`, or NULL. `size`: bytes of all
 * rings; `ring`: absolute path of their folder. On failure returns NULL, and `*error` is a new
 * text.
 */
struct capturers *capturers_start(const char *interfaces, const char *ring, uint64_t size,
                                  const char *filter, const struct passwd *user, char **error);

/* Returns a capture filter, which the caller frees: UDP, IP fragments, and TCP on the ports of
 * streams and of --port (`ports`); restricted to matches of `filter`, if that is not NULL. */
char *capturers_filter(const GPtrArray *ports, const char *filter);

/* Requests the counts of dropped packets, which arrive later. */
void capturers_ask(struct capturers *capturers);

/* Reads and logs the messages of tcpdump. Returns the number of running processes. */
unsigned capturers_check(struct capturers *capturers);

/* Adds up the dropped packets. False if no process has reported its counts. */
bool capturers_dropped(const struct capturers *capturers, uint64_t *dropped);

/* Ends all processes, and logs their messages. */
void capturers_stop(struct capturers *capturers);
void capturers_free(struct capturers *capturers);

/* --- status.c: players and counters ---------------------------------------------------------- */

/*
 * Status of a recording: players and counters, as a line for the log, as JSON, for Prometheus, and
 * as a file in the folder of the demos, which is replaced every few seconds:
 *
 *     pcap2demo-status.json    {..., "kind": "status", "updated": "2026-11-20T15:54:01Z", counters,
 *                              "sessions": [as in --list --json, with "bytes"],
 *                              "finished": [last ended sessions with a demo, likewise]}
 */

/* Counters for each game. */
enum status_counter {
    SESSIONS_ENDED,
    DEMOS_WRITTEN,
    DEMO_BYTES, /* size of written demos */
    LOST_DEMOS, /* demos not written so far because of errors */
    STATUS_COUNTERS
};

struct status {
    GPtrArray *sessions; /* open sessions (struct qs_client_session) */
    GQueue finished;     /* last ended sessions with demos (json_t) */
    uint64_t games[QS_PROTOCOLS_MAX][STATUS_COUNTERS];
    uint64_t packets, dropped; /* numbers of packets read, and dropped by the kernel */
    bool drops_known;
    bool no_room;        /* free disk space is below --min-free */
    int64_t from, until; /* times of the ring's oldest packet and of the latest one read; 0: none */
};

/* Initialize the status without sessions, and release it. */
void status_init(struct status *status);
void status_clear(struct status *status);

/* Returns a line such as "2 sessions, 1 player, 12345 packets, ...". The caller frees it. */
char *status_text(const struct status *status);

/* Logs the status and all open sessions. */
void status_log(const struct status *status);

/* Creates the action of a recording: logs events of sessions, and keeps `status` up to date. Both
 * arguments must outlive it. Free it with action_free(). */
struct action *recording_action_new(const struct options *options, struct status *status);

/* Writes the status file in `folder`; and the file `metrics` for Prometheus, if it is not NULL.
 * Returns NULL, or an error text, which the caller frees. */
char *status_write(const struct status *status, const char *folder, const char *metrics);

/* --- log.c: log of a recording --------------------------------------------------------------- */

/*
 * Log of a recording: a line for each event on standard output. As text,
 *
 *     2026-11-20T15:54:01Z session 3 begins: Quake, client 192.0.2.7:27001, server 192.0.2.1:26000
 *
 * without the time for systemd's journal, which adds its own; or as JSON, one object in each line:
 * {"time": ..., "event": "session_begin", "message": the text, and the event's members}.
 */

/* Starts the log. Also logs messages (output/message.h) until log_close(). If `events` is false,
 * logs only warnings. */
void log_open(bool json, bool events);
void log_close(void);

/* True if the log is JSON. */
bool log_is_json(void);

/* Returns the present time in UTC, as in the log and in names of demos. The caller frees it. */
char *log_time(void);

/* Logs an event. `priority` is LOG_INFO, or LOG_WARNING: always logged. Takes ownership of
 * `members` for its JSON object; NULL: none. */
void log_event(int priority, const char *event, json_t *members, const char *format, ...)
    G_GNUC_PRINTF(4, 5);

#endif
