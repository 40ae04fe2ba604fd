/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers as sets of bits. */
#ifndef QS_CORE_BITS_H
#define QS_CORE_BITS_H

#include <stdint.h>

/* How many bits are set. */
static inline unsigned qs_count_bits(uint64_t bits)
{
    unsigned count = 0;

    for (; bits; bits &= bits - 1)
        count++;
    return count;
}

#endif
