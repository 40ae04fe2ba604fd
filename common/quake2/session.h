/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Quake II as other folders see it: the protocol record, what a session knows, and the framing of
 * MVD. */
#ifndef Q2_SESSION_H
#define Q2_SESSION_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/core/containers.h"
#include "common/core/inflate.h"
#include "common/core/protocol.h"
#include "common/core/session.h"
#include "common/netchan/fragments.h"
#include "common/quake2/tracker.h"

/* --- The variant ------------------------------------------------------------------------------ */

/* What protocol versions, minor versions and extensions write in different ways. */

/* How config strings are numbered. */
enum q2_layout { Q2_LAYOUT_VANILLA, Q2_LAYOUT_EXTENDED, Q2_LAYOUT_RERELEASE };

struct q2_variant {
    bool packed;        /* protocols 35 and 36: frames in one message, extra player bits */
    bool relay;         /* recorded by a relay: messages for one client are marked */
    bool server_record; /* a server-side recording: frames hold entities only */
    bool suppress_byte; /* svc_frame has one: all protocols but 26 */
    bool long_solid;    /* solids of 32 bits */
    bool short_angles;  /* U_ANGLE16 */
    bool beam_origin;   /* old_origin of beams stays until it is sent */
    bool extensions;    /* extended limits */
    bool extensions2;   /* extended limits, version 2: variable coordinates, 64 stats */
    bool player_fog;
    bool clientnum16; /* the client number is a short */
    bool q2repro;     /* coordinates are floats, messages are numbered otherwise */
    enum q2_layout layout;
    bool rerelease; /* its demos: floats in many places, wider fields */
    bool floats;    /* positions of messages are floats */
    bool mvd;       /* a server's stream or file: removals may have fields */
    bool aqtion;    /* frames keep the ids of their messages; a byte of flags in the player */
};

/* q2pro-ng speaks a protocol of its own under Q2PRO's number, with a minor version of 2000. */
bool q2_is_minor_of_q2pro_ng(uint32_t minor);

/* Whether that version, with that minor version, is decoded. */
bool q2_is_decoded(int32_t version, uint32_t minor);

/* Whether it is one of the rerelease, which are decoded as demos. */
bool q2_is_rerelease(int32_t version);

/* Protocol 36, or one that was made of it. */
bool q2_is_q2pro(int32_t version);

/*
 * The variant of a session: `minor` is the minor version in force, `flags` (PF_*) and `record`
 * (enum q2_record) are those of svc_serverdata.
 */
struct q2_variant q2_variant_of(int32_t version, uint32_t minor, uint16_t flags, uint8_t record);

/* Whether MVD of that minor version can be decoded, and its variant: `flags` are MVF_*. */
bool q2_is_minor_of_mvd(uint32_t minor);
struct q2_variant q2_mvd_variant(uint32_t minor, uint16_t flags);

/* How demos of that protocol version are written: up to 34, or 3434 to 3436. */
struct q2_variant q2_demo_variant(int32_t version);

/* Bytes of a client's qport. */
enum q2_qport_width { Q2_QPORT_UNKNOWN = -1, Q2_QPORT_NONE, Q2_QPORT_BYTE, Q2_QPORT_SHORT };

enum q2_text {
    Q2_TEXT_GAMEDIR = 1,
    Q2_TEXT_LEVEL,
    Q2_TEXT_USERINFO, /* of the connect packet, with later changes */
    Q2_TEXT_MAP,      /* of client_connect */
    Q2_TEXT_PLAYER,   /* the name that the player's config string had last */
    Q2_TEXT_WANTED_USERINFO
};

/* What the last connect packet asked for; version 0: none was seen. */
struct q2_wanted {
    int32_t version;
    uint16_t qport;
    enum q2_qport_width qport_width;
    uint32_t minor;
    bool new_netchan;
};

/* Of a session whose svc_serverdata the capture lacks. */
enum { Q2_PLAYER_UNKNOWN = -1 };

/* What an end of a GTV conversation sends next. */
enum q2_gtv_stage {
    Q2_GTV_STAGE_MAGIC,
    Q2_GTV_STAGE_MESSAGES,
    Q2_GTV_STAGE_DEFLATED,
    Q2_GTV_STAGE_LOST /* bytes are missing or wrong: where the next unit begins cannot be known */
};

/* The blocks of MVD in a unit of GTV. */
struct q2_gtv_blocks {
    GByteArray *bytes; /* each with its length before it, as in an .mvd2 file */
};

struct q2_gtv {
    enum q2_gtv_stage stage[2]; /* by enum qs_end */
    bool begun;                 /* the server has accepted the client */
    struct qs_inflate_stream inflating;
    GBytes *held; /* inflated bytes of an incomplete message; or NULL */

    struct q2_gtv_blocks *blocks; /* of the last unit only, and not of copies; or NULL */
};

/* A player's command, absolute. */
struct q2_usercmd {
    uint8_t msec, buttons, impulse, lightlevel;
    int16_t angles[3]; /* pitch, yaw, roll in 1/65536 turn */
    int16_t moves[3];  /* forward, side, up */
};

/* What the ends ask for before a connection; of its packets. */
struct q2_handshake {
    bool asked;           /* by a connect packet, and no connection has begun since */
    bool connect_pending; /* client_connect while traffic went on: does it start again at 1? */
    struct q2_wanted wanted;
    uint32_t connect_minor; /* of the connect packet; 0: unknown */
    bool guessed;           /* version, minor version and qport are guesses; see q2_guess() */
};

/* What ends with the level. */
struct q2_level {
    int32_t servercount;     /* 0: unknown */
    int32_t old_servercount; /* of the level before; 0: none */
    uint16_t frame_rate;     /* of svc_setting SVS_FPS; 0: the usual 10 */
    uint16_t max_clients;    /* of CS_MAXCLIENTS; 0: unknown */
    int32_t last_frame;      /* number of the newest frame; 0: there was none */
    struct qs_table configstrings;
    struct qs_table baselines; /* see q2_baseline_set() */
    struct qs_table rosters;   /* the players in recent frames; see frame_messages.c */
    int32_t roster_newest;     /* number of the newest of these */
    uint32_t roster_known;     /* bit n: there is one of the frame n before that */
    struct qs_table
        solids; /* of a demo of the rerelease: "1" for entities with a solid, else "0" */
};

/* Of the last packet only: not knowledge, but what a rebuilder needs of it. */
struct q2_last_packet {
    bool inflating;           /* what is read now was compressed */
    bool moved;               /* it carried a client's move */
    struct q2_usercmd newest; /* the newest command in it, of protocols 35 and 36 */
};

struct q2_session {
    struct qs_session base;
    struct q2_handshake handshake;

    /* The connection. */
    struct q2_variant variant;
    uint16_t qport;
    enum q2_qport_width qport_width;
    bool new_netchan;        /* sequence numbers have a fragment bit */
    uint32_t minor;          /* in force; 0: none */
    bool undecodable;        /* it is known that the version in force is not decoded */
    uint16_t protocol_flags; /* of svc_serverdata, protocol 36 */
    uint8_t record;          /* enum q2_record */
    bool recording;          /* of clc_setting CLS_RECORDING: the server leaves nothing out */
    int16_t player;          /* the client's own player, or Q2_PLAYER_UNKNOWN */
    int16_t viewed;          /* whose statistics the client sees: its own, or another's */
    struct qs_table texts;   /* enum q2_text */
    struct qs_fragments to_server, to_client; /* of messages that are not whole yet */
    struct q2_gtv gtv;                        /* of a conversation over TCP */
    uint64_t mvd_frames;                      /* of MVD, so far */

    struct q2_level level;
    struct q2_last_packet packet;

    /*
     * Follows frames entity by entity; not owned. NULL in copies, so that it sees only the packets
     * that are decoded in this very session. See q2_tracker_attach().
     */
    struct q2_tracker *tracker;
};

static inline struct q2_session *q2_session_of(struct qs_session *session)
{
    return (struct q2_session *)session;
}

static inline const struct q2_session *q2_session_of_const(const struct qs_session *session)
{
    return (const struct q2_session *)session;
}

/* --- Beginning, connections, levels, end */

void q2_session_init(struct qs_session *session);
void q2_session_copy(struct qs_session *to, const struct qs_session *from);
void q2_session_clear(struct qs_session *session);
void q2_session_forget_packet(struct qs_session *session);
bool q2_session_shares(const struct qs_session *a, const struct qs_session *b);

/*
 * The server accepts a client (client_connect). That begins a connection, except during traffic:
 * then it may answer a repeated request. Source: PROTOCOL.md, section 4.
 */
void q2_session_accept(struct q2_session *session);

/* A new connection, as asked for last: the previous one's state is void. */
void q2_session_connect(struct q2_session *session);

/* Whether sequence numbers have a fragment bit. */
void q2_session_set_netchan(struct q2_session *session, bool has_fragments);

/*
 * The capture starts within a level: copies the level's state from `donor`, which has the whole
 * sign-on. Protocol and netchan are those of `known`, the same session later, when more of them is
 * known.
 */
void q2_session_use_donor(struct q2_session *session, const struct q2_session *donor,
                          const struct q2_session *known);

/* A new level (svc_serverdata): config strings and texts of the previous level are void. */
void q2_session_begin_level(struct q2_session *session);

/* The protocol version in force, with what follows from it, the minor version and the flags. */
void q2_session_set_version(struct q2_session *session, int32_t version);

/* The same for MVD; `flags` are MVF_*. */
void q2_session_set_mvd(struct q2_session *session, uint32_t minor, uint16_t flags);

/* --- Baselines: what entities are changes to when they come into view. */

/* One with a number that no entity has is ignored. */
void q2_baseline_set(struct q2_session *session, const struct q2_entity *baseline);
/* NULL: there is none of that number. Valid until the session's change. */
static inline const struct q2_entity *q2_baseline(const struct q2_session *session, uint32_t number)
{
    return (const void *)qs_table_get(&session->level.baselines, number);
}

/* --- Config strings: their ranges, and the names that they give to models, sounds, images, items
 * and players. */

/* The range that config string `index` is in, and in `*number` its number there. False behind the
 * last. */
bool q2_configstring_range(const struct q2_session *session, uint32_t index, enum q2_range *range,
                           uint32_t *number);

/* One past the last index: also the end mark of streams. */
uint32_t q2_configstring_end(const struct q2_session *session);

/* The program of the status bar, which fills several config strings: it ends in the first one that
 * does not fill its room. New. */
char *q2_status_bar(const struct q2_session *session);

/* Sets a config string; where `index` is behind the last, nothing happens. */
void q2_configstring_set(struct q2_session *session, uint32_t index, struct qs_view text);

/* The config string at `number` of `range`, or NULL where none is known. */
const char *q2_configstring(const struct q2_session *session, enum q2_range range, uint32_t number);

/* The name of a player, from the config string `name\model/skin`, as a new string; NULL: unknown.
 */
char *q2_player_name(const struct q2_session *session, uint32_t player);

/* --- What lists of sessions show of one */

/* The version in force, "36 (1026)" or "q2repro 1038", a new text; NULL: none is. */
char *q2_version_text(const struct q2_session *session);
void q2_session_describe(const struct qs_session *session, struct qs_description *description);
bool q2_session_player(const struct qs_session *session, uint32_t slot, struct qs_player *player);

/* --- MVD, the demo of a server: the blocks of .mvd2 files. */

/* "MVD2": what files and streams begin with. */
#define Q2_MVD_MAGIC "MVD2"

enum {
    Q2_MVD_MAGIC_SIZE = 4,
    Q2_MVD_LENGTH_SIZE = 2,    /* of a block's length */
    Q2_MVD_BLOCK_MAX = 0x8000, /* bytes of a block; Q2PRO: MAX_MSGLEN */
    Q2_MVD_ID_MASK = 0x1f,     /* of a message's byte; above it are extra bits */
    Q2_MVD_ID_BITS = 5
};

/* A whole block of a file, with its length; or the magic, which has the number 0. */
void q2_decode_mvd_block(struct qs_decoder *d);

extern const struct qs_protocol q2_protocol;

#endif
