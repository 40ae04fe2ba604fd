/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Generated fields that packets of every protocol have, below the protocol's name:
 *
 *   session         number of the session that the packet belongs to
 *   session.player  name of its player, as far as it is known behind the packet
 *   from_server     who sent the packet
 */
#ifndef QS_PLUGIN_SESSION_FIELDS_H
#define QS_PLUGIN_SESSION_FIELDS_H

#include "plugin/dissector.h"

void session_fields_register(struct dissector *dissector);

/* Adds those that are known of the packet that was just decoded. `number` 0: it has no session. */
void session_fields_show(struct dissector *dissector, proto_tree *tree, tvbuff_t *tvb,
                         uint32_t number);

#endif
