/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The packets of sessions as captures, a file each, with every packet between the two ends:
 * connection requests, duplicates, packets out of order.
 *
 * If the user did not ask for captures, only sessions that the recording joined late have them: a
 * late session's demo is written at its end, so a program that is killed would lose it. Its capture
 * is removed when the demo is written, or completed by the next run (recovery.h).
 */
#ifndef PCAP2DEMO_SESSION_CAPTURES_H
#define PCAP2DEMO_SESSION_CAPTURES_H

#include "common/sessions/sessions.h"
#include "pcap2demo/capture/input.h"

struct session_captures;

/* `folder`: of captures that the user asked for; NULL: none. Both must live as long. */
struct session_captures *session_captures_new(struct qs_demo_store *store, const char *folder);

/* Drops captures that are not finished. */
void session_captures_free(struct session_captures *captures);

/* A frame as it came, from its link layer on; before it is decoded. */
void session_captures_frame(struct session_captures *captures, const struct input_frame *frame);

/* Which packet the frame held: for pipeline.on_packet. */
void session_captures_assign(void *captures, const struct qs_packet *packet,
                             const GArray *fragments);

/* A packet was decoded. */
void session_captures_packet(struct session_captures *captures,
                             const struct qs_decoded_packet *decoded);

/* The session is over. `keep` false: its capture is dropped. */
void session_captures_over(struct session_captures *captures,
                           const struct qs_client_session *session, bool keep);

#endif
