/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What --sanitize leaves of the commands that a server stuffs. */
#include "tests/tool/frames.h"

#include <string.h>

#include "common/demo/stufftext.h"
#include "pcap2demo/sessions/demo.h"

/* Sifts messages one after the other; what is left of all stands in `expected`, with ids and NULs.
 */
static void expect_of(const char *const *needed, const char *const *never, const char *const *texts,
                      const char *expected, const char *left_out)
{
    struct demo *demo = demo_new(&(struct demo_setup){.extension = "qwd"});
    GByteArray *out = g_byte_array_new();
    struct stufftext stufftext;
    char *told;

    stufftext_init(&stufftext, demo_writer(demo), needed, never);
    for (; *texts; texts++) {
        char *message = g_strconcat("\t", *texts, NULL);

        stufftext_filter(&stufftext,
                         (struct qs_view){(uint8_t *)message, (uint32_t)strlen(message) + 1}, out);
        g_free(message);
    }
    for (guint i = 0; i < out->len; i++)
        if (!out->data[i])
            out->data[i] = '|';
    g_byte_array_append(out, (const uint8_t *)"", 1);
    assert_string_equal((char *)out->data, expected);
    told = demo_left_out_text(demo);
    assert_string_equal(told ? told : "", left_out);
    g_free(told);
    stufftext_clear(&stufftext);
    g_byte_array_free(out, TRUE);
    demo_free(demo);
}

static void expect(const char *const *texts, const char *expected, const char *left_out)
{
    static const char *const needed[] = {"bf", "skins", NULL};

    expect_of(needed, NULL, texts, expected, left_out);
}

static void test_lines(void **state)
{
    (void)state;
    expect((const char *const[]){"bf\n", "packet 192.0.2.1:1 x\n", NULL}, "\tbf\n|", "packet");
    expect((const char *const[]){"cmd a\ncmd b\nskins\n", NULL}, "\tskins\n|", "cmd ×2");
}

static void test_commands_on_one_line(void **state)
{
    (void)state;
    expect((const char *const[]){"bf;packet 192.0.2.1:1 x\n", NULL}, "\tbf;|", "packet");
    expect((const char *const[]){"packet 192.0.2.1:1 x;bf\n", NULL}, "\tbf\n|", "packet");
    expect((const char *const[]){"skins \"a;b\"\n", NULL}, "\tskins \"a;b\"\n|", "");
}

static void test_lines_in_pieces(void **state)
{
    (void)state;
    expect((const char *const[]){"b", "f;pac", "ket x\n", NULL}, "\tbf;|", "packet");
    expect((const char *const[]){"bf \"", "bf \";packet x;\"\n", NULL}, "\tbf \"bf \";|", "packet");
}

/* What must not stay is left out of each message by itself; the rest is as it was. */
static void test_commands_that_never_stay(void **state)
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

    (void)state;
    expect_of(NULL, never, texts, "\tsay a|\t;say c\n|\t|\t\n|", "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_commands_on_one_line),
        cmocka_unit_test(test_lines_in_pieces),
        cmocka_unit_test(test_commands_that_never_stay),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
