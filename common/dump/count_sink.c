/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/dump/dump.h"

static void count_open(struct qs_sink *base, const struct qs_field *group, uint32_t offset)
{
    struct qs_count_sink *sink = (struct qs_count_sink *)base;

    (void)group, (void)offset;
    sink->groups++;
    sink->depth++;
}

static void count_close(struct qs_sink *base, uint32_t end)
{
    struct qs_count_sink *sink = (struct qs_count_sink *)base;

    (void)end;
    sink->depth--;
}

static void count_field(struct qs_sink *base, const struct qs_field *field,
                        const struct qs_value *value)
{
    struct qs_count_sink *sink = (struct qs_count_sink *)base;

    (void)field;
    sink->fields++;
    sink->generated += value->generated;
}

static void count_note(struct qs_sink *base, enum qs_note kind, uint32_t offset, uint32_t length,
                       const char *text)
{
    struct qs_count_sink *sink = (struct qs_count_sink *)base;

    (void)offset, (void)length, (void)text;
    sink->notes[kind]++;
}

void qs_count_sink_init(struct qs_count_sink *sink)
{
    *sink = (struct qs_count_sink){
        .base = {
            .open = count_open, .close = count_close, .field = count_field, .note = count_note}};
}
