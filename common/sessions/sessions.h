/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From datagrams, streams and demos to sessions. The path of a packet, each step once:
 *
 *     datagram                   bytes of a stream        block (demo_input.h)
 *            |                          |                        |
 *   qs_conversation_find()      begin_connection()             |        conversation.h: flow, then
 *            |                          |                        |        protocol, or heuristic.h
 *     process_datagram()          PDUs (stream.c)                |        in order: order.h
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
 * A conversation may have several sessions one after the other; common/core/session.h defines when
 * they begin, and their numbers. A demo is one session.
 *
 * Limits: an attacker can forge packets of as many clients as there are addresses. So a
 * conversation counts as a live session only if both ends take part in it, or one of them for a
 * while. Number and memory of live sessions are limited. If there are too many, the one idle
 * longest ends if it was idle for 5 seconds; otherwise the new one is ignored.
 */
#ifndef QS_SESSIONS_SESSIONS_H
#define QS_SESSIONS_SESSIONS_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/core/decode.h"
#include "common/sessions/demo_input.h"
#include "common/sessions/session.h"

/* Maximum number of live sessions, unless the user sets another. */
enum { QS_SESSIONS_MAX = 16384 };

/* Returns "and 12 more sessions, of 14 packets in all: ...", to be freed. */
char *qs_small_sessions_text(const struct qs_small_sessions *others);

/* True if --session selects this session; NULL: packets of no session. */
bool qs_sessions_want(const struct qs_sessions_options *options,
                      const struct qs_client_session *session);

struct qs_sessions;

/* Creates an empty set of sessions. Both arguments must outlive it. */
struct qs_sessions *qs_sessions_new(const struct qs_sessions_options *options,
                                    struct qs_sessions_handler *handler);

/*
 * Sets the file of the packets to come, unless packet->file is another result of this function.
 * `stem` names demos of sessions that begin in it. The result is valid as long as `sessions`.
 */
const struct qs_capture_file *qs_sessions_set_source(struct qs_sessions *sessions, const char *file,
                                                     const char *stem);

/* True if packets stay in the captured order, as the handler wants it. */
bool qs_sessions_is_as_captured(const struct qs_sessions *sessions);

/* Returns the number of sessions that have begun. */
unsigned qs_sessions_count(const struct qs_sessions *sessions);

/* Adds a UDP datagram; sets the packet's missing members. */
void qs_sessions_datagram(struct qs_sessions *sessions, struct qs_packet *packet);

/* Call this at the end of a file: packets no longer wait for earlier ones. */
void qs_sessions_end_source(struct qs_sessions *sessions);

/*
 * Adds the next bytes of one end of a TCP connection, or a hole in them (data, size, addresses,
 * `from`, time and number, `missing` and `missing_before`). Divides them into PDUs, which are
 * packets of their own. `*reader` is the connection's, NULL at first. Returns false if the game is
 * unknown: the connection's bytes are not wanted any more.
 */
bool qs_sessions_bytes(struct qs_sessions *sessions, void **reader, const struct qs_packet *bytes);

/* Ends the TCP connection of this reader, behind packet `number`. NULL is allowed. */
void qs_sessions_end_bytes(struct qs_sessions *sessions, void *reader, uint64_t number);

/* A demo as input is one session: begin, its blocks, end. */
void qs_sessions_begin_demo(struct qs_sessions *sessions, struct qs_demo_input *demo);
void qs_sessions_block(struct qs_sessions *sessions, const struct qs_demo_block *block);
void qs_sessions_end_demo(struct qs_sessions *sessions);

/*
 * For live input: call this if nothing has come for `since` ns after the last datagram. Ends the
 * sessions that are idle too long, and those in which an end has disconnected.
 */
void qs_sessions_expire(struct qs_sessions *sessions, int64_t since);

/* Ends all sessions, and frees the set. `keep` false: drops unfinished demos. */
void qs_sessions_free(struct qs_sessions *sessions, bool keep);

#endif
