/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/core/decoder.h"

#include "common/core/text.h"

/* Text of a title or a summary is cut to this many characters. */
enum { LABEL_CHARACTERS = 60 };

/* --- The summary */

/* Messages of one name, or a message with a text of its own. */
struct summary_item {
    const char *name;
    unsigned count;
    GString *text; /* or NULL */
};

static void clear_summary_item(gpointer item)
{
    GString *text = ((struct summary_item *)item)->text;

    if (text)
        g_string_free(text, TRUE);
}

static void begin_summary(struct qs_decoder *d)
{
    g_string_truncate(d->summary, 0);
    g_array_set_size(d->summary_items, 0);
}

static void end_summary(struct qs_decoder *d)
{
    for (guint i = 0; i < d->summary_items->len; i++) {
        const struct summary_item *item = &g_array_index(d->summary_items, struct summary_item, i);

        g_string_append_printf(d->summary, "%s%s", i ? ", " : ": ", item->name);
        if (item->count > 1)
            g_string_append_printf(d->summary, "×%u", item->count);
        if (item->text)
            g_string_append(d->summary, item->text->str);
    }
}

/* Where text goes now. */
static GString *summary_end(struct qs_decoder *d)
{
    struct summary_item *item;

    if (!d->summary_items->len)
        return d->summary;
    item = &g_array_index(d->summary_items, struct summary_item, d->summary_items->len - 1);
    if (!item->text)
        item->text = g_string_new(NULL);
    return item->text;
}

void qs_summary(struct qs_decoder *d, const char *format, ...)
{
    va_list arguments;

    if (!d->want_summary)
        return;
    va_start(arguments, format);
    g_string_append_vprintf(summary_end(d), format, arguments);
    va_end(arguments);
}

void qs_summary_text(struct qs_decoder *d, const char *before, struct qs_view text,
                     const char *after)
{
    char *readable;

    if (!d->want_summary)
        return;
    readable = qs_text_title(text, LABEL_CHARACTERS);
    qs_summary(d, "%s%s%s", before, readable, after);
    g_free(readable);
}

static void add_summary_item(struct qs_decoder *d, const char *name)
{
    const struct summary_item item = {.name = name, .count = 1};

    for (guint i = 0; i < d->summary_items->len; i++) {
        struct summary_item *known = &g_array_index(d->summary_items, struct summary_item, i);

        if (!known->text && strcmp(known->name, name) == 0) {
            known->count++;
            return;
        }
    }
    g_array_append_val(d->summary_items, item);
}

void qs_summary_message(struct qs_decoder *d, const char *name)
{
    if (d->want_summary)
        add_summary_item(d, name);
}

/* --- Life and one packet */

void qs_decoder_init(struct qs_decoder *d, const struct qs_protocol *protocol)
{
    *d = (struct qs_decoder){.protocol = protocol};
    d->messages = g_array_new(FALSE, FALSE, sizeof(struct qs_message));
    d->transfers = g_array_new(FALSE, FALSE, sizeof(struct qs_transfer));
    g_array_set_clear_func(d->transfers, qs_transfer_clear);
    d->summary = g_string_new(NULL);
    d->summary_items = g_array_new(FALSE, FALSE, sizeof(struct summary_item));
    g_array_set_clear_func(d->summary_items, clear_summary_item);
}

void qs_decoder_clear(struct qs_decoder *d)
{
    g_array_free(d->messages, TRUE);
    g_array_free(d->transfers, TRUE);
    g_string_free(d->summary, TRUE);
    g_array_free(d->summary_items, TRUE);
}

static enum qs_direction direction_of(const struct qs_session *session,
                                      const struct qs_packet *packet)
{
    if (session->server != QS_END_UNKNOWN && packet->from != QS_END_UNKNOWN)
        return session->server == packet->from ? QS_S2C : QS_C2S;
    if (packet->source_is_server_port != packet->destination_is_server_port)
        return packet->source_is_server_port ? QS_S2C : QS_C2S;
    return QS_DIRECTION_UNKNOWN;
}

/* Runs `decode` over `packet` with whatever session, sink and direction the decoder has. */
static void run(struct qs_decoder *d, const struct qs_packet *packet,
                void (*decode)(struct qs_decoder *))
{
    d->packet = packet;
    d->in = qs_reader_over(packet->data, packet->size);
    d->fields_wanted = d->sink && d->sink->field;
    d->stop = false;
    d->source_depth = 0;
    d->coord_format = QS_COORD_SHORT;
    d->angle_format = QS_ANGLE_BYTE;
    d->id_mask = UINT8_MAX;
    d->connectionless = false;
    d->accepted = false;
    d->sequence = d->acknowledged = 0;
    d->undecoded = 0;
    d->problems = 0;
    memset(d->notes, 0, sizeof d->notes);
    g_array_set_size(d->messages, 0);
    if (d->transfers->len)
        g_array_set_size(d->transfers, 0);
    d->announced.valid = false;
    if (d->want_summary)
        begin_summary(d);
    decode(d);
    if (packet->size < packet->wire_size)
        qs_note(d, QS_NOTE_CUT, packet->size, 0, "The capture lacks the last %u of %u bytes",
                packet->wire_size - packet->size, packet->wire_size);
    if (d->want_summary)
        end_summary(d);
}

static void prepare(struct qs_decoder *d, struct qs_session *session, struct qs_sink *sink,
                    enum qs_direction direction)
{
    d->session = session;
    d->sink = sink;
    if (sink)
        sink->protocol = d->protocol;
    d->direction = direction;
}

void qs_decode(struct qs_decoder *d, struct qs_session *session, struct qs_sink *sink,
               const struct qs_packet *packet)
{
    prepare(d, session, sink, direction_of(session, packet));
    run(d, packet, d->protocol->decode);
}

void qs_decode_server_messages(struct qs_decoder *d, struct qs_session *session,
                               struct qs_sink *sink, const struct qs_packet *block)
{
    prepare(d, session, sink, QS_S2C);
    run(d, block, d->protocol->decode_server_messages);
}

uint32_t qs_decoder_problems(const struct qs_decoder *d)
{
    return d->problems;
}

/* Blocks may have a payload within. */
static void run_block(struct qs_decoder *d, const struct qs_packet *block, uint32_t offset,
                      void (*decode)(struct qs_decoder *))
{
    d->origin = offset;
    d->payload = *block;
    run(d, block, decode);
    d->packet = block;
    d->origin = 0;
}

void qs_decode_demo_block(struct qs_decoder *d, const struct qs_demo_format *format,
                          struct qs_session *session, struct qs_sink *sink,
                          const struct qs_packet *block, uint32_t offset)
{
    prepare(d, session, sink, QS_S2C);
    run_block(d, block, offset, format->decode_block);
}

void qs_decode_unit(struct qs_decoder *d, struct qs_session *session, struct qs_sink *sink,
                    const struct qs_packet *unit)
{
    prepare(d, session, sink, direction_of(session, unit));
    run_block(d, unit, 0, d->protocol->decode_unit);
}

void qs_enter_payload(struct qs_decoder *d)
{
    const uint32_t size = qs_reader_left(&d->in);

    d->origin += d->in.pos;
    d->payload.data = d->in.data + d->in.pos;
    d->payload.size = d->payload.wire_size = size;
    d->packet = &d->payload;
    d->in = qs_reader_over(d->payload.data, size);
}

uint32_t qs_option(const struct qs_decoder *d, unsigned index)
{
    return d->options ? d->options[index] : d->protocol->options[index].standard;
}

/* --- Trials */

/* A decode that is not heard, and whose session is thrown away. */
struct trial {
    const struct qs_session *session;
    enum qs_direction direction;
    const struct qs_packet *packet;
    void (*decode)(struct qs_decoder *);
};

/* How many problems it finds. */
static uint32_t count_problems(const struct qs_decoder *d, const struct trial *trial)
{
    struct qs_decoder decoder;
    struct qs_session *session = g_malloc(d->protocol->session_size);
    uint32_t problems;

    d->protocol->session_copy(session, trial->session);
    qs_decoder_init(&decoder, d->protocol);
    decoder.session = session;
    decoder.options = d->options;
    decoder.direction = trial->direction;
    decoder.probing = true;
    run(&decoder, trial->packet, trial->decode);
    problems = qs_decoder_problems(&decoder);
    qs_decoder_clear(&decoder);
    d->protocol->session_clear(session);
    g_free(session);
    return problems;
}

bool qs_is_readable(const struct qs_decoder *d, const struct qs_session *session,
                    void (*read)(struct qs_decoder *))
{
    struct qs_packet rest = *d->packet;

    rest.data = d->in.data + d->in.pos;
    rest.size = rest.wire_size = qs_reader_left(&d->in);
    return count_problems(d, &(struct trial){session, d->direction, &rest, read}) == 0;
}

/* --- Direction */

static bool is_readable_as(const struct qs_decoder *d, enum qs_direction direction)
{
    const struct trial trial = {d->session, direction, d->packet, d->protocol->decode};

    return count_problems(d, &trial) == 0;
}

enum qs_direction qs_probe_direction(struct qs_decoder *d)
{
    const bool as_client = is_readable_as(d, QS_C2S);
    const bool as_server = is_readable_as(d, QS_S2C);

    if (as_client == as_server)
        return QS_DIRECTION_UNKNOWN;
    return as_client ? QS_C2S : QS_S2C;
}

bool qs_session_from_server(const struct qs_session *session, const struct qs_packet *packet)
{
    return session->server != QS_END_UNKNOWN && session->server == packet->from;
}

void qs_learn_direction(struct qs_decoder *d, enum qs_direction direction)
{
    d->direction = direction;
    if (direction == QS_DIRECTION_UNKNOWN || d->packet->from == QS_END_UNKNOWN)
        return;
    if (direction == QS_S2C)
        d->session->server = d->packet->from;
    else
        d->session->server = d->packet->from == QS_END_A ? QS_END_B : QS_END_A;
}

/* --- Emitting */

static void emit_row(struct qs_decoder *d, unsigned id, const struct qs_value *value)
{
    d->sink->field(d->sink, &d->protocol->fields[id], value);
}

/* The rows with a mask behind an unmasked integer row are its parts. */
static void emit_parts(struct qs_decoder *d, unsigned id, const struct qs_value *whole)
{
    const struct qs_field *row = &d->protocol->fields[id];

    if (row->mask)
        return;
    while (++id < d->protocol->field_count && d->protocol->fields[id].mask) {
        const uint32_t mask = d->protocol->fields[id].mask;
        struct qs_value part = *whole;

        part.u = (whole->u & mask) >> __builtin_ctz(mask);
        emit_row(d, id, &part);
    }
}

/* An offset as the sink hears it: in the innermost source, or from the origin on. */
static uint32_t location(const struct qs_decoder *d, uint32_t offset)
{
    return d->source_depth ? offset : d->origin + offset;
}

static void emit_value(struct qs_decoder *d, unsigned id, struct qs_value value)
{
    if (d->in.overrun)
        return;
    value.offset = location(d, value.offset);
    emit_row(d, id, &value);
    emit_parts(d, id, &value);
}

void qs_emit_value_uint(struct qs_decoder *d, unsigned id, uint32_t offset, uint32_t length,
                        bool generated, uint64_t value)
{
    emit_value(d, id, (struct qs_value){offset, length, generated, .u = value});
}

void qs_emit_value_int(struct qs_decoder *d, unsigned id, uint32_t offset, uint32_t length,
                       bool generated, int64_t value)
{
    emit_value(d, id, (struct qs_value){offset, length, generated, .i = value});
}

void qs_emit_value_double(struct qs_decoder *d, unsigned id, uint32_t offset, uint32_t length,
                          bool generated, double value)
{
    emit_value(d, id, (struct qs_value){offset, length, generated, .f = value});
}

void qs_emit_value_bytes(struct qs_decoder *d, unsigned id, uint32_t offset, uint32_t length,
                         bool generated, struct qs_view value)
{
    emit_value(d, id, (struct qs_value){offset, length, generated, .bytes = value});
}

void qs_emit_generated_text(struct qs_decoder *d, unsigned id, uint32_t offset, uint32_t length,
                            const char *text)
{
    if (text)
        qs_emit_generated_bytes(d, id, offset, length, qs_view_of(text));
}

void qs_open_at(struct qs_decoder *d, unsigned id, uint32_t offset)
{
    if (d->fields_wanted && d->sink->open)
        d->sink->open(d->sink, &d->protocol->fields[id], location(d, offset));
}

void qs_close_at(struct qs_decoder *d, uint32_t end)
{
    if (d->fields_wanted && d->sink->close)
        d->sink->close(d->sink, location(d, end));
}

void qs_open(struct qs_decoder *d, unsigned id)
{
    qs_open_at(d, id, d->in.pos);
}

void qs_close(struct qs_decoder *d)
{
    qs_close_at(d, d->in.pos);
}

/* As with fields, nothing is said of values that were not there to be read. */
static bool label_wanted(const struct qs_decoder *d)
{
    return d->fields_wanted && d->sink->label && !d->in.overrun;
}

void qs_label(struct qs_decoder *d, const char *format, ...)
{
    va_list arguments;
    char *text;

    if (!label_wanted(d))
        return;
    va_start(arguments, format);
    text = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    d->sink->label(d->sink, text);
    g_free(text);
}

void qs_label_text(struct qs_decoder *d, const char *before, struct qs_view text, const char *after)
{
    char *readable;

    if (!label_wanted(d))
        return;
    readable = qs_text_title(text, LABEL_CHARACTERS);
    qs_label(d, "%s%s%s", before, readable, after);
    g_free(readable);
}

void qs_note(struct qs_decoder *d, enum qs_note kind, uint32_t offset, uint32_t length,
             const char *format, ...)
{
    va_list arguments;
    char *text;

    d->notes[kind]++;
    d->problems += qs_note_kinds[kind].problem;
    if (!d->sink || !d->sink->note)
        return;
    va_start(arguments, format);
    text = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    d->sink->note(d->sink, kind, location(d, offset), length, text);
    g_free(text);
}

/* --- Readers */

uint8_t qs_scaled_u8(struct qs_decoder *d, unsigned id, double scale)
{
    const uint32_t at = d->in.pos;
    const uint8_t value = qs_reader_u8(&d->in);

    qs_emit_double(d, id, at, 1, value * scale);
    return value;
}

int8_t qs_scaled_i8(struct qs_decoder *d, unsigned id, double scale)
{
    const uint32_t at = d->in.pos;
    const int8_t value = (int8_t)qs_reader_u8(&d->in);

    qs_emit_double(d, id, at, 1, value * scale);
    return value;
}

int16_t qs_scaled_i16(struct qs_decoder *d, unsigned id, double scale)
{
    const uint32_t at = d->in.pos;
    const int16_t value = (int16_t)qs_reader_u16(&d->in);

    qs_emit_double(d, id, at, 2, value * scale);
    return value;
}

static double read_coord(struct qs_decoder *d)
{
    double units;

    switch (d->coord_format) {
    case QS_COORD_WHOLE:
        return (int16_t)qs_reader_u16(&d->in);
    case QS_COORD_24BIT:
        units = (int16_t)qs_reader_u16(&d->in);
        return units + qs_reader_u8(&d->in) / 255.0;
    case QS_COORD_INT32:
        return (int32_t)qs_reader_u32(&d->in) / 16.0;
    case QS_COORD_FLOAT32:
        return (double)qs_float_of_bits(qs_reader_u32(&d->in));
    case QS_COORD_SHORT:
        break;
    }
    return (int16_t)qs_reader_u16(&d->in) / 8.0;
}

double qs_coord(struct qs_decoder *d, unsigned id)
{
    const uint32_t at = d->in.pos;
    const double value = read_coord(d);

    qs_emit_double(d, id, at, d->in.pos - at, value);
    return value;
}

int8_t qs_angle8(struct qs_decoder *d, unsigned id)
{
    return qs_scaled_i8(d, id, 360.0 / 256);
}

int16_t qs_angle16(struct qs_decoder *d, unsigned id)
{
    return qs_scaled_i16(d, id, 360.0 / 65536);
}

double qs_angle(struct qs_decoder *d, unsigned id)
{
    switch (d->angle_format) {
    case QS_ANGLE_SHORT:
        return qs_angle16(d, id) * (360.0 / 65536);
    case QS_ANGLE_FLOAT32:
        return (double)qs_f32(d, id);
    case QS_ANGLE_BYTE:
        break;
    }
    return qs_angle8(d, id) * (360.0 / 256);
}

void qs_coord3(struct qs_decoder *d, unsigned id)
{
    double x, y, z;

    qs_open(d, id);
    x = qs_coord(d, id + 1);
    y = qs_coord(d, id + 2);
    z = qs_coord(d, id + 3);
    qs_label(d, ": (%g %g %g)", x, y, z);
    qs_close(d);
}

void qs_angle3(struct qs_decoder *d, unsigned id)
{
    double pitch, yaw, roll;

    qs_open(d, id);
    pitch = qs_angle(d, id + 1);
    yaw = qs_angle(d, id + 2);
    roll = qs_angle(d, id + 3);
    qs_label(d, ": (%g° %g° %g°)", pitch, yaw, roll);
    qs_close(d);
}

struct qs_view qs_text(struct qs_decoder *d, unsigned id)
{
    const uint32_t at = d->in.pos;
    const struct qs_view text = qs_reader_string(&d->in);

    qs_emit_bytes(d, id, at, d->in.pos - at, text);
    return text;
}

struct qs_view qs_bytes(struct qs_decoder *d, unsigned id, uint32_t size)
{
    const uint32_t at = d->in.pos;
    const uint8_t *data = qs_reader_take(&d->in, size);
    const struct qs_view bytes = {data, data ? size : 0};

    qs_emit_bytes(d, id, at, size, bytes);
    return bytes;
}

struct qs_view qs_text_sized(struct qs_decoder *d, unsigned id, uint32_t size)
{
    return qs_bytes(d, id, size);
}

void qs_undecoded_to(struct qs_decoder *d, uint32_t end)
{
    const uint32_t left = end - d->in.pos;

    /* After an overrun the range is closed, but the bytes are there to be shown. */
    d->in.limit = d->in.size;
    d->in.overrun = false;
    if (!left)
        return;
    d->problems += !d->undecoded;
    d->undecoded += left;
    qs_bytes(d, d->protocol->undecoded, left);
}

void qs_undecoded(struct qs_decoder *d)
{
    qs_undecoded_to(d, d->in.size);
}

/* --- The message loop */

static void note_unread(struct qs_decoder *d, const struct qs_message_type *type, uint32_t id,
                        uint32_t start)
{
    if (!type)
        qs_note(d, QS_NOTE_UNKNOWN_MESSAGE, start, 1, "Unknown message %u", id);
    else if (!type->read)
        qs_note(d, QS_NOTE_UNKNOWN_MESSAGE, start, 1, "%s is obsolete and cannot be read",
                type->name);
    else if (d->in.overrun && d->packet->size < d->packet->wire_size && !d->source_depth)
        return; /* The capture cut the packet: said once for the packet. */
    else if (d->in.overrun)
        qs_note(d, QS_NOTE_MALFORMED, start, d->in.pos - start, "%s at offset %u runs past the end",
                type->name, start);
}

static void keep_message(struct qs_decoder *d, uint32_t start, uint8_t id)
{
    const struct qs_message message = {
        .offset = start, .length = d->in.pos - start, .id = id, .source = (uint8_t)d->source_depth};

    g_array_append_val(d->messages, message);
}

/* One message; returns whether another may follow. */
static bool read_message(struct qs_decoder *d, unsigned id_row, qs_message_lookup *lookup)
{
    const uint32_t start = d->in.pos;
    const uint8_t id = d->in.data[start] & d->id_mask;
    const struct qs_message_type *type = lookup(d, id);
    const bool readable = type && type->read;

    if (type) {
        qs_open(d, type->group);
        qs_summary_message(d, type->brief);
    }
    qs_reader_take(&d->in, 1);
    qs_emit_uint(d, id_row, start, 1, id);
    if (readable)
        type->read(d);
    if (!readable || d->in.overrun)
        note_unread(d, type, id, start);
    else if (!d->stop)
        keep_message(d, start, id);
    if (type)
        qs_close(d);
    return readable && !d->in.overrun && !d->stop;
}

void qs_read_messages(struct qs_decoder *d, unsigned id_row, qs_message_lookup *lookup)
{
    while (qs_reader_left(&d->in))
        if (!read_message(d, id_row, lookup))
            break;
    qs_undecoded(d);
}

/* --- Other byte ranges */

bool qs_push_source(struct qs_decoder *d, const char *title, const uint8_t *data, uint32_t size)
{
    if (d->source_depth == QS_SOURCES_MAX)
        return false;
    /* Sinks know the end of a source by the data that is not there. */
    if (!data)
        data = (const uint8_t *)"";
    d->outer[d->source_depth++] = d->in;
    d->in = qs_reader_over(data, size);
    if (d->sink && d->sink->source)
        d->sink->source(d->sink, title, data, size);
    return true;
}

void qs_pop_source(struct qs_decoder *d)
{
    d->in = d->outer[--d->source_depth];
    if (d->sink && d->sink->source)
        d->sink->source(d->sink, NULL, NULL, 0);
}
