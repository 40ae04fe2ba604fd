/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An end's last datagrams before the first answer are kept, and delivered with it. */
#include "common/sessions/order.h"
#include "tests/unit/unit.h"

static void append(void *user, struct qs_packet *packet)
{
    g_string_append_c(user, (char)packet->data[0]);
}

/* In a script, "12a" is a datagram of 500 bytes from host 1 to host 2 that begins with the letter.
 */
static void assert_passes(const char *script, const char *expected)
{
    struct qs_unanswered *unanswered = qs_unanswered_new();
    g_auto(GStrv) words = g_strsplit(script, " ", 0);
    g_autoptr(GString) passed = g_string_new(NULL);

    for (char **word = words; *word; word++) {
        g_autofree uint8_t *bytes = g_malloc0(500);
        const struct qs_packet packet = {.data = bytes,
                                         .size = 500,
                                         .source = {4, {10, 0, 0, (uint8_t)(*word)[0]}, 1},
                                         .destination = {4, {10, 0, 0, (uint8_t)(*word)[1]}, 1}};

        bytes[0] = (uint8_t)(*word)[2];
        if (qs_unanswered_pass(unanswered, &packet, append, passed))
            g_string_append_c(passed, (*word)[2]);
    }
    qs_unanswered_free(unanswered);
    assert_string_equal(passed->str, expected);
}

TEST(datagrams_before_the_first_answer_come_with_it)
{
    assert_passes("12a 12b", "");
    assert_passes("12a 12b 21c 12d 21e", "abcde");
    assert_passes("12a 13b 31c 21d", "bcad");
}

TEST(only_the_last_datagrams_are_kept)
{
    assert_passes("12a 12b 12c 12d 12e 21f", "def");
}
