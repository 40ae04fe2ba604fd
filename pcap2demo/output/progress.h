/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A progress bar on standard error: only on a terminal, only when reading takes long enough to be
 * worth it, never for standard input or a live capture, whose ends nobody knows.
 */
#ifndef PCAP2DEMO_PROGRESS_H
#define PCAP2DEMO_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

/* `total` is the size of all input in bytes; 0: not known, nothing is ever shown. */
void progress_start(uint64_t total, bool wanted);

/* `done` of the bytes are read. May be called often; draws a few times a second. */
void progress_update(uint64_t done);

/* Takes the bar off the line, so that something else can be printed. */
void progress_erase(void);

#endif
