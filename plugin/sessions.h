/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a conversation has established, for each of its packets.
 *
 * Wireshark dissects a packet once in the order of the capture, and then again whenever it likes.
 * So the session before each packet is kept: the first visit moves the conversation's session
 * forward, every later one decodes with a copy of what was kept, and shows the same.
 */
#ifndef QS_PLUGIN_SESSIONS_H
#define QS_PLUGIN_SESSIONS_H

#include "plugin/bridge.h"

/*
 * The session to decode the packet with, once; it lives at least as long as the packet's
 * dissection. `*from` gets which end of the conversation sent the packet.
 */
struct qs_session *session_for_packet(const struct bridge *bridge, packet_info *pinfo,
                                      enum qs_end *from);

#endif
