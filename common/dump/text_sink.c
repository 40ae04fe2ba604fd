/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/dump/dump.h"

#include "common/dump/number.h"
#include "common/dump/source_numbers.h"
#include "common/core/text.h"

/*
 * A line to be: its length is known only when a group closes, so lines wait
 * for the packet's end.
 */
struct line {
    const char *name; /* for a note without the protocol's prefix */
    const char *mark; /* before the value; NULL: there is no value */
    bool note;
    uint32_t offset, length;
    unsigned source;      /* 0: the payload */
    gsize text, text_end; /* the value, in `texts` */
};

struct qs_text_sink {
    struct qs_sink base;
    FILE *out;
    struct line *lines;
    guint line_count, line_room;
    GString *texts; /* of all lines */
    GArray *open;   /* guint: indices of the lines of open groups */
    struct qs_source_numbers sources;
    GString *page;             /* the packet as printed */
    qs_name_test *is_left_out; /* or NULL */
    void *user;
    GHashTable *answers; /* of is_left_out, to names by their addresses */
};

static struct qs_text_sink *self(struct qs_sink *base)
{
    return (struct qs_text_sink *)base;
}

static struct line *add_line(struct qs_text_sink *sink, const char *name, uint32_t offset,
                             uint32_t length)
{
    struct line *line;

    if (sink->line_count == sink->line_room) {
        sink->line_room = MAX(64, 2 * sink->line_room);
        sink->lines = g_renew(struct line, sink->lines, sink->line_room);
    }
    line = &sink->lines[sink->line_count++];
    *line = (struct line){.name = name,
                          .offset = offset,
                          .length = length,
                          .source = qs_source_number(&sink->sources),
                          .text = sink->texts->len,
                          .text_end = sink->texts->len};
    return line;
}

static void text_open(struct qs_sink *base, const struct qs_field *group, uint32_t offset)
{
    struct qs_text_sink *sink = self(base);
    const guint index = sink->line_count;

    add_line(sink, group->name, offset, 0);
    g_array_append_val(sink->open, index);
}

static void text_close(struct qs_sink *base, uint32_t end)
{
    struct qs_text_sink *sink = self(base);
    const guint index = g_array_index(sink->open, guint, sink->open->len - 1);
    struct line *line = &sink->lines[index];

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
    qs_append_bytes(out, text);
    g_string_append_c(out, ']');
}

static void text_field(struct qs_sink *base, const struct qs_field *field,
                       const struct qs_value *value)
{
    struct qs_text_sink *sink = self(base);
    struct line *line = add_line(sink, field->name, value->offset, value->length);

    line->mark = value->generated ? " := " : " = ";
    if (field->type == QS_TEXT)
        append_text(sink->texts, value->bytes);
    else
        qs_value_append(sink->texts, field, value);
    line->text_end = sink->texts->len;
}

static void text_note(struct qs_sink *base, enum qs_note kind, uint32_t offset, uint32_t length,
                      const char *text)
{
    struct qs_text_sink *sink = self(base);
    struct line *line = add_line(sink, qs_note_kinds[kind].suffix, offset, length);

    line->note = true;
    line->mark = " = ";
    append_quoted(sink->texts, text);
    line->text_end = sink->texts->len;
}

static void text_source(struct qs_sink *base, const char *title, const uint8_t *data, uint32_t size)
{
    (void)title, (void)size;
    qs_source_numbers_hear(&self(base)->sources, data);
}

struct qs_text_sink *qs_text_sink_new(FILE *out)
{
    struct qs_text_sink *sink = g_new0(struct qs_text_sink, 1);

    sink->base = (struct qs_sink){.open = text_open,
                                  .close = text_close,
                                  .field = text_field,
                                  .note = text_note,
                                  .source = text_source};
    sink->out = out;
    sink->texts = g_string_new(NULL);
    sink->open = g_array_new(FALSE, FALSE, sizeof(guint));
    sink->page = g_string_new(NULL);
    sink->answers = g_hash_table_new(NULL, NULL);
    return sink;
}

struct qs_sink *qs_text_sink_base(struct qs_text_sink *sink)
{
    return &sink->base;
}

/* --- What is left out */

void qs_text_sink_leave_out(struct qs_text_sink *sink, qs_name_test *test, void *user)
{
    sink->is_left_out = test;
    sink->user = user;
    g_hash_table_remove_all(sink->answers);
}

static bool ask(struct qs_text_sink *sink, const char *name)
{
    const bool answer = sink->is_left_out(sink->user, name);

    g_hash_table_insert(sink->answers, (gpointer)name, GINT_TO_POINTER(answer));
    return answer;
}

/* `name` is a constant. */
static bool is_left_out(struct qs_text_sink *sink, const char *name)
{
    gpointer answer;

    if (!sink->is_left_out)
        return false;
    if (g_hash_table_lookup_extended(sink->answers, name, NULL, &answer))
        return answer != NULL;
    return ask(sink, name);
}

static bool is_note_left_out(const struct qs_text_sink *sink, const char *protocol,
                             const char *suffix)
{
    char *name;
    bool answer;

    if (!sink->is_left_out)
        return false;
    name = g_strconcat(protocol, ".", suffix, NULL);
    answer = sink->is_left_out(sink->user, name);
    g_free(name);
    return answer;
}

/* --- The page */

/* Characters that a line may have beside its name and its value. */
enum { LINE_MARKS = 5 * QS_NUMBER_MAX };

/* The beginning of a line about the packet as such, with its "=". False when it is left out. */
static bool append_head(struct qs_text_sink *sink, const struct qs_dump_packet *about,
                        const char *name)
{
    GString *page = sink->page;
    char *at;

    if (is_left_out(sink, name))
        return false;
    at = qs_put_uint(qs_room(page, LINE_MARKS), about->packet->number);
    at = qs_put_text(at, " 0+", 3);
    at = qs_put_uint(at, about->packet->size);
    *at++ = ' ';
    qs_room_end(page, at);
    g_string_append(page, name);
    g_string_append_len(page, " = ", 3);
    return true;
}

static void append_time(struct qs_text_sink *sink, const struct qs_dump_packet *about)
{
    const int64_t time = about->packet->time;

    if (append_head(sink, about, "packet.time"))
        g_string_append_printf(sink->page, "%" G_GINT64_FORMAT ".%09d\n", time / 1000000000,
                               (int)(time % 1000000000));
}

/* Blocks of demos have none. */
static void append_address(struct qs_text_sink *sink, const struct qs_dump_packet *about,
                           const char *name, const struct qs_address *address)
{
    if (!address->family || !append_head(sink, about, name))
        return;
    qs_address_append(sink->page, address);
    g_string_append_c(sink->page, '\n');
}

static void append_word(struct qs_text_sink *sink, const struct qs_dump_packet *about,
                        const char *name, const char *word)
{
    if (!append_head(sink, about, name))
        return;
    g_string_append(sink->page, word);
    g_string_append_c(sink->page, '\n');
}

/* 0: there is none. */
static void append_number(struct qs_text_sink *sink, const struct qs_dump_packet *about,
                          const char *name, unsigned number)
{
    char *at;

    if (!number || !append_head(sink, about, name))
        return;
    at = qs_put_uint(qs_room(sink->page, QS_NUMBER_MAX + 1), number);
    *at++ = '\n';
    qs_room_end(sink->page, at);
}

static void append_heads(struct qs_text_sink *sink, const struct qs_dump_packet *about)
{
    append_time(sink, about);
    append_address(sink, about, "packet.source", &about->packet->source);
    append_address(sink, about, "packet.destination", &about->packet->destination);
    append_word(sink, about, "packet.protocol", about->decoder->protocol->name);
    append_word(sink, about, "packet.direction", qs_direction_name(about->decoder->direction));
    append_number(sink, about, "packet.unit", about->packet->unit);
    append_number(sink, about, "packet.session", about->session);
}

/* `number` is the packet's; `prefix` the protocol's name, which notes have before their own. */
static void append_line(struct qs_text_sink *sink, const struct line *line, struct qs_view number,
                        const char *prefix)
{
    const gsize name = strlen(line->name), text = line->text_end - line->text;
    char *at = qs_room(sink->page, LINE_MARKS + strlen(prefix) + name + text);

    at = qs_put_text(at, (const char *)number.data, number.size);
    *at++ = ' ';
    if (line->source) {
        at = qs_put_uint(at, line->source);
        *at++ = ':';
    }
    at = qs_put_uint(at, line->offset);
    *at++ = '+';
    at = qs_put_uint(at, line->length);
    *at++ = ' ';
    if (line->note) {
        at = qs_put_text(at, prefix, strlen(prefix));
        *at++ = '.';
    }
    at = qs_put_text(at, line->name, name);
    if (line->mark)
        at = qs_put_text(at, line->mark, strlen(line->mark));
    at = qs_put_text(at, sink->texts->str + line->text, text);
    *at++ = '\n';
    qs_room_end(sink->page, at);
}

static void append_lines(struct qs_text_sink *sink, const struct qs_dump_packet *about)
{
    const char *protocol = about->decoder->protocol->name;
    char digits[QS_NUMBER_MAX];
    const char *end = qs_put_uint(digits, about->packet->number);
    const struct qs_view number = {(const uint8_t *)digits, (uint32_t)(end - digits)};

    for (guint i = 0; i < sink->line_count; i++) {
        const struct line *line = &sink->lines[i];

        if (line->note ? is_note_left_out(sink, protocol, line->name)
                       : is_left_out(sink, line->name))
            continue;
        append_line(sink, line, number, protocol);
    }
}

void qs_text_sink_discard(struct qs_text_sink *sink)
{
    g_string_truncate(sink->texts, 0);
    sink->line_count = 0;
    g_array_set_size(sink->open, 0);
    sink->sources = (struct qs_source_numbers){0};
}

const GString *qs_text_sink_lines(struct qs_text_sink *sink, const struct qs_dump_packet *about)
{
    g_string_truncate(sink->page, 0);
    append_heads(sink, about);
    append_lines(sink, about);
    qs_text_sink_discard(sink);
    return sink->page;
}

void qs_text_sink_end(struct qs_text_sink *sink, const struct qs_dump_packet *about)
{
    const GString *page = qs_text_sink_lines(sink, about);

    fwrite(page->str, 1, page->len, sink->out);
}

void qs_text_sink_free(struct qs_text_sink *sink)
{
    g_free(sink->lines);
    g_array_free(sink->open, TRUE);
    g_string_free(sink->texts, TRUE);
    g_string_free(sink->page, TRUE);
    g_hash_table_destroy(sink->answers);
    g_free(sink);
}
