/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Test reports in the formats that CI systems read: TAP and JUnit. */
#include <string.h>

#include "pcap2demo/output/writer.h"
#include "pcap2demo/regression/test_report.h"

/* --- TAP ------------------------------------------------------------------------------------- */

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

/* --- JUnit ----------------------------------------------------------------------------------- */

/* Appends texts with XML's escapes. */
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

/* Replaces characters that XML does not allow (XML 1.0, production 2). New. */
static char *xml_text(const char *text)
{
    GString *out = g_string_new(NULL);

    for (const char *at = text; *at; at = g_utf8_next_char(at)) {
        const gunichar c = g_utf8_get_char(at);
        const bool good = c == '\n' || c == '\t' || (c >= 0x20 && c != 0xfffe && c != 0xffff);

        g_string_append_unichar(out, good ? c : 0xfffd);
    }
    return g_string_free(out, FALSE);
}

/* The first line, and all of them as the element's text. */
static void append_outcome(GString *xml, const struct test_case *test)
{
    static const char *const elements[] = {[CASE_PASSED] = "system-out",
                                           [CASE_SKIPPED] = "skipped",
                                           [CASE_FAILED] = "failure",
                                           [CASE_ERROR] = "error"};
    const char *element = elements[test->outcome];
    char *all = xml_text(test->text->str);
    char *first = g_strndup(all, strcspn(all, "\n"));

    if (test->outcome == CASE_PASSED)
        append_xml(xml, "   <%s>%s</%s>\n", element, all, element);
    else if (test->outcome == CASE_SKIPPED)
        append_xml(xml, "   <%s message=\"%s\"/>\n", element, first);
    else
        append_xml(xml, "   <%s message=\"%s\">%s</%s>\n", element, first, all, element);
    g_free(first);
    g_free(all);
}

static void append_case(GString *xml, const char *file, enum case_kind kind,
                        const struct test_case *test)
{
    append_xml(xml, "  <testcase classname=\"%s\" name=\"%s\"", file, case_kind_names[kind]);
    if (test->outcome == CASE_PASSED && !test->text->len) {
        g_string_append(xml, "/>\n");
        return;
    }
    g_string_append(xml, ">\n");
    append_outcome(xml, test);
    g_string_append(xml, "  </testcase>\n");
}

static void append_counts(GString *xml, const struct test_report *report,
                          const struct input_cases *input, double time)
{
    const guint passed = test_report_count(report, input, CASE_PASSED);
    const guint skipped = test_report_count(report, input, CASE_SKIPPED);
    const guint failed = test_report_count(report, input, CASE_FAILED);
    const guint errors = test_report_count(report, input, CASE_ERROR);
    char seconds[G_ASCII_DTOSTR_BUF_SIZE];

    append_xml(xml, " tests=\"%u\" failures=\"%u\" errors=\"%u\" skipped=\"%u\" time=\"%s\">\n",
               passed + skipped + failed + errors, failed, errors, skipped,
               g_ascii_formatd(seconds, sizeof seconds, "%.3f", time));
}

static void append_suite(GString *xml, const struct test_report *report,
                         const struct input_cases *input)
{
    char *file = xml_text(input->file);

    append_xml(xml, " <testsuite name=\"%s\"", file);
    append_counts(xml, report, input, input->time);
    for (enum case_kind kind = 0; kind < CASE_KINDS; kind++)
        if (test_report_want(report, kind))
            append_case(xml, file, kind, &input->kinds[kind]);
    g_string_append(xml, " </testsuite>\n");
    g_free(file);
}

/* GitLab needs one root element; Jenkins expects total counts there. New. */
static GString *junit_text(const struct test_report *report)
{
    const GPtrArray *inputs = test_report_inputs(report);
    GString *xml = g_string_new("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                                "<testsuites name=\"pcap2demo --check\"");
    double time = 0;

    for (guint i = 0; i < inputs->len; i++)
        time += ((const struct input_cases *)g_ptr_array_index(inputs, i))->time;
    append_counts(xml, report, NULL, time);
    for (guint i = 0; i < inputs->len; i++)
        append_suite(xml, report, g_ptr_array_index(inputs, i));
    g_string_append(xml, "</testsuites>\n");
    return xml;
}

char *junit_write(const struct test_report *report, const char *path)
{
    GString *xml = junit_text(report);
    char *folder = g_path_get_dirname(path), *name = g_path_get_basename(path);
    struct writer *writer = writer_new(folder);
    char *error;

    writer_add(writer, xml->str, xml->len);
    error = writer_commit(writer, name, true);
    writer_free(writer);
    g_free(folder);
    g_free(name);
    g_string_free(xml, TRUE);
    return error;
}
