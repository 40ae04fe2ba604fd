/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/anonymize/words.h"

#include <stdbool.h>
#include <string.h>

struct words {
    GHashTable *stand_ins; /* GBytes: word, stand-in */
};

struct words *words_new(void)
{
    struct words *words = g_new0(struct words, 1);

    words->stand_ins = g_hash_table_new_full(
        g_bytes_hash, g_bytes_equal, (GDestroyNotify)g_bytes_unref, (GDestroyNotify)g_bytes_unref);
    return words;
}

void words_free(struct words *words)
{
    g_hash_table_destroy(words->stand_ins);
    g_free(words);
}

unsigned words_count(const struct words *words)
{
    return g_hash_table_size(words->stand_ins);
}

/* Blanks and quotation marks part the words of a command. */
static bool stays(uint8_t byte)
{
    return byte <= ' ' || byte == '"';
}

/* The number in letters, at the end of as many as the word has. */
static GBytes *letters_for(unsigned number, struct qs_view word)
{
    uint8_t *letters = g_malloc(word.size);
    gboolean same;

    for (uint32_t at = word.size; at-- > 0; number /= 26)
        letters[at] =
            stays(word.data[at]) ? word.data[at] : (uint8_t)('a' + (number + 23) % 26); /* x is 0 */
    same = memcmp(letters, word.data, word.size) == 0;
    letters[0] = same ? (uint8_t)(letters[0] == 'q' ? 'r' : 'q') : letters[0];
    return g_bytes_new_take(letters, word.size);
}

const uint8_t *words_replace(struct words *words, struct qs_view word)
{
    GBytes *key = g_bytes_new(word.data, word.size);
    GBytes *stand_in = g_hash_table_lookup(words->stand_ins, key);

    if (stand_in) {
        g_bytes_unref(key);
    } else {
        stand_in = letters_for(words_count(words) + 1, word);
        g_hash_table_insert(words->stand_ins, key, stand_in);
    }
    return g_bytes_get_data(stand_in, NULL);
}

static bool is_letter_at(struct qs_view bytes, uint32_t at)
{
    return at < bytes.size && g_ascii_isalnum((char)(bytes.data[at] & 0x7f));
}

static bool is_whole(struct qs_view bytes, uint32_t at, uint32_t size)
{
    return !(at && is_letter_at(bytes, at - 1)) && !is_letter_at(bytes, at + size);
}

static void find_word(struct qs_view word, const uint8_t *stand_in, struct qs_view bytes,
                      bool whole, word_found *each, void *user)
{
    for (uint32_t at = 0; word.size && bytes.size >= word.size && at <= bytes.size - word.size;) {
        if (memcmp(bytes.data + at, word.data, word.size) == 0 &&
            (!whole || is_whole(bytes, at, word.size))) {
            each(user, at, word.size, stand_in);
            at += word.size;
        } else {
            at++;
        }
    }
}

void words_find(const struct words *words, struct qs_view bytes, struct words_look look,
                word_found *each, void *user)
{
    GHashTableIter iter;
    gpointer key, value;

    g_hash_table_iter_init(&iter, words->stand_ins);
    while (g_hash_table_iter_next(&iter, &key, &value)) {
        gsize size;
        const uint8_t *data = g_bytes_get_data(key, &size);

        if (size >= look.letters)
            find_word((struct qs_view){data, (uint32_t)size}, g_bytes_get_data(value, NULL), bytes,
                      look.whole, each, user);
    }
}
