/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names and passwords are found and replaced, however many there are. */
#include <glib.h>
#include <string.h>

#include "common/core/text.h"
#include "pcap2demo/anonymize/pseudonyms.h"
#include "tests/unit/unit.h"

static void write_location(void *user, uint32_t at, uint32_t size, const uint8_t *replacement)
{
    (void)replacement;
    g_string_append_printf(user, "%u+%u ", at, size);
}

static void expect(struct pseudonyms *words, const char *text, struct pseudonyms_search search,
                   const char *locations)
{
    g_autoptr(GString) found = g_string_new(NULL);

    pseudonyms_find(words, qs_view_of(text), search, write_location, found);
    assert_string_equal(found->str, locations);
}

TEST(words_are_found_at_their_locations)
{
    static const char *const texts[] = {"bob", "bobby", "b", "anna", "bobbycar", "c"};
    struct pseudonyms *words = pseudonyms_new(true);

    expect(words, "bob", (struct pseudonyms_search){0}, "");
    for (unsigned i = 0; i < G_N_ELEMENTS(texts); i++)
        pseudonyms_add(words, qs_view_of(texts[i]));
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

TEST(words_are_replaced_by_pseudonyms_of_the_same_size)
{
    static const struct {
        bool names; /* false: passwords */
        const char *words[4];
        unsigned count;
        const char *text, *replaced;
    } rows[] = {
        /* The pseudonym of the number 1 would be the word itself. */
        {true, {"xxy"}, 1, "xxy", "qxy"},
        /* Colors of the font and color codes make no other word; codes within it lose their digits.
         */
        {true,
         {"a^1nna", "^2AN\xee\xe1", "^1"},
         1,
         "^3a^xf00nn&cf00a&r^1 annabel",
         "^3x^7777xx&c777y&r^1 annabel"},
        {false, {"p^1w"}, 1, "p^1w pw", "xxxy pw"},
        /* The font has golden digits twice: from 0x12 and, in another color, from 0x92 on. */
        {true, {"z\x12\x1b"}, 1, "z09 z\x92\x9b z\x11\x1c", "xxy xxy z\x11\x1c"},
        /* If the longest word is not whole, a shorter one may be. */
        {true, {"anna", "anna be"}, 2, "anna bert, anna be", "xxxy bert, xxxx xz"},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct pseudonyms *words = pseudonyms_new(rows[i].names);
        g_autoptr(GString) text = g_string_new(rows[i].text);

        for (unsigned j = 0; rows[i].words[j]; j++)
            pseudonyms_add(words, qs_view_of(rows[i].words[j]));
        assert_int_equal(pseudonyms_count(words), rows[i].count);
        pseudonyms_find(words, qs_view_of(rows[i].text), (struct pseudonyms_search){.whole = true},
                        replace, text);
        assert_string_equal(text->str, rows[i].replaced);
        pseudonyms_free(words);
    }
}

/* --- The same words as a search for each word at each location finds --- */

enum { WORDS = 40, WORD_MAX = 6, TEXT = 60, ROUNDS = 300 };

static void random_text(GRand *random, char *text, unsigned size)
{
    for (unsigned i = 0; i < size; i++)
        text[i] = (char)g_rand_int_range(random, 'a', 'd');
    text[size] = '\0';
}

static void find_one_by_one(char words[WORDS][WORD_MAX + 1], const char *text, GString *found)
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

TEST(random_words_are_found_in_random_texts)
{
    g_autoptr(GRand) random = g_rand_new_with_seed(1);

    for (unsigned round = 0; round < ROUNDS; round++) {
        struct pseudonyms *words = pseudonyms_new(true);
        g_autoptr(GString) found = g_string_new(NULL);
        char texts[WORDS][WORD_MAX + 1], text[TEXT + 1];

        for (unsigned i = 0; i < WORDS; i++) {
            random_text(random, texts[i], (unsigned)g_rand_int_range(random, 2, WORD_MAX + 1));
            pseudonyms_add(words, qs_view_of(texts[i]));
        }
        random_text(random, text, TEXT);
        find_one_by_one(texts, text, found);
        expect(words, text, (struct pseudonyms_search){0}, found->str);
        pseudonyms_free(words);
    }
}

/* 20,000 words in 2 MB of text: a search for each word would take minutes. */
TEST(many_words_are_found_at_once)
{
    enum { MANY = 20000, REPEAT = 20 };
    struct pseudonyms *words = pseudonyms_new(true);
    g_autoptr(GString) text = g_string_new(NULL);

    for (unsigned i = 0; i < MANY; i++) {
        g_autofree char *word = g_strdup_printf("aaaa%u", i);

        pseudonyms_add(words, qs_view_of(word));
    }
    for (unsigned i = 0; i < MANY * REPEAT; i++)
        g_string_append(text, "aaaaa");
    expect(words, text->str, (struct pseudonyms_search){0}, "");
    pseudonyms_free(words);
}
