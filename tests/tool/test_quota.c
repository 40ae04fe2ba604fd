/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which recordings --keep and --max-disk remove, and what is brought to disk. */
#include "tests/tool/frames.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pcap2demo/recorder/disk.h"
#include "pcap2demo/recorder/options.h"

enum { DAY = 24 * 60 * 60, TODAY = 20000 * DAY, SIZE = 8192 };

static const char old[] = "a-20200101-000000-anna-dm4.qwd";
static const char middle[] = "a-20200102-000000-anna-dm4.qwd.damaged";
static const char new[] = "a-20200103-000000-anna-dm4.qwd";

struct fixture {
    char *folders[FOLDERS];
};

static void make(const char *folder, const char *name, int64_t changed)
{
    g_autofree char *path = g_build_filename(folder, name, NULL), *bytes = g_malloc0(SIZE);
    const struct timespec times[2] = {{.tv_sec = changed}, {.tv_sec = changed}};

    assert_true(g_file_set_contents(path, bytes, SIZE, NULL));
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static bool is_there(const char *folder, const char *name)
{
    g_autofree char *path = g_build_filename(folder, name, NULL);
    const bool there = access(path, F_OK) == 0;

    return there;
}

static void set_up(struct fixture *fixture)
{
    for (int i = 0; i < FOLDERS; i++)
        fixture->folders[i] = g_dir_make_tmp("quota-XXXXXX", NULL);
    make(fixture->folders[0], old, TODAY - 40 * DAY);
    make(fixture->folders[1], middle, TODAY - 10 * DAY);
    make(fixture->folders[0], new, TODAY);
    make(fixture->folders[0], "mine.qwd", 0);
}

static void tear_down(struct fixture *fixture)
{
    const char *const names[] = {old, middle, new, "mine.qwd"};

    recorder_options = (struct recorder_options){0};
    for (int i = 0; i < FOLDERS; i++) {
        for (size_t j = 0; j < G_N_ELEMENTS(names); j++) {
            g_autofree char *path = g_build_filename(fixture->folders[i], names[j], NULL);

            g_unlink(path);
        }
        g_rmdir(fixture->folders[i]);
        g_free(fixture->folders[i]);
    }
}

static bool enforce(struct fixture *fixture, int64_t now)
{
    return quota_enforce((const char *const *)fixture->folders, now);
}

#define FIXTURE_TEST(function) TEST_WITH(function, struct fixture, fixture, set_up, tear_down)

FIXTURE_TEST(a_clock_ahead_removes_nothing_new)
{
    recorder_options.keep = 30 * 86400;
    assert_true(enforce(fixture, (int64_t)TODAY + 1000 * DAY));
    assert_false(is_there(fixture->folders[0], old));
    assert_true(is_there(fixture->folders[1], middle) && is_there(fixture->folders[0], new));
    assert_true(is_there(fixture->folders[0], "mine.qwd"));
}

FIXTURE_TEST(a_recording_of_the_future_removes_nothing)
{
    recorder_options.keep = 30 * 86400;
    make(fixture->folders[0], new, (int64_t)TODAY + 1000 * DAY);
    assert_true(enforce(fixture, TODAY - 20 * DAY));
    assert_true(is_there(fixture->folders[0], old) && is_there(fixture->folders[1], middle));
}

FIXTURE_TEST(the_oldest_of_both_folders_go)
{
    recorder_options.max_disk = SIZE + 100;
    assert_true(enforce(fixture, TODAY));
    assert_false(is_there(fixture->folders[0], old) || is_there(fixture->folders[1], middle));
    assert_true(is_there(fixture->folders[0], new));
}

FIXTURE_TEST(a_link_is_no_recording)
{
    g_autofree char *target = g_build_filename(fixture->folders[0], "mine.qwd", NULL);
    g_autofree char *link = g_build_filename(fixture->folders[1], old, NULL);

    recorder_options.max_disk = 3 * SIZE + 100;
    assert_int_equal(symlink(target, link), 0);
    assert_true(enforce(fixture, TODAY));
    assert_true(is_there(fixture->folders[1], old) && is_there(fixture->folders[0], old));
}

FIXTURE_TEST(what_is_being_written_counts)
{
    g_autofree char *path =
        g_build_filename(fixture->folders[1], ".pcap2demo-rec-1_0-1.lo@1.qwd", NULL);

    recorder_options.max_disk = SIZE;
    make(fixture->folders[1], ".pcap2demo-rec-1_0-1.lo@1.qwd", TODAY);
    make(fixture->folders[1], ".pcap2demo-rec-1_0-2.lo@1.qwd", TODAY);
    assert_false(enforce(fixture, TODAY));
    assert_false(is_there(fixture->folders[0], new));
    g_unlink(path);
    path[strlen(path) - strlen("1.lo@1.qwd")] = '2';
    g_unlink(path);
}

static int synced_files, synced_folders;
int __wrap_fdatasync(int file), __wrap_fsync(int file);

int __wrap_fdatasync(int file)
{
    (void)file;
    synced_files++;
    return 0;
}

int __wrap_fsync(int file)
{
    (void)file;
    synced_folders++;
    return 0;
}

FIXTURE_TEST(only_what_was_written_is_synced)
{
    g_autofree char *path = g_build_filename(fixture->folders[0], new, NULL);

    for (int written = 0; written < 2; written++) {
        struct syncer *syncer = syncer_new((const char *const *)fixture->folders);

        if (written)
            syncer_add(syncer, path);
        syncer_run(syncer);
        syncer_free(syncer); /* syncs the folders once more */
        assert_int_equal(synced_files, written);
        assert_int_equal(synced_folders, FOLDERS * (written ? 3 : 1));
    }
}
