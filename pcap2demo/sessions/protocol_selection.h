/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which protocol a conversation is: by the user's word, by what its first packet can only be, or by
 * a server's port.
 */
#ifndef PCAP2DEMO_PROTOCOL_SELECTION_H
#define PCAP2DEMO_PROTOCOL_SELECTION_H

#include <stdbool.h>
#include <stdint.h>

#include "common/core/packet.h"
#include "common/core/protocol.h"

/* Protocols are numbered as in qs_protocols[]. */
enum { PROTOCOLS_MAX = 8 };

struct protocol_selection;

/* Begins with the default ports of all protocols. */
struct protocol_selection *protocol_selection_new(void);
void protocol_selection_free(struct protocol_selection *selection);

/*
 * Takes the user's "PROTOCOL=RANGES", "qw=28500,28600-28610". Packets of these ports are of that
 * protocol whatever they look like. False, and a new text in `*error` (NULL before), when that is
 * not what it is.
 */
bool protocol_selection_add(struct protocol_selection *selection, const char *text, char **error);

/* The number of the protocol that claims a conversation beginning with `packet`, or -1. */
int protocol_selection_find(const struct protocol_selection *selection,
                            const struct qs_packet *packet);

/*
 * The same for a packet of a conversation that protocol number `holder` has claimed, while no
 * connection has come of it: some clients ask for a connection in two protocols at once, and the
 * server's answer decides, not what is asked at the port of a server. `holder` if nothing speaks
 * for another.
 */
int protocol_selection_again(const struct protocol_selection *selection,
                             const struct qs_packet *packet, int holder);

/*
 * The number of the protocol that claims a TCP connection whose first bytes are the packet's, or
 * -1: the user's word, or what they can only be.
 */
int protocol_selection_find_stream(const struct protocol_selection *selection,
                                   const struct qs_packet *packet);

/* Whether servers of the protocol listen on `port`. */
bool protocol_selection_is_server(const struct protocol_selection *selection, int protocol,
                                  uint16_t port);

/* The number of the protocol of this name, or -1. */
int protocol_number(const char *name);

#endif
