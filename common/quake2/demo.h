/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Blocks of demos. */
#ifndef Q2_DEMO_H
#define Q2_DEMO_H

#include "common/core/decoder.h"

void q2_decode_demo_block(struct qs_decoder *d);

#endif
