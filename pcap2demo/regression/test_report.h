/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A check as test cases, for the reports that CI systems read: one case for each input and kind of
 * check. What the user is told of failures becomes the cases' texts.
 */
#ifndef PCAP2DEMO_CASES_H
#define PCAP2DEMO_CASES_H

#include <glib.h>
#include <stdio.h>

#include "pcap2demo/message.h"

enum case_kind {
    CASE_DECODE,  /* can be read, and everything in it be decoded */
    CASE_GOLDEN,  /* is what its golden says */
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
    GString *text; /* printable lines: why it failed or was skipped, or what else there is to say */
};

struct input_cases {
    char *file;  /* printable UTF-8 */
    double time; /* seconds that the input took; 0 where it was not read */
    struct test_case kinds[CASE_KINDS];
};

struct cases;

/* Listens to failures until it is freed. Kinds that are not `wanted` are left out of reports. */
struct cases *cases_new(const bool wanted[CASE_KINDS]);
void cases_free(struct cases *cases);

/* The input can be read, and is: its cases are passed so far. Others are skipped. */
void cases_begin(struct cases *cases, const char *file);
void cases_end(struct cases *cases, const char *file);

/* Failures from now on are of this input and kind, wherever they lie; NULL: by their place. */
void cases_about(struct cases *cases, const char *file, enum case_kind kind);

/* Adds a text to a case that did not fail. */
void cases_say(struct cases *cases, const char *file, enum case_kind kind,
               enum case_outcome outcome, const char *text);

bool cases_want(const struct cases *cases, enum case_kind kind);

/* struct input_cases *, as the inputs came. */
const GPtrArray *cases_inputs(const struct cases *cases);

/* How many cases of the input (NULL: of all) are wanted and have the outcome. */
guint cases_count(const struct cases *cases, const struct input_cases *input,
                  enum case_outcome outcome);

/* Prints a report in the Test Anything Protocol, version 13. */
void tap_print(const struct cases *cases, FILE *out);

/*
 * Writes a report in the JUnit format that Jenkins and GitLab read. Returns NULL, or a new text
 * that says what went wrong.
 */
char *junit_write(const struct cases *cases, const char *path);

/* Whether the program was built with an XML library. */
bool junit_is_there(void);

#endif
