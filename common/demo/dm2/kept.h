/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which frames of a demo its player still has when the next one comes, so that this may be a delta
 * from them. Source: engine, client.h UPDATE_BACKUP, MAX_PARSE_ENTITIES; cl_ents.c CL_ParseFrame
 * ("Delta frame too old", "Delta parse_entities too old"), the same in yquake2. Q2PRO keeps more.
 */
#ifndef QS_DEMO_DM2_KEPT_H
#define QS_DEMO_DM2_KEPT_H

#include <stdbool.h>
#include <stdint.h>

enum {
    DM2_FRAMES_KEPT = 16,        /* a frame is overwritten by the one that is so much later */
    DM2_ENTITIES_KEPT = 1024,    /* of all frames */
    DM2_ENTITIES_IN_FRAME = 128, /* room for so many is left for the frame that comes */
};

struct dm2_kept {
    int32_t numbers[DM2_FRAMES_KEPT]; /* by place as players keep them; 0: none */
    uint64_t starts[DM2_FRAMES_KEPT]; /* so many entities came before the frame's */
    uint64_t entities;                /* in all frames so far */
    int32_t last;                     /* number of the last frame; 0: none */
};

/* Whether the next frame may be a delta from that one. */
bool dm2_kept_has(const struct dm2_kept *kept, int32_t number);

/* The frame is in the demo, with so many entities. */
void dm2_kept_add(struct dm2_kept *kept, int32_t number, uint32_t entities);

#endif
