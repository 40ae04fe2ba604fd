/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/dump/number.h"

#include <math.h>
#include <stdbool.h>

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
    DIGITS = 9
};

/* How many digits behind the point make DIGITS of them that count. */
static unsigned decimals_of(uint64_t whole, uint64_t steps)
{
    unsigned decimals = DIGITS;

    if (whole)
        return DIGITS - count_digits(whole);
    while (decimals < STEP_DECIMALS && steps * powers_of_ten[decimals - DIGITS + 1] < STEPS)
        decimals++;
    return decimals;
}

/* To the nearest; halfway to the even one, as printf() does. */
static uint64_t round_steps(uint64_t scaled)
{
    const uint64_t quotient = scaled >> STEP_BITS, rest = scaled & (STEPS - 1);

    return quotient + (rest > STEPS / 2 || (rest == STEPS / 2 && (quotient & 1)));
}

static char *put_steps(char *at, uint64_t whole, uint64_t steps)
{
    unsigned decimals = decimals_of(whole, steps);
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

char *qs_put_real(char *at, double value)
{
    const double size = fabs(value) * STEPS;
    char text[G_ASCII_DTOSTR_BUF_SIZE];
    uint64_t steps;

    if (!(size < (double)WHOLE_MAX * STEPS) || (double)(uint64_t)size < size) {
        g_ascii_formatd(text, sizeof text, "%.9g", value);
        return qs_put_text(at, text, strlen(text));
    }
    if (signbit(value))
        *at++ = '-';
    steps = (uint64_t)size;
    return put_steps(at, steps >> STEP_BITS, steps & (STEPS - 1));
}
