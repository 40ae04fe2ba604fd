/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options of --check. */
#ifndef PCAP2DEMO_CHECK_OPTIONS_H
#define PCAP2DEMO_CHECK_OPTIONS_H

#include <glib.h>
#include <stdbool.h>

#include "pcap2demo/actions/options.h"
#include "pcap2demo/regression/golden_check.h"

struct check_options {
    gboolean no_rebuild; /* do not check whether demos can be made */
    gboolean tap;        /* report test cases on standard output */
    char *junit;         /* and in this file; or NULL */
    struct golden_options golden;
};

extern struct check_options check_options;
extern const GOptionEntry check_entries[];

/* Whether each input has its own golden or test cases. */
bool check_options_separate_inputs(void);

/*
 * Parses the values and checks their combination with each other and the files. False: an error was
 * reported.
 */
bool check_options_parse(const struct options *options);

#endif
