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

/* What to decode a packet with, once. */
struct visit {
    struct qs_session *session; /* lives at least as long as the packet's dissection */
    enum qs_end from;           /* which end of the conversation sent the packet */
    const void *conversation;   /* the same for all its packets, to tell it by; NULL: none */
    bool first;                 /* what the packet tells is news */
};

struct visit visit_packet(const struct bridge *bridge, packet_info *pinfo);

/* Gives the announced conversation to the protocol, from this packet on. For first visits only. */
void conversation_announce(const struct bridge *bridge, const packet_info *pinfo,
                           const struct qs_announcement *announced);

#endif
