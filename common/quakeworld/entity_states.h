/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * States of entities as wire bytes, and deltas between them: the contents of svc_packetentities,
 * svc_deltapacketentities and baselines. For rebuilding, not for dissection. Source: PROTOCOL.md,
 * section 5; ezquake cl_ents.c, CL_ParseDelta.
 */
#ifndef QW_ENTITY_STATES_H
#define QW_ENTITY_STATES_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/core/reader.h"
#include "common/fte/fte.h"

/* Format of a delta with the agreed extensions. Field lengths are constant within a level. */
struct qw_delta_format {
    uint32_t fte;       /* agreed extensions of FTE */
    uint8_t coord_size; /* size of a coordinate (bytes): 2, or 4 for a float */
    uint8_t angle_size; /* size of an angle (bytes): 1 or 2 */
    uint16_t entities;  /* maximum number in an update: 64, or 256 with 256PACKETENTITIES */
    bool only_fte;      /* only FTE knows all fields: see qw_only_fte_reads() */
    /* True if svc_spawnbaseline still has coordinates of 2 bytes (MVD1's FLOATCOORDS). */
    bool short_baselines;
};

struct qw_delta_format qw_delta_format(const struct fte_session *session);

enum { QW_ENTITY_BYTES = 52 };

/* A state: wire bytes of all fields sent so far, each at its own offset. */
struct qw_entity {
    uint16_t number;
    uint32_t known; /* bits of the fields sent so far, as in entity_states.c */
    uint8_t bytes[QW_ENTITY_BYTES];
};

/* Head of a delta, before its fields. */
struct qw_delta {
    uint16_t number;
    bool removes; /* true if the entity disappears: no fields follow */
    /* Upper 7 bits of the word in place, the first further byte below them, the others above
     * (QW_EVENMORE, QW_YETMORE). */
    uint32_t bits;
};

/* Bits of the second and third further byte, at their position in `bits`. */
#define QW_EVENMORE(bit) ((uint32_t)(bit) << 16)
#define QW_YETMORE(bit) ((uint32_t)(bit) << 24)

enum { QW_ENTITY_FIELDS = 20 };

/* A field of a delta, after the model. */
struct qw_entity_field {
    uint32_t bit; /* bit that announces it */
    uint32_t fte; /* extension that it needs; 0: none */
    uint8_t at;   /* offset in a state */
    enum { QW_SIZE_FIXED, QW_SIZE_COORD, QW_SIZE_ANGLE } size;
    uint8_t bytes; /* size if QW_SIZE_FIXED */
    uint16_t row;  /* first row in fields.def, and number of rows */
    uint8_t rows;
};

extern const struct qw_entity_field qw_entity_fields[QW_ENTITY_FIELDS]; /* in wire order */

/* Returns the number of fields that a delta with these bits can have. */
unsigned qw_entity_field_count(uint32_t bits);

static inline bool qw_delta_has_field(const struct qw_delta *delta,
                                      const struct qw_entity_field *field, uint32_t fte)
{
    return (delta->bits & field->bit) && (!field->fte || (fte & field->fte));
}

/* Reads the head of a delta, whose word must not be 0. `fte`: agreed extensions of FTE. */
struct qw_delta qw_read_delta(struct qs_reader *in, uint32_t fte);

/* Reads the fields of `delta` into `entity`. */
void qw_read_delta_fields(struct qs_reader *in, const struct qw_delta_format *format,
                          const struct qw_delta *delta, struct qw_entity *entity);

/* Reads the body of svc_spawnbaseline, or of svcfte_spawnbaseline2 if `as_delta`. Returns false if
 * it is too short. */
bool qw_read_baseline(struct qs_view body, bool as_delta, const struct qw_delta_format *format,
                      struct qw_entity *baseline);

/* Returns the number of the entity's model, or 0 if it has none. */
uint16_t qw_entity_model(const struct qw_entity *entity);

/* Appends `entity` as a delta from `baseline`, or from nothing if that is NULL. */
void qw_append_delta(GByteArray *to, const struct qw_delta_format *format,
                     const struct qw_entity *baseline, const struct qw_entity *entity);

/* --- States of entities in the order of their numbers, changed in place --- */

/* Limits of a set and of a frame; further states are dropped. Numbers are below the first limit; no
 * client accepts more than the second in a frame, and many frames are kept per session. */
enum { QW_STATES_MAX = 2048, QW_STATES_IN_FRAME_MAX = 256 };

/* A set of states; NULL is the empty set. qw_states_set() and qw_states_apply() may move the set
 * that they change: use the one returned. Free with g_free(). */
struct qw_states {
    uint32_t count, room; /* states used and allocated */
    struct qw_entity entities[];
};

/* Returns the state with this number, or NULL. */
const struct qw_entity *qw_states_find(const struct qw_states *states, uint16_t number);

/* Inserts `entity`, or replaces the state with its number. */
struct qw_states *qw_states_set(struct qw_states *states, const struct qw_entity *entity);

/* Returns a deep copy. */
struct qw_states *qw_states_copy(const struct qw_states *states);

/*
 * Applies the deltas in `in`, up to the word 0, or up to one that exceeds a frame's limit. New
 * entities start as their baselines. Source: ezquake cl_ents.c, CL_ParsePacketEntities.
 */
struct qw_states *qw_states_apply(struct qw_states *states, const struct qw_states *baselines,
                                  const struct qw_delta_format *format, struct qs_reader in);

/* --- entity_frames.c -------------------------------------------------------------------------- */

/*
 * Frames of entities that a client had: baselines, and the states after each of its latest updates,
 * as svc_packetentities and svc_deltapacketentities produce them. For rebuilding, not for
 * dissection: the rebuilder passes the messages of each packet that the client accepted.
 *
 * States are rarely needed, so updates are stored raw and applied late: the older half when there
 * are QW_UPDATES_MAX of them, and others when a frame is requested.
 *
 * Source: PROTOCOL.md, section 8; ezquake cl_ents.c, CL_ParsePacketEntities.
 */

enum {
    QW_FRAMES_KEPT = 64, /* maximum distance of a delta from its base (UPDATE_BACKUP) */
    QW_UPDATES_MAX = 2 * QW_FRAMES_KEPT,
    QW_UPDATE_BYTES_MAX = 8192 /* maximum size of an update; engines accept no longer packets */
};

/* An update, and the frame that it produces. Updates are numbered in the order of their arrival. */
struct qw_frame {
    uint32_t sequence;        /* number of the packet */
    uint32_t parent;          /* update that it is applied to; valid if has_parent */
    uint32_t at;              /* offset of its bytes */
    uint16_t size;            /* number of bytes; 0: same states as its parent */
    uint8_t children;         /* number of updates that are applied to it */
    bool has_parent;          /* true for a delta from another frame */
    struct qw_states *states; /* NULL until requested */
};

/* A frame older than the kept ones that some of them are deltas from. */
struct qw_root {
    uint32_t number;
    uint32_t children;
    struct qw_states *states;
};

struct qw_frames {
    struct qw_delta_format format;
    GByteArray *baselines_sent;  /* raw baselines, each after a byte "as a delta" and its size */
    struct qw_states *baselines; /* parsed baselines; NULL: none */
    struct qw_frame *kept;       /* QW_UPDATES_MAX frames; NULL: none so far */
    uint32_t first, count;       /* number of the first kept frame, and number of frames */
    GArray *roots;               /* struct qw_root */
    GByteArray *bytes;           /* updates of the kept frames; too long ones are left out */
};

void qw_frames_init(struct qw_frames *frames);
void qw_frames_clear(struct qw_frames *frames);

/* Resets everything when a level begins (svc_serverdata). */
void qw_frames_level(struct qw_frames *frames);

/* Adds a baseline: the body of svc_spawnbaseline, or of svcfte_spawnbaseline2 if `as_delta`. */
void qw_frames_baseline(struct qw_frames *frames, struct qs_view body, bool as_delta);

/* Returns the latest number before `sequence` that ends in the byte `from`. */
static inline uint32_t qw_delta_base(uint32_t sequence, uint8_t from)
{
    return sequence - 1 - (uint8_t)(sequence - 1 - from);
}

/* Base of an update. */
struct qw_update {
    bool is_delta;
    uint32_t base;   /* if is_delta: number of the base packet */
    bool base_known; /* if is_delta: true if that packet's frame is known */
};

/*
 * Adds the update in packet `sequence`, which must be higher than earlier ones: the body of
 * svc_packetentities, or of svc_deltapacketentities if `is_delta`. If its base frame is unknown,
 * the newest frame replaces it. Fills `update`.
 */
void qw_frames_update(struct qw_frames *frames, uint32_t sequence, struct qs_view body,
                      bool is_delta, struct qw_update *update);

/* Adds a frame for packet `sequence`, which must be higher than earlier ones. Copies `states`. */
void qw_frames_add(struct qw_frames *frames, uint32_t sequence, const struct qw_states *states);

/* Appends the newest frame as a full svc_packetentities, as deltas from the baselines. Omits
 * entities beyond the number that engines accept. */
void qw_frames_append(GByteArray *to, struct qw_frames *frames);

#endif
