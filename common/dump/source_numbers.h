/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The numbers that dumps give a packet's sources: from 1, in the order in which they begin. */
#ifndef QS_DUMP_SOURCE_NUMBERS_H
#define QS_DUMP_SOURCE_NUMBERS_H

#include "common/core/parse.h"

/* All zero: the packet's payload is the source. */
struct qs_source_numbers {
    unsigned begun;                    /* how many there were */
    unsigned in_force[QS_SOURCES_MAX]; /* innermost last */
    unsigned depth;
};

/* For a sink's `source`. */
static inline void qs_source_numbers_set(struct qs_source_numbers *numbers, const uint8_t *data)
{
    if (data && numbers->depth < QS_SOURCES_MAX)
        numbers->in_force[numbers->depth++] = ++numbers->begun;
    else if (!data && numbers->depth)
        numbers->depth--;
}

/* The number of the source that offsets count in; 0: the payload. */
static inline unsigned qs_source_number(const struct qs_source_numbers *numbers)
{
    return numbers->depth ? numbers->in_force[numbers->depth - 1] : 0;
}

#endif
