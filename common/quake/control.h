/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Control packets, by which a client finds a server and connects. */
#ifndef NQ_CONTROL_H
#define NQ_CONTROL_H

#include "common/core/decoder.h"

/* The whole packet. */
void nq_read_control(struct qs_decoder *d);
/* Whether these bytes can only be a control packet. */
bool nq_is_control(struct qs_view packet);

#endif
