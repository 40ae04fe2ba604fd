/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Recognizes the game of conversations in which no single packet reveals it: none is typical of one
 * game, and none that can be decoded alone goes to a port where servers of a game listen. The first
 * packets are kept, because their session may have begun before the capture. Evidence of a game:
 *
 *   - both ends number their packets in small steps, and acknowledge the other's numbers; and
 *   - the packets of one end can be decoded completely as client moves of one protocol.
 *
 * On a port where servers of a game with such numbers listen, the numbers of one end suffice: its
 * packets may be unreadable, because extensions were agreed upon before the capture began.
 *
 * Memory is bounded: QS_FLOWS_MAX one-sided conversations and as many answered ones. One that
 * reaches QS_HEURISTIC_PACKETS_MAX packets, or exceeds QS_HEURISTIC_BYTES_MAX bytes, is given up.
 */
#ifndef QS_SESSIONS_HEURISTIC_H
#define QS_SESSIONS_HEURISTIC_H

#include <stdbool.h>
#include <stdint.h>

#include "common/core/packet.h"
#include "common/protocols.h"

enum { QS_HEURISTIC_PACKETS_MAX = 32, QS_HEURISTIC_BYTES_MAX = 24 * 1024 };

struct qs_heuristic;

/* Creates the heuristic. `protocol_options` (qs_decoder.options by protocol) must outlive it. */
struct qs_heuristic *qs_heuristic_new(uint32_t *const *protocol_options);
void qs_heuristic_free(struct qs_heuristic *heuristic);

/* Game and server of a conversation. */
struct qs_heuristic_found {
    int protocol;
    struct qs_address server;
    unsigned packets; /* number of packets with consistent numbers and acknowledgements */
    unsigned moves;   /* readable client moves among these; 0: found by port */
};

/*
 * Keeps a copy of the packet. `by_port` is the protocol whose servers listen on one of its ports
 * (packet->source_is_server_port: on the source's), or QS_PROTOCOL_NONE. Returns true, and sets
 * `found`, once the evidence is complete.
 */
bool qs_heuristic_add(struct qs_heuristic *heuristic, const struct qs_packet *packet, int by_port,
                      struct qs_heuristic_found *found);

/* Returns both ports of a conversation that was not recognized although its packets are numbered
 * like a game's, the lower one first; zeros if there is none. */
const uint16_t *qs_heuristic_likely_ports(const struct qs_heuristic *heuristic);

/*
 * Returns the kept packets of the conversation between two addresses, in order; NULL if it is
 * unknown. Their `from` is not set. The caller may change them, and frees them with
 * qs_heuristic_remove() before the next qs_heuristic_add().
 */
struct qs_packet *qs_heuristic_packets(const struct qs_heuristic *heuristic,
                                       const struct qs_address *a, const struct qs_address *b,
                                       unsigned *count);
void qs_heuristic_remove(struct qs_heuristic *heuristic, const struct qs_address *a,
                         const struct qs_address *b);

/* Drops all kept packets. */
void qs_heuristic_forget(struct qs_heuristic *heuristic);

/* --- Protocols: protocol_selection.c ---------------------------------------------------------- */

/*
 * Selects the protocol of a conversation: the one that the user named, one that recognizes its
 * packets, or one whose servers listen on its port.
 */

/* Protocols are numbered as in qs_protocols[]. */
enum { QS_PROTOCOLS_MAX = 8, QS_PROTOCOL_NONE = -1 };

struct qs_protocol_selection;

/* Creates a selection with the default ports of all protocols. */
struct qs_protocol_selection *qs_protocol_selection_new(void);
void qs_protocol_selection_free(struct qs_protocol_selection *selection);

/*
 * Adds the user's "PROTOCOL=RANGES", for example "qw=28500,28600-28610": all packets of these ports
 * are of that protocol. If the text is invalid, returns false and sets `*error`, NULL before, to a
 * message to be freed.
 */
bool qs_protocol_selection_add(struct qs_protocol_selection *selection, const char *text,
                               char **error);

/*
 * Returns the protocol of a conversation, by one of its packets; QS_PROTOCOL_NONE if it is unknown.
 * `present` is the result for earlier packets while no connection has begun, or QS_PROTOCOL_NONE
 * for the first packet. A known protocol never becomes unknown. Some clients request a connection
 * in two protocols at once: the server's answer decides, not packets to a server's port.
 */
int qs_protocol_selection_find(const struct qs_protocol_selection *selection,
                               const struct qs_packet *packet, int present);

/*
 * Returns the protocol of a TCP connection that begins with the packet's bytes: the one that the
 * user named, if it has streams, or the first one that recognizes the bytes; or QS_PROTOCOL_NONE.
 */
int qs_protocol_selection_find_stream(const struct qs_protocol_selection *selection,
                                      const struct qs_packet *packet);

/* Returns the first protocol with servers on one of the packet's ports, or QS_PROTOCOL_NONE. */
int qs_protocol_selection_by_port(const struct qs_protocol_selection *selection,
                                  const struct qs_packet *packet);

/* True if servers of the protocol listen on `port`. */
bool qs_protocol_selection_is_server(const struct qs_protocol_selection *selection, int protocol,
                                     uint16_t port);

#endif
