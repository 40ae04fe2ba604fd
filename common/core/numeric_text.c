/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/core/numeric_text.h"

#include <glib.h>
#include <math.h>

static const char hex_digits[] = "0123456789abcdef";

/* --- Whole numbers */

/* Writes the last `count` digits, with leading zeros. */
static char *put_digits(char *at, uint64_t value, unsigned count)
{
    for (unsigned i = count; i; value /= 10)
        at[--i] = (char)('0' + value % 10);
    return at + count;
}

char *qs_put_uint(char *at, uint64_t value)
{
    unsigned count = 1;

    for (uint64_t rest = value; rest > 9; rest /= 10)
        count++;
    return put_digits(at, value, count);
}

char *qs_put_int(char *at, int64_t value)
{
    if (value >= 0)
        return qs_put_uint(at, (uint64_t)value);
    *at++ = '-';
    return qs_put_uint(at, -(uint64_t)value);
}

char *qs_put_hex(char *at, uint64_t value)
{
    unsigned count = 1;

    *at++ = '0';
    *at++ = 'x';
    while (count < 16 && value >> (4 * count))
        count++;
    while (count--)
        *at++ = hex_digits[value >> (4 * count) & 0xf];
    return at;
}

char *qs_put_bytes(char *at, struct qs_view bytes)
{
    for (uint32_t i = 0; i < bytes.size; i++) {
        *at++ = hex_digits[bytes.data[i] >> 4];
        *at++ = hex_digits[bytes.data[i] & 0xf];
    }
    return at;
}

/* --- Reals */

/*
 * Coordinates count in steps of 1/8 unit, and most angles in steps of 360/256 degrees. Both are
 * small multiples of 1/32, of which integer arithmetic gives all digits, no more than nine.
 */
enum { STEPS = 32, STEP_DECIMALS = 5, STEP_VALUE = 100000 / STEPS, WHOLE_MAX = 9999 };

static bool is_in_steps(double value)
{
    const double steps = fabs(value) * STEPS;

    return steps <= WHOLE_MAX * STEPS && (double)(uint32_t)steps == steps;
}

static char *put_in_steps(char *at, double value)
{
    const uint32_t steps = (uint32_t)(fabs(value) * STEPS);
    uint32_t fraction = steps % STEPS * STEP_VALUE;
    unsigned decimals = STEP_DECIMALS;

    if (signbit(value))
        *at++ = '-';
    at = qs_put_uint(at, steps / STEPS);
    if (!fraction)
        return at;
    for (; fraction % 10 == 0; fraction /= 10)
        decimals--;
    *at++ = '.';
    return put_digits(at, fraction, decimals);
}

static char *put_formatted(char *at, const char *format, double value)
{
    char text[G_ASCII_DTOSTR_BUF_SIZE];

    g_ascii_formatd(text, sizeof text, format, value);
    return qs_put_text(at, text, strlen(text));
}

char *qs_put_real(char *at, double value)
{
    if (is_in_steps(value))
        return put_in_steps(at, value);
    return put_formatted(at, "%.9g", value);
}

/* --- Reals of JSON */

bool qs_is_finite(double value)
{
    return isfinite(value);
}

/* Shortens an exponent for JSON: "e+09" to "e9", "e-07" to "e-7". Returns the new end. */
static char *shorten_exponent(char *exponent, const char *end)
{
    char *to = exponent + 1;
    const char *from = to;

    if (*from == '-')
        to++;
    from++;
    while (*from == '0')
        from++;
    memmove(to, from, (size_t)(end - from));
    return to + (end - from);
}

static char *mark_as_real(char *text, char *end)
{
    const size_t size = (size_t)(end - text);
    char *exponent = memchr(text, 'e', size);

    if (exponent)
        return shorten_exponent(exponent, end);
    if (memchr(text, '.', size))
        return end;
    return qs_put_text(end, ".0", 2);
}

char *qs_put_exact_real(char *at, double value)
{
    char *end = is_in_steps(value) ? put_in_steps(at, value) : put_formatted(at, "%.17g", value);

    return mark_as_real(at, end);
}

char *qs_duration_text(int64_t seconds)
{
    const int64_t hours = seconds / 3600;
    const int of_minute = (int)(seconds % 60), of_hour = (int)(seconds / 60 % 60);

    return hours ? g_strdup_printf("%" G_GINT64_FORMAT ":%02d:%02d", hours, of_hour, of_minute)
                 : g_strdup_printf("%d:%02d", of_hour, of_minute);
}

int64_t qs_seconds_of(int64_t nanoseconds)
{
    return (nanoseconds + 500000000) / 1000000000;
}
