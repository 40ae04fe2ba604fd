/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Figures, in the menu Statistics > Quake of all games together, and for tshark also of each:
 *
 *     tshark -z quake,sessions     who played where, and how well the line was
 *     tshark -z quake,messages     packets and messages by session, direction and type
 *     tshark -z quake,line         the quality of each session's line, by direction
 *     tshark -z quake,passwords    passwords on the wire: in which packet, whose, what for
 *     tshark -z qw,line            the same of QuakeWorld
 *     tshark -z qw,srt             response times of requests: Statistics > Service Response Time
 *
 * They are those of `pcap2demo --stats` and `--list`: both count with common/stats and
 * common/netchan/quality. One tap of all games, and one of each protocol's name, carry what a
 * packet adds to them.
 */
#ifndef QS_PLUGIN_STATISTICS_H
#define QS_PLUGIN_STATISTICS_H

#include "plugin/conversations.h"
#include "plugin/dissector.h"

/* The submenu, and what it shows. */
void statistics_register(void);

/* Of one game. */
void statistics_register_game(struct dissector *dissector);

/* Whether a tap listens now; then messages are to be counted. */
bool statistics_are_wanted(const struct dissector *dissector);

/* Gives the taps the packet just decoded, whose messages were counted. */
void statistics_queue(const struct dissector *dissector, packet_info *pinfo,
                      const struct packet_context *context, uint32_t session_number);

#endif
