/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Goldens compared line by line: which lines differ, and in which packets. */
#include "tests/unit/unit.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pcap2demo/regression/golden.h"

/* Compares two goldens, and returns the number of differences. `text`: each one's packet and lines;
 * may be NULL. */
static uint64_t differences(const char *was, const char *is, GString *text)
{
    struct golden_result *result = g_new0(struct golden_result, 1);
    uint64_t count;

    golden_compare(result, was, is);
    count = result->count;
    assert_int_equal(result->differences->len, MIN(count, GOLDEN_DIFFERENCES_MAX));
    assert_int_equal(result->verdict, count ? GOLDEN_DIFFERENT : GOLDEN_SAME);
    for (guint i = 0; text && i < result->differences->len; i++) {
        const struct golden_difference *difference = g_ptr_array_index(result->differences, i);

        g_string_append_printf(text, "%u\n", (unsigned)difference->packet);
        for (guint k = 0; k < difference->lines->len; k++)
            g_string_append_printf(text, "%s\n", (char *)g_ptr_array_index(difference->lines, k));
        if (difference->more)
            g_string_append_printf(text, "and %u more\n", difference->more);
    }
    golden_result_free(result);
    return count;
}

/* --- Which packets and lines differ --- */

#define FIRST "packet qw s2c\n header sequence_word=0x7\n"

/* Frames of other protocols came or went: the packet is the same, and its number another. */
TEST(another_number_alone_is_no_difference)
{
    g_autoptr(GString) text = g_string_new(NULL);

    assert_int_equal(differences(FIRST "packet +2 qw s2c\n header a\n",
                                 FIRST "packet +9 qw s2c\n header a\n", NULL),
                     0);
    assert_int_equal(differences(FIRST "packet +2 qw s2c\n header a\n",
                                 FIRST "packet +9 qw s2c\n header b\n", text),
                     1);
    assert_string_equal(text->str, "10\n- header a\n+ header b\n");
}

TEST(many_and_long_lines_are_cut)
{
    g_autoptr(GString) was = g_string_new("packet qw s2c\n"), text = g_string_new(NULL);
    g_autofree char *line = g_strnfill(GOLDEN_LINE_SIZE_MAX + 9, 'x');

    for (int i = 0; i < 30; i++)
        g_string_append_printf(was, "%s\n", line);
    assert_int_equal(differences(was->str, "packet qw s2c\n", text), 1);
    assert_true(g_str_has_suffix(text->str, "…\nand 10 more\n"));
}

/* A golden of the packets with these numbers: from the first of each range up to the second. */
static char *packets(const unsigned (*ranges)[2], unsigned count)
{
    GString *text = g_string_new(NULL);

    for (unsigned k = 0; k < count; k++)
        for (unsigned i = ranges[k][0]; i < ranges[k][1]; i++)
            g_string_append_printf(text, "packet qw s2c\n header sequence_word=%u\n", i);
    return g_string_free(text, FALSE);
}

TEST(packets_that_came_or_went_are_the_only_differences)
{
    enum { UNRELATED = 50000, GAP = GOLDEN_WINDOW - 1, SOME = GOLDEN_WINDOW * 3 / 4 };
    static const struct {
        unsigned was[1][2], is[3][2], differences;
    } rows[] = {
        {{{1, 201}}, {{1, 100}, {UNRELATED, UNRELATED + 1}, {100, 201}}, 1}, /* one more */
        {{{1, 3001}}, {{1, 500}, {500 + GAP, 3001}}, GAP}, /* as many as are looked through */
        {{{1, 3001}}, {{1, 500}, {UNRELATED, UNRELATED + SOME}, {500 + SOME, 3001}}, SOME},
        {{{1, 20001}}, {{UNRELATED, UNRELATED + 10000}}, 20000}, /* no packet is the same */
    };

    for (unsigned i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autofree char *was = packets(rows[i].was, 1), *is = packets(rows[i].is, 3);

        assert_int_equal(differences(was, is, NULL), rows[i].differences);
        assert_int_equal(differences(is, was, NULL), rows[i].differences);
    }
}

/* --- Names and files --- */

TEST(the_first_line_has_the_names)
{
    struct golden_names names = {NULL, NULL};
    g_autofree char *line = NULL;

    assert_false(golden_read_head("# something else\n", &names));
    assert_true(golden_read_head(
        "# pcap2demo golden, schema 1, ignoring: qw.qport, expecting: undecoded cut\nmore",
        &names));
    assert_int_equal(names.ignored->len, 1);
    assert_int_equal(names.expected->len, 2);
    line = golden_head(&names);
    assert_string_equal(
        line, "# pcap2demo golden, schema 1, ignoring: qw.qport, expecting: undecoded cut\n");
    golden_names_clear(&names);
}

TEST(names_of_fields_groups_and_problems_are_known)
{
    g_autoptr(GPtrArray) ignored = g_ptr_array_new();

    g_ptr_array_add(ignored, (gpointer) "qw.sound");
    assert_true(golden_is_ignored(ignored, "qw.sound.volume"));
    assert_false(golden_is_ignored(ignored, "qw.soundlist"));
    assert_true(golden_is_field("qw.svc_sound"));
    assert_true(golden_is_field("packet.time"));
    assert_false(golden_is_field("qw.s"));
    assert_true(golden_is_problem("undecoded"));
    assert_true(golden_is_problem("malformed"));
    assert_false(golden_is_problem("retransmission"));
}

TEST(a_golden_has_the_name_of_its_input)
{
    static const char *const names[][2] = {
        {"a/duel.pcap", "duel.golden"}, {"duel.dm2.gz", "duel.golden"}, {".pcap", ".pcap.golden"}};
    g_autofree char *folder = g_strnfill(300, 'x');
    g_autofree char *long_name = g_strconcat(folder, ".pcap", NULL);
    g_autofree char *cut = golden_name(long_name);

    for (unsigned i = 0; i < G_N_ELEMENTS(names); i++) {
        g_autofree char *name = golden_name(names[i][0]);

        assert_string_equal(name, names[i][1]);
    }
    assert_int_equal(strlen(cut), 255);
}

TEST(a_pipe_is_not_read)
{
    g_autofree char *folder = g_dir_make_tmp("golden-XXXXXX", NULL), *pipe = NULL, *problem = NULL;

    pipe = g_build_filename(folder, "pipe", NULL);
    assert_int_equal(mkfifo(pipe, 0600), 0);
    assert_null(golden_read_text(pipe, &problem));
    assert_string_equal(problem, "is not a regular file");
    assert_int_equal(unlink(pipe) | rmdir(folder), 0);
}

/* The manuals have the same list; the tables of fields mark them. */
TEST(fields_that_vary_are_left_out)
{
    static const char *const names[] = {
        "packet.time",          "packet.source",        "packet.destination", "qw.challenge",
        "qw.connect.challenge", "qw.connect.qport",     "qw.qport",           "qw.qtv.challenge",
        "q2.challenge",         "q2.connect.challenge", "q2.connect.qport",   "q2.qport",
        "nq.control.port"};
    g_autoptr(GPtrArray) ignored = golden_varying_fields();

    assert_int_equal(ignored->len, G_N_ELEMENTS(names));
    for (guint i = 0; i < ignored->len; i++) {
        assert_string_equal(g_ptr_array_index(ignored, i), names[i]);
        assert_true(golden_is_field(names[i]));
    }
}
