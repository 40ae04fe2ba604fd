/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The packets of sessions as captures, a file each, with every packet between the two ends:
 * connection requests, duplicates, packets out of order.
 *
 * Two kinds: those that the user asked for, which stay; and those of sessions that the recording
 * joined late. A late session's demo is written at its end, so a program that is killed would lose
 * it; its capture is removed when the demo is written, or completed by the next run (recovery.h).
 */
#ifndef PCAP2DEMO_SESSION_CAPTURES_H
#define PCAP2DEMO_SESSION_CAPTURES_H

#include "common/sessions/sessions.h"
#include "pcap2demo/capture/input.h"

struct session_captures;

struct session_captures_setup {
    struct qs_demo_store *all, *late; /* of all sessions, and of late ones; NULL: not wanted */
    const char *folder;               /* of `all`, for the log */
};

/* All of `setup` must live as long. */
struct session_captures *session_captures_new(const struct session_captures_setup *setup);

/* Captures that are not finished are dropped. */
void session_captures_free(struct session_captures *captures);

/* A frame as it came, from its link layer on; before it is decoded. */
void session_captures_frame(struct session_captures *captures, const struct input_frame *frame);

/* A packet was decoded. */
void session_captures_packet(struct session_captures *captures,
                             const struct qs_decoded_packet *decoded);

/* The session is over. `keep` false: its capture is dropped. */
void session_captures_over(struct session_captures *captures,
                           const struct qs_client_session *session, bool keep);

#endif
