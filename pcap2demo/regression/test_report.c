/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/regression/test_report.h"

#include <string.h>

#include "common/core/hash.h"
#include "pcap2demo/output/files.h"

/* Maximum number of text lines in a case. */
enum { CASE_LINES_MAX = 200 };

struct test_case {
    const char *file; /* name of the input */
    char *name;
    enum case_outcome outcome;
    guint lines;
    GString *text; /* printable lines: reasons for its outcome, or other remarks */
};

struct input_cases {
    char *file;
    GPtrArray *cases; /* struct test_case, in the order of first use */
};

struct test_report {
    const char *const *names;
    GPtrArray *inputs;       /* struct input_cases, in the order of the inputs */
    GHashTable *by_file;     /* file name -> struct input_cases */
    struct test_case *about; /* case of the current failures, or NULL */
};

static void case_free(gpointer data)
{
    struct test_case *test = data;

    g_string_free(test->text, TRUE);
    g_free(test->name);
    g_free(test);
}

static void input_free(gpointer data)
{
    struct input_cases *input = data;

    g_ptr_array_free(input->cases, TRUE);
    g_free(input->file);
    g_free(input);
}

/* Adds a line to a case. Keeps the worst outcome. */
static void add_line(struct test_case *test, enum case_outcome outcome, const char *line)
{
    g_autofree char *clean = qs_text_printable(line);

    test->outcome = MAX(test->outcome, outcome);
    if (++test->lines < CASE_LINES_MAX)
        g_string_append_printf(test->text, "%s\n", clean);
    else if (test->lines == CASE_LINES_MAX)
        g_string_append(test->text, "and more\n");
}

static struct test_case *case_of(struct input_cases *input, const char *name)
{
    struct test_case *test;

    for (guint i = 0; i < input->cases->len; i++) {
        test = g_ptr_array_index(input->cases, i);
        if (strcmp(test->name, name) == 0)
            return test;
    }
    test = g_new0(struct test_case, 1);
    test->file = input->file;
    test->name = g_strdup(name);
    test->text = g_string_new(NULL);
    g_ptr_array_add(input->cases, test);
    return test;
}

/* Returns the cases of an input. Until it is read, all except the first are skipped. */
static struct input_cases *input_of(struct test_report *report, const char *file)
{
    struct input_cases *input = g_hash_table_lookup(report->by_file, file);

    if (input)
        return input;
    input = g_new0(struct input_cases, 1);
    input->file = g_strdup(file);
    input->cases = g_ptr_array_new_with_free_func(case_free);
    for (guint i = 0; report->names[i]; i++)
        if (case_of(input, report->names[i]) && i)
            add_line(case_of(input, report->names[i]), CASE_SKIPPED, "the input was not read");
    g_ptr_array_add(report->inputs, input);
    g_hash_table_insert(report->by_file, input->file, input);
    return input;
}

/* Adds a failure, which may be located in another file than the input. */
static void add_failure(enum exit_status status, struct qs_location location, const char *text,
                        void *user)
{
    struct test_report *report = user;
    struct test_case *test = report->about;
    GString *line;

    if (!test)
        test = case_of(input_of(report, location.file ? location.file : "pcap2demo"), CASE_DECODE);
    if (location.file && strcmp(location.file, test->file) == 0)
        location.file = NULL;
    line = g_string_new(NULL);
    location_append(line, location);
    g_string_append(line, text);
    add_line(test, status == EXIT_UNUSABLE ? CASE_ERROR : CASE_FAILED, line->str);
    g_string_free(line, TRUE);
}

struct test_report *test_report_new(const char *const *names)
{
    struct test_report *report = g_new0(struct test_report, 1);

    report->names = names;
    report->inputs = g_ptr_array_new_with_free_func(input_free);
    report->by_file = g_hash_table_new(qs_str_hash, g_str_equal);
    handle_failures(add_failure, report);
    return report;
}

void test_report_free(struct test_report *report)
{
    handle_failures(NULL, NULL);
    g_hash_table_destroy(report->by_file);
    g_ptr_array_free(report->inputs, TRUE);
    g_free(report);
}

void test_report_begin(struct test_report *report, const char *file)
{
    const struct input_cases *input = report ? input_of(report, file) : NULL;

    for (guint i = 0; input && i < input->cases->len; i++) {
        struct test_case *test = g_ptr_array_index(input->cases, i);

        if (test->outcome == CASE_SKIPPED)
            g_string_truncate(test->text, test->lines = 0);
        test->outcome = test->outcome == CASE_SKIPPED ? CASE_PASSED : test->outcome;
    }
}

void test_report_about(struct test_report *report, const char *file, const char *name)
{
    if (report)
        report->about = file ? case_of(input_of(report, file), name) : NULL;
}

void test_report_add(struct test_report *report, const char *file, const char *name,
                     enum case_outcome outcome, const char *text)
{
    if (report)
        add_line(case_of(input_of(report, file), name), outcome, text);
}

/* --- JUnit ----------------------------------------------------------------------------------- */

/* Appends formatted text to XML, and escapes all strings among the arguments. */
G_GNUC_PRINTF(2, 3) static void append_xml(GString *xml, const char *format, ...)
{
    va_list arguments;
    char *text;

    va_start(arguments, format);
    text = g_markup_vprintf_escaped(format, arguments);
    va_end(arguments);
    g_string_append(xml, text);
    g_free(text);
}

/* Appends a case; its message is the first line, its text all lines. */
static void append_case(GString *xml, const struct test_case *test)
{
    static const char *const elements[] = {"system-out", "skipped", "failure", "error"};
    const char *element = elements[test->outcome], *all = test->text->str;
    char *file = qs_text_printable(test->file), *name = qs_text_printable(test->name);
    char *first = g_strndup(all, strcspn(all, "\n"));

    append_xml(xml, "  <testcase classname=\"%s\" name=\"%s\">", file, name);
    if (test->outcome == CASE_PASSED && *all)
        append_xml(xml, "<%s>%s</%s>", element, all, element);
    else if (test->outcome != CASE_PASSED)
        append_xml(xml, "<%s message=\"%s\">%s</%s>", element, first, all, element);
    g_string_append(xml, "</testcase>\n");
    g_free(first);
    g_free(name);
    g_free(file);
}

static void append_suite(GString *xml, const struct input_cases *input, guint *total)
{
    char *file = qs_text_printable(input->file);
    guint counts[CASE_OUTCOMES] = {0};

    for (guint i = 0; i < input->cases->len; i++)
        counts[((const struct test_case *)g_ptr_array_index(input->cases, i))->outcome]++;
    append_xml(xml,
               " <testsuite name=\"%s\" tests=\"%u\" failures=\"%u\" errors=\"%u\" "
               "skipped=\"%u\">\n",
               file, input->cases->len, counts[CASE_FAILED], counts[CASE_ERROR],
               counts[CASE_SKIPPED]);
    for (guint i = 0; i < input->cases->len; i++)
        append_case(xml, g_ptr_array_index(input->cases, i));
    g_string_append(xml, " </testsuite>\n");
    for (int i = 0; i < CASE_OUTCOMES; i++)
        total[i] += counts[i];
    g_free(file);
}

/* Returns a new text. GitLab needs one root element; Jenkins expects total counts there. */
static char *junit_text(const struct test_report *report)
{
    GString *suites = g_string_new(NULL);
    guint total[CASE_OUTCOMES] = {0};
    char *text;

    for (guint i = 0; i < report->inputs->len; i++)
        append_suite(suites, g_ptr_array_index(report->inputs, i), total);
    text = g_strdup_printf(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"pcap2demo --check\" "
        "tests=\"%u\" failures=\"%u\" errors=\"%u\" skipped=\"%u\">\n%s</testsuites>\n",
        total[CASE_PASSED] + total[CASE_SKIPPED] + total[CASE_FAILED] + total[CASE_ERROR],
        total[CASE_FAILED], total[CASE_ERROR], total[CASE_SKIPPED], suites->str);
    g_string_free(suites, TRUE);
    /* Replaces U+FFFE and U+FFFF, which XML does not allow. */
    for (char *at = text; (at = strstr(at, "\xef\xbf")); at += 2)
        at[2] = MIN(at[2], '\xbd');
    return text;
}

char *junit_write(const struct test_report *report, const char *path)
{
    char *xml = junit_text(report), *error = writer_replace(path, xml);

    g_free(xml);
    return error;
}
