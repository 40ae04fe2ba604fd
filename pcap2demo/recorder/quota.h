/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How much of the disk recordings may take, and for how long. Only regular files of one folder
 * whose names look like recordings count and may be removed: a start, "20261120-155401", in the
 * name, and the extension of a demo or ".pcapng".
 */
#ifndef PCAP2DEMO_QUOTA_H
#define PCAP2DEMO_QUOTA_H

#include <stdbool.h>
#include <stdint.h>

struct quota {
    const char *folder;
    uint64_t max_disk;  /* bytes; 0: no limit */
    unsigned keep_days; /* 0: for ever */
};

/*
 * Removes recordings that are too old, then the oldest ones until all are within the limit, and
 * logs each; those that are being written count, too. `now`: seconds since the epoch. False: there
 * is still no room for more.
 */
bool quota_enforce(const struct quota *quota, int64_t now);

#endif
