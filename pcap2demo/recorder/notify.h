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

/*
 * Before READY=1: extends the time that systemd waits for the start; `what` says what takes long.
 * To be called at least every minute.
 */
void notify_starting(const char *what);

/* Lines as sd_notify(3) has them: "READY=1", "STATUS=...". */
void notify(const char *state);

#endif
