/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Dissects packets: datagrams, stream segments, and those on other ports. */
#ifndef QS_PLUGIN_DISSECT_H
#define QS_PLUGIN_DISSECT_H

#include "plugin/dissector.h"

/* Registers the functions that Wireshark calls with the protocol's packets. */
void dissect_register(struct dissector *dissector);

/* Registers the heuristics for the protocol's conversations on other ports. */
void dissect_register_heuristics(const struct dissector *dissector);

/* Finds the tap of Tools > Credentials, `tshark -z credentials`. */
void credentials_register(void);

#endif
