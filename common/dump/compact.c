/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The compact form of text dumps; its grammar is in dump.h. */
#include <stdio.h>
#include <string.h>

#include "common/dump/lines.h"
#include "common/core/numeric_text.h"

/* No group: lines of the packet that are in none. */
enum { NO_GROUP = -1 };

struct printer {
    struct qs_compact *compact;
    GString *out;
    const struct qs_dump_lines *lines;
    const struct qs_protocol *protocol;
    uint64_t number; /* of the packet */
    gsize prefix;    /* characters of the protocol's name, and the dot */
    gint on_line;    /* the group whose line is being written */
};

struct group {
    gint index; /* or NO_GROUP */
    unsigned depth;
    const char *stem; /* what its fields' names begin with: "playerinfo" */
    gsize stem_length;
};

static const struct qs_dump_line *line_at(const struct printer *printer, guint index)
{
    return &printer->lines->at[index];
}

static bool is_left_out(const struct printer *printer, const struct qs_dump_line *line)
{
    return printer->compact->is_left_out &&
           printer->compact->is_left_out(printer->compact->user, line);
}

/* --- Names ----------------------------------------------------------------------------------- */

/* Without the protocol's prefix, which all names of its rows have. */
static const char *short_name(const struct printer *printer, const char *name)
{
    return name + printer->prefix;
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

static void append_name(const struct printer *printer, const struct group *group, const char *name)
{
    const char *rest = short_name(printer, name);

    if (group->stem && strncmp(rest, group->stem, group->stem_length) == 0 &&
        rest[group->stem_length] == '.')
        rest += group->stem_length;
    qs_append_chars(printer->out, rest, strlen(rest));
}

/* --- Positions ------------------------------------------------------------------------------- */

static void append_number(GString *out, char mark, uint64_t number)
{
    char *at = qs_room(out, QS_NUMBER_MAX + 1);

    *at++ = mark;
    qs_room_end(out, qs_put_uint(at, number));
}

static bool begins_at(struct qs_position a, struct qs_position b)
{
    return a.source == b.source && a.offset == b.offset;
}

static struct qs_position end_of(struct qs_position is)
{
    return (struct qs_position){.source = is.source, .offset = is.offset + is.length};
}

/* "@12", "@1:12". */
static void append_place(GString *out, struct qs_position is, bool with_source)
{
    append_number(out, '@', with_source ? is.source : is.offset);
    if (with_source)
        append_number(out, ':', is.offset);
}

/* What does not begin where the field before it ends; a derived field, as the one before it. */
static void append_field_position(struct printer *printer, const struct qs_dump_line *line)
{
    struct qs_compact *compact = printer->compact;
    const struct qs_position expected = line->generated ? compact->last : compact->next;

    if (!begins_at(line->position, expected))
        append_place(printer->out, line->position, line->position.source != expected.source);
    compact->last = line->position;
    if (!line->generated)
        compact->next = end_of(line->position);
}

/* A number that is a secret has a row of its own for the text: see qs_guard_value(). */
static bool is_of_table(const struct printer *printer, const struct qs_field *row)
{
    return row >= printer->protocol->fields &&
           row < printer->protocol->fields + printer->protocol->field_count;
}

/* --- Values ---------------------------------------------------------------------------------- */

static bool is_name_of(const struct printer *printer, const struct group *group, const char *name,
                       gsize length)
{
    const char *own;

    if (group->index == NO_GROUP)
        return false;
    own = short_name(printer, line_at(printer, (guint)group->index)->name);
    return strlen(own) == length && memcmp(own, name, length) == 0;
}

/* "19 (svc_damage)" without the blank, and without the name where the group has it. */
static void append_named(const struct printer *printer, const struct group *group,
                         const char *value, gsize length)
{
    const char *name = memchr(value, ' ', length);
    const gsize number = name ? (gsize)(name - value) : length;

    qs_append_chars(printer->out, value, number);
    if (!name)
        return;
    if (is_name_of(printer, group, name + 2, length - number - 3))
        g_string_append(printer->out, "()");
    else
        qs_append_chars(printer->out, name + 1, length - number - 1);
}

static void append_value(const struct printer *printer, const struct group *group,
                         const struct qs_dump_line *line)
{
    const char *value = printer->lines->texts->str + line->text;
    const gsize length = line->text_end - line->text;

    if (line->row->type == QS_FRAMENUM)
        g_string_append_printf(printer->out, "#%" G_GINT64_FORMAT,
                               (gint64)(line->number - printer->number));
    else if (line->row->names)
        append_named(printer, group, value, length);
    else
        qs_append_chars(printer->out, value, length);
}

/* --- Parts ----------------------------------------------------------------------------------- */

/* The lines behind `index` that are parts of it: the next rows, with a mask. Index behind them. */
static guint end_of_parts(const struct printer *printer, guint index, guint end)
{
    const struct qs_dump_line *whole = line_at(printer, index);
    guint at = index + 1;

    if (whole->row->mask)
        return at;
    while (at < end && line_at(printer, at)->row == whole->row + (at - index) &&
           line_at(printer, at)->row->mask)
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
static void append_part_value(const struct printer *printer, const struct group *group,
                              const struct qs_dump_line *part, uint64_t implied)
{
    const char *value = printer->lines->texts->str + part->text,
               *end = value + (part->text_end - part->text);
    const char *name = part->row->names ? memchr(value, ' ', (size_t)(end - value)) : NULL;

    if (name && part->row->type <= QS_U64 && implied == part->number)
        g_string_append_len(printer->out, name + 1, end - name - 1);
    else
        append_value(printer, group, part);
}

static void append_part(struct printer *printer, const struct group *group,
                        const struct qs_dump_line *whole, const struct qs_dump_line *part)
{
    const gsize length = strlen(whole->name);

    if (strncmp(part->name, whole->name, length) == 0 && part->name[length] == '.')
        g_string_append(printer->out, part->name + length);
    else
        append_name(printer, &(struct group){.index = NO_GROUP}, part->name);
    if (part->row->type == QS_BOOL && part->number)
        return;
    g_string_append_c(printer->out, '=');
    append_part_value(printer, group, part, part_of(part->row, whole->number));
}

/* It follows from the number. A name is shown: nobody knows it by the number. */
static bool is_implied(const struct printer *printer, uint64_t whole,
                       const struct qs_dump_line *part)
{
    const uint64_t number = part_of(part->row, whole);

    if (is_left_out(printer, part))
        return true;
    return number == part->number && !(number && part->row->names);
}

/* Those that do not follow from the number, or have a name. */
static void append_parts(struct printer *printer, const struct group *group, guint index, guint end)
{
    const struct qs_dump_line *whole = line_at(printer, index);
    char before = '{';

    for (guint i = index + 1; i < end; i++) {
        if (is_implied(printer, whole->number, line_at(printer, i)))
            continue;
        g_string_append_c(printer->out, before);
        append_part(printer, group, whole, line_at(printer, i));
        before = ' ';
    }
    if (before == ' ')
        g_string_append_c(printer->out, '}');
}

/* --- Fields ---------------------------------------------------------------------------------- */

static void begin_line(struct printer *printer, unsigned indent)
{
    g_string_append_c(printer->out, '\n');
    for (unsigned i = 0; i < indent; i++)
        g_string_append_c(printer->out, ' ');
}

static void continue_line(struct printer *printer, const struct group *group)
{
    if (printer->on_line != group->index || (group->index == NO_GROUP)) {
        begin_line(printer, group->depth + 1);
        g_string_append_c(printer->out, '+');
    }
    printer->on_line = group->index;
    g_string_append_c(printer->out, ' ');
}

/* The number that the name of the group is of: it is its first field, "svc" of "svc_damage". */
static bool is_id(const struct printer *printer, const struct group *group, guint index)
{
    const struct qs_dump_line *line = line_at(printer, index);
    const char *name;
    uint32_t number;

    if (group->index == NO_GROUP || group->index + 1 != (gint)index || line->generated ||
        !is_of_table(printer, line->row))
        return false;
    name = short_name(printer, line_at(printer, (guint)group->index)->name);
    return has_id_name(name, short_name(printer, line->name)) &&
           qs_number_of(line->row->names, name, &number) && number == line->number;
}

static guint append_field(struct printer *printer, const struct group *group, guint index,
                          guint end)
{
    const struct qs_dump_line *line = line_at(printer, index);
    const guint next =
        is_of_table(printer, line->row) ? end_of_parts(printer, index, end) : index + 1;

    if (next == index + 1 && is_id(printer, group, index)) {
        g_string_append(printer->out, "()");
        append_field_position(printer, line_at(printer, index));
        return next;
    }
    continue_line(printer, group);
    append_name(printer, group, line->name);
    if (line->generated)
        g_string_append_c(printer->out, ':');
    g_string_append_c(printer->out, '=');
    append_value(printer, group, line);
    append_parts(printer, group, index, next);
    append_field_position(printer, line);
    return next;
}

/* --- Groups ---------------------------------------------------------------------------------- */

/* A group of nothing but its row's components, at the places where they are expected. */
static bool is_vector(const struct printer *printer, guint index)
{
    const struct qs_dump_line *group = line_at(printer, index);
    const gsize length = strlen(group->name);
    uint32_t at = group->position.offset;

    if (group->end < index + 3 || group->end > index + 4 ||
        !begins_at(group->position, printer->compact->next))
        return false;
    for (guint i = index + 1; i < group->end; i++) {
        const struct qs_dump_line *line = line_at(printer, i);

        if (!line->row || line->row != group->row + (i - index) || line->generated || !line->mark ||
            strncmp(line->name, group->name, length) != 0 || line->name[length] != '.' ||
            line->position.source != group->position.source || line->position.offset != at ||
            is_left_out(printer, line))
            return false;
        at += line->position.length;
    }
    return at == group->position.offset + group->position.length;
}

static void append_vector(struct printer *printer, const struct group *group, guint index)
{
    const struct qs_dump_line *line = line_at(printer, index);

    continue_line(printer, group);
    append_name(printer, group, line->name);
    g_string_append(printer->out, "=(");
    for (guint i = index + 1; i < line->end; i++) {
        if (i > index + 1)
            g_string_append_c(printer->out, ' ');
        append_value(printer, group, line_at(printer, i));
        append_field_position(printer, line_at(printer, i));
    }
    g_string_append_c(printer->out, ')');
}

static void append_lines(struct printer *printer, const struct group *group, guint from, guint end);

/* Its length is written behind its name where it does not end with its last field. */
static void append_group(struct printer *printer, const struct group *outer, guint index)
{
    const struct qs_dump_line *line = line_at(printer, index);
    const char *stem = stem_of(short_name(printer, line->name));
    const struct group group = {
        .index = (gint)index, .depth = outer->depth + 1, .stem = stem, .stem_length = strlen(stem)};
    struct qs_compact *compact = printer->compact;
    const struct qs_position end = end_of(line->position);
    char length[QS_NUMBER_MAX + 1];
    gsize place;

    begin_line(printer, outer->depth + 1);
    g_string_append(printer->out, short_name(printer, line->name));
    if (!begins_at(line->position, compact->next))
        append_place(printer->out, line->position, line->position.source != compact->next.source);
    place = printer->out->len;
    printer->on_line = (gint)index;
    compact->next = line->position;
    append_lines(printer, &group, index + 1, line->end);
    if (!begins_at(compact->next, end)) {
        snprintf(length, sizeof length, "+%u", line->position.length);
        g_string_insert(printer->out, (gssize)place, length);
    }
    compact->next = end;
    printer->on_line = NO_GROUP;
}

static void append_note(struct printer *printer, const struct group *group,
                        const struct qs_dump_line *line)
{
    begin_line(printer, group->depth + 1);
    g_string_append_printf(printer->out, "! %s", line->name);
    append_place(printer->out, line->position,
                 line->position.source != printer->compact->next.source);
    append_number(printer->out, '+', line->position.length);
    g_string_append_c(printer->out, ' ');
    g_string_append_len(printer->out, printer->lines->texts->str + line->text,
                        (gssize)(line->text_end - line->text));
    printer->on_line = NO_GROUP;
}

static guint append_item(struct printer *printer, const struct group *group, guint index, guint end)
{
    const struct qs_dump_line *line = line_at(printer, index);

    if (is_left_out(printer, line))
        return index + 1; /* of a group its fields go on */
    if (line->row && line->mark)
        return append_field(printer, group, index, end);
    if (!line->row)
        append_note(printer, group, line);
    else if (is_vector(printer, index))
        append_vector(printer, group, index);
    else
        append_group(printer, group, index);
    return line->row ? line->end : index + 1;
}

static void append_lines(struct printer *printer, const struct group *group, guint from, guint end)
{
    for (guint i = from; i < end;)
        i = append_item(printer, group, i, end);
}

/* --- Packets --------------------------------------------------------------------------------- */

void qs_compact_append(struct qs_compact *compact, GString *out, const struct qs_dump_lines *lines,
                       const struct qs_dump_packet *about)
{
    const struct qs_protocol *protocol = about->decoder->protocol;
    struct printer printer = {.compact = compact,
                              .out = out,
                              .lines = lines,
                              .protocol = protocol,
                              .number = about->packet->number,
                              .prefix = strlen(protocol->name) + 1,
                              .on_line = NO_GROUP};
    const struct group none = {.index = NO_GROUP, .depth = 0};

    compact->next = compact->last = (struct qs_position){0};
    append_lines(&printer, &none, 0, lines->count);
    g_string_append_c(out, '\n');
}
