/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Numbers as dumps and comments of captures write them. Dumps are mostly numbers, and printf()
 * costs more than all the rest.
 *
 * Each function writes from `at` on, without a NUL, and returns where the next character goes. The
 * caller sees to the room: no number is longer than QS_NUMBER_MAX.
 */
#ifndef QS_CORE_NUMERIC_TEXT_H
#define QS_CORE_NUMERIC_TEXT_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/core/reader.h"

enum { QS_NUMBER_MAX = 32 };

char *qs_put_uint(char *at, uint64_t value);
char *qs_put_int(char *at, int64_t value);

/* "0x1f" */
char *qs_put_hex(char *at, uint64_t value);

/* As printf's "%.9g" in the C locale. */
char *qs_put_real(char *at, double value);

/*
 * As printf's "%.17g", with which every double reads back the same, marked as a real number: "5.0",
 * "1e22". Only of finite ones.
 */
char *qs_put_exact_real(char *at, double value);
bool qs_is_finite(double value);

/* Two digits a byte. */
char *qs_put_bytes(char *at, struct qs_view bytes);

/* Text without its NUL. */
static inline char *qs_put_text(char *at, const char *text, size_t length)
{
    return (char *)memcpy(at, text, length) + length;
}

/*
 * Room for `size` more characters at the end of `out`. When they are written, qs_room_end() makes
 * them part of it, up to `end`.
 */
static inline char *qs_room(GString *out, gsize size)
{
    const gsize length = out->len;

    if (out->allocated_len - length <= size) {
        g_string_set_size(out, length + size);
        out->len = length;
    }
    return out->str + length;
}

static inline void qs_room_end(GString *out, char *end)
{
    out->len = (gsize)(end - out->str);
    *end = '\0';
}

/* What g_string_append_len() does; of short texts the call takes longer than the copy. */
static inline void qs_append_chars(GString *out, const char *text, gsize length)
{
    qs_room_end(out, qs_put_text(qs_room(out, length), text, length));
}

/* Adds two digits a byte. */
static inline void qs_append_bytes(GString *out, struct qs_view bytes)
{
    qs_room_end(out, qs_put_bytes(qs_room(out, 2 * (gsize)bytes.size), bytes));
}

/* Durations as texts for people. */

/* "0:07", "59:59", "1:02:45". New. */
char *qs_duration_text(int64_t seconds);

/* To the nearest one. */
int64_t qs_seconds_of(int64_t nanoseconds);

/* "1 packet", "2 packets" */

/* What ends the noun that `count` things have. */
static inline const char *qs_plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

#endif
