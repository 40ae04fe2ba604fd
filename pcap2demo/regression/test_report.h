/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Collects a check's results as test cases for CI systems: one for each input and kind of check.
 * Failure messages become the cases' texts.
 */
#ifndef PCAP2DEMO_TEST_REPORT_H
#define PCAP2DEMO_TEST_REPORT_H

#include <glib.h>
#include <stdio.h>

#include "pcap2demo/output/message.h"

enum case_kind {
    CASE_DECODE,  /* can be read and decoded completely */
    CASE_GOLDEN,  /* equals its golden */
    CASE_REBUILD, /* gives good demos */
    CASE_KINDS
};

/* "decode", "golden", "rebuild" */
extern const char *const case_kind_names[CASE_KINDS];

/* Maximum lines of text for a case. */
enum { CASE_LINES_MAX = 200 };

enum case_outcome { CASE_PASSED, CASE_SKIPPED, CASE_FAILED, CASE_ERROR /* could not be run */ };

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

/* `report` may be NULL in the next four functions: then they do nothing. */

/* The input is being read: its cases pass so far. Other inputs' cases are skipped. */
void test_report_begin(struct test_report *report, const char *file);
void test_report_end(struct test_report *report, const char *file);

/* From now on failures belong to this input and kind, whatever their location; NULL: by their
 * location. */
void test_report_about(struct test_report *report, const char *file, enum case_kind kind);

/* Adds a text to a case that did not fail. */
void test_report_add(struct test_report *report, const char *file, enum case_kind kind,
                     enum case_outcome outcome, const char *text);

bool test_report_want(const struct test_report *report, enum case_kind kind);

/* struct input_cases *, in the order of the inputs. */
const GPtrArray *test_report_inputs(const struct test_report *report);

/* The number of wanted cases of the input (NULL: of all) with this outcome. */
guint test_report_count(const struct test_report *report, const struct input_cases *input,
                        enum case_outcome outcome);

/* Prints a report in the Test Anything Protocol, version 13. */
void tap_print(const struct test_report *report, FILE *out);

/*
 * Writes a report in the JUnit format that Jenkins and GitLab read. Returns NULL, or what went
 * wrong as a new string.
 */
char *junit_write(const struct test_report *report, const char *path);

#endif
