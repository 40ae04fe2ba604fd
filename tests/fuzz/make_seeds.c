/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes seeds for the fuzzers that are made, of messages that captures lack:
 *
 *     make_seeds DIRECTORY
 *
 * DIRECTORY/decode, stream, plugin, session and tool get some; the other targets' folders are there
 * to be filled. What captures have is in the corpora.
 */
#include <glib/gstdio.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/fuzz/made_seeds.h"

static char *make_folder(const char *parent, const char *name)
{
    char *folder = g_build_filename(parent, name, NULL);

    if (g_mkdir_with_parents(folder, 0777) != 0) {
        perror(folder);
        exit(1);
    }
    return folder;
}

int main(int argc, char **argv)
{
    static const char *const names[] = {"decode", "stream",  "plugin", "session",
                                        "tool",   "rebuild", "lend",   "recording",
                                        "golden", "capture", "expect", "archive"};
    char *folders[G_N_ELEMENTS(names)];

    if (argc != 2) {
        fprintf(stderr, "usage: %s DIRECTORY\n", argv[0]);
        return 2;
    }
    for (unsigned i = 0; i < G_N_ELEMENTS(names); i++)
        folders[i] = make_folder(argv[1], names[i]);
    made_seeds_write(
        &(struct made_folders){folders[0], folders[1], folders[2], folders[3], folders[4]});
    for (unsigned i = 0; i < G_N_ELEMENTS(names); i++)
        g_free(folders[i]);
    return 0;
}
