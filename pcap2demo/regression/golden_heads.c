/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/regression/golden_heads.h"

#include <string.h>

bool golden_take_packet(struct golden_rest *rest, uint64_t before, uint64_t *number)
{
    static const char start[] = "packet ";
    const gsize size = sizeof start - 1;

    if ((gsize)(rest->end - rest->at) < size || memcmp(rest->at, start, size) != 0)
        return false;
    rest->at += size;
    *number = 1;
    if (golden_take(rest, '+') &&
        (!golden_take_number(rest, UINT64_MAX - before, number) || !golden_take(rest, ' ')))
        return false;
    *number += before;
    return true;
}

static bool take_size(struct golden_heads *heads, const char *value)
{
    struct golden_rest rest = {value, value + strlen(value)};
    uint64_t number;

    heads->has_size = golden_take_number(&rest, UINT32_MAX, &number) && rest.at == rest.end;
    heads->size = heads->has_size ? (uint32_t)number : 0;
    return heads->has_size;
}

static bool add(struct golden_heads *heads, const char *name, const char *value)
{
    if (heads->count == GOLDEN_HEADS_MAX)
        return false;
    heads->at[heads->count++] = (struct golden_head){name, value};
    return true;
}

/* "session=3"; two stand without a name. The size is the last word. */
static bool take_word(struct golden_heads *heads, char *word)
{
    char *value = strchr(word, '=');

    if (heads->has_size)
        return false;
    if (!value) {
        const bool is_direction =
            strcmp(word, "c2s") == 0 || strcmp(word, "s2c") == 0 || strcmp(word, "?") == 0;

        return add(heads, is_direction ? "direction" : "protocol", word);
    }
    *value++ = '\0';
    return strcmp(word, "size") == 0 ? take_size(heads, value) : add(heads, word, value);
}

/* One that is named 0 is none. */
static void take_session(struct golden_heads *heads, bool session)
{
    for (guint i = 0; i < heads->count; i++) {
        if (strcmp(heads->at[i].name, "session") != 0)
            continue;
        session = false;
        if (strcmp(heads->at[i].value, "0") == 0 && i + 1 == heads->count)
            heads->count--;
    }
    if (session)
        add(heads, "session", "1");
}

bool golden_heads_take(struct golden_heads *heads, struct golden_rest rest, bool session)
{
    char *text = g_strndup(rest.at, (gsize)(rest.end - rest.at));
    bool good = true;

    *heads = (struct golden_heads){.words = g_strsplit(text, " ", -1)};
    for (char **word = heads->words; *word && good; word++)
        good = take_word(heads, *word);
    take_session(heads, session);
    g_free(text);
    return good;
}

void golden_heads_clear(struct golden_heads *heads)
{
    g_strfreev(heads->words);
}
