/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opens a file or standard input as streams of the inputs in it: the file itself, its decompressed
 * contents, or the members of an archive (see unpack.c).
 */
#ifndef PCAP2DEMO_SOURCE_H
#define PCAP2DEMO_SOURCE_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Callers only read the first members. */
struct source {
    FILE *stream; /* of the current input */
    /* The input's name in messages: the file's, ARCHIVE/MEMBER, or SOURCE_STANDARD_INPUT for "-". A
     * member's name is printable and has no "..", but is no path. */
    char *title;
    struct unpack *unpack; /* NULL: the file is not compressed */

    char *name;           /* of the file, for messages */
    FILE *file;           /* NULL: `stream` is the file */
    struct unpack *inner; /* a compressed member of an archive; or NULL */
    FILE *member;         /* the compressed stream that `inner` reads */
};

/*
 * Opens a file; "-" is standard input. NULL on failure; then `*error` is a new string.
 */
struct source *source_open(const char *name, char **error);

/*
 * Opens the next input, whose stream the caller closes with source_close_plain() or through
 * libpcap. Skips archive members whose names are not those of captures or, with `demos`, demos.
 * False: there is none, see source_problem().
 */
bool source_next(struct source *source, bool demos);

/* What is wrong with the compressed data read so far, a new string, once; NULL: nothing. */
char *source_problem(struct source *source);

/* Call it after the stream is closed. */
void source_close(struct source *source);

/*
 * Whether the extension is that of a capture or, with `demos`, of a demo; also before that of a
 * compressed file.
 */
bool source_is_input_name(const char *name, bool demos);

/* Whether a newly opened stream begins as a readable capture; as a pcapng file. */
bool source_is_capture(FILE *stream);
bool source_is_pcapng(FILE *stream);

/*
 * Reads `stream` to a new array of at most `max` bytes. `*problem` becomes a new string if that is
 * not all of the stream, else NULL.
 */
GByteArray *source_load(FILE *stream, guint max, char **problem);

bool source_is_standard_input(const char *name);

/* Whether it is no pipe or device: a file, or missing, which is reported when it is opened. */
bool source_is_file(const char *name);

#define SOURCE_STANDARD_INPUT "standard input"

/* The name in messages of the file with this name: SOURCE_STANDARD_INPUT for "-". */
const char *source_title_of(const char *name);

/* Opens the file without decompressing it. NULL on failure; then `*error` is a new string. */
FILE *source_open_plain(const char *name, char **error);
void source_close_plain(FILE *stream);

/* --- unpack.c: compressed files and archives -------------------------------------------------- */

/*
 * Reads compressed files (gzip, xz, zstd, bzip2, lz4) and archives (zip, tar) as streams, unpacking
 * them on the fly. zlib reads gzip, libarchive all others. Of a truncated file libarchive drops the
 * last block: up to 64 KiB of xz, 128 KiB of zstd, 900 KiB of bzip2 and 4 MiB of lz4.
 *
 * Protects from decompression bombs: a stream ends at a limit.
 */

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
