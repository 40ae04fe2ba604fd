/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/capture/source.h"

#include <errno.h>
#include <glib.h>
#ifdef __GLIBC__
#include <stdio_ext.h>
#endif
#include <string.h>

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

FILE *source_open_plain(const char *name, char **error)
{
    FILE *stream = source_is_standard_input(name) ? stdin : fopen(name, "rb");

    if (stream)
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
