/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Packets with sequence numbers. */
#ifndef QW_NETCHAN_H
#define QW_NETCHAN_H

#include "common/core/decoder.h"

void qw_decode_netchan(struct qs_decoder *d);
/* The same where the header can only be the plain one: a demo's. */
void qw_decode_plain_netchan(struct qs_decoder *d);

#endif
