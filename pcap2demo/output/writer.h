/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes a file that appears under its name complete or not at all.
 *
 * Bytes are buffered, and go to a temporary file in the same folder when the buffer is full; the
 * file is open only meanwhile, so there can be any number of writers. The more there are, the
 * smaller are their buffers. Errors are sticky: after the first one all calls do nothing until
 * writer_commit() reports it.
 */
#ifndef PCAP2DEMO_WRITER_H
#define PCAP2DEMO_WRITER_H

#include <stdbool.h>
#include <stddef.h>

enum { WRITER_BUFFER = 64 * 1024 }; /* of few writers */

/*
 * Returns what is wrong with the file name that `option` gives, a new string, or NULL. Rejects "-",
 * since a file has a temporary name first, and extensions of compressed files. `name` NULL: not
 * given.
 */
char *writer_name_problem(const char *option, const char *name);

struct writer;

/* `folder`: the file's folder, created if needed. */
struct writer *writer_new(const char *folder);

void writer_add(struct writer *writer, const void *data, size_t size);

/*
 * Gives the file its name, which has no folder in it. An existing file of that name is an error,
 * unless `overwrite` or it has the same bytes; a folder, a device or a pipe always is. Returns NULL
 * when the file is there, else a new text about what went wrong.
 */
char *writer_commit(struct writer *writer, const char *name, bool overwrite);

/* Opens the file at `*path` to append to it; NULL: makes one in the folder, whose name is `pattern`
 * with other characters for its "XXXXXX". -1 on failure: see errno. */
int open_to_append(char **path, const char *folder, const char *pattern, int mode);

/* Writes to a file that is open. Returns how many bytes; if that is not all, errno says why. */
size_t write_whole(int file, const void *data, size_t size);

/* Renames a file, never to a taken name: then it is false, and errno EEXIST. */
bool rename_to_free_name(const char *from, const char *to);

/* Whether the only error is that the last name was taken: try another. */
bool writer_name_is_taken(const struct writer *writer);

/* Whether the file was there before, with the same bytes. */
bool writer_is_unchanged(const struct writer *writer);

/* Frees the writer, and removes an uncommitted file. */
void writer_free(struct writer *writer);

/* Writes a file, or replaces it. Returns as writer_commit() does. */
char *writer_replace(const char *path, const char *text);

#endif
