/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Coordinates in the session's format, in 1/8 units. */
#ifndef Q2_POSITIONS_H
#define Q2_POSITIONS_H

#include "common/core/decoder.h"

int32_t q2_read_coordinate(struct qs_decoder *d, unsigned id);
/* Three of them; `id` is the row of the vector. */
void q2_read_position(struct qs_decoder *d, unsigned id, int32_t to[3]);
/* What may come as a step from `from`, which becomes the new value: only with extended limits,
 * version 2. */
void q2_read_stepped_coordinate(struct qs_decoder *d, unsigned id, int32_t *from);
/* Three bytes in quarters. */
void q2_read_quarters(struct qs_decoder *d, unsigned id, int8_t to[3]);

#endif
