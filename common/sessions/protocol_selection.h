/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which protocol a conversation is: what the user named, what its packets can only be, or what
 * listens on its server's port.
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

/* Begins with the default ports of all protocols. */
struct qs_protocol_selection *qs_protocol_selection_new(void);
void qs_protocol_selection_free(struct qs_protocol_selection *selection);

/*
 * Takes the user's "PROTOCOL=RANGES", "qw=28500,28600-28610". Packets of these ports are of that
 * protocol whatever they look like. False, and a new text in `*error` (NULL before), when that is
 * not what it is.
 */
bool qs_protocol_selection_add(struct qs_protocol_selection *selection, const char *text,
                               char **error);

/*
 * The protocol of a conversation, by one of its packets. `present` is what it was taken for so far,
 * while no connection has come of it, or QS_PROTOCOL_NONE for its first packet: some clients ask
 * for a connection in two protocols at once, and the server's answer decides, not what is asked at
 * the port of a server. QS_PROTOCOL_NONE where it is of no known game; never so where `present` is
 * not.
 */
int qs_protocol_selection_find(const struct qs_protocol_selection *selection,
                               const struct qs_packet *packet, int present);

/*
 * The protocol of a TCP connection whose first bytes are the packet's: what the user named, or what
 * they can only be; or QS_PROTOCOL_NONE.
 */
int qs_protocol_selection_find_stream(const struct qs_protocol_selection *selection,
                                      const struct qs_packet *packet);

/* The first protocol whose servers listen on one of the packet's ports, or QS_PROTOCOL_NONE. */
int qs_protocol_selection_by_port(const struct qs_protocol_selection *selection,
                                  const struct qs_packet *packet);

/* Whether servers of the protocol listen on `port`. */
bool qs_protocol_selection_is_server(const struct qs_protocol_selection *selection, int protocol,
                                     uint16_t port);

#endif
