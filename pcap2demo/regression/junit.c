/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/regression/test_report.h"

#include "pcap2demo/config.h"

#ifdef QUAKESHARK_JUNIT

#include <libxml/xmlwriter.h>
#include <string.h>

#include "pcap2demo/output/writer.h"

/* Characters that are text, but that XML cannot hold (XML 1.0, production 2). New. */
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

static void start(xmlTextWriter *xml, const char *element)
{
    xmlTextWriterStartElement(xml, BAD_CAST element);
}

static void attribute(xmlTextWriter *xml, const char *name, const char *value)
{
    char *text = xml_text(value);

    xmlTextWriterWriteAttribute(xml, BAD_CAST name, BAD_CAST text);
    g_free(text);
}

static void number(xmlTextWriter *xml, const char *name, guint value)
{
    xmlTextWriterWriteFormatAttribute(xml, BAD_CAST name, "%u", value);
}

static void seconds(xmlTextWriter *xml, double value)
{
    char text[G_ASCII_DTOSTR_BUF_SIZE];

    attribute(xml, "time", g_ascii_formatd(text, sizeof text, "%.3f", value));
}

/* The first line, and all of them as the element's text. */
static void outcome_element(xmlTextWriter *xml, const char *element, const struct test_case *test)
{
    char *first = g_strndup(test->text->str, strcspn(test->text->str, "\n"));
    char *all = xml_text(test->text->str);

    start(xml, element);
    attribute(xml, "message", first);
    if (test->outcome != CASE_SKIPPED)
        xmlTextWriterWriteString(xml, BAD_CAST all);
    xmlTextWriterEndElement(xml);
    g_free(first);
    g_free(all);
}

static void test_case(xmlTextWriter *xml, const char *file, const char *kind,
                      const struct test_case *test)
{
    static const char *const elements[] = {
        [CASE_SKIPPED] = "skipped", [CASE_FAILED] = "failure", [CASE_ERROR] = "error"};

    start(xml, "testcase");
    attribute(xml, "classname", file);
    attribute(xml, "name", kind);
    if (test->outcome != CASE_PASSED) {
        outcome_element(xml, elements[test->outcome], test);
    } else if (test->text->len) {
        char *text = xml_text(test->text->str);

        xmlTextWriterWriteElement(xml, BAD_CAST "system-out", BAD_CAST text);
        g_free(text);
    }
    xmlTextWriterEndElement(xml);
}

static void counts(xmlTextWriter *xml, const struct test_report *report,
                   const struct input_cases *input)
{
    const guint passed = test_report_count(report, input, CASE_PASSED);
    const guint skipped = test_report_count(report, input, CASE_SKIPPED);
    const guint failed = test_report_count(report, input, CASE_FAILED);
    const guint errors = test_report_count(report, input, CASE_ERROR);

    number(xml, "tests", passed + skipped + failed + errors);
    number(xml, "failures", failed);
    number(xml, "errors", errors);
    number(xml, "skipped", skipped);
}

static void test_suite(xmlTextWriter *xml, const struct test_report *report,
                       const struct input_cases *input)
{
    start(xml, "testsuite");
    attribute(xml, "name", input->file);
    counts(xml, report, input);
    seconds(xml, input->time);
    for (enum case_kind kind = 0; kind < CASE_KINDS; kind++)
        if (test_report_want(report, kind))
            test_case(xml, input->file, case_kind_names[kind], &input->kinds[kind]);
    xmlTextWriterEndElement(xml);
}

/* GitLab wants one element around all; Jenkins has the counts there as sums. */
static void document(xmlTextWriter *xml, const struct test_report *report)
{
    const GPtrArray *inputs = test_report_inputs(report);
    double time = 0;

    for (guint i = 0; i < inputs->len; i++)
        time += ((const struct input_cases *)g_ptr_array_index(inputs, i))->time;
    xmlTextWriterSetIndent(xml, 1);
    xmlTextWriterStartDocument(xml, NULL, "UTF-8", NULL);
    start(xml, "testsuites");
    attribute(xml, "name", "pcap2demo --check");
    counts(xml, report, NULL);
    seconds(xml, time);
    for (guint i = 0; i < inputs->len; i++)
        test_suite(xml, report, g_ptr_array_index(inputs, i));
    xmlTextWriterEndDocument(xml);
}

static char *write_file(const char *path, xmlBuffer *buffer)
{
    char *folder = g_path_get_dirname(path), *name = g_path_get_basename(path);
    struct writer *writer = writer_new(folder);
    char *error;

    writer_add(writer, xmlBufferContent(buffer), (size_t)xmlBufferLength(buffer));
    error = writer_commit(writer, name, true);
    writer_free(writer);
    g_free(folder);
    g_free(name);
    return error;
}

char *junit_write(const struct test_report *report, const char *path)
{
    xmlBuffer *buffer = xmlBufferCreate();
    xmlTextWriter *xml = buffer ? xmlNewTextWriterMemory(buffer, 0) : NULL;
    char *error;

    if (xml) {
        document(xml, report);
        xmlFreeTextWriter(xml);
        error = write_file(path, buffer);
    } else {
        error = g_strdup("out of memory");
    }
    if (buffer)
        xmlBufferFree(buffer);
    return error;
}

bool junit_is_there(void)
{
    return true;
}

#else

char *junit_write(const struct test_report *report, const char *path)
{
    (void)report, (void)path;
    return g_strdup("the program was built without an XML library");
}

bool junit_is_there(void)
{
    return false;
}

#endif
