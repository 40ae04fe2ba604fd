/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Entity deltas. */
#ifndef Q2_ENTITIES_H
#define Q2_ENTITIES_H

#include "common/core/decoder.h"
#include "common/quake2/state.h"

struct q2_entity_mask {
    uint64_t bits;
    uint16_t number;
};
/* The mask and the number that an entity begins with. */
struct q2_entity_mask q2_read_entity_mask(struct qs_decoder *d);
/* The fields that the mask names, into `entity`; the others stay. */
void q2_read_entity(struct qs_decoder *d, uint64_t bits, struct q2_entity *entity);
/* A baseline: mask, number and fields. */
void q2_read_baseline(struct qs_decoder *d, struct q2_entity_mask mask);

#endif
