/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The list of protocols: the plugin and the tool loop over it. */
#ifndef QS_PROTOCOLS_H
#define QS_PROTOCOLS_H

#include "common/core/protocol.h"

/* All protocols, ending with NULL. */
extern const struct qs_protocol *const qs_protocols[];

/* The number of the protocol of this name in qs_protocols[], or -1. */
int qs_protocol_number(const char *name);

#endif
