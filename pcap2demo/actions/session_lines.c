/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/actions/session_lines.h"

#include <string.h>

#include "pcap2demo/actions/report.h"
#include "pcap2demo/output/message.h"
#include "pcap2demo/output/rows.h"
#include "pcap2demo/output/transcript.h"

struct session_lines {
    struct rows *rows; /* transcripts; NULL: lines are printed at once */
    GString *about;    /* the session at hand */
    GString *before;   /* where lines went otherwise */
};

struct session_lines *session_lines_new(const struct options *options)
{
    struct session_lines *lines = g_new0(struct session_lines, 1);

    if (options->files[0] && options->files[1] && !options->separate_inputs)
        lines->rows = rows_new();
    lines->about = g_string_new(NULL);
    return lines;
}

void session_lines_free(struct session_lines *lines)
{
    if (lines->rows)
        rows_free(lines->rows);
    g_string_free(lines->about, TRUE);
    g_free(lines);
}

void session_lines_begin(struct session_lines *lines)
{
    if (lines->rows)
        lines->before = keep_lines(lines->about);
}

void session_lines_end(struct session_lines *lines, unsigned number)
{
    if (!lines->rows)
        return;
    keep_lines(lines->before);
    rows_add(lines->rows, number, lines->about->str, lines->about->len);
    g_string_truncate(lines->about, 0);
}

static void print_row(void *user, uint64_t number, const char *bytes, gsize size)
{
    (void)user, (void)number, (void)size;
    transcript_print(bytes);
}

void session_lines_print(struct session_lines *lines)
{
    if (!lines->rows)
        return;
    rows_each(lines->rows, print_row, NULL);
    report_rows_error(lines->rows);
}

GVariant *session_lines_give(struct session_lines *lines)
{
    if (lines->rows)
        return rows_give(lines->rows);
    return g_variant_new_array(G_VARIANT_TYPE("(tay)"), NULL, 0);
}

struct renumbering {
    struct rows *rows;
    unsigned before;
};

static void add_given(void *user, uint64_t number, const char *bytes, gsize size)
{
    const struct renumbering *renumbering = user;
    char *transcript = transcript_renumber(bytes, renumbering->before);

    (void)size;
    rows_add(renumbering->rows, (unsigned)number + renumbering->before, transcript,
             strlen(transcript));
    g_free(transcript);
}

void session_lines_take(struct session_lines *lines, GVariant *given, unsigned before)
{
    struct renumbering renumbering = {lines->rows, before};

    if (lines->rows)
        rows_take_given(given, add_given, &renumbering);
}
