/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Goldens compared line by line: which lines differ, and in which packets. */
#include "tests/unit/unit.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pcap2demo/regression/golden.h"

static const char packets[] = "packet qw s2c\n"
                              " header sequence_word=0x7\n"
                              " svc_damage() .armor=1 .health=10\n"
                              " svc_print() .text=\"a\"\n"
                              "packet qw c2s size=8\n"
                              " header sequence_word=0x8\n"
                              "packet +2 qw s2c\n"
                              " header sequence_word=0x9\n";

/* --- Helpers --------------------------------------------------------------------------------- */

/* Each difference: the packet, then its lines. */
static char *differences(const char *was, const char *is, uint64_t *count)
{
    struct golden_result *result = g_new0(struct golden_result, 1);
    GString *text = g_string_new(NULL);

    golden_compare(result, was, is);
    *count = result->count;
    assert_int_equal(result->differences->len, MIN(*count, GOLDEN_DIFFERENCES_MAX));
    assert_int_equal(result->verdict, *count ? GOLDEN_DIFFERENT : GOLDEN_SAME);
    for (guint i = 0; i < result->differences->len; i++) {
        const struct golden_difference *difference = g_ptr_array_index(result->differences, i);

        g_string_append_printf(text, "%u\n", (unsigned)difference->packet);
        for (guint k = 0; k < difference->lines->len; k++)
            g_string_append_printf(text, "%s\n", (char *)g_ptr_array_index(difference->lines, k));
        if (difference->more)
            g_string_append_printf(text, "and %u more\n", difference->more);
    }
    golden_result_free(result);
    return g_string_free(text, FALSE);
}

static void assert_differences(const char *was, const char *is, const char *expected)
{
    uint64_t count;
    g_autofree char *found = differences(was, is, &count);

    assert_string_equal(found, expected);
}

/* `packets` with one text replaced by another. */
static void assert_changed(const char *old, const char *by, const char *expected)
{
    g_auto(GStrv) parts = g_strsplit(packets, old, 2);
    g_autofree char *text = g_strjoinv(by, parts);

    assert_non_null(parts[1]);
    assert_differences(packets, text, expected);
}

static void assert_count(const GString *was, const GString *is, uint64_t expected)
{
    uint64_t count;

    g_free(differences(was->str, is->str, &count));
    assert_int_equal(count, expected);
}

/* --- Differences ----------------------------------------------------------------------------- */

/* Frames of other protocols came or went: the packet is the same, and its number another. */
TEST(packet_renumbered)
{
    assert_changed("packet +2", "packet +9", "");
    assert_changed("packet +2 qw s2c\n header sequence_word=0x9", "packet +9 qw s2c\n header x",
                   "11\n- header sequence_word=0x9\n+ header x\n");
}

TEST(many_and_long_lines)
{
    g_autoptr(GString) was = g_string_new("packet qw s2c\n");
    g_autofree char *text = g_strnfill(GOLDEN_LINE_SIZE_MAX + 9, 'x'), *found = NULL;
    uint64_t count;

    for (int i = 0; i < 30; i++)
        g_string_append_printf(was, "%s\n", text);
    found = differences(was->str, "packet qw s2c\n", &count);
    assert_int_equal(count, 1);
    assert_true(g_str_has_suffix(found, "…\nand 10 more\n"));
}

/* --- Many packets ---------------------------------------------------------------------------- */

static void append_packets(GString *dump, unsigned first, unsigned end)
{
    for (unsigned i = first; i < end; i++)
        g_string_append_printf(dump, "packet qw s2c\n header sequence_word=%u\n", i);
}

/* A packet more, and all behind it has other numbers: one difference. */
TEST(realigned)
{
    g_autoptr(GString) was = g_string_new(NULL), is = g_string_new(NULL);

    append_packets(was, 1, 201);
    append_packets(is, 1, 100);
    append_packets(is, 5000, 5001);
    append_packets(is, 100, 201);
    assert_count(was, is, 1);
    assert_count(is, was, 1);
}

/* A gap is found again up to the window's size. */
TEST(gap)
{
    g_autoptr(GString) was = g_string_new(NULL), is = g_string_new(NULL);

    append_packets(was, 1, 3001);
    append_packets(is, 1, 500);
    append_packets(is, 500 + GOLDEN_WINDOW - 1, 3001);
    assert_count(was, is, GOLDEN_WINDOW - 1);
    assert_count(is, was, GOLDEN_WINDOW - 1);
}

TEST(unrelated)
{
    g_autoptr(GString) was = g_string_new(NULL), is = g_string_new(NULL);

    append_packets(was, 1, 20001);
    append_packets(is, 50001, 60001);
    assert_count(was, is, 20000);
}

/* --- Names and files ------------------------------------------------------------------------- */

TEST(first_line)
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

TEST(names)
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

static void assert_name(const char *file, const char *expected)
{
    g_autofree char *name = golden_name(file);

    assert_string_equal(name, expected);
}

TEST(file_names)
{
    g_autofree char *folder = g_strnfill(300, 'x');
    g_autofree char *long_name = g_strconcat(folder, ".pcap", NULL), *name = NULL;

    assert_name("a/duel.pcap", "duel.golden");
    assert_name("duel.dm2.gz", "duel.golden");
    assert_name(".pcap", ".pcap.golden");
    name = golden_name(long_name);
    assert_int_equal(strlen(name), 255);
}

TEST(no_regular_file)
{
    g_autofree char *folder = g_dir_make_tmp("golden-XXXXXX", NULL), *pipe = NULL, *problem = NULL;

    pipe = g_build_filename(folder, "pipe", NULL);
    assert_int_equal(mkfifo(pipe, 0600), 0);
    assert_null(golden_read_text(pipe, &problem));
    assert_string_equal(problem, "is not a regular file");
    assert_int_equal(unlink(pipe) | rmdir(folder), 0);
}

/* The list that the manuals name, from the tables of fields. */
TEST(leaves_out_what_varies)
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
