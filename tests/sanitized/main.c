/* SPDX-License-Identifier: GPL-2.0-or-later */
/* check_sanitized DEMO...: prints what the lists do not have, and then ends with 1. */
#include <stdio.h>

#include "tests/sanitized/check.h"

int main(int argc, char **argv)
{
    bool good = true;

    for (int i = 1; i < argc; i++) {
        struct sanitized_report report;
        g_autofree char *data = NULL;
        gsize size;

        if (!g_file_get_contents(argv[i], &data, &size, NULL)) {
            fprintf(stderr, "%s: cannot be read\n", argv[i]);
            good = false;
            continue;
        }
        report = sanitized_check(argv[i], (struct qs_view){(const uint8_t *)data, (uint32_t)size});
        good = good && !report.found && !report.unread;
        printf("%s: %u findings in %" G_GUINT64_FORMAT " texts, %" G_GUINT64_FORMAT " problems\n%s",
               argv[i], report.found, report.texts, report.unread, report.findings->str);
        g_string_free(report.findings, TRUE);
    }
    return good ? 0 : 1;
}
