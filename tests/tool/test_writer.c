/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files appear whole or not at all. */
#include "tests/unit/unit.h"

#include <glib/gstdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <signal.h>
#include <unistd.h>

#include "pcap2demo/output/files.h"

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

/* Each test leaves an empty folder. */
static void remove_folder(folder_path *folder)
{
    assert_int_equal(g_rmdir(*folder), 0);
    g_free(*folder);
}

#define FOLDER_TEST(function) TEST_WITH(function, folder_path, folder, make_folder, remove_folder)

/* The file's contents must be `expected`; then it is removed. */
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

static void commit(struct writer *writer, const char *name, bool overwrite)
{
    char *error = writer_commit(writer, name, overwrite);

    assert_null(error);
    writer_free(writer);
}

FOLDER_TEST(appears_at_commit)
{
    struct writer *writer = writer_new(*folder);

    writer_add(writer, "one", 3);
    writer_add(writer, "two", 3);
    assert_int_equal(files_in(*folder), 0);
    commit(writer, "x.qwd", false);
    assert_int_equal(files_in(*folder), 1);
    assert_file(*folder, "x.qwd", "onetwo", 6);
}

FOLDER_TEST(writes_empty_files)
{
    commit(writer_new(*folder), "x.qwd", false);
    assert_file(*folder, "x.qwd", "", 0);
}

/* Several times the buffer, in pieces that do not divide it. Meanwhile no file is held open. */
FOLDER_TEST(writes_large_files)
{
    enum { PIECE = 1000, PIECES = 300 };
    struct writer *writers[3];
    g_autofree char *bytes = g_malloc(PIECE * PIECES);
    const int before = dup(0);

    for (size_t i = 0; i < PIECE * PIECES; i++)
        bytes[i] = (char)(i * 7 + i / 1000);
    for (int i = 0; i < 3; i++)
        writers[i] = writer_new(*folder);
    for (size_t piece = 0; piece < PIECES; piece++)
        for (int i = 0; i < 3; i++)
            writer_add(writers[i], bytes + piece * PIECE, PIECE);
    /* Three temporary files, none of which is held open. */
    assert_int_equal(files_in(*folder), 3);
    close(before);
    assert_int_equal(dup(0), before);
    close(before);
    commit(writers[0], "a", false);
    commit(writers[1], "b", false);
    writer_free(writers[2]);
    assert_file(*folder, "a", bytes, PIECE * PIECES);
    assert_file(*folder, "b", bytes, PIECE * PIECES);
}

FOLDER_TEST(writes_what_comes_at_once)
{
    enum { SIZE = 5 * WRITER_BUFFER };
    struct writer *writer = writer_new(*folder);
    g_autofree char *bytes = g_malloc0(SIZE);

    writer_add(writer, bytes, SIZE);
    commit(writer, "file", false);
    assert_file(*folder, "file", bytes, SIZE);
}

FOLDER_TEST(discards_without_a_trace)
{
    struct writer *writer = writer_new(*folder);
    g_autofree char *bytes = g_malloc0(2 * WRITER_BUFFER);

    writer_add(writer, bytes, 2 * WRITER_BUFFER);
    assert_int_equal(files_in(*folder), 1);
    writer_free(writer);
    assert_int_equal(files_in(*folder), 0);
}

/* A file "old" is there; a writer that has "new". */
static struct writer *write_again(const char *folder)
{
    struct writer *writer = writer_new(folder);

    writer_add(writer, "old", 3);
    commit(writer, "x.qwd", false);
    writer = writer_new(folder);
    writer_add(writer, "new", 3);
    return writer;
}

FOLDER_TEST(never_overwrites_unasked)
{
    struct writer *writer = write_again(*folder);
    g_autofree char *error = writer_commit(writer, "x.qwd", false);

    assert_non_null(strstr(error, "--force"));
    assert_true(writer_name_is_taken(writer));
    writer_free(writer);
    assert_int_equal(files_in(*folder), 1);
    assert_file(*folder, "x.qwd", "old", 3);
}

FOLDER_TEST(takes_another_name)
{
    struct writer *writer = write_again(*folder);

    g_free(writer_commit(writer, "x.qwd", false));
    commit(writer, "y.qwd", false);
    assert_int_equal(files_in(*folder), 2);
    assert_file(*folder, "x.qwd", "old", 3);
    assert_file(*folder, "y.qwd", "new", 3);
}

FOLDER_TEST(overwrites_when_asked)
{
    commit(write_again(*folder), "x.qwd", true);
    assert_file(*folder, "x.qwd", "new", 3);
}

/* A device that is no longer one would be missed by everybody. */
FOLDER_TEST(replaces_nothing_but_files)
{
    g_autofree char *pipe = g_build_filename(*folder, "pipe", NULL);
    g_autofree char *device = g_build_filename(*folder, "device", NULL); /* a link to one */
    static const char *const names[] = {"pipe", "device"};
    struct stat status;

    assert_int_equal(mkfifo(pipe, 0600), 0);
    assert_int_equal(symlink("/dev/null", device), 0);
    for (unsigned i = 0; i < G_N_ELEMENTS(names); i++) {
        struct writer *writer = writer_new(*folder);
        g_autofree char *error = NULL;

        writer_add(writer, "new", 3);
        error = writer_commit(writer, names[i], true);
        assert_non_null(error);
        writer_free(writer);
    }
    assert_int_equal(files_in(*folder), 2);
    assert_int_equal(stat(pipe, &status), 0);
    assert_true(S_ISFIFO(status.st_mode));
    g_unlink(pipe);
    g_unlink(device);
}

FOLDER_TEST(makes_its_folder)
{
    g_autofree char *above = g_build_filename(*folder, "new", NULL);
    g_autofree char *inner = g_build_filename(above, "folder", NULL);
    struct writer *writer = writer_new(inner);
    g_autofree char *path = g_build_filename(inner, "x.qwd", NULL);

    writer_add(writer, "bytes", 5);
    assert_false(g_file_test(above, G_FILE_TEST_EXISTS));
    commit(writer, "x.qwd", false);
    assert_int_equal(remove(path), 0);
    assert_int_equal(remove(inner), 0);
    assert_int_equal(remove(above), 0);
}

FOLDER_TEST(reports_a_folder_that_cannot_be)
{
    struct writer *writer = writer_new("/dev/null/gone");
    g_autofree char *error = NULL;

    writer_add(writer, "bytes", 5);
    error = writer_commit(writer, "x.qwd", false);
    assert_non_null(strstr(error, "gone"));
    assert_non_null(strstr(error, "Not a directory"));
    writer_free(writer);
}

/* A limit on the size of files stands for a full disk: the write fails half way through. */
FOLDER_TEST(reports_a_full_disk)
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
    assert_non_null(error);
    assert_non_null(strstr(error, "too large"));
    assert_int_equal(files_in(*folder), 0);
    writer_free(writer);
}
