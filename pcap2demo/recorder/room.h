/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How much of the disk recordings may take, and for how long. What counts and may be removed are
 * the files of one folder that have names of recordings: a start, "20261120-155401", in it, and the
 * extension of a demo or ".pcapng". Other files are none of its business.
 */
#ifndef PCAP2DEMO_ROOM_H
#define PCAP2DEMO_ROOM_H

#include <stdbool.h>
#include <stdint.h>

struct room_limits {
    const char *folder;
    uint64_t max_disk;  /* bytes; 0: no limit */
    unsigned keep_days; /* 0: for ever */
};

/*
 * Removes what is too old, then the oldest ones until all are within the limit, and says so; those
 * that are being written count as well. `now`: seconds since the epoch. False: all the same there
 * is no room for more.
 */
bool room_make(const struct room_limits *limits, int64_t now);

/* Whether a file is called as recordings are. */
bool room_is_recording(const char *name);

#endif
