/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Recognizes the game of conversations in which no single packet reveals it: none is typical of one
 * game, and none that can be decoded alone goes to a port where servers of a game listen. The first
 * packets are kept, because they may be of a session that began before the capture. This shows it:
 *
 *   - both ends number their packets in small steps, and acknowledge the other's numbers; and
 *   - the packets of one end can be read completely as moves of clients of one protocol.
 *
 * On a port where servers of a game with such numbers listen, the numbers of one end suffice: its
 * packets may not be readable, because extensions were agreed upon before the capture began.
 *
 * Memory is bounded: QS_FLOWS_MAX conversations, and QS_HEURISTIC_PACKETS_MAX packets and
 * QS_HEURISTIC_BYTES_MAX bytes of each; then the conversation is given up.
 */
#ifndef QS_SESSIONS_HEURISTIC_H
#define QS_SESSIONS_HEURISTIC_H

#include <stdint.h>

#include "common/core/packet.h"

enum { QS_HEURISTIC_PACKETS_MAX = 32, QS_HEURISTIC_BYTES_MAX = 24 * 1024 };

struct qs_heuristic;

/* `protocol_options`, by protocol, is for qs_decoder.options, and must outlive the result. */
struct qs_heuristic *qs_heuristic_new(uint32_t *const *protocol_options);
void qs_heuristic_free(struct qs_heuristic *heuristic);

/* Game and server of a conversation. */
struct qs_heuristic_found {
    int protocol;
    struct qs_address server;
    unsigned packets; /* number of packets that number and acknowledge each other */
    unsigned moves;   /* readable client moves among these; 0: found by port */
};

/*
 * Keeps a copy of the packet. `by_port` is the protocol whose servers listen on one of its ports
 * (packet->source_is_server_port: on the source's), or QS_PROTOCOL_NONE. Returns true, and sets
 * `found`, if the evidence is complete.
 */
bool qs_heuristic_add(struct qs_heuristic *heuristic, const struct qs_packet *packet, int by_port,
                      struct qs_heuristic_found *found);

/* Returns both ports of a conversation that was not recognized although its packets are numbered
 * like a game's, the lower one first; or zeros. */
const uint16_t *qs_heuristic_likely_ports(const struct qs_heuristic *heuristic);

/*
 * Returns the packets kept of the conversation between two addresses, in order; NULL if it is
 * unknown. Their `from` is not set. The caller may change them, and frees them by
 * qs_heuristic_remove() before it calls qs_heuristic_add() again.
 */
struct qs_packet *qs_heuristic_packets(const struct qs_heuristic *heuristic,
                                       const struct qs_address *a, const struct qs_address *b,
                                       unsigned *count);
void qs_heuristic_remove(struct qs_heuristic *heuristic, const struct qs_address *a,
                         const struct qs_address *b);

/* Drops all packets that are kept. */
void qs_heuristic_forget(struct qs_heuristic *heuristic);

#endif
