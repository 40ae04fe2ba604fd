/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is done with the sessions of interfaces: a demo of each, and an event for what happens. */
#ifndef PCAP2DEMO_RECORD_H
#define PCAP2DEMO_RECORD_H

#include "pcap2demo/actions/action.h"
#include "pcap2demo/recorder/session_captures.h"
#include "pcap2demo/recorder/status.h"

/* It keeps `status` up to date, and tells `captures`, or NULL, of packets and sessions; all must
 * live as long. */
struct action *record_action_new(const struct options *options, struct status *status,
                                 struct session_captures *captures);

#endif
