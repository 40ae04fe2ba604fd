/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Brings what was written to a folder's file system to the disk itself, every two seconds, so that
 * a power cut costs no more than that. It does so in a thread: disks are slow, packets do not wait.
 */
#ifndef PCAP2DEMO_DURABLE_H
#define PCAP2DEMO_DURABLE_H

struct durable;

/* NULL where the folder cannot be opened, or the system has no such call: then nothing is done. */
struct durable *durable_new(const char *folder);

/* Once more, and then no more. `durable` may be NULL. */
void durable_free(struct durable *durable);

#endif
