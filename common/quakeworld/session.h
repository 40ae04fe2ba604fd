/* SPDX-License-Identifier: GPL-2.0-or-later */
/* QuakeWorld, protocols 24 to 28: the protocol record, and what a session knows. */
#ifndef QW_SESSION_H
#define QW_SESSION_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/netchan/fragments.h"
#include "common/core/text.h"
#include "common/core/protocol.h"
#include "common/core/session.h"
#include "common/core/containers.h"
#include "common/fte/fte.h"

enum {
    QW_PLAYERS_MAX = 255, /* with FTE's MAXPLAYERS; 32 without */
    QW_PLAYER_NONE = 255
};

/* A player's command, absolute, as the demo's client block wants it. */
struct qw_usercmd {
    uint8_t msec;
    uint16_t angles[3]; /* pitch, yaw, roll in 1/65536 of a turn */
    int16_t forward, side, up;
    uint8_t buttons, impulse;
};

/*
 * The format of the netchan header: FTE's connect may ask for another one, which svc_serverdata
 * does not repeat. Source: common/fte/PROTOCOL.md, sections 1 and 2.
 */
struct qw_netchan_format {
    bool known;     /* by the connect packet, or by a packet's unambiguous contents */
    bool stunaware; /* words in big-endian order, the sequence word with a bias */
    bool fragments; /* one word more, for fragments */
    bool huffman;   /* what follows is compressed by a table that only the engines have */
};

/* Whom a block of MVD concerns. */
struct qw_mvd_target {
    unsigned type;    /* enum mvd_type; 0: not known yet */
    uint32_t players; /* a bit for each, except for MVD_ALL */
};

/* What an end of a QTV conversation sends next. */
enum qw_qtv_stage {
    QW_QTV_STAGE_TEXT, /* a request or a reply */
    QW_QTV_STAGE_RAW,  /* it was asked for the bare stream: blocks, or a reply that it will not come
                        */
    QW_QTV_STAGE_BLOCKS,   /* blocks of an MVD */
    QW_QTV_STAGE_COMMANDS, /* viewers' commands */
    QW_QTV_STAGE_COMPRESSED,
    QW_QTV_STAGE_LOST /* bytes are missing or wrong: the start of the next unit is unknown */
};

struct qw_qtv {
    enum qw_qtv_stage stage[2]; /* by enum qs_end */
    bool begun;                 /* the stream has */
    bool compression_said;
    bool block; /* of the last unit only: it was a whole block */
};

/* What the capture has of a level's sign-on; see level.c. */
struct qw_sign_on {
    bool has_donor;    /* a donor's: nothing is missing */
    float time;        /* of the level's last svcfte_updateentities */
    int32_t count;     /* of svc_serverdata, which requests repeat; 0: unknown */
    uint32_t request;  /* the client's last one; 0: none was seen */
    uint32_t expected; /* the one that the last answer makes the client send; 0: unknown */
    bool downloads;    /* the client asks for files, until its next request */
    bool pending;      /* the last request has no answer yet */
    bool has_lists;    /* all parts of the lists of sounds and models */
    bool gap;          /* numbers of the server are missing since the last answer */
    bool behind_gap;   /* the last answer stood behind missing numbers */
};

/* Numbers that both ends skip at once: the next level may have begun among them. */
struct qw_hole {
    uint32_t behind[2];   /* the first number behind it, by direction less QS_C2S; 0: unknown */
    bool is_before_donor; /* the level has a donor, and no packet without a hole before it */
    bool is_open;         /* not all reliable packets in it are acknowledged */
};

struct qw_session {
    union {
        struct qs_session base;
        struct fte_session ext; /* begins with it */
    };
    bool connecting; /* the server has accepted; the connection begins with the client's next packet
                      */
    struct qw_netchan_format asked, format;   /* by the last connect packet; in force */
    uint32_t asked_fte2;                      /* extensions, by the last connect packet */
    struct qs_fragments to_server, to_client; /* of messages that are not whole yet */
    /* From svc_serverdata; valid when base.level is not 0. */
    uint8_t player; /* number of the client's own player, or QW_PLAYER_NONE */
    bool spectator;
    struct qw_sign_on sign_on;
    struct qw_hole hole;
    uint32_t round_trip;            /* in packets of both ends, before the last hole */
    struct qs_table models, sounds; /* precache lists, by index; index 0 is unused */
    struct qs_table userinfo;       /* by player number */
    struct qs_table texts;          /* enum qw_text */
    struct qw_qtv qtv;              /* of a conversation over TCP */
    GBytes *effect_styles;          /* of svcfte_customtempent, see temp_entities.c; or NULL */

    bool mvd; /* it is a server's demo, or QTV: some messages have a form of their own */
    struct qw_mvd_target mvd_target; /* of the last block that is not MVD_READ, which keeps it */

    /* Of the last packet only, for the rebuilder. */
    bool moved;                /* it carried clc_move */
    struct qw_usercmd cmds[3]; /* the move's commands, the newest last */
    uint8_t choked;            /* svc_chokecount's number */
    uint32_t header_size;      /* of its netchan header */
    struct qs_view content;    /* the bytes that message offsets refer to; none: not accepted */
    GBytes *joined;            /* the whole message, where the packet ended a fragmented one */
};

enum qw_text {
    QW_TEXT_GAMEDIR = 1,
    QW_TEXT_LEVEL,
    QW_TEXT_SERVERINFO,
    QW_TEXT_CONNECT_USERINFO, /* of the connect packet that the connection began with */
    QW_TEXT_ASKED_USERINFO,   /* of the latest one */
};

/* For the protocol record; `game` is what of FTE's extensions is QuakeWorld's own. */
void qw_session_init(struct qw_session *session, const struct fte_game *game);
void qw_session_copy(struct qs_session *to, const struct qs_session *from);
void qw_session_clear(struct qs_session *session);
void qw_session_forget_packet(struct qs_session *session);
bool qw_session_shares(const struct qs_session *a, const struct qs_session *b);
void qw_session_describe(const struct qs_session *session, struct qs_description *description);
bool qw_session_player(const struct qs_session *session, uint32_t slot, struct qs_player *player);

/* Whether the packet just decoded is of a sign-on that the capture cut, and that a donor's
 * replaces: then it says nothing. */
bool qw_level_is_torn(const struct qs_decoder *d);

/* A connection begins; a level begins. */
void qw_session_connect(struct qw_session *session);
void qw_session_begin_level(struct qw_session *session);
/* A level begins without a known svc_serverdata: the extensions stay. */
void qw_session_go_on(struct qw_session *session);
/* The session joins a level late and gets a donor's sign-on: it has the donor's state from now on,
 * except for its own player. */
void qw_session_use_donor(struct qw_session *session, const struct qw_session *donor);
/* The name in the user info of `player`; the empty view when it is not known. */
struct qs_view qw_player_name(const struct qw_session *session, uint32_t player);

/* --- Moves, written */

/*
 * Appends a clc_move with these three commands, the newest last, as the packet numbered `sequence`
 * carries it. In protocols up to 26 moves count in steps of 8 units, and are rounded to them.
 */
void qw_append_move(GByteArray *to, int32_t version, const struct qw_usercmd cmds[3],
                    uint32_t sequence);

/*
 * The checksum byte of a clc_move in the packet numbered `sequence`, over the move's bytes after
 * the checksum byte.
 */
uint8_t qw_move_checksum(const uint8_t *data, uint32_t size, uint32_t sequence);

extern const struct qs_protocol qw_protocol;

#endif
