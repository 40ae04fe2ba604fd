/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Collects a check's results as test cases for CI systems: some for each input, and one for each
 * expectation. Failure messages become the cases' texts.
 */
#ifndef PCAP2DEMO_TEST_REPORT_H
#define PCAP2DEMO_TEST_REPORT_H

#include "pcap2demo/output/message.h"

/* The case of failures that no other case is about: the input can be read and decoded. */
#define CASE_DECODE "decode"

enum case_outcome {
    CASE_PASSED,
    CASE_SKIPPED,
    CASE_FAILED,
    CASE_ERROR, /* could not be run */
    CASE_OUTCOMES
};

struct test_report;

/* Collects failures until it is freed. `names`, of constant texts, ends with NULL: cases that each
 * input has, CASE_DECODE first. */
struct test_report *test_report_new(const char *const *names);
void test_report_free(struct test_report *report);

/* `report` may be NULL in the next three functions: then they do nothing. */

/* The input is being read: its cases pass so far. Other inputs' cases are skipped. */
void test_report_begin(struct test_report *report, const char *file);

/* From now on failures belong to this input's case, which passes so far, whatever their location;
 * NULL: to CASE_DECODE of the file in their location. */
void test_report_about(struct test_report *report, const char *file, const char *name);

/* Adds a text to a case that did not fail. */
void test_report_add(struct test_report *report, const char *file, const char *name,
                     enum case_outcome outcome, const char *text);

/* Writes a report in the JUnit format that Jenkins and GitLab read. Returns NULL, or what went
 * wrong as a new string. */
char *junit_write(const struct test_report *report, const char *path);

#endif
