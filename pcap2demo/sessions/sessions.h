/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From datagrams, streams and demos to sessions. The way of a packet, each step once:
 *
 *     datagram (capture/ip.h)    bytes (capture/tcp.h)    block (recording.h)
 *            |                          |                        |
 *            |                    find_connection()              |
 *     find_conversation()               |                        |        flow, then protocol,
 *            |                          |                        |        or unclaimed.h
 *      order (order.h)           units (stream.h)                |
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
#ifndef PCAP2DEMO_SESSIONS_H
#define PCAP2DEMO_SESSIONS_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/core/decoder.h"
#include "pcap2demo/capture/comments.h"
#include "pcap2demo/capture/recording.h"
#include "pcap2demo/capture/tcp.h"
#include "pcap2demo/output/message.h"
#include "pcap2demo/sessions/crowd.h"
#include "pcap2demo/sessions/naming.h"
#include "pcap2demo/sessions/protocol_selection.h"
#include "pcap2demo/sessions/session.h"

/* What the user asked for. */
struct session_options {
    GArray *chosen;     /* unsigned: numbers of sessions; empty: all */
    guint sessions_max; /* that may go on at once */
    struct naming *naming;
    struct demo_options demo;
    bool may_wait;       /* demos may wait for the input's end: more of it may help them */
    GPtrArray *sign_ons; /* see lending_demos_new(); or NULL */
    struct protocol_selection *selection;
    uint32_t *protocol_options[PROTOCOLS_MAX]; /* by protocol, for qs_decoder.options */
};

/* A packet after its decode. */
struct decoded_packet {
    struct location location;
    const struct qs_packet *packet;
    const struct qs_decoder *decoder;
    const struct session *session; /* NULL: it belongs to none */
    uint64_t conversation;         /* its number, from 1 on */
};

/*
 * Who uses packets and sessions. Any function may be NULL. An implementation begins with this
 * struct.
 */
struct session_handler {
    struct qs_sink *sink; /* of every decode; or NULL */
    bool want_summary;    /* of the decoder */
    bool want_transfers;  /* of the decoder */
    bool want_rebuild;    /* run rebuilders */
    bool write_demos;     /* and keep what they write */
    bool as_captured;     /* packets come in the capture's order, even where that is not theirs */
    void (*packet)(struct session_handler *handler, const struct decoded_packet *decoded);
    /* No more packets of the conversation come; of one at least `packet` was told. */
    void (*conversation_over)(struct session_handler *handler, uint64_t conversation,
                              const struct qs_protocol *protocol);
    void (*session_end)(struct session_handler *handler, const struct session *session);
    /* The session is over and will not be told of, by session_end(). */
    void (*session_left_out)(struct session_handler *handler, const struct session *session);
    /* Sessions of too little content to be told of one by one; once, where there are any. */
    void (*others)(struct session_handler *handler, const struct crowd_others *others);
};

/* Whether --session asks for packets of this session; NULL: packets of none. */
bool sessions_want(const struct session_options *options, const struct session *session);

struct sessions;

/* Both arguments must live as long. */
struct sessions *sessions_new(const struct session_options *options,
                              struct session_handler *handler);

/* The packets to come are from this file; `stem` names demos of sessions that begin in it. */
void sessions_set_source(struct sessions *sessions, const char *file, const char *stem);

/*
 * The packets to come have these comments, with what of a demo they carry; NULL: none. The
 * caller keeps them until it sets others.
 */
void sessions_set_comments(struct sessions *sessions, const struct comments *comments);

/*
 * Whether packets are taken in the capture's order: where the handler wants that, and where the
 * capture was made of a demo, whose order it has.
 */
bool sessions_take_as_captured(const struct sessions *sessions);

/* Takes a UDP datagram; fills in what the packet still lacks. */
void sessions_datagram(struct sessions *sessions, struct qs_packet *packet);

/* The file ends: what waits for datagrams before it is taken. */
void sessions_end_source(struct sessions *sessions);

/*
 * Takes the next bytes of one end of a TCP connection, a hole in them, or the connection's end. The
 * bytes are cut into units, which are packets of their own. A connection of no known game is
 * ignored from then on.
 */
void sessions_piece(struct sessions *sessions, const struct tcp_piece *piece);

/* A demo as input: begin, its blocks, end. They are one session. */
void sessions_begin_demo(struct sessions *sessions, struct recording *recording);
void sessions_block(struct sessions *sessions, const struct qs_demo_block *block);
void sessions_end_demo(struct sessions *sessions);

/* Ends all sessions. `keep` false: demos not finished yet are dropped. */
void sessions_free(struct sessions *sessions, bool keep);

#endif
