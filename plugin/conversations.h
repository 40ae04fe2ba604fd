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

#include "common/core/parse.h"
#include "common/core/protocol.h"
#include "common/core/session.h"
#include "common/netchan/links.h"
#include "plugin/dissector.h"
#include "plugin/snapshots.h"

/*
 * The session that a packet belongs to. The numbers are those of common/core/session.h, over all
 * conversations and protocols of the capture. Later passes also assign connection requests: such
 * packets share a number with the session that follows, in their conversation or in the one that it
 * announces. The number is 0 until that session begins, so the first pass does not show it.
 */

struct session_number {
    uint32_t number; /* 0: not known yet */
};

/* The numbers of a conversation. Initially 0; its pointers are valid until the capture is closed.
 */
struct conversation_numbers {
    struct qs_session_number current;
    struct session_number *session; /* the current one, or NULL */
    struct session_number *request; /* the undecided connection request; or NULL */
};

/* Call it when the capture is closed. */
void session_numbers_restart(void);

/* The number of sessions begun. */
uint32_t session_numbers_count(void);

/* The context for decoding a packet or unit once. */
struct packet_context {
    struct qs_session *session;           /* lives at least as long as the packet's dissection */
    uint32_t unit;                        /* its number in the packet, from 1; 0: a datagram */
    uint32_t missing;                     /* bytes that the capture lacks before the unit */
    enum qs_end from;                     /* the end that sent the packet */
    const void *conversation;             /* identifies the conversation; NULL: none */
    struct qs_links *links;               /* of the conversation; NULL: none */
    bool first_pass;                      /* decoding advances the conversation's session */
    struct conversation_numbers *numbers; /* of the conversation, in the first pass; else NULL */
    const struct session_number **number; /* of the packet or unit */
    uint32_t *going_on;                   /* number of the session that continues then, or 0 */
};

struct packet_context packet_context(struct dissector *dissector, packet_info *pinfo);

/* The session number of the packet or unit just decoded; 0: none. */
uint32_t packet_session_number(const struct packet_context *context,
                               const struct qs_decoder *decoder);

/*
 * The number of the session that continues in the conversation after the packet, 0: none. A request
 * for another connection belongs to it as well. Call it after the function above.
 */
uint32_t packet_session_going_on(const struct packet_context *context);

/* The same for a packet dissected before; in a stream, for its first unit. */
uint32_t packet_session_number_again(const struct dissector *dissector, packet_info *pinfo);

struct tcpinfo;

/* Whether the packet's conversation is recognized as ours by now. */
bool conversation_is_known(const struct dissector *dissector, packet_info *pinfo);

/* Adds a segment of a stream without its last `cut` bytes: checks for bytes lost before it. */
void stream_add_segment(const struct dissector *dissector, packet_info *pinfo,
                        const struct tcpinfo *segment, uint32_t cut);

/* The context for the packet's next unit; the same until unit_done() is called. */
struct packet_context unit_context(struct dissector *dissector, packet_info *pinfo);
void unit_done(const struct dissector *dissector, packet_info *pinfo);

/* The address without its port; it points to `from`. */
address wireshark_address(const struct qs_address *from);

/*
 * Assigns the conversation that the decoded packet announces to the dissector, from this packet on.
 * First pass only.
 */
void conversation_announce(const struct dissector *dissector, const packet_info *pinfo,
                           const struct packet_context *context);

#endif
