/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Collects the results of a check as test cases for CI systems: fixed cases for each input, and one
 * for each expectation. Failure messages become the text of a case. */
#ifndef PCAP2DEMO_TEST_REPORT_H
#define PCAP2DEMO_TEST_REPORT_H

#include "pcap2demo/output/message.h"

/* Case of failures that belong to no other case: the input can be read and decoded. */
#define CASE_DECODE "decode"

enum case_outcome {
    CASE_PASSED,
    CASE_SKIPPED,
    CASE_FAILED,
    CASE_ERROR, /* could not be run */
    CASE_OUTCOMES
};

struct test_report;

/* Creates a report, which collects failures until it is freed. `names` are the cases of each input,
 * with CASE_DECODE first and NULL at the end; they must outlive the report. */
struct test_report *test_report_new(const char *const *names);
void test_report_free(struct test_report *report);

/* The next three functions do nothing if `report` is NULL. */

/* Starts an input: its cases now pass. Cases of inputs that are never started are skipped. */
void test_report_begin(struct test_report *report, const char *file);

/* Assigns all later failures to this case of the input, which is created if needed. `file` NULL:
 * assigns them to CASE_DECODE of the file in their location. */
void test_report_about(struct test_report *report, const char *file, const char *name);

/* Adds a text and an outcome to a case. The worst outcome wins. */
void test_report_add(struct test_report *report, const char *file, const char *name,
                     enum case_outcome outcome, const char *text);

/* Writes a report in the JUnit format of Jenkins and GitLab. Returns NULL, or an error text, which
 * the caller frees. */
char *junit_write(const struct test_report *report, const char *path);

#endif
