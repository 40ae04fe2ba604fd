/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/core/sinks.h"

#include "common/core/source_numbers.h"
#include "common/core/text.h"

/*
 * A line to be: its length is known only when a group closes, so lines wait
 * for the packet's end.
 */
struct line {
    const char *name; /* for a note without the protocol's prefix */
    bool note;
    uint32_t offset, length;
    unsigned source;      /* 0: the payload */
    gsize text, text_end; /* "= value", in `texts` */
};

struct qs_text_sink {
    struct qs_sink ears;
    FILE *out;
    GArray *lines;  /* struct line */
    GString *texts; /* of all lines */
    GArray *open;   /* guint: indices of the lines of open groups */
    struct qs_source_numbers sources;
    GString *page; /* the packet as printed */
};

static struct qs_text_sink *self(struct qs_sink *ears)
{
    return (struct qs_text_sink *)ears;
}

static struct line *add_line(struct qs_text_sink *sink, const char *name, uint32_t offset,
                             uint32_t length)
{
    struct line line = {.name = name, .offset = offset, .length = length};

    line.source = qs_source_number(&sink->sources);
    line.text = line.text_end = sink->texts->len;
    g_array_append_val(sink->lines, line);
    return &g_array_index(sink->lines, struct line, sink->lines->len - 1);
}

static void text_open(struct qs_sink *ears, const struct qs_field *group, uint32_t offset)
{
    struct qs_text_sink *sink = self(ears);
    const guint index = sink->lines->len;

    add_line(sink, group->name, offset, 0);
    g_array_append_val(sink->open, index);
}

static void text_close(struct qs_sink *ears, uint32_t end)
{
    struct qs_text_sink *sink = self(ears);
    const guint index = g_array_index(sink->open, guint, sink->open->len - 1);
    struct line *line = &g_array_index(sink->lines, struct line, index);

    line->length = end - line->offset;
    g_array_set_size(sink->open, sink->open->len - 1);
}

/* JSON's escapes; `text` is UTF-8. */
static void append_quoted(GString *out, const char *text)
{
    g_string_append_c(out, '"');
    for (; *text; text++) {
        switch (*text) {
        case '"':
        case '\\':
            g_string_append_c(out, '\\');
            g_string_append_c(out, *text);
            break;
        case '\n':
            g_string_append(out, "\\n");
            break;
        case '\r':
            g_string_append(out, "\\r");
            break;
        case '\t':
            g_string_append(out, "\\t");
            break;
        default:
            if ((unsigned char)*text < 0x20)
                g_string_append_printf(out, "\\u%04X", (unsigned char)*text);
            else
                g_string_append_c(out, *text);
        }
    }
    g_string_append_c(out, '"');
}

static void append_text(GString *out, struct qs_view text)
{
    char *readable = qs_text_utf8(text);

    append_quoted(out, readable);
    g_free(readable);
    if (qs_text_is_plain(text))
        return;
    g_string_append(out, " [");
    for (uint32_t i = 0; i < text.size; i++)
        g_string_append_printf(out, "%02x", text.data[i]);
    g_string_append_c(out, ']');
}

static void text_field(struct qs_sink *ears, const struct qs_field *field,
                       const struct qs_value *value)
{
    struct qs_text_sink *sink = self(ears);
    struct line *line = add_line(sink, field->name, value->offset, value->length);

    g_string_append(sink->texts, value->generated ? ":= " : "= ");
    if (field->type == QS_TEXT)
        append_text(sink->texts, value->bytes);
    else
        qs_value_append(sink->texts, field, value);
    line->text_end = sink->texts->len;
}

static void text_note(struct qs_sink *ears, enum qs_note kind, uint32_t offset, uint32_t length,
                      const char *text)
{
    struct qs_text_sink *sink = self(ears);
    struct line *line = add_line(sink, qs_note_kinds[kind].suffix, offset, length);

    line->note = true;
    g_string_append(sink->texts, "= ");
    append_quoted(sink->texts, text);
    line->text_end = sink->texts->len;
}

static void text_source(struct qs_sink *ears, const char *title, const uint8_t *data, uint32_t size)
{
    (void)title, (void)size;
    qs_source_numbers_hear(&self(ears)->sources, data);
}

struct qs_text_sink *qs_text_sink_new(FILE *out)
{
    struct qs_text_sink *sink = g_new0(struct qs_text_sink, 1);

    sink->ears = (struct qs_sink){.open = text_open,
                                  .close = text_close,
                                  .field = text_field,
                                  .note = text_note,
                                  .source = text_source};
    sink->out = out;
    sink->lines = g_array_new(FALSE, FALSE, sizeof(struct line));
    sink->texts = g_string_new(NULL);
    sink->open = g_array_new(FALSE, FALSE, sizeof(guint));
    sink->page = g_string_new(NULL);
    return sink;
}

struct qs_sink *qs_text_sink_ears(struct qs_text_sink *sink)
{
    return &sink->ears;
}

static void append_head(GString *page, const struct qs_dump_packet *about, const char *name)
{
    g_string_append_printf(page, "%" G_GUINT64_FORMAT " 0+%u packet.%s = ", about->packet->number,
                           about->packet->size, name);
}

/* Blocks of demos have none. */
static void append_address(GString *page, const struct qs_dump_packet *about, const char *name,
                           const struct qs_address *address)
{
    if (!address->family)
        return;
    append_head(page, about, name);
    qs_address_append(page, address);
    g_string_append_c(page, '\n');
}

static void append_heads(GString *page, const struct qs_dump_packet *about)
{
    const struct qs_packet *packet = about->packet;

    append_head(page, about, "time");
    g_string_append_printf(page, "%" G_GINT64_FORMAT ".%09d\n", packet->time / 1000000000,
                           (int)(packet->time % 1000000000));
    append_address(page, about, "source", &packet->source);
    append_address(page, about, "destination", &packet->destination);
    append_head(page, about, "protocol");
    g_string_append_printf(page, "%s\n", about->decoder->protocol->name);
    append_head(page, about, "direction");
    g_string_append_printf(page, "%s\n", qs_direction_name(about->decoder->direction));
    if (about->session) {
        append_head(page, about, "session");
        g_string_append_printf(page, "%u\n", about->session);
    }
}

static void append_line(struct qs_text_sink *sink, const struct line *line,
                        const struct qs_dump_packet *about)
{
    GString *page = sink->page;

    g_string_append_printf(page, "%" G_GUINT64_FORMAT " ", about->packet->number);
    if (line->source)
        g_string_append_printf(page, "%u:", line->source);
    g_string_append_printf(page, "%u+%u ", line->offset, line->length);
    if (line->note)
        g_string_append_printf(page, "%s.", about->decoder->protocol->name);
    g_string_append(page, line->name);
    if (line->text_end > line->text) {
        g_string_append_c(page, ' ');
        g_string_append_len(page, sink->texts->str + line->text,
                            (gssize)(line->text_end - line->text));
    }
    g_string_append_c(page, '\n');
}

void qs_text_sink_discard(struct qs_text_sink *sink)
{
    g_string_truncate(sink->page, 0);
    g_string_truncate(sink->texts, 0);
    g_array_set_size(sink->lines, 0);
    g_array_set_size(sink->open, 0);
    sink->sources = (struct qs_source_numbers){0};
}

void qs_text_sink_end(struct qs_text_sink *sink, const struct qs_dump_packet *about)
{
    append_heads(sink->page, about);
    for (guint i = 0; i < sink->lines->len; i++)
        append_line(sink, &g_array_index(sink->lines, struct line, i), about);
    fwrite(sink->page->str, 1, sink->page->len, sink->out);
    qs_text_sink_discard(sink);
}

void qs_text_sink_free(struct qs_text_sink *sink)
{
    g_array_free(sink->lines, TRUE);
    g_array_free(sink->open, TRUE);
    g_string_free(sink->texts, TRUE);
    g_string_free(sink->page, TRUE);
    g_free(sink);
}
