/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A folder of capture files that other programs write: rings of tcpdump (-C, -W, -G) and of dumpcap
 * (-b), pcap and pcapng. All of them are read as one capture, in the order of time, while they
 * grow, begin, are written anew and are removed. Files that are no captures are ignored.
 *
 * What cannot be read is logged, and the next file is read.
 */
#ifndef PCAP2DEMO_RING_H
#define PCAP2DEMO_RING_H

#include <stdbool.h>
#include <stdint.h>

#include "pcap2demo/capture/inputs.h"

/* A frame waits for so many nanoseconds, since another file may still get an earlier one. */
#define RING_PATIENCE (INT64_C(2) * 1000000000)

struct ring;

/* Both must live as long. `filter`: a tcpdump expression, or NULL. */
struct ring *ring_new(const char *folder, const char *filter);
void ring_free(struct ring *ring);

/*
 * Finds files that are new, have grown, were written anew or are gone; to be called every second.
 * Returns 0, or the error number if the folder cannot be read.
 */
int ring_look(struct ring *ring);

/*
 * The next frame of all files by time; valid until the next call. `now`: nanoseconds since the
 * epoch. NULL: there is none until the next ring_look(), or it has to wait.
 */
struct input_frame *ring_next(struct ring *ring, int64_t now);

/* Whether no frame is left, as of the last ring_look(). */
bool ring_is_read(const struct ring *ring);

/* Time of the oldest frame; 0: there is none. */
int64_t ring_oldest(const struct ring *ring);

/* Removes the oldest files, as far as they were read and have not grown for a minute, until the
 * captures of the folder take no more than `max` bytes. */
void ring_remove_oldest(struct ring *ring, uint64_t max);

#endif
