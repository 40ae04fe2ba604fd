/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PCAP2DEMO_REBUILD_MVD_H
#define PCAP2DEMO_REBUILD_MVD_H

#include "pcap2demo/rebuild.h"

extern const struct rebuilder rebuild_mvd;

#endif
