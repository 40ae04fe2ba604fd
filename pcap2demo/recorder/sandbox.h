/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Drops the privileges that only opening a network interface needs. Afterwards the process
 *
 *   - is the user that was asked for, with the groups of that user;
 *   - has no capabilities, unless the user is root, and cannot gain any.
 *
 * The unit for systemd takes away more: other files, the network, most system calls.
 */
#ifndef PCAP2DEMO_SANDBOX_H
#define PCAP2DEMO_SANDBOX_H

/*
 * `user` NULL: unchanged. `folders` ends with NULL; missing ones are created here if the user
 * changes. Returns NULL, or what failed as a new string: then the program should end.
 */
char *sandbox_enter(const char *user, const char *const *folders);

#endif
