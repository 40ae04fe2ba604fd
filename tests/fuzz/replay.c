/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs a fuzz target on files, in builds without libFuzzer: what was once found stays fixed. */
#include <glib.h>
#include <stdio.h>

#include "tests/fuzz/fuzz.h"

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        GError *error = NULL;
        char *data;
        gsize size;

        if (!g_file_get_contents(argv[i], &data, &size, &error)) {
            fprintf(stderr, "%s\n", error->message);
            g_error_free(error);
            return 1;
        }
        LLVMFuzzerTestOneInput((const uint8_t *)data, size);
        g_free(data);
    }
    printf("%d inputs\n", argc - 1);
    return argc > 1 ? 0 : 1;
}
