/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How many sessions the program bears at once, and what it says where there were more. */
#ifndef PCAP2DEMO_CROWDED_H
#define PCAP2DEMO_CROWDED_H

#include "common/sessions/sessions.h"

/* Whether there is memory for one more session beside so many. */
bool crowded_has_memory(guint live);

/* Says what did not go as it should have, once; raises the exit status then. */
void crowded_report(const struct qs_session_limits *crowd);

#endif
