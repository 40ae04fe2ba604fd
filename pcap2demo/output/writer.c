/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/output/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pcap2demo/output/safe_path.h"

struct writer {
    char *folder;
    char *temporary; /* path of the temporary file; NULL while there is none */
    GByteArray *buffer;
    uint64_t size;
    char *error;
    bool taken;            /* the error is that the name is taken */
    char *before, *behind; /* parts of the temporary file's name around the number; NULL: not set */
    bool waits;            /* until it can be written */
    char *obstacle;        /* why it could not at the last attempt; or NULL */
};

/* The extension of a compressed file's name, or NULL. */
static const char *packed_ending(const char *name)
{
    static const char *const endings[] = {".gz", ".xz", ".zst", ".bz2", ".lz4"};

    for (size_t i = 0; i < G_N_ELEMENTS(endings); i++)
        if (g_str_has_suffix(name, endings[i]))
            return name + strlen(name) - strlen(endings[i]);
    return NULL;
}

char *writer_name_problem(const char *option, const char *name)
{
    const char *ending = name ? packed_ending(name) : NULL;

    if (ending && !g_file_test(name, G_FILE_TEST_IS_DIR))
        return g_strdup_printf("%s \"%s\": files are not compressed when they are written: name it "
                               "%.*s, and compress that",
                               option, name, (int)(ending - name), name);
    if (!name || (*name && strcmp(name, "-") != 0))
        return NULL;
    return g_strdup_printf("%s \"%s\": the name of a file is wanted", option, name);
}

struct writer *writer_new(const char *folder)
{
    struct writer *writer = g_new0(struct writer, 1);

    writer->folder = g_strdup(folder);
    writer->buffer = g_byte_array_new();
    return writer;
}

struct writer *writer_adopt(const char *folder, const char *path, uint64_t size)
{
    struct writer *writer = writer_new(folder);

    writer->temporary = g_strdup(path);
    writer->size = size;
    return writer;
}

uint64_t writer_size(const struct writer *writer)
{
    return writer->size;
}

static void fail_with(struct writer *writer, char *text)
{
    char **place = writer->waits ? &writer->obstacle : &writer->error;

    if (*place)
        g_free(text);
    else
        *place = text;
}

static void fail(struct writer *writer, const char *what)
{
    fail_with(writer, g_strdup_printf("%s: %s", what, g_strerror(errno)));
}

static char *temporary_path(const struct writer *writer, unsigned serial)
{
    if (writer->before)
        return g_strdup_printf("%s/%s%u%s", writer->folder, writer->before, serial, writer->behind);
    return g_strdup_printf("%s/.pcap2demo-%ld-%u.tmp", writer->folder, (long)getpid(), serial);
}

/* Makes a temporary file under a free name; returns its descriptor, or -1. */
static int create_temporary(struct writer *writer)
{
    static unsigned serial;
    char *problem = make_folders(writer->folder);

    if (problem)
        fail_with(writer, problem);
    while (!writer->error && !writer->obstacle) {
        char *path = temporary_path(writer, ++serial);
        const int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);

        if (file >= 0) {
            writer->temporary = path;
            return file;
        }
        g_free(path);
        if (errno != EEXIST)
            fail(writer, writer->folder);
    }
    return -1;
}

static int open_temporary(struct writer *writer)
{
    int file;

    if (!writer->temporary)
        return create_temporary(writer);
    file = open(writer->temporary, O_WRONLY | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file < 0 && errno == ENOENT)
        writer->waits = false; /* it was removed: the next bytes would have no beginning */
    if (file < 0)
        fail(writer, writer->temporary);
    return file;
}

/* Allocates the whole buffer at once: growing with each write fragments the heap. */
static void make_buffer(struct writer *writer)
{
    g_byte_array_free(writer->buffer, TRUE);
    writer->buffer = g_byte_array_sized_new(WRITER_BUFFER);
}

/* Writes the buffer and removes what was written. */
static bool write_buffer(struct writer *writer, int file)
{
    const GByteArray *buffer = writer->buffer;
    const bool large = buffer->len > 2 * WRITER_BUFFER; /* it had to wait, or came at once */
    size_t done = 0;

    while (done < buffer->len) {
        const ssize_t written = write(file, buffer->data + done, buffer->len - done);

        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            break;
        done += (size_t)written;
    }
    if (done < buffer->len) {
        g_byte_array_remove_range(writer->buffer, 0, (guint)done);
        return false;
    }
    g_byte_array_set_size(writer->buffer, 0);
    if (large)
        make_buffer(writer);
    return true;
}

static void flush(struct writer *writer)
{
    int file;

    if (writer->error)
        return;
    g_clear_pointer(&writer->obstacle, g_free);
    file = open_temporary(writer);
    if (file < 0)
        return;
    if (!write_buffer(writer, file))
        fail(writer, writer->folder);
    if (close(file) != 0)
        fail(writer, writer->folder);
    if (writer->error)
        g_byte_array_set_size(writer->buffer, 0);
}

void writer_name_temporary(struct writer *writer, const char *before, const char *behind)
{
    writer->before = g_strdup(before);
    writer->behind = g_strdup(behind);
}

void writer_set_waiting(struct writer *writer)
{
    writer->waits = true;
}

bool writer_flush(struct writer *writer)
{
    if (writer->buffer->len || writer->obstacle)
        flush(writer);
    return !writer->obstacle && !writer->error;
}

size_t writer_waiting(const struct writer *writer)
{
    return writer->buffer->len;
}

const char *writer_obstacle(const struct writer *writer)
{
    return writer->error ? writer->error : writer->obstacle;
}

bool writer_has_failed(const struct writer *writer)
{
    return writer->error != NULL;
}

void writer_hold(struct writer *writer, const char *why)
{
    if (!writer->obstacle)
        writer->obstacle = g_strdup(why);
}

const char *writer_temporary(const struct writer *writer)
{
    return writer->temporary;
}

void writer_add(struct writer *writer, const void *data, size_t size)
{
    writer->size += size;
    if (!writer->folder || writer->error)
        return;
    if (!writer->buffer->data)
        make_buffer(writer);
    if (writer->buffer->len && writer->buffer->len + size > WRITER_BUFFER && !writer->obstacle)
        flush(writer);
    g_byte_array_append(writer->buffer, data, (guint)size);
    if (writer->buffer->len >= WRITER_BUFFER && !writer->obstacle)
        flush(writer);
}

static void fail_as_taken(struct writer *writer, const char *why)
{
    writer->error = g_strdup(why);
    writer->taken = true;
}

static void replace(struct writer *writer, const char *path)
{
    if (rename(writer->temporary, path) != 0)
        fail(writer, path);
    else
        g_clear_pointer(&writer->temporary, g_free);
}

/* A link, unlike a rename, fails where the name is taken. */
static void link_name(struct writer *writer, const char *path)
{
    if (link(writer->temporary, path) == 0)
        return;
    /* Without hard links, check and rename are two steps. */
    if (errno == EEXIST || access(path, F_OK) == 0)
        fail_as_taken(writer, "exists already; --force overwrites it");
    else
        replace(writer, path);
}

/* A folder, a device, a pipe, or a link to one: never replaced by a file. */
static bool is_no_file(const char *path)
{
    struct stat status;

    return stat(path, &status) == 0 && !S_ISREG(status.st_mode);
}

static void set_name(struct writer *writer, const char *path, bool overwrite)
{
    if (is_no_file(path))
        fail_as_taken(writer, "exists already, and is not a file");
    else if (overwrite)
        replace(writer, path);
    else
        link_name(writer, path);
}

static void remove_temporary(struct writer *writer)
{
    if (writer->temporary)
        unlink(writer->temporary);
    g_clear_pointer(&writer->temporary, g_free);
}

static void clear_taken_name(struct writer *writer)
{
    if (writer->taken)
        g_clear_pointer(&writer->error, g_free);
    writer->taken = false;
}

char *writer_commit(struct writer *writer, const char *name, bool overwrite)
{
    if (!writer->folder)
        return NULL;
    clear_taken_name(writer);
    flush(writer);
    if (!writer->error && !writer->obstacle) {
        char *path = g_build_filename(writer->folder, name, NULL);

        set_name(writer, path, overwrite);
        g_free(path);
    }
    if (!writer->taken && !writer->obstacle)
        remove_temporary(writer);
    return g_strdup(writer_obstacle(writer));
}

bool writer_name_is_taken(const struct writer *writer)
{
    return writer->taken;
}

void writer_forget(struct writer *writer)
{
    g_clear_pointer(&writer->temporary, g_free);
}

void writer_free(struct writer *writer)
{
    remove_temporary(writer);
    g_byte_array_free(writer->buffer, TRUE);
    g_free(writer->folder);
    g_free(writer->before);
    g_free(writer->behind);
    g_free(writer->error);
    g_free(writer->obstacle);
    g_free(writer);
}
