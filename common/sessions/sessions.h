/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From datagrams, streams and demos to sessions. The way of a packet, each step once:
 *
 *     datagram                   bytes of a stream        block (demo_input.h)
 *            |                          |                        |
 *   qs_conversation_find()      begin_connection()             |        conversation.h: flow, then
 *            |                          |                        |        protocol, or heuristic.h
 *     process_datagram()          units (stream.h)               |        in order: order.h
 *            +--------------------------+------------------------+
 *                                       |
 *                                process_packet()
 *                                       |
 *                                decode_packet()       fields and notes to handler->sink
 *                                       |
 *                    qs_conversation_update_session()  sessions begin and end
 *                                       |              (session_lifecycle.c); session.h
 *                               handler->packet()      the action
 *
 * A conversation may hold several sessions one after the other; when they begin and which numbers
 * they have, common/core/session.h says. A demo is one session.
 *
 * Limits: an attacker can forge packets of as many clients as there are addresses. So a
 * conversation counts as a live session only if both ends take part in it, or one of them for a
 * while. Number and memory of live sessions are limited. If there are too many, the one idle
 * longest ends if it was idle for 5 seconds; otherwise the new one is left out.
 */
#ifndef QS_SESSIONS_SESSIONS_H
#define QS_SESSIONS_SESSIONS_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/core/decode.h"
#include "common/sessions/demo_input.h"
#include "common/sessions/session.h"

/* Live sessions, unless the user says otherwise. */
enum { QS_SESSIONS_MAX = 16384 };

/* "and 12 more sessions, of 14 packets in all: ...", a new text. */
char *qs_small_sessions_text(const struct qs_small_sessions *others);

/* Whether --session asks for packets of this session; NULL: packets of none. */
bool qs_sessions_want(const struct qs_sessions_options *options,
                      const struct qs_client_session *session);

struct qs_sessions;

/* Both arguments must outlive it. */
struct qs_sessions *qs_sessions_new(const struct qs_sessions_options *options,
                                    struct qs_sessions_handler *handler);

/*
 * The packets to come are from this file, unless they name another one that this returned; `stem`
 * names demos of sessions that begin in it.
 */
const struct qs_capture_file *qs_sessions_set_source(struct qs_sessions *sessions, const char *file,
                                                     const char *stem);

/* Whether packets stay in the capture's order, as the handler wants it. */
bool qs_sessions_is_as_captured(const struct qs_sessions *sessions);

/* How many sessions have begun. */
unsigned qs_sessions_count(const struct qs_sessions *sessions);

/* Adds a UDP datagram; fills in the packet's missing members. */
void qs_sessions_datagram(struct qs_sessions *sessions, struct qs_packet *packet);

/* The file ends: packets wait no longer for those before them. */
void qs_sessions_end_source(struct qs_sessions *sessions);

/*
 * The next bytes of one end of a TCP connection, or a hole in them (data, size, addresses, `from`,
 * time and number, `missing` and `missing_before`). The bytes are cut into units, which are packets
 * of their own. `*reader` is the connection's, NULL at first. False: the connection is of no known
 * game, and its bytes are not wanted any more.
 */
bool qs_sessions_bytes(struct qs_sessions *sessions, void **reader, const struct qs_packet *bytes);

/* The connection of this reader is over, behind packet `number`. NULL: it is of no known game. */
void qs_sessions_end_bytes(struct qs_sessions *sessions, void *reader, uint64_t number);

/* A demo as input: begin, its blocks, end. They are one session. */
void qs_sessions_begin_demo(struct qs_sessions *sessions, struct qs_demo_input *demo);
void qs_sessions_block(struct qs_sessions *sessions, const struct qs_demo_block *block);
void qs_sessions_end_demo(struct qs_sessions *sessions);

/*
 * For input that comes as time passes: nothing came for `since` nanoseconds since the last
 * datagram. Ends the sessions that are over by that, and those whose end disconnected.
 */
void qs_sessions_wait(struct qs_sessions *sessions, int64_t since);

/* Ends all sessions. `keep` false: drops unfinished demos. */
void qs_sessions_free(struct qs_sessions *sessions, bool keep);

#endif
