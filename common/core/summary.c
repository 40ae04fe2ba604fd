/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/core/emit.h"

#include "common/core/text.h"

enum {
    TEXT_MAX = 160,    /* maximum length of a text, in characters */
    TEXTS_MAX = 64,    /* maximum number of messages with a text; others are only counted */
    SUMMARY_MAX = 2000 /* maximum size in bytes, roughly: Wireshark shows no more */
};

/* Messages of one name without values, or one message with values. */
struct summary_item {
    const char *name;
    unsigned count;
    GString *text;     /* values of the message, or NULL */
    bool line_is_open; /* the text is a line whose end has not been printed */
};

/* Parts of the summary before they are joined. */
struct qs_summary_parts {
    GArray *items;        /* struct summary_item: messages */
    unsigned texts;       /* number of items with a text */
    GString *remarks;     /* delivery statuses, in brackets */
    bool transcript_line; /* the current message has a line in the decoder's transcript */
};

static void clear_summary_item(gpointer item)
{
    GString *text = ((struct summary_item *)item)->text;

    if (text)
        g_string_free(text, TRUE);
}

void qs_summary_init(struct qs_decoder *d)
{
    struct qs_summary_parts *parts = g_new0(struct qs_summary_parts, 1);

    parts->remarks = g_string_new(NULL);
    parts->items = g_array_new(FALSE, FALSE, sizeof(struct summary_item));
    g_array_set_clear_func(parts->items, clear_summary_item);
    d->found.summary = g_string_new(NULL);
    d->summary_parts = parts;
}

void qs_summary_clear(struct qs_decoder *d)
{
    g_string_free(d->found.summary, TRUE);
    g_string_free(d->summary_parts->remarks, TRUE);
    g_array_free(d->summary_parts->items, TRUE);
    g_free(d->summary_parts);
}

void qs_summary_begin(struct qs_decoder *d)
{
    g_string_truncate(d->found.summary, 0);
    g_string_truncate(d->summary_parts->remarks, 0);
    g_array_set_size(d->summary_parts->items, 0);
    d->summary_parts->texts = 0;
    d->summary_parts->transcript_line = false;
}

/* --- Items --- */

static struct summary_item *item_at(const struct qs_decoder *d, guint i)
{
    return &g_array_index(d->summary_parts->items, struct summary_item, i);
}

/* Ends the last message. If it has no text, adds it to the count of earlier ones of its name. */
static void merge_last_message(struct qs_decoder *d)
{
    const guint last = d->summary_parts->items->len - 1;
    const struct summary_item *item;

    if (!d->summary_parts->items->len || item_at(d, last)->text)
        return;
    item = item_at(d, last);
    for (guint i = 0; i < last; i++) {
        struct summary_item *known = item_at(d, i);

        if (!known->text && strcmp(known->name, item->name) == 0) {
            known->count++;
            g_array_set_size(d->summary_parts->items, last);
            return;
        }
    }
}

void qs_summary_message(struct qs_decoder *d, const char *name)
{
    const struct summary_item item = {.name = name, .count = 1};

    if (!d->want_summary)
        return;
    merge_last_message(d);
    g_array_append_val(d->summary_parts->items, item);
    d->summary_parts->transcript_line = false;
}

/* Returns the text to append to: the last message's, or the header. NULL: enough have a text. */
static GString *text_end(struct qs_decoder *d)
{
    struct summary_item *item;

    if (!d->summary_parts->items->len)
        return d->found.summary;
    item = item_at(d, d->summary_parts->items->len - 1);
    if (!item->text && d->summary_parts->texts < TEXTS_MAX) {
        item->text = g_string_new(NULL);
        d->summary_parts->texts++;
    }
    return item->text;
}

void qs_summary(struct qs_decoder *d, const char *format, ...)
{
    GString *out = d->want_summary ? text_end(d) : NULL;
    va_list arguments;

    if (!out)
        return;
    va_start(arguments, format);
    g_string_append_vprintf(out, format, arguments);
    va_end(arguments);
}

/* Returns the text as the redactor permits it. */
static struct qs_view guarded(const struct qs_decoder *d, struct qs_view text)
{
    return d->redactor ? d->redactor->text(d->redactor, d, text) : text;
}

void qs_summary_text(struct qs_decoder *d, const char *before, struct qs_view text,
                     const char *after)
{
    char *readable;

    if (!d->want_summary)
        return;
    text = guarded(d, text);
    readable = qs_text_title(text, QS_TITLE_CHARACTERS);
    qs_summary(d, "%s%s%s", before, readable, after);
    g_free(readable);
}

void qs_summary_remark(struct qs_decoder *d, const char *format, ...)
{
    va_list arguments;

    if (!d->want_summary)
        return;
    va_start(arguments, format);
    g_string_append(d->summary_parts->remarks, " [");
    g_string_append_vprintf(d->summary_parts->remarks, format, arguments);
    g_string_append_c(d->summary_parts->remarks, ']');
    va_end(arguments);
}

/* --- The transcript --- */

/* True for a byte that begins chat: 1 gives it color and sound, 2 color alone. Source: id
 * console.c, Con_Print. */
static bool is_color(uint8_t byte)
{
    return byte == 1 || byte == 2;
}

static bool ends_line(const GString *out)
{
    return !out->len || out->str[out->len - 1] == '\n';
}

static void add_text(struct qs_decoder *d, const char *name, const struct qs_field *row,
                     struct qs_view text)
{
    GString *out = d->transcript;

    if (strcmp(row->brief, QS_BRIEF_LINE) == 0) {
        if (text.size && is_color(text.data[0]))
            text = qs_view_skip(text, 1);
        qs_text_append_utf8(out, text);
        return;
    }
    text = qs_text_trimmed(text, ' ');
    if (!text.size)
        return;
    if (row->brief[0] && d->summary_parts->transcript_line) {
        /* Continues the message's line with another of its texts: "setinfo: skin = base". */
        g_string_truncate(out, out->len - 1);
        g_string_append_printf(out, " %s ", row->brief);
    } else {
        if (!ends_line(out))
            g_string_append_c(out, '\n');
        g_string_append_printf(out, "%s: ", name);
    }
    qs_text_append_utf8(out, text);
    g_string_append_c(out, '\n');
    d->summary_parts->transcript_line = true;
}

/* --- Values --- */

static void append_word(GString *out, const char *word)
{
    g_string_append_c(out, ' ');
    if (*word)
        g_string_append_printf(out, "%s ", word);
}

static void append_quote(GString *out, const char *word, struct qs_view text)
{
    append_word(out, word);
    g_string_append_c(out, '"');
    qs_text_append_quoted(out, text, TEXT_MAX);
    g_string_append_c(out, '"');
}

void qs_summary_quote(struct qs_decoder *d, const char *word, struct qs_view text)
{
    GString *out = d->want_summary && text.data ? text_end(d) : NULL;

    if (out)
        append_quote(out, word, qs_text_trimmed(guarded(d, text), ' '));
}

/* Returns the message before the last if the last one continues its open line; else NULL. */
static struct summary_item *open_line(const struct qs_decoder *d)
{
    const guint count = d->summary_parts->items->len;
    struct summary_item *before;

    if (count < 2 || item_at(d, count - 1)->text)
        return NULL;
    before = item_at(d, count - 2);
    return before->line_is_open && strcmp(before->name, item_at(d, count - 1)->name) == 0 ? before
                                                                                          : NULL;
}

/* Begins or continues a line in the last message's text. */
static void append_line(GString *out, bool line_is_open, struct qs_view text)
{
    if (!line_is_open) {
        append_quote(out, "", text);
        return;
    }
    g_string_truncate(out, out->len - 1); /* the closing quote */
    qs_text_append_quoted(out, text, TEXT_MAX);
    g_string_append_c(out, '"');
}

/*
 * Adds a printed text: servers print a line piece by piece. Omits line ends, empty lines, and the
 * leading byte that gives chat its sound and color.
 */
static void add_line(struct qs_decoder *d, struct qs_view text)
{
    const bool ends = text.size && text.data[text.size - 1] == '\n';
    const struct qs_view line = qs_text_trimmed(text, '\n');
    struct summary_item *open = open_line(d);
    GString *out;

    if (!line.size && !open)
        return;
    if (open)
        g_array_set_size(d->summary_parts->items, d->summary_parts->items->len - 1);
    out = text_end(d);
    if (!out)
        return;
    append_line(out, open, line);
    if (d->summary_parts->items->len)
        item_at(d, d->summary_parts->items->len - 1)->line_is_open = !ends && out->len < TEXT_MAX;
}

static void add_number(struct qs_decoder *d, const struct qs_field *row,
                       const struct qs_value *value)
{
    GString *out = text_end(d);

    if (!out)
        return;
    append_word(out, row->brief);
    if (qs_type_kind(row->type) == QS_KIND_SIGNED)
        g_string_append_printf(out, "%" G_GINT64_FORMAT, value->i);
    else
        g_string_append_printf(out, "%" G_GUINT64_FORMAT, value->u);
}

void qs_summary_value(struct qs_decoder *d, const struct qs_field *row,
                      const struct qs_value *value)
{
    if (d->transcript && row->type == QS_TEXT) {
        /* Labels the text with its message or connectionless command. */
        const guint count = d->summary_parts->items->len;

        add_text(d, count ? item_at(d, count - 1)->name : d->found.summary->str, row, value->bytes);
    }
    if (row->type != QS_TEXT)
        add_number(d, row, value);
    else if (strcmp(row->brief, QS_BRIEF_LINE) == 0)
        add_line(d, value->bytes);
    else
        qs_summary_quote(d, row->brief, value->bytes);
}

/* --- The complete line --- */

static void append_item(GString *out, const struct summary_item *item)
{
    g_string_append(out, item->name);
    if (item->count > 1)
        g_string_append_printf(out, "×%u", item->count);
    if (item->text)
        g_string_append(out, item->text->str);
}

static void append_items(struct qs_decoder *d)
{
    for (guint i = 0; i < d->summary_parts->items->len; i++) {
        g_string_append(d->found.summary, i ? ", " : ": ");
        if (d->found.summary->len > SUMMARY_MAX) {
            g_string_append(d->found.summary, "…");
            return;
        }
        append_item(d->found.summary, item_at(d, i));
    }
}

void qs_summary_end(struct qs_decoder *d)
{
    if (d->packet->pdu <= 1) {
        if (d->found.summary->len && d->found.summary->str[0] != ' ')
            g_string_prepend_c(d->found.summary, ' ');
        g_string_prepend(d->found.summary, qs_direction_arrow(d->found.direction));
    }
    g_string_append(d->found.summary, d->summary_parts->remarks->str);
    merge_last_message(d);
    append_items(d);
}
