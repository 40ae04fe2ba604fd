/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/unit/toy.h"

static const struct qs_name toy_ids[] = {{1, "toy_nop"}, {2, "toy_byte"}, {0, NULL}};
static const struct qs_name toy_weapons[] = {{1, "axe"}, {5, "rocket launcher"}, {0, NULL}};
static const struct qs_name toy_signs[] = {{(uint32_t)-2, "minus two"}, {0, NULL}};

static const struct qs_field toy_fields[TOY_FIELD_COUNT] = {
#define QS_ROWS_TABLE
#include "common/core/field_rows.h"
#include "tests/unit/toy_fields.def"
#include "common/core/field_rows.h"
};

static const struct qs_option toy_options[TOY_OPTION_COUNT] = {
    [TOY_OPTION_SPEED] = {"speed", "Speed", "How fast the toy runs.", NULL, 1},
};

toy_script *toy_decode;

static void session_init(struct qs_session *session)
{
    memset(session, 0, sizeof(struct toy_session));
    qs_session_init(session);
}

static void session_copy(struct qs_session *to, const struct qs_session *from)
{
    memcpy(to, from, sizeof(struct toy_session));
}

static void session_clear(struct qs_session *session)
{
    (void)session;
}

static void describe(const struct qs_session *session, struct qs_description *description)
{
    (void)session;
    *description = (struct qs_description){0};
}

static bool recognize(const struct qs_protocol *protocol, const struct qs_packet *packet)
{
    (void)protocol;
    (void)packet;
    return false;
}

static void decode(struct qs_decoder *d)
{
    toy_decode(d);
}

const struct qs_protocol toy_protocol = {
    .name = "toy",
    .short_name = "TOY",
    .title = "Toy",
    .ports = "1000-1002,2000",
    .fields = toy_fields,
    .field_count = TOY_FIELD_COUNT,
    .undecoded = TOY_UNDECODED,
    .links = TOY_LINK_ACKS_FRAME,
    .notes = QS_NOTE_BIT(QS_NOTE_MALFORMED),
    .options = toy_options,
    .option_count = TOY_OPTION_COUNT,
    .session_size = sizeof(struct toy_session),
    .session_init = session_init,
    .session_copy = session_copy,
    .session_clear = session_clear,
    .describe = describe,
    .recognize = recognize,
    .decode = decode,
};

/* --- Log sink --- */

static GString *log_of(struct qs_sink *base)
{
    return ((struct log_sink *)base)->log;
}

static void log_open(struct qs_sink *base, const struct qs_field *group, uint32_t offset)
{
    g_string_append_printf(log_of(base), "open %s @%u\n", group->name, offset);
}

static void log_close(struct qs_sink *base, uint32_t end)
{
    g_string_append_printf(log_of(base), "close @%u\n", end);
}

static void log_value(GString *log, enum qs_type type, const struct qs_value *value)
{
    switch (qs_type_kind(type)) {
    case QS_KIND_NONE:
        break;
    case QS_KIND_BOOL:
    case QS_KIND_UNSIGNED:
    case QS_KIND_TIME:
    case QS_KIND_DURATION:
        g_string_append_printf(log, "%" G_GUINT64_FORMAT, value->u);
        break;
    case QS_KIND_SIGNED:
        g_string_append_printf(log, "%" G_GINT64_FORMAT, value->i);
        break;
    case QS_KIND_REAL:
        g_string_append_printf(log, "%.9g", value->f);
        break;
    case QS_KIND_BYTES:
        for (uint32_t i = 0; i < value->bytes.size; i++)
            g_string_append_printf(log, "%02x", value->bytes.data[i]);
        break;
    }
}

static void log_field(struct qs_sink *base, const struct qs_field *field,
                      const struct qs_value *value)
{
    g_string_append_printf(log_of(base), "%s %u+%u %s ", field->name, value->offset, value->length,
                           value->generated ? ":=" : "=");
    log_value(log_of(base), field->type, value);
    g_string_append_c(log_of(base), '\n');
}

static void log_label(struct qs_sink *base, const char *text)
{
    g_string_append_printf(log_of(base), "label \"%s\"\n", text);
}

static void log_note(struct qs_sink *base, enum qs_note kind, uint32_t offset, uint32_t length,
                     const char *text)
{
    g_string_append_printf(log_of(base), "note %s %u+%u \"%s\"\n", qs_note_kinds[kind].suffix,
                           offset, length, text);
}

static void log_source(struct qs_sink *base, const char *title, const uint8_t *data, uint32_t size)
{
    if (data)
        g_string_append_printf(log_of(base), "source \"%s\" %u\n", title, size);
    else
        g_string_append(log_of(base), "source end\n");
}

void log_sink_init(struct log_sink *sink)
{
    sink->base = (struct qs_sink){.open = log_open,
                                  .close = log_close,
                                  .field = log_field,
                                  .label = log_label,
                                  .note = log_note,
                                  .source = log_source};
    sink->log = g_string_new(NULL);
}

void log_sink_clear(struct log_sink *sink)
{
    g_string_free(sink->log, TRUE);
}

/* --- Scripts --- */

struct qs_packet toy_packet(struct qs_view data)
{
    return (struct qs_packet){.data = data.data,
                              .size = data.size,
                              .wire_size = data.size,
                              .number = 1,
                              .from = QS_END_A};
}

void expect_log(toy_script *script, struct qs_view data, const char *expected)
{
    const struct qs_packet packet = toy_packet(data);
    struct qs_decoder with, without;
    struct toy_session session;
    struct log_sink sink;

    toy_decode = script;
    log_sink_init(&sink);
    qs_decoder_init(&with, &toy_protocol);
    qs_decoder_init(&without, &toy_protocol);

    session_init(&session.base);
    qs_decode(&with, &session.base, &sink.base, &packet);
    assert_string_equal(sink.log->str, expected);

    session_init(&session.base);
    qs_decode(&without, &session.base, NULL, &packet);
    assert_int_equal(without.in.pos, with.in.pos);
    assert_int_equal(without.in.overrun, with.in.overrun);
    assert_int_equal(without.found.undecoded, with.found.undecoded);
    assert_int_equal(without.found.messages->len, with.found.messages->len);
    assert_memory_equal(without.found.notes, with.found.notes, sizeof with.found.notes);

    qs_decoder_clear(&with);
    qs_decoder_clear(&without);
    log_sink_clear(&sink);
}
