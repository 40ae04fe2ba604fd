/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine_reader [--unread] DEMO...
 *
 * Reads demos that were written under --sanitize as engines do. Prints what they would carry out
 * and ends with 1 where there is any; with --unread also what it could not read.
 */
#include <glib.h>
#include <stdio.h>
#include <string.h>

#include "tests/engine_reader/engine_reader.h"

static bool show_unread;

/* Returns whether the demo is harmless. */
static bool look(const char *name)
{
    const char *dot = strrchr(name, '.');
    struct engine_report report;
    GError *error = NULL;
    char *data;
    gsize size;

    if (!g_file_get_contents(name, &data, &size, &error)) {
        fprintf(stderr, "%s\n", error->message);
        g_error_free(error);
        return false;
    }
    engine_report_init(&report);
    engine_reader_read(dot ? dot + 1 : "", (const uint8_t *)data, size, &report);
    printf("%s: %u findings, %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " bytes unread\n%s%s",
           name, report.found, report.unread, report.bytes, report.findings->str,
           show_unread ? report.unknown->str : "");
    engine_report_clear(&report);
    g_free(data);
    return !report.found;
}

int main(int argc, char **argv)
{
    bool good = true;
    int first = 1;

    if (argc > 1 && strcmp(argv[1], "--unread") == 0) {
        show_unread = true;
        first++;
    }
    for (int i = first; i < argc; i++)
        good = look(argv[i]) && good;
    return good ? 0 : 1;
}
