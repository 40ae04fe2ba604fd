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

/* Callers only read the members before `name`. */
struct source {
    FILE *stream; /* stream of the current input */
    /* Name of the input in messages: the file's, ARCHIVE/MEMBER, or SOURCE_STANDARD_INPUT for "-".
     * A member's name is printable and has no "..", but is no path. */
    char *title;
    FILE *file; /* NULL: `stream` is the file */

    char *name;            /* name of the file in messages */
    struct unpack *unpack; /* NULL: the file is not compressed */
    struct unpack *inner;  /* reader of a compressed member in an archive; or NULL */
    FILE *member;          /* compressed stream that `inner` reads */
};

/*
 * Opens a file; "-" is standard input. On failure, returns NULL and sets `*error` to a new string.
 */
struct source *source_open(const char *name, char **error);

/*
 * Opens the next input, whose stream the caller closes with source_close_plain() or through
 * libpcap. Skips archive members whose names are not those of captures or, with `demos`, demos.
 * Returns false if there is no more: see source_problem().
 */
bool source_next(struct source *source, bool demos);

/* Returns a new string with the problem of the compressed data, only once; NULL: none so far. */
char *source_problem(struct source *source);

/* Frees the source. Close the current stream first. */
void source_close(struct source *source);

/*
 * True if the extension is that of a capture or, with `demos`, of a demo; the extension of a
 * compressed file may follow it.
 */
bool source_is_input_name(const char *name, bool demos);

/* True if a newly opened stream begins as a readable capture, or as a pcapng file. */
bool source_is_capture(FILE *stream);
bool source_is_pcapng(FILE *stream);

/*
 * Returns a new array with the contents of `stream`. If it has more than `max` bytes, or cannot be
 * read to its end, sets `*problem` to a new string, else to NULL.
 */
GByteArray *source_load(FILE *stream, guint max, char **problem);

bool source_is_standard_input(const char *name);

/* True unless it is a pipe or a device. A missing file is reported when it is opened. */
bool source_is_file(const char *name);

#define SOURCE_STANDARD_INPUT "standard input"

/* Returns the file's name for messages: SOURCE_STANDARD_INPUT for "-". */
const char *source_title_of(const char *name);

/* Opens the file as it is. On failure, returns NULL and sets `*error` to a new string. */
FILE *source_open_plain(const char *name, char **error);
void source_close_plain(FILE *stream);

/* --- unpack.c: compressed files and archives -------------------------------------------------- */

/*
 * Reads compressed files (gzip, xz, zstd, bzip2, lz4) and archives (zip, tar) as streams, unpacking
 * them on the fly. zlib reads gzip, libarchive the others. Of a truncated file libarchive drops the
 * last block: up to 64 KiB of xz, 128 KiB of zstd, 900 KiB of bzip2 and 4 MiB of lz4.
 *
 * A limit protects from decompression bombs: the streams end there.
 */

/*
 * Limit for unpacking: a ratio, and the size from which on it applies. Captures and demos compress
 * to a fifth or a tenth; deflate can expand to 1032 times its size, xz and zstd to many thousand
 * times. All members of an archive count together.
 */
enum { UNPACK_RATIO_MAX = 200, UNPACK_RATIO_FROM = 16 * 1024 * 1024 };

struct unpack;

/* True if a stream begins as a compressed file or an archive. Consumes nothing. */
bool unpack_knows(FILE *stream);

/*
 * Reads from the position of `packed`, which must stay open. `outer` is the archive that contains
 * `packed`, or NULL; a member of an archive is not read as an archive.
 */
struct unpack *unpack_new(FILE *packed, struct unpack *outer);

/* Frees the reader. Close its streams first. */
void unpack_free(struct unpack *unpack);

/*
 * Moves to the next file, after the caller closed the stream of the last one. A compressed file has
 * one, which is empty if it cannot be read. Returns false if there is no more: see
 * unpack_problem().
 */
bool unpack_next(struct unpack *unpack);

/* Returns the name of the file in an archive, unchecked: it may contain anything. Else NULL. */
const char *unpack_member(const struct unpack *unpack);

/* Opens the contents of the current file, only once. The caller closes the stream, which cannot be
 * rewound. NULL on failure. */
FILE *unpack_stream(struct unpack *unpack);

/* Returns a new string with the problem of the data, only once; NULL: none so far. */
char *unpack_problem(struct unpack *unpack);

/*
 * Reads the first bytes of a stream and pushes them back with ungetc(): C guarantees one, the C
 * libraries of Linux and macOS accept any number. Returns the number of bytes read.
 */
size_t peek_stream(FILE *stream, uint8_t *bytes, size_t size);

#endif
