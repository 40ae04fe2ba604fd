/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The compressions that files may have: gzip, xz and zstd, the last two where they were built in.
 */
#ifndef PCAP2DEMO_CODEC_H
#define PCAP2DEMO_CODEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a decoder may need to remember; a file says how much of it. */
enum { CODEC_WINDOW_LOG_MAX = 27, CODEC_MEMORY_MAX = 129 << 20 };

/* A decoder takes from the front of `in`, and fills `out`. */
struct codec_buffers {
    const uint8_t *in;
    size_t in_size;
    uint8_t *out;
    size_t out_size;
};

enum codec_status {
    CODEC_WITHIN,
    CODEC_BETWEEN, /* the file may end here; it may also go on with another piece of the kind */
    CODEC_DAMAGED,
    CODEC_GREEDY /* needs more than CODEC_MEMORY_MAX */
};

struct codec_decoder {
    void *(*open)(void); /* NULL on failure */
    enum codec_status (*step)(void *state, struct codec_buffers *buffers);
    void (*close)(void *state);
};

extern const struct codec_decoder codec_gzip, codec_xz, codec_zstd;

struct codec {
    const char *name;                    /* "gzip" */
    uint32_t magic, magic_mask;          /* of the first four bytes, little-endian */
    const struct codec_decoder *decoder; /* NULL: was not built in */
};

/* The codec of a file that begins with these four bytes, or NULL. */
const struct codec *codec_of(const uint8_t *magic);

#endif
