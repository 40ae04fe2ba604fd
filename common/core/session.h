/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The common part of the sessions of all protocols. A session is the state that the packets of a
 * conversation have established so far.
 *
 * A protocol's session struct has `struct qs_session` as its first member. Sessions are values: the
 * protocol's session_copy makes a cheap independent copy that shares what is large (see table.h and
 * fragments.h), so that Wireshark can hold the session before each packet and dissect it again.
 */
#ifndef QS_CORE_SESSION_H
#define QS_CORE_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "common/core/field.h"
#include "common/core/packet.h"

/* The reliable packets of one direction; see common/netchan/reliable.h. Initially all 0. */
struct qs_reliable {
    uint32_t last;         /* number of the last packet */
    uint64_t captured;     /* by number, modulo 64: it was captured */
    uint64_t sent;         /* and was reliable */
    uint64_t odd;          /* so many were reliable up to it */
    bool started;          /* the other end has acknowledged: */
    uint32_t acknowledged; /* by its last packet; 0: none */
    bool bit;              /* of that */
    bool has_toggled;      /* it is a netchan's */
    bool suspected;        /* before that: the capture lacks a reliable packet */
    uint32_t suspected_since;
    uint32_t since;   /* the number acknowledged before */
    uint64_t content; /* of the last reliable packet: how it begins; 0: unknown */
    bool doubtful;    /* the capture lacks one, or the line lost that, which is sent again */
    bool confirmed;   /* another one was sent: the capture lacks one */
    uint32_t doubt_since;
    bool acknowledged_odd; /* `odd` of the number */
    /* Of the last acknowledgement: */
    bool differs; /* the bit is not what was captured */
    bool lacks;   /* and only a packet that the capture lacks can be why */
};

/* Numbers that a packet skipped. */
struct qs_skipped {
    uint32_t from, until; /* `until` is the packet behind it */
    int64_t begin, end;   /* times of the packets before and behind it */
    uint32_t counted;     /* of them, as not captured */
    bool is_unanswered;   /* no packet of the other end came since */
    bool acknowledges;    /* the packet behind it acknowledges one not captured */
};

/*
 * One direction of a connection whose packets have a growing sequence number, and which of them
 * arrived. common/netchan updates it.
 */
struct qs_netchan {
    bool started;
    bool begins;       /* the other end had none of its packets yet: the first is 1 */
    uint32_t sequence; /* of the last packet accepted */
    uint64_t seen;     /* bit n: the packet of number sequence - n was captured */
    /* Totals since the start. */
    uint32_t accepted, stale, duplicates;
    uint32_t missing;         /* numbers in holes */
    uint32_t not_captured;    /* numbers that the other end acknowledged but the capture lacks; of
                               * those that come later this is taken back */
    uint32_t last_uncaptured; /* the newest such number, so that it is counted once */
    uint64_t lacking;         /* bit n: number last_uncaptured - n is such a one */
    uint32_t ahead;           /* of those not captured: behind `sequence` */
    int64_t time;             /* of the last accepted packet */
    bool is_lacking;          /* a packet behind it is proved not to be captured */
    struct qs_skipped last_gap;
    struct qs_reliable reliable;
    uint32_t restarts; /* packets in a row with first numbers, after larger ones */
};

/* Packets between two that the capture has: it lacks them. See common/netchan/holes.h. */
struct qs_hole {
    uint32_t number;     /* from 1, in the connection; 0: there is none */
    int64_t begin, end;  /* nanoseconds since the epoch: the packets before and behind it */
    uint32_t packets[2]; /* at least so many, by direction less QS_C2S */
    bool fits_level;     /* the next level may have begun in it, and nothing would show that */
};

/* How many packets of the direction the hole has more than it had as `before`, which may be the
 * hole before it; 0 if it has fewer, since its session is decoded again. */
static inline uint32_t qs_hole_growth(const struct qs_hole *hole, const struct qs_hole *before,
                                      unsigned direction)
{
    const uint32_t now = hole->packets[direction - QS_C2S];
    const uint32_t then = hole->number == before->number ? before->packets[direction - QS_C2S] : 0;

    return now > then ? now - then : 0;
}

/* Where the capture lacks part of a level's sign-on. */
struct qs_sign_on_loss {
    uint64_t packet; /* number in the capture; 0: nothing is missing, or the packet is unknown */
    bool before;     /* what is missing was sent before that packet; else it is that packet */
    bool in_game;    /* the level was played until then, and another one may have begun */
};

/* How far a level has come. */
enum qs_level_state {
    QS_LEVEL_UNKNOWN,    /* no beginning of a level was captured */
    QS_LEVEL_SIGNING_ON, /* the client receives lists, baselines and texts */
    QS_LEVEL_PLAYING,
    QS_LEVEL_ENDED /* the server loads the next level */
};

struct qs_session {
    enum qs_end server;  /* which end is the server */
    uint32_t connection; /* number of the connection in this conversation; 0: none has begun */
    uint32_t level;      /* number of the level in this connection; 0: none has begun */
    enum qs_level_state level_state;
    uint32_t played_from; /* number of the server's packet with which the game begins */
    uint64_t ended_by;    /* number of the packet that ended the level */
    struct qs_sign_on_loss
        lost;            /* the level is incomplete: the capture lacks part of its sign-on */
    int32_t version;     /* protocol version in force, 0 while not known */
    bool disconnected;   /* either end has ended the connection */
    uint32_t qport;      /* of its client: see qs_seqinfo_qport(); 0: none, or not known yet */
    int64_t demo_start;  /* of a server's demo: nanoseconds since the epoch; 0: unknown */
    int32_t may_inflate; /* so many bytes more than the packet at hand may: see inflate.h */
    struct qs_netchan to_server, to_client;
    struct qs_hole hole; /* the last one, which may still grow */
};

void qs_session_init(struct qs_session *session);

/* A new connection begins in the conversation: counters restart, the server stays the same. */
void qs_session_connect(struct qs_session *session);

/*
 * A level begins; the client plays it from the server's packet `from` on; packet number `packet`
 * ends it; the capture lacks part of its sign-on, which only the first call of a level stores.
 */
void qs_level_begin(struct qs_session *session);
void qs_level_play(struct qs_session *session, uint32_t from);
void qs_level_end(struct qs_session *session, uint64_t packet);
/* Whether it ended before this packet: what belongs to a game is of the next level. */
bool qs_level_is_over(const struct qs_session *session, uint64_t packet);
void qs_level_lose(struct qs_session *session, uint64_t packet, bool before);

/* Whether the packet's sender is the server. False if that is not known. */
bool qs_session_from_server(const struct qs_session *session, const struct qs_packet *packet);

/*
 * The numbers of sessions: from 1, in the order in which they begin, over all conversations and
 * protocols. A conversation may have several, one after the other: one begins with the first
 * netchan packet that its receiver accepts (decoder->accepted) in a new connection
 * (qs_session.connection), and ends when the next connection begins. Connectionless packets before
 * that belong to no session.
 */

/* The number of sessions so far, of all that are numbered together. Initially all 0. */
struct qs_session_numbers {
    uint32_t count;
};

/* The current session of a conversation. Initially all 0. */
struct qs_session_number {
    uint32_t number;     /* 0: none */
    uint32_t connection; /* that it is */
};

/*
 * Call it after each decoded packet, which its receiver `accepted` or not; its conversation is then
 * in `connection`. Returns the number of the current session, 0 if there is none. If the number
 * changes, the previous session is over.
 */
uint32_t qs_number_session(struct qs_session_numbers *numbering, struct qs_session_number *current,
                           uint32_t connection, bool accepted);

/*
 * Metadata of a packet, the same for all protocols: rows like those of fields, whose names follow
 * the protocol's ("session" is "qw.session"). Wireshark shows them in
 * the tree; dumps have the same as packet.session and packet.direction.
 */

enum qs_session_field {
    QS_SESSION_NUMBER,
    QS_SESSION_PLAYER,
    QS_SESSION_FROM_SERVER,
    QS_SESSION_FIELDS
};

extern const struct qs_field qs_session_fields[QS_SESSION_FIELDS];

#endif
