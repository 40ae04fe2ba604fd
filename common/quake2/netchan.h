/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A packet with sequence numbers. */
#ifndef Q2_NETCHAN_H
#define Q2_NETCHAN_H

#include "common/core/decoder.h"

void q2_decode_netchan(struct qs_decoder *d);

#endif
