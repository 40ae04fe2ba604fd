/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/anonymize/pseudonyms.h"

#include <stdbool.h>
#include <string.h>

/* A word and its pseudonym. */
struct word {
    struct qs_view text;
    uint8_t *pseudonym;
    const struct word *prefix; /* the longest other word that it begins with; or NULL */
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

/* --- Finding one ----------------------------------------------------------------------------- */

static gint compare(gconstpointer a, gconstpointer b, gpointer user)
{
    const struct qs_view one = ((const struct word *)a)->text;
    const struct qs_view other = ((const struct word *)b)->text;
    const int order = memcmp(one.data, other.data, MIN(one.size, other.size));

    (void)user;
    return order ? order : (one.size > other.size) - (one.size < other.size);
}

static uint32_t common_size(struct qs_view a, struct qs_view b)
{
    uint32_t size = 0;

    while (size < MIN(a.size, b.size) && a.data[size] == b.data[size])
        size++;
    return size;
}

/*
 * The longest word that the text begins with, or NULL. In sorted order such a word comes before the
 * text, and all words between the two begin with it: so it is the last word before the text, or a
 * prefix of that.
 */
static const struct word *longest_at(const struct pseudonyms *pseudonyms, struct qs_view text)
{
    struct word sought = {.text = text};
    GSequenceIter *behind = g_sequence_search(pseudonyms->sorted, &sought, compare, NULL);
    const struct word *word;
    uint32_t common;

    if (g_sequence_iter_is_begin(behind))
        return NULL;
    word = g_sequence_get(g_sequence_iter_prev(behind));
    common = common_size(word->text, text);
    while (word && word->text.size > common)
        word = word->prefix;
    return word;
}

/* --- Pseudonyms ------------------------------------------------------------------------------- */

/* Blanks and quotation marks separate the words of a command, and stay. */
static bool is_separator(uint8_t byte)
{
    return byte <= ' ' || byte == '"';
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

/* Words that begin with it follow it. */
static void set_as_prefix(const struct word *word, GSequenceIter *behind)
{
    while (!g_sequence_iter_is_end(behind)) {
        struct word *other = g_sequence_get(behind);

        if (common_size(other->text, word->text) < word->text.size)
            return;
        if (!other->prefix || other->prefix->text.size < word->text.size)
            other->prefix = word;
        behind = g_sequence_iter_next(behind);
    }
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
    word->prefix = longest;
    set_as_prefix(word, g_sequence_iter_next(
                            g_sequence_insert_sorted(pseudonyms->sorted, word, compare, NULL)));
    return word->pseudonym;
}

/* --- Finding all ----------------------------------------------------------------------------- */

static bool is_letter_at(struct qs_view bytes, uint32_t at)
{
    return at < bytes.size && g_ascii_isalnum((char)(bytes.data[at] & 0x7f));
}

static bool is_whole(struct qs_view bytes, uint32_t at, uint32_t size)
{
    return !(at && is_letter_at(bytes, at - 1)) && !is_letter_at(bytes, at + size);
}

/* The longest word at the byte `at` that the search options allow; or NULL. */
static const struct word *find_at(const struct pseudonyms *pseudonyms, struct qs_view bytes,
                                  uint32_t at, struct pseudonyms_search look)
{
    const struct word *word =
        longest_at(pseudonyms, (struct qs_view){bytes.data + at, bytes.size - at});

    while (word && look.whole && !is_whole(bytes, at, word->text.size))
        word = word->prefix;
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
