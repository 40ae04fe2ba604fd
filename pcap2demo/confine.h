/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Gives up the rights that only opening a network interface needs. From then on the program
 *
 *   - is the user that was asked for, with the groups of that user;
 *   - has no capabilities, unless it is root's, and can get none;
 *   - reaches no files but those in the folders that it writes to, and connects to nothing, where
 *     the kernel has Landlock (Linux 5.13; landlock(7));
 *   - is refused the system calls that recording does not need (calls.h).
 *
 * What is open stays open.
 */
#ifndef PCAP2DEMO_CONFINE_H
#define PCAP2DEMO_CONFINE_H

/*
 * `user` NULL: stays who it is. `folders` end with NULL; those that are not there yet will be made.
 * Returns NULL, or a new text about what cannot be done: then the program should not go on.
 */
char *confine(const char *user, const char *const *folders);

#endif
