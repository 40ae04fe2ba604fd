/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads a file of expectations, prints it, and reads it again: both must be the same. */
#include <glib.h>
#include <string.h>
#include <unistd.h>

#include "pcap2demo/regression/expect.h"
#include "tests/fuzz/fuzz.h"

/* Returns NULL if the file has no expectations. */
static struct expect_file *read_text(const void *data, size_t size)
{
    char name[FUZZ_NAME_MAX], *problem = NULL;
    const int memory = fuzz_file(data, size, name);
    struct expect_file *file;

    file = expect_file_read(name, false, &problem);
    if (!file != !!problem)
        fuzz_broken("neither expectations nor a problem", "");
    g_free(problem);
    close(memory);
    return file;
}

static char *text_of(const struct expect_file *file)
{
    GPtrArray *changes = g_ptr_array_new_with_free_func(g_free);
    char *text = expect_file_text(file, changes);

    if (changes->len)
        fuzz_broken("a change without an update", g_ptr_array_index(changes, 0));
    g_ptr_array_free(changes, TRUE);
    return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct fuzz_cost started = fuzz_begin();
    struct expect_file *file = read_text(data, size), *again;
    char *text, *other;

    if (file) {
        text = text_of(file);
        again = read_text(text, strlen(text));
        if (!again)
            fuzz_broken("printed expectations cannot be read", "");
        other = text_of(again);
        if (strcmp(text, other) != 0)
            fuzz_broken("printed expectations differ when read", "");
        g_free(other);
        expect_file_free(again);
        g_free(text);
        expect_file_free(file);
    }
    fuzz_check_cost(started, size);
    return 0;
}
