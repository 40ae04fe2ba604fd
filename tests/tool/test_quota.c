/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which recordings --keep and --max-disk remove. */
#include "tests/tool/frames.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pcap2demo/recorder/disk.h"

enum { DAY = 24 * 60 * 60, TODAY = 20000 * DAY, SIZE = 8192 };

static const char old[] = "a-20200101-000000-anna-dm4.qwd";
static const char middle[] = "a-20200102-000000-anna-dm4.qwd.damaged";
static const char new[] = "a-20200103-000000-anna-dm4.qwd";

static char *folders[QUOTA_FOLDERS];

static void make(const char *folder, const char *name, int64_t changed)
{
    char *path = g_build_filename(folder, name, NULL), *bytes = g_malloc0(SIZE);
    const struct timespec times[2] = {{.tv_sec = changed}, {.tv_sec = changed}};

    assert_true(g_file_set_contents(path, bytes, SIZE, NULL));
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
    g_free(bytes);
    g_free(path);
}

static bool is_there(const char *folder, const char *name)
{
    char *path = g_build_filename(folder, name, NULL);
    const bool there = access(path, F_OK) == 0;

    g_free(path);
    return there;
}

static int set_up(void **state)
{
    (void)state;
    for (int i = 0; i < QUOTA_FOLDERS; i++)
        folders[i] = g_dir_make_tmp("quota-XXXXXX", NULL);
    make(folders[0], old, TODAY - 40 * DAY);
    make(folders[1], middle, TODAY - 10 * DAY);
    make(folders[0], new, TODAY);
    make(folders[0], "mine.qwd", 0);
    return 0;
}

static int tear_down(void **state)
{
    const char *const names[] = {old, middle, new, "mine.qwd"};

    (void)state;
    for (int i = 0; i < QUOTA_FOLDERS; i++) {
        for (size_t j = 0; j < G_N_ELEMENTS(names); j++) {
            char *path = g_build_filename(folders[i], names[j], NULL);

            g_unlink(path);
            g_free(path);
        }
        g_rmdir(folders[i]);
        g_free(folders[i]);
    }
    return 0;
}

TEST_WITH(a_clock_ahead_removes_nothing_new, set_up, tear_down)
{
    const struct quota quota = {.folders = {folders[0], folders[1]}, .keep = 30 * 86400};

    assert_true(quota_enforce(&quota, (int64_t)TODAY + 1000 * DAY));
    assert_false(is_there(folders[0], old));
    assert_true(is_there(folders[1], middle) && is_there(folders[0], new));
    assert_true(is_there(folders[0], "mine.qwd"));
}

TEST_WITH(a_recording_of_the_future_removes_nothing, set_up, tear_down)
{
    const struct quota quota = {.folders = {folders[0], folders[1]}, .keep = 30 * 86400};

    make(folders[0], new, (int64_t)TODAY + 1000 * DAY);
    assert_true(quota_enforce(&quota, TODAY - 20 * DAY));
    assert_true(is_there(folders[0], old) && is_there(folders[1], middle));
}

TEST_WITH(the_oldest_of_both_folders_go, set_up, tear_down)
{
    const struct quota quota = {.folders = {folders[0], folders[1]}, .max_disk = SIZE + 100};

    assert_true(quota_enforce(&quota, TODAY));
    assert_false(is_there(folders[0], old) || is_there(folders[1], middle));
    assert_true(is_there(folders[0], new));
}

TEST_WITH(a_link_is_no_recording, set_up, tear_down)
{
    const struct quota quota = {.folders = {folders[0], folders[1]}, .max_disk = 3 * SIZE + 100};
    char *target = g_build_filename(folders[0], "mine.qwd", NULL);
    char *link = g_build_filename(folders[1], old, NULL);

    assert_int_equal(symlink(target, link), 0);
    assert_true(quota_enforce(&quota, TODAY));
    assert_true(is_there(folders[1], old) && is_there(folders[0], old));
    g_free(target);
    g_free(link);
}

TEST_WITH(what_is_being_written_counts, set_up, tear_down)
{
    const struct quota quota = {.folders = {folders[0], folders[1]}, .max_disk = SIZE};
    char *path = g_build_filename(folders[1], ".pcap2demo-rec-1_0-1.lo@1.qwd", NULL);

    make(folders[1], ".pcap2demo-rec-1_0-1.lo@1.qwd", TODAY);
    make(folders[1], ".pcap2demo-rec-1_0-2.lo@1.qwd", TODAY);
    assert_false(quota_enforce(&quota, TODAY));
    assert_false(is_there(folders[0], new));
    g_unlink(path);
    path[strlen(path) - strlen("1.lo@1.qwd")] = '2';
    g_unlink(path);
    g_free(path);
}
