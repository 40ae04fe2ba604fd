/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads all inputs, one after the other, or records from interfaces, and performs the action. */
#ifndef PCAP2DEMO_RUN_H
#define PCAP2DEMO_RUN_H

#include "pcap2demo/actions/action.h"

void run_inputs(const struct options *options);

#endif
