/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options that go with --pcap: which packets of captures are kept. */
#ifndef PCAP2DEMO_CUT_OPTIONS_H
#define PCAP2DEMO_CUT_OPTIONS_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "pcap2demo/actions/options.h"

/* A point in time; where it is `relative`, from the first packet of the input on. */
struct cut_time {
    bool given, relative;
    int64_t nanoseconds;
};

struct cut_options {
    GArray *packets; /* struct range, of numbers of packets; empty: all */
    struct cut_time from, to;
    gboolean no_sign_on;
};

extern struct cut_options cut_options;
extern const GOptionEntry cut_entries[];

/* Whether one of them was given. */
bool cut_options_are_given(void);

/* Whether part of the packets is asked for. */
bool cut_options_have_ranges(const struct cut_options *options);

/* Parses the values. False: an error was reported. */
bool cut_options_parse(const struct options *options);

/*
 * Reads a time: seconds since 1970 ("1763654041.25"), a date and time as ISO 8601 has them, local
 * where no zone is given, or "+SECONDS" from the first packet on. False: it is none of them.
 */
bool cut_time_parse(struct cut_time *time, const char *text);

/* Whether a packet is asked for; `start`: the time of the first packet. */
bool cut_options_want(const struct cut_options *options, uint64_t number, int64_t time,
                      int64_t start);

#endif
