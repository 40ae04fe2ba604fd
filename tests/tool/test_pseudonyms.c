/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Words to replace are found wherever they stand, however many there are. */
#include <glib.h>
#include <string.h>

#include "pcap2demo/anonymize/pseudonyms.h"
#include "tests/unit/unit.h"

static struct qs_view view_of(const char *text)
{
    return (struct qs_view){(const uint8_t *)text, (uint32_t)strlen(text)};
}

static void add(void *user, uint32_t at, uint32_t size, const uint8_t *stand_in)
{
    (void)stand_in;
    g_string_append_printf(user, "%u+%u ", at, size);
}

static void expect(struct pseudonyms *words, const char *text, struct pseudonyms_search look,
                   const char *places)
{
    g_autoptr(GString) found = g_string_new(NULL);

    pseudonyms_find(words, view_of(text), look, add, found);
    assert_string_equal(found->str, places);
}

TEST(test_places)
{
    static const char *const texts[] = {"bob", "bobby", "b", "anna", "bobbycar", "c"};
    struct pseudonyms *words = pseudonyms_new(true);

    expect(words, "bob", (struct pseudonyms_search){0}, "");
    for (unsigned i = 0; i < G_N_ELEMENTS(texts); i++)
        pseudonyms_add(words, view_of(texts[i]));
    assert_int_equal(pseudonyms_count(words), G_N_ELEMENTS(texts));
    expect(words, "bobby bobbyc ab annabob", (struct pseudonyms_search){0},
           "0+5 6+5 11+1 14+1 16+4 20+3 ");
    expect(words, "bobby bobbyc ab annabob", (struct pseudonyms_search){.letters = 4},
           "0+5 6+5 16+4 ");
    expect(words, "bobby bobbyc ab bob c", (struct pseudonyms_search){.whole = true},
           "0+5 16+3 20+1 ");
    pseudonyms_free(words);
}

static void replace(void *user, uint32_t at, uint32_t size, const uint8_t *replacement)
{
    memcpy(((GString *)user)->str + at, replacement, size);
}

static void expect_replaced(struct pseudonyms *words, const char *text, const char *replaced)
{
    g_autoptr(GString) bytes = g_string_new(text);

    pseudonyms_find(words, view_of(text), (struct pseudonyms_search){.whole = true}, replace,
                    bytes);
    assert_string_equal(bytes->str, replaced);
}

/* The first word's letters would be those of the number 1. */
TEST(test_pseudonym_is_another_word)
{
    struct pseudonyms *words = pseudonyms_new(true);

    pseudonyms_add(words, view_of("xxy"));
    expect_replaced(words, "xxy", "qxy");
    pseudonyms_free(words);
}

/* Colors of the font and color codes make no other word; those within lose their digits. */
TEST(test_pseudonyms_as_printed)
{
    struct pseudonyms *words = pseudonyms_new(true), *passwords = pseudonyms_new(false);

    pseudonyms_add(words, view_of("a^1nna"));
    pseudonyms_add(words, view_of("^2AN\xee\xe1"));
    pseudonyms_add(words, view_of("^1"));
    assert_int_equal(pseudonyms_count(words), 1);
    expect_replaced(words, "^3a^xf00nn&cf00a&r^1 annabel", "^3x^7777xx&c777y&r^1 annabel");
    pseudonyms_add(passwords, view_of("p^1w"));
    expect_replaced(passwords, "p^1w pw", "xxxy pw");
    pseudonyms_free(passwords);
    pseudonyms_free(words);
}

/* The font has them twice: from 0x12 and, in another color, from 0x92 on. */
TEST(test_golden_digits_are_digits)
{
    struct pseudonyms *words = pseudonyms_new(true);

    pseudonyms_add(words, view_of("z\x12\x1b"));
    expect_replaced(words, "z09 z\x92\x9b z\x11\x1c", "xxy xxy z\x11\x1c");
    pseudonyms_free(words);
}

/* A longer one that is a part of a word there hides no shorter one. */
TEST(test_shorter_word_where_the_longer_is_not_whole)
{
    struct pseudonyms *words = pseudonyms_new(true);

    pseudonyms_add(words, view_of("anna"));
    pseudonyms_add(words, view_of("anna be"));
    expect_replaced(words, "anna bert, anna be", "xxxy bert, xxxx xz");
    pseudonyms_free(words);
}

/* --- Beside a search of each word at each place --- */

enum { WORDS = 40, WORD_MAX = 6, TEXT = 60, ROUNDS = 300 };

static void dice_text(GRand *dice, char *text, unsigned size)
{
    for (unsigned i = 0; i < size; i++)
        text[i] = (char)g_rand_int_range(dice, 'a', 'd');
    text[size] = '\0';
}

static void search(char words[WORDS][WORD_MAX + 1], const char *text, GString *found)
{
    for (unsigned at = 0; text[at];) {
        unsigned longest = 0;

        for (unsigned i = 0; i < WORDS; i++)
            if (g_str_has_prefix(text + at, words[i]))
                longest = MAX(longest, (unsigned)strlen(words[i]));
        if (longest)
            g_string_append_printf(found, "%u+%u ", at, longest);
        at += MAX(longest, 1);
    }
}

TEST(test_any)
{
    g_autoptr(GRand) dice = g_rand_new_with_seed(1);

    for (unsigned round = 0; round < ROUNDS; round++) {
        struct pseudonyms *words = pseudonyms_new(true);
        g_autoptr(GString) found = g_string_new(NULL);
        char texts[WORDS][WORD_MAX + 1], text[TEXT + 1];

        for (unsigned i = 0; i < WORDS; i++) {
            dice_text(dice, texts[i], (unsigned)g_rand_int_range(dice, 2, WORD_MAX + 1));
            pseudonyms_add(words, view_of(texts[i]));
        }
        dice_text(dice, text, TEXT);
        search(texts, text, found);
        expect(words, text, (struct pseudonyms_search){0}, found->str);
        pseudonyms_free(words);
    }
}

/* 20,000 words in 2 MB of text: a search for each of them would take minutes. */
TEST(test_many)
{
    enum { MANY = 20000, REPEAT = 20 };
    struct pseudonyms *words = pseudonyms_new(true);
    g_autoptr(GString) text = g_string_new(NULL);

    for (unsigned i = 0; i < MANY; i++) {
        g_autofree char *word = g_strdup_printf("aaaa%u", i);

        pseudonyms_add(words, view_of(word));
    }
    for (unsigned i = 0; i < MANY * REPEAT; i++)
        g_string_append(text, "aaaaa");
    expect(words, text->str, (struct pseudonyms_search){0}, "");
    pseudonyms_free(words);
}
