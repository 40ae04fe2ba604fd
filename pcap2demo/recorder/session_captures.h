/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The packets of sessions as captures, a file each: every datagram and TCP segment between the two
 * ends, also connection requests, duplicates and packets out of order, as IP packets without
 * fragments.
 *
 * If the user did not ask for captures, only sessions that the recording joined late have them: a
 * late session's demo is written at its end, so a program that is killed would lose it. Its capture
 * is removed when the demo is written, or completed by the next run.
 *
 * Packets are kept until their session is known. Memory is bounded: a conversation drops its
 * earlier packets, and all together their least recently used conversations.
 */
#ifndef PCAP2DEMO_SESSION_CAPTURES_H
#define PCAP2DEMO_SESSION_CAPTURES_H

#include "common/sessions/sessions.h"

struct session_captures;

/* `folder`: of captures that the user asked for; NULL: none. Both must live as long. */
struct session_captures *session_captures_new(struct qs_demo_store *store, const char *folder);

/* Drops captures that are not finished. */
void session_captures_free(struct session_captures *captures);

/* A datagram or a TCP segment, before it is decoded: for pipeline.on_packet. */
void session_captures_keep(void *captures, const struct qs_packet *packet, bool is_segment);

/* A packet was decoded. */
void session_captures_packet(struct session_captures *captures,
                             const struct qs_decoded_packet *decoded);

/* The session is over. `keep` false: its capture is dropped. */
void session_captures_over(struct session_captures *captures,
                           const struct qs_client_session *session, bool keep);

#endif
