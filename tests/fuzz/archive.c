/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads an archive or a compressed file: each input in it must have a printable name without "..",
 * and all inputs together must stay below the limit for unpacking.
 */
#include <glib.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "pcap2demo/capture/source.h"
#include "tests/fuzz/fuzz.h"

enum { CHUNK = 65536, BLOCK_MAX = 1 << 20 /* of libarchive */ };

static void check_title(const char *title)
{
    if (strstr(title, "/../") || g_str_has_suffix(title, "/..") ||
        !g_utf8_validate(title, -1, NULL))
        fuzz_broken("a name with ..", "");
    for (; *title; title++)
        if (g_ascii_iscntrl(*title))
            fuzz_broken("a control character in a name", "");
}

static uint64_t read_all(FILE *stream)
{
    static char chunk[CHUNK];
    uint64_t total = 0;
    size_t size;

    while (stream && (size = fread(chunk, 1, sizeof chunk, stream)) > 0)
        total += size;
    return total;
}

static void read_inputs(struct source *source, size_t size)
{
    const uint64_t limit = MAX(UNPACK_RATIO_FROM, size * (uint64_t)UNPACK_RATIO_MAX) + BLOCK_MAX;
    uint64_t total = 0;

    while (source_next(source, true)) {
        check_title(source->title);
        total += read_all(source->stream);
        source_close_plain(source->stream);
        if (total > limit)
            fuzz_broken("unpacked beyond the limit", "");
    }
    g_free(source_problem(source));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct fuzz_cost started = fuzz_begin();
    char name[FUZZ_NAME_MAX], *error = NULL;
    const int file = fuzz_file(data, size, name);
    struct source *source;

    source = source_open(name, &error);
    if (!source != !!error)
        fuzz_broken("neither an input nor a problem", "");
    if (source) {
        read_inputs(source, size);
        source_close(source);
    }
    g_free(error);
    close(file);
    fuzz_check_cost(started, size);
    return 0;
}
