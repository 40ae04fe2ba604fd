/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/output/rows.h"

#include <stdint.h>

/* The location of a row's bytes. */
struct place {
    uint64_t number; /* in all parts */
    gsize offset, size;
};

struct rows {
    uint64_t before; /* numbers in earlier parts */
    uint64_t last;   /* highest number so far */
    GString *bytes;
    GArray *places; /* struct place */
};

struct rows *rows_new(void)
{
    struct rows *rows = g_new0(struct rows, 1);

    rows->bytes = g_string_new(NULL);
    rows->places = g_array_new(FALSE, FALSE, sizeof(struct place));
    return rows;
}

void rows_free(struct rows *rows)
{
    g_string_free(rows->bytes, TRUE);
    g_array_free(rows->places, TRUE);
    g_free(rows);
}

void rows_begin_part(struct rows *rows)
{
    rows->before = rows->last;
}

void rows_add(struct rows *rows, unsigned number, const void *bytes, gsize size)
{
    const struct place place = {rows->before + number, rows->bytes->len, size};

    rows->last = MAX(rows->last, place.number);
    g_array_append_val(rows->places, place);
    g_string_append_len(rows->bytes, bytes, (gssize)size);
    g_string_append_c(rows->bytes, '\0');
}

static gint compare_places(gconstpointer a, gconstpointer b)
{
    const struct place *x = a, *y = b;

    if (x->number != y->number)
        return x->number < y->number ? -1 : 1;
    return x->offset < y->offset ? -1 : 1;
}

void rows_each(struct rows *rows, row_visitor *each, void *user)
{
    g_array_sort(rows->places, compare_places);
    for (guint i = 0; i < rows->places->len; i++) {
        const struct place *place = &g_array_index(rows->places, struct place, i);

        each(user, rows->bytes->str + place->offset, place->size);
    }
}
