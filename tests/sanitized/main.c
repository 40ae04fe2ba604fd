/* SPDX-License-Identifier: GPL-2.0-or-later */
/* check_sanitized DEMO...: prints what in the demos is on no list, and ends with 1 if anything is.
 */
#include <stdio.h>
#include <string.h>

#include "tests/sanitized/check.h"

/* Returns whether nothing is. */
static bool check(const char *name)
{
    const char *dot = strrchr(name, '.');
    struct sanitized_report report;
    GError *error = NULL;
    char *data;
    gsize size;
    bool good;

    if (!g_file_get_contents(name, &data, &size, &error)) {
        fprintf(stderr, "%s\n", error->message);
        g_error_free(error);
        return false;
    }
    sanitized_report_init(&report);
    sanitized_check(dot ? dot + 1 : "", (const uint8_t *)data, size, &report);
    good = !report.found && !report.unread;
    printf("%s: %u findings in %" G_GUINT64_FORMAT " texts, %" G_GUINT64_FORMAT " problems\n%s",
           name, report.found, report.texts, report.unread, report.findings->str);
    sanitized_report_clear(&report);
    g_free(data);
    return good;
}

int main(int argc, char **argv)
{
    bool good = true;

    for (int i = 1; i < argc; i++)
        good = check(argv[i]) && good;
    return good ? 0 : 1;
}
