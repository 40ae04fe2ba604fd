/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/output/files.h"

#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/demo_formats.h"

/* Maximum size of all buffers together, and minimum size of one (bytes). The minimum wins. */
enum { BUFFERS_MAX = 4 * 1024 * 1024, BUFFER_LEAST = 2 * 1024 };

static unsigned writers;

struct writer {
    char *folder;
    char *pattern;   /* pattern of the temporary file's name */
    bool careful;    /* synced and private, see writer_new_named() */
    bool adopted;    /* the temporary file existed before, and stays on failure */
    char *temporary; /* path of the temporary file, or NULL */
    GByteArray *buffer;
    guint room; /* size of the buffer; 0 before its allocation */
    char *error;
    bool taken; /* `error` is that the name is taken */
    bool unchanged;
};

char *writer_name_problem(const char *option, const char *name)
{
    const size_t length = name ? qs_unpacked_name_length(name) : 0;

    if (name && name[length] && !g_file_test(name, G_FILE_TEST_IS_DIR))
        return g_strdup_printf("%s \"%s\": files are written uncompressed: name it %.*s, and "
                               "compress it afterwards",
                               option, name, (int)length, name);
    if (!name || (*name && strcmp(name, "-") != 0))
        return NULL;
    return g_strdup_printf("%s \"%s\": name a file", option, name);
}

struct writer *writer_new(const char *folder)
{
    struct writer *writer = g_new0(struct writer, 1);

    writer->folder = g_strdup(folder);
    writer->pattern = g_strdup(".pcap2demo-XXXXXX.tmp");
    writer->buffer = g_byte_array_new();
    writers++;
    return writer;
}

struct writer *writer_new_named(const char *folder, const char *pattern)
{
    struct writer *writer = writer_new(folder);

    writer->careful = true;
    if (pattern) {
        g_free(writer->pattern);
        writer->pattern = g_strdup(pattern);
    }
    return writer;
}

struct writer *writer_new_on(const char *folder, const char *name)
{
    struct writer *writer = writer_new_named(folder, name);

    writer->temporary = g_build_filename(folder, name, NULL);
    writer->adopted = true;
    return writer;
}

static void fail(struct writer *writer, const char *what)
{
    if (!writer->error)
        writer->error = g_strdup_printf("%s: %s", what, g_strerror(errno));
}

static int make_temporary(struct writer *writer)
{
    int file;

    writer->temporary = g_build_filename(writer->folder, writer->pattern, NULL);
    file = g_mkstemp_full(writer->temporary, O_WRONLY | O_CLOEXEC, writer->careful ? 0640 : 0666);
    if (file < 0)
        g_clear_pointer(&writer->temporary, g_free);
    return file;
}

static int open_temporary(struct writer *writer)
{
    int file;

    writer->error = writer->temporary ? NULL : make_folders(writer->folder);
    if (writer->error)
        return -1;
    file = writer->temporary
               ? open(writer->temporary, O_WRONLY | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
               : make_temporary(writer);
    if (file < 0 && strcmp(writer->folder, ".") == 0)
        writer->error = g_strdup_printf(
            "the current folder: %s; choose another one, as -o DIR does", g_strerror(errno));
    else if (file < 0)
        fail(writer, writer->folder);
    return file;
}

/* Returns the maximum size of a writer's buffer, in bytes. */
static guint share(void)
{
    return CLAMP(BUFFERS_MAX / writers, BUFFER_LEAST, WRITER_BUFFER);
}

/* Allocates the whole buffer at once, because growing it with each write fragments the heap. Each
 * buffer is larger than the one before it, because more writers may be created soon. */
static void make_buffer(struct writer *writer)
{
    writer->room = MIN(MAX(2 * writer->room, BUFFER_LEAST), share());
    g_byte_array_free(writer->buffer, TRUE);
    writer->buffer = g_byte_array_sized_new(writer->room);
}

static size_t write_whole(int file, const void *data, size_t size)
{
    size_t done = 0;

    while (done < size) {
        const ssize_t written = write(file, (const char *)data + done, size - done);

        if (written < 0 && errno != EINTR)
            break;
        done += (size_t)MAX(written, 0);
    }
    return done;
}

static void flush(struct writer *writer)
{
    GByteArray *buffer = writer->buffer;
    const int file = writer->error ? -1 : open_temporary(writer);

    if (file >= 0 && write_whole(file, buffer->data, buffer->len) < buffer->len)
        fail(writer, writer->folder);
    if (file >= 0 && close(file) != 0)
        fail(writer, writer->folder);
    if (buffer->len > 2 * writer->room || /* a single large write */
        writer->room / 2 > share() || writer->room * 2 <= share())
        make_buffer(writer);
    else
        g_byte_array_set_size(buffer, 0);
}

void writer_add(struct writer *writer, const void *data, size_t size)
{
    if (writer->error || !size)
        return;
    if (!writer->room)
        make_buffer(writer);
    if (writer->buffer->len && writer->buffer->len + size > writer->room)
        flush(writer);
    if (size <= writer->room - MIN(writer->room, writer->buffer->len)) {
        memcpy(writer->buffer->data + writer->buffer->len, data, size);
        writer->buffer->len += (guint)size;
    } else {
        g_byte_array_append(writer->buffer, data, (guint)size);
    }
    if (writer->buffer->len >= writer->room)
        flush(writer);
}

static void fail_as_taken(struct writer *writer, const char *why)
{
    writer->error = g_strdup(why);
    writer->taken = true;
}

/* Renames a file without overwriting. A link, unlike a rename, fails if the name is taken. */
static bool rename_to_free_name(const char *from, const char *to)
{
    if (link(from, to) == 0) {
        unlink(from);
        return true;
    }
    /* Without hard links, check and rename are two steps. */
    if (errno != EEXIST && access(to, F_OK) != 0)
        return rename(from, to) == 0;
    errno = EEXIST;
    return false;
}

/* True for a folder, a device, a pipe, or a link to one: files never replace them. */
static bool is_no_file(const char *path)
{
    struct stat status;

    return stat(path, &status) == 0 && !S_ISREG(status.st_mode);
}

/* True if both files exist and have the same bytes. */
static bool have_same_bytes(const char *path, const char *other)
{
    FILE *one = fopen(path, "rb"), *two = fopen(other, "rb");
    int byte = 0;
    bool same = one && two;

    while (same && byte != EOF) {
        byte = getc_unlocked(one);
        same = byte == getc_unlocked(two) && !ferror(one) && !ferror(two);
    }
    if (one)
        fclose(one);
    if (two)
        fclose(two);
    return same;
}

static bool sync_temporary(const struct writer *writer)
{
    const int file = open(writer->temporary, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    const bool synced = file >= 0 && fsync(file) == 0;

    if (file >= 0)
        close(file);
    return synced;
}

static void set_name(struct writer *writer, const char *path, bool overwrite)
{
    if (is_no_file(path))
        fail_as_taken(writer, "exists already, and is not a file");
    else if (!overwrite && have_same_bytes(writer->temporary, path))
        writer->unchanged = true;
    else if (writer->careful && !sync_temporary(writer))
        fail(writer, writer->folder);
    else if (overwrite ? rename(writer->temporary, path) == 0
                       : rename_to_free_name(writer->temporary, path))
        g_clear_pointer(&writer->temporary, g_free);
    else if (!overwrite && errno == EEXIST)
        fail_as_taken(writer, "exists already; --force overwrites it");
    else
        fail(writer, path);
}

static void remove_temporary(struct writer *writer)
{
    if (writer->temporary)
        unlink(writer->temporary);
    g_clear_pointer(&writer->temporary, g_free);
}

char *writer_commit(struct writer *writer, const char *name, bool overwrite)
{
    if (writer->taken)
        g_clear_pointer(&writer->error, g_free);
    writer->taken = false;
    flush(writer);
    if (!writer->error) {
        char *path = g_build_filename(writer->folder, name, NULL);

        set_name(writer, path, overwrite);
        g_free(path);
    }
    if (!writer->taken && !(writer->adopted && writer->error))
        remove_temporary(writer);
    return g_strdup(writer->error);
}

bool writer_name_is_taken(const struct writer *writer)
{
    return writer->taken;
}

bool writer_is_unchanged(const struct writer *writer)
{
    return writer->unchanged;
}

void writer_free(struct writer *writer)
{
    writers--;
    remove_temporary(writer);
    g_byte_array_free(writer->buffer, TRUE);
    g_free(writer->folder);
    g_free(writer->pattern);
    g_free(writer->error);
    g_free(writer);
}

void writer_leave(struct writer *writer)
{
    if (writer->buffer->len)
        flush(writer);
    g_clear_pointer(&writer->temporary, g_free);
    writer_free(writer);
}

char *writer_replace(const char *path, const char *text)
{
    char *folder = g_path_get_dirname(path), *name = g_path_get_basename(path), *error;
    struct writer *writer = writer_new(folder);

    writer_add(writer, text, strlen(text));
    error = writer_commit(writer, name, true);
    writer_free(writer);
    g_free(folder);
    g_free(name);
    return error;
}
