/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Times and sizes on the command line: "90s", "1.5 h", "500M". One grammar for all options. */
#ifndef PCAP2DEMO_OUTPUT_AMOUNTS_H
#define PCAP2DEMO_OUTPUT_AMOUNTS_H

#include <stdbool.h>
#include <stdint.h>

#define AMOUNT_SECOND INT64_C(1000000000) /* in nanoseconds */

/*
 * Read the value of an option, whose name is for messages; a number alone is in the unit
 * `standard`. `text` NULL: it was not given, and the result stays. False: an error was reported. A
 * time is in seconds, of at most 292 years; a size in bytes. Neither is 0.
 */
bool parse_time(const char *option, const char *text, const char *standard, int64_t *time);
bool parse_size(const char *option, const char *text, const char *standard, uint64_t *size);

#endif
