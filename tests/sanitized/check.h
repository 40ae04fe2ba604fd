/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Checks a demo that was written under --sanitize: each text, console command and file's name in it
 * is one that the manual's lists have. The rules are written anew here, as regular expressions;
 * what the demo holds is what common/ decodes.
 */
#ifndef TESTS_SANITIZED_CHECK_H
#define TESTS_SANITIZED_CHECK_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

struct sanitized_report {
    GString *findings; /* a line each; empty: the demo obeys the rules */
    unsigned found;    /* lines in it */
    uint64_t texts;    /* that were checked */
    uint64_t unread;   /* problems of the decoder: what it cannot read is on no list */
};

void sanitized_report_init(struct sanitized_report *report);
void sanitized_report_clear(struct sanitized_report *report);

/* Checks a demo of the format with this extension. */
void sanitized_check(const char *extension, const uint8_t *demo, size_t size,
                     struct sanitized_report *report);

#endif
