/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/demo/sanitize/stufftext.h"

#include "common/core/text.h"

enum {
    LINE_MAX_BYTES = 65536, /* no engine's command buffer takes a longer line */
    QUESTION_BYTE = 0x7f
};

void stufftext_init(struct stufftext *stufftext, struct qs_demo_writer *out, uint8_t id,
                    const struct command *needed, const char *const *never)
{
    *stufftext = (struct stufftext){out, id, needed, never, g_string_new(NULL)};
}

void stufftext_clear(struct stufftext *stufftext)
{
    g_string_free(stufftext->pending, TRUE);
}

static bool is_listed(struct qs_view word, const char *const *list)
{
    for (; *list; list++)
        if (qs_view_equal(word, *list))
            return true;
    return false;
}

/* What begins with byte 127 is a question of R1Q2's and Q2PRO's servers, not a command. */
static bool is_forbidden(const struct stufftext *stufftext, struct qs_view command)
{
    return stufftext->never && ((command.size && command.data[0] == QUESTION_BYTE) ||
                                is_listed(command, stufftext->never));
}

static void leave_out(const struct stufftext *stufftext, struct qs_view command)
{
    char *name = qs_text_utf8(command);

    qs_demo_left_out(stufftext->out, name);
    g_free(name);
}

static void begin_message(const struct stufftext *stufftext, GByteArray *out)
{
    g_byte_array_append(out, &stufftext->id, 1);
}

static void end_message(GByteArray *out)
{
    static const uint8_t nul;

    g_byte_array_append(out, &nul, 1);
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
        g_byte_array_append(out, text.data, text.size);
}

/* The first command of `text`, with its end; `text` moves behind it. */
static struct qs_view take_command(struct qs_view *text)
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

    begin_message(stufftext, out);
    while (text.size)
        filter_command(stufftext, take_command(&text), out);
    if (!was_empty && out->len == start + 1)
        g_byte_array_set_size(out, start);
    else
        end_message(out);
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
    begin_message(stufftext, out);
    if (is_forbidden(stufftext, command.text)) {
        stufftext->out->counts.stripped++;
    } else if (command_append(stufftext->needed, body, out)) {
        end_message(out);
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
        sanitize_command(stufftext, take_command(&line), out);
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

void stufftext_sanitize(struct stufftext *stufftext, const struct qs_packet *packet,
                        const struct qs_message *message, struct qs_view bytes, GByteArray *out)
{
    if (message->is_ambiguous)
        qs_demo_left_out_ambiguous(stufftext->out, packet);
    else if (message->id == stufftext->id)
        stufftext_filter(stufftext, bytes, out);
    else
        g_byte_array_append(out, bytes.data, bytes.size);
}
