/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records from network interfaces until it is stopped: opens them, gives up the rights that this
 * needs, hands packets to the sessions as they come, and says how things are.
 */
#ifndef PCAP2DEMO_RECORDER_H
#define PCAP2DEMO_RECORDER_H

#include "pcap2demo/actions/action.h"

/* Records. Failures are reported; the exit status is EXIT_WELL after a stop that was asked for. */
void recorder_run(const struct options *options);

#endif
