/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/core/transcript.h"

#include "common/core/summary.h"
#include "common/core/text.h"

/* The first byte 1 gives chat its color and sound, and 2 the color alone. Source: id console.c,
 * Con_Print. */
static bool is_color(uint8_t byte)
{
    return byte == 1 || byte == 2;
}

static void add_printed(GString *out, struct qs_view text)
{
    if (text.size && is_color(text.data[0]))
        text = (struct qs_view){text.data + 1, text.size - 1};
    qs_text_append_utf8(out, text);
}

static bool ends_line(const GString *out)
{
    return !out->len || out->str[out->len - 1] == '\n';
}

static void begin_line(GString *out, const char *name)
{
    if (!ends_line(out))
        g_string_append_c(out, '\n');
    g_string_append_printf(out, "%s:", name);
}

/* The message's line goes on with another of its texts: "setinfo: skin = base". */
static void continue_line(GString *out, const char *word)
{
    g_string_truncate(out, out->len - 1);
    g_string_append_printf(out, " %s", word);
}

void qs_transcript_add(struct qs_decoder *d, const char *name, const struct qs_field *row,
                       struct qs_view text)
{
    GString *out = d->transcript;

    if (strcmp(row->brief, QS_BRIEF_LINE) == 0) {
        add_printed(out, text);
        return;
    }
    text = qs_text_trimmed(text, ' ');
    if (!text.size)
        return;
    if (row->brief[0] && d->transcript_line)
        continue_line(out, row->brief);
    else
        begin_line(out, name);
    g_string_append_c(out, ' ');
    qs_text_append_utf8(out, text);
    g_string_append_c(out, '\n');
    d->transcript_line = true;
}
