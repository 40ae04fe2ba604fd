/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A run of the program: opens all inputs, one after the other, and gives the action what they hold.
 */
#ifndef PCAP2DEMO_RUN_H
#define PCAP2DEMO_RUN_H

#include "pcap2demo/actions/action.h"

void run_inputs(const struct options *options);

#endif
