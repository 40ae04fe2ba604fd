/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/capture/load.h"

#include <errno.h>
#include <stdint.h>

enum { CHUNK = 64 * 1024 };

GByteArray *load_stream(FILE *stream, guint max, char **problem)
{
    GByteArray *bytes = g_byte_array_new();
    uint8_t chunk[CHUNK];
    size_t size;

    *problem = NULL;
    while ((size = fread(chunk, 1, sizeof chunk, stream))) {
        const guint room = max - bytes->len;

        g_byte_array_append(bytes, chunk, (guint)MIN(size, room));
        if (size > room) {
            *problem = g_strdup_printf("larger than %u bytes; the rest is left out", max);
            return bytes;
        }
    }
    if (ferror(stream))
        *problem = g_strdup(g_strerror(errno));
    return bytes;
}
