/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Follow: a session's packets as text (see common/core/summary.h), one record for each packet. In
 * the menu of Wireshark 4.4 and later; in tshark as "-z follow,qw,ascii,1" with the number of the
 * session.
 */
#ifndef QS_PLUGIN_FOLLOW_H
#define QS_PLUGIN_FOLLOW_H

#include "plugin/dissector.h"

#include <epan/packet.h>

void follow_register(struct dissector *dissector);

/* Before a packet is decoded: its text will be wanted. */
void follow_begin(struct dissector *dissector);

/* When it was. */
void follow_queue(const struct dissector *dissector, packet_info *pinfo);

/* "Quake session" in Wireshark's menus Conversation Filter and Colorize Conversation. */
void conversation_filter_register(void);

#endif
