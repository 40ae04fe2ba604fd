/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A check as test cases, for the reports that CI systems read: one case for each input and kind of
 * check. Messages about failures become the cases' texts.
 */
#ifndef PCAP2DEMO_TEST_REPORT_H
#define PCAP2DEMO_TEST_REPORT_H

#include <glib.h>
#include <stdio.h>

#include "pcap2demo/output/message.h"

enum case_kind {
    CASE_DECODE,  /* can be read, and everything in it be decoded */
    CASE_GOLDEN,  /* equals its golden */
    CASE_REBUILD, /* gives good demos */
    CASE_KINDS
};

/* "decode", "golden", "rebuild" */
extern const char *const case_kind_names[CASE_KINDS];

/* Of one case no more lines of text are kept. */
enum { CASE_LINES_MAX = 200 };

enum case_outcome { CASE_PASSED, CASE_SKIPPED, CASE_FAILED, CASE_ERROR /* could not be tried */ };

struct test_case {
    enum case_outcome outcome;
    guint lines;
    GString *text; /* printable lines: why it failed or was skipped, or other remarks */
};

struct input_cases {
    char *file;  /* its name as printable UTF-8 */
    double time; /* seconds that the input took; 0 where it was not read */
    struct test_case kinds[CASE_KINDS];
};

struct test_report;

/* Collects failures until it is freed. Kinds that are not `wanted` are left out of reports. */
struct test_report *test_report_new(const bool wanted[CASE_KINDS]);
void test_report_free(struct test_report *report);

/* In the next four functions `report` may be NULL: then they do nothing. */

/* The input can be read, and is: its cases are passed so far. Others are skipped. */
void test_report_begin(struct test_report *report, const char *file);
void test_report_end(struct test_report *report, const char *file);

/* Failures from now on are of this input and kind, wherever they are located; NULL: by their
 * location. */
void test_report_about(struct test_report *report, const char *file, enum case_kind kind);

/* Adds a text to a case that did not fail. */
void test_report_add(struct test_report *report, const char *file, enum case_kind kind,
                     enum case_outcome outcome, const char *text);

bool test_report_want(const struct test_report *report, enum case_kind kind);

/* struct input_cases *, as the inputs came. */
const GPtrArray *test_report_inputs(const struct test_report *report);

/* How many cases of the input (NULL: of all) are wanted and have the outcome. */
guint test_report_count(const struct test_report *report, const struct input_cases *input,
                        enum case_outcome outcome);

/* Prints a report in the Test Anything Protocol, version 13. */
void tap_print(const struct test_report *report, FILE *out);

/*
 * Writes a report in the JUnit format that Jenkins and GitLab read. Returns NULL, or a new text
 * about what went wrong.
 */
char *junit_write(const struct test_report *report, const char *path);

#endif
