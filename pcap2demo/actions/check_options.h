/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options that go with --check. */
#ifndef PCAP2DEMO_CHECK_OPTIONS_H
#define PCAP2DEMO_CHECK_OPTIONS_H

#include <glib.h>
#include <stdbool.h>

#include "pcap2demo/actions/option_table.h"
#include "pcap2demo/regression/golden_check.h"

struct check_options {
    gboolean no_rebuild; /* whether demos can be made does not matter */
    gboolean tap;        /* report test cases on standard output */
    char *junit;         /* and in this file; or NULL */
    struct golden_options golden;

    /* As GOption leaves them. */
    gboolean no_default_ignore;
    int max_differences;
    char **ignored;
};

void check_options_init(struct check_options *options);
void check_options_clear(struct check_options *options);

/* Adds the options to those that the command line may have. */
void check_options_add(struct check_options *options, struct option_table *table);

/* Whether one was given that goes with --check alone. */
bool check_options_are_given(const struct check_options *options);

/* Whether each input has a golden or test cases of its own. */
bool check_options_separate_inputs(const struct check_options *options);

/*
 * Finds out whether the options go together and with the input: `files`, or none of them for a
 * network interface. False when they do not; that was reported.
 */
bool check_options_take(struct check_options *options, char *const *files, bool json);

#endif
