/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The parts of a recorder, by file: `follow.c` is its loop, which reads the folder of captures
 * (`ring.c`), keeps the demos (`recordings.c`), runs the capturing programs (`capturers.c`), and
 * reports what happens (`status.c`, `log.c`).
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

/* --- follow.c, and options.c ------------------------------------------------------------------ */

/* Bytes of the ring of --interface, and of the disk that stay free, if no option says other ones.
 */
enum { RECORDER_SIZE = 1 << 30 };

extern const struct option_row recorder_rows[];

/* Whether --follow or --interface was given. */
bool recorder_is_wanted(const struct options *options);

/* False: the options do not go together; that was reported. */
bool recorder_options_check(struct options *options);

/*
 * Follows a folder, and captures to it if that is wanted, until stopped. Calls `prepare` when it is
 * no longer root. Failures are reported; the exit status is EXIT_OK after a stop that was asked
 * for.
 */
void recorder_run(const struct options *options, void (*prepare)(const struct options *options));

/* --- ring.c: the folder of captures ----------------------------------------------------------- */

/*
 * A folder of capture files that other programs write: rings of tcpdump (-C, -W, -G) and of dumpcap
 * (-b), pcap and pcapng. All of them are read as one capture, in the order of time, while they
 * grow, begin, are written anew and are removed. Files that are no captures are ignored.
 *
 * What cannot be read is logged, and the next file is read.
 */

/* A frame waits for so many nanoseconds, since another file may still get an earlier one. */
#define RING_PATIENCE (INT64_C(2) * 1000000000)

struct ring;

/* Both must live as long. `filter`: a tcpdump expression, or NULL. */
struct ring *ring_new(const char *folder, const char *filter);
void ring_free(struct ring *ring);

/*
 * Finds files that are new, have grown, were written anew or are gone; to be called every second.
 * Returns 0, or the error number if the folder cannot be read.
 */
int ring_look(struct ring *ring);

/*
 * The next frame of all files by time; valid until the next call. `now`: nanoseconds since the
 * epoch. NULL: there is none until the next ring_look(), or it has to wait.
 */
struct input_frame *ring_next(struct ring *ring, int64_t now);

/* Whether no frame is left, as of the last ring_look(). */
bool ring_is_read(const struct ring *ring);

/* Time of the oldest frame; 0: there is none. */
int64_t ring_oldest(const struct ring *ring);

/* Removes the oldest files, as far as they were read and have not grown for a minute, until the
 * captures of the folder take no more than `max` bytes. */
void ring_remove_oldest(struct ring *ring, uint64_t max);

/* --- recordings.c: the demos ------------------------------------------------------------------ */

/*
 * The demos of a recording. A demo has its name only when it is whole; until then it is a file
 * ".pcap2demo-START-RANDOM.EXTENSION". Nothing is overwritten: a demo whose name is taken gets
 * another one, unless the file has the same bytes.
 *
 * After a restart the ring is read again from its oldest packet. One time stamp is kept, in
 * ".pcap2demo-until": all demos that ended up to then have their names, and are not written again,
 * since the ring may have lost how they began.
 */

struct recordings; /* begins with its struct qs_demo_store */

/*
 * Only one process uses a folder, which it must be able to write. NULL on failure; then `*error` is
 * a new string. `*no_room`: set while no demo begins since the disk has less free space than
 * --min-free.
 */
struct recordings *recordings_new(const char *folder, const struct recorder_options *options,
                                  bool *no_room, char **error);

/* All sessions must have ended. */
void recordings_free(struct recordings *recordings);

/*
 * Demos that a process did not finish: removes those whose first packet the ring, which begins at
 * `oldest`, still holds, since they are written again. Others end behind their last whole block,
 * and get their names. `oldest` 0: the ring is empty.
 */
void recordings_complete(struct recordings *recordings, const struct qs_sessions_options *options,
                         int64_t oldest);

/*
 * All demos that ended up to this time have their names, but those that could not be written: the
 * time stamp stays before their ends as long as the ring, which begins at `oldest`, holds how they
 * began. Returns NULL, or a new string if the folder cannot be written or is another one now.
 */
char *recordings_set_until(struct recordings *recordings, int64_t until, int64_t oldest);

/* From now on demos that are dropped stay as they are, for the next start. */
void recordings_leave(struct recordings *recordings);

/* --- capturers.c: tcpdump and dumpcap --------------------------------------------------------- */

/*
 * tcpdump, once for each interface, with a ring of files of its own. Whatever becomes of this
 * process, it ends: a process between the two waits for that.
 */

struct capturers;

/*
 * `interfaces`: names with commas between them. `size`: bytes of all rings. `ring`: their folder,
 * an absolute path. `user`: whom tcpdump becomes, or NULL. NULL on failure; then `*error` is a new
 * string.
 */
struct capturers *capturers_start(const char *interfaces, const char *ring, uint64_t size,
                                  const char *filter, const struct passwd *user, char **error);

/* What is captured: UDP, IP fragments, TCP on the ports of streams and of --port (`ports`, or
 * NULL); and of that what `filter` matches, if it is not NULL. New. */
char *capturers_filter(const GPtrArray *ports, const char *filter);

/* Asks for the count of dropped packets, which comes later. */
void capturers_ask(struct capturers *capturers);

/* Logs what they print. Returns how many run. */
unsigned capturers_check(struct capturers *capturers);

/* Packets that were dropped. False: none of them has told. */
bool capturers_dropped(const struct capturers *capturers, uint64_t *dropped);

/* Ends them, and logs what they print. */
void capturers_stop(struct capturers *capturers);
void capturers_free(struct capturers *capturers);

/* --- status.c: who plays, and counters -------------------------------------------------------- */

/*
 * Who plays, and the counters of a recording: as a line for the log, as JSON, for Prometheus, and
 * as a file in the folder of the demos, which is replaced as a whole every few seconds:
 *
 *     pcap2demo-status.json    {..., "kind": "status", "updated": "2026-11-20T15:54:01Z", counters,
 *                              "sessions": [as --list --json has them, with "bytes"],
 *                              "finished": [the last ones that ended, likewise]}
 */

/* What is counted by game. */
enum status_counter {
    SESSIONS_ENDED,
    DEMOS_WRITTEN,
    DEMO_BYTES, /* of these */
    LOST_DEMOS, /* that could not be written so far */
    STATUS_COUNTERS
};

struct status {
    GPtrArray *sessions; /* struct qs_client_session that have not ended */
    GQueue finished;     /* json_t of the last sessions with demos */
    uint64_t games[QS_PROTOCOLS_MAX][STATUS_COUNTERS];
    uint64_t packets, dropped; /* by the kernel, as far as the capturers report it */
    bool drops_known;
    bool no_room;        /* no demos begin: --min-free */
    int64_t from, until; /* the ring's oldest packet, and the latest that was read; 0: none */
};

void status_init(struct status *status);
void status_clear(struct status *status);

/* "2 sessions, 1 player, 12345 packets, ...". New. */
char *status_text(const struct status *status);

/* Logs the status, and each open session. */
void status_log(const struct status *status);

/*
 * The action of a recording: a demo of each session, a line of the log for what happens to it. It
 * keeps `status` up to date; both arguments must live as long.
 */
struct action *recording_action_new(const struct options *options, struct status *status);

/* Writes the file in `folder`; and `metrics` in Prometheus' text format, or NULL. Returns NULL, or
 * a new string: what keeps one from being written. */
char *status_write(const struct status *status, const char *folder, const char *metrics);

/* --- log.c ------------------------------------------------------------------------------------ */

/*
 * The log of a recording: a line for each event on standard output. As text,
 *
 *     2026-11-20T15:54:01Z session 3 begins: QuakeWorld, 192.0.2.7:27001 with 192.0.2.1:27500
 *
 * without the time if systemd's journal reads it, which adds its own; or as JSON, an object a line:
 * {"time": ..., "event": "session_begin", "message": the text, and the event's members}.
 */

/* From now on messages (output/message.h) are events, too. `events` false: only warnings are
 * logged. */
void log_open(bool json, bool events);
void log_close(void);

/* Whether its lines are JSON. */
bool log_is_json(void);

/* The present time as in the log: UTC, as in the names of demos. New. */
char *log_time(void);

/* An event of priority LOG_INFO, or LOG_WARNING, which is always logged. Takes over `members` of
 * its JSON object, or NULL. */
void log_event(int priority, const char *event, json_t *members, const char *format, ...)
    G_GNUC_PRINTF(4, 5);

#endif
