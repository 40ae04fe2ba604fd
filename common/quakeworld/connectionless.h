/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Packets with the mark ff ff ff ff, and the texts that lack it. */
#ifndef QW_CONNECTIONLESS_H
#define QW_CONNECTIONLESS_H

#include "common/core/decoder.h"

bool qw_recognise(const struct qs_packet *packet);
bool qw_is_connectionless(const struct qs_decoder *d);
void qw_decode_connectionless(struct qs_decoder *d);
bool qw_is_bare_text(const struct qs_packet *packet);
void qw_decode_bare_text(struct qs_decoder *d);

#endif
