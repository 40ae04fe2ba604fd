/* SPDX-License-Identifier: GPL-2.0-or-later */
/* QuakeWorld, protocols 24 to 28: the protocol record, and the state of a session. */
#ifndef QW_SESSION_H
#define QW_SESSION_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/netchan/netchan.h"
#include "common/core/text.h"
#include "common/core/protocol.h"
#include "common/core/session.h"
#include "common/core/containers.h"
#include "common/fte/fte.h"

enum {
    QW_PLAYERS_MAX = 255, /* with FTE's MAXPLAYERS; otherwise 32 */
    QW_PLAYER_NONE = 255
};

/* A player's command, absolute, as the client block of a demo has it. */
struct qw_usercmd {
    uint8_t msec;
    uint16_t angles[3]; /* pitch, yaw, roll in 1/65536 of a turn */
    int16_t forward, side, up;
    uint8_t buttons, impulse;
};

/*
 * Format of the netchan header. FTE's connect may ask for another one, which svc_serverdata does
 * not repeat. Source: common/fte/PROTOCOL.md, sections 1 and 2.
 */
struct qw_netchan_format {
    bool known;     /* known from the connect packet, or from a packet's unambiguous contents */
    bool stunaware; /* big-endian words, the sequence word with a bias */
    bool fragments; /* one more word, for fragments */
    bool huffman;   /* the rest is compressed by a table that only the engines have */
};

/* Players that a block of MVD is for. */
struct qw_mvd_target {
    unsigned type;    /* enum mvd_type; 0: unknown */
    uint32_t players; /* one bit per player, except for MVD_ALL */
};

/* Kind of PDU that an end of a QTV conversation sends next. */
enum qw_qtv_stage {
    QW_QTV_STAGE_TEXT, /* a request or a reply */
    QW_QTV_STAGE_RAW,  /* blocks, because the bare stream was requested; or a reply that refuses it
                        */
    QW_QTV_STAGE_BLOCKS,   /* blocks of an MVD */
    QW_QTV_STAGE_COMMANDS, /* viewers' commands */
    QW_QTV_STAGE_COMPRESSED,
    QW_QTV_STAGE_LOST /* bytes are missing or wrong: the start of the next PDU is unknown */
};

struct qw_qtv {
    enum qw_qtv_stage stage[2]; /* by enum qs_end */
    bool begun;                 /* the stream has begun */
    bool compression_reported;
    bool block; /* the last PDU was a whole block */
};

/* State of a level's sign-on; see level.c. */
struct qw_sign_on {
    bool has_donor;         /* the sign-on is a donor's: nothing is missing */
    float time;             /* time of the level's last svcfte_updateentities */
    int32_t count;          /* svc_serverdata's count, which requests repeat; 0: unknown */
    uint32_t request;       /* the client's last request; 0: none captured */
    uint32_t expected;      /* request that the last answer makes the client send; 0: unknown */
    bool downloads;         /* the client downloads files, until its next request */
    bool pending;           /* the last request has no answer yet */
    uint8_t behind_silence; /* packets that still follow a silence of both ends */
    bool has_long_hole;     /* it may contain another sign-on */
    bool has_lists;         /* all parts of the lists of sounds and models */
    bool gap;               /* numbers of the server are missing since the last answer */
    bool behind_gap;        /* numbers were missing before the last answer */
};

/* Numbers that both ends skip at once: the next level may have begun among them. */
struct qw_hole {
    uint32_t behind[2];   /* first number after the hole, by direction - QS_C2S; 0: unknown */
    bool is_before_donor; /* with a donor: every packet so far has a hole before it */
    bool is_open;         /* some reliable packets in it are not acknowledged */
};

struct qw_session {
    union {
        struct qs_session base;
        struct fte_session ext; /* begins with `base` */
    };
    bool connecting; /* the server has accepted; the connection begins with the client's next packet
                      */
    struct qw_netchan_format asked, format;   /* requested by the last connect packet; in force */
    uint32_t asked_fte2;                      /* extensions requested by the last connect packet */
    struct qs_fragments to_server, to_client; /* incomplete fragmented messages */
    /* From svc_serverdata; valid if base.level is not 0. */
    uint8_t player; /* number of the client's own player, or QW_PLAYER_NONE */
    bool spectator;
    struct qw_sign_on sign_on;
    struct qw_hole hole;
    uint32_t round_trip;            /* round trip in packets of both ends, before the last hole */
    struct qs_table models, sounds; /* precache lists, by index; index 0 is unused */
    struct qs_table userinfo;       /* by player number */
    struct qs_table texts;          /* enum qw_text */
    struct qw_qtv qtv;              /* state of a conversation over TCP */
    GBytes *effect_styles;          /* styles of svcfte_customtempent, see entities.c; or NULL */

    bool mvd; /* server's demo or QTV, where some messages have a form of their own */
    struct qw_mvd_target mvd_target; /* target of the last block, which MVD_READ keeps */

    /* State of the last packet, and commands of the last move, for the rebuilder. */
    bool moved;                /* the packet carried clc_move */
    struct qw_usercmd cmds[3]; /* the move's commands, the newest last */
    uint8_t choked;            /* svc_chokecount's number */
    uint32_t header_size;      /* size of the netchan header */
    struct qs_view content;    /* bytes that message offsets refer to; empty: packet not accepted */
    GBytes *joined; /* whole message, if the packet completed a fragmented one; or NULL */
};

enum qw_text {
    QW_TEXT_GAMEDIR = 1,
    QW_TEXT_LEVEL,
    QW_TEXT_SERVERINFO,
    QW_TEXT_CONNECT_USERINFO, /* user info of the connect packet that began the connection */
    QW_TEXT_ASKED_USERINFO,   /* user info of the latest connect packet */
};

/* Callbacks of the protocol record. `game`: QuakeWorld's part of FTE's extensions. */
void qw_session_init(struct qw_session *session, const struct fte_game *game);
void qw_session_copy(struct qs_session *to, const struct qs_session *from);
void qw_session_clear(struct qs_session *session);
void qw_session_forget_packet(struct qs_session *session);
bool qw_session_shares(const struct qs_session *a, const struct qs_session *b);
void qw_session_describe(const struct qs_session *session, struct qs_description *description);
bool qw_session_player(const struct qs_session *session, uint32_t slot, struct qs_player *player);

/* True if the packet is the server's and was cut, in a sign-on that a donor's replaces: its
 * messages must be ignored. */
bool qw_level_ignores_packet(const struct qs_decoder *d);

/* Reset the session when a connection begins, and when a level begins. */
void qw_session_connect(struct qw_session *session);
void qw_session_begin_level(struct qw_session *session);
/* Begins a level without a known svc_serverdata, and keeps the extensions. */
void qw_session_begin_unseen(struct qw_session *session);
/* Gives a session that joined a level late a donor's sign-on: copies the donor's state, except for
 * its own player. */
void qw_session_use_donor(struct qw_session *session, const struct qw_session *donor);
/* Returns the name in the user info of `player`, which owns it; empty if it is unknown. */
struct qs_view qw_player_name(const struct qw_session *session, uint32_t player);

/* --- Writing moves */

/*
 * Appends a clc_move with these three commands, the newest last, for the packet numbered
 * `sequence`. Up to protocol 26 moves are written in steps of 8 units, rounded toward zero.
 */
void qw_append_move(GByteArray *to, int32_t version, const struct qw_usercmd cmds[3],
                    uint32_t sequence);

/*
 * Returns the checksum byte of a clc_move in the packet numbered `sequence`. `data`: the move's
 * bytes after the checksum byte.
 */
uint8_t qw_move_checksum(const uint8_t *data, uint32_t size, uint32_t sequence);

extern const struct qs_protocol qw_protocol;

#endif
