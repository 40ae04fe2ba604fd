/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A line of progress on standard error: only on a terminal, and only when reading takes long enough
 * to be worth it.
 */
#ifndef PCAP2DEMO_PROGRESS_H
#define PCAP2DEMO_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

/* `total` is the size of all input in bytes; 0: that is not known. `wanted` false: nothing is ever
 * shown. */
void progress_start(uint64_t total, bool wanted);

/* `done` of the bytes are read. May be called often; draws a few times a second. */
void progress_update(uint64_t done);

/* Takes the line away, so that something else can be printed. */
void progress_erase(void);

/*
 * What is shown, in fewer than `columns` characters: a bar where there is room, the share, the
 * rate and the time that is left; of a total of 0, what was read, the rate and the time so far.
 * New.
 */
char *progress_text(unsigned columns, uint64_t done, uint64_t total, double seconds);

#endif
