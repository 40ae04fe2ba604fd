/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A line on standard error about long work: the share of the input that was read, the rate and the
 * time that is left. It comes after a second, makes way for other output, and is gone at the end.
 */
#ifndef PCAP2DEMO_PROGRESS_H
#define PCAP2DEMO_PROGRESS_H

#include <stdint.h>

/* "always"; "never"; "auto" or NULL: on a terminal. */
void progress_begin(const char *when);

/* So many bytes of all were read; 0 of all: it is not known how many there are. */
void progress_update(uint64_t read, uint64_t all);

/* Erases the line; the next update prints it again. */
void progress_clear(void);

void progress_end(void);

#endif
