/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Drops the privileges that only opening a network interface needs. Afterwards the process
 *
 *   - is the user that was asked for, with the groups of that user;
 *   - has no capabilities, unless the user is root, and cannot gain any;
 *   - accesses no files outside of the folders that it writes to, and makes no TCP connections,
 *     where the kernel has Landlock (Linux 5.13, for TCP 6.7; landlock(7)).
 *
 * Open files stay open. The unit for systemd also takes away most system calls.
 */
#ifndef PCAP2DEMO_SANDBOX_H
#define PCAP2DEMO_SANDBOX_H

/*
 * `user` NULL: unchanged. `folders` ends with NULL; missing ones are created, and belong to the
 * user. Returns NULL, or what failed as a new string: then the program should end.
 */
char *sandbox_enter(const char *user, const char *const *folders);

#endif
