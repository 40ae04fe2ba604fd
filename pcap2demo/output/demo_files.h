/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes the demos of sessions to one folder, with names from demo_names.h. */
#ifndef PCAP2DEMO_DEMO_FILES_H
#define PCAP2DEMO_DEMO_FILES_H

#include <glib.h>

#include "common/sessions/demo.h"
#include "pcap2demo/options.h"

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
