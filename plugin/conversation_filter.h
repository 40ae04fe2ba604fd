/* SPDX-License-Identifier: GPL-2.0-or-later */
/* "Quake session" in Wireshark's menus Conversation Filter and Colorize Conversation. */
#ifndef QS_PLUGIN_CONVERSATION_FILTER_H
#define QS_PLUGIN_CONVERSATION_FILTER_H

#include "plugin/ws_compat.h"

void conversation_filter_register(void);

#endif
