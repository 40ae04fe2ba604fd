/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The demos of a session: their files, names and problems. */
#include <glib/gstdio.h>

#include "common/core/text.h"
#include "common/demo_formats.h"
#include "common/sessions/demo.h"
#include "pcap2demo/output/files.h"
#include "tests/support/test.h"

#define SECOND INT64_C(1000000000)

struct fixture {
    char *folder;
    struct demo_files *files;
    struct qs_session_demo *demo;
};

static void set_up(struct fixture *f)
{
    f->folder = g_dir_make_tmp("demo-XXXXXX", NULL);
    f->files = demo_files_new(f->folder, false);
    f->demo =
        qs_session_demo_new(&(struct qs_session_demo_setup){.store = demo_files_store(f->files),
                                                            .capture = "duel",
                                                            .format = &qs_demo_dm2,
                                                            .session = 3});
}

static void tear_down(struct fixture *f)
{
    assert_int_equal(g_rmdir(f->folder), 0);
    qs_session_demo_free(f->demo);
    demo_files_free(f->files);
    g_free(f->folder);
}

#define FIXTURE_TEST(function) TEST_WITH(function, struct fixture, f, set_up, tear_down)

static void assert_file(const struct fixture *f, guint index, const char *name, const char *text)
{
    const struct qs_session_demo_file *file = g_ptr_array_index(f->demo->files, index);
    g_autofree char *path = g_build_filename(f->folder, name, NULL);
    g_autofree char *contents = NULL;

    assert_string_equal(file->name, name);
    assert_null(file->error);
    assert_true(g_file_get_contents(path, &contents, NULL, NULL));
    assert_string_equal(contents, text);
    assert_int_equal(file->size, strlen(text));
    g_unlink(path);
}

static void assert_problem_text(const struct fixture *f, guint index, const char *expected)
{
    g_autofree char *text =
        qs_session_demo_problem_text(f->demo, g_ptr_array_index(f->demo->problems.kinds, index));

    assert_string_equal(text, expected);
}

/* Begins the next demo with a packet of this time. */
static void begin_at(struct fixture *f, int64_t seconds)
{
    qs_session_demo_set_source(f->demo, "duel.pcap", &(struct qs_packet){.time = seconds * SECOND});
    qs_demo_begin(&f->demo->writer);
}

/* Times in problems count from the beginning of each demo. */
FIXTURE_TEST(each_demo_has_a_name_and_times_of_its_own)
{
    struct qs_packet late = {.number = 9, .time = 42 * SECOND};

    f->demo->player = "anna";
    qs_session_demo_set_map(f->demo, "q2dm1");
    begin_at(f, 2);
    qs_demo_write(&f->demo->writer, qs_view_of("first"));
    qs_demo_problem(&f->demo->writer, &late, "a frame is left out");
    /* The name of the next map comes after its file has begun. */
    qs_session_demo_set_map(f->demo, NULL);
    begin_at(f, 540);
    qs_session_demo_set_map(f->demo, "q2dm2");
    qs_demo_write(&f->demo->writer, qs_view_of("second"));
    qs_session_demo_set_map(f->demo, "q2dm3"); /* the file is named after the first */
    late.time = 550 * SECOND;
    qs_demo_problem(&f->demo->writer, &late, "a frame is left out");
    qs_demo_problem(&f->demo->writer, &late, "the picture halts");
    qs_session_demo_end(f->demo, true);
    assert_problem_text(f, 0,
                        "from 0:40 of demo 1 to 0:10 of demo 2: a frame is left out (2 times: "
                        "packets 9, 9)");
    assert_problem_text(f, 1, "at 0:10 of demo 2: the picture halts (packet 9)");
    assert_int_equal(f->demo->files->len, 2);
    assert_file(f, 0, "duel-19700101-000002-anna-q2dm1.dm2", "first");
    assert_file(f, 1, "duel-19700101-000900-anna-q2dm2.dm2", "second");
}

FIXTURE_TEST(existing_files_stay_and_the_next_free_name_is_used)
{
    g_autofree char *path = g_build_filename(f->folder, "duel-19700101-000000.dm2", NULL);
    g_autofree char *folder = g_build_filename(f->folder, "duel-19700101-000000-2.dm2", NULL);
    g_autofree char *contents = NULL;

    assert_true(g_file_set_contents(path, "existing", -1, NULL));
    assert_int_equal(g_mkdir(folder, 0777), 0);
    qs_demo_begin(&f->demo->writer);
    qs_demo_write(&f->demo->writer, qs_view_of("x"));
    qs_session_demo_end(f->demo, true);
    assert_file(f, 0, "duel-19700101-000000-3.dm2", "x");
    assert_true(g_file_get_contents(path, &contents, NULL, NULL));
    assert_string_equal(contents, "existing");
    g_rmdir(folder);
    g_unlink(path);
}

FIXTURE_TEST(discarded_demos_are_not_written)
{
    qs_demo_begin(&f->demo->writer);
    assert_true(f->demo->writer.begun);
    qs_demo_write(&f->demo->writer, qs_view_of("x"));
    qs_demo_discard(&f->demo->writer);
    assert_false(f->demo->writer.begun);
    qs_demo_begin(&f->demo->writer);
    qs_demo_write(&f->demo->writer, qs_view_of("y"));
    qs_session_demo_end(f->demo, false);
    assert_int_equal(f->demo->files->len, 0);
}

FIXTURE_TEST(kinds_of_problems_are_limited)
{
    const struct qs_packet packet = {.number = 17};
    const struct qs_session_demo_problem *problem;
    const struct qs_session_problems *problems;

    qs_session_demo_set_source(f->demo, "duel.pcap", &(struct qs_packet){.time = 0});
    for (int i = 0; i < 20; i++)
        qs_demo_problem(&f->demo->writer, i ? NULL : &packet, "of the kind %c", 'a' + i);
    problems = &f->demo->problems;
    assert_int_equal(problems->count, 20);
    assert_int_equal(problems->kinds->len, QS_DEMO_PROBLEMS_MAX);
    assert_int_equal(problems->others, 20 - QS_DEMO_PROBLEMS_MAX);
    problem = g_ptr_array_index(problems->kinds, 0);
    assert_string_equal(problem->text, "of the kind a");
    assert_string_equal(problem->file, "duel.pcap");
    assert_int_equal(g_array_index(problem->packets, uint64_t, 0), 17);
    problem = g_ptr_array_index(problems->kinds, 1);
    assert_null(problem->file);
}

/* Problems of one kind may differ in their numbers. */
FIXTURE_TEST(problems_of_a_kind_are_reported_together)
{
    struct qs_packet packet = {.number = 12, .time = (5 + 21) * SECOND};

    begin_at(f, 5);
    qs_demo_problem(&f->demo->writer, &packet, "frame %d is left out", 7);
    assert_problem_text(f, 0, "at 0:21: frame 7 is left out (packet 12)");
    packet.number = 45;
    qs_demo_problem(&f->demo->writer, &packet, "frame %d is left out", 118);
    qs_demo_problem(&f->demo->writer, NULL, "the end");
    assert_problem_text(f, 0, "at 0:21: frame 7 is left out (2 times: packets 12, 45)");
    packet.time += 60 * SECOND;
    assert_problem_text(f, 1, "the end");
    for (packet.number = 100; packet.number < 110; packet.number++)
        qs_demo_problem(&f->demo->writer, &packet, "frame %d is left out", 7);
    qs_demo_problem(&f->demo->writer, NULL, "the end");
    assert_problem_text(f, 0,
                        "from 0:21 to 1:21: frame 7 is left out (12 times: packets 12, 45, 100, "
                        "101, 102, 103, 104, 105, 106, 107, …)");
    assert_problem_text(f, 1, "the end (2 times)");
    packet.number = 130;
    qs_demo_missing(&f->demo->writer, &packet, 3, "packets are missing");
    qs_demo_missing(&f->demo->writer, &packet, 4, "packets are missing");
    assert_problem_text(f, 2, "at 1:21: packets are missing: 7 (2 times: packets 130, 130)");
    qs_demo_missing(&f->demo->writer, &packet, 1, "frames are missing");
    qs_demo_missing(&f->demo->writer, &packet, 1, "frames are missing");
    assert_problem_text(f, 3, "at 1:21: frames are missing: 2 (packets 130, 130)");
    assert_int_equal(f->demo->writer.counts.missing, 9);
}
