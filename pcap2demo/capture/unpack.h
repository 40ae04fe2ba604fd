/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compressed files (gzip, xz, zstd, bzip2, lz4) and archives (zip, tar) as streams: they are
 * unpacked as they are read, in as little memory as that takes. libarchive does it, but for gzip,
 * which zlib does: where a file ends early, libarchive drops what its last block holds, up to 64
 * KiB of xz, 128 KiB of zstd, 900 KiB of bzip2 and 4 MiB of lz4.
 *
 * A file that unpacks to very much was made to do so. What is beyond a limit reads as the end.
 */
#ifndef PCAP2DEMO_UNPACK_H
#define PCAP2DEMO_UNPACK_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/*
 * Captures and demos shrink to a fifth or a tenth; deflate can stand for 1032 times its size, xz
 * and zstd for many thousand times. All members of an archive count together.
 */
enum { UNPACK_RATIO_MAX = 200, UNPACK_RATIO_FROM = 16 * 1024 * 1024 };

struct unpack;

/* Whether a stream begins as a compressed file or an archive. Nothing of it is used up. */
bool unpack_knows(FILE *stream);

/*
 * Begins where `packed` stands, which must stay open. `outer`: whose member that is, or NULL; then
 * it is a compressed file, and archives are not looked into.
 */
struct unpack *unpack_new(FILE *packed, struct unpack *outer);

/* After the streams were closed. */
void unpack_free(struct unpack *unpack);

/*
 * Goes to the next file in it, whose stream the caller has closed before; a compressed file has
 * one, which is empty where it cannot be read. False: there is none; see unpack_take_problem().
 */
bool unpack_next(struct unpack *unpack);

/*
 * The name of the file in an archive as its author wrote it, which may hold anything; NULL where
 * it is no archive.
 */
const char *unpack_member(const struct unpack *unpack);

/* The bytes of the file, once; the caller closes it. NULL on failure. It cannot be rewound. */
FILE *unpack_stream(struct unpack *unpack);

/* What is wrong with what was read so far, as a new text, once; NULL: nothing. */
char *unpack_take_problem(struct unpack *unpack);

/* Bytes of the packed file that were read so far. */
uint64_t unpack_position(const struct unpack *unpack);

#endif
