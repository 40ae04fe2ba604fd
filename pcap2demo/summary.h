/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What --verbose prints at the end: how many packets of which kind were read. */
#ifndef PCAP2DEMO_SUMMARY_H
#define PCAP2DEMO_SUMMARY_H

#include "pcap2demo/packets.h"

void summary_print(const struct packets *packets);

#endif
