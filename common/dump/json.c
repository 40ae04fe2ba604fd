/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/dump/dump.h"

#include <jansson.h>

#include "common/dump/number.h"
#include "common/dump/source_numbers.h"
#include "common/core/text.h"

struct json_dump {
    struct qs_dump base;
    GPtrArray
        *open; /* json_t *: the "fields" arrays of open groups, the packet's first; borrowed */
    struct qs_source_numbers sources;
    json_t *fields; /* of the packet */
    GString *scratch;
    GString *output; /* of the packet */
};

static struct json_dump *self(struct qs_sink *base)
{
    return (struct json_dump *)base;
}

static json_t *innermost(struct json_dump *sink)
{
    return sink->open->pdata[sink->open->len - 1];
}

static json_t *add_object(struct json_dump *sink, const char *name, uint32_t offset,
                          uint32_t length)
{
    const unsigned source = qs_source_number(&sink->sources);
    json_t *object = json_object();

    json_object_set_new_nocheck(object, "name", json_string_nocheck(name));
    if (source)
        json_object_set_new_nocheck(object, "source", json_integer(source));
    json_object_set_new_nocheck(object, "offset", json_integer(offset));
    json_object_set_new_nocheck(object, "length", json_integer(length));
    json_array_append_new(innermost(sink), object);
    return object;
}

static void json_open(struct qs_sink *base, const struct qs_field *group, uint32_t offset)
{
    struct json_dump *sink = self(base);
    json_t *fields = json_array();

    json_object_set_new_nocheck(add_object(sink, group->name, offset, 0), "fields", fields);
    g_ptr_array_add(sink->open, fields);
}

static void json_close(struct qs_sink *base, uint32_t end)
{
    struct json_dump *sink = self(base);
    json_t *group;

    g_ptr_array_set_size(sink->open, (gint)sink->open->len - 1);
    group = json_array_get(innermost(sink), json_array_size(innermost(sink)) - 1);
    json_object_set_new_nocheck(
        group, "length", json_integer(end - json_integer_value(json_object_get(group, "offset"))));
}

static json_t *hex(GString *scratch, struct qs_view bytes)
{
    g_string_truncate(scratch, 0);
    qs_append_bytes(scratch, bytes);
    return json_stringn(scratch->str, scratch->len);
}

static json_t *as_string(GString *scratch, const struct qs_field *field,
                         const struct qs_value *value)
{
    g_string_truncate(scratch, 0);
    qs_value_append(scratch, field, value);
    return json_stringn(scratch->str, scratch->len);
}

/* Numbers that the library, as many readers of JSON, cannot hold are written as in text dumps. */
static json_t *as_unsigned(GString *scratch, const struct qs_field *field,
                           const struct qs_value *value)
{
    if (value->u > INT64_MAX)
        return as_string(scratch, field, value);
    return json_integer((json_int_t)value->u);
}

/* JSON has no infinities; those are written the same way. */
static json_t *as_real(GString *scratch, const struct qs_field *field, const struct qs_value *value)
{
    json_t *real = json_real(value->f);

    return real ? real : as_string(scratch, field, value);
}

static json_t *json_value(GString *scratch, const struct qs_field *field,
                          const struct qs_value *value)
{
    switch (qs_type_kind(field->type)) {
    case QS_KIND_BOOL:
        return json_boolean(value->u);
    case QS_KIND_UNSIGNED:
        return as_unsigned(scratch, field, value);
    case QS_KIND_SIGNED:
        return json_integer(value->i);
    case QS_KIND_REAL:
        return as_real(scratch, field, value);
    case QS_KIND_NONE:
    case QS_KIND_BYTES:
    case QS_KIND_TIME:
        break;
    }
    return as_string(scratch, field, value);
}

/* Signed values are looked up by the same 32 bits. */
static void add_name(json_t *object, const struct qs_field *field, const struct qs_value *value)
{
    const char *name = field->names ? qs_name_of(field->names, (uint32_t)value->u) : NULL;

    if (name)
        json_object_set_new_nocheck(object, "text", json_string(name));
}

static void json_field(struct qs_sink *base, const struct qs_field *field,
                       const struct qs_value *value)
{
    struct json_dump *sink = self(base);
    json_t *object = add_object(sink, field->name, value->offset, value->length);

    json_object_set_new_nocheck(object, "value", json_value(sink->scratch, field, value));
    add_name(object, field, value);
    if (field->type == QS_TEXT && !qs_text_is_plain(value->bytes))
        json_object_set_new_nocheck(object, "raw", hex(sink->scratch, value->bytes));
    if (value->generated)
        json_object_set_new_nocheck(object, "generated", json_true());
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
    json_t *object;

    g_string_printf(sink->scratch, "%s.%s", base->protocol->name, qs_note_kinds[kind].suffix);
    object = add_object(sink, sink->scratch->str, offset, length);
    json_object_set_new_nocheck(object, "note", json_string(text));
    json_object_set_new_nocheck(object, "severity",
                                json_string(severities[qs_note_kinds[kind].severity]));
}

static void json_source(struct qs_sink *base, const char *title, const uint8_t *data, uint32_t size)
{
    (void)title, (void)size;
    qs_source_numbers_set(&self(base)->sources, data);
}

static void start_packet(struct json_dump *sink)
{
    sink->fields = json_array();
    g_ptr_array_set_size(sink->open, 0);
    g_ptr_array_add(sink->open, sink->fields);
    sink->sources = (struct qs_source_numbers){0};
}

/* Blocks of demos have none. */
static json_t *json_address(GString *scratch, const struct qs_address *address)
{
    if (!address->family)
        return json_null();
    g_string_truncate(scratch, 0);
    qs_address_append(scratch, address);
    return json_stringn(scratch->str, scratch->len);
}

/* Nanoseconds are more digits than a double holds: taken apart, the nearest one comes out. */
static double seconds(int64_t time)
{
    return (double)(time / 1000000000) + (double)(time % 1000000000) / 1e9;
}

static json_t *json_packet(struct json_dump *sink, const struct qs_dump_packet *about)
{
    const struct qs_packet *packet = about->packet;
    const struct qs_decoder *decoder = about->decoder;
    json_t *object = json_object();

    json_object_set_new_nocheck(object, "schema", json_integer(QS_DUMP_SCHEMA));
    json_object_set_new_nocheck(object, "packet", json_integer((json_int_t)packet->number));
    json_object_set_new_nocheck(object, "time", json_real(seconds(packet->time)));
    json_object_set_new_nocheck(object, "source", json_address(sink->scratch, &packet->source));
    json_object_set_new_nocheck(object, "destination",
                                json_address(sink->scratch, &packet->destination));
    json_object_set_new_nocheck(object, "protocol", json_string(decoder->protocol->name));
    json_object_set_new_nocheck(object, "direction",
                                json_string(qs_direction_name(decoder->direction)));
    if (packet->unit)
        json_object_set_new_nocheck(object, "unit", json_integer(packet->unit));
    if (about->session)
        json_object_set_new_nocheck(object, "session", json_integer(about->session));
    json_object_set_new_nocheck(object, "size", json_integer(packet->size));
    if (decoder->want_summary)
        json_object_set_new_nocheck(object, "summary", json_string(decoder->summary->str));
    json_object_set_new_nocheck(object, "fields", sink->fields);
    return object;
}

/* The library prints piece by piece: too small ones for a file. */
static int add_to_output(const char *piece, size_t size, void *output)
{
    g_string_append_len(output, piece, (gssize)size);
    return 0;
}

static const GString *packet_text(struct qs_dump *dump, const struct qs_dump_packet *about)
{
    struct json_dump *sink = (struct json_dump *)dump;
    json_t *packet = json_packet(sink, about);

    g_string_truncate(sink->output, 0);
    json_dump_callback(packet, add_to_output, sink->output, JSON_COMPACT | JSON_REAL_PRECISION(17));
    g_string_append_c(sink->output, '\n');
    json_decref(packet);
    start_packet(sink);
    return sink->output;
}

static void discard(struct qs_dump *dump)
{
    struct json_dump *sink = (struct json_dump *)dump;

    json_decref(sink->fields);
    start_packet(sink);
}

static void free_dump(struct qs_dump *dump)
{
    struct json_dump *sink = (struct json_dump *)dump;

    json_decref(sink->fields);
    g_ptr_array_free(sink->open, TRUE);
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
    sink->open = g_ptr_array_new();
    sink->scratch = g_string_new(NULL);
    sink->output = g_string_new(NULL);
    start_packet(sink);
    return &sink->base;
}

const struct qs_dump_format qs_dump_json = {.name = "json", .want_summary = true, .create = create};
