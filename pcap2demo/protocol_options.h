/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --option: what the user sets about a protocol that packets do not tell. */
#ifndef PCAP2DEMO_PROTOCOL_OPTIONS_H
#define PCAP2DEMO_PROTOCOL_OPTIONS_H

#include <stdbool.h>

#include "common/sessions/sessions.h"

/* All options of all protocols have their standard values. */
void protocol_options_init(struct qs_sessions_options *sessions);
void protocol_options_clear(struct qs_sessions_options *sessions);

/* "PROTO.NAME=VALUE". False where there is no such option or value; that was reported. */
bool protocol_options_take(struct qs_sessions_options *sessions, const char *text);

#endif
