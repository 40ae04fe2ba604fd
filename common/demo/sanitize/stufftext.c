/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/demo/sanitize/stufftext.h"

#include <string.h>

#include "common/core/infostring.h"
#include "common/core/text.h"
#include "common/core/writer.h"

enum {
    LINE_MAX_BYTES = 65536, /* no engine's command buffer accepts a longer line */
    QUESTION_BYTE = 0x7f
};

static const struct command *find(const struct command *list, struct qs_view name)
{
    for (; list->name; list++)
        if (qs_view_equal(name, list->name))
            return list;
    return NULL;
}

/* --- Arguments: words */

/* Of letters, digits and `_+-./`. */
static bool is_plain_word(struct qs_view word)
{
    for (uint32_t i = 0; i < word.size; i++)
        if (!g_ascii_isalnum(word.data[i]) && !(word.data[i] && strchr("_+-./", word.data[i])))
            return false;
    return word.size && !qs_file_name_is_unsafe(word);
}

/* Printable, and no engine finds the end of a command, of quotes or a macro in it. */
static bool is_remark_word(struct qs_view word)
{
    for (uint32_t i = 0; i < word.size; i++)
        if (word.data[i] < ' ' || word.data[i] >= 0x7f || strchr("\";$\\", word.data[i]))
            return false;
    return !qs_text_leads_out(word);
}

static bool is_allowed(enum command_arguments arguments, struct qs_view word)
{
    if (arguments == COMMAND_WORDS)
        return is_plain_word(word);
    return is_remark_word(word) && (arguments == COMMAND_REMARK || !qs_file_name_is_unsafe(word));
}

/* Words stay in quotes where they are. */
static bool append_words(enum command_arguments arguments, struct qs_view text, uint32_t pos,
                         GByteArray *out)
{
    struct qs_token word;

    while (qs_token_next(text, &pos, &word)) {
        const bool quoted = word.length > word.text.size && arguments != COMMAND_WORDS;

        if (!is_allowed(arguments, word.text) || word.length == word.text.size + 1)
            return false; /* the latter: quotes that do not end */
        qs_write_view(out, qs_view_of(quoted ? " \"" : " "));
        qs_write_view(out, word.text);
        qs_write_view(out, qs_view_of(quoted ? "\"" : ""));
    }
    return true;
}

/* --- Arguments: info strings */

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
    if (qs_info_next(text, &pos, &pair) && qs_info_pair_is_unsafe(pair.key, pair.value))
        g_byte_array_set_size(out, start);
}

static bool append_info(struct qs_view text, uint32_t pos, GByteArray *out)
{
    struct qs_info_pair pair;
    struct qs_token info;
    uint32_t at = 0;

    if (!qs_token_next(text, &pos, &info))
        return false;
    qs_write_view(out, qs_view_of(" \""));
    while (qs_info_next(info.text, &at, &pair))
        append_pair((struct qs_view){info.text.data + pair.offset, pair.length}, out);
    /* At its end one would escape the quote. */
    while (out->data[out->len - 1] == '\\')
        g_byte_array_set_size(out, out->len - 1);
    qs_write_u8(out, '"');
    return true;
}

/* --- Commands */

static bool append_arguments(const struct command *command, struct qs_view text, uint32_t pos,
                             GByteArray *out)
{
    switch (command->arguments) {
    case COMMAND_WORDS:
    case COMMAND_REMARK:
    case COMMAND_FILES:
        return append_words(command->arguments, text, pos, out);
    case COMMAND_INFO:
        return append_info(text, pos, out);
    case COMMAND_ALONE:
        break;
    }
    return true;
}

/*
 * Appends `text`, a command without its end, as it may stay, and a line feed. False, with nothing
 * appended, where the list does not have it or its arguments are not as they must be.
 */
static bool append_listed(const struct command *list, struct qs_view text, GByteArray *out)
{
    const guint start = out->len;
    const struct command *command;
    struct qs_token name;
    uint32_t pos = 0;

    if (!qs_token_next(text, &pos, &name))
        return false;
    command = find(list, name.text);
    if (command) {
        qs_write_view(out, name.text);
        if (append_arguments(command, text, pos, out) && out->len - start <= COMMAND_LENGTH_MAX) {
            qs_write_u8(out, '\n');
            return true;
        }
    }
    g_byte_array_set_size(out, start);
    return false;
}

/* --- Messages */

void stufftext_init(struct stufftext *stufftext, struct qs_demo_writer *out, uint8_t id,
                    const struct command *needed, const char *const *never)
{
    *stufftext = (struct stufftext){out, id, needed, never, g_string_new(NULL)};
}

void stufftext_clear(struct stufftext *stufftext)
{
    g_string_free(stufftext->pending, TRUE);
}

/* What begins with byte 127 is a question of R1Q2's and Q2PRO's servers, not a command. */
static bool is_forbidden(const struct stufftext *stufftext, struct qs_view command)
{
    for (const char *const *never = stufftext->never; never && *never; never++)
        if (qs_view_equal(command, *never))
            return true;
    return stufftext->never && command.size && command.data[0] == QUESTION_BYTE;
}

static void leave_out(const struct stufftext *stufftext, struct qs_view command)
{
    char *name = qs_text_utf8(command);

    qs_demo_left_out(stufftext->out, name);
    g_free(name);
}

/* --- All but what must not stay */

/* `text` is a command with its end. An end alone stays. */
static void filter_command(const struct stufftext *stufftext, struct qs_view text, GByteArray *out)
{
    const struct qs_view body = {text.data, qs_command_end(text, 0)};
    struct qs_token command;
    uint32_t pos = 0;

    if (qs_token_next(body, &pos, &command) && is_forbidden(stufftext, command.text))
        stufftext->out->counts.stripped++;
    else
        qs_write_view(out, text);
}

/* The first command of `text`, with its end; `text` moves behind it. */
static struct qs_view next_command(struct qs_view *text)
{
    const struct qs_view command = {text->data, MIN(qs_command_end(*text, 0) + 1, text->size)};

    text->data += command.size;
    text->size -= command.size;
    return command;
}

static void filter_message(const struct stufftext *stufftext, struct qs_view text, GByteArray *out)
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

/* --- Only what is needed */

static void sanitize_command(const struct stufftext *stufftext, struct qs_view text,
                             GByteArray *out)
{
    const struct qs_view body = {text.data, qs_command_end(text, 0)};
    const guint start = out->len;
    struct qs_token command;
    uint32_t pos = 0;

    if (!qs_token_next(body, &pos, &command))
        return;
    qs_write_u8(out, stufftext->id);
    if (is_forbidden(stufftext, command.text)) {
        stufftext->out->counts.stripped++;
    } else if (append_listed(stufftext->needed, body, out)) {
        qs_write_u8(out, 0);
        return;
    } else {
        leave_out(stufftext, command.text);
    }
    g_byte_array_set_size(out, start);
}

/* A line may hold several commands: what is behind one that stays need not stay. */
static void sanitize_line(const struct stufftext *stufftext, struct qs_view line, GByteArray *out)
{
    while (line.size)
        sanitize_command(stufftext, next_command(&line), out);
}

static void sanitize_lines(struct stufftext *stufftext, struct qs_view text, GByteArray *out)
{
    GString *pending = stufftext->pending;
    gsize done = 0;
    const char *end;

    g_string_append_len(pending, (const char *)text.data, text.size);
    while ((end = memchr(pending->str + done, '\n', pending->len - done))) {
        const uint8_t *line = (const uint8_t *)pending->str + done;
        const uint32_t size = (uint32_t)(end - (pending->str + done)) + 1;

        sanitize_line(stufftext, (struct qs_view){line, size}, out);
        done += size;
    }
    g_string_erase(pending, 0, (gssize)done);
    if (pending->len > LINE_MAX_BYTES)
        g_string_truncate(pending, 0);
}

void stufftext_filter(struct stufftext *stufftext, struct qs_view message, GByteArray *out)
{
    const struct qs_view text = {message.data + 1, message.size - 2};

    if (stufftext->out->sanitize)
        sanitize_lines(stufftext, text, out);
    else
        filter_message(stufftext, text, out);
}

/* --- Texts of other messages */

static struct qs_view harmless(enum qs_role role)
{
    return qs_view_of(role == QS_ROLE_MODEL ? "progs/eyes.mdl" : "misc/null.wav");
}

static void append_safe_pairs(struct qs_view info, GByteArray *out)
{
    struct qs_info_pair pair;
    uint32_t at = 0;

    while (qs_info_next(info, &at, &pair))
        if (!qs_info_pair_is_unsafe(pair.key, pair.value))
            qs_write_view(out, (struct qs_view){info.data + pair.offset, pair.length});
}

/* The message with other texts in the place of unsafe ones: names behind them keep their numbers.
 */
static void mend(const struct qs_decoder *decoder, const struct qs_message *message,
                 struct qs_view bytes, GByteArray *out)
{
    const GArray *texts = decoder->unsafe_texts;
    const guint index = (guint)(message - (struct qs_message *)(void *)decoder->messages->data);
    uint32_t done = 0;

    for (guint i = 0; i < texts->len; i++) {
        const struct qs_unsafe_text *text = &g_array_index(texts, struct qs_unsafe_text, i);
        const uint32_t at = text->offset - message->offset;

        if (text->message != index || text->source != message->source)
            continue;
        qs_write_view(out, (struct qs_view){bytes.data + done, at - done});
        done = at + text->length;
        if (text->role == QS_ROLE_INFO)
            append_safe_pairs((struct qs_view){bytes.data + at, text->length}, out);
        else
            qs_write_view(out, harmless(text->role));
    }
    qs_write_view(out, (struct qs_view){bytes.data + done, bytes.size - done});
}

void stufftext_sanitize(struct stufftext *stufftext, const struct qs_decoder *decoder,
                        const struct qs_message *message, struct qs_view bytes, GByteArray *out)
{
    if (message->is_ambiguous && message->is_mendable)
        mend(decoder, message, bytes, out);
    else if (message->is_ambiguous)
        qs_demo_left_out_ambiguous(stufftext->out, decoder->packet);
    else if (message->id == stufftext->id)
        stufftext_filter(stufftext, bytes, out);
    else
        qs_write_view(out, bytes);
}
