/* SPDX-License-Identifier: GPL-2.0-or-later */
/* "Quake session" in Wireshark's menus Conversation Filter and Colorize Conversation. */
#ifndef QS_PLUGIN_CONVERSATION_FILTER_H
#define QS_PLUGIN_CONVERSATION_FILTER_H

#include "plugin/ws_compat.h"

#include <epan/packet.h>

/*
 * The filter for the session that a packet belongs to, which was dissected before: a new string;
 * NULL where it belongs to none.
 */
char *conversation_filter_of(packet_info *pinfo, unsigned *session);

void conversation_filter_register(void);

#endif
