/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Passwords are found in texts; ordinary words are not. */
#include "common/dump/secret.h"

#include "common/core/text.h"
#include "tests/unit/toy.h"

/* Returns the passwords of a text, each in brackets. */
static char *found_in(const char *text, size_t size, bool from_client)
{
    const struct qs_view view = {(const uint8_t *)text, (uint32_t)size};
    GString *out = g_string_new(NULL);
    struct qs_view secret;
    uint32_t pos = 0;

    while (qs_secret_next(view, from_client, &pos, &secret))
        g_string_append_printf(out, "[%.*s]", (int)secret.size, (const char *)secret.data);
    return g_string_free(out, FALSE);
}

static void expect(const char *text, size_t size, bool from_client, const char *passwords)
{
    g_autofree char *found = found_in(text, size, from_client);

    assert_string_equal(found, passwords);
}

#define FROM_CLIENT(text, passwords) expect(text, sizeof(text) - 1, true, passwords)
#define FROM_SERVER(text, passwords) expect(text, sizeof(text) - 1, false, passwords)

TEST(passwords_of_info_strings_are_found)
{
    FROM_CLIENT("\\name\\anna\\password\\pw1\\rate\\2500", "[pw1]");
    FROM_SERVER("\\password\\pw1", "[pw1]");
    FROM_CLIENT("connect 28 1 2 \"\\password\\pw1\"\n", "[pw1]");
    FROM_CLIENT("\xff\xff\xff\xff\x02\0\\rcon_password\\a b\0x", "[a b]");
    FROM_CLIENT("\\password\\none\\name\\x", "");
    FROM_CLIENT("\\password\\*****", "");
    FROM_CLIENT("\\password", "");
    FROM_CLIENT("\\spectator\\1", "");
    FROM_CLIENT("\\spectator\\letmein", "[letmein]");
    FROM_CLIENT("\\mypassword\\x", "[x]");
}

TEST(passwords_of_commands_are_found)
{
    FROM_CLIENT("rcon pw1 status", "[pw1]");
    FROM_CLIENT("\xff\xff\xff\xffrcon \"p w\" set password \"new\"", "[p w][new]");
    FROM_CLIENT("\x04setinfo password pw1\0\x03", "[pw1]");
    FROM_CLIENT("say hi; RCON_PASSWORD pw1\n", "[pw1]");
    FROM_CLIENT("login anna pw1", "[anna pw1]");
    FROM_CLIENT("!Admin anna pw1", "[anna pw1]");
    FROM_CLIENT("\x01 \t \x02 rcon pw1", "[pw1]");
    FROM_CLIENT("cmd setinfo \"password\" pw1;say \"rcon pw2 \"", "[pw1][pw2]");
    FROM_CLIENT("say what is the password friend", "");
    FROM_CLIENT("rcon", "");
}

/* Servers use the same words in ordinary texts. */
TEST(passwords_that_servers_print_are_found)
{
    FROM_SERVER("\"rcon_password\" is \"pw1\"\n", "[pw1]");
    FROM_SERVER("password = pw1\n", "[pw1]");
    FROM_SERVER("set password pw1\n", "[pw1]");
    FROM_SERVER("*    qport \"1\"\n     rcon_password \"pw1\"\n* S  password \"pw2\"\n",
                "[pw1][pw2]");
    FROM_SERVER("AU   password \"pw1\"\n   ? sv_adminpass \"pw2\"\n US  rcon_password \"pw3\"\n",
                "[pw1][pw2][pw3]");
    FROM_SERVER("password            pw1\nspectator           pw2\n", "[pw1][pw2]");
    FROM_SERVER("spectator: hello\n", "");
    FROM_SERVER("password required\n", "");
    FROM_SERVER("admin joined\n", "");
    FROM_SERVER("rcon from 192.0.2.1\n", "");
}

/* 400,000 possible beginnings in one line: a search from each to the line's end would take long. */
TEST(long_texts_are_searched_in_linear_time)
{
    static const char *const parts[] = {"\x01",  "\"",    "\x01 ",  ";",      "\";",
                                        "s\x01", "\"set", "\"rcon", "rcon\"", "\\password"};
    enum { SIZE = 400000 };

    for (unsigned i = 0; i < G_N_ELEMENTS(parts); i++) {
        const size_t size = strlen(parts[i]);
        g_autofree char *text = g_malloc(SIZE + sizeof "\nrcon pw1");
        g_autofree char *found = NULL;

        for (size_t at = 0; at < SIZE; at++)
            text[at] = parts[i][at % size];
        memcpy(text + SIZE, "\nrcon pw1", sizeof "\nrcon pw1");
        found = found_in(text, SIZE + strlen("\nrcon pw1"), true);
        assert_true(g_str_has_suffix(found, "[pw1]"));
    }
}
