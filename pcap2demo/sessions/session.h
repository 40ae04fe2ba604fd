/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A session: one connection of a client to a server, from its first packet to its last. */
#ifndef PCAP2DEMO_SESSION_H
#define PCAP2DEMO_SESSION_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/demo/format.h"
#include "common/demo/restore.h"
#include "pcap2demo/output/message.h"
#include "pcap2demo/sessions/demo.h"
#include "pcap2demo/sessions/lending.h"

/* Texts are printable UTF-8, NULL where not known. */
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
    struct demo *demo; /* NULL: its protocol has no demo format, or none was wanted */
    bool chosen;       /* by --session */
    /* The format of the demo that it was read from: its packets are blocks, and it has no
     * addresses. NULL: it was read from a capture. */
    const struct qs_demo_format *recorded;

    bool heard_server; /* the capture has something that the server sent, */
    bool heard_client; /* and the client */
    unsigned same_as;  /* number of a session that is this one, under another address; or 0 */

    /* For twins.c alone: packets that an earlier session has, too, its number, and since the first
     * of them those that it has not. */
    unsigned alike, alike_to;
    int unlike;

    /* For session.c alone. */
    const struct qs_demo_format *rebuilt;  /* the format of `demo`, or NULL */
    void *rebuild;                         /* state of its rebuilder, or NULL */
    struct qs_demo_restorer *restorer;     /* instead of it; or NULL */
    struct lending *lending;               /* NULL: nothing is rebuilt */
    struct lender *lender;                 /* what it could lend; or NULL */
    const struct qs_demo_lending *borrows; /* how it could be lent a sign-on; NULL: it cannot */
    struct held *held;                     /* its demo waits for a lender; or NULL */
    uint32_t level;
    bool map_known; /* of the present level */
};

enum { SESSION_MAPS_MAX = 32 };

/*
 * Whether both ends take part in it, or one of them for a while: nobody sends as much in the name
 * of each of a million others.
 */
bool session_is_live(const struct session *session);

/* Whether there is more to it than a few packets of one end, and nothing known by them. */
bool session_has_content(const struct session *session);

/* The format of the demo that it is or gives, or NULL. */
const struct qs_demo_format *session_demo_format(const struct session *session);

/* --- How a session goes on; for sessions.c. */

struct session_setup {
    unsigned number;
    const struct qs_demo_format *recorded;
    bool chosen;
    bool rebuild;        /* make a demo of it */
    const char *file;    /* of the first packet; interned */
    const char *comment; /* of it, or NULL; see session_packet() */
    struct lending *lending;
    struct qs_address client, server; /* as far as they are known */
    struct demo_setup demo;
};

/* `decoder` has just decoded `first`. */
struct session *session_new(const struct session_setup *setup, const struct qs_decoder *decoder,
                            const struct qs_packet *first);
void session_free(struct session *session);

/*
 * A packet of the session, from `file`, which was just decoded. `comment`: what a capture that was
 * made of a demo carries for the packet (see common/demo/piece.h), or NULL.
 */
void session_packet(struct session *session, const char *file, const char *comment,
                    const struct qs_decoder *decoder, const struct qs_packet *packet);

/*
 * The session is over, and `state` is what is known of it; its demo waits where session_waits().
 */
void session_over(struct session *session, const struct qs_session *state);

/* Whether its demo waits for a lender of a sign-on; more input may bring one. */
bool session_waits(const struct session *session);

/* It is session `number` under another address: it gives no demo. */
void session_set_same(struct session *session, unsigned number);

/* Ends the session's demo. `keep` false: what is not finished yet is dropped. */
void session_end(struct session *session, bool keep);

#endif
