/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/demo/sanitize/commands.h"

#include <string.h>

#include "common/core/infostring.h"
#include "common/core/text.h"
#include "common/core/writer.h"

static const struct command *find(const struct command *list, struct qs_view name)
{
    for (; list->name; list++)
        if (qs_view_equal(name, list->name))
            return list;
    return NULL;
}

static void append(GByteArray *out, struct qs_view text)
{
    g_byte_array_append(out, text.data, text.size);
}

/* --- Words */

static bool is_plain_word(struct qs_view word)
{
    for (uint32_t i = 0; i < word.size; i++)
        if (!g_ascii_isalnum(word.data[i]) && !(word.data[i] && strchr("_+-./", word.data[i])))
            return false;
    return word.size && !qs_view_begins(word, "//") && !qs_text_leads_out(word);
}

static bool append_words(struct qs_view text, uint32_t pos, GByteArray *out)
{
    struct qs_token word;

    while (qs_token_next(text, &pos, &word)) {
        if (!is_plain_word(word.text))
            return false;
        qs_write_u8(out, ' ');
        append(out, word.text);
    }
    return true;
}

/* --- Info strings */

/* Backslashes are part of it. */
static uint8_t info_character(uint8_t c)
{
    return c < ' ' || c == 0x7f || strchr("\";$", c) ? '_' : c;
}

/* Unless engines do more with the pair than show it. */
static void append_pair(struct qs_view text, GByteArray *out)
{
    const guint start = out->len;
    struct qs_info_pair pair;
    uint32_t pos = 0;

    for (uint32_t i = 0; i < text.size; i++)
        qs_write_u8(out, info_character(text.data[i]));
    text.data = out->data + start;
    if (qs_info_next(text, &pos, &pair) && qs_info_is_obeyed(pair.key, pair.value))
        g_byte_array_set_size(out, start);
}

static bool append_info(struct qs_view text, uint32_t pos, GByteArray *out)
{
    struct qs_info_pair pair;
    struct qs_token info;
    uint32_t at = 0;

    if (!qs_token_next(text, &pos, &info))
        return false;
    append(out, qs_view_of(" \""));
    while (qs_info_next(info.text, &at, &pair))
        append_pair((struct qs_view){info.text.data + pair.offset, pair.length}, out);
    /* At its end one would escape the quote. */
    while (out->data[out->len - 1] == '\\')
        g_byte_array_set_size(out, out->len - 1);
    qs_write_u8(out, '"');
    return true;
}

/* --- Remarks */

static bool append_remark(struct qs_view text, GByteArray *out)
{
    unsigned quotes = 0;

    for (uint32_t i = 0; i < text.size; i++) {
        if (text.data[i] < ' ' || text.data[i] >= 0x7f || strchr(";$\\", text.data[i]))
            return false;
        quotes += text.data[i] == '"';
    }
    append(out, text);
    return quotes % 2 == 0;
}

/* --- Commands */

static bool append_arguments(const struct command *command, struct qs_view text, uint32_t pos,
                             GByteArray *out)
{
    switch (command->arguments) {
    case COMMAND_WORDS:
        return append_words(text, pos, out);
    case COMMAND_INFO:
        return append_info(text, pos, out);
    case COMMAND_ALONE:
    case COMMAND_REMARK:
        break;
    }
    return true;
}

static bool append_command(const struct command *command, struct qs_view text, uint32_t pos,
                           GByteArray *out)
{
    if (command->arguments == COMMAND_REMARK)
        return append_remark(text, out);
    append(out, qs_view_of(command->name));
    return append_arguments(command, text, pos, out);
}

bool command_append(const struct command *list, struct qs_view text, GByteArray *out)
{
    const guint start = out->len;
    const struct command *command;
    struct qs_token name;
    uint32_t pos = 0;

    if (!qs_token_next(text, &pos, &name))
        return false;
    command = find(list, name.text);
    if (command && append_command(command, text, pos, out) &&
        out->len - start <= COMMAND_LENGTH_MAX) {
        qs_write_u8(out, '\n');
        return true;
    }
    g_byte_array_set_size(out, start);
    return false;
}
