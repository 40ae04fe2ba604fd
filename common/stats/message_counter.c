/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/stats/message_counter.h"

static struct qs_message_counter *counter_of(struct qs_sink *base)
{
    return (struct qs_message_counter *)base;
}

/* How many groups are open around what is outermost now. */
static guint base_of(const struct qs_message_counter *counter)
{
    return counter->bases->len ? g_array_index(counter->bases, guint, counter->bases->len - 1) : 0;
}

static void open_group(struct qs_sink *base, const struct qs_field *group, uint32_t offset)
{
    struct qs_message_counter *counter = counter_of(base);
    const struct qs_counted message = {.group = group, .open = true};

    if (counter->open->len == base_of(counter))
        g_array_append_val(counter->counted, message);
    g_array_append_val(counter->open, offset);
    if (counter->next && counter->next->open)
        counter->next->open(counter->next, group, offset);
}

/* The latest that is open is the one: groups inside a source are closed before those around it. */
static void add_bytes(struct qs_message_counter *counter, uint32_t bytes)
{
    guint i = counter->counted->len;

    while (i--) {
        struct qs_counted *message = &g_array_index(counter->counted, struct qs_counted, i);

        if (message->open) {
            message->open = false;
            message->bytes = bytes;
            return;
        }
    }
}

static void close_group(struct qs_sink *base, uint32_t end)
{
    struct qs_message_counter *counter = counter_of(base);
    const uint32_t start = g_array_index(counter->open, uint32_t, counter->open->len - 1);

    g_array_set_size(counter->open, counter->open->len - 1);
    if (counter->open->len == base_of(counter))
        add_bytes(counter, end - start);
    if (counter->next && counter->next->close)
        counter->next->close(counter->next, end);
}

/* A decoder gives groups only to a sink that takes fields. */
static void take_field(struct qs_sink *base, const struct qs_field *field,
                       const struct qs_value *value)
{
    const struct qs_message_counter *counter = counter_of(base);

    if (counter->next && counter->next->field)
        counter->next->field(counter->next, field, value);
}

static void take_label(struct qs_sink *base, const char *text)
{
    const struct qs_message_counter *counter = counter_of(base);

    counter->next->label(counter->next, text);
}

static void take_note(struct qs_sink *base, enum qs_note kind, uint32_t offset, uint32_t length,
                      const char *text)
{
    const struct qs_message_counter *counter = counter_of(base);

    counter->next->note(counter->next, kind, offset, length, text);
}

static void change_source(struct qs_sink *base, const char *title, const uint8_t *data,
                          uint32_t size)
{
    struct qs_message_counter *counter = counter_of(base);

    if (data)
        g_array_append_val(counter->bases, counter->open->len);
    else if (counter->bases->len)
        g_array_set_size(counter->bases, counter->bases->len - 1);
    if (counter->next && counter->next->source)
        counter->next->source(counter->next, title, data, size);
}

void qs_message_counter_init(struct qs_message_counter *counter)
{
    *counter = (struct qs_message_counter){.base = {.open = open_group,
                                                    .close = close_group,
                                                    .field = take_field,
                                                    .source = change_source}};
    counter->counted = g_array_new(FALSE, FALSE, sizeof(struct qs_counted));
    counter->open = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    counter->bases = g_array_new(FALSE, FALSE, sizeof(guint));
}

void qs_message_counter_clear(struct qs_message_counter *counter)
{
    g_array_free(counter->counted, TRUE);
    g_array_free(counter->open, TRUE);
    g_array_free(counter->bases, TRUE);
}

void qs_message_counter_begin(struct qs_message_counter *counter, struct qs_sink *next)
{
    counter->next = next;
    counter->base.label = next && next->label ? take_label : NULL;
    counter->base.note = next && next->note ? take_note : NULL;
    g_array_set_size(counter->counted, 0);
    g_array_set_size(counter->open, 0);
    g_array_set_size(counter->bases, 0);
}
