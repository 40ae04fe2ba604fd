/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/output/progress.h"

#include <glib.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/core/numeric_text.h"

enum { FIRST = 1000000, EACH = 200000 }; /* microseconds */

static struct {
    gboolean on;
    gint64 start, next; /* of the work; of the next line */
    glong width;        /* of the line that is shown */
} progress;

void progress_begin(const char *when)
{
    progress.on = !when || strcmp(when, "auto") == 0 ? isatty(STDERR_FILENO) != 0
                                                     : strcmp(when, "always") == 0;
    progress.start = g_get_monotonic_time();
    progress.next = progress.start + FIRST;
}

static void show(const char *text)
{
    const glong width = g_utf8_strlen(text, -1);

    fprintf(stderr, "\r%s%*s", text, (int)MAX(progress.width - width, 0), "");
    if (!*text)
        fputc('\r', stderr);
    fflush(stderr);
    progress.width = width;
}

void progress_update(uint64_t read, uint64_t all)
{
    const gint64 now = progress.on ? g_get_monotonic_time() : 0;
    const double seconds = (double)(now - progress.start) / 1e6;
    const double rate = (double)read / MAX(seconds, 1e-6);
    g_autofree char *left = NULL, *text = NULL;

    if (!progress.on || now < progress.next)
        return;
    progress.next = now + EACH;
    if (all && read) {
        left = qs_duration_text((int64_t)((double)(all - MIN(read, all)) / rate + .5));
        text = g_strdup_printf("%3.0f %%  %.1f MB/s  %s left",
                               100 * (double)MIN(read, all) / (double)all, rate / 1e6, left);
    } else {
        text = g_strdup_printf("%.1f MB  %.1f MB/s", (double)read / 1e6, rate / 1e6);
    }
    show(text);
}

void progress_clear(void)
{
    if (progress.width)
        show("");
}

void progress_end(void)
{
    progress_clear();
    progress.on = FALSE;
}
