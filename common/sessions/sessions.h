/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From datagrams, streams and demos to sessions. The way of a packet, each step once:
 *
 *     datagram                   bytes of a stream        block (demo_input.h)
 *            |                          |                        |
 *            |                    find_connection()              |
 *     find_conversation()               |                        |        flow, then protocol,
 *            |                          |                        |        or heuristic.h
 *      order (resequence.h)      units (stream.h)                |
 *            +--------------------------+------------------------+
 *                                       |
 *                                   decode()            fields and notes to handler->sink
 *                                       |
 *                                follow_session()       sessions begin and end; their rebuilders
 *                                       |
 *                               handler->packet()       the action
 *
 * A conversation may hold several sessions one after the other; when they begin and which numbers
 * they have, common/core/numbering.h says. How many may go on at once says crowd.h. A demo is one
 * session.
 */
#ifndef QS_SESSIONS_SESSIONS_H
#define QS_SESSIONS_SESSIONS_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/core/parse.h"
#include "common/sessions/comments.h"
#include "common/sessions/handler.h"
#include "common/sessions/demo_input.h"
#include "common/sessions/crowd.h"
#include "common/sessions/demo_names.h"
#include "common/sessions/protocol_selection.h"
#include "common/sessions/session.h"

/* What the user asked for. */
struct qs_sessions_options {
    GArray *chosen;                 /* unsigned: numbers of sessions; empty: all */
    guint sessions_max;             /* that may go on at once */
    bool (*has_memory)(guint live); /* for one more session beside so many; NULL: always */
    /* Sessions were ended early or left out, for all that went on at once; or NULL. */
    void (*crowded)(const struct qs_crowd *crowd);
    struct qs_demo_store *store; /* where demos go; NULL: nowhere */
    struct qs_session_demo_options demo;
    bool may_wait;       /* demos may wait for the input's end: more of it may help them */
    bool prompt;         /* a session is over as soon as an end has said so */
    int64_t idle;        /* nanoseconds: a session is over after so long; 0: QS_FLOW_IDLE */
    GPtrArray *sign_ons; /* see qs_donor_demos_new(); or NULL */
    struct qs_protocol_selection *selection;
    uint32_t *protocol_options[QS_PROTOCOLS_MAX]; /* by protocol, for qs_decoder.options */
    /* The protocol of a conversation of which nothing else tells it, by one of its packets, or
     * QS_PROTOCOL_NONE; NULL: nobody knows. */
    int (*claim)(void *user, const struct qs_packet *packet);
    void *claim_user;
};

/* Whether --session asks for packets of this session; NULL: packets of none. */
bool qs_sessions_want(const struct qs_sessions_options *options,
                      const struct qs_client_session *session);

struct qs_sessions;

/* Both arguments must live as long. */
struct qs_sessions *qs_sessions_new(const struct qs_sessions_options *options,
                                    struct qs_sessions_handler *handler);

/* The packets to come are from this file; `stem` names demos of sessions that begin in it. */
void qs_sessions_set_source(struct qs_sessions *sessions, const char *file, const char *stem);

/*
 * The packets to come have these comments, with what of a demo they carry; NULL: none. The
 * caller keeps them until it sets others.
 */
void qs_sessions_set_comments(struct qs_sessions *sessions, const struct qs_comments *comments);

/*
 * Whether packets are taken in the capture's order: where the handler wants that, and where the
 * capture was made of a demo, whose order it has.
 */
bool qs_sessions_take_as_captured(const struct qs_sessions *sessions);

/* How many sessions have begun. */
unsigned qs_sessions_count(const struct qs_sessions *sessions);

/* Takes a UDP datagram; fills in what the packet still lacks. */
void qs_sessions_datagram(struct qs_sessions *sessions, struct qs_packet *packet);

/* The file ends: what waits for datagrams before it is taken. */
void qs_sessions_end_source(struct qs_sessions *sessions);

/*
 * Takes the next bytes of one end of a TCP connection, or a hole in them (data, size, addresses,
 * `from`, time and number, `missing` and `missing_before`). The bytes are cut into units, which are
 * packets of their own. `*reader` is the connection's, NULL at first. False: the connection is of
 * no known game, and its bytes are not wanted any more.
 */
bool qs_sessions_bytes(struct qs_sessions *sessions, void **reader, const struct qs_packet *bytes);

/* The connection of this reader is over, behind packet `number`; NULL: nobody read it. */
void qs_sessions_end_bytes(struct qs_sessions *sessions, void *reader, uint64_t number);

/* A demo as input: begin, its blocks, end. They are one session. */
void qs_sessions_begin_demo(struct qs_sessions *sessions, struct qs_demo_input *recording);
void qs_sessions_block(struct qs_sessions *sessions, const struct qs_demo_block *block);
void qs_sessions_end_demo(struct qs_sessions *sessions);

/*
 * For input that comes as time passes, to be called every second or so: nothing came for `since`
 * nanoseconds since the last datagram. Sessions may be over by that; what waits for datagrams
 * before it waits no longer, and demos are written up to the last second.
 */
void qs_sessions_wait(struct qs_sessions *sessions, int64_t since);

/* Ends all sessions. `keep` false: demos not finished yet are dropped. */
void qs_sessions_free(struct qs_sessions *sessions, bool keep);

#endif
