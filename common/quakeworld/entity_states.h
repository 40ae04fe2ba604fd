/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * States of entities as the bytes sent, and deltas between them: the contents of
 * svc_packetentities, svc_deltapacketentities and baselines. For rebuilding, not for dissection.
 * Source: PROTOCOL.md, section 5; ezquake cl_ents.c, CL_ParseDelta.
 */
#ifndef QW_ENTITY_STATES_H
#define QW_ENTITY_STATES_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/core/reader.h"
#include "common/fte/fte.h"

/* The format of a delta with the agreed extensions. Field lengths are constant within a level. */
struct qw_delta_format {
    uint32_t fte;       /* FTE's extensions */
    uint8_t coord_size; /* bytes: 2, or 4 for a float */
    uint8_t angle_size; /* bytes: 1 or 2 */
    uint16_t entities;  /* at most in an update: 64, or 256 with 256PACKETENTITIES */
    bool only_fte;      /* see qw_only_fte_reads(): others do not know all fields */
    /* svc_spawnbaseline still has coordinates of 2 bytes: MVD1's FLOATCOORDS. */
    bool short_baselines;
};

struct qw_delta_format qw_delta_format(const struct fte_session *session);

enum { QW_ENTITY_BYTES = 52 };

/* A state: the wire bytes of each field ever sent, each at its own offset. */
struct qw_entity {
    uint16_t number;
    uint32_t known; /* which fields: bits of entity_states.c */
    uint8_t bytes[QW_ENTITY_BYTES];
};

/* The head of a delta, before its fields. */
struct qw_delta {
    uint16_t number;
    bool removes; /* no fields follow */
    /* The upper 7 bits of the word where they stand, the first further byte below them, the others
     * above (QW_EVENMORE, QW_YETMORE). */
    uint32_t bits;
};

/* The bits of the second and third further byte, as `bits` has them. */
#define QW_EVENMORE(bit) ((uint32_t)(bit) << 16)
#define QW_YETMORE(bit) ((uint32_t)(bit) << 24)

enum { QW_ENTITY_FIELDS = 20 };

/* A field of a delta, after the model. */
struct qw_entity_field {
    uint32_t bit; /* announces it */
    uint32_t fte; /* the extension that it needs; 0: none */
    uint8_t at;   /* its offset in a state */
    enum { QW_SIZE_FIXED, QW_SIZE_COORD, QW_SIZE_ANGLE } size;
    uint8_t bytes; /* of QW_SIZE_FIXED */
    uint16_t row;  /* of fields.def, and how many rows it has from there on */
    uint8_t rows;
};

extern const struct qw_entity_field qw_entity_fields[QW_ENTITY_FIELDS]; /* in wire order */

/* How many of the fields a delta with these bits can have. */
unsigned qw_entity_field_count(uint32_t bits);

static inline bool qw_delta_has_field(const struct qw_delta *delta,
                                      const struct qw_entity_field *field, uint32_t fte)
{
    return (delta->bits & field->bit) && (!field->fte || (fte & field->fte));
}

/* Reads a head; the word is not 0. `fte`: the extensions of FTE in force. */
struct qw_delta qw_read_delta(struct qs_reader *in, uint32_t fte);

/* Reads the fields of `delta`, which change `entity`. */
void qw_read_delta_fields(struct qs_reader *in, const struct qw_delta_format *format,
                          const struct qw_delta *delta, struct qw_entity *entity);

/* Reads the body of svc_spawnbaseline, or svcfte_spawnbaseline2 `as_delta` from nothing; false: it
 * is too short. */
bool qw_read_baseline(struct qs_view body, bool as_delta, const struct qw_delta_format *format,
                      struct qw_entity *baseline);

/* Whether both have the same appearance and position. */
bool qw_entities_equal(const struct qw_delta_format *format, const struct qw_entity *a,
                       const struct qw_entity *b);

/* The number of its model; 0: none. */
uint16_t qw_entity_model(const struct qw_entity *entity);

/*
 * The same entity in another format: coordinates and angles are rounded to its precision, and
 * fields that it lacks are omitted. False: the format cannot express it.
 */
bool qw_entity_translate(struct qw_entity *entity, const struct qw_delta_format *from,
                         const struct qw_delta_format *to);

/* Appends the body of svc_spawnbaseline, or with `number` false of svc_spawnstatic. The model's
 * number fits a byte. */
void qw_append_baseline(GByteArray *to, const struct qw_delta_format *format,
                        const struct qw_entity *baseline, bool number);

/* Appends `entity` as a delta from `baseline`, which may be NULL: unknown. */
void qw_append_delta(GByteArray *to, const struct qw_delta_format *format,
                     const struct qw_entity *baseline, const struct qw_entity *entity);

/* --- States of entities in the order of their numbers, changed in place --- */

/* More are dropped: numbers are below the first; of a frame no client takes more than the second,
 * and of each session many frames are kept. */
enum { QW_STATES_MAX = 2048, QW_STATES_IN_FRAME_MAX = 256 };

/* NULL stands for none; what is returned takes the place of what was given. Free with g_free(). */
struct qw_states {
    uint32_t count, room; /* states used and allocated */
    struct qw_entity entities[];
};

/* The state of that number, or NULL. */
const struct qw_entity *qw_states_find(const struct qw_states *states, uint16_t number);

/* Inserts `entity`, replacing the one with its number. */
struct qw_states *qw_states_set(struct qw_states *states, const struct qw_entity *entity);

/* A deep copy. */
struct qw_states *qw_states_copy(const struct qw_states *states);

/*
 * Applies the deltas in `in`, up to the word 0, or up to one that exceeds a frame's limit. New
 * entities are deltas from `baselines`. Source: ezquake cl_ents.c, CL_ParsePacketEntities.
 */
struct qw_states *qw_states_apply(struct qw_states *states, const struct qw_states *baselines,
                                  const struct qw_delta_format *format, struct qs_reader in);

/* --- entity_frames.c -------------------------------------------------------------------------- */

/*
 * The frames of entities that a client had: baselines, and the states after each of its last
 * updates, as svc_packetentities and svc_deltapacketentities make them. For rebuilding, not for
 * dissection: the rebuilder passes the messages of each packet that the client accepted.
 *
 * States are rarely needed, so updates are stored raw and applied late: the older half in place
 * once there are QW_UPDATES_MAX of them, or those that one frame needs.
 *
 * Source: PROTOCOL.md, section 8; ezquake cl_ents.c, CL_ParsePacketEntities.
 */

enum {
    QW_FRAMES_KEPT = 64, /* how far back a delta can reach (UPDATE_BACKUP) */
    QW_UPDATES_MAX = 2 * QW_FRAMES_KEPT,
    QW_UPDATE_BYTES_MAX = 8192 /* of an update; engines accept no longer packets */
};

/* An update, and the frame that it makes. Updates are counted in the order of their arrival. */
struct qw_frame {
    uint32_t sequence;        /* of the packet */
    uint32_t parent;          /* the update that it is applied to; valid if has_parent */
    uint32_t at;              /* where its bytes are, */
    uint16_t size;            /* 0: same as its parent */
    uint8_t children;         /* how many are applied to it */
    bool has_parent;          /* it is a delta from another frame */
    struct qw_states *states; /* once requested; or NULL */
};

/* A frame older than those kept that some of these are deltas from. */
struct qw_root {
    uint32_t number;
    uint32_t children;
    struct qw_states *states;
};

struct qw_frames {
    struct qw_delta_format format;
    GByteArray *baselines_sent;  /* as they came: a byte "as a delta", their size, their bytes */
    struct qw_states *baselines; /* of those before, which were needed; NULL: none */
    struct qw_frame *kept;       /* QW_UPDATES_MAX; NULL: none so far */
    uint32_t first, count;       /* number of the first one kept, and their count */
    GArray *roots;               /* struct qw_root */
    GByteArray *bytes;           /* of the updates kept, except those made empty */
};

void qw_frames_init(struct qw_frames *frames);
void qw_frames_clear(struct qw_frames *frames);

/* A level begins (svc_serverdata): resets everything. */
void qw_frames_level(struct qw_frames *frames);

/* A baseline: the body of svc_spawnbaseline, or of svcfte_spawnbaseline2 with `as_delta`. */
void qw_frames_baseline(struct qw_frames *frames, struct qs_view body, bool as_delta);

/* The packet whose number ends in the byte `from`: the last one before `sequence`. */
static inline uint32_t qw_delta_base(uint32_t sequence, uint8_t from)
{
    return sequence - 1 - (uint8_t)(sequence - 1 - from);
}

/* The base of an update. */
struct qw_update {
    bool is_delta;
    uint32_t base;   /* of a delta: its base packet */
    bool base_known; /* of a delta: that packet's frame is known */
};

/*
 * An update in packet `sequence`, which is higher than those before: the body of
 * svc_packetentities, or of svc_deltapacketentities with `is_delta`. If its base frame is unknown,
 * the newest frame replaces it.
 */
void qw_frames_update(struct qw_frames *frames, uint32_t sequence, struct qs_view body,
                      bool is_delta, struct qw_update *update);

/* Appends a frame for packet `sequence`, which is higher than those before. */
void qw_frames_add(struct qw_frames *frames, uint32_t sequence, const struct qw_states *states);

/* Appends the newest frame as a whole svc_packetentities, against the baselines: as many of its
 * entities as engines accept. */
void qw_frames_append(GByteArray *to, struct qw_frames *frames);

#endif
