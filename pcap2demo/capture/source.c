/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/capture/source.h"

#include <errno.h>
#include <glib.h>
#ifdef __GLIBC__
#include <stdio_ext.h>
#endif
#include <string.h>
#include <unistd.h>

#include "pcap2demo/capture/file_type.h"
#include "pcap2demo/capture/unpack.h"

enum { READ_BUFFER = 64 * 1024 };

struct source {
    FILE *file;
    FILE *stream;          /* the file itself, or what is unpacked of it */
    struct unpack *unpack; /* NULL: it is not compressed */
};

bool source_is_standard_input(const char *name)
{
    return strcmp(name, "-") == 0;
}

const char *source_title(const char *name)
{
    return source_is_standard_input(name) ? SOURCE_STANDARD_INPUT : name;
}

/*
 * Packets are read in small pieces: they should not cost more than a copy. The C library takes
 * another size than its own only with a buffer. Since inputs are read one after the other, and
 * libpcap closes streams by itself, they share one that is never freed.
 */
static void speed_up(FILE *stream)
{
    static char buffer[READ_BUFFER];

    setvbuf(stream, buffer, _IOFBF, sizeof buffer);
#ifdef __GLIBC__
    __fsetlocking(stream, FSETLOCKING_BYCALLER); /* there is only one thread */
#endif
}

/* Standard input is a file that can be read again. */
static bool is_kept;

FILE *source_open_plain(const char *name, char **error)
{
    FILE *stream = source_is_standard_input(name) ? stdin : fopen(name, "rb");

    if (stream == stdin && is_kept)
        rewind(stdin);
    else if (stream)
        speed_up(stream);
    else
        *error = g_strdup(g_strerror(errno));
    return stream;
}

void source_close_plain(FILE *stream)
{
    if (stream != stdin)
        fclose(stream);
}

/* --- Standard input that is kept ------------------------------------------------------------- */

/* The descriptor of a file that has no name any more, or -1. */
static int open_unnamed(void)
{
    char *name = NULL;
    const int file = g_file_open_tmp("pcap2demo-XXXXXX", &name, NULL);

    if (file >= 0)
        unlink(name);
    g_free(name);
    return file;
}

static bool write_whole(int file, const char *bytes, ssize_t size)
{
    while (size > 0) {
        const ssize_t written = write(file, bytes, (size_t)size);

        if (written < 0)
            return false;
        bytes += written;
        size -= written;
    }
    return true;
}

/* Up to its end, or an interruption, which the readers take notice of. */
static bool copy_all(int from, int to)
{
    char *bytes = g_malloc(READ_BUFFER);
    bool good = true;
    ssize_t size;

    while (good && (size = read(from, bytes, READ_BUFFER)) > 0)
        good = write_whole(to, bytes, size);
    g_free(bytes);
    return good;
}

bool source_keep_standard_input(char **error)
{
    const int file = open_unnamed();
    const bool good = file >= 0 && copy_all(STDIN_FILENO, file);

    if (!good)
        *error = g_strdup_printf("cannot be kept to be read again: %s", g_strerror(errno));
    if (file >= 0) {
        dup2(file, STDIN_FILENO);
        close(file);
        speed_up(stdin);
        is_kept = true;
    }
    return good;
}

/* --- Compressed or not ----------------------------------------------------------------------- */

static bool open_packed(struct source *source, const struct codec *codec, char **error)
{
    source->unpack = unpack_new(codec, source->file, UNPACK_TOTAL_MAX);
    if (unpack_problem(source->unpack)) {
        *error = g_strdup(unpack_problem(source->unpack));
        return false;
    }
    source->stream = unpack_stream(source->unpack);
    if (!source->stream)
        *error = g_strdup(g_strerror(errno));
    return source->stream != NULL;
}

struct source *source_open(const char *name, char **error)
{
    FILE *file = source_open_plain(name, error);
    const struct codec *codec = file ? codec_of_stream(file) : NULL;
    struct source *source;

    if (!file)
        return NULL;
    source = g_new0(struct source, 1);
    source->file = source->stream = file;
    if (!codec || open_packed(source, codec, error))
        return source;
    source_close(source);
    return NULL;
}

FILE *source_stream(struct source *source)
{
    return source->stream;
}

const char *source_problem(const struct source *source)
{
    return source->unpack ? unpack_problem(source->unpack) : NULL;
}

bool source_is_packed(const struct source *source)
{
    return source->unpack != NULL;
}

uint64_t source_position(const struct source *source)
{
    return source->unpack ? unpack_position(source->unpack) : 0;
}

void source_close(struct source *source)
{
    if (source->unpack) {
        unpack_free(source->unpack);
        source_close_plain(source->file);
    }
    g_free(source);
}
