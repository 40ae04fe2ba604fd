/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The action that records interfaces: a demo of each session, a line of the log for what happens to
 * it, and the counters for the status line, SIGUSR1 and systemd.
 */
#ifndef PCAP2DEMO_RECORDER_EVENTS_H
#define PCAP2DEMO_RECORDER_EVENTS_H

#include <jansson.h>
#include <stdint.h>

#include "common/sessions/session.h"
#include "pcap2demo/actions/action.h"
#include "pcap2demo/recorder/session_captures.h"

struct status {
    GHashTable *sessions; /* struct qs_client_session that have not ended */
    uint64_t ended;       /* sessions */
    uint64_t packets;     /* all of them */
    uint64_t dropped_kernel, dropped_interface;
    uint64_t demos, demo_bytes;
    uint64_t lost; /* bytes of demos lost on a full disk */
    gint64 begun;  /* monotonic, microseconds */
};

void status_init(struct status *status);
void status_clear(struct status *status);

/* "2 sessions, 1 player, 12345 packets, ...". New. */
char *status_text(const struct status *status);

/* The same as members of an event. New. */
json_t *status_json(const struct status *status);

/*
 * It keeps `status` up to date, and passes packets and sessions to `captures`, which may be NULL;
 * all arguments must live as long.
 */
struct action *recording_action_new(const struct options *options, struct status *status,
                                    struct session_captures *captures);

#endif
