/* SPDX-License-Identifier: GPL-2.0-or-later */
/* List of all protocols, which the plugin and the tool iterate over. */
#ifndef QS_PROTOCOLS_H
#define QS_PROTOCOLS_H

#include "common/core/protocol.h"

/* All protocols, ending with NULL. */
extern const struct qs_protocol *const qs_protocols[];

/* Returns the index in qs_protocols[] of the protocol with this name or alias, or -1. */
int qs_protocol_number(const char *name);

#endif
