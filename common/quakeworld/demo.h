/* SPDX-License-Identifier: GPL-2.0-or-later */
/* QWD, the client's demo. */
#ifndef QW_DEMO_H
#define QW_DEMO_H

#include "common/core/decoder.h"

void qw_decode_demo_block(struct qs_decoder *d);
/* A packet as a demo has it: as it came, or with the header of the plain netchan. */
void qw_decode_recorded(struct qs_decoder *d);

#endif
