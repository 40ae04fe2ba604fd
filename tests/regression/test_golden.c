/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Goldens read, and compared with what is decoded: what differs, and how that is told. */
#include "tests/unit/unit.h"

#include <glib/gstdio.h>
#include <string.h>

#include "pcap2demo/regression/golden_diff.h"

#define HEAD "# pcap2demo golden, schema 1, ignoring:\n"

static const char packets[] = "1 0+20 packet.protocol = qw\n"
                              "1 0+8 qw.header\n"
                              "1 0+4 qw.sequence = 7\n"
                              "1 8+3 qw.svc_damage\n"
                              "1 8+1 qw.svc = 19 (svc_damage)\n"
                              "1 9+1 qw.damage.armor = 1\n"
                              "1 10+1 qw.damage.health = 10\n"
                              "1 11+3 qw.svc_print\n"
                              "1 12+2 qw.print.text = \"a\"\n"
                              "2 0+8 packet.protocol = qw\n"
                              "2 0+8 qw.header\n"
                              "2 0+4 qw.sequence = 8\n"
                              "4 0+8 packet.protocol = qw\n"
                              "4 0+8 qw.header\n"
                              "4 0+4 qw.sequence = 9\n";

/* --- Helpers --------------------------------------------------------------------------------- */

struct comparison {
    GString *told; /* a line a difference */
    uint64_t total;
    bool new_names;
    char *error;
};

static char *write_golden(const char *text)
{
    char *path = NULL;
    const int file = g_file_open_tmp("golden-XXXXXX", &path, NULL);

    assert_true(file >= 0);
    assert_true(g_close(file, NULL));
    assert_true(g_file_set_contents(path, text, -1, NULL));
    return path;
}

static enum golden_status next(void *user, struct golden_packet *packet)
{
    return golden_next(user, packet);
}

/* A comparison under way. `shortcut`: packets that are the same to the byte are not taken apart. */
struct course {
    struct golden_reader *reader;
    struct golden_diff *diff;
    struct golden_packet *packet;
    GString *page; /* the packet's lines */
    bool shortcut;
};

/* Gives the packet at hand to the comparison. */
static void take(struct course *course)
{
    if (course->shortcut && golden_diff_is_level(course->diff) &&
        golden_skip(course->reader, course->packet->number, course->page)) {
        golden_diff_take_same(course->diff);
        golden_packet_clear(course->packet);
    } else {
        course->packet = golden_diff_take(course->diff, course->packet);
    }
    g_string_truncate(course->page, 0);
}

/* Gives the packets of a dump to the comparison. */
static void take_all(struct course *course, const char *dump, const GPtrArray *ignored)
{
    char **lines = g_strsplit(dump, "\n", -1);
    struct golden_words words;

    for (char **line = lines; **line; line++) {
        assert_true(golden_parse(*line, strlen(*line), &words));
        if (course->packet->lines->len && words.number != course->packet->number)
            take(course);
        if (golden_is_ignored(ignored, words.name, words.name_length))
            continue;
        golden_packet_add(course->packet, *line, strlen(*line), &words);
        g_string_append_printf(course->page, "%s\n", *line);
    }
    take(course);
    golden_diff_finish(course->diff);
    g_strfreev(lines);
}

static void tell(GString *told, const struct difference *difference)
{
    const uint64_t packet = difference->has_is ? difference->is_packet : difference->was_packet;

    g_string_append_printf(told, "%u %s %s: %s -> %s\n", (unsigned)packet,
                           difference->message ? difference->message : "-",
                           difference->field ? difference->field : "-",
                           difference->was ? difference->was : "-",
                           difference->is ? difference->is : "-");
}

static void tell_all(struct comparison *result, struct golden_diff *diff)
{
    GPtrArray *differences = golden_diff_take_differences(diff, &result->total);

    for (guint i = 0; i < differences->len; i++)
        tell(result->told, g_ptr_array_index(differences, i));
    result->new_names = golden_diff_new_names(diff) != NULL;
    g_ptr_array_free(differences, TRUE);
}

static void comparison_clear(struct comparison *result)
{
    g_string_free(result->told, TRUE);
    g_free(result->error);
}

static void run(struct course *course, struct comparison *result, const char *dump,
                const GPtrArray *ignored)
{
    course->diff = golden_diff_new(next, course->reader, 5);
    course->packet = golden_packet_new();
    course->page = g_string_new(NULL);
    take_all(course, dump, ignored);
    tell_all(result, course->diff);
    result->error = g_strdup(golden_error(course->reader));
    golden_diff_free(course->diff);
    golden_packet_free(course->packet);
    g_string_free(course->page, TRUE);
}

static struct comparison compare_by(const char *path, const char *dump, const char *ignore,
                                    bool shortcut)
{
    struct comparison result = {.told = g_string_new(NULL)};
    GPtrArray *ignored = g_ptr_array_new_with_free_func(g_free);
    struct course course = {.shortcut = shortcut};

    if (ignore)
        g_ptr_array_add(ignored, g_strdup(ignore));
    course.reader = golden_open(path, ignored, &result.error);
    if (course.reader) {
        run(&course, &result, dump, ignored);
        golden_close(course.reader);
    }
    g_ptr_array_free(ignored, TRUE);
    return result;
}

static void assert_same_result(const struct comparison *a, const struct comparison *b)
{
    assert_string_equal(a->told->str, b->told->str);
    assert_int_equal(a->total, b->total);
    assert_int_equal(a->new_names, b->new_names);
    assert_int_equal(a->error == NULL, b->error == NULL);
    if (a->error)
        assert_string_equal(a->error, b->error);
}

/*
 * `golden` is a whole file, `dump` what is decoded today, `ignore` a field or NULL. The shortcut
 * may make no difference.
 */
static struct comparison compare(const char *golden, const char *dump, const char *ignore)
{
    char *path = write_golden(golden);
    struct comparison result = compare_by(path, dump, ignore, false);
    struct comparison shortcut = compare_by(path, dump, ignore, true);

    assert_same_result(&shortcut, &result);
    comparison_clear(&shortcut);
    g_unlink(path);
    g_free(path);
    return result;
}

/* `packets` with one text replaced by another; it must be there. New. */
static char *with(const char *old, const char *by)
{
    char **parts = g_strsplit(packets, old, 2);
    char *text = g_strjoinv(by, parts);

    assert_non_null(parts[1]);
    g_strfreev(parts);
    return text;
}

static char *golden_of(const char *dump, unsigned count)
{
    return g_strdup_printf(HEAD "%s# end, %u packets\n", dump, count);
}

/* The golden is of `packets`. */
static void assert_told(char *dump, const char *ignore, const char *expected)
{
    char *golden = golden_of(packets, 3);
    struct comparison result = compare(golden, dump, ignore);

    assert_null(result.error);
    assert_string_equal(result.told->str, expected);
    comparison_clear(&result);
    g_free(golden);
    g_free(dump);
}

static void assert_damaged(const char *golden, const char *error)
{
    struct comparison result = compare(golden, packets, NULL);

    assert_non_null(result.error);
    assert_string_equal(result.error, error);
    comparison_clear(&result);
}

/* --- Differences ----------------------------------------------------------------------------- */

static void same(void **state)
{
    (void)state;
    assert_told(g_strdup(packets), NULL, "");
}

static void field_changed(void **state)
{
    (void)state;
    assert_told(with("health = 10", "health = 12"), NULL,
                "1 qw.svc_damage qw.damage.health: 10 -> 12\n");
}

static void field_removed(void **state)
{
    (void)state;
    assert_told(with("1 9+1 qw.damage.armor = 1\n", ""), NULL,
                "1 qw.svc_damage qw.damage.armor: 1 -> -\n");
}

/* A value that is derived now was not before. */
static void mark_changed(void **state)
{
    (void)state;
    assert_told(with("health = 10", "health := 10"), NULL,
                "1 qw.svc_damage qw.damage.health: = 10 -> := 10\n");
}

/* The message behind a longer one has moved, which is not told again. */
static void message_added(void **state)
{
    (void)state;
    assert_told(with("1 11+3 qw.svc_print\n1 12+2",
                     "1 11+1 qw.svc_nop\n1 11+1 qw.svc = 1 (svc_nop)\n1 12+3 qw.svc_print\n1 13+2"),
                NULL, "1 qw.svc_nop -: - -> 2 fields\n");
}

static void message_removed(void **state)
{
    (void)state;
    assert_told(with("1 11+3 qw.svc_print\n1 12+2 qw.print.text = \"a\"\n", ""), NULL,
                "1 qw.svc_print -: 2 fields -> -\n");
}

static void packet_removed(void **state)
{
    (void)state;
    assert_told(with("2 0+8 packet.protocol = qw\n2 0+8 qw.header\n2 0+4 qw.sequence = 8\n", ""),
                NULL, "2 - -: a packet of 3 fields -> -\n");
}

/* In a place of its own, or in front of all others, whose numbers change. */
static void packet_added(void **state)
{
    (void)state;
    assert_told(with("4 0+8 packet", "3 0+9 packet.protocol = nq\n4 0+8 packet"), NULL,
                "3 - -: - -> a packet of 1 field\n");
    assert_told(with("1 0+20 packet", "0 0+9 packet.protocol = nq\n1 0+20 packet"), NULL,
                "0 - -: - -> a packet of 1 field\n");
}

static void packet_moved(void **state)
{
    char *moved = with("4 0+8 packet.protocol = qw\n4 0+8 qw.header\n4 0+4",
                       "5 0+8 packet.protocol = qw\n5 0+8 qw.header\n5 0+4");

    (void)state;
    assert_told(moved, NULL, "5 - -: packet 4 -> packet 5\n");
}

static void position_changed(void **state)
{
    (void)state;
    assert_told(with("1 9+1", "1 9+2"), NULL, "1 - qw.damage.armor: at 9+1 -> at 9+2\n");
}

static void ignored_by_name_and_prefix(void **state)
{
    (void)state;
    assert_told(with("health = 10", "health = 12"), "qw.damage.health", "");
    assert_told(with("health = 10", "health = 12"), "qw.damage", "");
    assert_told(with("health = 10", "health = 12"), "qw.dam",
                "1 qw.svc_damage qw.damage.health: 10 -> 12\n");
}

/* What the golden leaves out is left out of today's decode. */
static void ignored_by_the_golden(void **state)
{
    const char golden[] = "# pcap2demo golden, schema 1, ignoring: qw.sequence packet\n"
                          "1 0+8 qw.header\n"
                          "# end, 1 packets\n";
    struct comparison result = compare(
        golden, "1 0+8 packet.protocol = qw\n1 0+8 qw.header\n1 0+4 qw.sequence = 1\n", NULL);

    (void)state;
    assert_null(result.error);
    assert_int_equal(result.total, 0);
    comparison_clear(&result);
}

static void new_fields(void **state)
{
    char *golden = golden_of(packets, 3);
    char *more = with("1 8+1 qw.svc =", "1 8+1 qw.damage.who := 1\n1 8+1 qw.svc =");
    struct comparison result = compare(golden, more, NULL);

    (void)state;
    assert_int_equal(result.total, 1);
    assert_true(result.new_names);
    comparison_clear(&result);
    result = compare(golden, packets, NULL);
    assert_false(result.new_names);
    comparison_clear(&result);
    g_free(golden);
    g_free(more);
}

/* `packets` with a field that no golden has, in the message in which another text is replaced. */
static char *with_new_field(const char *old, const char *by)
{
    char *text = with("1 8+1 qw.svc =", "1 8+1 qw.damage.who := 1\n1 8+1 qw.svc =");
    char **parts = g_strsplit(text, old, 2);

    assert_non_null(parts[1]);
    g_free(text);
    text = g_strjoinv(by, parts);
    g_strfreev(parts);
    return text;
}

/* Something of the golden is missing, moved or changed, so that there are not new fields only. */
static void assert_more_than_new_fields(char *dump, uint64_t total)
{
    char *golden = golden_of(packets, 3);
    struct comparison result = compare(golden, dump, NULL);

    assert_null(result.error);
    assert_false(result.new_names);
    assert_int_equal(result.total, total);
    comparison_clear(&result);
    g_free(golden);
    g_free(dump);
}

static void new_fields_and_a_changed_one(void **state)
{
    (void)state;
    assert_more_than_new_fields(with_new_field("armor = 1", "armor = 2"), 2);
    assert_more_than_new_fields(with_new_field("text = \"a\"", "text = \"b\""), 2);
    assert_more_than_new_fields(with_new_field("sequence = 9", "sequence = 10"), 2);
}

static void new_fields_and_a_missing_one(void **state)
{
    (void)state;
    assert_more_than_new_fields(with_new_field("1 9+1 qw.damage.armor = 1\n", ""), 2);
    assert_more_than_new_fields(with_new_field("1 12+2 qw.print.text = \"a\"\n", ""), 2);
}

static void new_fields_and_a_missing_message(void **state)
{
    const char *print = "1 11+3 qw.svc_print\n1 12+2 qw.print.text = \"a\"\n";

    (void)state;
    assert_more_than_new_fields(with_new_field(print, ""), 2);
}

static void new_fields_and_a_missing_packet(void **state)
{
    const char *packet = "2 0+8 packet.protocol = qw\n2 0+8 qw.header\n2 0+4 qw.sequence = 8\n";

    (void)state;
    assert_more_than_new_fields(with_new_field(packet, ""), 2);
    assert_more_than_new_fields(with_new_field("4 0+8 packet", "3 0+1 packet.protocol = nq\n"
                                                               "4 0+8 packet"),
                                2);
}

/* In the message of the new field, in another message and in another packet. */
static void new_fields_and_a_moved_one(void **state)
{
    (void)state;
    assert_more_than_new_fields(with_new_field("1 9+1", "1 8+1"), 2);
    assert_more_than_new_fields(with_new_field("1 10+1", "1 10+2"), 2);
    assert_more_than_new_fields(with_new_field("1 12+2", "1 13+2"), 2);
    assert_more_than_new_fields(with_new_field("1 0+4 qw.sequence", "1 2+4 qw.sequence"), 2);
    assert_more_than_new_fields(with_new_field("4 0+4", "4 1+4"), 2);
    assert_told(with_new_field("1 12+2", "1 13+2"), NULL,
                "1 qw.svc_damage qw.damage.who: - -> 1\n"
                "1 - qw.print.text: at 12+2 -> at 13+2\n");
}

/* Fields that change places are the same fields elsewhere. */
static void new_fields_and_others_in_another_order(void **state)
{
    (void)state;
    assert_more_than_new_fields(
        with_new_field("1 9+1 qw.damage.armor = 1\n1 10+1 qw.damage.health = 10\n",
                       "1 10+1 qw.damage.health = 10\n1 9+1 qw.damage.armor = 1\n"),
        3);
}

/* A new message, of new names, puts the next elsewhere. */
static void new_message_in_front_of_others(void **state)
{
    const char *print = "1 11+3 qw.svc_print\n1 12+2";

    (void)state;
    assert_more_than_new_fields(with(print, "1 11+1 qw.svc_new\n1 12+3 qw.svc_print\n1 13+2"), 1);
}

/* Everything is counted, the first five are told. */
static void told_up_to_a_number(void **state)
{
    GString *was = g_string_new(NULL), *is = g_string_new(NULL);
    struct comparison result;
    char *golden;

    (void)state;
    for (unsigned i = 1; i <= 100; i++) {
        g_string_append_printf(was, "%u 0+4 qw.sequence = %u\n", i, i);
        g_string_append_printf(is, "%u 0+4 qw.sequence = %u\n", i, i + 1000);
    }
    golden = golden_of(was->str, 100);
    result = compare(golden, is->str, NULL);
    assert_int_equal(result.total, 100);
    assert_true(
        g_str_has_suffix(result.told->str, "\n5 outside of messages qw.sequence: 5 -> 1005\n"));
    comparison_clear(&result);
    g_free(golden);
    g_string_free(was, TRUE);
    g_string_free(is, TRUE);
}

/* A packet more, and all behind it has other numbers: one difference. */
static void realigned(void **state)
{
    GString *was = g_string_new(NULL), *is = g_string_new(NULL);
    struct comparison result;
    char *golden;

    (void)state;
    for (unsigned i = 1; i <= 200; i++) {
        g_string_append_printf(was, "%u 0+4 qw.sequence = %u\n", i, i);
        if (i == 100)
            g_string_append_printf(is, "%u 0+4 qw.sequence = 5000\n", i);
        g_string_append_printf(is, "%u 0+4 qw.sequence = %u\n", i < 100 ? i : i + 1, i);
    }
    golden = golden_of(was->str, 200);
    result = compare(golden, is->str, NULL);
    assert_string_equal(result.told->str, "100 - -: - -> a packet of 1 field\n");
    comparison_clear(&result);
    g_free(golden);
    g_string_free(was, TRUE);
    g_string_free(is, TRUE);
}

/* --- Files ----------------------------------------------------------------------------------- */

static void carriage_returns(void **state)
{
    char *golden = golden_of(packets, 3);
    char **lines = g_strsplit(golden, "\n", -1);
    char *dos = g_strjoinv("\r\n", lines);
    struct comparison result = compare(dos, packets, NULL);

    (void)state;
    assert_null(result.error);
    assert_int_equal(result.total, 0);
    comparison_clear(&result);
    g_free(dos);
    g_strfreev(lines);
    g_free(golden);
}

static void wrong_heads(void **state)
{
    (void)state;
    assert_damaged("", "line 1: missing: the golden is cut here");
    assert_damaged("1 0+4 qw.sequence = 1\n", "line 1: is not the first line of a golden");
    assert_damaged("# pcap2demo golden, schema x, ignoring:\n",
                   "line 1: does not say which schema it has");
    assert_damaged("# pcap2demo golden, schema 5, ignoring:\n",
                   "line 1: schema 5, which this program does not read: it has schema 4; "
                   "--update writes the golden anew");
    assert_damaged("# pcap2demo golden, schema 1\n",
                   "line 1: does not say which fields are ignored");
    assert_damaged("# pcap2demo golden, schema 1, ignoring: A/B\n",
                   "line 1: the fields that are ignored are not names of fields");
}

/* Cut behind any byte it is damaged, but for the last line's end. */
static void truncated(void **state)
{
    char *golden = golden_of(packets, 3);

    (void)state;
    for (size_t size = strlen(golden) - 1; size; size--) {
        struct comparison result;

        golden[size] = '\0';
        result = compare(golden, packets, NULL);
        assert_non_null(result.error);
        comparison_clear(&result);
    }
    g_free(golden);
}

static void damaged_lines(void **state)
{
    (void)state;
    assert_damaged(HEAD "1 0+4 qw.sequence = 1\nnonsense\n# end, 1 packets\n",
                   "line 3: is no line of a dump");
    assert_damaged(HEAD "1 0+4 qw.sequence 1\n# end, 1 packets\n", "line 2: is no line of a dump");
    assert_damaged(HEAD "1 0+4294967296 qw.sequence = 1\n# end, 1 packets\n",
                   "line 2: is no line of a dump");
    assert_damaged(HEAD "1 0+4 qw.sequence = \xff\n# end, 1 packets\n",
                   "line 2: is no line of a dump");
    assert_damaged(HEAD "2 0+4 qw.ack = 1\n1 0+4 qw.ack = 1\n# end, 2 packets\n",
                   "line 3: the packet's number is smaller than the one before");
    assert_damaged(HEAD "1 0+4 qw.sequence = 1\n# end, 7 packets\n",
                   "line 3: is not the last line of what is before it");
    assert_damaged(HEAD "# end, 0 packets\n1 0+4 qw.sequence = 1\n",
                   "line 3: stands behind the golden's end");
}

/* What is before the damage is compared, what is behind it is not called new. */
static void good_part_compared(void **state)
{
    struct comparison result = compare(HEAD "1 0+4 qw.sequence = 5\n2 0+4 qw.sequence = 2\n???\n",
                                       "1 0+4 qw.sequence = 1\n2 0+4 qw.sequence = 2\n"
                                       "3 0+4 qw.sequence = 3\n",
                                       NULL);

    (void)state;
    assert_string_equal(result.error, "line 4: is no line of a dump");
    assert_string_equal(result.told->str, "1 outside of messages qw.sequence: 5 -> 1\n");
    comparison_clear(&result);
}

/* --- The compact form ------------------------------------------------------------------------ */

#define COMPACT_HEAD "# pcap2demo golden, schema 4, ignoring:\n"
#define LONGER_HEAD "# pcap2demo golden, schema 3, ignoring:\n"

static const char compact[] = "packet qw s2c session=0 size=20\n"
                              " header sequence_word=0x80000007\n"
                              " svc_damage() .armor=1 .health=10 .origin=(1 2@+4 -3@+2)\n"
                              " svc_damage()~ .health=5\n"
                              " ! sequence.gap@0+4 \"1 skipped\"\n"
                              "packet +2 qw s2c unit=1 session=0 size=8\n"
                              " svc_print@3+4 .text=\"a\\n\" print.level:=2(PRINT_HIGH)@\n"
                              "packet +0 qw s2c unit=2 session=0 size=1\n"
                              " svc_nop\n"
                              " + svc=1(svc_nop)\n";

/* The same as the schema before had it. */
static const char longer[] = "packet qw s2c size=20\n"
                             " header sequence_word=0x80000007{sequence=7}\n"
                             " svc_damage() .armor=1 .health=10 .origin=(1 2@+4 -3@+2)\n"
                             " svc_damage()~ .health=5\n"
                             " ! sequence.gap@0+4 \"1 skipped\"\n"
                             "packet +2 qw s2c unit=1 size=8\n"
                             " svc_print@3+4 .text=\"a\\n\" print.level:=2(PRINT_HIGH)@\n"
                             "packet +0 qw s2c unit=2 size=1\n"
                             " svc_nop\n"
                             " + svc=1(svc_nop)\n";

static const char compact_lines[] = "1 0+20 packet.protocol = qw\n"
                                    "1 0+20 packet.direction = s2c\n"
                                    "1 0+4 qw.header\n"
                                    "1 0+4 qw.sequence_word = 0x80000007\n"
                                    "1 0+4 qw.sequence.reliable = true\n"
                                    "1 0+4 qw.sequence = 7\n"
                                    "1 4+11 qw.svc_damage\n"
                                    "1 4+1 qw.svc = 19 (svc_damage)\n"
                                    "1 5+1 qw.damage.armor = 1\n"
                                    "1 6+1 qw.damage.health = 10\n"
                                    "1 7+8 qw.damage.origin\n"
                                    "1 7+2 qw.damage.origin.x = 1\n"
                                    "1 9+4 qw.damage.origin.y = 2\n"
                                    "1 13+2 qw.damage.origin.z = -3\n"
                                    "1 15+11 qw.svc_damage\n"
                                    "1 15+1 qw.svc = 19 (svc_damage)\n"
                                    "1 16+1 qw.damage.armor = 1\n"
                                    "1 17+1 qw.damage.health = 5\n"
                                    "1 18+8 qw.damage.origin\n"
                                    "1 18+2 qw.damage.origin.x = 1\n"
                                    "1 20+4 qw.damage.origin.y = 2\n"
                                    "1 24+2 qw.damage.origin.z = -3\n"
                                    "1 0+4 qw.sequence.gap = \"1 skipped\"\n"
                                    "3 0+8 packet.protocol = qw\n"
                                    "3 0+8 packet.direction = s2c\n"
                                    "3 0+8 packet.unit = 1\n"
                                    "3 3+4 qw.svc_print\n"
                                    "3 3+3 qw.print.text = \"a\\n\"\n"
                                    "3 3+3 qw.print.level := 2 (PRINT_HIGH)\n"
                                    "3 0+1 packet.protocol = qw\n"
                                    "3 0+1 packet.direction = s2c\n"
                                    "3 0+1 packet.unit = 2\n"
                                    "3 0+0 qw.svc_nop\n"
                                    "3 0+1 qw.svc = 1 (svc_nop)\n";

static void assert_expanded(const char *head, const char *lines, const char *foot,
                            const char *expanded_lines)
{
    char *golden = g_strconcat(head, lines, foot, NULL);
    struct comparison result = compare(golden, expanded_lines, NULL);

    assert_null(result.error);
    assert_string_equal(result.told->str, "");
    comparison_clear(&result);
    g_free(golden);
}

/* What is not written follows from the fields' rows and from what stands before. */
static void expanded(void **state)
{
    (void)state;
    assert_expanded(COMPACT_HEAD, compact, "# end, 2 packets\n", compact_lines);
    assert_expanded(LONGER_HEAD, longer, "# end, 2 packets\n", compact_lines);
}

/* The session, the size, parts of numbers, the number of a part's name, places of derived fields,
 * lengths of numbers of one type. */
static void implied(void **state)
{
    (void)state;
    assert_expanded(COMPACT_HEAD,
                    "packet qw s2c\n"
                    " svc_sound() .entity_channel=0x13{sound.channel=(CHAN_ITEM)} .index=2\n"
                    "packet nq s2c\n"
                    " update .model=52@+1 .frame=6 .model.name:=\"a.mdl\"\n"
                    " svc_clientdata() .ammo=1@+1 .shells=2 .nails=3@+2\n",
                    "# end, 2 packets\n",
                    "1 0+4 packet.protocol = qw\n"
                    "1 0+4 packet.direction = s2c\n"
                    "1 0+4 packet.session = 1\n"
                    "1 0+4 qw.svc_sound\n"
                    "1 0+1 qw.svc = 6 (svc_sound)\n"
                    "1 1+2 qw.sound.entity_channel = 0x13\n"
                    "1 1+2 qw.sound.flags.volume = false\n"
                    "1 1+2 qw.sound.flags.attenuation = false\n"
                    "1 1+2 qw.sound.entity = 2\n"
                    "1 1+2 qw.sound.channel = 3 (CHAN_ITEM)\n"
                    "1 3+1 qw.sound.index = 2\n"
                    "2 0+7 packet.protocol = nq\n"
                    "2 0+7 packet.direction = s2c\n"
                    "2 0+7 packet.session = 1\n"
                    "2 0+2 nq.update\n"
                    "2 0+1 nq.update.model = 52\n"
                    "2 1+1 nq.update.frame = 6\n"
                    "2 1+1 nq.update.model.name := \"a.mdl\"\n"
                    "2 2+5 nq.svc_clientdata\n"
                    "2 2+1 nq.svc = 15 (svc_clientdata)\n"
                    "2 3+1 nq.clientdata.ammo = 1\n"
                    "2 4+1 nq.clientdata.shells = 2\n"
                    "2 5+2 nq.clientdata.nails = 3\n");
}

/* Of the lines of a name, the last with the same fields; derived numbers count. */
static void dittos(void **state)
{
    (void)state;
    assert_expanded(COMPACT_HEAD,
                    "packet qw s2c session=2 size=8\n"
                    " svc_damage .armor=1 .health=10\n"
                    " svc_damage .armor=2 a:=1\n"
                    " svc_damage~2 .health=11\n"
                    " svc_damage~2 .armor=3 a:=2\n"
                    " svc_damage~ .armor=4\n"
                    " svc_damage~ a:=3\n"
                    " svc_damage~\n",
                    "# end, 1 packets\n",
                    "1 0+8 packet.protocol = qw\n"
                    "1 0+8 packet.direction = s2c\n"
                    "1 0+8 packet.session = 2\n"
                    "1 0+2 qw.svc_damage\n"
                    "1 0+1 qw.damage.armor = 1\n"
                    "1 1+1 qw.damage.health = 10\n"
                    "1 2+1 qw.svc_damage\n"
                    "1 2+1 qw.damage.armor = 2\n"
                    "1 2+1 qw.a := 1\n"
                    "1 3+2 qw.svc_damage\n"
                    "1 3+1 qw.damage.armor = 1\n"
                    "1 4+1 qw.damage.health = 11\n"
                    "1 5+1 qw.svc_damage\n"
                    "1 5+1 qw.damage.armor = 3\n"
                    "1 5+1 qw.a := 2\n"
                    "1 6+1 qw.svc_damage\n"
                    "1 6+1 qw.damage.armor = 4\n"
                    "1 6+1 qw.a := 3\n"
                    "1 7+1 qw.svc_damage\n"
                    "1 7+1 qw.damage.armor = 4\n"
                    "1 7+1 qw.a := 3\n"
                    "1 8+1 qw.svc_damage\n"
                    "1 8+1 qw.damage.armor = 4\n"
                    "1 8+1 qw.a := 3\n");
}

static void assert_compact_damaged(const char *lines, const char *error)
{
    char *golden = g_strconcat(COMPACT_HEAD, lines, "# end, 1 packets\n", NULL);

    assert_damaged(golden, error);
    g_free(golden);
}

static void damaged_compact_lines(void **state)
{
    static const char *const second[] = {
        "svc_nop",
        "  svc_nop",
        " svc_nop ",
        " svc_nop@1+",
        " svc_nop svc",
        " svc_nop svc=1(",
        " svc_nop x=\"a",
        " ! gap",
        " ! gap@0+1 x",
        " svc_nop svc=1@:",
        " svc_nop svc=1{a",
        " svc_nop x=(1 2)",
        " svc_nop =1",
        "",
        " svc_nop svc=1@4294967296+1",
        " svc_nop~",
        " svc_nop()x",
        " svc_none()",
        " header()",
        " svc_nop~0",
        " svc_nop~4294967296",
        " header ack=1\n header~ sequence=1",
        " header ack=1\n header~2",
    };

    (void)state;
    for (size_t i = 0; i < G_N_ELEMENTS(second); i++) {
        char *lines = g_strdup_printf("packet qw s2c size=1\n%s\n", second[i]);

        assert_compact_damaged(lines, strchr(second[i], '\n') ? "line 4: is no line of a dump"
                                                              : "line 3: is no line of a dump");
        g_free(lines);
    }
    assert_compact_damaged(" svc_nop\n", "line 2: is no line of a dump");
    assert_compact_damaged("packet xx s2c size=1\n", "line 2: is no line of a dump");
    assert_compact_damaged("packet qw s2c size=1 session=1\n", "line 2: is no line of a dump");
    assert_compact_damaged("packet qw a=1 b=1 c=1 d=1 e=1 f=1 g=1 h=1\n",
                           "line 2: is no line of a dump");
    assert_compact_damaged("packet qw s2c size=\n", "line 2: is no line of a dump");
    assert_compact_damaged("packet +18446744073709551616 qw size=1\n",
                           "line 2: is no line of a dump");
}

/* A packet is gone past only when it is the same to its last line. */
static void skipped(void **state)
{
    GPtrArray *ignored = g_ptr_array_new_with_free_func(g_free);
    char *golden = g_strconcat(COMPACT_HEAD, compact, "# end, 2 packets\n", NULL);
    char *path = write_golden(golden), *error = NULL;
    struct golden_reader *reader = golden_open(path, ignored, &error);
    const char *second = strstr(compact, "packet +2");
    GString *page = g_string_new_len(compact, strchr(compact, '\n') + 1 - compact);

    (void)state;
    assert_false(golden_skip(reader, 1, page)); /* the golden's goes on */
    g_string_truncate(page, 0);
    g_string_append_len(page, compact, second - compact);
    g_string_append(page, " svc_nop\n");
    assert_false(golden_skip(reader, 1, page)); /* more than the golden's */
    g_string_truncate(page, (gsize)(second - compact));
    page->str[page->len - 2] = '!';
    assert_false(golden_skip(reader, 1, page));
    page->str[page->len - 2] = '"';
    assert_true(golden_skip(reader, 1, page));
    assert_false(golden_skip(reader, 1, page));
    g_string_truncate(page, 0);
    g_string_append_len(page, second, strstr(compact, "packet +0") - second);
    assert_false(golden_skip(reader, 3, page)); /* a unit is lacking */
    g_string_assign(page, second);
    assert_true(golden_skip(reader, 3, page));
    assert_false(golden_skip(reader, 5, page));
    golden_close(reader);
    g_unlink(path);
    g_free(path);
    g_free(golden);
    g_string_free(page, TRUE);
    g_ptr_array_free(ignored, TRUE);
}

static void knows_fields(void **state)
{
    (void)state;
    assert_true(golden_knows("packet"));
    assert_true(golden_knows("packet.time"));
    assert_true(golden_knows("qw.qport"));
    assert_true(golden_knows("qw.sequence.gap"));
    assert_true(golden_knows("nq"));
    assert_false(golden_knows("qw.nonsense"));
    assert_false(golden_knows("packet.t"));
    assert_false(golden_knows(""));
}

/* The list that the manuals name, from the tables of fields. */
static void leaves_out_what_varies(void **state)
{
    static const char *const names[] = {
        "packet.time",          "packet.source",        "packet.destination", "qw.challenge",
        "qw.connect.challenge", "qw.connect.qport",     "qw.qport",           "qw.qtv.challenge",
        "q2.challenge",         "q2.connect.challenge", "q2.connect.qport",   "q2.qport",
        "nq.control.port"};
    GPtrArray *ignored = g_ptr_array_new_with_free_func(g_free);

    (void)state;
    golden_ignore_by_default(ignored);
    assert_int_equal(ignored->len, G_N_ELEMENTS(names));
    for (guint i = 0; i < ignored->len; i++) {
        assert_string_equal(g_ptr_array_index(ignored, i), names[i]);
        assert_true(golden_knows(names[i]));
    }
    g_ptr_array_free(ignored, TRUE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same),
        cmocka_unit_test(field_changed),
        cmocka_unit_test(field_removed),
        cmocka_unit_test(mark_changed),
        cmocka_unit_test(message_added),
        cmocka_unit_test(message_removed),
        cmocka_unit_test(packet_removed),
        cmocka_unit_test(packet_added),
        cmocka_unit_test(packet_moved),
        cmocka_unit_test(position_changed),
        cmocka_unit_test(ignored_by_name_and_prefix),
        cmocka_unit_test(ignored_by_the_golden),
        cmocka_unit_test(new_fields),
        cmocka_unit_test(new_fields_and_a_changed_one),
        cmocka_unit_test(new_fields_and_a_missing_one),
        cmocka_unit_test(new_fields_and_a_missing_message),
        cmocka_unit_test(new_fields_and_a_missing_packet),
        cmocka_unit_test(new_fields_and_a_moved_one),
        cmocka_unit_test(new_fields_and_others_in_another_order),
        cmocka_unit_test(new_message_in_front_of_others),
        cmocka_unit_test(told_up_to_a_number),
        cmocka_unit_test(realigned),
        cmocka_unit_test(carriage_returns),
        cmocka_unit_test(wrong_heads),
        cmocka_unit_test(truncated),
        cmocka_unit_test(damaged_lines),
        cmocka_unit_test(good_part_compared),
        cmocka_unit_test(expanded),
        cmocka_unit_test(implied),
        cmocka_unit_test(dittos),
        cmocka_unit_test(damaged_compact_lines),
        cmocka_unit_test(skipped),
        cmocka_unit_test(knows_fields),
        cmocka_unit_test(leaves_out_what_varies),
    };

    return cmocka_run_group_tests_name("golden", tests, NULL, NULL);
}
