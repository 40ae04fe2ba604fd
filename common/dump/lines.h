/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a dump collects of a packet before it writes: lines, and numbers of sources. */
#ifndef QS_DUMP_LINES_H
#define QS_DUMP_LINES_H

#include "common/dump/dump.h"

/* --- Sources: numbered from 1 on, in the order in which they begin */

/* All zero: the packet's payload is the source. */
struct qs_source_numbers {
    unsigned begun;                 /* how many there were */
    unsigned stack[QS_SOURCES_MAX]; /* innermost last */
    unsigned depth;
};

/* For a sink's `source`. */
static inline void qs_source_numbers_set(struct qs_source_numbers *numbers, const uint8_t *data)
{
    if (data && numbers->depth < QS_SOURCES_MAX)
        numbers->stack[numbers->depth++] = ++numbers->begun;
    else if (!data && numbers->depth)
        numbers->depth--;
}

/* The number of the source that offsets count in; 0: the payload. */
static inline unsigned qs_source_number(const struct qs_source_numbers *numbers)
{
    return numbers->depth ? numbers->stack[numbers->depth - 1] : 0;
}

/* --- Lines of a text dump */

struct qs_position {
    unsigned source; /* 0: the payload */
    uint32_t offset, length;
};

struct qs_dump_line {
    const struct qs_field *row; /* NULL: a note */
    const char *name;
    const char *mark; /* before the value; NULL: a group, which has none */
    bool generated;
    uint64_t number; /* of an integer or a boolean */
    struct qs_position position;
    gsize text, text_end; /* the value, in `texts` */
    guint end;            /* of a group: the index behind its last line */
};

struct qs_dump_lines {
    struct qs_dump_line *at;
    guint count, room;
    GString *texts; /* of all lines */
};

/* Appends the lines of a packet in the compact form behind its first one, which has no line end
 * yet; and to that one the packet's size, unless it ends with its last field. */
void qs_compact_append(GString *out, const struct qs_dump_lines *lines,
                       const struct qs_dump_packet *about);

#endif
