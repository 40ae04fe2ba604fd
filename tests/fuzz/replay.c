/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs a fuzz target on files, and on those of folders, without libFuzzer. */
#include <glib.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/fuzz/fuzz.h"

static unsigned inputs;

static void run_file(const char *name)
{
    GError *error = NULL;
    g_autofree char *data = NULL;
    gsize size;

    if (!g_file_get_contents(name, &data, &size, &error)) {
        fprintf(stderr, "%s\n", error->message);
        exit(1);
    }
    LLVMFuzzerTestOneInput((const uint8_t *)data, size);
    inputs++;
}

static void run_folder(const char *name, GDir *folder)
{
    const char *file;

    while ((file = g_dir_read_name(folder))) {
        g_autofree char *path = g_build_filename(name, file, NULL);

        run_file(path);
    }
    g_dir_close(folder);
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        GDir *folder = g_dir_open(argv[i], 0, NULL);

        if (folder)
            run_folder(argv[i], folder);
        else
            run_file(argv[i]);
    }
    printf("%u inputs\n", inputs);
    return inputs ? 0 : 1;
}
