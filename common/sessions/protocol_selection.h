/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The protocol of a conversation: the one that the user named, the only one that its packets can
 * be, or the one whose servers listen on its port.
 */
#ifndef QS_SESSIONS_PROTOCOL_SELECTION_H
#define QS_SESSIONS_PROTOCOL_SELECTION_H

#include <stdbool.h>
#include <stdint.h>

#include "common/core/packet.h"
#include "common/protocols.h"

/* Protocols are numbered as in qs_protocols[]. */
enum { QS_PROTOCOLS_MAX = 8, QS_PROTOCOL_NONE = -1 };

struct qs_protocol_selection;

/* Creates a selection with the default ports of all protocols. */
struct qs_protocol_selection *qs_protocol_selection_new(void);
void qs_protocol_selection_free(struct qs_protocol_selection *selection);

/*
 * Adds the user's "PROTOCOL=RANGES", for example "qw=28500,28600-28610": all packets of these ports
 * are of that protocol. If the text is wrong, returns false and sets `*error`, NULL before, to a
 * new text.
 */
bool qs_protocol_selection_add(struct qs_protocol_selection *selection, const char *text,
                               char **error);

/*
 * Returns the protocol of a conversation, by one of its packets; QS_PROTOCOL_NONE if it is unknown.
 * `present` is the result for earlier packets, as long as no connection has begun, or
 * QS_PROTOCOL_NONE for the first packet. It never becomes unknown. Some clients ask for a
 * connection in two protocols at once: the server's answer decides, not packets to a server's port.
 */
int qs_protocol_selection_find(const struct qs_protocol_selection *selection,
                               const struct qs_packet *packet, int present);

/*
 * Returns the protocol of a TCP connection that begins with the packet's bytes: the one that the
 * user named, or the only one that they can be; or QS_PROTOCOL_NONE.
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
