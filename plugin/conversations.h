/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * State of conversations, and of each of their packets.
 *
 * Wireshark dissects packets once in capture order, and then again in any order. So each packet has
 * a state with a snapshot of the session before it: the first pass advances the conversation's
 * session; later passes decode with the packet's snapshot, with the same result. In a TCP stream
 * each PDU has a state; a packet may complete several PDUs.
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
 * capture, so that filters, statistics and pcap2demo agree on them.
 */

/* Restarts the numbers; call it when the capture is closed. */
void session_numbers_restart(void);

/* Returns the number of sessions that have begun. */
uint32_t session_numbers_count(void);

struct conversation_state;

/* Context for decoding a packet or PDU once. */
struct packet_context {
    struct qs_session *session;         /* valid at least until the packet is dissected */
    uint32_t pdu;                       /* number of the PDU in the packet, from 1; 0: a datagram */
    uint32_t missing;                   /* number of bytes before the PDU that the capture lacks */
    enum qs_end from;                   /* end that sent the packet */
    const void *conversation;           /* identifies the conversation; NULL: none */
    struct qs_links *links;             /* links of the conversation; NULL: none */
    struct conversation_state *current; /* first pass only: its session advances; else NULL */
    uint32_t *number;                   /* session number of the packet or PDU */
};

/* Returns the packet's conversation if this dissector has recognized it by now, and silence has not
 * ended it, else NULL. `packet` is NULL for a stream. */
struct conversation_state *conversation_known(const struct dissector *dissector, packet_info *pinfo,
                                              const struct qs_packet *packet);

/* True if the conversation, which may be NULL, has begun a connection. */
bool conversation_is_connected(const struct conversation_state *conversation);

/* Returns the conversation's first frame in a dissector of this plugin, else the packet's own. */
uint32_t conversation_first(packet_info *pinfo);

/* Returns the context of a datagram. `known`: result of conversation_known(). A client's packet
 * from a new address continues its conversation: see common/sessions/flow.h. */
struct packet_context packet_context(struct dissector *dissector, packet_info *pinfo,
                                     const struct qs_packet *packet,
                                     struct conversation_state *known);

/* True if this packet, between unknown ends, continues a conversation, or did in the first pass. */
bool conversation_has_moved(const struct dissector *dissector, packet_info *pinfo,
                            const struct qs_packet *packet);

/* Records the client's qport; call it after a datagram of the first pass was decoded. */
void conversation_update_qport(const struct dissector *dissector,
                               const struct packet_context *context);

/* Returns the session number of the packet or PDU just decoded; 0: none. */
uint32_t packet_session_number(const struct packet_context *context,
                               const struct qs_decoder *decoder);

/* The same for a packet dissected before; in a stream, for its first PDU with a session. */
uint32_t packet_session_number_again(const struct dissector *dissector, packet_info *pinfo);

struct tcpinfo;

/* Adds a stream's segment without its last `cut` bytes, and finds bytes lost before it. */
void stream_add_segment(const struct dissector *dissector, packet_info *pinfo,
                        const struct tcpinfo *segment, uint32_t cut);

/* Returns the protocol that dissects datagrams between these ends, or QS_PROTOCOL_NONE. */
int conversation_protocol(const struct qs_packet *packet);

/* Returns the context of the packet's next PDU, the same one until pdu_done() is called. */
struct packet_context pdu_context(struct dissector *dissector, packet_info *pinfo);
void pdu_done(const struct dissector *dissector, packet_info *pinfo);

/*
 * Assigns the conversation that the decoded packet announces to the dissector, from this packet on.
 * First pass only.
 */
void conversation_announce(const struct dissector *dissector, const packet_info *pinfo);

#endif
