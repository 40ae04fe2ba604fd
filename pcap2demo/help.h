/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What --help prints. */
#ifndef PCAP2DEMO_HELP_H
#define PCAP2DEMO_HELP_H

#include "pcap2demo/actions/option_table.h"

void help_print(const struct option_table *table);

#endif
