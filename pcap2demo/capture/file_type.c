/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/capture/file_type.h"

#include <glib.h>

#include "common/core/reader.h"
#include "pcap2demo/capture/pcapng.h"

enum { MAGIC = 4 };

/* Source: pcap-savefile(5), with the variants that libpcap reads; pcapng, section 4.1. */
static bool is_capture(struct qs_view file)
{
    static const uint32_t known[] = {0xa1b2c3d4, 0xa1b23c4d, 0xa1b2cd34, PCAPNG_SECTION};

    for (size_t i = 0; file.size >= MAGIC && i < G_N_ELEMENTS(known); i++)
        if (qs_le32(file.data) == known[i] || qs_be32(file.data) == known[i])
            return true;
    return false;
}

/*
 * The first bytes of a stream, which go back one by one: C promises one, the C libraries of Linux
 * take as many as these.
 */
static struct qs_view peek(FILE *stream, uint8_t *magic)
{
    const size_t size = fread(magic, 1, MAGIC, stream);

    for (size_t i = size; i--;)
        ungetc(magic[i], stream);
    return (struct qs_view){magic, (uint32_t)size};
}

bool is_capture_stream(FILE *stream)
{
    uint8_t magic[MAGIC];

    return is_capture(peek(stream, magic));
}

bool is_pcapng_stream(FILE *stream)
{
    uint8_t magic[MAGIC];

    return peek(stream, magic).size == MAGIC && qs_le32(magic) == PCAPNG_SECTION;
}

const struct codec *codec_of_stream(FILE *stream)
{
    uint8_t magic[MAGIC] = {0};

    peek(stream, magic);
    return codec_of(magic);
}
