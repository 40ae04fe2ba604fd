/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Quake (NetQuake), protocols 15, 250 (Nehahra), 666 (FitzQuake), 999 (RMQ), 10000 to 10002 (BJP)
 * and those of DarkPlaces (96, 97, 3500 to 3505), with or without FTE's extensions: the protocol
 * record, and the state of a session. PROTOCOL.md documents the engines' behavior.
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
#include "common/netchan/netchan.h"

/* The last 64 frames of entities, and which of them the client acknowledged (frame_acks.c).
 * Initially zeroed. */
struct nq_frames {
    bool started;
    uint32_t newest;       /* newest number that was captured */
    uint32_t top;          /* newest number that was captured or acknowledged */
    uint64_t decided;      /* bit n: frame top - n was captured or reported as missing */
    uint64_t acknowledged; /* bit n: frame top - n was acknowledged */
};

/*
 * Reliable messages of one direction. Their fragments have separate numbers; qs_session's netchans
 * count the unreliable messages.
 */
struct nq_reliable {
    struct qs_netchan fragments; /* numbers of the fragments */
    struct qs_fragments pending; /* fragments of the incomplete message */
    bool doubtful;               /* fragments before the pending ones may be missing */
    bool broken;                 /* a fragment of the message is missing: it cannot be joined */
    bool last_was_whole;         /* the last message was complete in one fragment */
    uint32_t acknowledgements;   /* number of acknowledgements of the last fragment */
};

/* Angles of the last clc_move or svc_setangle, in degrees. */
struct nq_angles {
    double pitch, yaw, roll;
};

/* Message that the receiver accepts. */
struct nq_delivery {
    struct qs_view bytes; /* valid until the session's next packet; data NULL: no message */
    bool reliable;
    uint8_t source; /* depth of the buffer, as in struct qs_message */
};

/* Doubt about the sign-on: a command of the client shows that the client had data that the capture
 * lacks, or has later, out of order; or a cut packet begins another level. */
struct nq_doubt {
    struct qs_sign_on_loss loss; /* packet that raised the doubt; 0: no doubt */
    uint32_t level;              /* number of the level before the one that the doubt is about */
    uint8_t stage;               /* number of the svc_signonnum that the command answers */
    uint8_t waited;              /* number of unreliable messages of the server since then */
};

struct nq_session {
    union {
        struct qs_session base; /* its netchans count the unreliable messages */
        struct fte_session ext; /* begins with `base` */
    };
    struct nq_reliable to_server, to_client;

    uint32_t flags; /* PRFL_ flags of protocol 999 */
    /* Protocol with which the messages so far could be read, while base.version is unknown. */
    int32_t assumed_version;
    bool undecodable;        /* the server chose a protocol that is not decoded */
    bool asked;              /* true from a connection request until a connection begins */
    bool restart_offered;    /* the server accepted a connection request while connected */
    bool restart_is_certain; /* and that was no repetition of its accept */
    int64_t accepted_at;     /* time of the server's last accept; 0: not captured */
    bool darkplaces;         /* the server is DarkPlaces, which has its own messages */
    bool darkplaces_client;  /* the client used DarkPlaces' handshake or one of its protocols */
    /* From svc_serverinfo and the messages behind it; valid if base.level is not 0. */
    uint8_t maxclients;
    uint8_t signon;                 /* number of the last svc_signonnum */
    struct nq_doubt doubt;          /* whether the capture lacks part of the sign-on */
    bool has_donor;                 /* the sign-on is a donor's, and complete */
    float level_time;               /* newest svc_time of the level; 0: none yet */
    int64_t level_time_read;        /* time stamp of the packet with `level_time` */
    float gap_from, gap_until;      /* svc_time before and behind the last gap */
    float acknowledged_time;        /* newest svc_time that a move repeated */
    struct nq_frames frames;        /* frames of entities in this level */
    uint16_t view_entity;           /* entity of the player, whose slot is one less */
    struct qs_table models, sounds; /* precache lists, by index; index 0 is unused */
    struct qs_table players;        /* names of players, by slot */
    struct qs_table coarse;         /* DP1 to DP4: entities with coordinates in whole units */

    /* Contents of the last packet only, for the rebuilder of demos. */
    struct nq_delivery delivered;
    GBytes *joined;  /* owns the bytes of a delivery that was joined; or NULL */
    bool moved;      /* the packet carried clc_move */
    float move_time; /* svc_time that the move repeats; 0: none in its protocol */
    struct nq_angles move;
    bool timed;     /* the packet carried svc_time */
    float time;     /* first svc_time of the packet (s) */
    bool angle_set; /* the packet carried svc_setangle */
    struct nq_angles set;
};

static inline struct nq_session *nq_session_of(const struct qs_decoder *d)
{
    return (struct nq_session *)d->session;
}

/* Functions of the protocol record. nq_session_init() leaves `ext.game` to its caller. */
void nq_session_init(struct qs_session *session);
void nq_session_copy(struct qs_session *to, const struct qs_session *from);
void nq_session_clear(struct qs_session *session);
void nq_session_forget_packet(struct qs_session *session);
bool nq_session_shares(const struct qs_session *a, const struct qs_session *b);
void nq_session_describe(const struct qs_session *session, struct qs_description *description);
bool nq_session_player(const struct qs_session *session, uint32_t slot, struct qs_player *player);

/* Begins a new connection in the conversation, and drops the state of the old one. */
void nq_session_begin_connection(struct nq_session *session);

/*
 * Handles the server's accept of a connection request. If a connection exists, the accept is
 * repeated or the client has lost its state: the sequence numbers that follow decide.
 */
void nq_session_accept_connection(struct nq_session *session, int64_t time);

/*
 * Copies the state of the level from `donor`, which has the level from its beginning, to a session
 * that the capture joined mid-level. Keeps the state of the session's connection.
 */
void nq_session_use_donor(struct nq_session *session, const struct nq_session *donor);

/* Begins a level: drops lists, players, and the state of entities. */
void nq_session_begin_level(struct nq_session *session);

/* True if clc_move begins with the svc_time of the newest message that the client has. */
bool nq_moves_begin_with_time(const struct nq_session *session);

/* The format of clc_move: angles, without ProQuake's precise aim; true for buttons of 32 bits. */
enum qs_angle_format nq_move_angle_format(const struct nq_session *session);
bool nq_has_wide_buttons(const struct nq_session *session);

/* Returns the protocol version, or the one that is assumed. */
static inline int32_t nq_version(const struct nq_session *session)
{
    return session->base.version ? session->base.version : session->assumed_version;
}

/* Returns which of DarkPlaces' own protocols the session has, 1 to 8, or 0 for another one. */
unsigned nq_darkplaces_version(const struct nq_session *session);

/* Returns the number of frames that were acknowledged and may still arrive. */
unsigned nq_frames_awaited(const struct nq_frames *frames);

extern const struct qs_protocol nq_protocol;

#endif
