/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who plays, and the counters of a recording: as a line for the log and systemd, as JSON, for
 * Prometheus, and as two files in the folder of the demos, which are replaced as a whole:
 *
 *     pcap2demo-status.json    {..., "kind": "status", "updated": "2026-11-20T15:54:01Z", counters,
 *                              "sessions": [as --list --json has them, with "bytes"]}; every few
 *                              seconds
 *     pcap2demo-finished.json  {..., "kind": "finished", "count": 17, "demos": [{"number": 17,
 *                              "file": ..., "bytes": ...}]}: the last demos, when there is another
 */
#ifndef PCAP2DEMO_STATUS_H
#define PCAP2DEMO_STATUS_H

#include <jansson.h>
#include <stdint.h>

#include "common/sessions/session.h"

struct status {
    GHashTable *sessions; /* struct qs_client_session that have not ended */
    uint64_t packets;     /* all of them */
    uint64_t dropped_kernel, dropped_interface;
    struct status_game {
        uint64_t sessions_ended;
        uint64_t demos, demo_bytes; /* that have their names */
    } games[QS_PROTOCOLS_MAX];
    uint64_t lost_demos; /* that could not be written, or end early */
    uint64_t lost_bytes;
    gint64 begun;     /* monotonic, microseconds */
    json_t *finished; /* of pcap2demo-finished.json */
    bool finished_changed;
};

void status_init(struct status *status);
void status_clear(struct status *status);

/* Continues the count of finished demos in this folder. */
void status_continue(struct status *status, const char *folder);

struct status_game *status_game(struct status *status, const struct qs_protocol *protocol);

/* A demo has its name. */
void status_add_finished(struct status *status, const struct qs_protocol *protocol,
                         const char *path, uint64_t bytes);

/* "2 sessions, 1 player, 12345 packets, ...". New. */
char *status_text(const struct status *status);

/* The same as members of an event. New. */
json_t *status_json(const struct status *status);

/* Logs each open session. */
void status_log_players(const struct status *status);

/* Writes the files in `folder`; and `metrics` in Prometheus' text format, or NULL. */
void status_write(struct status *status, const char *folder, const char *metrics);

#endif
