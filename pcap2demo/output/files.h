/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files that are written: complete or not at all, under safe names; and where demos go. */
#ifndef PCAP2DEMO_FILES_H
#define PCAP2DEMO_FILES_H

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>

#include "common/sessions/demo.h"
#include "pcap2demo/options.h"

/* --- writer.c --------------------------------------------------------------------------------- */

/*
 * Writes a file that appears under its name complete or not at all.
 *
 * Bytes are buffered, and go to a temporary file in the same folder when the buffer is full; the
 * file is open only meanwhile, so there can be any number of writers. The more there are, the
 * smaller are their buffers. Errors are sticky: after the first one all calls do nothing until
 * writer_commit() reports it.
 */

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

/* The temporary file's name is `pattern` with other characters for its "XXXXXX"; NULL: any. The
 * file's bytes are on disk before it gets its name, and only its owner and group can read it. */
struct writer *writer_new_named(const char *folder, const char *pattern);

/* The same for a temporary file that is there already: its bytes come first, and it stays when
 * writer_commit() fails and writer_leave() frees the writer. */
struct writer *writer_new_on(const char *folder, const char *name);

void writer_add(struct writer *writer, const void *data, size_t size);

/*
 * Gives the file its name, which has no folder in it. An existing file of that name is an error,
 * unless `overwrite` or it has the same bytes; a folder, a device or a pipe always is. Returns NULL
 * when the file is there, else a new text about what went wrong.
 */
char *writer_commit(struct writer *writer, const char *name, bool overwrite);

/* Whether the only error is that the last name was taken: try another. */
bool writer_name_is_taken(const struct writer *writer);

/* Whether the file was there before, with the same bytes. */
bool writer_is_unchanged(const struct writer *writer);

/* Frees the writer, and removes an uncommitted file, or leaves it with all that was added. */
void writer_free(struct writer *writer);
void writer_leave(struct writer *writer);

/* Writes a file, or replaces it. Returns as writer_commit() does. */
char *writer_replace(const char *path, const char *text);

/* --- safe_path.c ------------------------------------------------------------------------------ */

/*
 * Safe paths for files whose names come from the network.
 *
 * A path stays below its folder for any name: names of folders and files have only letters, digits,
 * "_", "+", "-" and ".", and do not begin with "." or "-"; other characters become "_". Both "/"
 * and "\" separate. Paths that are too deep or too long are cut.
 */

enum { SAFE_PATH_DEPTH = 8, SAFE_PATH_PART = 64 };

/* The name made safe, relative to the folder; NULL is a file without a name. New. */
char *safe_path(const char *name);

/*
 * Creates the folders of `path`, which is safe, below `folder`. Existing ones must be folders, not
 * links to one. Returns the file's folder, new; or NULL, and `*error` is a new string.
 */
char *safe_path_make_folders(const char *folder, const char *path, char **error);

/*
 * Creates a folder named by the user and its missing parents. Returns NULL, or what is wrong as a
 * new string.
 */
char *make_folders(const char *folder);

/* --- demo_files.c: demos ---------------------------------------------------------------------- */

/* Writes the demos of sessions to one folder, with names from demo_names.h. */

struct demo_files;

extern const struct option_row demo_rows[];

/* Sets how demos are written, by the options. */
void demo_options_apply(struct options *options);

/*
 * `output`: NULL (the current folder), a folder, or the name of the one file to write, which
 * contains a dot. The folder is created when a file is written, or by make_folders(). `force`:
 * overwrites existing files.
 */
struct demo_files *demo_files_new(const char *output, bool force);
void demo_files_free(struct demo_files *files);

struct qs_demo_store *demo_files_store(struct demo_files *files);

/* The names given so far. */
struct qs_demo_names *demo_files_naming(const struct demo_files *files);

/* The folder of all files. */
const char *demo_files_folder(const struct demo_files *files);

#endif
