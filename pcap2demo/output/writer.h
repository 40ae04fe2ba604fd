/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes a file that appears under its name complete or not at all.
 *
 * Bytes are buffered, and go to a temporary file in the same folder when the buffer is full; the
 * file is open only meanwhile, so there can be any number of writers. Errors are sticky: after the
 * first one all calls do nothing until writer_commit() reports it.
 */
#ifndef PCAP2DEMO_WRITER_H
#define PCAP2DEMO_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { WRITER_BUFFER = 64 * 1024 };

/*
 * Returns what is wrong with the file name that `option` gives, a new string, or NULL. Rejects "-",
 * since a file has a temporary name first, and extensions of compressed files. `name` NULL: not
 * given.
 */
char *writer_name_problem(const char *option, const char *name);

struct writer;

/* `folder`: the file's folder, created if needed. NULL: counts bytes without writing. */
struct writer *writer_new(const char *folder);

/* Sets the temporary file's name: a number between these two. */
void writer_name_temporary(struct writer *writer, const char *before, const char *behind);

void writer_add(struct writer *writer, const void *data, size_t size);

/* Continues with the temporary file `path` in `folder`, which has `size` bytes. */
struct writer *writer_adopt(const char *folder, const char *path, uint64_t size);

/*
 * For files that grow for a long time. After writer_set_waiting(), what cannot be written stays in
 * memory until writer_flush() succeeds, and writer_commit() may be called again; only a temporary
 * file that was removed is an error. The file on disk is always a prefix of the whole.
 */
void writer_set_waiting(struct writer *writer);

/* Writes the bytes in memory. False: it cannot. */
bool writer_flush(struct writer *writer);

/* Bytes in memory; why the last attempt failed, or NULL; and whether none can succeed. */
size_t writer_waiting(const struct writer *writer);
const char *writer_obstacle(const struct writer *writer);
bool writer_has_failed(const struct writer *writer);

/* Writes nothing before the next writer_flush(), as after a failed attempt. */
void writer_hold(struct writer *writer, const char *why);

/* The temporary file; NULL: there is none yet. */
const char *writer_temporary(const struct writer *writer);

/* Bytes added so far. */
uint64_t writer_size(const struct writer *writer);

/*
 * Gives the file its name, which has no folder in it. An existing file of that name is an error,
 * unless `overwrite`; a folder, a device or a pipe always is. Returns NULL when the file is there,
 * else a new text about what went wrong.
 */
char *writer_commit(struct writer *writer, const char *name, bool overwrite);

/* Whether the only error is that the last name was taken: try another. */
bool writer_name_is_taken(const struct writer *writer);

/* Keeps the temporary file when the writer is freed. */
void writer_forget(struct writer *writer);

/* Frees the writer, and removes an uncommitted file. */
void writer_free(struct writer *writer);

#endif
