/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What --sanitize leaves of the commands that a server stuffs. */
#include "tests/tool/frames.h"

#include <string.h>

#include "pcap2demo/demo.h"
#include "pcap2demo/stufftext.h"

static const char *const needed[] = {"bf", "skins", NULL};

/* Sifts messages one after the other; what is left of all stands in `expected`, with ids and NULs.
 */
static void expect(const char *const *texts, const char *expected, const char *left_out)
{
    struct demo *demo = demo_new(&(struct demo_setup){.extension = "qwd"});
    GByteArray *out = g_byte_array_new();
    struct stufftext stufftext;
    char *told;

    stufftext_init(&stufftext, demo, needed, NULL);
    for (; *texts; texts++) {
        char *message = g_strconcat("\t", *texts, NULL);

        stufftext_sift(&stufftext,
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
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_commands_on_one_line),
        cmocka_unit_test(test_lines_in_pieces),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
