/* SPDX-License-Identifier: GPL-2.0-or-later */
/* QTV: streams over TCP; see struct qs_protocol. */
#ifndef QW_QTV_H
#define QW_QTV_H

#include "common/core/decoder.h"

bool qw_recognise_stream(struct qs_view start);
uint32_t qw_unit_size(const struct qs_session *session, const struct qs_packet *start,
                      uint32_t seen);
void qw_decode_unit(struct qs_decoder *d);

#endif
