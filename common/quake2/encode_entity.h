/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Entities as deltas: see encode.h. */
#ifndef Q2_ENCODE_ENTITY_H
#define Q2_ENCODE_ENTITY_H

#include "common/quake2/encode_put.h"

/*
 * An entity as q2_encode_entity() writes it; the bits of one, and its number, alone: so one is
 * removed.
 */
void q2_put_entity(struct q2_writer *out, const struct q2_variant *variant,
                   const struct q2_entity *from, const struct q2_entity *to, bool always,
                   bool is_new);
void q2_put_entity_mask(struct q2_writer *out, uint64_t bits, uint16_t number);

#endif
