/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The line of progress: one line whatever the width. */
#include "tests/tool/frames.h"

#include <string.h>

#include "pcap2demo/output/terminal.h"

enum { MB = 1000000 };

static void expect(unsigned columns, uint64_t done, uint64_t total, double seconds,
                   const char *expected)
{
    char *text = progress_text(columns, done, total, seconds);

    assert_string_equal(text, expected);
    g_free(text);
}

TEST(shows_what_there_is_room_for)
{
    expect(80, 50 * MB, 200 * MB, 10, " 25 %  5 MB/s  0:30 left");
    expect(30, 50 * MB, 200 * MB, 10, " 25 %  5 MB/s  0:30 left");
    expect(14, 50 * MB, 200 * MB, 10, " 25 %  5 MB/s");
}

TEST(needs_no_total)
{
    expect(80, 50 * MB, 0, 3700, "50 MB  0 MB/s  1:01:40");
    expect(8, 50 * MB, 0, 10, "50 MB  ");
}

TEST(is_never_too_long)
{
    static const uint64_t sizes[] = {0, 1, 50 * MB, UINT64_MAX};
    static const double times[] = {0, 0.5, 1e3, 1e12};

    for (unsigned columns = 0; columns < 200; columns++)
        for (size_t i = 0; i < G_N_ELEMENTS(sizes) * G_N_ELEMENTS(sizes) * 4; i++) {
            char *text = progress_text(columns, sizes[i % 4], sizes[i / 4 % 4], times[i / 16]);

            assert_true(strlen(text) < MAX(columns, 1));
            g_free(text);
        }
}
