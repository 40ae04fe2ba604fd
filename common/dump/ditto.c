/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/dump/ditto.h"

#include <string.h>

/* In a line's text. */
struct piece {
    gsize start, name_end, end; /* `name_end` is behind the "=" */
};

struct qs_ditto {
    GString *name, *text;
    GArray *pieces;
};

static struct qs_ditto *line_new(void)
{
    struct qs_ditto *line = g_new0(struct qs_ditto, 1);

    line->name = g_string_new(NULL);
    line->text = g_string_new(NULL);
    line->pieces = g_array_new(FALSE, FALSE, sizeof(struct piece));
    return line;
}

static void line_free(gpointer data)
{
    struct qs_ditto *line = data;

    g_string_free(line->name, TRUE);
    g_string_free(line->text, TRUE);
    g_array_free(line->pieces, TRUE);
    g_free(line);
}

static void line_empty(struct qs_ditto *line)
{
    g_string_truncate(line->text, 0);
    g_array_set_size(line->pieces, 0);
}

static const struct piece *piece_at(const struct qs_ditto *line, guint index)
{
    return &g_array_index(line->pieces, struct piece, index);
}

void qs_dittos_clear(struct qs_dittos *dittos)
{
    if (dittos->lines)
        g_ptr_array_free(dittos->lines, TRUE);
    if (dittos->line)
        line_free(dittos->line);
    *dittos = (struct qs_dittos){0};
}

void qs_dittos_begin(struct qs_dittos *dittos)
{
    if (!dittos->line) {
        dittos->line = line_new();
        dittos->lines = g_ptr_array_new_with_free_func(line_free);
    }
    dittos->count = 0;
    line_empty(dittos->line);
}

void qs_dittos_add(struct qs_dittos *dittos, const char *piece, gsize length)
{
    struct qs_ditto *line = dittos->line;
    const char *equals = memchr(piece, '=', length);
    const gsize start = line->text->len;
    const struct piece added = {.start = start,
                                .name_end = start + (equals ? (gsize)(equals - piece) + 1 : length),
                                .end = start + length};

    g_string_append_len(line->text, piece, (gssize)length);
    g_array_append_val(line->pieces, added);
}

/* Packets have few names, of which the table has not many more. */
static struct qs_ditto **find(const struct qs_dittos *dittos, const char *name, gsize length)
{
    for (guint i = 0; i < dittos->count; i++) {
        struct qs_ditto **line = (struct qs_ditto **)&g_ptr_array_index(dittos->lines, i);

        if ((*line)->name->len == length && memcmp((*line)->name->str, name, length) == 0)
            return line;
    }
    return NULL;
}

/* The pieces are the same, up to the ends of their names, or to their own. */
static bool is_same_text(const struct qs_ditto *a, gsize a_end, const struct piece *piece_of_a,
                         const struct qs_ditto *b, gsize b_end, const struct piece *piece_of_b)
{
    const gsize length = a_end - piece_of_a->start;

    return length == b_end - piece_of_b->start &&
           memcmp(a->text->str + piece_of_a->start, b->text->str + piece_of_b->start, length) == 0;
}

static bool has_same_name(const struct qs_ditto *a, guint piece_of_a, const struct qs_ditto *b,
                          guint piece_of_b)
{
    const struct piece *one = piece_at(a, piece_of_a), *other = piece_at(b, piece_of_b);

    return is_same_text(a, one->name_end, one, b, other->name_end, other);
}

static bool is_same(const struct qs_ditto *a, const struct qs_ditto *b, guint index)
{
    const struct piece *one = piece_at(a, index), *other = piece_at(b, index);

    return is_same_text(a, one->end, one, b, other->end, other);
}

static bool is_like(const struct qs_ditto *a, const struct qs_ditto *b)
{
    bool like = a->pieces->len == b->pieces->len;

    for (guint i = 0; like && i < a->pieces->len; i++)
        like = has_same_name(a, i, b, i);
    return like;
}

static guint count_same(const struct qs_ditto *a, const struct qs_ditto *b)
{
    guint count = 0;

    for (guint i = 0; i < a->pieces->len; i++)
        count += is_same(a, b, i);
    return count;
}

static void append_piece(GString *out, const struct qs_ditto *line, guint index)
{
    const struct piece *piece = piece_at(line, index);

    g_string_append_c(out, ' ');
    g_string_append_len(out, line->text->str + piece->start, (gssize)(piece->end - piece->start));
}

/* The line is the last of the name; the one before it is taken apart next. */
static void replace(struct qs_dittos *dittos, struct qs_ditto **before)
{
    struct qs_ditto *line = dittos->line;

    g_string_assign(line->name, (*before)->name->str);
    dittos->line = *before;
    *before = line;
    line_empty(dittos->line);
}

static void remember(struct qs_dittos *dittos, const char *name, gsize length)
{
    struct qs_ditto **line;

    if (dittos->count == dittos->lines->len)
        g_ptr_array_add(dittos->lines, line_new());
    line = (struct qs_ditto **)&g_ptr_array_index(dittos->lines, dittos->count++);
    g_string_truncate((*line)->name, 0);
    g_string_append_len((*line)->name, name, (gssize)length);
    replace(dittos, line);
}

void qs_dittos_keep(struct qs_dittos *dittos, const char *name, gsize length)
{
    struct qs_ditto **before = find(dittos, name, length);

    if (before)
        replace(dittos, before);
    else
        remember(dittos, name, length);
}

void qs_dittos_shorten(struct qs_dittos *dittos, const char *name, gsize length, GString *out,
                       gsize start)
{
    struct qs_ditto **before = find(dittos, name, length);
    const struct qs_ditto *line = dittos->line;

    if (!before) {
        remember(dittos, name, length);
        return;
    }
    if (is_like(line, *before) && count_same(line, *before)) {
        g_string_truncate(out, start);
        g_string_append_c(out, '~');
        for (guint i = 0; i < line->pieces->len; i++)
            if (!is_same(line, *before, i))
                append_piece(out, line, i);
    }
    replace(dittos, before);
}

bool qs_dittos_lengthen(struct qs_dittos *dittos, const char *name, gsize length, GString *out)
{
    struct qs_ditto **before = find(dittos, name, length);
    struct qs_ditto *given = dittos->line;
    guint next = 0, count;

    if (!before)
        return false;
    for (guint i = 0; i < (*before)->pieces->len; i++)
        if (next < given->pieces->len && has_same_name(given, next, *before, i))
            append_piece(out, given, next++);
        else
            append_piece(out, *before, i);
    count = given->pieces->len;
    line_empty(given);
    return next == count;
}
