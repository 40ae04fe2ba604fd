/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who gets the packets of a UDP port.
 *
 * The preference `<protocol>.udp.port` holds the ports where servers listen. Wireshark has shallow
 * dissectors of its own for some of them: a port is theirs again while our protocol is disabled, or
 * when it leaves the preference. Nobody else has the TCP ports of `<protocol>.tcp.port`, and only
 * streams that begin as the protocol's do are taken there.
 */
#ifndef QS_PLUGIN_PORTS_H
#define QS_PLUGIN_PORTS_H

#include "plugin/dissector.h"

/* Takes the record's ports, and registers the preference. Run after the built-in dissectors. */
void ports_take(struct dissector *dissector);

/*
 * Brings the ports in line with the preference and with whether the protocol is enabled. Decode As
 * rules of the user stay untouched.
 */
void ports_assign(struct dissector *dissector);

bool ports_has_server(const struct dissector *dissector, uint32_t port);

#endif
