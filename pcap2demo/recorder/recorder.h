/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records from network interfaces until stopped: opens them, drops the privileges for this, passes
 * packets to the sessions, and reports the status.
 */
#ifndef PCAP2DEMO_RECORDER_H
#define PCAP2DEMO_RECORDER_H

#include "pcap2demo/actions/action.h"

/* Records. Failures are reported; the exit status is EXIT_WELL after a stop that was asked for. */
void recorder_run(const struct options *options);

#endif
