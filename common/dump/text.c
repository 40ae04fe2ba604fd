/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/dump/dump.h"

#include "common/dump/json_writer.h"
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

struct text_dump {
    struct qs_dump base;
    struct line *lines;
    guint line_count, line_room;
    GString *texts; /* of all lines */
    GArray *open;   /* guint: indices of the lines of open groups */
    struct qs_source_numbers sources;
    GString *output;           /* of the packet */
    qs_name_test *is_left_out; /* or NULL */
    void *user;
    GHashTable *answers; /* of is_left_out, to names by their addresses */
};

const struct qs_packet_line qs_packet_lines[QS_PACKET_LINES] = {
    [QS_PACKET_TIME] = {"packet.time", true},
    [QS_PACKET_SOURCE] = {"packet.source", true},
    [QS_PACKET_DESTINATION] = {"packet.destination", true},
    [QS_PACKET_PROTOCOL] = {"packet.protocol", false},
    [QS_PACKET_DIRECTION] = {"packet.direction", false},
    [QS_PACKET_UNIT] = {"packet.unit", false},
    [QS_PACKET_SESSION] = {"packet.session", false},
};

static struct text_dump *self(struct qs_sink *base)
{
    return (struct text_dump *)base;
}

static struct line *add_line(struct text_dump *sink, const char *name, uint32_t offset,
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
    struct text_dump *sink = self(base);
    const guint index = sink->line_count;

    add_line(sink, group->name, offset, 0);
    g_array_append_val(sink->open, index);
}

static void text_close(struct qs_sink *base, uint32_t end)
{
    struct text_dump *sink = self(base);
    const guint index = g_array_index(sink->open, guint, sink->open->len - 1);
    struct line *line = &sink->lines[index];

    line->length = end - line->offset;
    g_array_set_size(sink->open, sink->open->len - 1);
}

/* JSON's escapes: no character is left that a terminal obeys. */
static void append_quoted(GString *out, const char *text)
{
    struct qs_json json;

    qs_json_init(&json, out);
    qs_json_string(&json, text);
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
    struct text_dump *sink = self(base);
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
    struct text_dump *sink = self(base);
    struct line *line = add_line(sink, qs_note_kinds[kind].suffix, offset, length);

    line->note = true;
    line->mark = " = ";
    append_quoted(sink->texts, text);
    line->text_end = sink->texts->len;
}

static void text_source(struct qs_sink *base, const char *title, const uint8_t *data, uint32_t size)
{
    (void)title, (void)size;
    qs_source_numbers_set(&self(base)->sources, data);
}

/* --- What is left out */

void qs_dump_text_leave_out(struct qs_dump *dump, qs_name_test *test, void *user)
{
    struct text_dump *sink = (struct text_dump *)dump;

    sink->is_left_out = test;
    sink->user = user;
    g_hash_table_remove_all(sink->answers);
}

static bool ask(struct text_dump *sink, const char *name)
{
    const bool answer = sink->is_left_out(sink->user, name);

    g_hash_table_insert(sink->answers, (gpointer)name, GINT_TO_POINTER(answer));
    return answer;
}

/* `name` is a constant. */
static bool is_left_out(struct text_dump *sink, const char *name)
{
    gpointer answer;

    if (!sink->is_left_out)
        return false;
    if (g_hash_table_lookup_extended(sink->answers, name, NULL, &answer))
        return answer != NULL;
    return ask(sink, name);
}

static bool is_note_left_out(const struct text_dump *sink, const char *protocol, const char *suffix)
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

/* --- The packet */

/* Characters that a line may have beside its name and its value. */
enum { LINE_MARKS = 5 * QS_NUMBER_MAX };

/* The beginning of a line about the packet as such, with its "=". False when it is left out. */
static bool append_head(struct text_dump *sink, const struct qs_dump_packet *about,
                        const char *name)
{
    GString *output = sink->output;
    char *at;

    if (is_left_out(sink, name))
        return false;
    at = qs_put_uint(qs_room(output, LINE_MARKS), about->packet->number);
    at = qs_put_text(at, " 0+", 3);
    at = qs_put_uint(at, about->packet->size);
    *at++ = ' ';
    qs_room_end(output, at);
    g_string_append(output, name);
    g_string_append_len(output, " = ", 3);
    return true;
}

static void append_time(struct text_dump *sink, const struct qs_dump_packet *about)
{
    const int64_t time = about->packet->time;

    if (append_head(sink, about, qs_packet_lines[QS_PACKET_TIME].name))
        g_string_append_printf(sink->output, "%" G_GINT64_FORMAT ".%09d\n", time / 1000000000,
                               (int)(time % 1000000000));
}

/* Blocks of demos have none. */
static void append_address(struct text_dump *sink, const struct qs_dump_packet *about,
                           const char *name, const struct qs_address *address)
{
    if (!address->family || !append_head(sink, about, name))
        return;
    qs_address_append(sink->output, address);
    g_string_append_c(sink->output, '\n');
}

static void append_word(struct text_dump *sink, const struct qs_dump_packet *about,
                        const char *name, const char *word)
{
    if (!append_head(sink, about, name))
        return;
    g_string_append(sink->output, word);
    g_string_append_c(sink->output, '\n');
}

/* 0: there is none. */
static void append_number(struct text_dump *sink, const struct qs_dump_packet *about,
                          const char *name, unsigned number)
{
    char *at;

    if (!number || !append_head(sink, about, name))
        return;
    at = qs_put_uint(qs_room(sink->output, QS_NUMBER_MAX + 1), number);
    *at++ = '\n';
    qs_room_end(sink->output, at);
}

static void append_heads(struct text_dump *sink, const struct qs_dump_packet *about)
{
    append_time(sink, about);
    append_address(sink, about, qs_packet_lines[QS_PACKET_SOURCE].name, &about->packet->source);
    append_address(sink, about, qs_packet_lines[QS_PACKET_DESTINATION].name,
                   &about->packet->destination);
    append_word(sink, about, qs_packet_lines[QS_PACKET_PROTOCOL].name,
                about->decoder->protocol->name);
    append_word(sink, about, qs_packet_lines[QS_PACKET_DIRECTION].name,
                qs_direction_name(about->decoder->direction));
    append_number(sink, about, qs_packet_lines[QS_PACKET_UNIT].name, about->packet->unit);
    append_number(sink, about, qs_packet_lines[QS_PACKET_SESSION].name, about->session);
}

/* `number` is the packet's; `prefix` the protocol's name, which notes have before their own. */
static void append_line(struct text_dump *sink, const struct line *line, struct qs_view number,
                        const char *prefix)
{
    const gsize name = strlen(line->name), text = line->text_end - line->text;
    char *at = qs_room(sink->output, LINE_MARKS + strlen(prefix) + name + text);

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
    qs_room_end(sink->output, at);
}

static void append_lines(struct text_dump *sink, const struct qs_dump_packet *about)
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

/* --- The dump */

static void discard(struct qs_dump *dump)
{
    struct text_dump *sink = (struct text_dump *)dump;

    g_string_truncate(sink->texts, 0);
    sink->line_count = 0;
    g_array_set_size(sink->open, 0);
    sink->sources = (struct qs_source_numbers){0};
}

static const GString *packet_text(struct qs_dump *dump, const struct qs_dump_packet *about)
{
    struct text_dump *sink = (struct text_dump *)dump;

    g_string_truncate(sink->output, 0);
    append_heads(sink, about);
    append_lines(sink, about);
    discard(dump);
    return sink->output;
}

static void free_dump(struct qs_dump *dump)
{
    struct text_dump *sink = (struct text_dump *)dump;

    g_free(sink->lines);
    g_array_free(sink->open, TRUE);
    g_string_free(sink->texts, TRUE);
    g_string_free(sink->output, TRUE);
    g_hash_table_destroy(sink->answers);
    g_free(sink);
}

static struct qs_dump *create(void)
{
    struct text_dump *sink = g_new0(struct text_dump, 1);

    sink->base = (struct qs_dump){.sink = {.open = text_open,
                                           .close = text_close,
                                           .field = text_field,
                                           .note = text_note,
                                           .source = text_source},
                                  .packet = packet_text,
                                  .discard = discard,
                                  .free = free_dump};
    sink->texts = g_string_new(NULL);
    sink->open = g_array_new(FALSE, FALSE, sizeof(guint));
    sink->output = g_string_new(NULL);
    sink->answers = g_hash_table_new(NULL, NULL);
    return &sink->base;
}

const struct qs_dump_format qs_dump_text = {.name = "text", .create = create};
