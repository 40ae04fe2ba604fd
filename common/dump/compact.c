/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Compact form of text dumps; quakeshark-dump(5) has its grammar. */
#include <stdio.h>
#include <string.h>

#include "common/dump/dump.h"
#include "common/core/numeric_text.h"

/* Index for lines of the packet outside of any group. */
enum { NO_GROUP = -1 };

struct printer {
    GString *out;
    const struct qs_dump_lines *lines;
    const struct qs_protocol *protocol;
    uint64_t number;               /* number of the packet */
    gsize prefix;                  /* length of the protocol's name and the dot */
    gint on_line;                  /* group whose line is being written */
    struct qs_position next, last; /* expected position of the next field; position of the last */
};

struct group {
    gint index; /* or NO_GROUP */
    unsigned depth;
    const char *name; /* name without the protocol's prefix, which all names have */
    const char *stem; /* beginning of its fields' names: "playerinfo" for "svc_playerinfo" */
};

static const struct qs_dump_line *line_at(const struct printer *printer, guint index)
{
    return &printer->lines->at[index];
}

static struct group group_of(const struct printer *printer, guint index, unsigned depth)
{
    const char *name = line_at(printer, index)->name + printer->prefix;
    const char *underscore = strchr(name, '_');

    return (struct group){(gint)index, depth, name,
                          underscore && underscore - name == 3 ? underscore + 1 : name};
}

/* Returns the rest of the name after `stem`, from the dot on, or NULL if it begins otherwise. */
static const char *behind_stem(const char *name, const char *stem)
{
    const gsize length = strlen(stem);

    return strncmp(name, stem, length) == 0 && name[length] == '.' ? name + length : NULL;
}

/* --- Positions ------------------------------------------------------------------------------- */

static void append_number(GString *out, char separator, uint64_t number)
{
    char *at = qs_room(out, QS_NUMBER_MAX + 1);

    *at++ = separator;
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

/* Appends "@12", or "@1:12" if the source is not the expected one. */
static void append_position(GString *out, struct qs_position is, struct qs_position expected)
{
    const bool with_source = is.source != expected.source;

    append_number(out, '@', with_source ? is.source : is.offset);
    if (with_source)
        append_number(out, ':', is.offset);
}

/* Appends a position unless it follows the previous field or, if generated, equals that field's. */
static void append_field_position(struct printer *printer, const struct qs_dump_line *line)
{
    const struct qs_position expected = line->generated ? printer->last : printer->next;

    if (!begins_at(line->position, expected))
        append_position(printer->out, line->position, expected);
    printer->last = line->position;
    if (!line->generated)
        printer->next = end_of(line->position);
}

/* --- Values and parts ------------------------------------------------------------------------ */

/* Appends "19 (svc_damage)" without the blank, without the name if the group has the same, and
 * without the number if it is implied. */
static void append_value(const struct printer *printer, const struct group *group,
                         const struct qs_dump_line *line, bool is_implied)
{
    const char *value = printer->lines->texts->str + line->text;
    const gsize length = line->text_end - line->text;
    const char *name = line->row->names ? memchr(value, ' ', length) : NULL;
    const gsize number = name ? (gsize)(name - value) : length;

    if (line->row->type == QS_FRAMENUM) {
        g_string_append_printf(printer->out, "#%" G_GINT64_FORMAT,
                               (gint64)(line->number - printer->number));
        return;
    }
    if (!name || !is_implied)
        qs_append_chars(printer->out, value, number);
    if (!name)
        return;
    if (!is_implied && group->name && strlen(group->name) == length - number - 3 &&
        memcmp(group->name, name + 2, length - number - 3) == 0)
        g_string_append(printer->out, "()");
    else
        qs_append_chars(printer->out, name + 1, length - number - 1);
}

/* True for rows of the protocol's table; those of redacted numbers are not in it (secret.c). */
static bool is_of_table(const struct printer *printer, const struct qs_field *row)
{
    return row >= printer->protocol->fields &&
           row < printer->protocol->fields + printer->protocol->field_count;
}

/* Returns the index after the lines that are parts of line `index`: the rows with a mask that
 * follow its own. */
static guint end_of_parts(const struct printer *printer, guint index, guint end)
{
    const struct qs_field *row = line_at(printer, index)->row;
    guint at = index + 1;

    if (row->mask || !is_of_table(printer, row))
        return at;
    for (; at < end && line_at(printer, at)->row; at++) {
        const struct qs_field *part = line_at(printer, at)->row;

        while (row + 1 < part && row[1].mask) /* skip rows that were left out */
            row++;
        if (part != row + 1 || !part->mask)
            break;
        row = part;
    }
    return at;
}

/* Returns the part's value according to the whole number, or 0 for signed parts. */
static uint64_t masked_value(const struct qs_field *row, uint64_t whole)
{
    if (row->type == QS_BOOL)
        return (whole & row->mask) != 0;
    if (!row->mask || row->type < QS_U8 || row->type > QS_X64)
        return 0;
    return (whole & row->mask) / (row->mask & -row->mask);
}

/* Appends parts that do not follow from the number, or whose names readers cannot know from it. */
static void append_parts(struct printer *printer, const struct group *group, guint index, guint end)
{
    const struct qs_dump_line *whole = line_at(printer, index);
    char before = '{';

    for (guint i = index + 1; i < end; i++) {
        const struct qs_dump_line *part = line_at(printer, i);
        const bool is_implied = masked_value(part->row, whole->number) == part->number;
        const char *rest = behind_stem(part->name, whole->name);

        if (is_implied && !(part->number && part->row->names))
            continue;
        g_string_append_c(printer->out, before);
        g_string_append(printer->out, rest ? rest : part->name + printer->prefix);
        if (part->row->type != QS_BOOL || !part->number) {
            g_string_append_c(printer->out, '=');
            append_value(printer, group, part, is_implied && part->row->type <= QS_U64);
        }
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

/* Appends the beginning of a field or vector to the group's line: " .armor". */
static void begin_field(struct printer *printer, const struct group *group, const char *name)
{
    const char *rest = group->stem ? behind_stem(name + printer->prefix, group->stem) : NULL;

    if (printer->on_line != group->index || group->index == NO_GROUP) {
        begin_line(printer, group->depth + 1);
        g_string_append_c(printer->out, '+');
    }
    printer->on_line = group->index;
    g_string_append_c(printer->out, ' ');
    g_string_append(printer->out, rest ? rest : name + printer->prefix);
}

/* True for the group's first field if its number has the group's name: "svc" in "svc_damage". */
static bool is_id(const struct printer *printer, const struct group *group, guint index)
{
    const struct qs_dump_line *line = line_at(printer, index);
    const char *name = line->name + printer->prefix;
    uint32_t number;

    return group->stem > group->name && group->index + 1 == (gint)index && !line->generated &&
           is_of_table(printer, line->row) && strlen(name) == 3 &&
           strncmp(group->name, name, 3) == 0 &&
           qs_number_of(line->row->names, group->name, &number) && number == line->number;
}

static guint append_field(struct printer *printer, const struct group *group, guint index,
                          guint end)
{
    const struct qs_dump_line *line = line_at(printer, index);
    const guint next = end_of_parts(printer, index, end);

    if (next == index + 1 && is_id(printer, group, index)) {
        g_string_append(printer->out, "()");
    } else {
        begin_field(printer, group, line->name);
        g_string_append(printer->out, line->generated ? ":=" : "=");
        append_value(printer, group, line, false);
        append_parts(printer, group, index, next);
    }
    append_field_position(printer, line);
    return next;
}

/* --- Groups ---------------------------------------------------------------------------------- */

/* True for a group that has only the components of its row, at the expected positions. */
static bool is_vector(const struct printer *printer, guint index)
{
    const struct qs_dump_line *group = line_at(printer, index);
    struct qs_position at = group->position;

    if (group->end < index + 3 || group->end > index + 4 || !begins_at(at, printer->next))
        return false;
    for (guint i = index + 1; i < group->end; i++) {
        const struct qs_dump_line *line = line_at(printer, i);

        if (!line->row || line->row != group->row + (i - index) || line->generated ||
            !line->separator || !behind_stem(line->name, group->name) ||
            !begins_at(line->position, at))
            return false;
        at = end_of(line->position);
    }
    return at.offset == end_of(group->position).offset;
}

static void append_vector(struct printer *printer, const struct group *group, guint index)
{
    const struct qs_dump_line *line = line_at(printer, index);

    begin_field(printer, group, line->name);
    g_string_append(printer->out, "=(");
    for (guint i = index + 1; i < line->end; i++) {
        if (i > index + 1)
            g_string_append_c(printer->out, ' ');
        append_value(printer, group, line_at(printer, i), false);
        append_field_position(printer, line_at(printer, i));
    }
    g_string_append_c(printer->out, ')');
}

static void append_lines(struct printer *printer, const struct group *group, guint from, guint end);

/* Appends a group. Its length follows the name if it does not end with its last field. */
static void append_group(struct printer *printer, const struct group *outer, guint index)
{
    const struct qs_dump_line *line = line_at(printer, index);
    const struct group group = group_of(printer, index, outer->depth + 1);
    const struct qs_position end = end_of(line->position);
    char length[QS_NUMBER_MAX + 1];
    gsize behind_name;

    begin_line(printer, group.depth);
    g_string_append(printer->out, group.name);
    if (!begins_at(line->position, printer->next))
        append_position(printer->out, line->position, printer->next);
    behind_name = printer->out->len;
    printer->on_line = (gint)index;
    printer->next = line->position;
    append_lines(printer, &group, index + 1, line->end);
    if (!begins_at(printer->next, end)) {
        snprintf(length, sizeof length, "+%u", line->position.length);
        g_string_insert(printer->out, (gssize)behind_name, length);
    }
    printer->next = end;
    printer->on_line = NO_GROUP;
}

static void append_note(struct printer *printer, const struct group *group,
                        const struct qs_dump_line *line)
{
    begin_line(printer, group->depth + 1);
    g_string_append_printf(printer->out, "! %s", line->name + printer->prefix);
    append_position(printer->out, line->position, printer->next);
    append_number(printer->out, '+', line->position.length);
    g_string_append_c(printer->out, ' ');
    g_string_append_len(printer->out, printer->lines->texts->str + line->text,
                        (gssize)(line->text_end - line->text));
    printer->on_line = NO_GROUP;
}

static void append_lines(struct printer *printer, const struct group *group, guint from, guint end)
{
    for (guint i = from; i < end;) {
        const struct qs_dump_line *line = line_at(printer, i);

        if (line->row && line->separator) {
            i = append_field(printer, group, i, end);
            continue;
        }
        if (!line->row)
            append_note(printer, group, line);
        else if (is_vector(printer, i))
            append_vector(printer, group, i);
        else
            append_group(printer, group, i);
        i = line->row ? line->end : i + 1;
    }
}

/* --- Packets --------------------------------------------------------------------------------- */

void qs_compact_append(GString *out, const struct qs_dump_lines *lines,
                       const struct qs_dump_packet *about)
{
    const struct qs_protocol *protocol = about->decoder->protocol;
    struct printer printer = {.out = out,
                              .lines = lines,
                              .protocol = protocol,
                              .number = about->packet->number,
                              .prefix = strlen(protocol->name) + 1,
                              .on_line = NO_GROUP};
    const struct group none = {.index = NO_GROUP};
    const gsize behind_header = out->len;
    char size[sizeof " size=" + QS_NUMBER_MAX];

    append_lines(&printer, &none, 0, lines->count);
    if (printer.next.source || printer.next.offset != about->packet->size) {
        snprintf(size, sizeof size, " size=%u", about->packet->size);
        g_string_insert(out, (gssize)behind_header, size);
    }
    g_string_append_c(out, '\n');
}
