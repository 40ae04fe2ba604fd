/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/output/progress.h"

#include <glib.h>
#include <stdio.h>
#include <unistd.h>

enum { BAR_WIDTH = 40 };

/* In microseconds. */
static const gint64 first_delay = 500000;
static const gint64 redraw_delay = 100000;

static struct {
    uint64_t total;
    gint64 started, next;
    bool shown;
} bar;

void progress_start(uint64_t total, bool wanted)
{
    bar.total = wanted && isatty(STDERR_FILENO) ? total : 0;
    bar.started = g_get_monotonic_time();
    bar.next = bar.started + first_delay;
}

static void draw(uint64_t done, double elapsed)
{
    const double part = MIN(1.0, (double)done / (double)bar.total);
    const int filled = (int)(part * (double)BAR_WIDTH);
    const double rate = elapsed > 0 ? (double)done / elapsed / 1e6 : 0;

    fprintf(stderr, "\r[%.*s%*s] %3d %%  %.0f MB/s ", filled,
            "========================================", BAR_WIDTH - filled, "", (int)(part * 100),
            rate);
    bar.shown = true;
}

void progress_update(uint64_t done)
{
    gint64 now;

    if (!bar.total)
        return;
    now = g_get_monotonic_time();
    if (now < bar.next)
        return;
    bar.next = now + redraw_delay;
    draw(done, (double)(now - bar.started) / 1e6);
}

void progress_erase(void)
{
    if (!bar.shown)
        return;
    fputs("\r\033[K", stderr);
    bar.shown = false;
}
