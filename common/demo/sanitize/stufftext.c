/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/demo/sanitize/sanitize.h"

#include <string.h>

#include "common/core/text.h"
#include "common/core/writer.h"
#include "common/demo/sanitize/rules.h"

enum {
    LINE_MAX_BYTES = 65536, /* no engine's command buffer accepts a longer line */
    QUESTION_BYTE = 0x7f,
    FILE_NAME_MAX = 59, /* Sources: ezQuake common.h, MAX_QPATH; QuakeSpasm snd_dma.c, S_FindName */
    CLIENTS_MAX = 32,   /* size of ezQuake's unchecked arrays: mvd_utils.c */
    ENTITIES_MAX = 2048,
    PLAYERS_MAX = 255 /* limit of FTE */
};

/* --- Arguments */

static bool has_only(struct qs_view word, const char *others)
{
    for (uint32_t i = 0; i < word.size; i++)
        if (!g_ascii_isalnum(word.data[i]) && !(word.data[i] && strchr(others, word.data[i])))
            return false;
    return word.size;
}

static bool is_number(struct qs_view word, int64_t low, int64_t high)
{
    int64_t number;

    return qs_view_number_within(word, low, high, &number);
}

/* True for an integer or a decimal fraction. */
static bool is_decimal(struct qs_view word)
{
    const struct qs_view whole = qs_view_up_to(word, ".");
    const bool has_fraction = whole.size + 1 < word.size;

    return is_number(whole, INT32_MIN, INT32_MAX) &&
           (whole.size == word.size ||
            (has_fraction && is_number(qs_view_skip(word, whole.size + 1), 0, INT64_MAX)));
}

/* Engines append ".wav" or ".mdl", and stop at names of 64 bytes or more. */
static bool is_file(struct qs_view word)
{
    return has_only(word, "_+-./") && word.size <= FILE_NAME_MAX && sanitize_is_file(word);
}

/* True if the text is printable, and in no engine ends a command or quotes, or has a macro. */
static bool is_text(struct qs_view word)
{
    for (uint32_t i = 0; i < word.size; i++)
        if (word.data[i] < ' ' || word.data[i] >= 0x7f || strchr("\";$%\\", word.data[i]))
            return false;
    return !qs_text_leads_out(word);
}

static bool is_argument(char kind, struct qs_view word)
{
    switch (kind) {
    case 'd':
        return is_decimal(word);
    case 'n':
        return is_number(word, INT32_MIN, INT32_MAX);
    case 'p':
        return is_number(word, 0, PLAYERS_MAX - 1);
    case 'c':
        return is_number(word, 1, CLIENTS_MAX);
    case 'e':
        return is_number(word, 0, ENTITIES_MAX - 1);
    case 'w':
        return has_only(word, "_+-.");
    case 'f':
        return is_file(word);
    default:
        return is_text(word);
    }
}

/* --- Arguments: info strings */

static void append_info(struct qs_view info, GByteArray *out)
{
    qs_write_view(out, qs_view_of(" \""));
    sanitize_append_info(info, out);
    /* A backslash at the end would escape the quote. */
    while (out->data[out->len - 1] == '\\')
        g_byte_array_set_size(out, out->len - 1);
    qs_write_u8(out, '"');
}

/* --- Commands */

/* Appends an argument, with quotes only around quoted texts. Returns false if it is of another
 * kind, or its quotes are not closed. */
static bool append_argument(char kind, const struct qs_token *word, GByteArray *out)
{
    const bool quoted = kind == 't' && word->length > word->text.size;

    if (kind == 'i') {
        append_info(word->text, out);
        return true;
    }
    if (!is_argument(kind, word->text) || word->length == word->text.size + 1)
        return false;
    qs_write_view(out, qs_view_of(quoted ? " \"" : " "));
    qs_write_view(out, word->text);
    qs_write_view(out, qs_view_of(quoted ? "\"" : ""));
    return true;
}

static bool append_arguments(const char *kinds, struct qs_view text, uint32_t pos, GByteArray *out)
{
    const char *kind = kinds;
    bool optional = false;
    struct qs_token word;

    for (unsigned count = 0; count < QS_STUFFTEXT_ARGUMENTS_MAX; count++) {
        optional |= *kind == '*' || *kind == '?';
        if (*kind == '*')
            kind = kinds;
        kind += *kind == '?';
        if (!*kind)
            break;
        if (!qs_token_next(text, &pos, &word))
            return optional;
        if (!append_argument(*kind++, &word, out))
            return false;
    }
    return true;
}

/* True if the command begins with the words of `name`. Moves `*pos` past them. */
static bool has_name(struct qs_view text, const char *name, uint32_t *pos)
{
    const struct qs_view words = qs_view_of(name);
    struct qs_token word, other;
    uint32_t at = 0;

    for (*pos = 0; qs_token_next(words, &at, &word);)
        if (!qs_token_next(text, pos, &other) || other.text.size != word.text.size ||
            memcmp(other.text.data, word.text.data, word.text.size) != 0)
            return false;
    return true;
}

/*
 * Appends the command `text`, which has no end, in its safe form, and a line feed. Returns false,
 * with nothing appended, if it is not on the list or has unsafe arguments.
 */
static bool append_listed(const struct qs_needed_command *list, struct qs_view text,
                          GByteArray *out)
{
    const guint start = out->len;
    uint32_t pos;

    while (list->name && !has_name(text, list->name, &pos))
        list++;
    if (!list->name)
        return false;
    qs_write_view(out, qs_view_of(list->name));
    if (append_arguments(list->arguments, text, pos, out) &&
        out->len - start <= QS_STUFFTEXT_LENGTH_MAX) {
        qs_write_u8(out, '\n');
        return true;
    }
    g_byte_array_set_size(out, start);
    return false;
}

/* --- Messages */

void qs_stufftext_init(struct qs_stufftext *stufftext, struct qs_demo_writer *out, uint8_t id,
                       const struct qs_needed_command *needed, const char *const *never)
{
    *stufftext = (struct qs_stufftext){out, id, needed, never, g_string_new(NULL)};
}

void qs_stufftext_clear(struct qs_stufftext *stufftext)
{
    g_string_free(stufftext->pending, TRUE);
}

/* True for a command that must not stay. Byte 127 begins a query by servers of R1Q2 and Q2PRO. */
static bool is_forbidden(const struct qs_stufftext *stufftext, struct qs_view command)
{
    for (const char *const *never = stufftext->never; *never; never++)
        if (qs_view_equal(command, *never))
            return true;
    return command.size && command.data[0] == QUESTION_BYTE;
}

/* --- Removing the forbidden commands */

/* Appends the command `text`, with its end, unless it is forbidden. An end alone stays. */
static void filter_command(const struct qs_stufftext *stufftext, struct qs_view text,
                           GByteArray *out)
{
    const struct qs_view body = {text.data, qs_command_end(text, 0)};
    struct qs_token command;
    uint32_t pos = 0;

    if (qs_token_next(body, &pos, &command) && is_forbidden(stufftext, command.text))
        stufftext->out->counts.stripped++;
    else
        qs_write_view(out, text);
}

/* Returns the first command of `text`, with its end, and moves `text` past it. */
static struct qs_view next_command(struct qs_view *text)
{
    const struct qs_view command = {text->data, MIN(qs_command_end(*text, 0) + 1, text->size)};

    text->data += command.size;
    text->size -= command.size;
    return command;
}

static void filter_message(const struct qs_stufftext *stufftext, struct qs_view text,
                           GByteArray *out)
{
    const guint start = out->len;
    const bool was_empty = !text.size;

    qs_write_u8(out, stufftext->id);
    while (text.size)
        filter_command(stufftext, next_command(&text), out);
    if (!was_empty && out->len == start + 1)
        g_byte_array_set_size(out, start);
    else
        qs_write_u8(out, 0);
}

/* --- Keeping only needed commands */

static void sanitize_command(const struct qs_stufftext *stufftext, struct qs_view text,
                             GByteArray *out)
{
    const struct qs_view body = {text.data, qs_command_end(text, 0)};
    const guint start = out->len;
    struct qs_token command;
    uint32_t pos = 0;

    if (!qs_token_next(body, &pos, &command))
        return;
    qs_write_u8(out, stufftext->id);
    if (append_listed(stufftext->needed, body, out)) {
        qs_write_u8(out, 0);
    } else {
        g_autofree char *name = qs_text_utf8(command.text);

        qs_demo_left_out(stufftext->out, name);
        g_byte_array_set_size(out, start);
    }
}

/* Sanitizes all lines that `text` completes. Each command of a line is checked. */
static void sanitize_lines(struct qs_stufftext *stufftext, struct qs_view text, GByteArray *out)
{
    GString *pending = stufftext->pending;
    gsize done = 0, seen = pending->len;
    const char *end;

    g_string_append_len(pending, (const char *)text.data, text.size);
    while ((end = memchr(pending->str + seen, '\n', pending->len - seen))) {
        struct qs_view line = {(const uint8_t *)pending->str + done,
                               (uint32_t)(end - (pending->str + done)) + 1};

        seen = done += line.size;
        while (line.size)
            sanitize_command(stufftext, next_command(&line), out);
    }
    g_string_erase(pending, 0, (gssize)done);
    if (pending->len > LINE_MAX_BYTES)
        g_string_truncate(pending, 0);
}

void qs_stufftext_filter(struct qs_stufftext *stufftext, struct qs_view message, GByteArray *out)
{
    const struct qs_view text = {message.data + 1, message.size - 2};

    if (stufftext->needed)
        sanitize_lines(stufftext, text, out);
    else
        filter_message(stufftext, text, out);
}
