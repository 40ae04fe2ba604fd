/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/dump/positions.h"

#include <glib.h>
#include <string.h>

/* Of a text it is how much longer the field is than the text: quotation marks, a NUL. */
struct qs_length {
    uint32_t packet; /* in which it was so */
    uint32_t length;
    struct qs_position at; /* of the field, the last time */
};

/* Rows of derived fields stand so near behind the row that they are derived from. */
enum { ROWS_BACK = 8 };

enum { COORD_LENGTH = 2, ANGLE_LENGTH = 1, TEXT_END = 1 };

void qs_positions_clear(struct qs_positions *positions)
{
    g_free(positions->lengths);
    *positions = (struct qs_positions){0};
}

void qs_positions_begin(struct qs_positions *positions, unsigned rows)
{
    if (positions->rows < rows) {
        g_free(positions->lengths);
        positions->lengths = g_new0(struct qs_length, rows);
        positions->rows = rows;
        positions->packet = 0;
    }
    positions->next = positions->last = (struct qs_position){0};
    memset(positions->of_type, 0, sizeof positions->of_type);
    positions->coord = COORD_LENGTH;
    positions->angle = ANGLE_LENGTH;
    positions->packet++;
}

static uint32_t length_of_type(const struct qs_positions *positions, enum qs_type type)
{
    switch (type) {
    case QS_COORD:
        return positions->coord;
    case QS_ANGLE:
        return positions->angle;
    case QS_FLOAT:
    case QS_IPV4:
        return 4;
    case QS_IPV6:
        return 16;
    case QS_DOUBLE:
        return 8;
    case QS_BOOL:
        return 1;
    default:
        return qs_type_bits(type) / 8;
    }
}

/* What is known of the row from the same packet, or NULL. */
static struct qs_length *known_length(const struct qs_positions *positions,
                                      const struct qs_field_place *field)
{
    struct qs_length *length;

    if (!field->row || field->id >= positions->rows)
        return NULL;
    length = &positions->lengths[field->id];
    return length->packet == positions->packet ? length : NULL;
}

static uint32_t expected_length(const struct qs_positions *positions,
                                const struct qs_field_place *field)
{
    const struct qs_length *known = known_length(positions, field);

    if (field->is_text)
        return field->size + (known ? known->length : TEXT_END);
    if (!field->row || field->row->type == QS_BYTES)
        return field->size;
    if (known && field->row->type != QS_COORD && field->row->type != QS_ANGLE)
        return known->length;
    if (positions->of_type[field->row->type])
        return positions->of_type[field->row->type];
    return length_of_type(positions, field->row->type);
}

static bool goes_on_behind(const char *name, const char *start)
{
    const size_t length = strlen(start);

    return strncmp(name, start, length) == 0 && name[length] == '.';
}

/* "model.name" has the place of "model", the last time in the packet; others that of the field
 * before. */
static struct qs_position expected_of_derived(const struct qs_positions *positions,
                                              const struct qs_field_place *field)
{
    for (unsigned i = 1; field->row && i <= MIN(field->id, ROWS_BACK); i++) {
        const struct qs_field_place origin = {.row = field->row - i, .id = field->id - i};
        const struct qs_length *known;

        if (!goes_on_behind(field->row->name, origin.row->name))
            continue;
        known = known_length(positions, &origin);
        return known ? known->at : positions->last;
    }
    return positions->last;
}

struct qs_position qs_positions_expect(const struct qs_positions *positions,
                                       const struct qs_field_place *field)
{
    struct qs_position position = positions->next;

    if (field->generated)
        return expected_of_derived(positions, field);
    position.length = expected_length(positions, field);
    return position;
}

static void learn_length(struct qs_positions *positions, const struct qs_field_place *field,
                         struct qs_position position)
{
    const uint32_t length = position.length;

    if (!field->row || field->id >= positions->rows)
        return;
    if (field->row->type == QS_COORD)
        positions->coord = length;
    if (field->row->type == QS_ANGLE)
        positions->angle = length;
    if (qs_type_bits(field->row->type))
        positions->of_type[field->row->type] = length;
    positions->lengths[field->id] = (struct qs_length){
        positions->packet, field->is_text ? length - field->size : length, position};
}

void qs_positions_update(struct qs_positions *positions, const struct qs_field_place *field,
                         struct qs_position position)
{
    positions->last = position;
    if (field->generated)
        return;
    learn_length(positions, field, position);
    qs_positions_move(positions, position.source, position.offset + position.length);
}

void qs_positions_move(struct qs_positions *positions, unsigned source, uint32_t offset)
{
    positions->next = (struct qs_position){.source = source, .offset = offset};
}
