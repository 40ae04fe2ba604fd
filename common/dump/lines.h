/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The lines of a packet that a text dump has collected, for the forms in which it writes them. */
#ifndef QS_DUMP_LINES_H
#define QS_DUMP_LINES_H

#include "common/dump/dump.h"
#include "common/dump/positions.h"

struct qs_dump_line {
    const struct qs_field *row; /* NULL: a note */
    const char *name;           /* of a note without the protocol's prefix */
    const char *mark;           /* before the value; NULL: a group, which has none */
    bool generated;
    bool is_zero; /* the value is 0 or false */
    struct qs_position position;
    uint32_t size;        /* of a text's or bytes' value */
    gsize text, text_end; /* the value, in `texts` */
    guint end;            /* of a group: the index behind its last line */
};

struct qs_dump_lines {
    struct qs_dump_line *at;
    guint count, room;
    GString *texts; /* of all lines */
};

/* Whether the form leaves the line out. */
typedef bool qs_line_test(void *user, const struct qs_dump_line *line);

/* The compact form, from packet to packet; all zero to begin with. */
struct qs_compact {
    struct qs_positions positions;
    qs_line_test *is_left_out; /* or NULL */
    void *user;
};

/* Appends the lines of a packet, behind its first one, of which the end is lacking; see dump.h. */
void qs_compact_append(struct qs_compact *compact, GString *out, const struct qs_dump_lines *lines,
                       const struct qs_dump_packet *about);

#endif
