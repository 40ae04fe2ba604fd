/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How a recording stands: for the status line, SIGUSR1 and systemd. */
#ifndef PCAP2DEMO_STATUS_H
#define PCAP2DEMO_STATUS_H

#include <jansson.h>
#include <stdint.h>

#include "common/sessions/session.h"

struct status {
    GHashTable *sessions; /* struct qs_client_session that go on */
    uint64_t ended;       /* sessions */
    uint64_t packets;     /* all of them */
    uint64_t dropped_kernel, dropped_interface;
    uint64_t demos, demo_bytes;
    uint64_t lost; /* bytes of demos that had no room */
    gint64 begun;  /* monotonic, microseconds */
};

void status_init(struct status *status);
void status_clear(struct status *status);

/* "2 sessions, 1 player, 12345 packets, ...". New. */
char *status_text(const struct status *status);

/* The same as members of an event. New. */
json_t *status_json(const struct status *status);

#endif
