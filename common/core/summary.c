/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/core/summary.h"

#include "common/core/text.h"

/* Messages of one name, or a message with a text of its own. */
struct summary_item {
    const char *name;
    unsigned count;
    GString *text; /* or NULL */
};

static void clear_summary_item(gpointer item)
{
    GString *text = ((struct summary_item *)item)->text;

    if (text)
        g_string_free(text, TRUE);
}

void qs_summary_init(struct qs_decoder *d)
{
    d->summary = g_string_new(NULL);
    d->summary_items = g_array_new(FALSE, FALSE, sizeof(struct summary_item));
    g_array_set_clear_func(d->summary_items, clear_summary_item);
}

void qs_summary_clear(struct qs_decoder *d)
{
    g_string_free(d->summary, TRUE);
    g_array_free(d->summary_items, TRUE);
}

void qs_summary_begin(struct qs_decoder *d)
{
    g_string_truncate(d->summary, 0);
    g_array_set_size(d->summary_items, 0);
}

void qs_summary_end(struct qs_decoder *d)
{
    for (guint i = 0; i < d->summary_items->len; i++) {
        const struct summary_item *item = &g_array_index(d->summary_items, struct summary_item, i);

        g_string_append_printf(d->summary, "%s%s", i ? ", " : ": ", item->name);
        if (item->count > 1)
            g_string_append_printf(d->summary, "×%u", item->count);
        if (item->text)
            g_string_append(d->summary, item->text->str);
    }
}

/* Where text goes now. */
static GString *summary_end(struct qs_decoder *d)
{
    struct summary_item *item;

    if (!d->summary_items->len)
        return d->summary;
    item = &g_array_index(d->summary_items, struct summary_item, d->summary_items->len - 1);
    if (!item->text)
        item->text = g_string_new(NULL);
    return item->text;
}

void qs_summary(struct qs_decoder *d, const char *format, ...)
{
    va_list arguments;

    if (!d->want_summary)
        return;
    va_start(arguments, format);
    g_string_append_vprintf(summary_end(d), format, arguments);
    va_end(arguments);
}

void qs_summary_text(struct qs_decoder *d, const char *before, struct qs_view text,
                     const char *after)
{
    char *readable;

    if (!d->want_summary)
        return;
    readable = qs_text_title(text, QS_TITLE_CHARACTERS);
    qs_summary(d, "%s%s%s", before, readable, after);
    g_free(readable);
}

static void add_summary_item(struct qs_decoder *d, const char *name)
{
    const struct summary_item item = {.name = name, .count = 1};

    for (guint i = 0; i < d->summary_items->len; i++) {
        struct summary_item *known = &g_array_index(d->summary_items, struct summary_item, i);

        if (!known->text && strcmp(known->name, name) == 0) {
            known->count++;
            return;
        }
    }
    g_array_append_val(d->summary_items, item);
}

void qs_summary_message(struct qs_decoder *d, const char *name)
{
    if (d->want_summary)
        add_summary_item(d, name);
}
