/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/actions/multi_sink.h"

enum { SINKS = 2 };

/* One of the two sinks, with the current protocol. */
static struct qs_sink *target(struct qs_sink *base, int number)
{
    struct qs_sink *to = ((struct multi_sink *)base)->to[number];

    to->protocol = base->protocol;
    return to;
}

static void multi_open(struct qs_sink *base, const struct qs_field *group, uint32_t offset)
{
    for (int i = 0; i < SINKS; i++) {
        struct qs_sink *to = target(base, i);

        if (to->open)
            to->open(to, group, offset);
    }
}

static void multi_close(struct qs_sink *base, uint32_t end)
{
    for (int i = 0; i < SINKS; i++) {
        struct qs_sink *to = target(base, i);

        if (to->close)
            to->close(to, end);
    }
}

static void multi_field(struct qs_sink *base, const struct qs_field *field,
                        const struct qs_value *value)
{
    for (int i = 0; i < SINKS; i++) {
        struct qs_sink *to = target(base, i);

        if (to->field)
            to->field(to, field, value);
    }
}

static void multi_note(struct qs_sink *base, enum qs_note kind, uint32_t offset, uint32_t length,
                       const char *text)
{
    for (int i = 0; i < SINKS; i++) {
        struct qs_sink *to = target(base, i);

        if (to->note)
            to->note(to, kind, offset, length, text);
    }
}

static void multi_source(struct qs_sink *base, const char *title, const uint8_t *data,
                         uint32_t size)
{
    for (int i = 0; i < SINKS; i++) {
        struct qs_sink *to = target(base, i);

        if (to->source)
            to->source(to, title, data, size);
    }
}

void multi_sink_init(struct multi_sink *sinks, struct qs_sink *one, struct qs_sink *other)
{
    *sinks = (struct multi_sink){.base = {.open = multi_open,
                                          .close = multi_close,
                                          .field = multi_field,
                                          .note = multi_note,
                                          .source = multi_source},
                                 .to = {one, other}};
}
