/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Quake (NetQuake), protocols 15, 250 (Nehahra), 666 (FitzQuake), 999 (RMQ), 10000 to 10002 (BJP)
 * and those of DarkPlaces (96, 97, 3500 to 3505), with or without FTE's extensions: what a session
 * knows, and the protocol record.
 */
#ifndef NQ_QUAKE_H
#define NQ_QUAKE_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/core/protocol.h"
#include "common/core/session.h"
#include "common/core/table.h"
#include "common/fte/fte.h"
#include "common/quake/fragments.h"

/*
 * The reliable messages of one direction. Their fragments are numbered by themselves, apart from
 * the unreliable messages, which qs_session's netchans count.
 */
struct nq_reliable {
    struct qs_netchan fragments; /* numbers of the fragments */
    struct nq_fragments pending; /* of the message that is not complete */
    bool broken;                 /* a fragment of it is missing: it cannot be joined */
    bool last_was_whole;         /* the last message came in one fragment */
    uint32_t acknowledgements;   /* of the last fragment */
};

/* The last clc_move or svc_setangle, in degrees. */
struct nq_angles {
    double pitch, yaw, roll;
};

/* A message as the receiver's game was given it. */
struct nq_delivery {
    struct qs_view bytes; /* valid until the session's next packet; data NULL: none */
    bool reliable;
    uint8_t source; /* as in struct qs_message */
};

struct nq_session {
    union {
        struct qs_session base; /* its netchans count the unreliable messages */
        struct fte_session ext; /* begins with it */
    };
    struct nq_reliable to_server, to_client;

    uint32_t flags; /* PRFL_*, of protocol 999 */
    /* While base.version is not known: the protocol by which the messages so far could be read. */
    int32_t assumed_version;
    bool undecodable;       /* the server chose a protocol that is not decoded */
    bool restart_offered;   /* the server accepted a connection request while connected */
    bool darkplaces;        /* the server is DarkPlaces: it has messages of its own */
    bool darkplaces_client; /* the client connected as DarkPlaces does */
    /* From svc_serverinfo and what follows; valid when base.level is not 0. */
    uint8_t maxclients;
    uint8_t signon;                 /* the last svc_signonnum */
    uint16_t view_entity;           /* the player's own: its number is one less */
    struct qs_table models, sounds; /* precache lists, by index; index 0 is unused */
    struct qs_table players;        /* names, by number */
    struct qs_table coarse;         /* DP1 to DP4: something for entities that have whole units */

    /* Of the last packet only: not knowledge, but what a rebuilder needs of it. */
    struct nq_delivery delivered;
    GBytes *joined; /* owns the bytes of a delivery that was joined */
    bool moved;     /* it carried clc_move */
    struct nq_angles move;
    bool angle_set; /* it carried svc_setangle */
    struct nq_angles set;
};

extern const struct qs_protocol nq_protocol;
extern const struct qs_demo_format nq_dem;

#endif
