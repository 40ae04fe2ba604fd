/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/output/rows.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#include "pcap2demo/output/message.h"

/* The location of a row's bytes. */
struct place {
    uint64_t number; /* in all parts */
    uint64_t offset, size;
};

struct rows {
    uint64_t before;   /* numbers in earlier parts */
    uint64_t last;     /* highest number so far */
    GByteArray *bytes; /* rows that are not in the file */
    GArray *places;    /* struct place */
    uint64_t written;  /* bytes in the file, before those in memory */
    FILE *file;        /* NULL: all are in memory */
    char *error;
};

struct rows *rows_new(void)
{
    struct rows *rows = g_new0(struct rows, 1);

    rows->bytes = g_byte_array_new();
    rows->places = g_array_new(FALSE, FALSE, sizeof(struct place));
    return rows;
}

void rows_free(struct rows *rows)
{
    if (rows->file)
        fclose(rows->file);
    g_byte_array_free(rows->bytes, TRUE);
    g_array_free(rows->places, TRUE);
    g_free(rows->error);
    g_free(rows);
}

void rows_begin_part(struct rows *rows)
{
    rows->before = rows->last;
}

static void fail(struct rows *rows)
{
    if (!rows->error)
        rows->error = g_strdup_printf("rows of the report cannot be kept in a temporary file: %s",
                                      g_strerror(errno));
}

/* Writes rows in memory to the file. */
static void flush(struct rows *rows)
{
    if (!rows->file)
        rows->file = tmpfile();
    if (!rows->file ||
        fwrite(rows->bytes->data, 1, rows->bytes->len, rows->file) != rows->bytes->len)
        fail(rows);
    rows->written += rows->bytes->len;
    g_byte_array_set_size(rows->bytes, 0);
}

void rows_add(struct rows *rows, unsigned number, const void *bytes, gsize size)
{
    const struct place place = {rows->before + number, rows->written + rows->bytes->len, size};

    if (rows->error)
        return;
    rows->last = MAX(rows->last, place.number);
    g_array_append_val(rows->places, place);
    g_byte_array_append(rows->bytes, bytes, (guint)size);
    g_byte_array_append(rows->bytes, (const guint8 *)"", 1);
    if (rows->bytes->len > ROWS_MEMORY_MAX)
        flush(rows);
}

static gint compare_places(gconstpointer a, gconstpointer b)
{
    const struct place *x = a, *y = b;

    if (x->number != y->number)
        return x->number < y->number ? -1 : 1;
    return x->offset < y->offset ? -1 : 1;
}

static void read_row(struct rows *rows, const struct place *place, row_visitor *each, void *user)
{
    const size_t size = place->size + 1;
    char *bytes = g_malloc(size);

    if (fseeko(rows->file, (off_t)place->offset, SEEK_SET) == 0 &&
        fread(bytes, 1, size, rows->file) == size)
        each(user, bytes, place->size);
    else
        fail(rows);
    g_free(bytes);
}

void rows_each(struct rows *rows, row_visitor *each, void *user)
{
    g_array_sort(rows->places, compare_places);
    if (rows->file)
        flush(rows);
    for (guint i = 0; i < rows->places->len && !rows->error; i++) {
        const struct place *place = &g_array_index(rows->places, struct place, i);

        if (rows->file)
            read_row(rows, place, each, user);
        else
            each(user, (const char *)rows->bytes->data + place->offset, place->size);
    }
    if (rows->error)
        failure(EXIT_PROBLEMS, (struct qs_location){0}, "%s", rows->error);
}
