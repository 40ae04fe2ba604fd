/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Goldens read, and compared with what is decoded: which packets and lines differ. */
#include "tests/unit/unit.h"

#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pcap2demo/regression/golden.h"

#define HEAD "# pcap2demo golden, schema 1, ignoring:\n"

static const char packets[] = "packet qw s2c\n"
                              " header sequence_word=0x7\n"
                              " svc_damage() .armor=1 .health=10 .origin=(1 2 3)\n"
                              " svc_print() .level=2(PRINT_HIGH) .text=\"a\"\n"
                              "packet qw c2s size=8\n"
                              " header sequence_word=0x8\n"
                              "packet +2 qw s2c\n"
                              " header sequence_word=0x9\n";

/* --- Helpers --------------------------------------------------------------------------------- */

typedef struct {
    GString *text; /* of each difference: the packet's numbers, then its lines */
    uint64_t total, packets;
    char *error;
} comparison;

static char *write_golden(const char *text)
{
    char *path = NULL;
    const int file = g_file_open_tmp("golden-XXXXXX", &path, NULL);

    assert_true(file >= 0);
    assert_true(g_close(file, NULL));
    assert_true(g_file_set_contents(path, text, -1, NULL));
    return path;
}

/* Counts those of distance 1 or more: see golden_file.c. */
static unsigned count_packets(const char *dump)
{
    unsigned count = 0;

    for (const char *at = dump; (at = strstr(at, "packet ")); at++)
        count += !g_str_has_prefix(at, "packet +0 ");
    return count;
}

static char *golden_of(const char *dump)
{
    return g_strdup_printf(HEAD "%s# end, %u packets\n", dump, count_packets(dump));
}

static void append_difference(GString *text, const struct golden_difference *difference)
{
    g_string_append_printf(text, "%u %u\n", (unsigned)difference->was, (unsigned)difference->is);
    for (guint i = 0; i < difference->lines->len; i++)
        g_string_append_printf(text, "%s\n", (char *)g_ptr_array_index(difference->lines, i));
    if (difference->more)
        g_string_append_printf(text, "and %u more\n", difference->more);
}

/* `text` is a whole golden, `dump` what is decoded today. */
static comparison compare(const char *text, const char *dump)
{
    comparison result = {.text = g_string_new(NULL)};
    struct golden *was = golden_parse(g_strdup(text)), *is = golden_parse(golden_of(dump));
    struct golden_result *compared = g_new0(struct golden_result, 1);

    assert_null(is->error);
    golden_compare(compared, was, is);
    result.error = g_strdup(compared->error);
    result.total = compared->count;
    result.packets = compared->packets;
    assert_int_equal(compared->differences->len, MIN(result.total, GOLDEN_MAX_DIFFERENCES));
    for (guint i = 0; i < compared->differences->len; i++)
        append_difference(result.text, g_ptr_array_index(compared->differences, i));
    golden_result_free(compared);
    golden_free(was);
    golden_free(is);
    return result;
}

static void comparison_clear(comparison *result)
{
    g_string_free(result->text, TRUE);
    g_free(result->error);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(comparison, comparison_clear)

/* The golden is of `was`. */
static comparison compare_dumps(const char *was, const char *is)
{
    g_autofree char *golden = golden_of(was);

    return compare(golden, is);
}

/* `packets` with one text replaced by another; it must be there. New. */
static char *with(const char *old, const char *by)
{
    g_auto(GStrv) parts = g_strsplit(packets, old, 2);
    char *text = g_strjoinv(by, parts);

    assert_non_null(parts[1]);
    return text;
}

/* The golden is of `packets`. `dump` is freed. */
static void assert_differences(char *dump, const char *expected)
{
    g_auto(comparison) result = compare_dumps(packets, dump);

    assert_null(result.error);
    assert_string_equal(result.text->str, expected);
    assert_int_equal(result.packets, 3);
    g_free(dump);
}

static void assert_total(const GString *was, const GString *is, uint64_t total)
{
    g_auto(comparison) result = compare_dumps(was->str, is->str);

    assert_null(result.error);
    assert_int_equal(result.total, total);
}

static void assert_damaged(const char *golden, const char *error)
{
    g_auto(comparison) result = compare(golden, packets);

    assert_non_null(result.error);
    assert_string_equal(result.error, error);
}

/* --- Differences ----------------------------------------------------------------------------- */

TEST(same)
{
    assert_differences(g_strdup(packets), "");
}

TEST(line_changed)
{
    assert_differences(with("health=10", "health=12"),
                       "1 1\n"
                       "- svc_damage() .armor=1 .health=10 .origin=(1 2 3)\n"
                       "+ svc_damage() .armor=1 .health=12 .origin=(1 2 3)\n");
    assert_differences(with("level=2", "level=2@+2"),
                       "1 1\n"
                       "- svc_print() .level=2(PRINT_HIGH) .text=\"a\"\n"
                       "+ svc_print() .level=2@+2(PRINT_HIGH) .text=\"a\"\n");
}

TEST(line_added)
{
    assert_differences(with(" svc_print", " svc_nop()\n svc_print"), "1 1\n"
                                                                     "+ svc_nop()\n");
}

TEST(line_removed)
{
    assert_differences(with(" svc_damage() .armor=1 .health=10 .origin=(1 2 3)\n", ""),
                       "1 1\n"
                       "- svc_damage() .armor=1 .health=10 .origin=(1 2 3)\n");
}

/* Two messages that change places. */
TEST(lines_moved)
{
    assert_differences(with(" svc_damage() .armor=1 .health=10 .origin=(1 2 3)\n"
                            " svc_print() .level=2(PRINT_HIGH) .text=\"a\"\n",
                            " svc_print() .level=2(PRINT_HIGH) .text=\"a\"\n"
                            " svc_damage() .armor=1 .health=10 .origin=(1 2 3)\n"),
                       "1 1\n"
                       "+ svc_print() .level=2(PRINT_HIGH) .text=\"a\"\n"
                       "- svc_print() .level=2(PRINT_HIGH) .text=\"a\"\n");
}

TEST(header_changed)
{
    assert_differences(with("size=8", "size=9"), "2 2\n"
                                                 "-packet qw c2s size=8\n"
                                                 "+packet qw c2s size=9\n");
    assert_differences(with("c2s", "s2c"), "2 2\n"
                                           "-packet qw c2s size=8\n"
                                           "+packet qw s2c size=8\n");
}

TEST(packet_removed)
{
    assert_differences(with("packet qw c2s size=8\n header sequence_word=0x8\n", ""),
                       "2 0\n"
                       "-packet qw c2s size=8\n"
                       "- header sequence_word=0x8\n");
}

/* In a place of its own, or in front of all others, whose numbers change. */
TEST(packet_added)
{
    assert_differences(with("packet +2", "packet nq c2s\npacket +2"), "0 3\n"
                                                                      "+packet nq c2s\n");
    assert_differences(with("packet qw s2c\n header sequence_word=0x7",
                            "packet nq c2s\npacket qw s2c\n header sequence_word=0x7"),
                       "0 1\n"
                       "+packet nq c2s\n");
}

/* Frames of other protocols came or went: the packet is the same. */
TEST(packet_renumbered)
{
    g_autofree char *dump = with("packet +2", "packet +9");
    g_auto(comparison) result = compare_dumps(packets, dump);

    assert_int_equal(result.total, 0);
}

/* Units of a stream that one packet completes belong to it. */
TEST(units)
{
    static const char was[] = "packet qw s2c unit=1\n block\npacket +0 qw s2c unit=2\n block\n";
    static const char is[] = "packet qw s2c unit=1\n block\npacket +0 qw s2c unit=3\n block\n";
    g_auto(comparison) result = compare_dumps(was, is);

    assert_int_equal(result.packets, 1);
    assert_string_equal(result.text->str, "1 1\n"
                                          "-packet +0 qw s2c unit=2\n"
                                          "+packet +0 qw s2c unit=3\n");
}

/* Of a packet that is new, or very different, the first lines are kept. */
TEST(many_lines)
{
    g_autoptr(GString) was = g_string_new("packet qw s2c\n"), expected = g_string_new("1 0\n-");
    g_auto(comparison) result = {0};

    for (unsigned i = 1; i < 30; i++)
        g_string_append_printf(was, " svc_print() .text=\"%u\"\n", i);
    result = compare_dumps(was->str, "");
    g_string_append(expected, "packet qw s2c\n");
    for (unsigned i = 1; i < GOLDEN_LINES_MAX; i++)
        g_string_append_printf(expected, "- svc_print() .text=\"%u\"\n", i);
    g_string_append(expected, "and 10 more\n");
    assert_string_equal(result.text->str, expected->str);
}

static void assert_shown(unsigned size, const char *end, unsigned shown_size)
{
    g_autofree char *rest = g_strnfill(size, 'x');
    g_autofree char *is = g_strdup_printf("packet qw s2c\n %s\n", rest);
    g_autofree char *shown = g_strdup_printf("1 1\n+ %.*s%s\n", (int)shown_size, rest, end);
    g_auto(comparison) result = compare_dumps("packet qw s2c\n", is);

    assert_string_equal(result.text->str, shown);
}

/* Nobody reads a line to its end that is as long as a book. With the blank before it the second one
 * is as long as one may be. */
TEST(long_lines)
{
    assert_shown(GOLDEN_LINE_SIZE_MAX, "…", GOLDEN_LINE_SIZE_MAX - 1);
    assert_shown(GOLDEN_LINE_SIZE_MAX - 1, "", GOLDEN_LINE_SIZE_MAX - 1);
}

/* --- Many packets ---------------------------------------------------------------------------- */

static void append_packet(GString *dump, const char *direction, unsigned sequence)
{
    g_string_append_printf(dump, "packet qw %s\n header sequence_word=%u\n", direction, sequence);
}

static void append_packets(GString *dump, unsigned first, unsigned end)
{
    for (unsigned i = first; i < end; i++)
        append_packet(dump, i % 2 ? "s2c" : "c2s", i);
}

/* Everything is counted, the first ones are kept. */
TEST(kept_up_to_a_number)
{
    g_autoptr(GString) was = g_string_new(NULL), is = g_string_new(NULL);
    g_auto(comparison) result = {0};

    append_packets(was, 1, 101);
    append_packets(is, 1001, 1101);
    result = compare_dumps(was->str, is->str);
    assert_int_equal(result.total, 100);
    assert_true(g_str_has_suffix(result.text->str, "20 20\n"
                                                   "- header sequence_word=20\n"
                                                   "+ header sequence_word=1020\n"));
}

/* A packet more, and all behind it has other numbers: one difference. */
TEST(realigned)
{
    g_autoptr(GString) was = g_string_new(NULL), is = g_string_new(NULL);

    append_packets(was, 1, 201);
    append_packets(is, 1, 100);
    append_packet(is, "s2c", 5000);
    append_packets(is, 100, 201);
    assert_total(was, is, 1);
    assert_total(is, was, 1);
}

/* A gap is found again up to the window's size. */
TEST(gap)
{
    g_autoptr(GString) was = g_string_new(NULL), is = g_string_new(NULL);

    append_packets(was, 1, 2001);
    append_packets(is, 1, 500);
    append_packets(is, 500 + GOLDEN_WINDOW - 1, 2001);
    assert_total(was, is, GOLDEN_WINDOW - 1);
    assert_total(is, was, GOLDEN_WINDOW - 1);
}

TEST(unrelated)
{
    g_autoptr(GString) was = g_string_new(NULL), is = g_string_new(NULL);

    append_packets(was, 1, 20001);
    append_packets(is, 50001, 60001);
    assert_total(was, is, 20000);
}

/* --- Files ----------------------------------------------------------------------------------- */

TEST(head)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new();
    struct golden *golden;
    char *text;

    g_ptr_array_add(names, (gpointer) "qw.qport");
    g_ptr_array_add(names, (gpointer) "packet.time");
    text = golden_head(names);
    assert_string_equal(text, "# pcap2demo golden, schema 1, ignoring: qw.qport "
                              "packet.time\n");
    golden = golden_parse(text);
    assert_int_equal(golden->ignored->len, 2);
    assert_string_equal(g_ptr_array_index(golden->ignored, 1), "packet.time");
    golden_free(golden);
    golden = golden_parse(g_strdup(HEAD));
    assert_int_equal(golden->ignored->len, 0);
    golden_free(golden);
}

TEST(carriage_returns)
{
    g_autofree char *golden = golden_of(packets);
    char *problem;
    g_auto(GStrv) lines = g_strsplit(golden, "\n", -1);
    g_autofree char *dos = g_strjoinv("\r\n", lines), *path = write_golden(dos);
    g_autofree char *text = golden_read_text(path, &problem);

    assert_null(problem);
    assert_string_equal(text, golden);
    g_unlink(path);
}

TEST(wrong_heads)
{
    static const char other[] =
        "line 1: is not the first line of a golden that this program reads; "
        "--update writes it anew";

    assert_damaged("", "line 1: missing: the golden is cut here");
    assert_damaged("packet qw s2c\n", other);
    assert_damaged("# pcap2demo golden, schema x, ignoring:\n", other);
    assert_damaged("# pcap2demo golden, schema 5, ignoring:\n", other);
    assert_damaged("# pcap2demo golden, schema 10, ignoring:\n",
                   "line 1: does not say which fields are ignored");
    assert_damaged("# pcap2demo golden, schema 1\n",
                   "line 1: does not say which fields are ignored");
    assert_damaged("# pcap2demo golden, schema 1, ignoring: A/B\n",
                   "line 1: the fields that are ignored are not names of fields");
}

/* Cut behind any byte it is damaged, but for the last line's end. */
TEST(truncated)
{
    g_autofree char *golden = golden_of(packets);

    for (size_t size = strlen(golden) - 1; size; size--) {
        g_auto(comparison) result = {0};

        golden[size] = '\0';
        result = compare(golden, packets);
        assert_non_null(result.error);
    }
}

TEST(damaged_lines)
{
    assert_damaged(HEAD "packet qw s2c\nnonsense\n# end, 1 packets\n",
                   "line 3: is not a line of a dump");
    assert_damaged(HEAD "packet qw s2c\n\n# end, 1 packets\n", "line 3: is not a line of a dump");
    assert_damaged(HEAD " svc_nop()\n# end, 1 packets\n", "line 2: is not a line of a dump");
    assert_damaged(HEAD "packet +x qw s2c\n# end, 1 packets\n", "line 2: is not a line of a dump");
    assert_damaged(HEAD "packet +99999999999 qw s2c\n# end, 1 packets\n",
                   "line 2: is not a line of a dump");
    assert_damaged(HEAD "packets\n# end, 1 packets\n", "line 2: is not a line of a dump");
    assert_damaged(HEAD "packet qw s2c\n# end, 7 packets\n",
                   "line 3: is not the last line, or counts other packets than are before it");
    assert_damaged(HEAD "# end, 0 packets\npacket qw s2c\n", "line 3: follows the golden's end");
}

/* What is before the damage is compared, what is behind it is not called new. */
TEST(good_part_compared)
{
    g_auto(comparison) result =
        compare(HEAD "packet qw s2c\n header a=5\npacket qw s2c\n???\n",
                "packet qw s2c\n header a=1\npacket qw s2c\npacket qw c2s\n");

    assert_string_equal(result.error, "line 5: is not a line of a dump");
    assert_string_equal(result.text->str, "1 1\n- header a=5\n+ header a=1\n");
    comparison_clear(&result);
    result = compare(HEAD "packet qw s2c\n header a=5\n???\n",
                     "packet qw s2c\n header a=1\npacket qw c2s\npacket qw c2s\n");
    assert_string_equal(result.text->str, "1 1\n- header a=5\n+ header a=1\n");
}

static void assert_refused(const char *path, const char *expected)
{
    g_autofree char *problem = NULL;

    assert_null(golden_read_text(path, &problem));
    assert_string_equal(problem, expected);
}

/* A pipe would be waited for, a device may have no end. */
TEST(not_regular)
{
    g_autofree char *path = write_golden(HEAD);

    assert_refused("/dev/null", "is not a regular file");
    assert_refused("/", "is not a regular file");
    g_unlink(path);
    assert_int_equal(mkfifo(path, 0600), 0);
    alarm(60); /* rather than wait for a writer */
    assert_refused(path, "is not a regular file");
    alarm(0);
    g_unlink(path);
}

/* --- Fields that are left out ---------------------------------------------------------------- */

TEST(ignored_by_name_and_prefix)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new();

    g_ptr_array_add(names, (gpointer) "qw.damage");
    assert_true(golden_is_ignored(names, "qw.damage"));
    assert_true(golden_is_ignored(names, "qw.damage.health"));
    assert_false(golden_is_ignored(names, "qw.damages"));
    assert_false(golden_is_ignored(names, "qw"));
}

TEST(knows_fields)
{
    assert_true(golden_is_field("packet"));
    assert_true(golden_is_field("packet.time"));
    assert_true(golden_is_field("qw.qport"));
    assert_true(golden_is_field("qw.sequence.gap"));
    assert_true(golden_is_field("nq"));
    assert_false(golden_is_field("qw.nonsense"));
    assert_false(golden_is_field("packet.t"));
    assert_false(golden_is_field(""));
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
