/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From UDP datagrams and TCP streams to sessions: claims conversations for protocols, decodes their
 * packets, and tells sessions (a client's connections to a server) apart.
 *
 * A conversation may hold several sessions one after the other. One begins with the first netchan
 * packet that its receiver takes (decoder->accepted) in a new connection (qs_session.connection);
 * what only asks and answers outside of a connection belongs to none. Sessions are numbered from 1
 * in the order in which they begin.
 */
#ifndef PCAP2DEMO_SESSION_H
#define PCAP2DEMO_SESSION_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/core/decoder.h"
#include "pcap2demo/actions/action.h"
#include "pcap2demo/demo.h"
#include "pcap2demo/options.h"

/* What is known of a session. Texts are printable UTF-8, NULL where not known. */
struct session {
    unsigned number;
    const struct qs_protocol *protocol;
    struct qs_address client, server; /* who is who is a guess while state.server is unknown */
    struct location first;            /* its first packet */
    int64_t start;                    /* nanoseconds since the epoch: its first packet */
    int64_t end; /* its last, but for what is asked outside of the connection */
    uint64_t packets;
    uint64_t problems;       /* packets with something wrong: see qs_decoder_problems() */
    struct qs_session state; /* after its last packet */
    char *version, *player;
    GPtrArray *maps;   /* char *, in order; at most SESSION_MAPS_MAX */
    struct demo *demo; /* NULL: no rebuilder for its protocol, or none was wanted */
    /* For whoever tells sessions apart. */
    void *rebuild;
    const struct rebuilder *rebuilder;
    uint32_t level;
    bool map_known; /* of the level at hand */
    bool chosen;    /* by --session */
    /* The format of the demo that it was read from: its packets are blocks, and it has no
     * addresses. NULL: it was read from a capture. */
    const struct qs_demo_format *recorded;
};

enum { SESSION_MAPS_MAX = 32 };

/* Numbers lost on the way to either end, by the session's netchan. */
struct session_loss {
    uint64_t gaps, missing, not_captured;
};
struct session_loss session_loss(const struct session *session);

/* The format of the demo that it is or gives, or NULL. */
const struct qs_demo_format *session_demo_format(const struct session *session);

/* Whether packets of this session, NULL: of none, are among those that --session asks for. */
bool session_is_wanted(const struct session *session, const struct options *options);

struct sessions;

struct sessions *sessions_new(const struct options *options, struct action *action);

/* The packets to come are from this file; `stem` names demos of sessions that begin in it. */
void sessions_set_source(struct sessions *sessions, const char *file, const char *stem);

/* Takes a UDP datagram; fills in what the packet still lacks. */
void sessions_packet(struct sessions *sessions, struct qs_packet *packet);

/*
 * Takes the next bytes of one end of a TCP connection, or a hole in them (`missing`). They are cut
 * into units, which are packets of their own. `*reader` is NULL for a connection's first bytes, and
 * then ours. False: it is of no known game.
 */
bool sessions_stream(struct sessions *sessions, void **reader, const struct qs_packet *bytes);

/* The connection is over, as of packet `number`. Must come for each that has a reader. */
void sessions_stream_over(struct sessions *sessions, void *reader, uint64_t number);

/*
 * A demo as input: begin, its blocks, end. They are one session. A block is decoded first, so that
 * the caller can find out its time, and then taken. Its offset is that in the file.
 */
void sessions_begin_demo(struct sessions *sessions, int protocol,
                         const struct qs_demo_format *format);
const struct qs_decoder *sessions_decode_block(struct sessions *sessions,
                                               const struct qs_packet *block, uint32_t offset);
void sessions_take_block(struct sessions *sessions, const struct qs_packet *block);
void sessions_end_demo(struct sessions *sessions);

/* Ends all sessions. `keep` false: demos not finished yet are dropped. */
void sessions_free(struct sessions *sessions, bool keep);

#endif
