/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tells systemd how the service is: sd_notify(3), over the socket that $NOTIFY_SOCKET names. Where
 * there is none, nothing is told.
 */
#ifndef PCAP2DEMO_NOTIFY_H
#define PCAP2DEMO_NOTIFY_H

#include <stdbool.h>

/* Before rights are given up that connecting needs. */
void notify_open(void);
void notify_close(void);

/* Whether there is a service manager that is told. */
bool notify_is_heard(void);

/* Lines as sd_notify(3) has them: "READY=1", "STATUS=...". */
void notify(const char *state);

#endif
