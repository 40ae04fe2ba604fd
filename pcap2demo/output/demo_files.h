/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The demos of sessions as files: all in one folder, under the names that demo_names.h gives. */
#ifndef PCAP2DEMO_DEMO_FILES_H
#define PCAP2DEMO_DEMO_FILES_H

#include <glib.h>

#include "common/sessions/demo.h"

struct demo_files;

/* The options of demos, as the command line has them. */
struct demo_options {
    char *output;    /* a folder or a file; or NULL */
    char **sign_ons; /* demos that may lend their sign-on, ends with NULL; or NULL */
    gboolean force, sanitize;
};

extern struct demo_options demo_options;
extern const GOptionEntry demo_entries[];

/* Parses all but the names of files. False: an error was reported. */
bool demo_options_parse(struct qs_session_demo_options *parsed);

/*
 * `output` is what the user asked for: NULL (the current folder), a folder, or the name of the one
 * file to be, which has a dot in it. The folder is made when a file is written, or by
 * make_folders(). `force`: files that are there are overwritten.
 */
struct demo_files *demo_files_new(const char *output, bool force);
void demo_files_free(struct demo_files *files);

struct qs_demo_store *demo_files_store(struct demo_files *files);

/*
 * Gives a file its name, the next free one; the user's own where he gave one. NULL; or why it has
 * none, as a new text. `*name` is new, or NULL.
 */
struct writer;
char *demo_files_name(struct qs_demo_names *naming, bool overwrite, struct writer *writer,
                      const struct qs_demo_name_request *request, char **name);

/* The names that were given. */
struct qs_demo_names *demo_files_naming(const struct demo_files *files);

/* The folder that all files go to. */
const char *demo_files_folder(const struct demo_files *files);

#endif
