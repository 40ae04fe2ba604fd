/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/dump/dump.h"

#include <stdio.h>

#include "common/dump/json_writer.h"
#include "common/core/numeric_text.h"
#include "common/core/text.h"

struct text_dump {
    struct qs_dump base;
    struct qs_dump_lines lines; /* buffered, because lengths are known only when a group closes */
    uint32_t start;             /* offset of the packet's first line, even if it is left out */
    GArray *open;               /* guint: indices of the open groups' lines, or LEFT_OUT */
    struct qs_source_numbers sources;
    GString *output; /* text of the packet */
    bool is_compact;
    uint64_t number;           /* number of the previous packet; 0: none */
    qs_name_test *is_left_out; /* or NULL */
    void *user;
    GHashTable *answers; /* results of is_left_out, by address of the name */
};

enum { LEFT_OUT = G_MAXINT };

const struct qs_packet_line qs_packet_lines[QS_PACKET_LINES] = {
    [QS_PACKET_TIME] = {"packet.time", true},
    [QS_PACKET_SOURCE] = {"packet.source", true},
    [QS_PACKET_DESTINATION] = {"packet.destination", true},
    [QS_PACKET_PROTOCOL] = {"packet.protocol", false},
    [QS_PACKET_DIRECTION] = {"packet.direction", false},
    [QS_PACKET_PDU] = {"packet.unit", false},
    [QS_PACKET_SESSION] = {"packet.session", false},
};

static struct text_dump *self(struct qs_sink *base)
{
    return (struct text_dump *)base;
}

/* --- Omitted lines */

void qs_dump_text_leave_out(struct qs_dump *dump, qs_name_test *test, void *user)
{
    struct text_dump *sink = (struct text_dump *)dump;

    sink->is_left_out = test;
    sink->user = user;
    sink->number = 0;
    g_hash_table_remove_all(sink->answers);
}

/* True if lines with this name are left out. `name` must be a constant. */
static bool is_left_out(struct text_dump *sink, const char *name)
{
    gpointer answer;

    if (!sink->is_left_out)
        return false;
    if (!g_hash_table_lookup_extended(sink->answers, name, NULL, &answer)) {
        answer = GINT_TO_POINTER(sink->is_left_out(sink->user, name));
        g_hash_table_insert(sink->answers, (gpointer)name, answer);
    }
    return answer != NULL;
}

/* --- Lines */

/* Adds a line. Returns NULL if it is left out. */
static struct qs_dump_line *add_line(struct text_dump *sink, const char *name, uint32_t offset,
                                     uint32_t length)
{
    struct qs_dump_lines *lines = &sink->lines;
    struct qs_dump_line *line;

    if (sink->start == UINT32_MAX)
        sink->start = offset;
    if (is_left_out(sink, name))
        return NULL;
    if (lines->count == lines->room) {
        lines->room = MAX(64, 2 * lines->room);
        lines->at = g_renew(struct qs_dump_line, lines->at, lines->room);
    }
    line = &lines->at[lines->count++];
    *line = (struct qs_dump_line){.name = name,
                                  .position = {.source = qs_source_number(&sink->sources),
                                               .offset = offset,
                                               .length = length},
                                  .text = lines->texts->len,
                                  .text_end = lines->texts->len};
    return line;
}

static void text_open(struct qs_sink *base, const struct qs_field *group, uint32_t offset)
{
    struct text_dump *sink = self(base);
    struct qs_dump_line *line = add_line(sink, group->name, offset, 0);
    const guint index = line ? sink->lines.count - 1 : LEFT_OUT;

    if (line)
        line->row = group;
    g_array_append_val(sink->open, index);
}

static void text_close(struct qs_sink *base, uint32_t end)
{
    struct text_dump *sink = self(base);
    const guint index = g_array_index(sink->open, guint, sink->open->len - 1);
    struct qs_dump_line *line;

    g_array_set_size(sink->open, sink->open->len - 1);
    if (index == LEFT_OUT)
        return;
    line = &sink->lines.at[index];
    line->position.length = end - line->position.offset;
    line->end = sink->lines.count;
}

/* Appends a text with JSON's escapes, so that it has no characters that a terminal obeys. */
static void append_quoted(GString *out, const char *text)
{
    struct qs_json json;

    qs_json_init(&json, out);
    qs_json_string(&json, text);
}

/* Appends a text and, unless it is plain, its bytes; in the compact form without a blank. */
static void append_text(GString *out, struct qs_view text, bool is_compact)
{
    char *readable = qs_text_utf8(text);

    append_quoted(out, readable);
    g_free(readable);
    if (qs_text_is_plain(text))
        return;
    g_string_append(out, is_compact ? "[" : " [");
    qs_append_bytes(out, text);
    g_string_append_c(out, ']');
}

static void text_field(struct qs_sink *base, const struct qs_field *field,
                       const struct qs_value *value)
{
    struct text_dump *sink = self(base);
    GString *texts = sink->lines.texts;
    struct qs_dump_line *line = add_line(sink, field->name, value->offset, value->length);

    if (!line)
        return;
    line->row = field;
    line->generated = value->generated;
    line->number = qs_type_bits(field->type) ? value->u : 0;
    line->separator = value->generated ? " := " : " = ";
    if (field->type == QS_TEXT)
        append_text(texts, value->bytes, sink->is_compact);
    else
        qs_value_append(texts, field, value);
    line->text_end = texts->len;
}

static void text_note(struct qs_sink *base, enum qs_note kind, uint32_t offset, uint32_t length,
                      const char *text)
{
    struct text_dump *sink = self(base);
    struct qs_dump_line *line;
    char name[64];

    snprintf(name, sizeof name, "%s.%s", base->protocol->name, qs_note_kinds[kind].suffix);
    line = add_line(sink, g_intern_string(name), offset, length);
    if (!line)
        return;
    line->separator = " = ";
    append_quoted(sink->lines.texts, text);
    line->text_end = sink->lines.texts->len;
}

static void text_source(struct qs_sink *base, const char *title, const uint8_t *data, uint32_t size)
{
    (void)title, (void)size;
    qs_source_numbers_set(&self(base)->sources, data);
}

/* --- The packet */

/* Maximum number of characters on a line besides its name and value. */
enum { LINE_MARKS = 5 * QS_NUMBER_MAX };

static void append_line(struct text_dump *sink, const struct qs_dump_line *line, uint64_t number)
{
    const gsize name = strlen(line->name), text = line->text_end - line->text;
    char *at = qs_put_uint(qs_room(sink->output, LINE_MARKS + name + text), number);

    *at++ = ' ';
    if (line->position.source) {
        at = qs_put_uint(at, line->position.source);
        *at++ = ':';
    }
    at = qs_put_uint(at, line->position.offset);
    *at++ = '+';
    at = qs_put_uint(at, line->position.length);
    *at++ = ' ';
    at = qs_put_text(at, line->name, name);
    if (line->separator)
        at = qs_put_text(at, line->separator, strlen(line->separator));
    at = qs_put_text(at, sink->lines.texts->str + line->text, text);
    *at++ = '\n';
    qs_room_end(sink->output, at);
}

/* Appends a value, or nothing if the packet has none: demo blocks have no addresses. The compact
 * form omits session 1, and writes 0 for no session. */
static void append_header_value(GString *out, const struct qs_dump_packet *about,
                                enum qs_packet_line_id id, bool is_compact)
{
    const struct qs_packet *packet = about->packet;
    const struct qs_address *address =
        id == QS_PACKET_SOURCE ? &packet->source : &packet->destination;

    switch (id) {
    case QS_PACKET_TIME:
        g_string_append_printf(out, "%" G_GINT64_FORMAT ".%09d", packet->time / 1000000000,
                               (int)(packet->time % 1000000000));
        break;
    case QS_PACKET_SOURCE:
    case QS_PACKET_DESTINATION:
        if (address->family)
            qs_address_append(out, address);
        break;
    case QS_PACKET_PROTOCOL:
        g_string_append(out, about->decoder->protocol->name);
        break;
    case QS_PACKET_DIRECTION:
        g_string_append(out, qs_direction_name(about->decoder->found.direction));
        break;
    case QS_PACKET_PDU:
        if (packet->pdu)
            g_string_append_printf(out, "%u", packet->pdu);
        break;
    default:
        if (about->session != (is_compact ? 1 : 0))
            g_string_append_printf(out, "%u", about->session);
    }
}

/* Appends the lines about the packet itself; in the compact form, words of its first line. There
 * two words have no name, and the protocol is never left out, because names depend on it. */
static void append_headers(struct text_dump *sink, const struct qs_dump_packet *about)
{
    GString *texts = sink->lines.texts;

    for (enum qs_packet_line_id id = 0; id < QS_PACKET_LINES; id++) {
        const char *name = qs_packet_lines[id].name;
        struct qs_dump_line line = {.name = name, .separator = " = ", .text = texts->len};

        line.position.length = about->packet->size;
        append_header_value(texts, about, id, sink->is_compact);
        line.text_end = texts->len;
        if (line.text == line.text_end ||
            (is_left_out(sink, name) && !(sink->is_compact && id == QS_PACKET_PROTOCOL)))
            continue;
        if (!sink->is_compact)
            append_line(sink, &line, about->packet->number);
        else if (id == QS_PACKET_PROTOCOL || id == QS_PACKET_DIRECTION)
            g_string_append_printf(sink->output, " %s", texts->str + line.text);
        else
            g_string_append_printf(sink->output, " %s=%s", strchr(name, '.') + 1,
                                   texts->str + line.text);
    }
}

/* Makes the offsets of a demo's block relative to its first line, wherever it is in the demo. */
static void count_from_block(struct text_dump *sink, const struct qs_dump_packet *about)
{
    for (guint i = 0; i < sink->lines.count && !about->packet->source.family; i++)
        if (!sink->lines.at[i].position.source)
            sink->lines.at[i].position.offset -= sink->start;
}

/* Appends a packet, with its number as difference to the previous packet's unless that is 1. */
static void append_compact(struct text_dump *sink, const struct qs_dump_packet *about)
{
    const uint64_t number = about->packet->number;

    g_string_append(sink->output, "packet");
    if (number != sink->number + 1)
        g_string_append_printf(sink->output, " %+" G_GINT64_FORMAT,
                               (int64_t)(number - sink->number));
    sink->number = number;
    count_from_block(sink, about);
    append_headers(sink, about);
    qs_compact_append(sink->output, &sink->lines, about);
}

/* --- The dump */

static void discard(struct qs_dump *dump)
{
    struct text_dump *sink = (struct text_dump *)dump;

    g_string_truncate(sink->lines.texts, 0);
    sink->lines.count = 0;
    sink->start = UINT32_MAX;
    g_array_set_size(sink->open, 0);
    sink->sources = (struct qs_source_numbers){0};
}

static const GString *packet_text(struct qs_dump *dump, const struct qs_dump_packet *about)
{
    struct text_dump *sink = (struct text_dump *)dump;

    g_string_truncate(sink->output, 0);
    if (sink->is_compact) {
        append_compact(sink, about);
    } else {
        append_headers(sink, about);
        for (guint i = 0; i < sink->lines.count; i++)
            append_line(sink, &sink->lines.at[i], about->packet->number);
    }
    discard(dump);
    return sink->output;
}

static void free_dump(struct qs_dump *dump)
{
    struct text_dump *sink = (struct text_dump *)dump;

    g_free(sink->lines.at);
    g_array_free(sink->open, TRUE);
    g_string_free(sink->lines.texts, TRUE);
    g_string_free(sink->output, TRUE);
    g_hash_table_destroy(sink->answers);
    g_free(sink);
}

static struct text_dump *create_text(void)
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
    sink->lines.texts = g_string_new(NULL);
    sink->open = g_array_new(FALSE, FALSE, sizeof(guint));
    sink->output = g_string_new(NULL);
    sink->answers = g_hash_table_new(NULL, NULL);
    sink->start = UINT32_MAX;
    return sink;
}

static struct qs_dump *create(void)
{
    return &create_text()->base;
}

static struct qs_dump *create_compact(void)
{
    struct text_dump *sink = create_text();

    sink->is_compact = true;
    return &sink->base;
}

const struct qs_dump_format qs_dump_text = {.name = "text", .create = create};
const struct qs_dump_format qs_dump_compact = {.name = "compact", .create = create_compact};

/* All formats. They are not in value.c, which the plugin uses without them. */
const struct qs_dump_format *const qs_dump_formats[] = {&qs_dump_text, &qs_dump_compact,
                                                        &qs_dump_json, NULL};

const struct qs_dump_format *qs_dump_format_find(const char *name)
{
    for (int i = 0; qs_dump_formats[i]; i++)
        if (strcmp(qs_dump_formats[i]->name, name) == 0)
            return qs_dump_formats[i];
    return NULL;
}
