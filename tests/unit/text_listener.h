/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A sink that keeps a line for each field, "name = value", and each note, "! text". */
#ifndef TESTS_UNIT_TEXT_LISTENER_H
#define TESTS_UNIT_TEXT_LISTENER_H

#include "common/core/sink.h"
#include "common/dump/dump.h"
#include "tests/unit/unit.h"

struct text_listener {
    struct qs_sink base;
    GString *received;
};

static inline void text_listener_field(struct qs_sink *base, const struct qs_field *field,
                                       const struct qs_value *value)
{
    GString *received = ((struct text_listener *)base)->received;

    g_string_append_printf(received, "%s = ", field->name);
    qs_value_append(received, field, value);
    g_string_append_c(received, '\n');
}

static inline void text_listener_note(struct qs_sink *base, enum qs_note kind, uint32_t offset,
                                      uint32_t length, const char *text)
{
    (void)kind, (void)offset, (void)length;
    g_string_append_printf(((struct text_listener *)base)->received, "! %s\n", text);
}

/* Returns a new sink, whose `received` the caller frees. */
static inline struct text_listener text_listener_new(void)
{
    return (struct text_listener){{.field = text_listener_field, .note = text_listener_note},
                                  g_string_new(NULL)};
}

/* Fails unless the listener has received each of the lines, each behind the one before. */
static inline void text_listener_assert(const struct text_listener *listener,
                                        const char *const *lines)
{
    const char *at = listener->received->str;

    for (; *lines; lines++) {
        const size_t length = strlen(*lines);

        while (at && !(strncmp(at, *lines, length) == 0 && at[length] == '\n'))
            at = (at = strchr(at, '\n')) ? at + 1 : NULL;
        if (!at)
            fail_msg("\"%s\" is not in, or not behind the line before:\n%s", *lines,
                     listener->received->str);
        at += length + 1;
    }
}

static inline void text_listener_assert_not(const struct text_listener *listener, const char *part)
{
    if (strstr(listener->received->str, part))
        fail_msg("\"%s\" is in:\n%s", part, listener->received->str);
}

#endif
