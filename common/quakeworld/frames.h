/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The frames of entities that a client had: baselines, and the states after each of its last
 * updates, as svc_packetentities and svc_deltapacketentities make them. Rebuilding needs it,
 * showing does not: who rebuilds hands over the messages of each packet that the client took.
 *
 * Source: PROTOCOL.md, section 8; ezquake cl_ents.c, CL_ParsePacketEntities.
 */
#ifndef QW_FRAMES_H
#define QW_FRAMES_H

#include <glib.h>

#include "common/core/reader.h"
#include "common/quakeworld/entity_delta.h"

enum {
    QW_FRAMES_KEPT = 64,         /* how far back a delta can reach (UPDATE_BACKUP) */
    QW_FRAME_ENTITIES_MAX = 512, /* more are dropped: servers send 64, with extensions 256 */
    QW_BASELINES_MAX = 2048      /* numbers from 0 on */
};

enum qw_frame_trust {
    QW_FRAME_NONE,    /* never seen */
    QW_FRAME_GUESSED, /* built on another frame than the server did, since that one is not known */
    QW_FRAME_WHOLE    /* as the server sent it */
};

struct qw_frame {
    enum qw_frame_trust trust;
    uint32_t sequence; /* of the packet */
    GArray
        *entities; /* struct qw_entity, in the order of their numbers; shared, not to be changed */
};

struct qw_frames {
    struct qw_delta_format format;
    GHashTable *baselines; /* number -> struct qw_entity */
    struct qw_frame kept[QW_FRAMES_KEPT];
    uint32_t newest; /* sequence number of the last frame; valid where `any` */
    bool any;
};

void qw_frames_init(struct qw_frames *frames);
void qw_frames_clear(struct qw_frames *frames);

/* A level begins (svc_serverdata): what was known is void. */
void qw_frames_level(struct qw_frames *frames);

/* A baseline: the body of svc_spawnbaseline, or of svcfte_spawnbaseline2 with `as_delta`. */
void qw_frames_baseline(struct qw_frames *frames, struct qs_view body, bool as_delta);

/* The frame of that packet, or NULL where it is too old or was never known. */
const struct qw_frame *qw_frames_at(const struct qw_frames *frames, uint32_t sequence);

/* The packet whose number ends in the byte `from`: the last one before `sequence`. */
static inline uint32_t qw_delta_base(uint32_t sequence, uint8_t from)
{
    return sequence - 1 - (uint8_t)(sequence - 1 - from);
}

/* What an update became. */
struct qw_update {
    const struct qw_frame *frame; /* the states after it; NULL: it runs past its end */
    bool is_delta;
    uint32_t base;  /* of a delta: the packet that it counts from */
    bool base_used; /* of a delta: that packet's frame is what it was applied to */
};

/*
 * An update in packet `sequence`: the body of svc_packetentities, or of svc_deltapacketentities
 * with `is_delta`. Where the frame that it counts from is not known, the newest frame stands in.
 */
struct qw_update qw_frames_update(struct qw_frames *frames, uint32_t sequence, struct qs_view body,
                                  bool is_delta);

/* Sets the frame of packet `sequence`, as if it had come; takes a reference to `entities`. */
void qw_frames_set(struct qw_frames *frames, uint32_t sequence, GArray *entities,
                   enum qw_frame_trust trust);

/* Appends the frame as a whole svc_packetentities, against the baselines. */
void qw_frames_append(GByteArray *to, const struct qw_frames *frames, const struct qw_frame *frame);

#endif
