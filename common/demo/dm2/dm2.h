/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * DM2, the demo file of Quake II: blocks of server messages, each a packet without its netchan
 * header; no time stamps. Source: dm2-format, section 2.2; common/quake2/PROTOCOL.md, section 1.
 *
 *     i32 length, that many bytes: server messages; repeated; at the end i32 -1
 *
 * Players read one block per tenth of a second (id's engine and yquake2) or blocks up to the next
 * frame (Q2PRO).
 */
#ifndef QS_DEMO_DM2_DM2_H
#define QS_DEMO_DM2_DM2_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/demo/format.h"
#include "common/demo/late_join/late_join.h"
#include "common/demo/writer.h"
#include "common/quake2/constants.h"
#include "common/quake2/session.h"

enum {
    DM2_HEADER = 4,                /* the length; the end mark is as long */
    DM2_BLOCK_MAX = 1400,          /* more is fatal to id's engine and yquake2 (MAX_MSGLEN) */
    DM2_EXTENDED_BLOCK_MAX = 32768 /* what Q2PRO reads and writes with extended limits */
};

extern const struct qs_demo_file dm2_file;
extern const struct qs_demo_rebuilder dm2_rebuilder;
extern const struct qs_demo_packet_maker dm2_packets;

/* qs_demo_file.decode_block */
void dm2_decode_block(struct qs_decoder *d);

/* See qs_demo_read_framed(). id's engine accepts a file without its end mark, Q2PRO does not. */
enum qs_demo_status dm2_read_block(struct qs_reader *in, struct qs_view *block);

/* Starts a block with space for its length; fills in that length. */
GByteArray *dm2_block_new(void);
void dm2_end_block(GByteArray *block);

/* Writes a block of the preamble, with its length. */
typedef void dm2_preamble_block(void *user, const GByteArray *block);

/* Writes what a demo begins with: the level as a client writes it down when recording starts.
 * svc_serverdata of a client recording in protocol `version`, config strings, baselines, and the
 * command that makes a player load all, block by block. */
void dm2_write_preamble(const struct q2_session *session, int32_t version,
                        dm2_preamble_block *write, void *user);

/* Appends the end mark, whatever the `last` block is. */
void dm2_append_end(GByteArray *out, struct qs_view last);

/*
 * --- Which frames of a demo its player still has at the next one, which may be a delta from them.
 * Source: engine, client.h UPDATE_BACKUP, MAX_PARSE_ENTITIES; cl_ents.c CL_ParseFrame ("Delta frame
 * too old", "Delta parse_entities too old"), the same in yquake2. Q2PRO keeps more.
 */

enum {
    DM2_UPDATE_BACKUP = 16,        /* the frame this much later overwrites a frame */
    DM2_PARSE_ENTITIES = 1024,     /* of all frames */
    DM2_PARSE_ENTITIES_FREE = 128, /* reserved for the next frame */
};

struct dm2_backup {
    int32_t numbers[DM2_UPDATE_BACKUP]; /* by slot, as in players; 0: none */
    uint64_t starts[DM2_UPDATE_BACKUP]; /* number of entities before the frame's */
    uint64_t entities;                  /* in all frames so far */
    int32_t first, last;                /* numbers of frames; 0: none */
};

/* Whether the next frame may be a delta from that one. */
bool dm2_backup_has(const struct dm2_backup *kept, int32_t number);

/* The frame is in the demo and has this many entities. */
void dm2_backup_add(struct dm2_backup *kept, int32_t number, uint32_t entities);

/* --- Conversion of updates -------------------------------------------------------------------- */

/*
 * Converts a frame of protocol 35 or 36 to what a recording client would have: restores what these
 * servers omit for clients that do not record, and drops what demos cannot hold. Source:
 * common/quake2/PROTOCOL.md, sections 8 and 9; Q2PRO, entities.c SV_WriteFrameToClient_Enhanced.
 */

enum {
    CONVERT_MOVES = 256, /* moves kept at most, for packets that acknowledge them */
    CONVERT_RATE = 10    /* frames a second in demos */
};

struct converter_move {
    uint32_t sequence;
    int16_t angles[3];
};

struct converter {
    GArray *moves; /* struct converter_move: since the last acknowledged; NULL: none was seen */
    guint moves_room;
    bool viewless;      /* a view lacked one */
    bool view_is_old;   /* the last frame's view is that of a packet before the acknowledged one */
    GHashTable *events; /* entity number -> event of skipped frames */
    struct q2_frame *frame; /* result of the last conversion; NULL: there was none */
    struct q2_frame *last;  /* the demo's last frame; empty: there is none in this level */
    int32_t number;         /* of the frame converted last */
    int32_t taken;          /* the server's number of it; 0: there is none in this level */
    int32_t every;          /* it was one of this many frames */
};

void converter_init(struct converter *converter);
void converter_clear(struct converter *converter);

/* A new level. */
void converter_level(struct converter *converter);

/* A packet of the client; `command`: its newest move, or NULL: it has none, and turns no view. */
void converter_move(struct converter *converter, uint32_t sequence,
                    const struct q2_usercmd *command);

/*
 * Converts a frame that came in a packet acknowledging `acknowledged`. Returns NULL if it skips the
 * frame because the server sends more than demos hold; it keeps the events for the next one. The
 * frame is valid until the next call.
 */
const struct q2_frame *converter_frame(struct converter *converter,
                                       const struct q2_session *session,
                                       const struct q2_frame *frame, uint32_t acknowledged);

/* The frame just converted is in the demo: it becomes `last`. */
void converter_keep(struct converter *converter);

/* --- Late joins ------------------------------------------------------------------------------- */

/*
 * Quake II sessions that the capture joined late, and their donors (common/quake2/PROTOCOL.md,
 * section 14). sign_on.c keeps what a donor knew and saw; late_join.c applies it to a late session,
 * observe.c reads the session's packets, base_frames.c makes the frames before its first.
 */

extern const struct qs_late_join dm2_late_join;

/* --- Donors --- */

/* qs_late_join.add_packet of Quake II. */
bool dm2_add_packet(struct qs_sign_on *sign_on, const struct qs_decoder *decoder);

/* qs_late_join.own_sign_on of Quake II. */
struct qs_sign_on *dm2_own(const struct qs_session *session);

/* How the donor saw the entity first; NULL: it did not. */
const struct q2_entity *dm2_first_seen_state(const struct qs_sign_on *sign_on, uint32_t number);

/* Servers number models, sounds and images by the order in which the level needs them. */
bool dm2_is_of_level(const struct q2_session *session, uint32_t index);

/* Where a player is, and how fast he moves; none if that does not tell one moment from others. */
struct qs_view dm2_place(const struct q2_player *player);

/* --- Late sessions --- */

enum {
    DM2_REFERENCES_MAX = Q2_UPDATE_BACKUP, /* frames that deltas may go back to */
    DM2_PLAYERS_MAX = 256
};

/* The first mention of an entity. */
struct dm2_first {
    struct q2_mention mention;
    struct q2_entity state; /* as if it entered the view with it; of a removal: nothing */
};

struct dm2_match {
    struct qs_donor_match base;
    struct q2_session donor;    /* what the donor knew, with changes for the late session */
    struct q2_tracker *tracker; /* of the first look */
    bool looked;
    struct q2_variant variant; /* of the late session, */
    int32_t version;           /* and its protocol */

    bool set_to_record;                     /* since it began to record within the capture */
    int32_t first_frame;                    /* number of the first; 0: none was seen */
    bool whole_seen;                        /* a full frame was seen: nothing remains unknown */
    int32_t references[DM2_REFERENCES_MAX]; /* numbers of frames before the first */
    unsigned reference_count;
    GHashTable *firsts;              /* number -> struct dm2_first */
    struct qs_numbers gone;          /* that were removed */
    bool moved[DM2_PLAYERS_MAX];     /* by entity: a delta has carried its origin or angles; see
                                      * dm2_records() */
    bool mentioned[DM2_PLAYERS_MAX]; /* by entity */
    bool baseless[DM2_PLAYERS_MAX];  /* it came again without a model: its baseline must have one */
    struct q2_player player;         /* the first values sent */
    int64_t sent[STAT_FRAGS + 1];    /* within so many seconds; 0: never */
    uint32_t
        at_player[DM2_PLAYERS_MAX]; /* by entity: frames in which it stands where the player does */

    int16_t slot;
    int16_t player_known; /* from the session's own sign-on; or Q2_PLAYER_UNKNOWN */
    bool records;         /* the client recorded when the capture began */
    struct q2_frame bases[DM2_REFERENCES_MAX];
};

static inline struct dm2_match *dm2_match_of(struct qs_donor_match *match)
{
    return (struct dm2_match *)match;
}

/* The frames that a late session gets with the sign-on. */
const struct q2_frame *dm2_match_frame(const struct qs_donor_match *match, unsigned index);

/* Beams and what moves in steps: their old origin means something else. */
bool dm2_is_beam(const struct q2_entity *entity);

/* qs_late_join.observe of Quake II. */
void dm2_observe(struct qs_donor_match *match, const struct qs_decoder *decoder);

/* After the first look: the session's player; 0 where nothing shows it. */
int16_t dm2_find_slot(const struct dm2_match *m);

/* Whether the client recorded when the capture began: then Q2PRO sends its own entity's position.
 */
bool dm2_records(const struct dm2_match *m);

/* Makes `bases`, and the baselines of players that only the session's server has. */
void dm2_make_bases(struct dm2_match *m);

#endif
