/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Output files: written completely or not at all, under safe names; and the files of demos. */
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
 * Bytes are buffered, and written to a temporary file in the same folder when the buffer is full.
 * The file is open only during a write, so any number of writers may exist; the more there are, the
 * smaller are their buffers. Errors are sticky: after the first one all calls do nothing until
 * writer_commit() reports it.
 */

enum { WRITER_BUFFER = 64 * 1024 }; /* maximum size of a buffer, in bytes */

/*
 * Returns an error text for an unusable file name in `option`, which the caller frees, or NULL.
 * Rejects "-", because a file first has a temporary name, and extensions of compressed files.
 * Accepts NULL: the option is not given.
 */
char *writer_name_problem(const char *option, const char *name);

struct writer;

/* Creates a writer for a file in `folder`, which is created if needed. See writer_free(). */
struct writer *writer_new(const char *folder);

/* Like writer_new(), but syncs the file before it gets its name, and only its owner and group can
 * read it. The temporary file is named by `pattern`, which contains "XXXXXX"; NULL: the default. */
struct writer *writer_new_named(const char *folder, const char *pattern);

/* Like writer_new_named(), but appends to the existing temporary file `name`. That file stays if
 * writer_commit() fails, and if writer_leave() frees the writer. */
struct writer *writer_new_on(const char *folder, const char *name);

/* Appends bytes to the file. */
void writer_add(struct writer *writer, const void *data, size_t size);

/*
 * Gives the file its name, without a folder. Returns NULL if that succeeds, or an error text, which
 * the caller frees. An existing file is an error, unless `overwrite` is set or it has the same
 * bytes; an existing folder, device or pipe always is.
 */
char *writer_commit(struct writer *writer, const char *name, bool overwrite);

/* True if writer_commit() failed only because the name is taken: try another name. */
bool writer_name_is_taken(const struct writer *writer);

/* True if the file already existed with the same bytes. */
bool writer_is_unchanged(const struct writer *writer);

/* Free the writer. writer_free() removes a file that was not committed; writer_leave() keeps it,
 * with all that was added. */
void writer_free(struct writer *writer);
void writer_leave(struct writer *writer);

/* Writes `text` to a file, replacing an existing one. Returns as writer_commit() does. */
char *writer_replace(const char *path, const char *text);

/* --- safe_path.c ------------------------------------------------------------------------------ */

/*
 * Safe paths for files whose names come from the network.
 *
 * A safe path stays below its folder, whatever the name is: names of folders and files contain only
 * letters, digits, "_", "+", "-" and ".", and do not begin with "." or "-"; other characters become
 * "_". Both "/" and "\" are separators. Paths that are too deep or too long are cut.
 */

enum { SAFE_PATH_DEPTH = 8, SAFE_PATH_PART = 64 };

/* Returns the name as a safe relative path; "unnamed" for NULL. The caller frees it. */
char *safe_path(const char *name);

/* Creates the folders of the safe path `path` below `folder`. Fails if one is something else, such
 * as a link. Returns the file's folder, a new text; or NULL, and `*error` is a new text. */
char *safe_path_make_folders(const char *folder, const char *path, char **error);

/* Creates a folder that the user named, and its missing parents. Returns NULL, or an error text,
 * which the caller frees. */
char *make_folders(const char *folder);

/* --- demo_files.c: demos ---------------------------------------------------------------------- */

/* Writes the demos of sessions to one folder, with names from demo_names.h. */

struct demo_files;

extern const struct option_row demo_rows[];

/* Copies the options of demos to options->sessions.demo. */
void demo_options_apply(struct options *options);

/*
 * Creates the store of demos. `output` is NULL (the current folder), a folder, or the name of the
 * only file, which contains a dot. The folder is created when a file is written, or by
 * make_folders(). `force` overwrites existing files. Free it with demo_files_free().
 */
struct demo_files *demo_files_new(const char *output, bool force);
void demo_files_free(struct demo_files *files);

/* Returns the store for qs_sessions_options. It belongs to `files`. */
struct qs_demo_store *demo_files_store(struct demo_files *files);

/* Returns the names given so far. They belong to `files`. */
struct qs_demo_names *demo_files_naming(const struct demo_files *files);

/* Returns the folder of all demos. It belongs to `files`. */
const char *demo_files_folder(const struct demo_files *files);

#endif
