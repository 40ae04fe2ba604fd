/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Notifies systemd of the service's state, as sd_notify(3) does, over the socket that
 * $NOTIFY_SOCKET names. Without that variable these functions do nothing.
 */
#ifndef PCAP2DEMO_NOTIFY_H
#define PCAP2DEMO_NOTIFY_H

#include <stdbool.h>

/* To be called before privileges are dropped that connecting needs. */
void notify_open(void);
void notify_close(void);

/* Whether there is a service manager to notify. */
bool notify_is_active(void);

/* Lines as sd_notify(3) has them: "READY=1", "STATUS=...". */
void notify(const char *state);

#endif
