/* SPDX-License-Identifier: GPL-2.0-or-later */
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
#ifndef QW_ENTITY_FRAMES_H
#define QW_ENTITY_FRAMES_H

#include <glib.h>

#include "common/core/reader.h"
#include "common/quakeworld/entity_states.h"

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
