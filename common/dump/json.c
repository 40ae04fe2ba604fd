/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/dump/dump.h"

#include "common/dump/json_writer.h"
#include "common/core/text.h"

/* An open group. Its length precedes its fields, and is known only when it closes. */
struct open_group {
    gsize length; /* offset in `fields` at which to insert the length */
    uint32_t offset;
};

struct json_dump {
    struct qs_dump base;
    GString *fields; /* fields of the packet: objects with commas between them */
    struct qs_json json;
    GArray *open; /* struct open_group, innermost last */
    struct qs_source_numbers sources;
    GString *scratch;
    GString *output; /* text of the packet */
};

static struct json_dump *self(struct qs_sink *base)
{
    return (struct json_dump *)base;
}

static void put_number(struct qs_json *json, const char *key, uint64_t number)
{
    qs_json_key(json, key);
    qs_json_uint(json, number);
}

static void put_word(struct qs_json *json, const char *key, const char *word)
{
    qs_json_key(json, key);
    qs_json_string(json, word);
}

/* Copies a literal: the keys of objects in "fields" are the same in all of them. */
static inline char *put_literal(char *at, const char *literal)
{
    return qs_put_text(at, literal, strlen(literal));
}

/* Appends the beginning of an object in "fields", up to its length. Returns the address of the
 * length, with room for it and for a key. */
static char *begin_object(struct json_dump *sink, const char *name, size_t size, uint32_t offset)
{
    enum { KEYS_MAX = 64 };
    const unsigned source = qs_source_number(&sink->sources);
    char *at = qs_json_room(&sink->json, KEYS_MAX + 3 * QS_NUMBER_MAX + size);

    at = qs_put_text(put_literal(at, "{\"name\":\""), name, size);
    if (source)
        at = qs_put_uint(put_literal(at, "\",\"source\":"), source);
    at = put_literal(at, source ? ",\"offset\":" : "\",\"offset\":");
    return put_literal(qs_put_uint(at, offset), ",\"length\":");
}

static void end_key(struct qs_json *json, char *at, const char *key)
{
    qs_room_end(json->out, put_literal(at, key));
    json->comma = false;
}

static void json_open(struct qs_sink *base, const struct qs_field *group, uint32_t offset)
{
    struct json_dump *sink = self(base);
    char *at = begin_object(sink, group->name, strlen(group->name), offset);
    const struct open_group open = {(gsize)(at - sink->fields->str), offset};

    end_key(&sink->json, at, ",\"fields\":[");
    g_array_append_val(sink->open, open);
}

static void json_close(struct qs_sink *base, uint32_t end)
{
    struct json_dump *sink = self(base);
    const struct open_group open =
        g_array_index(sink->open, struct open_group, sink->open->len - 1);

    g_array_set_size(sink->open, sink->open->len - 1);
    qs_json_end_array(&sink->json);
    qs_json_end_object(&sink->json);
    qs_json_int_at(&sink->json, open.length, (int64_t)end - open.offset);
}

static void put_value(struct qs_json *json, GString *scratch, const struct qs_field *field,
                      const struct qs_value *value)
{
    switch (qs_type_kind(field->type)) {
    case QS_KIND_BOOL:
        qs_json_bool(json, value->u);
        return;
    case QS_KIND_UNSIGNED:
        /* Larger values, which many readers of JSON cannot hold, are written as in text dumps. */
        if (value->u > INT64_MAX)
            break;
        qs_json_uint(json, value->u);
        return;
    case QS_KIND_SIGNED:
        qs_json_int(json, value->i);
        return;
    case QS_KIND_REAL:
        /* Infinities are written as in text dumps, too. */
        if (!qs_json_real(json, value->f))
            break;
        return;
    case QS_KIND_DURATION:
        qs_json_real(json, (double)value->u / 1e9);
        return;
    case QS_KIND_NONE:
    case QS_KIND_BYTES:
    case QS_KIND_TIME:
        break;
    }
    g_string_truncate(scratch, 0);
    qs_value_append(scratch, field, value);
    qs_json_string_sized(json, scratch->str, scratch->len);
}

/* Adds the name of a value. Signed values are looked up by their 32 bits. */
static void put_name(struct qs_json *json, const struct qs_field *field,
                     const struct qs_value *value)
{
    const char *name = field->names ? qs_name_of(field->names, (uint32_t)value->u) : NULL;

    if (name)
        put_word(json, "text", name);
}

static void put_raw(struct qs_json *json, const struct qs_field *field,
                    const struct qs_value *value)
{
    if (field->type != QS_TEXT || qs_text_is_plain(value->bytes))
        return;
    qs_json_key(json, "raw");
    qs_json_bytes(json, value->bytes);
}

static void json_field(struct qs_sink *base, const struct qs_field *field,
                       const struct qs_value *value)
{
    struct json_dump *sink = self(base);
    struct qs_json *json = &sink->json;
    char *at = begin_object(sink, field->name, strlen(field->name), value->offset);

    end_key(json, qs_put_uint(at, value->length), ",\"value\":");
    put_value(json, sink->scratch, field, value);
    put_name(json, field, value);
    put_raw(json, field, value);
    if (value->generated) {
        qs_json_key(json, "generated");
        qs_json_bool(json, true);
    }
    qs_json_end_object(json);
}

static void json_note(struct qs_sink *base, enum qs_note kind, uint32_t offset, uint32_t length,
                      const char *text)
{
    static const char *const severities[] = {
        [QS_SEVERITY_CHAT] = "chat",
        [QS_SEVERITY_NOTE] = "note",
        [QS_SEVERITY_WARN] = "warning",
        [QS_SEVERITY_ERROR] = "error",
    };
    struct json_dump *sink = self(base);
    struct qs_json *json = &sink->json;
    char *at;

    g_string_printf(sink->scratch, "%s.%s", base->protocol->name, qs_note_kinds[kind].suffix);
    at = begin_object(sink, sink->scratch->str, sink->scratch->len, offset);
    qs_room_end(json->out, qs_put_uint(at, length));
    put_word(json, "note", text);
    put_word(json, "severity", severities[qs_note_kinds[kind].severity]);
    qs_json_end_object(json);
}

static void json_source(struct qs_sink *base, const char *title, const uint8_t *data, uint32_t size)
{
    (void)title, (void)size;
    qs_source_numbers_set(&self(base)->sources, data);
}

/* --- The packet */

/* Adds an address, or null for blocks of demos, which have none. */
static void put_address(struct qs_json *json, GString *scratch, const struct qs_address *address)
{
    if (!address->family) {
        qs_json_null(json);
        return;
    }
    g_string_truncate(scratch, 0);
    qs_address_append(scratch, address);
    qs_json_string_sized(json, scratch->str, scratch->len);
}

/* Nanoseconds have more digits than a double holds; converting two parts gives the nearest
 * double. */
static double seconds(int64_t time)
{
    /* NOLINTNEXTLINE(bugprone-integer-division) */
    return (double)(time / 1000000000) + (double)(time % 1000000000) / 1e9;
}

static void put_packet(struct qs_json *json, GString *scratch, const struct qs_dump_packet *about)
{
    const struct qs_packet *packet = about->packet;
    const struct qs_decoder *decoder = about->decoder;

    put_number(json, "schema", QS_DUMP_SCHEMA);
    put_number(json, "packet", packet->number);
    qs_json_key(json, "time");
    qs_json_real(json, seconds(packet->time));
    qs_json_key(json, "source");
    put_address(json, scratch, &packet->source);
    qs_json_key(json, "destination");
    put_address(json, scratch, &packet->destination);
    put_word(json, "protocol", decoder->protocol->name);
    put_word(json, "direction", qs_direction_name(decoder->found.direction));
    if (packet->pdu)
        put_number(json, "unit", packet->pdu);
    if (about->session)
        put_number(json, "session", about->session);
    put_number(json, "size", packet->size);
    if (decoder->want_summary)
        put_word(json, "summary", decoder->found.summary->str);
}

static void put_head(struct json_dump *sink, const struct qs_dump_packet *about)
{
    struct qs_json json;

    g_string_truncate(sink->output, 0);
    qs_json_init(&json, sink->output);
    qs_json_begin_object(&json);
    put_packet(&json, sink->scratch, about);
    qs_json_key(&json, "fields");
    qs_json_begin_array(&json);
}

static void start_packet(struct json_dump *sink)
{
    g_string_truncate(sink->fields, 0);
    qs_json_init(&sink->json, sink->fields);
    g_array_set_size(sink->open, 0);
    sink->sources = (struct qs_source_numbers){0};
}

static const GString *packet_text(struct qs_dump *dump, const struct qs_dump_packet *about)
{
    struct json_dump *sink = (struct json_dump *)dump;

    put_head(sink, about);
    g_string_append_len(sink->output, sink->fields->str, (gssize)sink->fields->len);
    g_string_append(sink->output, "]}\n");
    start_packet(sink);
    return sink->output;
}

static void discard(struct qs_dump *dump)
{
    start_packet((struct json_dump *)dump);
}

static void free_dump(struct qs_dump *dump)
{
    struct json_dump *sink = (struct json_dump *)dump;

    g_string_free(sink->fields, TRUE);
    g_array_free(sink->open, TRUE);
    g_string_free(sink->scratch, TRUE);
    g_string_free(sink->output, TRUE);
    g_free(sink);
}

static struct qs_dump *create(void)
{
    struct json_dump *sink = g_new0(struct json_dump, 1);

    sink->base = (struct qs_dump){.sink = {.open = json_open,
                                           .close = json_close,
                                           .field = json_field,
                                           .note = json_note,
                                           .source = json_source},
                                  .packet = packet_text,
                                  .discard = discard,
                                  .free = free_dump};
    sink->fields = g_string_new(NULL);
    sink->open = g_array_new(FALSE, FALSE, sizeof(struct open_group));
    sink->scratch = g_string_new(NULL);
    sink->output = g_string_new(NULL);
    start_packet(sink);
    return &sink->base;
}

const struct qs_dump_format qs_dump_json = {.name = "json", .want_summary = true, .create = create};
