/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Quake (NetQuake), protocols 15, 250 (Nehahra), 666 (FitzQuake), 999 (RMQ), 10000 to 10002 (BJP)
 * and those of DarkPlaces (96, 97, 3500 to 3505), with or without FTE's extensions: the protocol
 * record, and what a session knows. PROTOCOL.md has what engines do.
 */
#ifndef NQ_SESSION_H
#define NQ_SESSION_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/core/decode.h"
#include "common/core/protocol.h"
#include "common/core/session.h"
#include "common/core/containers.h"
#include "common/fte/fte.h"
#include "common/netchan/fragments.h"

/* The frames of entities that a client acknowledges (frame_acks.c), of the last 64 numbers: all 0
 * to begin with. */
struct nq_frames {
    bool started;
    uint32_t newest;       /* number that was captured */
    uint32_t top;          /* the newest that was captured or acknowledged */
    uint64_t decided;      /* bit n: frame top - n was captured or reported as missing */
    uint64_t acknowledged; /* bit n: frame top - n was */
};

/*
 * The reliable messages of one direction. Their fragments have separate numbers; qs_session's
 * netchans count the unreliable messages.
 */
struct nq_reliable {
    struct qs_netchan fragments; /* numbers of the fragments */
    struct qs_fragments pending; /* of the message that is not complete */
    bool doubtful;               /* fragments before those may be missing */
    bool broken;                 /* a fragment of it is missing: it cannot be joined */
    bool last_was_whole;         /* the last message came in one fragment */
    uint32_t acknowledgements;   /* of the last fragment */
};

/* The last clc_move or svc_setangle, in degrees. */
struct nq_angles {
    double pitch, yaw, roll;
};

/* A message as the receiver's game reads it. */
struct nq_delivery {
    struct qs_view bytes; /* valid until the session's next packet; data NULL: none */
    bool reliable;
    uint8_t source; /* as in struct qs_message */
};

/* A command of the client shows that it had data that the capture lacks, or has later, out of
 * order; or a packet that was cut begins another level. */
struct nq_doubt {
    struct qs_sign_on_loss loss; /* the packet that has the command; 0: there is no doubt */
    uint32_t level;              /* the command is for a later one than this */
    uint8_t stage;               /* svc_signonnum that it answers */
    uint8_t waited;              /* unreliable messages of the server since */
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
    bool asked;             /* by a connection request, and no connection has begun since */
    bool restart_offered;   /* the server accepted a connection request while connected */
    bool darkplaces;        /* the server is DarkPlaces: it has its own messages */
    bool darkplaces_client; /* the client connected as DarkPlaces does */
    /* From svc_serverinfo and what follows; valid when base.level is not 0. */
    uint8_t maxclients;
    uint8_t signon;                 /* the last svc_signonnum */
    struct nq_doubt doubt;          /* whether part of the sign-on is missing */
    bool has_donor;                 /* the sign-on is a donor's: nothing of it is missing */
    float level_time;               /* the level's newest svc_time; 0: there was none */
    int64_t level_time_read;        /* of the packet that had it */
    float gap_from, gap_until;      /* the svc_time before and behind the last gap */
    float acknowledged_time;        /* the newest that a move repeats */
    struct nq_frames frames;        /* of entities, in this level */
    uint16_t view_entity;           /* the player's own: its number is one less */
    struct qs_table models, sounds; /* precache lists, by index; index 0 is unused */
    struct qs_table players;        /* names, by number */
    struct qs_table coarse;         /* DP1 to DP4: something for entities that have whole units */

    /* Of the last packet only: not knowledge, but what a rebuilder needs of it. */
    struct nq_delivery delivered;
    GBytes *joined;  /* owns the bytes of a delivery that was joined */
    bool moved;      /* it carried clc_move */
    float move_time; /* the svc_time that it repeats; 0: its protocol has none, or another one */
    struct nq_angles move;
    bool timed;     /* it carried svc_time */
    float time;     /* of the first one, in seconds */
    bool angle_set; /* it carried svc_setangle */
    struct nq_angles set;
};

static inline struct nq_session *nq_session_of(const struct qs_decoder *d)
{
    return (struct nq_session *)d->session;
}

/* As a protocol record has them. FTE's part of the session is left to its caller: `ext.game`. */
void nq_session_init(struct qs_session *session);
void nq_session_copy(struct qs_session *to, const struct qs_session *from);
void nq_session_clear(struct qs_session *session);
void nq_session_forget_packet(struct qs_session *session);
bool nq_session_shares(const struct qs_session *a, const struct qs_session *b);
void nq_session_describe(const struct qs_session *session, struct qs_description *description);
bool nq_session_player(const struct qs_session *session, uint32_t slot, struct qs_player *player);

/* A new connection begins in the conversation: the old one's state is void. */
void nq_session_begin_connection(struct nq_session *session);

/*
 * The server accepts a connection request in this conversation. While one is in progress that is a
 * repeated answer, or the client lost its state: the sequence numbers that follow decide.
 */
void nq_session_accept_connection(struct nq_session *session);

/*
 * The session began within a level: copies the level's state from `donor`, which has the level from
 * its beginning. The state of its connection stays.
 */
void nq_session_use_donor(struct nq_session *session, const struct nq_session *donor);

/* A level begins: lists, players and what is known of entities end. */
void nq_session_begin_level(struct nq_session *session);

/* Whether clc_move begins with the time of the last svc_time that the client has. */
bool nq_moves_begin_with_time(const struct nq_session *session);

/* The protocol version to read by. */
static inline int32_t nq_version(const struct nq_session *session)
{
    return session->base.version ? session->base.version : session->assumed_version;
}

/* Which of DarkPlaces' own protocols, 1 to 8; 0: another one. */
unsigned nq_darkplaces_version(const struct nq_session *session);

/* Frames that were acknowledged, and may still come. */
unsigned nq_frames_awaited(const struct nq_frames *frames);

extern const struct qs_protocol nq_protocol;

#endif
