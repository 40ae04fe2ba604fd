/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The action that records interfaces: a demo of each session, a line of the log for what happens to
 * it.
 */
#ifndef PCAP2DEMO_RECORDER_EVENTS_H
#define PCAP2DEMO_RECORDER_EVENTS_H

#include "common/sessions/session.h"
#include "pcap2demo/actions/action.h"
#include "pcap2demo/recorder/session_captures.h"
#include "pcap2demo/recorder/status.h"

/*
 * It keeps `status` up to date, and passes packets and sessions to `captures`, which may be NULL;
 * all arguments must live as long.
 */
struct action *recording_action_new(const struct options *options, struct status *status,
                                    struct session_captures *captures);

#endif
