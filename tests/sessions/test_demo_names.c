/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What files are called, whatever a server says that its map is called. */
#include "tests/unit/unit.h"

#include <glib/gstdio.h>
#include <string.h>

#include "common/sessions/demo_names.h"
#include "pcap2demo/output/files.h"

static void assert_map(const char *map, const char *expected)
{
    g_autofree char *name = qs_demo_name_map(map);

    assert_string_equal(name, expected);
}

TEST(keeps_good_names)
{
    assert_map("dm4", "dm4");
    assert_map("q2dm1_v2+a-B", "q2dm1_v2+a-B");
    assert_map("maps/e1m1.bsp", "e1m1");
}

TEST(tames_bad_names)
{
    char long_name[301];
    g_autofree char *name = NULL;

    assert_map(NULL, "");
    assert_map("", "");
    assert_map("../../etc/passwd", "passwd");
    assert_map("..", "");
    assert_map(".hidden", "hidden");
    assert_map("/", "");
    assert_map("maps/", "");
    assert_map("a\\b:c*d?e\"f<g>h|i", "abcdefghi");
    assert_map("new\nline\tand\033[31mred", "newlineand31mred");
    assert_map("caf\xc3\xa9 \xe4\xb8\xad", "caf");
    assert_map("\xff\xfe\x80", "");
    assert_map("%s%n", "sn");
    assert_map("$(reboot)`ls`", "rebootls");
    memset(long_name, 'x', 300);
    long_name[300] = '\0';
    name = qs_demo_name_map(long_name);
    assert_int_equal(strlen(name), QS_DEMO_NAME_PART_MAX);
}

static void assert_next(struct qs_demo_names *naming, const struct qs_demo_name_request *request,
                        const char *expected)
{
    g_autofree char *name = qs_demo_names_next(naming, request);

    if (expected)
        assert_string_equal(name, expected);
    else
        assert_null(name);
}

/* 2026-11-20 15:54:01.999999999 UTC */
#define START INT64_C(1795190041999999999)
#define REQUEST(...)                                                                               \
    &(const struct qs_demo_name_request)                                                           \
    {                                                                                              \
        .capture = "duel", .extension = "qwd", __VA_ARGS__                                         \
    }

TEST(names_by_capture_start_player_and_map)
{
    struct qs_demo_names *naming = qs_demo_names_new(NULL);

    assert_true(qs_demo_names_is_free(naming));
    assert_next(naming, REQUEST(.start = START, .session = 1, .player = "anna", .map = "dm4"),
                "duel-20261120-155401-anna-dm4.qwd");
    assert_next(naming, REQUEST(.start = START, .session = 1, .player = "anna"),
                "duel-20261120-155401-anna.qwd");
    assert_next(naming, REQUEST(.start = START, .session = 1, .map = "dm4"),
                "duel-20261120-155401-dm4.qwd");
    assert_next(
        naming,
        REQUEST(.start = START, .session = 1, .player = "../../etc\n\xff", .map = "maps/../x.bsp"),
        "duel-20261120-155401-etc-x.qwd");
    assert_next(naming, REQUEST(.session = 1, .start = 0), "duel-19700101-000000.qwd");
    /* Two who begin in the same second, whether they are of one session or not. */
    assert_next(naming, REQUEST(.start = START, .session = 1, .player = "anna", .map = "dm4"),
                "duel-20261120-155401-anna-dm4-2.qwd");
    assert_next(naming, REQUEST(.start = START, .session = 2, .player = "anna", .map = "dm4"),
                "duel-20261120-155401-anna-dm4-3.qwd");
    qs_demo_names_free(naming);
}

/* Each is told apart without a look at all that came before. */
TEST(tells_many_apart)
{
    enum { MANY = 200000 };
    struct qs_demo_names *naming = qs_demo_names_new(NULL);
    g_autofree char *expected = NULL;

    for (unsigned i = 1; i < MANY; i++)
        g_free(qs_demo_names_next(naming, REQUEST(.start = START, .session = i, .map = "dm4")));
    expected = g_strdup_printf("duel-20261120-155401-dm4-%u.qwd", MANY);
    assert_next(naming, REQUEST(.start = START, .session = MANY, .map = "dm4"), expected);
    /* A map may be called as a number would make it. */
    assert_next(naming, REQUEST(.start = START, .session = 1, .map = "dm4-2"),
                "duel-20261120-155401-dm4-2-2.qwd");
    qs_demo_names_free(naming);
}

TEST(uses_the_users_file)
{
    struct qs_demo_names *naming = qs_demo_names_new("final.demo.qwd");

    assert_false(qs_demo_names_is_free(naming));
    assert_next(naming, REQUEST(.start = START, .session = 4, .map = "dm4"), "final.demo.qwd");
    assert_next(naming, REQUEST(.start = START, .session = 4, .map = "dm6"), "final.demo-2.qwd");
    assert_next(naming, REQUEST(.start = START, .session = 5, .map = "dm6"), NULL);
    qs_demo_names_free(naming);
}

/* Who does not know what the capture is called leaves that out. */
TEST(names_without_a_capture)
{
    struct qs_demo_names *naming = qs_demo_names_new(NULL);

    assert_next(naming,
                &(const struct qs_demo_name_request){
                    .capture = "", .start = START, .map = "dm4", .extension = "qwd"},
                "20261120-155401-dm4.qwd");
    qs_demo_names_free(naming);
}

TEST(knows_the_folder)
{
    struct demo_files *files = demo_files_new(NULL, false);

    assert_string_equal(demo_files_folder(files), ".");
    demo_files_free(files);
    files = demo_files_new("../final.demo.qwd", false);
    assert_string_equal(demo_files_folder(files), "..");
    demo_files_free(files);
}

TEST(uses_the_users_folder)
{
    g_autofree char *folder = g_dir_make_tmp("naming-XXXXXX", NULL);
    g_autofree char *with_slash = g_strconcat(folder, "/", NULL);
    struct demo_files *files = demo_files_new(with_slash, false);

    assert_string_equal(demo_files_folder(files), with_slash);
    demo_files_free(files);
    g_rmdir(folder);
}

/* Only a name with a dot in it is that of a file: demos have extensions. */
TEST(makes_folders)
{
    static const char *const outputs[] = {"out", "out/", "deep/out", "deep.er/out", "out/x.qwd"};
    static const char *const made[] = {"out", "deep/out", "deep", "deep.er/out", "deep.er"};
    g_autofree char *folder = g_dir_make_tmp("naming-XXXXXX", NULL);

    for (unsigned i = 0; i < G_N_ELEMENTS(outputs); i++) {
        g_autofree char *output = g_build_filename(folder, outputs[i], NULL);
        struct demo_files *files = demo_files_new(output, false);

        assert_null(make_folders(demo_files_folder(files)));
        assert_true(g_file_test(demo_files_folder(files), G_FILE_TEST_IS_DIR));
        demo_files_free(files);
    }
    for (unsigned i = 0; i < G_N_ELEMENTS(made); i++) {
        g_autofree char *path = g_build_filename(folder, made[i], NULL);

        assert_int_equal(g_rmdir(path), 0);
    }
    assert_int_equal(g_rmdir(folder), 0);
}

TEST(refuses_folders_that_cannot_be)
{
    struct demo_files *files = demo_files_new("/dev/null/folder/x.qwd", false);
    g_autofree char *error = make_folders(demo_files_folder(files));

    assert_non_null(error);
    assert_non_null(strstr(error, "/dev/null/folder"));
    demo_files_free(files);
}
