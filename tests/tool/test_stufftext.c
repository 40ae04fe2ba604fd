/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --sanitize filters the console commands that a server sends in svc_stufftext. */
#include <string.h>

#include "common/demo/sanitize/sanitize.h"
#include "common/sessions/demo.h"
#include "tests/support/test.h"

/* Filters messages one after the other. `expected` has what is left of all, with a tab for each
 * message's id and "|" for its NUL; `left_out` the names of the commands that were left out. */
static void expect_of(const struct qs_needed_command *needed, const char *const *never,
                      const char *const *texts, const char *expected, const char *left_out)
{
    struct qs_session_demo *demo = qs_session_demo_new(&(struct qs_session_demo_setup){0});
    g_autoptr(GByteArray) out = g_byte_array_new();
    struct qs_stufftext stufftext;
    g_autofree char *text = NULL;

    qs_stufftext_init(&stufftext, &demo->writer, '\t', needed, never);
    for (; *texts; texts++) {
        g_autofree char *message = g_strconcat("\t", *texts, NULL);

        qs_stufftext_filter(
            &stufftext, (struct qs_view){(uint8_t *)message, (uint32_t)strlen(message) + 1}, out);
    }
    for (guint i = 0; i < out->len; i++)
        if (!out->data[i])
            out->data[i] = '|';
    g_byte_array_append(out, (const uint8_t *)"", 1);
    assert_string_equal((char *)out->data, expected);
    text = qs_session_demo_left_out_text(demo);
    assert_string_equal(text ? text : "", left_out);
    qs_stufftext_clear(&stufftext);
    qs_session_demo_free(demo);
}

static void expect(const char *const *texts, const char *expected, const char *left_out)
{
    static const struct qs_needed_command needed[] = {
        {"bf", ""},
        {"play", "f*"},
        {"fullserverinfo", "i"},
        {"//tinfo", "pd?tnnnn"},
        {"//ktx took", "enc"},
        {"//a", "?w"},
        {"//ktx race", "dn"},
        {NULL, ""},
    };

    expect_of(needed, NULL, texts, expected, left_out);
}

TEST(only_needed_commands_stay)
{
    static const struct {
        const char *texts[10]; /* of messages, up to NULL */
        const char *expected, *left_out;
    } rows[] = {
        {{"bf\n", "packet 192.0.2.1:1 x\n"}, "\tbf\n|", "packet"},
        {{"cmd a\ncmd b\nbf\n"}, "\tbf\n|", "cmd ×2"},
        /* Several commands on a line. */
        {{"bf;packet 192.0.2.1:1 x\n"}, "\tbf\n|", "packet"},
        {{"packet 192.0.2.1:1 x;bf\n"}, "\tbf\n|", "packet"},
        {{"bf \"a;b\"\n"}, "\tbf\n|", ""},
        {{"bf;bf\n"}, "\tbf\n|\tbf\n|", ""},
        /* A line in several messages. */
        {{"b", "f;pac", "ket x\n"}, "\tbf\n|", "packet"},
        {{"bf \"", "bf \";packet x;\"\n"}, "\tbf\n|", "packet"},
        {{"bf"}, "", ""},
        /* Characters that end a command in one engine and not in another: only its name stays. */
        {{"bf \rquit\n"}, "\tbf\n|", ""},
        {{"bf\rquit\n"}, "\tbf\n|", ""},
        {{"bf //\rquit\n"}, "\tbf\n|", ""},
        {{"bf \"\\\";quit;\\\"\"\n"}, "\tbf\n|", "\\\"\", quit"},
        /* File names: only one word of plain characters. */
        {{"play  misc/talk.wav \"a-b\"\n"}, "\tplay misc/talk.wav a-b\n|", ""},
        {{"play \"a b\"\n", "play $x\n", "play a\\b\n", "play //\n"}, "", "play ×4"},
        {{"play a\rquit\n"}, "\tplay a quit\n|", ""},
        /* Info strings: one in quotes, in which some characters are replaced. */
        {{"fullserverinfo \"\\a\\b\"\n"}, "\tfullserverinfo \"\\a\\b\"\n|", ""},
        {{"fullserverinfo \"\\a\\$x;y\r\\\\\"\n"}, "\tfullserverinfo \"\\a\\_x_y_\"\n|", ""},
        {{"fullserverinfo\n"}, "", "fullserverinfo"},
        /* Commands in comments, for some clients. */
        {{"//tinfo 1 2.5 \"a b\"\n"}, "\t//tinfo 1 2.5 \"a b\"\n|", ""},
        {{"//set a 1\n", "//tinfox\n"}, "", "//set, //tinfox"},
        {{"//a \";quit\n", "//a\\\"\n", "//$a\n"}, "", "//$a, //a, //a\\\""},
        {{"//a \"unclosed\n"}, "", "//a"},
        {{"//a\rquit\n"}, "\t//a quit\n|", ""},
        {{"//tinfo 1 2 \"a;quit\"\n"}, "", "//tinfo"},
        {{"//tinfo 1 2 \"../a\"\n"}, "", "//tinfo"},
        /* Their numbers are indices in ezQuake and FTE, where a missing argument is 0. */
        {{"//ktx took 2047 -5 32 x\n", "//ktx race -0.5 1\n"},
         "\t//ktx took 2047 -5 32\n|\t//ktx race -0.5 1\n|",
         ""},
        {{"//ktx took 2048 0 1\n", "//ktx took 1 0 0\n", "//ktx took 1 0 33\n",
          "//ktx took -1 0 1\n", "//ktx took 1 0\n", "//ktx other 1\n",
          "//ktx took 1 9999999999 1\n", "//ktx race 1e9 1\n", "//ktx race 1. 1\n"},
         "",
         "//ktx ×9"},
        {{"//tinfo -1 0\n", "//tinfo 255 0\n", "//tinfo x 0\n"}, "", "//tinfo ×3"},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        print_message("%s", rows[i].texts[0]);
        expect(rows[i].texts, rows[i].expected, rows[i].left_out);
    }
}

/* QuakeSpasm stops at a sound's name of 64 bytes, ".wav" included; ezQuake at any "..". */
TEST(file_names_are_limited)
{
    g_autofree char *most = g_strnfill(59, 'x');
    g_autofree char *good = g_strconcat("play ", most, "\n", NULL);
    g_autofree char *bad = g_strconcat("play x", most, "\n", NULL);
    g_autofree char *expected = g_strconcat("\t", good, "|", NULL);

    expect((const char *const[]){good, bad, "play a..b\n", "play \"\"\n", NULL}, expected,
           "play ×3");
}

/* Some engines cut a longer line. */
TEST(long_lines_are_left_out)
{
    g_autofree char *most = g_strnfill(QS_STUFFTEXT_LENGTH_MAX - strlen("//a "), 'x');
    g_autofree char *good = g_strconcat("//a ", most, "\n", NULL);
    g_autofree char *bad = g_strconcat("//a x", most, "\n", NULL);
    g_autofree char *expected = g_strconcat("\t", good, "|", NULL);

    expect((const char *const[]){good, NULL}, expected, "");
    expect((const char *const[]){bad, NULL}, "", "//a");
}

/* Without a list of needed commands, those of another list are left out of each message. */
TEST(forbidden_commands_are_left_out_and_others_stay)
{
    static const char *const never[] = {"cmd", "changing", NULL};
    const char *const texts[] = {"say a",
                                 ";cmd b;say c\n",
                                 "changing\n",
                                 "\x7f"
                                 "c version\n",
                                 "",
                                 "\n",
                                 NULL};

    expect_of(NULL, never, texts, "\tsay a|\t;say c\n|\t|\t\n|", "");
}
