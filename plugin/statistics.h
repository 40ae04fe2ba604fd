/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Figures of each protocol, named after it: with QuakeWorld's
 *
 *     tshark -z qw,tree        packets, bytes and messages, of all and by session
 *     tshark -z qw,sessions    a table of sessions
 *     tshark -z qw,srt         response times of requests
 *
 * and the same in the menus Statistics and Statistics > Service Response Time. They are those of
 * `pcap2demo --stats`: both count with common/stats. One tap of the protocol's name carries what a
 * packet adds to them.
 */
#ifndef QS_PLUGIN_STATISTICS_H
#define QS_PLUGIN_STATISTICS_H

#include "common/stats/stats.h"
#include "plugin/conversations.h"
#include "plugin/dissector.h"

/* What the tap is given of a packet; lives in the packet's pool. */
struct packet_figures {
    const struct dissector *dissector;
    const struct qs_session *session; /* after the packet */
    struct qs_packet packet;          /* without its bytes */
    uint32_t number;                  /* of its session; 0: it belongs to none */
    struct qs_tally_packet tally;
    struct qs_line line; /* of its session, as far as it is known */
    struct qs_response response;
};

void statistics_register(struct dissector *dissector);

/* Whether a tap listens now; then messages are to be counted. */
bool statistics_are_wanted(const struct dissector *dissector);

/* Gives the tap the packet just decoded, whose messages were counted. */
void statistics_queue(const struct dissector *dissector, packet_info *pinfo,
                      const struct packet_context *context);

#endif
