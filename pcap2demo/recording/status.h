/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who plays, and the counters of a recording: as a line for the log, as JSON, for Prometheus, and
 * as a file in the folder of the demos, which is replaced as a whole every few seconds:
 *
 *     pcap2demo-status.json    {..., "kind": "status", "updated": "2026-11-20T15:54:01Z", counters,
 *                              "sessions": [as --list --json has them, with "bytes"],
 *                              "finished": [the last ones that ended, likewise]}
 */
#ifndef PCAP2DEMO_STATUS_H
#define PCAP2DEMO_STATUS_H

#include <jansson.h>
#include <stdint.h>

#include "pcap2demo/actions/action.h"

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

#endif
