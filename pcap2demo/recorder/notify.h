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

/*
 * Before READY=1, what takes long, in a few words: then the start may take longer than systemd
 * waits for it otherwise. To be called every minute or so; more often does no harm.
 */
void notify_starting(const char *what);

/* Lines as sd_notify(3) has them: "READY=1", "STATUS=...". */
void notify(const char *state);

#endif
