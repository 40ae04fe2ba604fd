/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes a file that either appears whole under its name or not at all.
 *
 * Bytes are buffered, and go to a temporary file in the same folder when the buffer is full; the
 * file is open only while that happens, so any number of writers can be at work. Errors are sticky:
 * the first one is kept, and everything later does nothing until writer_commit() reports it.
 */
#ifndef PCAP2DEMO_WRITER_H
#define PCAP2DEMO_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { WRITER_BUFFER = 64 * 1024 };

/*
 * What is wrong with the name of a file that `option` gives, as a new text, or NULL. A file first
 * has another name: standard output cannot be one. Nor may it end as a compressed file's does.
 * `name` NULL: none was given.
 */
char *writer_name_problem(const char *option, const char *name);

struct writer;

/* `folder` is where the file will be, and is made; NULL: nothing is written, bytes are only
 * counted.
 */
struct writer *writer_new(const char *folder);

/* The temporary file's name is a number between these two, instead of the program's own choice. */
void writer_name_temporary(struct writer *writer, const char *before, const char *behind);

void writer_add(struct writer *writer, const void *data, size_t size);

/* A file that is in `folder` already, under a name that it is to lose; of this size. */
struct writer *writer_adopt(const char *folder, const char *path, uint64_t size);

/*
 * For files that are written for long. writer_wait_for_room(): from now on a full disk is no
 * error; what has no room waits in memory, until writer_flush() has success. What is there is at
 * all times the beginning of the file.
 */
void writer_wait_for_room(struct writer *writer);

/* Writes what waits in memory. False: there is no room for it. */
bool writer_flush(struct writer *writer);

/* Bytes that wait in memory; and whether the disk was full the last time. */
size_t writer_waiting(const struct writer *writer);
bool writer_is_full(const struct writer *writer);

/* As if the disk had been full: nothing is written before writer_flush(). */
void writer_hold(struct writer *writer);

/* What waits in memory, and has no room, is dropped. */
void writer_drop_waiting(struct writer *writer);

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

/* Whether nothing went wrong but that the last name is taken: the file may be given another. */
bool writer_name_is_taken(const struct writer *writer);

/* The temporary file stays where it is when the writer is freed. */
void writer_forget(struct writer *writer);

/* Frees the writer. What was not committed is removed. */
void writer_free(struct writer *writer);

#endif
