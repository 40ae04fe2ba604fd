/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/regression/test_report.h"

#include <inttypes.h>
#include <string.h>

struct test_report {
    bool wanted[CASE_KINDS];
    GPtrArray *inputs;   /* struct input_cases */
    GHashTable *indices; /* file name as given -> index in `inputs`, plus 1 */
    gint64 started;      /* the current input, in microseconds */
    char *about;         /* or NULL */
    enum case_kind kind;
};

const char *const case_kind_names[CASE_KINDS] = {
    [CASE_DECODE] = "decode", [CASE_GOLDEN] = "golden", [CASE_REBUILD] = "rebuild"};

static void input_free(gpointer data)
{
    struct input_cases *input = data;

    for (int i = 0; i < CASE_KINDS; i++)
        g_string_free(input->kinds[i].text, TRUE);
    g_free(input->file);
    g_free(input);
}

/* Keeps the worst outcome. */
static void add_line(struct test_case *test, enum case_outcome outcome, const char *line)
{
    char *clean = qs_text_printable(line);

    test->outcome = MAX(test->outcome, outcome);
    if (++test->lines < CASE_LINES_MAX)
        g_string_append_printf(test->text, "%s\n", clean);
    else if (test->lines == CASE_LINES_MAX)
        g_string_append(test->text, "and more\n");
    g_free(clean);
}

/* Skips an input's cases until it begins, except its decode case. */
static void skip_until_read(struct input_cases *input)
{
    for (int i = 0; i < CASE_KINDS; i++) {
        input->kinds[i].text = g_string_new(NULL);
        if (i != CASE_DECODE)
            add_line(&input->kinds[i], CASE_SKIPPED, "the input was not read");
    }
}

static struct input_cases *input_named(struct test_report *report, const char *file)
{
    const guint index = GPOINTER_TO_UINT(g_hash_table_lookup(report->indices, file));
    struct input_cases *input;

    if (index)
        return g_ptr_array_index(report->inputs, index - 1);
    input = g_new0(struct input_cases, 1);
    input->file = qs_text_printable(file);
    skip_until_read(input);
    g_ptr_array_add(report->inputs, input);
    g_hash_table_insert(report->indices, g_strdup(file), GUINT_TO_POINTER(report->inputs->len));
    return input;
}

/* The location of a failure in `input`, or in another file. */
static char *with_location(struct qs_location location, const char *input, const char *text)
{
    GString *line = g_string_new(NULL);

    if (location.file && strcmp(location.file, input) != 0)
        g_string_append_printf(line, "%s: ", location.file);
    if (location.packet)
        g_string_append_printf(line, "%s %" PRIu64 ": ", location.block ? "block" : "packet",
                               location.packet);
    if (location.session)
        g_string_append_printf(line, "session %u: ", location.session);
    g_string_append(line, text);
    return g_string_free(line, FALSE);
}

static void add_failure(enum exit_status status, struct qs_location location, const char *text,
                        void *user)
{
    struct test_report *report = user;
    const char *file = report->about ? report->about : location.file;
    struct test_case *test;
    char *line;

    if (!file)
        return;
    test = &input_named(report, file)->kinds[report->about ? report->kind : CASE_DECODE];
    line = with_location(location, file, text);
    add_line(test, status == EXIT_UNUSABLE ? CASE_ERROR : CASE_FAILED, line);
    g_free(line);
}

struct test_report *test_report_new(const bool wanted[CASE_KINDS])
{
    struct test_report *report = g_new0(struct test_report, 1);

    memcpy(report->wanted, wanted, sizeof report->wanted);
    report->inputs = g_ptr_array_new_with_free_func(input_free);
    report->indices = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    handle_failures(add_failure, report);
    return report;
}

void test_report_free(struct test_report *report)
{
    handle_failures(NULL, NULL);
    g_ptr_array_free(report->inputs, TRUE);
    g_hash_table_destroy(report->indices);
    g_free(report->about);
    g_free(report);
}

void test_report_begin(struct test_report *report, const char *file)
{
    struct input_cases *input;

    if (!report)
        return;
    input = input_named(report, file);
    for (int i = 0; i < CASE_KINDS; i++) {
        if (input->kinds[i].outcome == CASE_SKIPPED) {
            input->kinds[i].outcome = CASE_PASSED;
            input->kinds[i].lines = 0;
            g_string_truncate(input->kinds[i].text, 0);
        }
    }
    report->started = g_get_monotonic_time();
}

void test_report_end(struct test_report *report, const char *file)
{
    if (report)
        input_named(report, file)->time = (double)(g_get_monotonic_time() - report->started) / 1e6;
}

void test_report_about(struct test_report *report, const char *file, enum case_kind kind)
{
    if (!report)
        return;
    g_free(report->about);
    report->about = g_strdup(file);
    report->kind = kind;
}

void test_report_add(struct test_report *report, const char *file, enum case_kind kind,
                     enum case_outcome outcome, const char *text)
{
    if (report)
        add_line(&input_named(report, file)->kinds[kind], outcome, text);
}

bool test_report_want(const struct test_report *report, enum case_kind kind)
{
    return report->wanted[kind];
}

const GPtrArray *test_report_inputs(const struct test_report *report)
{
    return report->inputs;
}

static guint count_of(const struct test_report *report, const struct input_cases *input,
                      enum case_outcome outcome)
{
    guint count = 0;

    for (int i = 0; i < CASE_KINDS; i++)
        count += report->wanted[i] && input->kinds[i].outcome == outcome;
    return count;
}

guint test_report_count(const struct test_report *report, const struct input_cases *input,
                        enum case_outcome outcome)
{
    guint count = 0;

    if (input)
        return count_of(report, input, outcome);
    for (guint i = 0; i < report->inputs->len; i++)
        count += count_of(report, g_ptr_array_index(report->inputs, i), outcome);
    return count;
}
