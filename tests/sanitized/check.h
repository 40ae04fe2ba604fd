/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Checks a demo that was written under --sanitize: each text, console command and file's name in it
 * is one that the manual's lists have. The rules are written anew here, as regular expressions;
 * what the demo holds is what common/ decodes.
 */
#ifndef TESTS_SANITIZED_CHECK_H
#define TESTS_SANITIZED_CHECK_H

#include <glib.h>
#include <stdint.h>

#include "common/core/reader.h"

struct sanitized_report {
    GString *findings; /* lines; empty if the demo obeys the rules */
    unsigned found;    /* number of lines */
    uint64_t texts;    /* number of texts that were checked */
    uint64_t unread;   /* problems of the decoder: the lists have nothing that it cannot read */
};

/* Checks a demo of the format of the file name. The caller frees report.findings. */
struct sanitized_report sanitized_check(const char *file_name, struct qs_view demo);

#endif
