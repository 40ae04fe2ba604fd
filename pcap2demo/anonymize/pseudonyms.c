/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/anonymize/pseudonyms.h"

#include <string.h>

/* A word as it is printed, and its pseudonym, with a 0 for each byte of the word that stays. */
struct word {
    GByteArray *text, *pseudonym;
    const struct word *prefix; /* longest other word that it begins with; or NULL */
};

struct pseudonyms {
    GSequence *sorted; /* struct word, sorted by text */
    bool with_codes;
    /* Text as it is printed, and offsets of its bytes in the original text: uint32_t. */
    GByteArray *printed;
    GArray *offsets;
};

static void word_free(gpointer data)
{
    struct word *word = data;

    g_byte_array_unref(word->text);
    g_byte_array_unref(word->pseudonym);
    g_free(word);
}

struct pseudonyms *pseudonyms_new(bool with_codes)
{
    struct pseudonyms *pseudonyms = g_new0(struct pseudonyms, 1);

    pseudonyms->sorted = g_sequence_new(word_free);
    pseudonyms->with_codes = with_codes;
    pseudonyms->printed = g_byte_array_new();
    pseudonyms->offsets = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    return pseudonyms;
}

void pseudonyms_free(struct pseudonyms *pseudonyms)
{
    g_sequence_free(pseudonyms->sorted);
    g_byte_array_unref(pseudonyms->printed);
    g_array_unref(pseudonyms->offsets);
    g_free(pseudonyms);
}

unsigned pseudonyms_count(const struct pseudonyms *pseudonyms)
{
    return (unsigned)g_sequence_get_length(pseudonyms->sorted);
}

/* --- Printed text ---------------------------------------------------------------------------- */

char uncolored(uint8_t byte)
{
    enum { GOLDEN_0 = 0x12, GOLDEN_9 = 0x1b };
    const char plain = (char)(byte & 0x7f);

    return plain >= GOLDEN_0 && plain <= GOLDEN_9 ? (char)(plain - GOLDEN_0 + '0') : plain;
}

/* Returns the size of the color code at `at`, or 0 for none. */
static uint32_t code_size(struct qs_view text, uint32_t at)
{
    const uint8_t sign = text.data[at], next = at + 1 < text.size ? text.data[at + 1] : 0;
    uint32_t digits = 0;

    while (digits < 3 && at + 2 + digits < text.size &&
           g_ascii_isxdigit((char)text.data[at + 2 + digits]))
        digits++;
    if (digits == 3 && ((sign == '^' && next == 'x') || (sign == '&' && next == 'c')))
        return 5;
    return (sign == '^' && g_ascii_isalnum((char)next)) || (sign == '&' && next == 'r') ? 2 : 0;
}

static void print(struct pseudonyms *pseudonyms, struct qs_view text)
{
    g_byte_array_set_size(pseudonyms->printed, 0);
    g_array_set_size(pseudonyms->offsets, 0);
    for (uint32_t at = 0, size; at < text.size; at += MAX(size, 1)) {
        const uint8_t byte = (uint8_t)g_ascii_tolower(uncolored(text.data[at]));

        size = pseudonyms->with_codes ? code_size(text, at) : 0;
        if (!size) {
            g_byte_array_append(pseudonyms->printed, &byte, 1);
            g_array_append_val(pseudonyms->offsets, at);
        }
    }
}

/* --- Words ----------------------------------------------------------------------------------- */

static gint compare(gconstpointer a, gconstpointer b, gpointer user)
{
    const GByteArray *one = ((const struct word *)a)->text, *other = ((const struct word *)b)->text;
    const int order = memcmp(one->data, other->data, MIN(one->len, other->len));

    (void)user;
    return order ? order : (one->len > other->len) - (one->len < other->len);
}

static guint shared_start(const GByteArray *a, const GByteArray *b)
{
    guint same = 0;

    while (same < MIN(a->len, b->len) && a->data[same] == b->data[same])
        same++;
    return same;
}

/*
 * Returns the longest word that the text begins with, or NULL. In sorted order such a word comes
 * before the text, and all words between the two begin with it. So the last word before the text
 * begins with it, too.
 */
static const struct word *longest_at(const struct pseudonyms *pseudonyms, GByteArray text)
{
    const struct word sought = {.text = &text}, *word;
    GSequenceIter *behind = g_sequence_search(pseudonyms->sorted, (gpointer)&sought, compare, NULL);
    guint same;

    if (g_sequence_iter_is_begin(behind))
        return NULL;
    word = g_sequence_get(g_sequence_iter_prev(behind));
    same = shared_start(word->text, &text);
    while (word && word->text->len > same)
        word = word->prefix;
    return word;
}

/* Inserts a word, and makes it the prefix of those that begin with it, which follow it. */
static void insert(struct pseudonyms *pseudonyms, struct word *word)
{
    GSequenceIter *at = g_sequence_insert_sorted(pseudonyms->sorted, word, compare, NULL);
    struct word *other;

    while (!g_sequence_iter_is_end(at = g_sequence_iter_next(at))) {
        other = g_sequence_get(at);
        if (shared_start(word->text, other->text) < word->text->len)
            break;
        if (other->prefix == word->prefix)
            other->prefix = word;
    }
}

/* Returns the number in letters, padded to the word's length. Blanks and quotation marks stay,
 * because they separate the words of a command. */
static GByteArray *make_pseudonym(unsigned number, const GByteArray *word)
{
    GByteArray *letters = g_byte_array_new();

    g_byte_array_set_size(letters, word->len);
    for (guint at = word->len; at-- > 0; number /= 26)
        letters->data[at] = word->data[at] <= ' ' || word->data[at] == '"'
                                ? 0
                                : (uint8_t)('a' + (number + 23) % 26); /* x is digit 0 */
    if (memcmp(letters->data, word->data, word->len) == 0)
        letters->data[0] = letters->data[0] == 'q' ? 'r' : 'q';
    return letters;
}

bool pseudonyms_add(struct pseudonyms *pseudonyms, struct qs_view text)
{
    const struct word *longest;
    struct word *word;

    print(pseudonyms, text);
    if (!pseudonyms->printed->len)
        return true;
    if (pseudonyms->printed->len > PSEUDONYM_SIZE_MAX)
        return false;
    longest = longest_at(pseudonyms, *pseudonyms->printed);
    if (longest && longest->text->len == pseudonyms->printed->len)
        return true;
    if (pseudonyms_count(pseudonyms) >= PSEUDONYMS_MAX)
        return false;
    word = g_new0(struct word, 1);
    word->text = g_byte_array_append(g_byte_array_new(), pseudonyms->printed->data,
                                     pseudonyms->printed->len);
    word->pseudonym = make_pseudonym(pseudonyms_count(pseudonyms) + 1, word->text);
    word->prefix = longest;
    insert(pseudonyms, word);
    return true;
}

/* --- Search ---------------------------------------------------------------------------------- */

static bool is_letter_at(const GByteArray *printed, guint at)
{
    return at < printed->len && g_ascii_isalnum((char)printed->data[at]);
}

/* Returns the longest word at the printed byte `at` that the search options allow; or NULL. */
static const struct word *find_at(const struct pseudonyms *pseudonyms, guint at,
                                  struct pseudonyms_search look)
{
    const GByteArray *printed = pseudonyms->printed;
    const struct word *word;

    if (look.whole && at && is_letter_at(printed, at - 1))
        return NULL;
    word = longest_at(pseudonyms,
                      (GByteArray){printed->data + at, MIN(printed->len - at, PSEUDONYM_SIZE_MAX)});
    while (word && look.whole && is_letter_at(printed, at + word->text->len))
        word = word->prefix;
    return word && word->text->len >= look.letters ? word : NULL;
}

/* Reports the replacement of a word. Color codes in it lose their digits, which could be letters of
 * a name. */
static void replace(const struct word *word, struct qs_view bytes, const uint32_t *offsets,
                    word_found *each, void *user)
{
    const guint last = word->text->len - 1;
    const uint32_t size = offsets[last] + 1 - offsets[0];
    uint8_t *out = g_memdup2(bytes.data + offsets[0], size);

    for (uint32_t i = 1; i < size; i++)
        if (g_ascii_isalnum((char)out[i]) && out[i - 1] != '&')
            out[i] = '7';
    for (guint i = 0; i <= last; i++) {
        const uint8_t letter = word->pseudonym->data[i];

        out[offsets[i] - offsets[0]] = letter ? letter : bytes.data[offsets[i]];
    }
    each(user, offsets[0], size, out);
    g_free(out);
}

void pseudonyms_find(struct pseudonyms *pseudonyms, struct qs_view bytes,
                     struct pseudonyms_search look, word_found *each, void *user)
{
    if (!pseudonyms_count(pseudonyms))
        return;
    print(pseudonyms, bytes);
    for (guint at = 0; at < pseudonyms->printed->len;) {
        const struct word *word = find_at(pseudonyms, at, look);

        if (word)
            replace(word, bytes, &g_array_index(pseudonyms->offsets, uint32_t, at), each, user);
        at += word ? word->text->len : 1;
    }
}
