/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A file of expectations: what is read of it can be printed, and is read the same again. */
#include <glib.h>
#include <string.h>
#include <unistd.h>

#include "pcap2demo/regression/expect_rules.h"
#include "tests/fuzz/fuzz.h"

/* Reads a file that is only in memory; NULL: it holds no expectations. */
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const double started = fuzz_time();
    struct expect_file *file = read_text(data, size), *again;
    char *text, *other;

    if (file) {
        text = expect_file_text(file, NULL);
        again = read_text(text, strlen(text));
        if (!again)
            fuzz_broken("what is printed cannot be read", "");
        other = expect_file_text(again, NULL);
        if (strcmp(text, other) != 0)
            fuzz_broken("what is printed is read differently", "");
        g_free(other);
        expect_file_free(again);
        g_free(text);
        expect_file_free(file);
    }
    fuzz_check_time(started, size);
    return 0;
}
