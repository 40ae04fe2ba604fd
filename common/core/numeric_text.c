/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/core/numeric_text.h"

#include <float.h>
#include <glib.h>
#include <math.h>

static const char hex_digits[] = "0123456789abcdef";

/* --- Whole numbers */

static const uint64_t powers_of_ten[] = {
    1u,
    10u,
    100u,
    1000u,
    10000u,
    100000u,
    1000000u,
    10000000u,
    100000000u,
    1000000000u,
    10000000000u,
    100000000000u,
    1000000000000u,
    10000000000000u,
    100000000000000u,
    1000000000000000u,
    10000000000000000u,
    100000000000000000u,
    1000000000000000000u,
    10000000000000000000u,
};

static unsigned count_digits(uint64_t value)
{
    unsigned count = 1;

    while (count < G_N_ELEMENTS(powers_of_ten) && value >= powers_of_ten[count])
        count++;
    return count;
}

/* The last `count` digits, with leading zeros. */
static char *put_digits(char *at, uint64_t value, unsigned count)
{
    for (unsigned i = count; i; value /= 10)
        at[--i] = (char)('0' + value % 10);
    return at + count;
}

char *qs_put_uint(char *at, uint64_t value)
{
    return put_digits(at, value, count_digits(value));
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
 * Coordinates and angles are counted in steps of 1/8 unit and of 360/256 or 360/65536 degrees:
 * whole multiples of 1/8192, for which integers give all the digits that there are.
 */
enum {
    STEP_BITS = 13,
    STEPS = 1 << STEP_BITS,
    STEP_DECIMALS = 13,   /* of 1/8192 */
    WHOLE_MAX = 99999999, /* leaves at least one of the digits behind the point */
    SHOWN_DIGITS = 9,     /* that count: of values to look at */
    ALL_DIGITS = DBL_DECIMAL_DIG
};

/* How many digits behind the point make `digits` of them that count, as far as there are any. */
static unsigned decimals_of(uint64_t whole, uint64_t steps, unsigned digits)
{
    unsigned decimals = MIN(digits, STEP_DECIMALS);

    if (whole)
        return MIN(digits - count_digits(whole), STEP_DECIMALS);
    while (decimals < STEP_DECIMALS && steps * powers_of_ten[decimals - digits + 1] < STEPS)
        decimals++;
    return decimals;
}

/* To the nearest; halfway to the even one, as printf() does. */
static uint64_t round_steps(uint64_t scaled)
{
    const uint64_t quotient = scaled >> STEP_BITS, rest = scaled & (STEPS - 1);

    return quotient + (rest > STEPS / 2 || (rest == STEPS / 2 && (quotient & 1)));
}

static char *put_steps(char *at, uint64_t whole, uint64_t steps, unsigned digits)
{
    unsigned decimals = decimals_of(whole, steps, digits);
    uint64_t fraction = round_steps(steps * powers_of_ten[decimals]);

    if (fraction == powers_of_ten[decimals]) {
        whole++;
        fraction = 0;
    }
    at = qs_put_uint(at, whole);
    if (!fraction)
        return at;
    for (; fraction % 10 == 0; fraction /= 10)
        decimals--;
    *at++ = '.';
    return put_digits(at, fraction, decimals);
}

static bool is_in_steps(double value)
{
    const double size = fabs(value) * STEPS;

    return size < (double)WHOLE_MAX * STEPS && (double)(uint64_t)size == size;
}

static char *put_in_steps(char *at, double value, unsigned digits)
{
    const uint64_t steps = (uint64_t)(fabs(value) * STEPS);

    if (signbit(value))
        *at++ = '-';
    return put_steps(at, steps >> STEP_BITS, steps & (STEPS - 1), digits);
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
        return put_in_steps(at, value, SHOWN_DIGITS);
    return put_formatted(at, "%.9g", value);
}

/* --- Reals of JSON */

bool qs_is_finite(double value)
{
    return isfinite(value);
}

/* An exponent without what JSON needs not: "e+09" is "e9", "e-07" is "e-7". Its new end. */
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
    char *end = is_in_steps(value) ? put_in_steps(at, value, ALL_DIGITS)
                                   : put_formatted(at, "%.17g", value);

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
