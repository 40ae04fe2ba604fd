/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options that go with --check. */
#ifndef PCAP2DEMO_CHECK_OPTIONS_H
#define PCAP2DEMO_CHECK_OPTIONS_H

#include <glib.h>
#include <stdbool.h>

#include "pcap2demo/actions/options.h"
#include "pcap2demo/regression/golden_check.h"

struct check_options {
    gboolean no_rebuild; /* whether demos can be made does not matter */
    gboolean tap;        /* report test cases on standard output */
    char *junit;         /* and in this file; or NULL */
    struct golden_options golden;
};

extern struct check_options check_options;
extern const GOptionEntry check_entries[];

/* Whether each input has a golden or test cases of its own. */
bool check_options_separate_inputs(void);

/*
 * Parses the values, and checks whether the options go together and with the files. False: an error
 * was reported.
 */
bool check_options_parse(const struct options *options);

#endif
