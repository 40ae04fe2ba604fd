/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Formats numbers for dumps and comments of captures: printf() costs more than the rest of a dump.
 *
 * Each function writes from `at` on, without a NUL, and returns the end. The caller provides the
 * space: no number is longer than QS_NUMBER_MAX.
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

/* Writes hexadecimal: "0x1f". */
char *qs_put_hex(char *at, uint64_t value);

/* Like printf's "%.9g" in the C locale. */
char *qs_put_real(char *at, double value);

/*
 * Like printf's "%.17g", with which every double reads back the same, but marked as a real number:
 * "5.0", "1e22". Only for finite numbers.
 */
char *qs_put_exact_real(char *at, double value);
bool qs_is_finite(double value);

/* Writes two hexadecimal digits for each byte. */
char *qs_put_bytes(char *at, struct qs_view bytes);

/* Copies the text without its NUL. */
static inline char *qs_put_text(char *at, const char *text, size_t length)
{
    return (char *)memcpy(at, text, length) + length;
}

/*
 * Returns space for `size` more characters at the end of `out`. After writing them, call
 * qs_room_end() with their end.
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

/* Like g_string_append_len(), whose call takes longer than copying a short text. */
static inline void qs_append_chars(GString *out, const char *text, gsize length)
{
    qs_room_end(out, qs_put_text(qs_room(out, length), text, length));
}

/* Appends two hexadecimal digits for each byte. */
static inline void qs_append_bytes(GString *out, struct qs_view bytes)
{
    qs_room_end(out, qs_put_bytes(qs_room(out, 2 * (gsize)bytes.size), bytes));
}

/* --- Texts for people */

/* Returns "0:07", "59:59" or "1:02:45" (g_free() it). */
char *qs_duration_text(int64_t seconds);

/* Rounds to the nearest second. */
int64_t qs_seconds_of(int64_t nanoseconds);

/* Returns the ending of a noun after a number: "1 packet", "2 packets". */
static inline const char *qs_plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

#endif
