/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The expected position of a packet's next field: the compact form of dumps writes only positions
 * that differ from it, and its reader expects the same.
 *
 * A field begins where the one before it ends; a derived one has the position of the field whose
 * name its name goes on ("model", "model.name"), else of the one before. It is as long as the field
 * of that row was before in the packet, else as its type says.
 */
#ifndef QS_DUMP_POSITIONS_H
#define QS_DUMP_POSITIONS_H

#include "common/core/field.h"

struct qs_position {
    unsigned source; /* 0: the payload */
    uint32_t offset, length;
};

static inline bool qs_position_equal(struct qs_position a, struct qs_position b)
{
    return a.source == b.source && a.offset == b.offset && a.length == b.length;
}

/* A field, as far as its position depends on it. */
struct qs_field_place {
    const struct qs_field *row; /* NULL: not known */
    unsigned id;                /* of the row */
    bool is_text;               /* its value is */
    bool generated;
    uint32_t size; /* of a text's or bytes' value */
};

struct qs_length;

struct qs_positions {
    struct qs_position next, last;     /* the next field's without its length; the last field's */
    uint32_t coord, angle;             /* lengths of the last ones */
    uint32_t of_type[QS_DURATION + 1]; /* the same of integers; 0: none was there */
    struct qs_length *lengths;         /* by row, as many as `rows` */
    unsigned rows;
    uint32_t packet; /* counts packets, so that lengths of earlier ones are known */
};

/* Initially all zero. */
void qs_positions_clear(struct qs_positions *positions);

/* A packet of a protocol with so many rows begins. */
void qs_positions_begin(struct qs_positions *positions, unsigned rows);

struct qs_position qs_positions_expect(const struct qs_positions *positions,
                                       const struct qs_field_place *field);

/* The field was at `position`. */
void qs_positions_update(struct qs_positions *positions, const struct qs_field_place *field,
                         struct qs_position position);

/* A group begins, or a group ends, at an offset of a source. */
void qs_positions_move(struct qs_positions *positions, unsigned source, uint32_t offset);

#endif
