/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files stay below their folder, whatever name a server gives them. */
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "pcap2demo/output/files.h"
#include "tests/support/test.h"

TEST(long_names_are_cut)
{
    g_autoptr(GString) name = g_string_new(NULL);
    g_autofree char *path = NULL;

    for (int i = 0; i < 100; i++)
        g_string_append(name, "folder/");
    for (int i = 0; i < 1000; i++)
        g_string_append_c(name, 'x');
    path = safe_path(name->str);
    assert_int_equal(strlen(path), (SAFE_PATH_DEPTH - 1) * strlen("folder/") + SAFE_PATH_PART);
}

TEST(folders_are_created_and_links_are_not_followed)
{
    g_autofree char *folder = g_dir_make_tmp("safe-path-XXXXXX", NULL);
    g_autofree char *link = g_build_filename(folder, "link", NULL);
    char *error = NULL;
    g_autofree char *made = safe_path_make_folders(folder, "a/b/c.wav", &error);

    assert_non_null(made);
    assert_true(g_file_test(made, G_FILE_TEST_IS_DIR));
    assert_true(g_str_has_suffix(made, "/a/b"));
    assert_int_equal(symlink("/", link), 0);
    assert_null(safe_path_make_folders(folder, "link/etc/x", &error));
    assert_non_null(error);
    g_unlink(link);
    g_rmdir(made);
    made[strlen(made) - 2] = '\0';
    g_rmdir(made);
    g_rmdir(folder);
    g_free(error);
}
