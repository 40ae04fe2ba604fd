/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/output/rows.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

/* The location of a row's bytes. The file of places is indexed by row number; zeroed: no row. */
struct place {
    uint64_t number; /* in all parts */
    uint64_t offset, size;
};

/* Places per read. */
enum { PLACES = 1024 };

struct rows {
    uint64_t before; /* numbers in earlier parts */
    uint64_t last;   /* highest number so far */
    GByteArray *bytes;
    GArray *places;              /* struct place of the rows in memory, in order of addition */
    uint64_t written;            /* bytes in the file, before those in memory */
    FILE *file, *file_of_places; /* NULL: all are in memory */
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
    if (rows->file_of_places)
        fclose(rows->file_of_places);
    g_byte_array_free(rows->bytes, TRUE);
    g_array_free(rows->places, TRUE);
    g_free(rows->error);
    g_free(rows);
}

void rows_begin_part(struct rows *rows)
{
    rows->before = rows->last;
}

const char *rows_error(const struct rows *rows)
{
    return rows->error;
}

static void fail(struct rows *rows)
{
    if (!rows->error)
        rows->error = g_strdup_printf("rows of the report cannot be kept in a temporary file: %s",
                                      g_strerror(errno));
}

/* --- Writing --------------------------------------------------------------------------------- */

static bool write_at(FILE *file, const void *bytes, size_t size, uint64_t offset)
{
    for (const char *at = bytes; size;) {
        const ssize_t written = pwrite(fileno(file), at, size, (off_t)offset);

        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return false;
        at += written;
        offset += (uint64_t)written;
        size -= (size_t)written;
    }
    return true;
}

static bool open_files(struct rows *rows)
{
    if (!rows->file)
        rows->file = tmpfile();
    if (!rows->file_of_places)
        rows->file_of_places = tmpfile();
    return rows->file && rows->file_of_places;
}

static bool write_places(const struct rows *rows)
{
    for (guint i = 0; i < rows->places->len; i++) {
        const struct place *place = &g_array_index(rows->places, struct place, i);

        if (!write_at(rows->file_of_places, place, sizeof *place, place->number * sizeof *place))
            return false;
    }
    return true;
}

/* Writes rows in memory to the files. */
static void flush(struct rows *rows)
{
    if (!open_files(rows) ||
        !write_at(rows->file, rows->bytes->data, rows->bytes->len, rows->written) ||
        !write_places(rows))
        fail(rows);
    rows->written += rows->bytes->len;
    g_byte_array_set_size(rows->bytes, 0);
    g_array_set_size(rows->places, 0);
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

/* --- Reading --------------------------------------------------------------------------------- */

/* Returns the number of bytes read: fewer than `size` at the file's end. */
static size_t read_at(struct rows *rows, FILE *file, void *bytes, size_t size, uint64_t offset)
{
    size_t done = 0;

    while (done < size) {
        const ssize_t got =
            pread(fileno(file), (char *)bytes + done, size - done, (off_t)(offset + done));

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            fail(rows);
        if (got <= 0)
            break;
        done += (size_t)got;
    }
    return done;
}

static gint compare_places(gconstpointer a, gconstpointer b)
{
    const struct place *x = a, *y = b;

    return x->number < y->number ? -1 : 1;
}

static void each_in_memory(struct rows *rows, rows_taker *each, void *user)
{
    g_array_sort(rows->places, compare_places);
    for (guint i = 0; i < rows->places->len; i++) {
        const struct place *place = &g_array_index(rows->places, struct place, i);

        each(user, place->number, (const char *)rows->bytes->data + place->offset, place->size);
    }
}

static void read_row(struct rows *rows, const struct place *place, rows_taker *each, void *user)
{
    const size_t size = place->size + 1;

    g_byte_array_set_size(rows->bytes, (guint)size);
    if (read_at(rows, rows->file, rows->bytes->data, size, place->offset) == size)
        each(user, place->number, (const char *)rows->bytes->data, place->size);
}

static void each_in_files(struct rows *rows, rows_taker *each, void *user)
{
    struct place places[PLACES];

    for (uint64_t number = 0; number <= rows->last && !rows->error; number += PLACES) {
        const size_t count =
            read_at(rows, rows->file_of_places, places, sizeof places, number * sizeof *places) /
            sizeof *places;

        for (size_t i = 0; i < count; i++)
            if (places[i].number)
                read_row(rows, &places[i], each, user);
    }
}

void rows_each(struct rows *rows, rows_taker *each, void *user)
{
    if (!rows->file) {
        each_in_memory(rows, each, user);
        return;
    }
    if (rows->places->len)
        flush(rows);
    each_in_files(rows, each, user);
}
