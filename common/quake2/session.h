/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Quake II for other folders: the protocol record, the session's state, the framing of MVD. */
#ifndef Q2_SESSION_H
#define Q2_SESSION_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/core/containers.h"
#include "common/core/inflate.h"
#include "common/core/protocol.h"
#include "common/core/session.h"
#include "common/netchan/netchan.h"
#include "common/quake2/tracker.h"

/* --- Protocol variants ------------------------------------------------------------------------ */

/* Differences between protocol versions, minor versions and extensions. */

/* Numbering of config strings. */
enum q2_layout { Q2_LAYOUT_VANILLA, Q2_LAYOUT_EXTENDED, Q2_LAYOUT_RERELEASE };

struct q2_variant {
    bool packed;        /* protocols 35 and 36: frames in one message, extra player bits */
    bool relay;         /* recorded by a relay: messages for one client are marked */
    bool server_record; /* server-side recording: frames hold only entities */
    bool suppress_byte; /* svc_frame has a suppress byte: all protocols except 26 */
    bool long_solid;    /* solids of 32 bits */
    bool short_angles;  /* angles may have 16 bits (U_ANGLE16) */
    bool beam_origin;   /* the old origin of beams stays until the next one is sent */
    bool extensions;    /* extended limits */
    bool extensions2;   /* extended limits, version 2: variable coordinates, 64 stats */
    bool player_fog;
    bool clientnum16; /* the client number is a short */
    bool q2repro;     /* coordinates are floats, messages have other numbers */
    enum q2_layout layout;
    bool rerelease; /* demo of the rerelease: floats in many fields, wider fields */
    bool floats;    /* positions of messages are floats */
    bool mvd;       /* stream or file of a server: removals may have fields */
    bool aqtion;    /* frames keep message ids; the player has a byte of flags */
};

/* True for minor versions of q2pro-ng, whose own protocol has Q2PRO's number: from 2000 on. */
bool q2_is_minor_of_q2pro_ng(uint32_t minor);

/* True if the version, with that minor version, is decoded. */
bool q2_is_decoded(int32_t version, uint32_t minor);

/* True for versions of the rerelease: only their demos are decoded. */
bool q2_is_rerelease(int32_t version);

/* True for Q2PRO's protocol 36 and AQtion's 38, but not for q2repro's 1038. */
bool q2_is_q2pro(int32_t version);

/*
 * Returns the variant of a session: `minor` is the minor version in force, `flags` (PF_*) and
 * `record` (enum q2_record) are those of svc_serverdata.
 */
struct q2_variant q2_variant_of(int32_t version, uint32_t minor, uint16_t flags, uint8_t record);

/* True if MVD of this minor version is decoded. Returns its variant; `flags` are MVF_*. */
bool q2_is_minor_of_mvd(uint32_t minor);
struct q2_variant q2_mvd_variant(uint32_t minor, uint16_t flags);

/* Returns the variant of demos in that protocol version: up to 34, or 3434 to 3436. */
struct q2_variant q2_demo_variant(int32_t version);

/* Size of a client's qport in bytes. */
enum q2_qport_width { Q2_QPORT_UNKNOWN = -1, Q2_QPORT_NONE, Q2_QPORT_BYTE, Q2_QPORT_SHORT };

enum q2_text {
    Q2_TEXT_GAMEDIR = 1,
    Q2_TEXT_USERINFO, /* userinfo of the connect packet, with later changes */
    Q2_TEXT_MAP,      /* map in client_connect */
    Q2_TEXT_PLAYER,   /* latest name in the player's config string */
    Q2_TEXT_WANTED_USERINFO
};

/* Parameters of the latest connect packet; version is 0 before the first. */
struct q2_wanted {
    int32_t version;
    enum q2_qport_width qport_width;
    uint32_t minor;
    bool new_netchan;
};

/* Player number if the capture lacks svc_serverdata. */
enum { Q2_PLAYER_UNKNOWN = -1 };

/* Next bytes that one end of a GTV conversation sends. */
enum q2_gtv_stage {
    Q2_GTV_STAGE_MAGIC,
    Q2_GTV_STAGE_MESSAGES,
    Q2_GTV_STAGE_DEFLATED,
    Q2_GTV_STAGE_LOST /* bytes are missing or wrong: the next PDU cannot be found */
};

struct q2_gtv {
    enum q2_gtv_stage stage[2]; /* by enum qs_end */
    bool begun;                 /* the server has accepted the client */
    struct qs_inflate_stream inflating;
    GBytes *held; /* inflated bytes of an incomplete message; or NULL */

    /* MVD blocks of the latest PDU, each after its length, as in an .mvd2 file; NULL in copies. */
    GByteArray *blocks;
};

/* Command of a player, in absolute values. */
struct q2_usercmd {
    uint8_t msec, buttons, impulse, lightlevel;
    int16_t angles[3]; /* pitch, yaw, roll in 1/65536 turn */
    int16_t moves[3];  /* forward, side, up */
};

/* Parameters that the ends negotiate before a connection. */
struct q2_handshake {
    bool asked;           /* a connect packet came after the latest connection began */
    bool connect_pending; /* client_connect came during traffic: numbers may restart */
    struct q2_wanted wanted;
    uint32_t connect_minor; /* minor version in the connect packet; 0 if unknown */
    bool guessed;           /* version, minor version and qport are guesses; see q2_guess() */
};

/* State that ends with the level. */
struct q2_level {
    int32_t servercount;     /* 0 if unknown */
    int32_t old_servercount; /* server count of the previous level; 0 if none */
    uint16_t frame_rate;     /* from svc_setting SVS_FPS, or measured; 0: the default, 10 */
    uint16_t max_clients;    /* from CS_MAXCLIENTS; 0 if unknown */
    int32_t last_frame;      /* number of the newest frame; 0 before the first */
    bool has_lists;          /* the server has sent all config strings and baselines */
    struct qs_table configstrings;
    struct qs_table baselines; /* see q2_baseline_set() */
    struct qs_table rosters;   /* players in recent frames; see frame_messages.c */
    int32_t roster_newest;     /* number of the newest frame in `rosters` */
    uint32_t roster_known;     /* bit n: the roster of the frame n before that is known */
    struct qs_table solids;    /* demos of the rerelease: "1" if solid, else "0" */
};

/* Parts of the latest packet that rebuilders need; they do not affect decoding. */
struct q2_last_packet {
    bool inflating;           /* the current messages were compressed */
    bool moved;               /* the packet carried a client's move */
    struct q2_usercmd newest; /* newest command in it, of protocols 35 and 36 */
};

struct q2_session {
    struct qs_session base;
    struct q2_handshake handshake;

    /* State of the connection. */
    struct q2_variant variant;
    enum q2_qport_width qport_width;
    bool new_netchan;        /* sequence numbers have a fragment bit */
    uint32_t minor;          /* minor version in force; 0 if none */
    bool undecodable;        /* the version in force is known, but not decoded */
    uint16_t protocol_flags; /* flags of svc_serverdata, protocol 36 */
    uint8_t record;          /* enum q2_record */
    bool recording;          /* from clc_setting CLS_RECORDING: the server omits nothing */
    int16_t player;          /* number of the client's own player, or Q2_PLAYER_UNKNOWN */
    int16_t viewed;          /* player whose statistics the client sees: its own, or another */
    struct qs_table texts;   /* enum q2_text */
    struct qs_fragments to_server, to_client; /* incomplete messages */
    struct q2_gtv gtv;                        /* state of a conversation over TCP */
    uint64_t mvd_frames;                      /* number of MVD frames so far */

    struct q2_level level;
    struct q2_last_packet packet;

    /*
     * Follows frames entity by entity; not owned. NULL in copies, so that it follows only packets
     * that are decoded in this session. See q2_tracker_attach().
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

/* --- Life of a session --- */

void q2_session_init(struct qs_session *session);
void q2_session_copy(struct qs_session *to, const struct qs_session *from);
void q2_session_clear(struct qs_session *session);
void q2_session_forget_packet(struct qs_session *session);
bool q2_session_shares(const struct qs_session *a, const struct qs_session *b);

/*
 * Handles client_connect, with which the server accepts a client. Begins a connection, except
 * during traffic, when it may answer a repeated request. Source: PROTOCOL.md, section 4.
 */
void q2_session_accept(struct q2_session *session);

/* Begins a connection with the latest connect packet's parameters, and resets the other state. */
void q2_session_connect(struct q2_session *session);

/* Sets whether sequence numbers have a fragment bit. */
void q2_session_set_netchan(struct q2_session *session, bool has_fragments);

/*
 * Continues a level that began before the capture: copies its state from `donor`, which has the
 * whole sign-on. Protocol and netchan are those of `known`, a later state of the same session, in
 * which they are known better.
 */
void q2_session_use_donor(struct q2_session *session, const struct q2_session *donor,
                          const struct q2_session *known);

/* Begins a level (svc_serverdata), and resets config strings and texts of the previous one. */
void q2_session_begin_level(struct q2_session *session);

/* Sets the protocol version in force; minor version, flags and record must be set before. */
void q2_session_set_version(struct q2_session *session, int32_t version);

/* Sets MVD as the protocol; `flags` are MVF_*. */
void q2_session_set_mvd(struct q2_session *session, uint32_t minor, uint16_t flags);

/* --- Baselines, which entities are deltas from when they come into view --- */

/* Stores a baseline; ignores numbers that no entity has. */
void q2_baseline_set(struct q2_session *session, const struct q2_entity *baseline);
/* Returns the baseline of the entity, or NULL. Valid until the session changes. */
static inline const struct q2_entity *q2_baseline(const struct q2_session *session, uint32_t number)
{
    return (const void *)qs_table_get(&session->level.baselines, number);
}

/* --- Config strings --- */

/* Ranges of config strings, and the names in them of models, sounds, images, items and players. */

/* Finds the range of config string `index`, and its number there. Returns false after the last. */
bool q2_configstring_range(const struct q2_session *session, uint32_t index, enum q2_range *range,
                           uint32_t *number);

/* Returns one past the last index, which is also the end mark of streams. */
uint32_t q2_configstring_end(const struct q2_session *session);

/* Returns the program of the status bar, which fills several config strings and ends in the first
 * one that is not full. The caller frees it. */
char *q2_status_bar(const struct q2_session *session);

/* Sets a config string; does nothing if `index` is out of range. */
void q2_configstring_set(struct q2_session *session, uint32_t index, struct qs_view text);

/* Returns the config string at `number` of `range`, or NULL if unknown. */
const char *q2_configstring(const struct q2_session *session, enum q2_range range, uint32_t number);

/* Returns a player's name (of `name\model/skin`) for the caller to free; NULL if unknown. */
char *q2_player_name(const struct q2_session *session, uint32_t player);

/* --- Session lists --- */

/* Returns the version ("36 (1026)", "q2repro 1038") for the caller to free; NULL if unknown. */
char *q2_version_text(const struct q2_session *session);
void q2_session_describe(const struct qs_session *session, struct qs_description *description);
bool q2_session_player(const struct qs_session *session, uint32_t slot, struct qs_player *player);

/* --- MVD, the demo of a server: blocks of .mvd2 files --- */

/* Magic bytes of files and streams. */
#define Q2_MVD_MAGIC "MVD2"

enum {
    Q2_MVD_MAGIC_SIZE = 4,
    Q2_MVD_LENGTH_SIZE = 2,    /* size of a block's length */
    Q2_MVD_BLOCK_MAX = 0x8000, /* maximum size of a block; Q2PRO: MAX_MSGLEN */
    Q2_MVD_ID_MASK = 0x1f,     /* bits of the id in a message byte; extra bits above */
    Q2_MVD_ID_BITS = 5
};

/* Decodes a block of a file with its length, or the magic, which has the number 0. */
void q2_decode_mvd_block(struct qs_decoder *d);

extern const struct qs_protocol q2_protocol;

#endif
