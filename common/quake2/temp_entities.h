/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Temporary entities. */
#ifndef Q2_TEMP_ENTITIES_H
#define Q2_TEMP_ENTITIES_H

#include "common/core/decoder.h"

void q2_read_temp_entity(struct qs_decoder *d);

#endif
