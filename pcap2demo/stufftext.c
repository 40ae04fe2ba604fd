/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/stufftext.h"

#include "common/core/text.h"
#include "pcap2demo/rebuild.h"

/* No engine's command buffer takes a longer line. */
enum { LINE_MAX_BYTES = 65536 };

void stufftext_init(struct stufftext *stufftext, struct demo *demo, const char *const *needed)
{
    *stufftext = (struct stufftext){demo, needed, g_string_new(NULL)};
}

void stufftext_clear(struct stufftext *stufftext)
{
    g_string_free(stufftext->pending, TRUE);
}

static bool is_needed(const struct stufftext *stufftext, struct qs_view command)
{
    if (command.size >= 2 && memcmp(command.data, "//", 2) == 0)
        return true;
    for (const char *const *name = stufftext->needed; *name; name++)
        if (qs_view_equal(command, *name))
            return true;
    return false;
}

static void leave_out(const struct stufftext *stufftext, struct qs_view command)
{
    char *name = qs_text_utf8(command);

    demo_left_out(stufftext->demo, name);
    g_free(name);
}

/* `text` is a command with its end. Nothing but an end is left out in silence. */
static void sift_command(const struct stufftext *stufftext, struct qs_view text, GByteArray *out)
{
    const struct qs_view body = {text.data, qs_command_end(text, 0)};
    struct qs_token command;
    uint32_t pos = 0;

    if (!qs_token_next(body, &pos, &command))
        return;
    if (is_needed(stufftext, command.text))
        g_byte_array_append(out, text.data, text.size);
    else
        leave_out(stufftext, command.text);
}

/* A line may hold several commands: what is behind a needed one need not be. */
static void sift_line(const struct stufftext *stufftext, struct qs_view line, GByteArray *out)
{
    while (line.size) {
        const uint32_t size = MIN(qs_command_end(line, 0) + 1, line.size);

        sift_command(stufftext, (struct qs_view){line.data, size}, out);
        line.data += size;
        line.size -= size;
    }
}

static void sift_lines(struct stufftext *stufftext, GByteArray *out)
{
    GString *pending = stufftext->pending;
    gsize done = 0;
    const char *end;

    while ((end = memchr(pending->str + done, '\n', pending->len - done))) {
        const uint8_t *line = (const uint8_t *)pending->str + done;
        const uint32_t size = (uint32_t)(end - (pending->str + done)) + 1;

        sift_line(stufftext, (struct qs_view){line, size}, out);
        done += size;
    }
    g_string_erase(pending, 0, (gssize)done);
    if (pending->len > LINE_MAX_BYTES)
        g_string_truncate(pending, 0);
}

void stufftext_sift(struct stufftext *stufftext, struct qs_view message, GByteArray *out)
{
    const guint start = out->len;
    static const uint8_t nul;

    g_string_append_len(stufftext->pending, (const char *)message.data + 1, message.size - 2);
    g_byte_array_append(out, message.data, 1);
    sift_lines(stufftext, out);
    if (out->len == start + 1)
        g_byte_array_set_size(out, start);
    else
        g_byte_array_append(out, &nul, 1);
}
