/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/dump/ditto.h"

#include <string.h>

#include "common/core/numeric_text.h"

/* Of a name, so many are looked at; of all names, so many are kept. */
enum { LIKE_MAX = 9, LINES_MAX = 256 };

/* No line is like it. */
enum { NONE = G_MAXINT };

/* In a line's text. */
struct piece {
    gsize start, name_end, end; /* `name_end` is behind the "=" */
    bool counts; /* a derived number, one greater than that of the line before: the next is, too */
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
    if (dittos->expected)
        g_string_free(dittos->expected, TRUE);
    *dittos = (struct qs_dittos){0};
}

void qs_dittos_begin(struct qs_dittos *dittos)
{
    if (!dittos->line) {
        dittos->line = line_new();
        dittos->expected = g_string_new(NULL);
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

    qs_append_chars(line->text, piece, length);
    g_array_append_val(line->pieces, added);
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

/* --- Numbers that count ---------------------------------------------------------------------- */

/* The derived number that the piece has, and where it ends; false where it has none. */
static bool read_counter(const struct qs_ditto *line, guint index, guint64 *number, gsize *end)
{
    const struct piece *piece = piece_at(line, index);
    const char *text = line->text->str;

    *number = 0;
    if (piece->name_end < piece->start + 2 || text[piece->name_end - 2] != ':')
        return false;
    for (*end = piece->name_end; *end < piece->end && g_ascii_isdigit(text[*end]); ++*end) {
        if (*number > G_MAXUINT32)
            return false;
        *number = *number * 10 + (guint64)(text[*end] - '0');
    }
    return *end > piece->name_end;
}

static bool is_one_more(const struct qs_ditto *line, const struct qs_ditto *before, guint index)
{
    guint64 is, was;
    gsize end;

    return read_counter(line, index, &is, &end) && read_counter(before, index, &was, &end) &&
           is == was + 1;
}

/* The piece that is expected behind that of `before`. */
static struct qs_view expect(struct qs_dittos *dittos, const struct qs_ditto *before, guint index)
{
    const struct piece *piece = piece_at(before, index);
    const char *text = before->text->str;
    guint64 number;
    gsize end;

    if (!piece->counts || !dittos->count_on || !read_counter(before, index, &number, &end))
        return (struct qs_view){(const uint8_t *)text + piece->start,
                                (uint32_t)(piece->end - piece->start)};
    g_string_truncate(dittos->expected, 0);
    g_string_append_len(dittos->expected, text + piece->start,
                        (gssize)(piece->name_end - piece->start));
    g_string_append_printf(dittos->expected, "%" G_GUINT64_FORMAT, number + 1);
    g_string_append_len(dittos->expected, text + end, (gssize)(piece->end - end));
    return (struct qs_view){(const uint8_t *)dittos->expected->str,
                            (uint32_t)dittos->expected->len};
}

/* --- Lines that are like each other ---------------------------------------------------------- */

static bool is_like(const struct qs_ditto *a, const struct qs_ditto *b)
{
    bool like = a->pieces->len == b->pieces->len;

    for (guint i = 0; like && i < a->pieces->len; i++)
        like = has_same_name(a, i, b, i);
    return like;
}

static struct qs_ditto *line_at(const struct qs_dittos *dittos, guint index)
{
    return g_ptr_array_index(dittos->lines, index);
}

static bool has_name(const struct qs_ditto *line, const char *name, gsize length)
{
    return line->name->len == length && memcmp(line->name->str, name, length) == 0;
}

/* The last line of the name is the first, `rank` 1. */
static guint find(const struct qs_dittos *dittos, const char *name, gsize length, guint rank)
{
    for (guint i = dittos->count; i-- > 0;)
        if (has_name(line_at(dittos, i), name, length) && --rank == 0)
            return i;
    return NONE;
}

/* The one of the name that the line at hand is like. */
static guint find_like(const struct qs_dittos *dittos, const char *name, gsize length, guint *rank)
{
    *rank = 0;
    for (guint i = dittos->count; i-- > 0 && *rank < LIKE_MAX;)
        if (has_name(line_at(dittos, i), name, length)) {
            ++*rank;
            if (is_like(dittos->line, line_at(dittos, i)))
                return i;
        }
    return NONE;
}

static bool is_expected(struct qs_dittos *dittos, const struct qs_ditto *before, guint index)
{
    const struct piece *piece = piece_at(dittos->line, index);
    const struct qs_view expected = expect(dittos, before, index);

    return piece->end - piece->start == expected.size &&
           memcmp(dittos->line->text->str + piece->start, expected.data, expected.size) == 0;
}

static guint count_expected(struct qs_dittos *dittos, const struct qs_ditto *before)
{
    guint count = 0;

    for (guint i = 0; i < before->pieces->len; i++)
        count += is_expected(dittos, before, i);
    return count;
}

static void append_piece(GString *out, const struct qs_ditto *line, guint index)
{
    const struct piece *piece = piece_at(line, index);

    g_string_append_c(out, ' ');
    qs_append_chars(out, line->text->str + piece->start, piece->end - piece->start);
}

/* The line at this index becomes the last. */
static void move_to_end(struct qs_dittos *dittos, guint index)
{
    gpointer *lines = dittos->lines->pdata, moved = lines[index];

    memmove(lines + index, lines + index + 1, (dittos->count - index - 1) * sizeof *lines);
    lines[dittos->count - 1] = moved;
}

/* The line at hand is the last of the name, instead of the one at the index, which is like it. */
static void replace(struct qs_dittos *dittos, guint index)
{
    struct qs_ditto *line = dittos->line, *before = line_at(dittos, index);

    for (guint i = 0; i < line->pieces->len; i++)
        g_array_index(line->pieces, struct piece, i).counts = is_one_more(line, before, i);
    g_string_assign(line->name, before->name->str);
    dittos->line = before;
    dittos->lines->pdata[index] = line;
    line_empty(before);
    move_to_end(dittos, index);
}

/* The same, and it is like none of the name. The oldest is forgotten where there are too many. */
static void remember(struct qs_dittos *dittos, const char *name, gsize length)
{
    struct qs_ditto *line = dittos->line;

    if (dittos->count == LINES_MAX)
        move_to_end(dittos, 0);
    else if (dittos->count++ == dittos->lines->len)
        g_ptr_array_add(dittos->lines, line_new());
    g_string_truncate(line->name, 0);
    g_string_append_len(line->name, name, (gssize)length);
    dittos->line = line_at(dittos, dittos->count - 1);
    dittos->lines->pdata[dittos->count - 1] = line;
    line_empty(dittos->line);
}

/* --- What others call ------------------------------------------------------------------------ */

void qs_dittos_keep(struct qs_dittos *dittos, const char *name, gsize length)
{
    guint rank;
    const guint before = find_like(dittos, name, length, &rank);

    if (before == NONE)
        remember(dittos, name, length);
    else
        replace(dittos, before);
}

void qs_dittos_shorten(struct qs_dittos *dittos, const char *name, gsize length, GString *out,
                       gsize start)
{
    guint rank;
    const guint index = find_like(dittos, name, length, &rank);
    const struct qs_ditto *before = index == NONE ? NULL : line_at(dittos, index);

    if (!before) {
        remember(dittos, name, length);
        return;
    }
    if (count_expected(dittos, before)) {
        g_string_truncate(out, start);
        g_string_append_c(out, '~');
        if (rank > 1)
            g_string_append_printf(out, "%u", rank);
        for (guint i = 0; i < before->pieces->len; i++)
            if (!is_expected(dittos, before, i))
                append_piece(out, dittos->line, i);
    }
    replace(dittos, index);
}

bool qs_dittos_lengthen(struct qs_dittos *dittos, const char *name, gsize length, guint rank,
                        GString *out)
{
    const guint index = rank ? find(dittos, name, length, rank) : NONE;
    const struct qs_ditto *before = index == NONE ? NULL : line_at(dittos, index);
    struct qs_ditto *given = dittos->line;
    guint next = 0, count;

    if (!before)
        return false;
    for (guint i = 0; i < before->pieces->len; i++)
        if (next < given->pieces->len && has_same_name(given, next, before, i)) {
            append_piece(out, given, next++);
        } else {
            const struct qs_view expected = expect(dittos, before, i);

            g_string_append_c(out, ' ');
            g_string_append_len(out, (const char *)expected.data, (gssize)expected.size);
        }
    count = given->pieces->len;
    line_empty(given);
    return next == count;
}
