/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The compact form of text dumps; its grammar is in dump.h. */
#include <string.h>

#include "common/dump/lines.h"
#include "common/core/numeric_text.h"

/* No group: lines of the packet that are in none. */
enum { NO_GROUP = -1 };

/* A packet that is being written. */
struct pen {
    struct qs_compact *compact;
    GString *out;
    const struct qs_dump_lines *lines;
    const struct qs_protocol *protocol;
    uint64_t number; /* of the packet */
    gsize prefix;    /* characters of the protocol's name, and the dot */
    gint on_line;    /* the group whose line is being written */
};

/* A group whose lines are being written. */
struct group {
    gint index; /* or NO_GROUP */
    unsigned depth;
    const char *stem; /* what its fields' names begin with: "playerinfo" */
    gsize stem_length;
};

static const struct qs_dump_line *line_at(const struct pen *pen, guint index)
{
    return &pen->lines->at[index];
}

static bool is_left_out(const struct pen *pen, const struct qs_dump_line *line)
{
    return pen->compact->is_left_out && pen->compact->is_left_out(pen->compact->user, line);
}

/* --- Names ----------------------------------------------------------------------------------- */

/* Without the protocol's prefix, which all names of its rows have. */
static const char *short_name(const struct pen *pen, const char *name)
{
    return name + pen->prefix;
}

/* "svc_playerinfo" is "playerinfo" in the names of its fields. */
static const char *stem_of(const char *group)
{
    const char *underscore = strchr(group, '_');

    return underscore && underscore - group == 3 ? underscore + 1 : group;
}

/* The field has the number by which messages are known: "svc", of "svc_playerinfo". */
static bool has_id_name(const char *group, const char *field)
{
    const char *stem = stem_of(group);

    return stem > group && strlen(field) == (gsize)(stem - group) - 1 &&
           strncmp(group, field, strlen(field)) == 0;
}

static void append_name(const struct pen *pen, const struct group *group, const char *name)
{
    const char *rest = short_name(pen, name);

    if (group->stem && strncmp(rest, group->stem, group->stem_length) == 0 &&
        rest[group->stem_length] == '.')
        rest += group->stem_length;
    qs_append_chars(pen->out, rest, strlen(rest));
}

/* --- Positions ------------------------------------------------------------------------------- */

static void append_number(GString *out, char mark, uint64_t number)
{
    char *at = qs_room(out, QS_NUMBER_MAX + 1);

    *at++ = mark;
    qs_room_end(out, qs_put_uint(at, number));
}

/* "@12+2", "@1:12+2"; "+2" alone is at the place that was expected. */
static void put_position(GString *out, struct qs_position is, bool with_offset, bool with_source)
{
    g_string_append_c(out, '@');
    if (with_source) {
        char *at = qs_put_uint(qs_room(out, QS_NUMBER_MAX + 1), is.source);

        *at++ = ':';
        qs_room_end(out, at);
    }
    if (with_source || with_offset)
        qs_room_end(out, qs_put_uint(qs_room(out, QS_NUMBER_MAX), is.offset));
    append_number(out, '+', is.length);
}

/* What is not as expected. A derived field that has a place of its own has it behind the last. */
static void append_position(struct pen *pen, struct qs_position is, struct qs_position expected)
{
    if (qs_position_equal(is, expected))
        return;
    if (qs_position_equal(is, pen->compact->positions.last)) {
        g_string_append_c(pen->out, '@');
        return;
    }
    put_position(pen->out, is, is.offset != pen->compact->positions.next.offset,
                 is.source != pen->compact->positions.next.source);
}

/* A number that is a secret has a row of its own for the text: see qs_guard_value(). */
static bool is_of_table(const struct pen *pen, const struct qs_field *row)
{
    return row >= pen->protocol->fields && row < pen->protocol->fields + pen->protocol->field_count;
}

static struct qs_placed placed(const struct pen *pen, const struct qs_dump_line *line)
{
    const bool known = is_of_table(pen, line->row);

    return (struct qs_placed){.row = known ? line->row : NULL,
                              .id = known ? (unsigned)(line->row - pen->protocol->fields) : 0,
                              .is_text = pen->lines->texts->str[line->text] == '"',
                              .generated = line->generated,
                              .size = line->size};
}

static void append_field_position(struct pen *pen, const struct qs_dump_line *line)
{
    struct qs_positions *positions = &pen->compact->positions;
    const struct qs_placed field = placed(pen, line);

    append_position(pen, line->position, qs_positions_expect(positions, &field));
    qs_positions_take(positions, &field, line->position);
}

/* The number that the line shows, "0x13" or "19 (svc_damage)". */
static uint64_t number_of(const struct pen *pen, const struct qs_dump_line *line)
{
    const gsize length = line->text_end - line->text;
    char digits[QS_NUMBER_MAX + 1] = "";

    memcpy(digits, pen->lines->texts->str + line->text, MIN(length, QS_NUMBER_MAX));
    return g_ascii_strtoull(digits, NULL, 0);
}

/* --- Values ---------------------------------------------------------------------------------- */

/* A number that has the name of its group. */
static bool is_name_of(const struct pen *pen, const struct group *group, const char *name,
                       gsize length)
{
    const char *own;

    if (group->index == NO_GROUP)
        return false;
    own = short_name(pen, line_at(pen, (guint)group->index)->name);
    return strlen(own) == length && memcmp(own, name, length) == 0;
}

/* "19 (svc_damage)" without the blank, and without the name where the group has it. */
static void append_named(const struct pen *pen, const struct group *group, const char *value,
                         gsize length)
{
    const char *name = memchr(value, ' ', length);
    const gsize number = name ? (gsize)(name - value) : length;

    qs_append_chars(pen->out, value, number);
    if (!name)
        return;
    if (is_name_of(pen, group, name + 2, length - number - 3))
        g_string_append(pen->out, "()");
    else
        qs_append_chars(pen->out, name + 1, length - number - 1);
}

/* The text in its quotes, and its bytes in brackets where it has them. */
static void append_text(const struct pen *pen, const char *value, gsize length)
{
    const char *raw =
        value[length - 1] == ']' ? g_strrstr_len(value, (gssize)length, "\" [") : NULL;

    if (!raw) {
        qs_append_chars(pen->out, value, length);
        return;
    }
    qs_append_chars(pen->out, value, (gsize)(raw + 1 - value));
    qs_append_chars(pen->out, raw + 2, (gsize)(value + length - raw - 2));
}

/* Another packet's number, as its distance. */
static void append_distance(const struct pen *pen, const char *value, gsize length)
{
    uint64_t number = 0;

    for (gsize i = 0; i < length; i++)
        number = number * 10 + (uint64_t)(value[i] - '0');
    g_string_append_printf(pen->out, "#%" G_GINT64_FORMAT, (gint64)(number - pen->number));
}

static void append_value(const struct pen *pen, const struct group *group,
                         const struct qs_dump_line *line)
{
    const char *value = pen->lines->texts->str + line->text;
    const gsize length = line->text_end - line->text;

    if (line->row->type == QS_FRAMENUM)
        append_distance(pen, value, length);
    else if (length && *value == '"')
        append_text(pen, value, length);
    else if (line->row->names)
        append_named(pen, group, value, length);
    else
        qs_append_chars(pen->out, value, length);
}

/* --- Parts ----------------------------------------------------------------------------------- */

/* The lines behind `index` that are parts of it: the next rows, with a mask. Index behind them. */
static guint end_of_parts(const struct pen *pen, guint index, guint end)
{
    const struct qs_dump_line *whole = line_at(pen, index);
    guint at = index + 1;

    if (whole->row->mask)
        return at;
    while (at < end && line_at(pen, at)->row == whole->row + (at - index) &&
           line_at(pen, at)->row->mask)
        at++;
    return at;
}

/* The part's number by the bits of its number; 0 for signed ones. */
static uint64_t part_of(const struct qs_field *row, uint64_t whole)
{
    if (row->type == QS_BOOL)
        return (whole & row->mask) != 0;
    if (!row->mask || row->type < QS_U8 || row->type > QS_X64)
        return 0;
    return (whole & row->mask) / (row->mask & -row->mask);
}

/* Only the name where the number is `implied`. */
static void append_part_value(const struct pen *pen, const struct group *group,
                              const struct qs_dump_line *part, uint64_t implied)
{
    const char *value = pen->lines->texts->str + part->text,
               *end = value + (part->text_end - part->text);
    const char *name = part->row->names ? memchr(value, ' ', (size_t)(end - value)) : NULL;

    if (name && part->row->type <= QS_U64 && implied == number_of(pen, part))
        g_string_append_len(pen->out, name + 1, end - name - 1);
    else
        append_value(pen, group, part);
}

static void append_part(struct pen *pen, const struct group *group,
                        const struct qs_dump_line *whole, const struct qs_dump_line *part)
{
    const gsize length = strlen(whole->name);

    if (strncmp(part->name, whole->name, length) == 0 && part->name[length] == '.')
        g_string_append(pen->out, part->name + length);
    else
        append_name(pen, &(struct group){.index = NO_GROUP}, part->name);
    if (part->row->type == QS_BOOL && !part->is_zero)
        return;
    g_string_append_c(pen->out, '=');
    append_part_value(pen, group, part, part_of(part->row, number_of(pen, whole)));
}

/* It follows from the number. A name is shown: nobody knows it by the number. */
static bool is_implied(const struct pen *pen, uint64_t whole, const struct qs_dump_line *part)
{
    const uint64_t number = part_of(part->row, whole);

    if (is_left_out(pen, part))
        return true;
    if (part->is_zero || part->row->type == QS_BOOL)
        return part->is_zero == !number;
    return number && !part->row->names && number == number_of(pen, part);
}

/* Those that do not follow from the number, or have a name. */
static void append_parts(struct pen *pen, const struct group *group, guint index, guint end)
{
    const struct qs_dump_line *whole = line_at(pen, index);
    const uint64_t number = number_of(pen, whole);
    char before = '{';

    for (guint i = index + 1; i < end; i++) {
        if (is_implied(pen, number, line_at(pen, i)))
            continue;
        g_string_append_c(pen->out, before);
        append_part(pen, group, whole, line_at(pen, i));
        before = ' ';
    }
    if (before == ' ')
        g_string_append_c(pen->out, '}');
}

/* --- Fields ---------------------------------------------------------------------------------- */

static void begin_line(struct pen *pen, unsigned indent)
{
    g_string_append_c(pen->out, '\n');
    for (unsigned i = 0; i < indent; i++)
        g_string_append_c(pen->out, ' ');
}

/* Sees to it that the group's line goes on. */
static void go_on_with(struct pen *pen, const struct group *group)
{
    if (pen->on_line != group->index || (group->index == NO_GROUP)) {
        begin_line(pen, group->depth + 1);
        g_string_append_c(pen->out, '+');
    }
    pen->on_line = group->index;
    g_string_append_c(pen->out, ' ');
}

/* The number that the name of the group is of: it is its first field, "svc" of "svc_damage". */
static bool is_id(const struct pen *pen, const struct group *group, guint index)
{
    const struct qs_dump_line *line = line_at(pen, index);
    const struct qs_placed field = placed(pen, line);
    const char *name;
    uint32_t number;

    if (group->index == NO_GROUP || group->index + 1 != (gint)index || line->generated ||
        !field.row)
        return false;
    name = short_name(pen, line_at(pen, (guint)group->index)->name);
    return has_id_name(name, short_name(pen, line->name)) &&
           qs_number_of(line->row->names, name, &number) && number == number_of(pen, line) &&
           qs_position_equal(line->position, qs_positions_expect(&pen->compact->positions, &field));
}

static void append_id(struct pen *pen, guint index)
{
    g_string_append(pen->out, "()");
    append_field_position(pen, line_at(pen, index));
}

/* Returns the index behind the field and its parts. */
static guint append_field(struct pen *pen, const struct group *group, guint index, guint end)
{
    const struct qs_dump_line *line = line_at(pen, index);
    const guint next = is_of_table(pen, line->row) ? end_of_parts(pen, index, end) : index + 1;

    if (next == index + 1 && is_id(pen, group, index)) {
        append_id(pen, index);
        return next;
    }
    go_on_with(pen, group);
    append_name(pen, group, line->name);
    if (line->generated)
        g_string_append_c(pen->out, ':');
    g_string_append_c(pen->out, '=');
    append_value(pen, group, line);
    append_parts(pen, group, index, next);
    append_field_position(pen, line);
    return next;
}

/* --- Groups ---------------------------------------------------------------------------------- */

/* A group of nothing but its row's components, at the places where they are expected. */
static bool is_vector(const struct pen *pen, guint index)
{
    const struct qs_dump_line *group = line_at(pen, index);
    const gsize length = strlen(group->name);
    const struct qs_position next = pen->compact->positions.next;
    uint32_t at = group->position.offset;

    if (group->end < index + 3 || group->end > index + 4 || next.source != group->position.source ||
        next.offset != at)
        return false;
    for (guint i = index + 1; i < group->end; i++) {
        const struct qs_dump_line *line = line_at(pen, i);

        if (!line->row || line->row != group->row + (i - index) || line->generated || !line->mark ||
            strncmp(line->name, group->name, length) != 0 || line->name[length] != '.' ||
            line->position.source != next.source || line->position.offset != at ||
            is_left_out(pen, line))
            return false;
        at += line->position.length;
    }
    return at == group->position.offset + group->position.length;
}

static void append_vector(struct pen *pen, const struct group *group, guint index)
{
    const struct qs_dump_line *line = line_at(pen, index);

    go_on_with(pen, group);
    append_name(pen, group, line->name);
    g_string_append(pen->out, "=(");
    for (guint i = index + 1; i < line->end; i++) {
        if (i > index + 1)
            g_string_append_c(pen->out, ' ');
        append_value(pen, group, line_at(pen, i));
        append_field_position(pen, line_at(pen, i));
    }
    g_string_append_c(pen->out, ')');
}

static void append_lines(struct pen *pen, const struct group *group, guint from, guint end);

/* Its length is written behind its name where it does not end with its last field. */
static void append_group(struct pen *pen, const struct group *outer, guint index)
{
    const struct qs_dump_line *line = line_at(pen, index);
    const char *stem = stem_of(short_name(pen, line->name));
    const struct group group = {
        .index = (gint)index, .depth = outer->depth + 1, .stem = stem, .stem_length = strlen(stem)};
    struct qs_positions *positions = &pen->compact->positions;
    const struct qs_position before = positions->next;
    const uint32_t end = line->position.offset + line->position.length;
    gsize place;

    begin_line(pen, outer->depth + 1);
    g_string_append(pen->out, short_name(pen, line->name));
    place = pen->out->len;
    pen->on_line = (gint)index;
    qs_positions_move(positions, line->position.source, line->position.offset);
    append_lines(pen, &group, index + 1, line->end);
    if (before.source != line->position.source || before.offset != line->position.offset ||
        positions->next.source != line->position.source || positions->next.offset != end) {
        GString *text = g_string_new(NULL);

        put_position(text, line->position, before.offset != line->position.offset,
                     before.source != line->position.source);
        g_string_insert_len(pen->out, (gssize)place, text->str, (gssize)text->len);
        g_string_free(text, TRUE);
    }
    qs_positions_move(positions, line->position.source, end);
    pen->on_line = NO_GROUP;
}

static void append_note(struct pen *pen, const struct group *group, const struct qs_dump_line *line)
{
    begin_line(pen, group->depth + 1);
    g_string_append_printf(pen->out, "! %s", line->name);
    put_position(pen->out, line->position, true,
                 line->position.source != pen->compact->positions.next.source);
    g_string_append_c(pen->out, ' ');
    g_string_append_len(pen->out, pen->lines->texts->str + line->text,
                        (gssize)(line->text_end - line->text));
    pen->on_line = NO_GROUP;
}

/* Returns the index behind what was written. */
static guint append_item(struct pen *pen, const struct group *group, guint index, guint end)
{
    const struct qs_dump_line *line = line_at(pen, index);

    if (is_left_out(pen, line))
        return index + 1; /* of a group its fields go on */
    if (line->row && line->mark)
        return append_field(pen, group, index, end);
    if (!line->row)
        append_note(pen, group, line);
    else if (is_vector(pen, index))
        append_vector(pen, group, index);
    else
        append_group(pen, group, index);
    return line->row ? line->end : index + 1;
}

static void append_lines(struct pen *pen, const struct group *group, guint from, guint end)
{
    for (guint i = from; i < end;)
        i = append_item(pen, group, i, end);
}

/* --- Packets --------------------------------------------------------------------------------- */

void qs_compact_append(struct qs_compact *compact, GString *out, const struct qs_dump_lines *lines,
                       const struct qs_dump_packet *about)
{
    const struct qs_protocol *protocol = about->decoder->protocol;
    struct pen pen = {.compact = compact,
                      .out = out,
                      .lines = lines,
                      .protocol = protocol,
                      .number = about->packet->number,
                      .prefix = strlen(protocol->name) + 1,
                      .on_line = NO_GROUP};
    const struct group none = {.index = NO_GROUP, .depth = 0};

    qs_positions_begin(&compact->positions, protocol->field_count);
    append_lines(&pen, &none, 0, lines->count);
    g_string_append_c(out, '\n');
}
