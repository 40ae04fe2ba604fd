/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/fuzz/fuzz.h"

#include <glib.h>

#include "pcap2demo/output/files.h"
#include "pcap2demo/recording/recording.h"
#include "pcap2demo/capture/signals.h"

static fuzz_file_checker *checker;
static void *checker_user;

void fuzz_check_files(fuzz_file_checker *check, void *user)
{
    checker = check;
    checker_user = user;
}

/* --- Files --- */

struct writer {
    GByteArray *bytes;
};

char *writer_name_problem(const char *option, const char *name)
{
    (void)option, (void)name;
    return NULL;
}

struct writer *writer_new(const char *folder)
{
    struct writer *writer = g_new(struct writer, 1);

    (void)folder;
    writer->bytes = g_byte_array_new();
    return writer;
}

void writer_add(struct writer *writer, const void *data, size_t size)
{
    g_byte_array_append(writer->bytes, data, (guint)size);
}

char *writer_commit(struct writer *writer, const char *name, bool overwrite)
{
    (void)overwrite;
    if (checker)
        checker(checker_user, name, (struct qs_view){writer->bytes->data, writer->bytes->len});
    return NULL;
}

bool writer_name_is_taken(const struct writer *writer)
{
    (void)writer;
    return false;
}

bool writer_is_unchanged(const struct writer *writer)
{
    return writer_name_is_taken(writer);
}

void writer_free(struct writer *writer)
{
    g_byte_array_free(writer->bytes, TRUE);
    g_free(writer);
}

char *writer_replace(const char *path, const char *text)
{
    (void)path, (void)text;
    return NULL;
}

/* --- Signals --- */

void signals_catch(void)
{
}

bool signals_interrupted(void)
{
    return false;
}

void signals_die_of_pipe(void)
{
}

/* --- Network interfaces --- */

void recorder_run(const struct options *options, void (*prepare)(const struct options *options))
{
    (void)options, (void)prepare;
}
