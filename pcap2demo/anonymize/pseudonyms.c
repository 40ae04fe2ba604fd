/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/anonymize/pseudonyms.h"

#include <stdbool.h>
#include <string.h>

/* A word and its pseudonym. */
struct word {
    struct qs_view text;
    uint8_t *pseudonym;
};

struct pseudonyms {
    GSequence *sorted; /* struct word, sorted by bytes */
};

static void word_free(gpointer data)
{
    struct word *word = data;

    g_free((uint8_t *)word->text.data);
    g_free(word->pseudonym);
    g_free(word);
}

struct pseudonyms *pseudonyms_new(void)
{
    struct pseudonyms *pseudonyms = g_new0(struct pseudonyms, 1);

    pseudonyms->sorted = g_sequence_new(word_free);
    return pseudonyms;
}

void pseudonyms_free(struct pseudonyms *pseudonyms)
{
    g_sequence_free(pseudonyms->sorted);
    g_free(pseudonyms);
}

unsigned pseudonyms_count(const struct pseudonyms *pseudonyms)
{
    return (unsigned)g_sequence_get_length(pseudonyms->sorted);
}

/* As engines print it, without color and case: the font's upper half repeats the lower one, and has
 * digits of gold twice. */
static uint8_t fold(uint8_t byte)
{
    enum { GOLDEN_0 = 0x12, GOLDEN_9 = 0x1b };
    const uint8_t plain = byte & 0x7f;

    return plain >= GOLDEN_0 && plain <= GOLDEN_9 ? (uint8_t)(plain - GOLDEN_0 + '0')
                                                  : (uint8_t)g_ascii_tolower((char)plain);
}

/* --- Finding one ----------------------------------------------------------------------------- */

static uint32_t common_size(struct qs_view a, struct qs_view b)
{
    uint32_t size = 0;

    while (size < MIN(a.size, b.size) && fold(a.data[size]) == fold(b.data[size]))
        size++;
    return size;
}

static gint compare(gconstpointer a, gconstpointer b, gpointer user)
{
    const struct qs_view one = ((const struct word *)a)->text;
    const struct qs_view other = ((const struct word *)b)->text;
    const uint32_t same = common_size(one, other);

    (void)user;
    if (same < MIN(one.size, other.size))
        return fold(one.data[same]) - fold(other.data[same]);
    return (one.size > other.size) - (one.size < other.size);
}

/*
 * The longest word that the text begins with, or NULL. In sorted order such a word comes before the
 * text, and all words between the two begin with it: so the last word before the text begins with
 * it, too.
 */
static const struct word *longest_at(const struct pseudonyms *pseudonyms, struct qs_view text)
{
    while (text.size) {
        struct word sought = {.text = text};
        GSequenceIter *behind = g_sequence_search(pseudonyms->sorted, &sought, compare, NULL);
        const struct word *word;

        if (g_sequence_iter_is_begin(behind))
            return NULL;
        word = g_sequence_get(g_sequence_iter_prev(behind));
        text.size = common_size(word->text, text);
        if (text.size == word->text.size)
            return word;
    }
    return NULL;
}

/* --- Pseudonyms ------------------------------------------------------------------------------- */

/* Blanks and quotation marks separate the words of a command, and stay. */
static bool is_separator(uint8_t byte)
{
    return fold(byte) <= ' ' || byte == '"';
}

/* The number in letters, padded to the word's length. */
static uint8_t *make_letters(unsigned number, struct qs_view word)
{
    uint8_t *letters = g_malloc(word.size);
    gboolean same;

    for (uint32_t at = word.size; at-- > 0; number /= 26)
        letters[at] = is_separator(word.data[at])
                          ? word.data[at]
                          : (uint8_t)('a' + (number + 23) % 26); /* x is 0 */
    same = memcmp(letters, word.data, word.size) == 0;
    letters[0] = same ? (uint8_t)(letters[0] == 'q' ? 'r' : 'q') : letters[0];
    return letters;
}

/* Texts have the name without its colors ("^1"), too. */
static void add_without_codes(struct pseudonyms *pseudonyms, struct qs_view text)
{
    GByteArray *plain = g_byte_array_new();

    for (uint32_t at = 0; at < text.size; at++)
        if (text.data[at] == '^' && at + 1 < text.size && g_ascii_isalnum((char)text.data[at + 1]))
            at++;
        else
            g_byte_array_append(plain, text.data + at, 1);
    if (plain->len && plain->len < text.size)
        pseudonyms_replace(pseudonyms, (struct qs_view){plain->data, plain->len});
    g_byte_array_free(plain, TRUE);
}

const uint8_t *pseudonyms_replace(struct pseudonyms *pseudonyms, struct qs_view text)
{
    const struct word *longest = longest_at(pseudonyms, text);
    struct word *word;

    if (longest && longest->text.size == text.size)
        return longest->pseudonym;
    word = g_new0(struct word, 1);
    word->text = (struct qs_view){g_memdup2(text.data, text.size), text.size};
    word->pseudonym = make_letters(pseudonyms_count(pseudonyms) + 1, text);
    g_sequence_insert_sorted(pseudonyms->sorted, word, compare, NULL);
    add_without_codes(pseudonyms, text);
    return word->pseudonym;
}

/* --- Finding all ----------------------------------------------------------------------------- */

static bool is_letter_at(struct qs_view bytes, uint32_t at)
{
    return at < bytes.size && g_ascii_isalnum((char)fold(bytes.data[at]));
}

static bool is_whole(struct qs_view bytes, uint32_t at, uint32_t size)
{
    return !(at && is_letter_at(bytes, at - 1)) && !is_letter_at(bytes, at + size);
}

/* The longest word at the byte `at` that the search options allow; or NULL. */
static const struct word *find_at(const struct pseudonyms *pseudonyms, struct qs_view bytes,
                                  uint32_t at, struct pseudonyms_search look)
{
    struct qs_view text = {bytes.data + at, bytes.size - at};
    const struct word *word = longest_at(pseudonyms, text);

    while (word && look.whole && !is_whole(bytes, at, word->text.size)) {
        text.size = word->text.size - 1;
        word = longest_at(pseudonyms, text);
    }
    return word && word->text.size >= look.letters ? word : NULL;
}

void pseudonyms_find(const struct pseudonyms *pseudonyms, struct qs_view bytes,
                     struct pseudonyms_search look, word_found *each, void *user)
{
    const bool any = pseudonyms_count(pseudonyms) > 0;

    for (uint32_t at = 0; any && at < bytes.size;) {
        const struct word *word = find_at(pseudonyms, bytes, at, look);

        if (word)
            each(user, at, word->text.size, word->pseudonym);
        at += word ? word->text.size : 1;
    }
}
