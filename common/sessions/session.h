/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A session: one connection of a client to a server, from its first packet to its last. */
#ifndef QS_SESSIONS_SESSION_H
#define QS_SESSIONS_SESSION_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/demo/format.h"
#include "common/demo/parts.h"
#include "common/sessions/location.h"
#include "common/sessions/demo.h"
#include "common/sessions/late_join.h"

/* Texts are printable UTF-8, NULL where not known. */
enum qs_session_end {
    QS_SESSION_GOES_ON,
    QS_SESSION_DISCONNECTED, /* one of the ends said so */
    QS_SESSION_REPLACED,     /* the client began another one */
    QS_SESSION_SILENT,       /* nothing came for too long, or there were too many others */
    QS_SESSION_INPUT_OVER    /* nothing follows in the input */
};

struct qs_client_session {
    unsigned number;
    const struct qs_protocol *protocol;
    struct qs_address client, server; /* who is who is a guess while state.server is unknown */
    struct qs_location first;         /* its first packet */
    int64_t start;                    /* nanoseconds since the epoch: its first packet */
    int64_t end; /* its last, but for what is asked outside of the connection */
    uint64_t packets;
    uint64_t problems;       /* packets with something wrong: see qs_decoder_problems() */
    struct qs_session state; /* after its last packet */
    char *version, *player;
    char *map;                    /* of the level that goes on */
    enum qs_session_end why;      /* it is over */
    GPtrArray *maps;              /* char *, in order; at most QS_SESSION_MAPS_MAX */
    struct qs_session_demo *demo; /* NULL: its protocol has no demo format, or none was wanted */
    bool chosen;                  /* by --session */
    /* The format of the demo that it was read from: its packets are blocks, and it has no
     * addresses. NULL: it was read from a capture. */
    const struct qs_demo_format *recorded;

    bool heard_server; /* the capture has something that the server sent, */
    bool heard_client; /* and the client */
    unsigned same_as;  /* number of a session that is this one, under another address; or 0 */

    /* For sessions.c alone: what the handler was told. */
    bool begin_told, late_told;
    uint32_t level_told;
    guint files_told;

    /* For nat_duplicates.c alone: packets that an earlier session has, too, its number, and since
     * the first of them those that it has not. */
    unsigned alike, alike_to;
    int unlike;

    /* For session.c alone. */
    const struct qs_demo_format *rebuilt; /* the format of `demo`, or NULL */
    void *rebuild;                        /* state of its rebuilder, or NULL */
    struct qs_demo_restorer *restorer;    /* instead of it; or NULL */
    struct qs_donors *donors;             /* NULL: nothing is rebuilt */
    struct qs_donor *donor;               /* what it could lend; or NULL */
    const struct qs_late_join *late_join; /* how it could be lent a sign-on; NULL: it cannot */
    struct qs_late_session *late;         /* its demo waits for a donor; or NULL */
    uint32_t level;
    bool map_known; /* of the present level */
};

enum { QS_SESSION_MAPS_MAX = 32 };

/*
 * Whether both ends take part in it, or one of them for a while: nobody sends as much in the name
 * of each of a million others.
 */
bool qs_client_session_is_live(const struct qs_client_session *session);

/* Whether there is more to it than a few packets of one end, and nothing known by them. */
bool qs_client_session_has_content(const struct qs_client_session *session);

/* The format of the demo that it is or gives, or NULL. */
const struct qs_demo_format *qs_client_session_demo_format(const struct qs_client_session *session);

/* --- How a session goes on; for sessions.c. */

struct qs_client_session_setup {
    unsigned number;
    const struct qs_demo_format *recorded;
    bool chosen;
    bool rebuild;        /* make a demo of it */
    const char *file;    /* of the first packet; interned */
    const char *comment; /* of it, or NULL; see qs_client_session_packet() */
    struct qs_donors *donors;
    struct qs_address client, server; /* as far as they are known */
    struct qs_session_demo_setup demo;
};

/* `decoder` has just decoded `first`. */
struct qs_client_session *qs_client_session_new(const struct qs_client_session_setup *setup,
                                                const struct qs_decoder *decoder,
                                                const struct qs_packet *first);
void qs_client_session_free(struct qs_client_session *session);

/*
 * A packet of the session, from `file`, which was just decoded. `comment`: what a capture that was
 * made of a demo carries for the packet (see common/demo/parts.h), or NULL.
 */
void qs_client_session_packet(struct qs_client_session *session, const char *file,
                              const char *comment, const struct qs_decoder *decoder,
                              const struct qs_packet *packet);

/* Time passes: see qs_demo_rebuilder.settle. */
void qs_client_session_settle(struct qs_client_session *session);

/*
 * The session is over, and `state` is what is known of it; its demo waits where
 * qs_client_session_waits().
 */
void qs_client_session_over(struct qs_client_session *session, const struct qs_session *state);

/* Whether its demo waits for a donor of a sign-on; more input may bring one. */
bool qs_client_session_waits(const struct qs_client_session *session);

/* It is session `number` under another address: it gives no demo. */
void qs_client_session_set_same(struct qs_client_session *session, unsigned number);

/* Ends the session's demo. `keep` false: what is not finished yet is dropped. */
void qs_client_session_end(struct qs_client_session *session, bool keep);

#endif
