/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of demos are good file names, whatever name of a map a server sends. */
#include <glib/gstdio.h>
#include <string.h>

#include "common/sessions/demo_names.h"
#include "pcap2demo/output/files.h"
#include "tests/unit/unit.h"

TEST(names_of_maps_are_parts_of_file_names)
{
    static const char *const rows[][2] = {
        {"dm4", "dm4"},
        {"q2dm1_v2+a-B", "q2dm1_v2+a-B"},
        {"maps/e1m1.bsp", "e1m1"},
        {NULL, ""},
        {"", ""},
        {"../../etc/passwd", "passwd"},
        {"..", ""},
        {".hidden", "hidden"},
        {"/", ""},
        {"maps/", ""},
        {"a\\b:c*d?e\"f<g>h|i", "abcdefghi"},
        {"new\nline\tand\033[31mred", "newlineand31mred"},
        {"caf\xc3\xa9 \xe4\xb8\xad", "caf"},
        {"\xff\xfe\x80", ""},
        {"%s%n", "sn"},
        {"$(reboot)`ls`", "rebootls"},
    };
    g_autofree char *much = g_strnfill(300, 'x');
    g_autofree char *cut = qs_demo_name_map(much);

    assert_int_equal(strlen(cut), QS_DEMO_NAME_PART_MAX);
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autofree char *name = qs_demo_name_map(rows[i][0]);

        assert_string_equal(name, rows[i][1]);
    }
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

TEST(demos_are_named_by_capture_start_player_and_map)
{
    struct qs_demo_names *naming = qs_demo_names_new(NULL);

    assert_true(qs_demo_names_are_generated(naming));
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
    /* Demos that begin in the same second, of one session or two. */
    assert_next(naming, REQUEST(.start = START, .session = 1, .player = "anna", .map = "dm4"),
                "duel-20261120-155401-anna-dm4-2.qwd");
    assert_next(naming, REQUEST(.start = START, .session = 2, .player = "anna", .map = "dm4"),
                "duel-20261120-155401-anna-dm4-3.qwd");
    qs_demo_names_free(naming);
}

/* Without comparing each name with all the others. */
TEST(many_equal_names_are_numbered)
{
    enum { MANY = 200000 };
    struct qs_demo_names *naming = qs_demo_names_new(NULL);
    g_autofree char *expected = NULL;

    for (unsigned i = 1; i < MANY; i++)
        g_free(qs_demo_names_next(naming, REQUEST(.start = START, .session = i, .map = "dm4")));
    expected = g_strdup_printf("duel-20261120-155401-dm4-%u.qwd", MANY);
    assert_next(naming, REQUEST(.start = START, .session = MANY, .map = "dm4"), expected);
    /* A map with a name that looks numbered. */
    assert_next(naming, REQUEST(.start = START, .session = 1, .map = "dm4-2"),
                "duel-20261120-155401-dm4-2-2.qwd");
    qs_demo_names_free(naming);
}

TEST(the_users_file_name_is_for_one_session)
{
    struct qs_demo_names *naming = qs_demo_names_new("final.demo.qwd");

    assert_false(qs_demo_names_are_generated(naming));
    assert_next(naming, REQUEST(.start = START, .session = 4, .map = "dm4"), "final.demo.qwd");
    assert_next(naming, REQUEST(.start = START, .session = 4, .map = "dm6"), "final.demo-2.qwd");
    assert_next(naming, REQUEST(.start = START, .session = 5, .map = "dm6"), NULL);
    qs_demo_names_free(naming);
}

/* The input may have no name. */
TEST(names_may_lack_the_capture)
{
    struct qs_demo_names *naming = qs_demo_names_new(NULL);

    assert_next(naming,
                &(const struct qs_demo_name_request){
                    .capture = "", .start = START, .map = "dm4", .extension = "qwd"},
                "20261120-155401-dm4.qwd");
    qs_demo_names_free(naming);
}

TEST(the_folder_is_that_of_the_users_file)
{
    struct demo_files *files = demo_files_new(NULL, false);

    assert_string_equal(demo_files_folder(files), ".");
    demo_files_free(files);
    files = demo_files_new("../final.demo.qwd", false);
    assert_string_equal(demo_files_folder(files), "..");
    demo_files_free(files);
}

TEST(an_existing_folder_is_used)
{
    g_autofree char *folder = g_dir_make_tmp("naming-XXXXXX", NULL);
    g_autofree char *with_slash = g_strconcat(folder, "/", NULL);
    struct demo_files *files = demo_files_new(with_slash, false);

    assert_string_equal(demo_files_folder(files), with_slash);
    demo_files_free(files);
    g_rmdir(folder);
}

/* A name with a dot is that of a file, because demos have extensions. */
TEST(missing_folders_are_created)
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
