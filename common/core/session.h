/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The common part of the sessions of all protocols. A session is the state that the packets of a
 * conversation have established so far.
 *
 * A protocol's session struct has `struct qs_session` as its first member. Sessions are values: the
 * protocol's session_copy makes a cheap independent copy that shares large members (containers.h,
 * netchan.h), so that Wireshark can keep the session before each packet and dissect it again.
 */
#ifndef QS_CORE_SESSION_H
#define QS_CORE_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "common/core/field.h"
#include "common/core/packet.h"

/* The reliable packets of one direction; see common/netchan/netchan.h. Initially all 0. */
struct qs_reliable {
    uint32_t last;         /* number of the last packet */
    uint64_t captured;     /* bit n % 64: packet n was captured */
    uint64_t sent;         /* bit n % 64: packet n was captured and reliable */
    uint64_t odd;          /* bit n % 64: the number of reliable packets up to n is odd */
    bool started;          /* the other end has acknowledged a packet */
    uint32_t acknowledged; /* number that its last packet acknowledged; 0: none */
    bool bit;              /* reliable bit of that acknowledgement */
    bool has_toggled;      /* the bit has toggled, so the end has reliable bits */
    bool suspected; /* before the first toggle: the capture seemed to lack a reliable packet */
    uint32_t suspected_since;
    uint32_t since;   /* number acknowledged before: the missing packet is after it */
    uint64_t content; /* first bytes of the last reliable packet's messages; 0: unknown */
    bool doubtful;    /* the capture lacks one, or the path lost the last one, which is resent */
    bool confirmed;   /* a different one followed: the capture lacks one */
    uint32_t doubt_since;
    bool acknowledged_odd; /* `odd` of the acknowledged number */
    /* About the last acknowledgement: */
    bool differs; /* its bit does not match the captured packets */
    bool lacks;   /* only a packet that the capture lacks explains that */
};

/* Sequence numbers that the sender or the path skipped: a gap. */
struct qs_skipped {
    uint32_t from, until; /* first skipped number; number of the packet after the gap */
    int64_t begin, end;   /* times of the packets before and after the gap */
    uint32_t counted;     /* how many of the numbers count as not captured */
    bool is_unanswered;   /* no packet of the other end has followed */
    bool acknowledges;    /* the packet after the gap acknowledges one that was not captured */
};

/*
 * One direction of a connection with increasing sequence numbers, and which of its packets arrived.
 * Updated by common/netchan.
 */
struct qs_netchan {
    bool started;
    bool begins;       /* the other end has acknowledged number 0: the first packet is number 1 */
    uint32_t sequence; /* number of the last accepted packet */
    uint64_t seen;     /* bit n: packet `sequence` - n was captured */
    /* Totals since the start. */
    uint32_t accepted, stale, duplicates;
    uint32_t missing;         /* number of skipped sequence numbers */
    uint32_t not_captured;    /* number of packets that the other end acknowledged but the capture
                                 lacks; a late one is subtracted when it arrives */
    uint32_t last_uncaptured; /* number of the latest such packet, to count it once */
    uint64_t lacking;         /* bit n: packet last_uncaptured - n is such a packet */
    uint32_t ahead;           /* number of such packets after `sequence` */
    int64_t time;             /* time of the last accepted packet */
    bool is_lacking;          /* the capture is proved to lack a packet after the last one */
    struct qs_skipped last_gap;
    struct qs_reliable reliable;
    uint32_t restarts; /* number of successive packets that may begin a new connection */
};

/* A hole in the capture: it lacks packets between two that it has. See common/netchan/netchan.h. */
struct qs_hole {
    uint32_t number;     /* number of the hole in the connection, from 1; 0: none */
    int64_t begin, end;  /* times of the packets before and after the hole (ns since the epoch) */
    uint32_t packets[2]; /* minimum number of packets, indexed by direction - QS_C2S */
    bool fits_level;     /* the next level may have begun in the hole unnoticed */
};

/* Returns how many packets of the direction the hole has gained since `before`, an earlier state of
 * it or the hole before; 0 if it has fewer, because its session is decoded again. */
static inline uint32_t qs_hole_growth(const struct qs_hole *hole, const struct qs_hole *before,
                                      unsigned direction)
{
    const uint32_t now = hole->packets[direction - QS_C2S];
    const uint32_t then = hole->number == before->number ? before->packets[direction - QS_C2S] : 0;

    return now > then ? now - then : 0;
}

/* The part of a level's sign-on that the capture lacks. */
struct qs_sign_on_loss {
    uint64_t packet; /* number in the capture; 0: nothing is missing, or the packet is unknown */
    bool before;     /* the missing part was sent before `packet`; else it is `packet` */
    bool in_game;    /* the level was played until then, and another one may have begun */
    bool playable;   /* players can show the level without it */
};

/* Progress of a level. */
enum qs_level_state {
    QS_LEVEL_UNKNOWN,    /* the beginning of the level was not captured */
    QS_LEVEL_SIGNING_ON, /* the client receives lists, baselines and texts */
    QS_LEVEL_PLAYING,
    QS_LEVEL_ENDED /* the server loads the next level */
};

struct qs_session {
    enum qs_end server;  /* which end is the server */
    uint32_t connection; /* number of the connection in this conversation; 0: before the first */
    uint32_t level;      /* number of the level in this connection; 0: before the first */
    enum qs_level_state level_state;
    uint32_t played_from;        /* number of the server's packet that begins the game */
    uint64_t ended_by;           /* number of the packet that ended the level */
    struct qs_sign_on_loss lost; /* part of the level's sign-on that the capture lacks */
    int32_t version;             /* current protocol version; 0: unknown */
    bool disconnected;           /* either end has ended the connection */
    uint32_t qport;      /* the client's qport: see qs_seqinfo_qport(); 0: none, or unknown */
    int64_t demo_start;  /* start time of a server's demo (ns since the epoch); 0: unknown */
    int32_t may_inflate; /* unused allowance of earlier packets (bytes), may be negative: see
                            inflate.h */
    struct qs_netchan to_server, to_client;
    struct qs_hole hole; /* latest hole, which may still grow */
};

void qs_session_init(struct qs_session *session);

/* Starts a connection in the conversation: resets all but the server and the inflate allowance. */
void qs_session_connect(struct qs_session *session);

/*
 * Events of a level: it begins; the client plays it from the server's packet `from` on; packet
 * number `packet` ends it; the capture lacks part of its sign-on, at or `before` packet number
 * `packet`. `playable`: players can show the level without that part. qs_level_lose() keeps a
 * level's first loss, and the first one that is not playable.
 */
void qs_level_begin(struct qs_session *session);
void qs_level_play(struct qs_session *session, uint32_t from);
void qs_level_end(struct qs_session *session, uint64_t packet);
/* True if the level ended before this packet: game messages then belong to the next level. */
bool qs_level_is_over(const struct qs_session *session, uint64_t packet);
void qs_level_lose(struct qs_session *session, uint64_t packet, bool before, bool playable);
/* True if players cannot show the level, because the capture lacks part of its sign-on. */
bool qs_level_is_unplayable(const struct qs_session *session);

/* True if the packet's sender is the server; false if that is unknown. */
bool qs_session_from_server(const struct qs_session *session, const struct qs_packet *packet);

/*
 * Session numbers: from 1, in the order in which sessions begin, over all conversations and
 * protocols. A conversation may have several sessions, one after the other. A session begins with
 * the first netchan packet that its receiver accepts (qs_found.accepted) in a new connection
 * (qs_session.connection), and ends when the next connection begins. Connectionless packets before
 * that belong to no session, and neither do those after a disconnect (qs_found.is_outside): they
 * may be of the next session's handshake. All blocks of a demo belong to its session.
 */

/* Number of sessions that share one numbering. Initially all 0. */
struct qs_session_numbers {
    uint32_t count;
};

/* The current session of a conversation. Initially all 0. */
struct qs_session_number {
    uint32_t number;     /* 0: no session */
    uint32_t connection; /* connection of the session */
};

/*
 * Updates the conversation's current session after each decoded packet. `connection`: number of its
 * connection; `accepted`: the receiver accepted the packet. Returns the session's number, 0 if
 * there is none. If the number changes, the previous session has ended.
 */
uint32_t qs_number_session(struct qs_session_numbers *numbering, struct qs_session_number *current,
                           uint32_t connection, bool accepted);

/*
 * Metadata of a packet, the same for all protocols: rows like those of fields, with names that
 * follow the protocol's prefix ("session" is "qw.session"). Wireshark shows them in the tree; dumps
 * have packet.session and packet.direction instead.
 */

enum qs_session_field {
    QS_SESSION_NUMBER,
    QS_SESSION_PLAYER,
    QS_SESSION_FROM_SERVER,
    QS_SESSION_FIELDS
};

extern const struct qs_field qs_session_fields[QS_SESSION_FIELDS];

#endif
