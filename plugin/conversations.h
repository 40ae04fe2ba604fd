/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The state of conversations, for each of their packets.
 *
 * Wireshark dissects packets once in capture order, and then again in any order. So each packet has
 * a state with a snapshot of the session before it: the first pass advances the conversation's
 * session; later ones decode with the session of the packet's snapshot, with the same result. In a
 * TCP stream each unit has a state; a packet may complete several units.
 */
#ifndef QS_PLUGIN_CONVERSATIONS_H
#define QS_PLUGIN_CONVERSATIONS_H

#include "common/core/decode.h"
#include "common/core/protocol.h"
#include "common/core/session.h"
#include "common/netchan/links.h"
#include "plugin/dissector.h"
#include "plugin/snapshots.h"

/*
 * Sessions have the numbers of common/core/session.h, over all conversations and protocols of the
 * capture: filters, statistics and pcap2demo agree on them.
 */

/* Call it when the capture is closed. */
void session_numbers_restart(void);

/* The number of sessions begun. */
uint32_t session_numbers_count(void);

struct conversation_state;

/* The context for decoding a packet or unit once. */
struct packet_context {
    struct qs_session *session;         /* lives at least as long as the packet's dissection */
    uint32_t unit;                      /* its number in the packet, from 1; 0: a datagram */
    uint32_t missing;                   /* bytes that the capture lacks before the unit */
    enum qs_end from;                   /* the end that sent the packet */
    const void *conversation;           /* identifies the conversation; NULL: none */
    struct qs_links *links;             /* of the conversation; NULL: none */
    struct conversation_state *current; /* in the first pass, whose decoding advances its session;
                                           else NULL */
    uint32_t *number;                   /* of the packet's or unit's session */
};

/* The packet's conversation if it is recognized as ours by now, else NULL. */
struct conversation_state *conversation_known(const struct dissector *dissector,
                                              packet_info *pinfo);

/* Whether a connection has begun in it; NULL: no. */
bool conversation_is_connected(const struct conversation_state *conversation);

/* The first frame of the packet's conversation that a dissector of ours had; else its own. */
uint32_t conversation_first(packet_info *pinfo);

/* `known`: what that function returned for the packet. A client's packet from a new address
 * continues its conversation: see common/sessions/qports.h. */
struct packet_context packet_context(struct dissector *dissector, packet_info *pinfo,
                                     const struct qs_packet *packet,
                                     struct conversation_state *known);

/* Whether this packet, between unknown ends, continues one; in later passes, whether it did. */
bool conversation_has_moved(const struct dissector *dissector, packet_info *pinfo,
                            const struct qs_packet *packet);

/* Call it when a datagram of the first pass was decoded. */
void conversation_update_qport(const struct dissector *dissector,
                               const struct packet_context *context);

/* The session number of the packet or unit just decoded; 0: none. */
uint32_t packet_session_number(const struct packet_context *context,
                               const struct qs_decoder *decoder);

/* The same for a packet dissected before; in a stream, for its first unit. */
uint32_t packet_session_number_again(const struct dissector *dissector, packet_info *pinfo);

struct tcpinfo;

/* Adds a segment of a stream without its last `cut` bytes: checks for bytes lost before it. */
void stream_add_segment(const struct dissector *dissector, packet_info *pinfo,
                        const struct tcpinfo *segment, uint32_t cut);

/* The protocol that dissects datagrams between these ends, or QS_PROTOCOL_NONE. */
int conversation_protocol(const struct qs_packet *packet);

/* The context for the packet's next unit; the same until unit_done() is called. */
struct packet_context unit_context(struct dissector *dissector, packet_info *pinfo);
void unit_done(const struct dissector *dissector, packet_info *pinfo);

/*
 * Assigns the conversation that the decoded packet announces to the dissector, from this packet on.
 * First pass only.
 */
void conversation_announce(const struct dissector *dissector, const packet_info *pinfo);

#endif
