/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lists of numbers on the command line: "2", "1,3-5", "100-". */
#ifndef PCAP2DEMO_RANGES_H
#define PCAP2DEMO_RANGES_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

struct range {
    uint64_t first, last; /* both are in it */
};

/* Appends the ranges of `text` to an array of struct range. False: it is no list of numbers from 1.
 */
bool ranges_parse(GArray *ranges, const char *text);

bool ranges_have(const GArray *ranges, uint64_t number);

#endif
