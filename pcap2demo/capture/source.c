/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/capture/source.h"

#include <errno.h>
#include <glib.h>
#ifdef __GLIBC__
#include <stdio_ext.h>
#endif
#include <string.h>
#include <sys/stat.h>

#include "common/core/reader.h"
#include "common/core/text.h"
#include "common/demo_formats.h"
#include "pcap2demo/capture/frame_reader.h"

enum { READ_BUFFER = 64 * 1024, MAGIC = 4 };

bool source_is_standard_input(const char *name)
{
    return strcmp(name, "-") == 0;
}

bool source_is_file(const char *name)
{
    struct stat status;

    return !source_is_standard_input(name) && (stat(name, &status) != 0 || S_ISREG(status.st_mode));
}

const char *source_title_of(const char *name)
{
    return source_is_standard_input(name) ? SOURCE_STANDARD_INPUT : name;
}

FILE *source_open_plain(const char *name, char **error)
{
    FILE *stream = source_is_standard_input(name) ? stdin : fopen(name, "rb");

    if (!stream)
        *error = g_strdup(g_strerror(errno));
#ifdef __GLIBC__
    else
        __fsetlocking(stream, FSETLOCKING_BYCALLER); /* the program has only one thread */
#endif
    return stream;
}

void source_close_plain(FILE *stream)
{
    if (stream != stdin)
        fclose(stream);
}

/* --- Recognizing files ----------------------------------------------------------------------- */

/* Source: pcap-savefile(5), with the variants that libpcap reads; pcapng, section 4.1. */
bool source_is_capture(FILE *stream)
{
    static const uint32_t known[] = {0xa1b2c3d4, 0xa1b23c4d, 0xa1b2cd34, PCAPNG_SECTION};
    uint8_t magic[MAGIC];
    const bool enough = peek_stream(stream, magic, MAGIC) == MAGIC;

    for (size_t i = 0; enough && i < G_N_ELEMENTS(known); i++)
        if (qs_le32(magic) == known[i] || qs_be32(magic) == known[i])
            return true;
    return false;
}

bool source_is_pcapng(FILE *stream)
{
    uint8_t magic[MAGIC];

    return peek_stream(stream, magic, MAGIC) == MAGIC && qs_le32(magic) == PCAPNG_SECTION;
}

static const char *const capture_endings[] = {"pcap", "pcapng", "cap", NULL};

/* True if the first `length` bytes of `name` end with a dot and `ending`. */
static bool has_ending(const char *name, gsize length, const char *ending)
{
    const gsize size = strlen(ending);

    return length > size + 1 && name[length - size - 1] == '.' &&
           g_ascii_strncasecmp(name + length - size, ending, size) == 0;
}

bool source_is_input_name(const char *name, bool demos)
{
    const gsize length = qs_unpacked_name_length(name);
    gsize base = length; /* length without the number that tcpdump -C appends: "wire.pcap07" */

    while (base && g_ascii_isdigit(name[base - 1]))
        base--;
    for (const char *const *ending = capture_endings; *ending; ending++)
        if (has_ending(name, base, *ending))
            return true;
    for (int i = 0; demos && qs_demo_formats[i]; i++)
        if (has_ending(name, length, qs_demo_formats[i]->extension))
            return true;
    return false;
}

GByteArray *source_load(FILE *stream, guint max, char **problem)
{
    GByteArray *bytes = g_byte_array_new();
    uint8_t *chunk = g_malloc(READ_BUFFER);
    size_t size;

    *problem = NULL;
    while (!*problem && (size = fread(chunk, 1, READ_BUFFER, stream))) {
        const guint room = max - bytes->len;

        g_byte_array_append(bytes, chunk, (guint)MIN(size, room));
        if (size > room)
            *problem = g_strdup_printf("larger than %u bytes; the rest is left out", max);
    }
    if (!*problem && ferror(stream))
        *problem = g_strdup(g_strerror(errno));
    g_free(chunk);
    return bytes;
}

/* --- Inputs of a file ------------------------------------------------------------------------ */

/* Reads only the magic number of a capture, because packets may arrive slowly on a pipe. */
struct source *source_open(const char *name, char **error)
{
    FILE *file = source_open_plain(name, error);
    struct source *source;

    if (!file)
        return NULL;
    source = g_new0(struct source, 1);
    source->name = g_strdup(source_title_of(name));
    source->file = file;
    source->title = g_strdup(source->name);
    if (!source_is_capture(file) && unpack_knows(file))
        source->unpack = unpack_new(file, NULL);
    return source;
}

/* Returns a member's name, printable and without "..": "/a/b.pcap" for "/a/../b.pcap". */
static char *clean_name(const char *member)
{
    char **parts = g_strsplit(member, "/", 0);
    GString *name = g_string_new(NULL);
    char *clean;

    for (char **part = parts; *part; part++)
        if (**part && strcmp(*part, ".") != 0 && strcmp(*part, "..") != 0)
            g_string_append_printf(name, "/%s", *part);
    clean = qs_text_printable(name->str);
    g_string_free(name, TRUE);
    g_strfreev(parts);
    return clean;
}

/* Ends the current input; its stream is already closed. */
static void leave_input(struct source *source)
{
    g_free(source->title);
    source->title = g_strdup(source->name);
    source->stream = NULL;
    if (!source->inner)
        return;
    unpack_free(source->inner);
    fclose(source->member);
    source->inner = NULL;
}

/* Opens the member, and decompresses it if it is compressed itself. */
static void open_member(struct source *source)
{
    source->stream = unpack_stream(source->unpack);
    if (!source->stream || !unpack_member(source->unpack) || !unpack_knows(source->stream))
        return;
    source->member = source->stream;
    source->inner = unpack_new(source->member, source->unpack);
    unpack_next(source->inner);
    source->stream = unpack_stream(source->inner);
}

/* Sets `title` to that of the archive's current member. False if the member is not read. */
static bool select_member(struct source *source, bool demos)
{
    const char *member = unpack_member(source->unpack);
    char *clean;
    bool wanted;

    if (!member)
        return true;
    clean = clean_name(member);
    wanted = source_is_input_name(clean, demos);
    if (wanted) {
        g_free(source->title);
        source->title = g_strconcat(source->name, clean, NULL);
    }
    g_free(clean);
    return wanted;
}

static bool next_member(struct source *source, bool demos)
{
    while (unpack_next(source->unpack))
        if (select_member(source, demos)) {
            open_member(source);
            return source->stream != NULL;
        }
    return false;
}

bool source_next(struct source *source, bool demos)
{
    leave_input(source);
    if (source->unpack)
        return next_member(source, demos);
    source->stream = g_steal_pointer(&source->file);
    return source->stream != NULL;
}

char *source_problem(struct source *source)
{
    char *problem = source->inner ? unpack_problem(source->inner) : NULL;

    if (!problem && source->unpack)
        problem = unpack_problem(source->unpack);
    return problem;
}

void source_close(struct source *source)
{
    leave_input(source);
    if (source->unpack)
        unpack_free(source->unpack);
    if (source->file)
        source_close_plain(source->file);
    g_free(source->title);
    g_free(source->name);
    g_free(source);
}
