/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How much of the disk recordings may take, and for how long. Only regular files whose names look
 * like recordings count and may be removed: a start, "20261120-155401", in the name, and the
 * extension of a demo or ".pcapng", also before ".damaged".
 */
#ifndef PCAP2DEMO_QUOTA_H
#define PCAP2DEMO_QUOTA_H

#include <stdbool.h>
#include <stdint.h>

enum { QUOTA_FOLDERS = 2 };

struct quota {
    const char *folders[QUOTA_FOLDERS]; /* NULL: fewer */
    uint64_t max_disk;                  /* bytes on disk, of all folders; 0: no limit */
    int64_t keep;                       /* seconds; 0: for ever */
};

/*
 * Removes recordings that are too old, then the oldest ones until all are within the limit, and
 * logs each; those that are being written count, too. `now`: seconds since the epoch; if the newest
 * recording is older, ages count from that: a clock that is set ahead removes nothing. False: there
 * is still no room for more.
 */
bool quota_enforce(const struct quota *quota, int64_t now);

#endif
