/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The packets of sessions as captures, a file each, with everything that was seen between the two
 * ends: requests for the connection, copies, packets that came out of order.
 *
 * Two kinds: those that the user asked for, which stay; and those of sessions that began before the
 * recording did. Their demo is written at their end, so that without them a program that is killed
 * would lose all of it; they are removed when the demo is there, or completed by the next run
 * (unfinished.h).
 */
#ifndef PCAP2DEMO_SESSION_CAPTURES_H
#define PCAP2DEMO_SESSION_CAPTURES_H

#include "common/sessions/sessions.h"
#include "pcap2demo/capture/input.h"

struct session_captures;

/* Where captures go, of all sessions and of late ones; NULL: such are not wanted. Both must live as
 * long. */
struct session_captures *session_captures_new(struct qs_demo_store *all,
                                              struct qs_demo_store *late);

/* Captures that are not finished are dropped. */
void session_captures_free(struct session_captures *captures);

/* A frame as it came, from its link layer on; before it is decoded. */
void session_captures_frame(struct session_captures *captures, const struct input_frame *frame);

/* A packet was decoded. */
void session_captures_packet(struct session_captures *captures,
                             const struct qs_decoded_packet *decoded);

/* The session is over; `keep` false: it was none that is told of. */
void session_captures_over(struct session_captures *captures,
                           const struct qs_client_session *session, bool keep);

#endif
