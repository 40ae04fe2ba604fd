/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The recorder's log, with a reader that does not read. */
#include "tests/tool/frames.h"

#include <pty.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "pcap2demo/recording/log.h"

enum { SIZE = 64, LINES = 3 * LOG_WAITING_MAX / SIZE }; /* of a line, about */

/* What the log wrote: lines, and what it says of those that it dropped. */
struct count {
    int file;
    unsigned lines, dropped;
};

static gpointer count_lines(gpointer data)
{
    struct count *count = data;
    FILE *stream = fdopen(count->file, "r");
    char line[256];

    while (fgets(line, sizeof line, stream)) {
        const char *space = strchr(line, ' ');
        unsigned dropped;

        if (sscanf(space, " %u lines of the log were dropped", &dropped) == 1)
            count->dropped += dropped;
        else
            count->lines++;
    }
    fclose(stream);
    return NULL;
}

/* To the second end of two; nobody reads until all lines are there. */
static void expect_counts_what_it_drops(const int ends[2])
{
    const int output = dup(STDOUT_FILENO);
    struct count count = {0};
    GThread *reader;

    g_unsetenv("JOURNAL_STREAM");
    fflush(stdout);
    dup2(ends[1], STDOUT_FILENO);
    close(ends[1]);
    log_open_terminal();
    log_open(&(struct log_setup){.events = true});
    for (int i = 0; i < LINES; i++) /* of more bytes than it holds */
        log_event(LOG_INFO, "event", NULL, "a line of the log that fills what it can");
    count.file = ends[0];
    reader = g_thread_new("reader", count_lines, &count);
    log_close();
    dup2(output, STDOUT_FILENO);
    close(output);
    g_thread_join(reader);
    assert_true(count.lines * SIZE >= LOG_WAITING_MAX);
    assert_true(count.dropped > 0);
    assert_int_equal(count.lines + count.dropped, LINES);
}

TEST(a_pipe_never_blocks_it)
{
    int ends[2];

    assert_int_equal(pipe(ends), 0);
    expect_counts_what_it_drops(ends);
}

TEST(a_terminal_never_blocks_it)
{
    int ends[2];

    assert_int_equal(openpty(&ends[0], &ends[1], NULL, NULL, NULL), 0);
    expect_counts_what_it_drops(ends);
}
