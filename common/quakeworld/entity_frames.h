/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The frames of entities that a client had: baselines, and the states after each of its last
 * updates, as svc_packetentities and svc_deltapacketentities make them. Rebuilding needs it,
 * showing does not: who rebuilds hands over the messages of each packet that the client took.
 *
 * States are seldom asked for, so updates are kept as they came and applied late: all at once when
 * there are QW_UPDATES_MAX of them, the older half, in place; or those that one frame needs.
 *
 * Source: PROTOCOL.md, section 8; ezquake cl_ents.c, CL_ParsePacketEntities.
 */
#ifndef QW_ENTITY_FRAMES_H
#define QW_ENTITY_FRAMES_H

#include <glib.h>

#include "common/core/reader.h"
#include "common/quakeworld/entity_states.h"

enum {
    QW_FRAMES_KEPT = 64, /* how far back a delta can reach (UPDATE_BACKUP) */
    QW_UPDATES_MAX = 2 * QW_FRAMES_KEPT,
    QW_UPDATE_BYTES_MAX = 8192 /* of an update; players take no longer packets */
};

/* An update, and the frame that it makes. Updates are counted in the order of their arrival. */
struct qw_frame {
    uint32_t sequence;        /* of the packet */
    uint32_t parent;          /* the update that it is applied to; valid where has_parent */
    uint32_t children;        /* how many are applied to it */
    uint32_t at, size;        /* where its bytes stand; 0 bytes: it is what its parent is */
    bool has_parent;          /* it counts from another frame */
    struct qw_states *states; /* where they were asked for; or NULL */
};

/* A frame that is older than those kept, and that some of these count from. */
struct qw_root {
    uint32_t number;
    uint32_t children;
    struct qw_states *states;
};

struct qw_frames {
    struct qw_delta_format format;
    struct qw_states *baselines; /* NULL: none */
    struct qw_frame kept[QW_UPDATES_MAX];
    uint32_t first, count; /* number of the first one kept, and how many there are */
    GArray *roots;         /* struct qw_root */
    GByteArray *bytes;     /* of the updates kept, but for those made empty */
};

void qw_frames_init(struct qw_frames *frames);
void qw_frames_clear(struct qw_frames *frames);

/* A level begins (svc_serverdata): what was known is void. */
void qw_frames_level(struct qw_frames *frames);

/* A baseline: the body of svc_spawnbaseline, or of svcfte_spawnbaseline2 with `as_delta`. */
void qw_frames_baseline(struct qw_frames *frames, struct qs_view body, bool as_delta);

/* The packet whose number ends in the byte `from`: the last one before `sequence`. */
static inline uint32_t qw_delta_base(uint32_t sequence, uint8_t from)
{
    return sequence - 1 - (uint8_t)(sequence - 1 - from);
}

/* What an update counts from. */
struct qw_update {
    bool is_delta;
    uint32_t base;   /* of a delta: the packet that it counts from */
    bool base_known; /* of a delta: that packet's frame is there */
};

/*
 * An update in packet `sequence`, which is higher than those before: the body of
 * svc_packetentities, or of svc_deltapacketentities with `is_delta`. Where the frame that it counts
 * from is not known, the newest frame stands in.
 */
void qw_frames_update(struct qw_frames *frames, uint32_t sequence, struct qs_view body,
                      bool is_delta, struct qw_update *update);

/* Puts a frame behind those there are, as of packet `sequence`, which is higher than theirs. */
void qw_frames_add(struct qw_frames *frames, uint32_t sequence, const struct qw_states *states);

/* Appends the newest frame as a whole svc_packetentities, against the baselines: as many of its
 * entities as players take. */
void qw_frames_append(GByteArray *to, struct qw_frames *frames);

#endif
