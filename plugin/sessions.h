/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a conversation has established, for each of its packets.
 *
 * Wireshark dissects a packet once in the order of the capture, and then again whenever it likes.
 * So the session before each packet is kept: the first visit moves the conversation's session
 * forward, every later one decodes with a copy of what was kept, and shows the same. Of a TCP
 * stream that is done for each unit; a packet may complete several.
 */
#ifndef QS_PLUGIN_SESSIONS_H
#define QS_PLUGIN_SESSIONS_H

#include "plugin/bridge.h"

/* What to decode a packet or a unit with, once. */
struct visit {
    struct qs_session *session; /* lives at least as long as the packet's dissection */
    uint32_t unit;              /* its number in the packet, from 1; 0: a datagram */
    uint32_t missing;           /* bytes that the capture lacks before the unit */
    enum qs_end from;           /* which end of the conversation sent the packet */
    const void *conversation;   /* the same for all its packets, to tell it by; NULL: none */
    bool first;                 /* what the packet tells is news */
};

struct visit visit_packet(const struct bridge *bridge, packet_info *pinfo);

struct tcpinfo;

/* Whether a stream is known in the conversation that the packet belongs to, as of this packet. */
bool stream_is_known(const struct bridge *bridge, packet_info *pinfo);

/*
 * A segment of a stream comes, without the last `cut` bytes of it: finds out whether some were lost
 * before it.
 */
void stream_segment(const struct bridge *bridge, packet_info *pinfo, const struct tcpinfo *segment,
                    uint32_t cut);

/* What to decode the packet's next unit with; the same again until it is said to be done. */
struct visit visit_unit(const struct bridge *bridge, packet_info *pinfo);
void visit_unit_done(const struct bridge *bridge, packet_info *pinfo);

/* Gives the announced conversation to the protocol, from this packet on. For first visits only. */
void conversation_announce(const struct bridge *bridge, const packet_info *pinfo,
                           const struct qs_announcement *announced);

#endif
