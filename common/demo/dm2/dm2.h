/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * DM2, the demo file of Quake II: blocks of server messages, each a packet without its netchan
 * header; no time stamps. Source: dm2-format, section 2.2; common/quake2/PROTOCOL.md, section 1.
 *
 *     i32 length, that many bytes: server messages; repeated; at the end i32 -1
 *
 * Engines read one block per tenth of a second (id's engine and yquake2), or all blocks up to the
 * next frame (Q2PRO).
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
    DM2_HEADER = 4,       /* size of the length, and of the end mark */
    DM2_BLOCK_MAX = 1400, /* a longer block is fatal to id's engine and yquake2 (MAX_MSGLEN) */
    DM2_EXTENDED_BLOCK_MAX = 32768 /* limit of Q2PRO with extended limits */
};

extern const struct qs_demo_file dm2_file;
extern const struct qs_demo_rebuilder dm2_rebuilder;
extern const struct qs_demo_packet_maker dm2_packets;

/* Implements qs_demo_file.decode_block. */
void dm2_decode_block(struct qs_decoder *d);

/* See qs_demo_read_framed(). id's engine accepts a file without an end mark, Q2PRO does not. */
enum qs_demo_status dm2_read_block(struct qs_reader *in, struct qs_view *block);

/* Start a block with space for its length; fill in that length. */
GByteArray *dm2_block_new(void);
void dm2_end_block(GByteArray *block);

/* Function that writes a block of the preamble, with its length. */
typedef void dm2_preamble_block(void *user, const GByteArray *block);

/* Writes the preamble of a demo: the level as a client stores it when recording starts. It consists
 * of svc_serverdata of a client recording in protocol `version`, config strings, baselines, and the
 * command that makes an engine load all, block by block. */
void dm2_write_preamble(const struct q2_session *session, int32_t version,
                        dm2_preamble_block *write, void *user);

/* Appends the end mark; `last` is ignored. */
void dm2_append_end(GByteArray *out, struct qs_view last);

/* --- Frames that an engine keeps --- */

/* A frame of a demo may be a delta from a frame that the engine still has. Source: engine, client.h
 * UPDATE_BACKUP, MAX_PARSE_ENTITIES; cl_ents.c CL_ParseFrame ("Delta frame too old", "Delta
 * parse_entities too old"), the same in yquake2. Q2PRO keeps more. */

enum {
    DM2_UPDATE_BACKUP = 16,        /* a frame is overwritten by the one this much later */
    DM2_PARSE_ENTITIES = 1024,     /* number of entities of all frames */
    DM2_PARSE_ENTITIES_FREE = 128, /* number of entities reserved for the next frame */
};

struct dm2_backup {
    int32_t numbers[DM2_UPDATE_BACKUP]; /* by number % DM2_UPDATE_BACKUP; 0 if empty */
    uint64_t starts[DM2_UPDATE_BACKUP]; /* number of entities before those of the frame */
    uint64_t entities;                  /* number of entities in all frames so far */
    int32_t last;                       /* number of the last frame; 0 before the first */
};

/* True if the next frame may be a delta from frame `number`. */
bool dm2_backup_has(const struct dm2_backup *kept, int32_t number);

/* Adds a frame of the demo, with this many entities. */
void dm2_backup_add(struct dm2_backup *kept, int32_t number, uint32_t entities);

/* --- Conversion of updates -------------------------------------------------------------------- */

/*
 * Converts a frame of protocol 35 or 36 to the form of a recording client's: restores what these
 * servers omit for clients that do not record, and drops what demos cannot hold. Source:
 * common/quake2/PROTOCOL.md, sections 8 and 9; Q2PRO, entities.c SV_WriteFrameToClient_Enhanced.
 */

enum {
    DM2_CONVERT_MOVES = 256, /* maximum number of moves that wait for an acknowledgement */
    DM2_CONVERT_RATE = 10    /* frames per second in demos */
};

struct dm2_converter_move {
    uint32_t sequence;
    int16_t angles[3];
};

struct dm2_converter {
    GArray *moves; /* struct dm2_converter_move, from the latest acknowledged on; or NULL */
    guint moves_room;
    bool viewless;          /* no move was known for the view of a frame */
    bool view_is_old;       /* the last frame's view is older than the acknowledged packet */
    GHashTable *events;     /* entity number -> event in skipped frames */
    struct q2_frame *frame; /* latest result; a spare after dm2_converter_keep(); or NULL */
    struct q2_frame *last;  /* last frame of the demo; NULL at a level's start */
    int32_t demo_number;    /* demo's number of the latest converted frame */
    int32_t server_number;  /* server's number of that frame; 0 at a level's start */
    int32_t every;          /* server frames per frame of the demo */
};

void dm2_converter_init(struct dm2_converter *converter);
void dm2_converter_clear(struct dm2_converter *converter);

/* Starts a new level. */
void dm2_converter_level(struct dm2_converter *converter);

/* Adds a packet of the client with its newest move; `command` is NULL if it has none. */
void dm2_converter_move(struct dm2_converter *converter, uint32_t sequence,
                        const struct q2_usercmd *command);

/*
 * Converts a frame from a packet that acknowledges `acknowledged`. Returns NULL if it skips the
 * frame, because the server sends more than demos hold; the next frame gets its events. The
 * returned frame is valid until the next call.
 */
const struct q2_frame *dm2_converter_frame(struct dm2_converter *converter,
                                           const struct q2_session *session,
                                           const struct q2_frame *frame, uint32_t acknowledged);

/* Makes the frame just converted, which is in the demo, the `last` one. */
void dm2_converter_keep(struct dm2_converter *converter);

/* --- Late joins ------------------------------------------------------------------------------- */

/*
 * Quake II sessions that the capture joined late, and their donors (common/quake2/PROTOCOL.md,
 * section 14). sign_on.c stores what a donor received and saw; late_join.c applies it to a late
 * session, observe.c reads the session's packets, base_frames.c makes the frames before its first.
 */

extern const struct qs_late_join dm2_late_join;

/* --- Donors --- */

/* Implements qs_late_join.add_packet. */
bool dm2_add_packet(struct qs_sign_on *sign_on, const struct qs_decoder *decoder);

/* Implements qs_late_join.own_sign_on. */
struct qs_sign_on *dm2_own(const struct qs_session *session);

/* Returns the state in which the donor first saw the entity; NULL if it did not see it. */
const struct q2_entity *dm2_first_seen_state(const struct qs_sign_on *sign_on, uint32_t number);

/* True if the config string names a model, sound or image. Servers number those in the order in
 * which the level needs them. */
bool dm2_is_of_level(const struct q2_session *session, uint32_t index);

/* Returns the player's origin and velocity as bytes; empty if zeroes make them too common. */
struct qs_view dm2_position(const struct q2_player *player);

/* --- Late sessions --- */

enum {
    DM2_REFERENCES_MAX = Q2_UPDATE_BACKUP, /* maximum number of frames that deltas refer to */
    DM2_PLAYERS_MAX = 256
};

/* First mention of an entity. */
struct dm2_first {
    struct q2_mention mention;
    struct q2_entity state; /* state if it entered the view then; zeroed for a removal */
};

struct dm2_match {
    struct qs_donor_match base;
    struct q2_session donor;    /* the donor's level, with changes for the late session */
    struct q2_tracker *tracker; /* follows the session during the first pass */
    bool judged;                /* set by judge(): the tracker follows the session only before */
    struct q2_variant variant;  /* variant of the late session */
    int32_t version;            /* protocol of the late session */

    bool set_to_record;                     /* the client began to record within the capture */
    int32_t first_frame;                    /* number of the first frame; 0 before it */
    int64_t first_time;                     /* time of its packet (ns) */
    uint16_t rate;                          /* its frames per second; 0 if unknown */
    bool whole_seen;                        /* a full frame was seen: nothing remains unknown */
    int32_t references[DM2_REFERENCES_MAX]; /* numbers of frames before the first one */
    unsigned reference_count;
    GHashTable *firsts;          /* entity number -> struct dm2_first */
    struct qs_numbers gone;      /* entities that were removed */
    bool moved[DM2_PLAYERS_MAX]; /* by entity: a delta had its origin or angles: dm2_records() */
    bool mentioned[DM2_PLAYERS_MAX]; /* by entity */
    bool baseless[DM2_PLAYERS_MAX];  /* by entity: returned without a model: the baseline has it */
    struct q2_player player;         /* first values sent */
    int64_t sent[STAT_FRAGS + 1];    /* by statistic: frames until it was sent, plus 1; 0: never */
    uint32_t at_player[DM2_PLAYERS_MAX]; /* by entity: number of frames at the player's origin */

    int16_t slot;
    int16_t player_known; /* from the session's own sign-on; or Q2_PLAYER_UNKNOWN */
    bool records;         /* the client recorded when the capture began */
    struct q2_frame bases[DM2_REFERENCES_MAX];
};

static inline struct dm2_match *dm2_match_of(struct qs_donor_match *match)
{
    return (struct dm2_match *)match;
}

/* Returns frame `index`, from 0, that a late session gets with the sign-on; else NULL. */
const struct q2_frame *dm2_match_frame(const struct qs_donor_match *match, unsigned index);

/* True for beams and for entities that move in steps: their old origin has another meaning. */
bool dm2_is_beam(const struct q2_entity *entity);

/* Implements qs_late_join.observe. */
void dm2_observe(struct qs_donor_match *match, const struct qs_decoder *decoder);

/* Returns the number of the session's player after the first pass; 0 if nothing shows it. */
int16_t dm2_find_slot(const struct dm2_match *m);

/* True if the client recorded when the capture began: Q2PRO then sends its entity's position. */
bool dm2_records(const struct dm2_match *m);

/* Makes `bases`, and baselines of players that only the session's server has. */
void dm2_make_bases(struct dm2_match *m);

#endif
