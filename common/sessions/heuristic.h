/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Datagrams of conversations that are of no known game as far as is known: no packet was seen that
 * can be of one game only, or can be read by itself where servers of a game listen. The first of
 * each conversation are kept, since they may be of a session that was running when the capture
 * began:
 *
 *   - both ends number their packets in small steps, and acknowledge the other's numbers; and
 *   - what one of them sends can be read to its end as moves of clients of one protocol.
 *
 * Where servers of a game with such numbers listen, the numbers of one end are enough: what it
 * sends may not be readable, as extensions were agreed upon before the capture began.
 *
 * Memory is bounded: QS_FLOWS_MAX conversations, of each QS_HEURISTIC_PACKETS_MAX packets and
 * QS_HEURISTIC_BYTES_MAX bytes; then it is given up.
 */
#ifndef QS_SESSIONS_HEURISTIC_H
#define QS_SESSIONS_HEURISTIC_H

#include <stdint.h>

#include "common/core/packet.h"

enum { QS_HEURISTIC_PACKETS_MAX = 32, QS_HEURISTIC_BYTES_MAX = 24 * 1024 };

struct qs_heuristic;

/* `protocol_options` by protocol, for qs_decoder.options; they must live as long. */
struct qs_heuristic *qs_heuristic_new(uint32_t *const *protocol_options);
void qs_heuristic_free(struct qs_heuristic *heuristic);

/* What a conversation turned out to be. */
struct qs_heuristic_found {
    int protocol;
    struct qs_address server;
    unsigned packets; /* that number and acknowledge each other */
    unsigned moves;   /* of them: moves of the client that can be read; 0: the port counts, too */
};

/*
 * Keeps a copy of the packet. `by_port`: the protocol whose servers listen on one of its ports, or
 * QS_PROTOCOL_NONE; which of the two, the packet tells. Whether that completes the evidence.
 */
bool qs_heuristic_add(struct qs_heuristic *heuristic, const struct qs_packet *packet, int by_port,
                      struct qs_heuristic_found *found);

/* The ports of a conversation that numbers its packets like a game's and was not recognized, the
 * lower one first; or 0. */
const uint16_t *qs_heuristic_likely_ports(const struct qs_heuristic *heuristic);

/*
 * The packets that were kept of the conversation between two addresses, in order; NULL: there are
 * none. Their end `from` is not known. The caller may change them, and frees them by
 * qs_heuristic_remove() before it adds another one.
 */
struct qs_packet *qs_heuristic_packets(const struct qs_heuristic *heuristic,
                                       const struct qs_address *a, const struct qs_address *b,
                                       unsigned *count);
void qs_heuristic_remove(struct qs_heuristic *heuristic, const struct qs_address *a,
                         const struct qs_address *b);

/* Forgets all packets. */
void qs_heuristic_forget(struct qs_heuristic *heuristic);

#endif
