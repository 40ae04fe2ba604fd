/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What --sanitize leaves of the commands that a server stuffs. */
#include "tests/unit/unit.h"

#include <string.h>

#include "common/demo/sanitize/sanitize.h"
#include "common/sessions/demo.h"

/* Sifts messages one after the other; what is left of all stands in `expected`, with ids and NULs.
 */
static void expect_of(const struct command *needed, const char *const *never,
                      const char *const *texts, const char *expected, const char *left_out)
{
    struct qs_session_demo *demo = qs_session_demo_new(&(struct qs_session_demo_setup){0});
    g_autoptr(GByteArray) out = g_byte_array_new();
    struct stufftext stufftext;
    g_autofree char *text = NULL;

    stufftext_init(&stufftext, &demo->writer, '\t', needed, never);
    for (; *texts; texts++) {
        g_autofree char *message = g_strconcat("\t", *texts, NULL);

        stufftext_filter(&stufftext,
                         (struct qs_view){(uint8_t *)message, (uint32_t)strlen(message) + 1}, out);
    }
    for (guint i = 0; i < out->len; i++)
        if (!out->data[i])
            out->data[i] = '|';
    g_byte_array_append(out, (const uint8_t *)"", 1);
    assert_string_equal((char *)out->data, expected);
    text = qs_session_demo_left_out_text(demo);
    assert_string_equal(text ? text : "", left_out);
    stufftext_clear(&stufftext);
    qs_session_demo_free(demo);
}

static void expect(const char *const *texts, const char *expected, const char *left_out)
{
    static const struct command needed[] = {
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

TEST(test_lines)
{
    expect((const char *const[]){"bf\n", "packet 192.0.2.1:1 x\n", NULL}, "\tbf\n|", "packet");
    expect((const char *const[]){"cmd a\ncmd b\nbf\n", NULL}, "\tbf\n|", "cmd ×2");
}

TEST(test_commands_on_one_line)
{
    expect((const char *const[]){"bf;packet 192.0.2.1:1 x\n", NULL}, "\tbf\n|", "packet");
    expect((const char *const[]){"packet 192.0.2.1:1 x;bf\n", NULL}, "\tbf\n|", "packet");
    expect((const char *const[]){"bf \"a;b\"\n", NULL}, "\tbf\n|", "");
    expect((const char *const[]){"bf;bf\n", NULL}, "\tbf\n|\tbf\n|", "");
}

TEST(test_lines_in_pieces)
{
    expect((const char *const[]){"b", "f;pac", "ket x\n", NULL}, "\tbf\n|", "packet");
    expect((const char *const[]){"bf \"", "bf \";packet x;\"\n", NULL}, "\tbf\n|", "packet");
    expect((const char *const[]){"bf", NULL}, "", "");
}

/* What ends a command for one engine and not for another: only the command's name stays. */
TEST(test_other_ends)
{
    expect((const char *const[]){"bf \rquit\n", NULL}, "\tbf\n|", "");
    expect((const char *const[]){"bf\rquit\n", NULL}, "\tbf\n|", "");
    expect((const char *const[]){"bf //\rquit\n", NULL}, "\tbf\n|", "");
    expect((const char *const[]){"bf \"\\\";quit;\\\"\"\n", NULL}, "\tbf\n|", "\\\"\", quit");
}

TEST(test_words)
{
    expect((const char *const[]){"play  misc/talk.wav \"a-b\"\n", NULL},
           "\tplay misc/talk.wav a-b\n|", "");
    expect((const char *const[]){"play \"a b\"\n", "play $x\n", "play a\\b\n", "play //\n", NULL},
           "", "play ×4");
    expect((const char *const[]){"play a\rquit\n", NULL}, "\tplay a quit\n|", "");
}

TEST(test_info)
{
    expect((const char *const[]){"fullserverinfo \"\\a\\b\"\n", NULL},
           "\tfullserverinfo \"\\a\\b\"\n|", "");
    expect((const char *const[]){"fullserverinfo \"\\a\\$x;y\r\\\\\"\n", NULL},
           "\tfullserverinfo \"\\a\\_x_y_\"\n|", "");
    expect((const char *const[]){"fullserverinfo\n", NULL}, "", "fullserverinfo");
}

TEST(test_remarks)
{
    expect((const char *const[]){"//tinfo 1 2.5 \"a b\"\n", NULL}, "\t//tinfo 1 2.5 \"a b\"\n|",
           "");
    expect((const char *const[]){"//set a 1\n", "//tinfox\n", NULL}, "", "//set, //tinfox");
    expect((const char *const[]){"//a \";quit\n", "//a\\\"\n", "//$a\n", NULL}, "",
           "//$a, //a, //a\\\"");
    /* Written anew, on one line. */
    expect((const char *const[]){"//a\rquit\n", NULL}, "\t//a quit\n|", "");
    expect((const char *const[]){"//tinfo 1 2 \"a;quit\"\n", NULL}, "", "//tinfo");
    expect((const char *const[]){"//tinfo 1 2 \"../a\"\n", NULL}, "", "//tinfo");
}

/* ezQuake and FTE have arrays of what the numbers count; a missing argument is 0 to them. */
TEST(test_numbers_of_remarks)
{
    expect((const char *const[]){"//ktx took 2047 -5 32 x\n", "//ktx race -0.5 1\n", NULL},
           "\t//ktx took 2047 -5 32\n|\t//ktx race -0.5 1\n|", "");
    expect((const char *const[]){"//ktx took 2048 0 1\n", "//ktx took 1 0 0\n",
                                 "//ktx took 1 0 33\n", "//ktx took -1 0 1\n", "//ktx took 1 0\n",
                                 "//ktx other 1\n", "//ktx took 1 9999999999 1\n",
                                 "//ktx race 1e9 1\n", "//ktx race 1. 1\n", NULL},
           "", "//ktx ×9");
    expect((const char *const[]){"//tinfo -1 0\n", "//tinfo 255 0\n", "//tinfo x 0\n", NULL}, "",
           "//tinfo ×3");
}

/* QuakeSpasm stops at a sound's name of 64 bytes, ".wav" included, ezQuake at any "..". */
TEST(test_names_of_files)
{
    g_autofree char *most = g_strnfill(59, 'x');
    g_autofree char *good = g_strconcat("play ", most, "\n", NULL);
    g_autofree char *bad = g_strconcat("play x", most, "\n", NULL);
    g_autofree char *expected = g_strconcat("\t", good, "|", NULL);

    expect((const char *const[]){good, bad, "play a..b\n", "play \"\"\n", NULL}, expected,
           "play ×3");
}

/* A longer line is cut by some engines. */
TEST(test_long_lines)
{
    g_autofree char *most = g_strnfill(COMMAND_LENGTH_MAX - strlen("//a "), 'x');
    g_autofree char *good = g_strconcat("//a ", most, "\n", NULL);
    g_autofree char *bad = g_strconcat("//a x", most, "\n", NULL);
    g_autofree char *expected = g_strconcat("\t", good, "|", NULL);

    expect((const char *const[]){good, NULL}, expected, "");
    expect((const char *const[]){bad, NULL}, "", "//a");
}

/* What must not stay is left out of each message by itself; the rest is as it was. */
TEST(test_commands_that_never_stay)
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
