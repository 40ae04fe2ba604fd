/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which system calls the program may make from now on: those for its files, memory, threads, time
 * and signals, and for recording from interfaces; seccomp(2). It can start no program, connect to
 * nothing, send to nobody but whom it is connected to already, and make no memory executable. Other
 * calls fail with EPERM.
 *
 * Without libseccomp, and in builds with sanitizers, everything stays allowed.
 */
#ifndef PCAP2DEMO_CALLS_H
#define PCAP2DEMO_CALLS_H

/* There is no way back. NULL, or a new text about what cannot be done. Privileges can be gained no
 * more by then (PR_SET_NO_NEW_PRIVS). */
char *calls_restrict(void);

#endif
