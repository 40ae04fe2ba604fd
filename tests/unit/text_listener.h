/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A sink for tests that keeps "name = value" for each field, and "! text" for each note, a line
 * each. */
#ifndef TESTS_UNIT_TEXT_LISTENER_H
#define TESTS_UNIT_TEXT_LISTENER_H

#include "common/core/sink.h"
#include "common/dump/dump.h"

struct text_listener {
    struct qs_sink base;
    GString *heard;
};

static inline void text_listener_hear_field(struct qs_sink *base, const struct qs_field *field,
                                            const struct qs_value *value)
{
    GString *heard = ((struct text_listener *)base)->heard;

    g_string_append_printf(heard, "%s = ", field->name);
    qs_value_append(heard, field, value);
    g_string_append_c(heard, '\n');
}

static inline void text_listener_hear_note(struct qs_sink *base, enum qs_note kind, uint32_t offset,
                                           uint32_t length, const char *text)
{
    (void)kind, (void)offset, (void)length;
    g_string_append_printf(((struct text_listener *)base)->heard, "! %s\n", text);
}

/* Has heard nothing yet; g_string_free() what it hears. */
static inline struct text_listener text_listener_new(void)
{
    return (struct text_listener){
        {.field = text_listener_hear_field, .note = text_listener_hear_note}, g_string_new(NULL)};
}

#endif
