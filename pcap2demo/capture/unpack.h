/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads compressed files (gzip, xz, zstd, bzip2, lz4) and archives (zip, tar) as streams, unpacking
 * them on the fly. zlib reads gzip, libarchive all others. Of a truncated file libarchive drops the
 * last block: up to 64 KiB of xz, 128 KiB of zstd, 900 KiB of bzip2 and 4 MiB of lz4.
 *
 * Protects from decompression bombs: a stream ends at a limit.
 */
#ifndef PCAP2DEMO_UNPACK_H
#define PCAP2DEMO_UNPACK_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/*
 * Captures and demos compress to a fifth or a tenth; deflate can expand to 1032 times its size, xz
 * and zstd to many thousand times. All members of an archive count together.
 */
enum { UNPACK_RATIO_MAX = 200, UNPACK_RATIO_FROM = 16 * 1024 * 1024 };

struct unpack;

/* Whether a stream begins as a compressed file or an archive. Consumes nothing. */
bool unpack_knows(FILE *stream);

/*
 * Reads from the position of `packed`, which must stay open. `outer`: the archive that `packed` is
 * a member of, or NULL; a member is a compressed file, not an archive.
 */
struct unpack *unpack_new(FILE *packed, struct unpack *outer);

/* Call it after the streams are closed. */
void unpack_free(struct unpack *unpack);

/*
 * Moves to the next file in it, after the caller closed the stream of the last one. A compressed
 * file has one, which is empty if it cannot be read. False: there is none; see
 * unpack_problem().
 */
bool unpack_next(struct unpack *unpack);

/*
 * The name of the file in an archive, unchecked: it may contain anything. NULL if it is no archive.
 */
const char *unpack_member(const struct unpack *unpack);

/* Opens the file's contents, once; the caller closes the stream, which cannot be rewound. NULL on
 * failure. */
FILE *unpack_stream(struct unpack *unpack);

/* What is wrong with the data read so far, a new string, once; NULL: nothing. */
char *unpack_problem(struct unpack *unpack);

/*
 * Reads the first bytes of a stream and pushes them back with ungetc(): C guarantees one, the C
 * libraries of Linux and macOS accept any number. Returns how many there are.
 */
size_t peek_stream(FILE *stream, uint8_t *bytes, size_t size);

#endif
