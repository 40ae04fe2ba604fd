/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Statistics > the protocol: packets, bytes and messages by session, direction and type. */
#ifndef QS_PLUGIN_TRAFFIC_TREE_H
#define QS_PLUGIN_TRAFFIC_TREE_H

#include "plugin/dissector.h"

void traffic_tree_register(const struct dissector *dissector);

#endif
