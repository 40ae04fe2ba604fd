/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who plays, and the counters of a recording: as a line for the log and systemd, as JSON, for
 * Prometheus, and as two files in the folder of the demos, which are replaced as a whole:
 *
 *     pcap2demo-status.json    {..., "kind": "status", "updated": "2026-11-20T15:54:01Z", counters,
 *                              "sessions": [as --list --json has them, with "bytes"]}; every few
 *                              seconds
 */
#ifndef PCAP2DEMO_STATUS_H
#define PCAP2DEMO_STATUS_H

#include <jansson.h>
#include <stdint.h>

#include "pcap2demo/actions/action.h"

/* What is counted; some of it by game. */
enum status_counter {
    SESSIONS_ENDED,
    PACKETS,
    DROPPED_KERNEL,
    DROPPED_INTERFACE,
    DEMOS_WRITTEN,
    DEMO_BYTES, /* of these */
    LOST_DEMOS, /* that could not be written; also demos that end early */
    LOST_BYTES,
    STATUS_COUNTERS
};

struct status {
    GPtrArray *sessions; /* struct qs_client_session that have not ended */
    uint64_t all[STATUS_COUNTERS], games[QS_PROTOCOLS_MAX][STATUS_COUNTERS];
    gint64 begun; /* monotonic, microseconds */
};

void status_init(struct status *status);
void status_clear(struct status *status);

void status_count_game(struct status *status, const struct qs_protocol *protocol,
                       enum status_counter counter, uint64_t more);

/* "2 sessions, 1 player, 12345 packets, ...". New. */
char *status_text(const struct status *status);

/* The same as members of an event. New. */
json_t *status_json(const struct status *status);

/* A session as --list --json has it, with the bytes of its demo so far. New. */
json_t *status_session_json(const struct qs_client_session *session);

/* Logs each open session. */
void status_log_players(const struct status *status);

/*
 * The action that records interfaces: a demo of each session, a line of the log for what happens to
 * it. It keeps `status` up to date; both arguments must live as long.
 */
struct action *recording_action_new(const struct options *options, struct status *status);

/* Writes the files in `folder`; and `metrics` in Prometheus' text format, or NULL. */
void status_write(struct status *status, const char *folder, const char *metrics);

#endif
