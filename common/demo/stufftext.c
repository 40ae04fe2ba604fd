/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/demo/stufftext.h"

#include "common/core/text.h"

enum {
    LINE_MAX_BYTES = 65536, /* no engine's command buffer takes a longer line */
    QUESTION_BYTE = 0x7f
};

void stufftext_init(struct stufftext *stufftext, struct qs_demo_writer *out,
                    const char *const *needed, const char *const *never)
{
    *stufftext = (struct stufftext){out, needed, never, g_string_new(NULL)};
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

static bool is_needed(const struct stufftext *stufftext, struct qs_view command)
{
    return (command.size >= 2 && memcmp(command.data, "//", 2) == 0) ||
           is_listed(command, stufftext->needed);
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

/* `text` is a command with its end. Nothing but an end is left out in silence, where it is. */
static void filter_command(const struct stufftext *stufftext, struct qs_view text, GByteArray *out)
{
    const struct qs_view body = {text.data, qs_command_end(text, 0)};
    struct qs_token command;
    uint32_t pos = 0;
    const bool is_empty = !qs_token_next(body, &pos, &command);

    if (!is_empty && is_forbidden(stufftext, command.text))
        stufftext->out->counts.stripped++;
    else if (!stufftext->needed || (!is_empty && is_needed(stufftext, command.text)))
        g_byte_array_append(out, text.data, text.size);
    else if (!is_empty)
        leave_out(stufftext, command.text);
}

/* A line may hold several commands: what is behind one that stays need not stay. */
static void filter_commands(const struct stufftext *stufftext, struct qs_view text, GByteArray *out)
{
    while (text.size) {
        const uint32_t size = MIN(qs_command_end(text, 0) + 1, text.size);

        filter_command(stufftext, (struct qs_view){text.data, size}, out);
        text.data += size;
        text.size -= size;
    }
}

static void filter_lines(struct stufftext *stufftext, struct qs_view text, GByteArray *out)
{
    GString *pending = stufftext->pending;
    gsize done = 0;
    const char *end;

    g_string_append_len(pending, (const char *)text.data, text.size);
    while ((end = memchr(pending->str + done, '\n', pending->len - done))) {
        const uint8_t *line = (const uint8_t *)pending->str + done;
        const uint32_t size = (uint32_t)(end - (pending->str + done)) + 1;

        filter_commands(stufftext, (struct qs_view){line, size}, out);
        done += size;
    }
    g_string_erase(pending, 0, (gssize)done);
    if (pending->len > LINE_MAX_BYTES)
        g_string_truncate(pending, 0);
}

void stufftext_filter(struct stufftext *stufftext, struct qs_view message, GByteArray *out)
{
    const struct qs_view text = {message.data + 1, message.size - 2};
    const guint start = out->len;
    static const uint8_t nul;

    g_byte_array_append(out, message.data, 1);
    if (stufftext->needed)
        filter_lines(stufftext, text, out);
    else
        filter_commands(stufftext, text, out);
    if (text.size && out->len == start + 1)
        g_byte_array_set_size(out, start);
    else
        g_byte_array_append(out, &nul, 1);
}
