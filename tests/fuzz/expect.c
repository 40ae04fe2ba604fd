/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A file of expectations: what is read of it can be printed, and is read the same again. */
#include <glib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "pcap2demo/regression/expect_rules.h"
#include "tests/fuzz/fuzz.h"

enum { NAME_MAX_BYTES = 64 };

static void broken(const char *what)
{
    fprintf(stderr, "%s\n", what);
    abort();
}

/* Reads a file that is only in memory; NULL: it holds no expectations. */
static struct expect_file *read_text(const void *data, size_t size)
{
    const int memory = memfd_create("expected", 0);
    char name[NAME_MAX_BYTES], *problem = NULL;
    struct expect_file *file;

    if (memory < 0 || write(memory, data, size) != (ssize_t)size)
        abort();
    g_snprintf(name, sizeof name, "/proc/self/fd/%d", memory);
    file = expect_file_read(name, false, &problem);
    if (!file != !!problem)
        broken("neither expectations nor a problem");
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
            broken("what is printed cannot be read");
        other = expect_file_text(again, NULL);
        if (strcmp(text, other) != 0)
            broken("what is printed is read differently");
        g_free(other);
        expect_file_free(again);
        g_free(text);
        expect_file_free(file);
    }
    fuzz_check_time(started, size);
    return 0;
}
