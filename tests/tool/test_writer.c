/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Output files appear whole or not at all. */
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pcap2demo/output/files.h"
#include "tests/support/test.h"

static unsigned files_in(const char *folder)
{
    GDir *dir = g_dir_open(folder, 0, NULL);
    unsigned count = 0;

    while (g_dir_read_name(dir))
        count++;
    g_dir_close(dir);
    return count;
}

typedef char *folder_path;

static void make_folder(folder_path *folder)
{
    *folder = g_dir_make_tmp("writer-XXXXXX", NULL);
    assert_non_null(*folder);
}

/* Each test removes its files, which it checks. */
static void remove_folder(folder_path *folder)
{
    assert_int_equal(g_rmdir(*folder), 0);
    g_free(*folder);
}

#define FOLDER_TEST(function) TEST_WITH(function, folder_path, folder, make_folder, remove_folder)

/* Checks the file's contents, and removes it. */
static void assert_file(const char *folder, const char *name, const char *expected, size_t size)
{
    g_autofree char *path = g_build_filename(folder, name, NULL);
    g_autofree char *contents = NULL;
    gsize length;

    assert_true(g_file_get_contents(path, &contents, &length, NULL));
    assert_int_equal(length, size);
    assert_memory_equal(contents, expected, size);
    g_unlink(path);
}

static struct writer *writer_of(const char *folder, const char *text)
{
    struct writer *writer = writer_new(folder);

    writer_add(writer, text, strlen(text));
    return writer;
}

static void commit(struct writer *writer, const char *name, bool overwrite)
{
    char *error = writer_commit(writer, name, overwrite);

    assert_null(error);
    writer_free(writer);
}

FOLDER_TEST(a_file_appears_when_it_is_committed)
{
    struct writer *writer = writer_of(*folder, "one");

    writer_add(writer, "two", 3);
    assert_int_equal(files_in(*folder), 0);
    commit(writer, "x.qwd", false);
    commit(writer_new(*folder), "empty", false);
    assert_int_equal(files_in(*folder), 2);
    assert_file(*folder, "x.qwd", "onetwo", 6);
    assert_file(*folder, "empty", "", 0);
}

/* Several times the buffer, all at once and in pieces that do not divide it. */
FOLDER_TEST(large_files_are_whole_and_not_held_open)
{
    enum { PIECE = 1000, PIECES = 300 };
    struct writer *writers[3];
    g_autofree char *bytes = g_malloc(PIECE * PIECES);
    const int lowest = dup(0);

    for (size_t i = 0; i < PIECE * PIECES; i++)
        bytes[i] = (char)(i * 7 + i / 1000);
    for (int i = 0; i < 3; i++)
        writers[i] = writer_new(*folder);
    for (size_t piece = 0; piece < PIECES; piece++)
        for (int i = 1; i < 3; i++)
            writer_add(writers[i], bytes + piece * PIECE, PIECE);
    writer_add(writers[0], bytes, PIECE * PIECES);
    assert_int_equal(files_in(*folder), 3); /* temporary ones */
    close(lowest);
    assert_int_equal(dup(0), lowest); /* no other descriptor is in use */
    close(lowest);
    commit(writers[0], "a", false);
    commit(writers[1], "b", false);
    writer_free(writers[2]); /* without a trace */
    assert_int_equal(files_in(*folder), 2);
    assert_file(*folder, "a", bytes, PIECE * PIECES);
    assert_file(*folder, "b", bytes, PIECE * PIECES);
}

FOLDER_TEST(an_existing_file_is_only_overwritten_on_request)
{
    struct writer *writer = writer_of(*folder, "new");
    g_autofree char *error = NULL;

    commit(writer_of(*folder, "old"), "x.qwd", false);
    error = writer_commit(writer, "x.qwd", false);
    assert_non_null(strstr(error, "--force"));
    assert_true(writer_name_is_taken(writer));
    commit(writer, "y.qwd", false); /* the same bytes under another name */
    assert_int_equal(files_in(*folder), 2);
    assert_file(*folder, "x.qwd", "old", 3);
    commit(writer_of(*folder, "third"), "y.qwd", true);
    assert_file(*folder, "y.qwd", "third", 5);
}

/* Even if the caller allows overwriting. */
FOLDER_TEST(a_pipe_or_a_device_is_never_replaced)
{
    g_autofree char *pipe = g_build_filename(*folder, "pipe", NULL);
    g_autofree char *device = g_build_filename(*folder, "device", NULL); /* a link to one */
    static const char *const names[] = {"pipe", "device"};
    struct stat status;

    assert_int_equal(mkfifo(pipe, 0600), 0);
    assert_int_equal(symlink("/dev/null", device), 0);
    for (unsigned i = 0; i < G_N_ELEMENTS(names); i++) {
        struct writer *writer = writer_of(*folder, "new");
        g_autofree char *error = writer_commit(writer, names[i], true);

        assert_non_null(error);
        writer_free(writer);
    }
    assert_int_equal(files_in(*folder), 2);
    assert_int_equal(stat(pipe, &status), 0);
    assert_true(S_ISFIFO(status.st_mode));
    g_unlink(pipe);
    g_unlink(device);
}

FOLDER_TEST(the_folder_is_created_for_the_file)
{
    g_autofree char *above = g_build_filename(*folder, "new", NULL);
    g_autofree char *inner = g_build_filename(above, "folder", NULL);
    struct writer *writer = writer_of(inner, "bytes");

    assert_false(g_file_test(above, G_FILE_TEST_EXISTS));
    commit(writer, "x.qwd", false);
    assert_file(inner, "x.qwd", "bytes", 5);
    assert_int_equal(remove(inner), 0);
    assert_int_equal(remove(above), 0);
}

FOLDER_TEST(a_folder_that_cannot_be_created_is_reported)
{
    struct writer *writer = writer_of("/dev/null/gone", "bytes");
    g_autofree char *error = writer_commit(writer, "x.qwd", false);

    assert_non_null(strstr(error, "gone"));
    assert_non_null(strstr(error, "Not a directory"));
    writer_free(writer);
}

/* A limit on the size of files stands for the full disk: the second half cannot be written. */
FOLDER_TEST(a_full_disk_is_reported_and_no_file_stays)
{
    struct writer *writer = writer_new(*folder);
    g_autofree char *bytes = g_malloc0(4 * WRITER_BUFFER);
    struct rlimit before, tight;
    g_autofree char *error = NULL;

    getrlimit(RLIMIT_FSIZE, &before);
    tight = before;
    tight.rlim_cur = 2 * WRITER_BUFFER;
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &tight);
    for (int i = 0; i < 4; i++)
        writer_add(writer, bytes, WRITER_BUFFER);
    error = writer_commit(writer, "x.qwd", false);
    setrlimit(RLIMIT_FSIZE, &before);
    assert_non_null(strstr(error, "too large"));
    assert_int_equal(files_in(*folder), 0);
    writer_free(writer);
}
