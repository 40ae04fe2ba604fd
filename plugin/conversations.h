/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a conversation has established, for each of its packets.
 *
 * Wireshark dissects a packet once in the order of the capture, and then again whenever it likes.
 * So each packet has a state, which names a snapshot of the session before it: the first pass moves
 * the conversation's session forward, every later one decodes with the session of the packet's
 * snapshot, and shows the same. Of a TCP stream each unit has a state; a packet may complete
 * several.
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
 * Which session a packet belongs to. The numbers are those of common/core/session.h, over all
 * conversations and protocols of the capture. Unlike a program that reads a capture once, Wireshark
 * can also tell of a request for a connection what came of it: such packets share a number with the
 * session that follows, in their conversation or in the one that it announces. It is 0 until that
 * session begins, and so nothing is shown of it in the first pass.
 */

struct session_number {
    uint32_t number; /* 0: not known yet */
};

/* Of a conversation. All 0 to begin with; what it points to lives to the end of the capture. */
struct conversation_numbers {
    struct qs_session_number current;
    struct session_number *session; /* that goes on, or NULL */
    struct session_number *request; /* for a connection, which is not decided; or NULL */
};

/* The capture is closed. */
void session_numbers_restart(void);

/* How many sessions have begun. */
uint32_t session_numbers_count(void);

/* What to decode a packet or a unit with, once. */
struct packet_context {
    struct qs_session *session; /* lives at least as long as the packet's dissection */
    uint32_t unit;              /* its number in the packet, from 1; 0: a datagram */
    uint32_t missing;           /* bytes that the capture lacks before the unit */
    enum qs_end from;           /* which end of the conversation sent the packet */
    const void *conversation;   /* identifies the conversation; NULL: none */
    struct qs_links *links;     /* of the conversation; NULL: none */
    bool first_pass;            /* the session is the conversation's own, and moves forward */
    struct conversation_numbers *numbers; /* of the conversation, in the first pass; else NULL */
    const struct session_number **number; /* of the packet or unit */
    uint32_t *going_on;                   /* number of the session that goes on then, or 0 */
};

struct packet_context packet_context(struct dissector *dissector, packet_info *pinfo);

/* The number of the session that the packet or unit belongs to, which was just decoded; 0: none. */
uint32_t packet_session_number(const struct packet_context *context,
                               const struct qs_decoder *decoder);

/*
 * The number of the session that goes on in the conversation behind the packet, 0: none. To it a
 * request for another connection belongs as well. After the function above.
 */
uint32_t packet_session_going_on(const struct packet_context *context);

/* The same of a packet that was dissected before; of a stream, of its first unit. */
uint32_t packet_session_number_again(const struct dissector *dissector, packet_info *pinfo);

struct tcpinfo;

/* Whether the conversation that the packet belongs to is ours, as of this packet. */
bool conversation_is_known(const struct dissector *dissector, packet_info *pinfo);

/*
 * A segment of a stream comes, without the last `cut` bytes of it: finds out whether some were lost
 * before it.
 */
void stream_add_segment(const struct dissector *dissector, packet_info *pinfo,
                        const struct tcpinfo *segment, uint32_t cut);

/* What to decode the packet's next unit with: the same unit's until unit_done() is called. */
struct packet_context unit_context(struct dissector *dissector, packet_info *pinfo);
void unit_done(const struct dissector *dissector, packet_info *pinfo);

/* The address without its port; it points to `from`. */
address wireshark_address(const struct qs_address *from);

/*
 * Gives the conversation that the decoded packet announces to the dissector, from this packet on.
 * First passes only.
 */
void conversation_announce(const struct dissector *dissector, const packet_info *pinfo,
                           const struct packet_context *context);

#endif
