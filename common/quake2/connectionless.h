/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A packet that begins with four bytes 255, or a master's bare query. */
#ifndef Q2_CONNECTIONLESS_H
#define Q2_CONNECTIONLESS_H

#include "common/core/decoder.h"

bool q2_is_connectionless(const struct qs_packet *packet);
bool q2_is_surely_quake2(const struct qs_packet *packet);
void q2_decode_connectionless(struct qs_decoder *d);

#endif
