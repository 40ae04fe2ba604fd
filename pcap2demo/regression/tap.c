/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/regression/test_report.h"

#include <string.h>

/* A "#" would begin a directive. */
static void print_description(const char *text, FILE *out)
{
    for (; *text; text++) {
        if (*text == '#' || *text == '\\')
            fputc('\\', out);
        fputc(*text, out);
    }
}

/* Each line as a diagnostic, which every version of the protocol allows. */
static void print_diagnostics(const char *text, FILE *out)
{
    const char *end;

    for (; (end = strchr(text, '\n')); text = end + 1)
        fprintf(out, "#   %.*s\n", (int)(end - text), text);
}

static void print_case(guint number, const char *file, const char *kind,
                       const struct test_case *test, FILE *out)
{
    const bool failed = test->outcome == CASE_FAILED || test->outcome == CASE_ERROR;

    fprintf(out, "%sok %u - ", failed ? "not " : "", number);
    print_description(file, out);
    fprintf(out, ": %s", kind);
    if (test->outcome == CASE_SKIPPED) {
        fprintf(out, " # SKIP %s", test->text->str);
        return;
    }
    fputc('\n', out);
    print_diagnostics(test->text->str, out);
}

void tap_print(const struct test_report *report, FILE *out)
{
    const GPtrArray *inputs = test_report_inputs(report);
    guint number = 0, total = 0;

    for (enum case_outcome outcome = CASE_PASSED; outcome <= CASE_ERROR; outcome++)
        total += test_report_count(report, NULL, outcome);
    fprintf(out, "TAP version 13\n1..%u%s\n", total, total ? "" : " # SKIP no inputs");
    for (guint i = 0; i < inputs->len; i++) {
        const struct input_cases *input = g_ptr_array_index(inputs, i);

        for (enum case_kind kind = 0; kind < CASE_KINDS; kind++)
            if (test_report_want(report, kind))
                print_case(++number, input->file, case_kind_names[kind], &input->kinds[kind], out);
    }
}
