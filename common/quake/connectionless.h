/* SPDX-License-Identifier: GPL-2.0-or-later */
/* DarkPlaces' connectionless packets. */
#ifndef NQ_CONNECTIONLESS_H
#define NQ_CONNECTIONLESS_H

#include "common/core/decoder.h"

/* The whole packet. */
void nq_read_connectionless(struct qs_decoder *d);
bool nq_is_connectionless(struct qs_view packet);
/* Whether it is one of DarkPlaces' alone: other games do not send it. */
bool nq_is_darkplaces(struct qs_view packet);

#endif
