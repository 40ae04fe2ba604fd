/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/core/decode.h"

#include "common/core/containers.h"
#include "common/core/emit.h"
#include "common/core/inflate.h"
#include "common/core/values.h"
#include "common/core/findings.h"

void qs_decoder_init(struct qs_decoder *d, const struct qs_protocol *protocol)
{
    *d = (struct qs_decoder){.protocol = protocol};
    d->found.messages = g_array_new(FALSE, FALSE, sizeof(struct qs_message));
    d->found.entities = g_array_new(FALSE, FALSE, sizeof(struct qs_entity_update));
    d->found.player_events = g_array_new(FALSE, FALSE, sizeof(struct qs_player_event));
    d->found.transfers = g_array_new(FALSE, FALSE, sizeof(struct qs_transfer));
    g_array_set_clear_func(d->found.transfers, qs_transfer_clear);
    qs_summary_init(d);
}

void qs_decoder_clear(struct qs_decoder *d)
{
    g_array_free(d->found.messages, TRUE);
    g_array_free(d->found.entities, TRUE);
    g_array_free(d->found.player_events, TRUE);
    g_array_free(d->found.transfers, TRUE);
    qs_summary_clear(d);
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

/* Clears the findings of the packet before; arrays keep their memory. */
static void empty_found(struct qs_found *found)
{
    found->connectionless = found->accepted = false;
    found->sequence = found->acknowledged = 0;
    found->fragment = found->fragments = 0;
    found->path = (struct qs_path_facts){0};
    found->request_count = found->credential_count = 0;
    qs_array_empty(found->messages);
    memset(found->message_ids, 0, sizeof found->message_ids);
    qs_array_empty(found->entities);
    if (found->player_events->len)
        g_array_set_size(found->player_events, 0);
    found->announced.valid = false;
    found->map = (struct qs_view){0};
    if (found->transfers->len)
        g_array_set_size(found->transfers, 0);
    memset(found->notes, 0, sizeof found->notes);
    found->undecoded = found->problems = 0;
}

/* Prepares the decoder, calls `decode` for the packet, and completes notes and summary. */
static void run(struct qs_decoder *d, struct qs_session *session, struct qs_sink *sink,
                enum qs_direction direction, const struct qs_packet *packet,
                void (*decode)(struct qs_decoder *))
{
    const bool is_over = session->disconnected;

    d->session = session;
    d->sink = sink;
    if (sink)
        sink->protocol = d->protocol;
    empty_found(&d->found);
    d->found.direction = direction;
    d->packet = packet;
    d->in = qs_reader_over(packet->data, packet->size);
    d->fields_wanted = sink && sink->field;
    d->values_wanted = d->fields_wanted || d->want_summary;
    d->unlisted = d->stop = false;
    d->coord_format = QS_COORD_SHORT;
    d->angle_format = QS_ANGLE_BYTE;
    d->id_mask = UINT8_MAX;
    d->whole_id = 0;
    d->inflated = 0;
    d->source_depth = 0;
    if (d->redactor)
        d->redactor->begin(d->redactor);
    if (d->want_summary)
        qs_summary_begin(d);
    decode(d);
    d->found.is_outside = is_over && d->found.connectionless;
    qs_inflate_end(d);
    if (qs_packet_is_cut(packet))
        qs_note(d, QS_NOTE_CUT, packet->size, 0, "The capture lacks the last %u of %u bytes",
                packet->wire_size - packet->size, packet->wire_size);
    if (d->want_summary)
        qs_summary_end(d);
}

void qs_decode(struct qs_decoder *d, struct qs_session *session, struct qs_sink *sink,
               const struct qs_packet *packet)
{
    run(d, session, sink, direction_of(session, packet), packet, d->protocol->decode);
}

void qs_decode_server_messages(struct qs_decoder *d, struct qs_session *session,
                               struct qs_sink *sink, const struct qs_packet *block)
{
    run(d, session, sink, QS_S2C, block, d->protocol->decode_server_messages);
}

uint32_t qs_decoder_problems(const struct qs_decoder *d)
{
    return d->found.problems;
}

void qs_decode_block(struct qs_decoder *d, void (*decode)(struct qs_decoder *),
                     struct qs_session *session, struct qs_sink *sink,
                     const struct qs_packet *block, uint32_t offset)
{
    const enum qs_direction direction = block->pdu ? direction_of(session, block) : QS_S2C;

    d->origin = offset;
    d->payload = *block;
    run(d, session, sink, direction, block, decode);
    d->packet = block;
    d->origin = 0;
}

void qs_decode_pdu(struct qs_decoder *d, struct qs_session *session, struct qs_sink *sink,
                   const struct qs_packet *pdu)
{
    qs_decode_block(d, d->protocol->decode_pdu, session, sink, pdu, 0);
}

bool qs_push_source(struct qs_decoder *d, const char *title, const uint8_t *data, uint32_t size)
{
    if (d->source_depth == QS_SOURCES_MAX)
        return false;
    /* Sinks take NULL data for the end of a source. */
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

void qs_enter_payload(struct qs_decoder *d)
{
    const uint32_t size = qs_reader_left(&d->in);

    d->origin += d->in.pos;
    d->payload.data = d->in.data + d->in.pos;
    d->payload.size = d->payload.wire_size = size;
    d->packet = &d->payload;
    d->in = qs_reader_over(d->payload.data, size);
}

void qs_no_block(struct qs_decoder *d)
{
    qs_note(d, QS_NOTE_MALFORMED, 0, d->in.size, "Not a demo block");
    qs_undecoded(d);
}

void qs_read_nothing(struct qs_decoder *d)
{
    (void)d;
}

static void note_unread(struct qs_decoder *d, const struct qs_message_type *type, uint32_t id,
                        uint32_t start)
{
    if (!type)
        qs_note(d, QS_NOTE_UNKNOWN_MESSAGE, start, 1, "Unknown message %u", id);
    else if (!type->read)
        qs_note(d, QS_NOTE_UNKNOWN_MESSAGE, start, 1, "%s is obsolete and cannot be read",
                type->name);
    else if (d->in.overrun && qs_packet_is_cut(d->packet) && !d->source_depth)
        return; /* run() reports a packet that the capture cut */
    else if (d->in.overrun)
        qs_note(d, QS_NOTE_MALFORMED, start, d->in.pos - start, "%s at offset %u runs past the end",
                type->name, start);
}

static inline void keep_message(struct qs_decoder *d, uint32_t start, uint8_t id)
{
    const guint index = qs_array_add(d->found.messages, &d->found.messages_room);

    d->found.message_ids[id / 64] |= UINT64_C(1) << id % 64;
    g_array_index(d->found.messages, struct qs_message, index) =
        (struct qs_message){.offset = start,
                            .length = d->in.pos - start,
                            .id = id,
                            .source = (uint8_t)d->source_depth,
                            .is_unlisted = d->unlisted,
                            .bytes = d->in.data + start};
}

bool qs_read_message(struct qs_decoder *d, unsigned id_row, qs_message_lookup *lookup)
{
    const uint32_t start = d->in.pos;
    const uint8_t byte = d->in.data[start];
    const uint8_t id = byte && byte == d->whole_id ? byte : byte & d->id_mask;
    const struct qs_message_type *type = lookup(d, id);
    const bool readable = type && type->read;

    if (type) {
        qs_open(d, type->group);
        if (d->want_summary)
            qs_summary_message(d, type->brief);
    }
    d->unlisted = false;
    qs_reader_bytes(&d->in, 1);
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
        if (!qs_read_message(d, id_row, lookup))
            break;
    qs_undecoded(d);
}

/* --- Trial decoding */

/* A decode whose session is discarded. */
struct trial_decode {
    struct qs_decoder decoder;
    struct qs_session *session; /* copy of the known session, or a new one */
};

static void trial_begin(struct trial_decode *trial, const struct qs_protocol *protocol,
                        const struct qs_session *known)
{
    trial->session = g_malloc(protocol->session_size);
    if (known)
        protocol->session_copy(trial->session, known);
    else
        protocol->session_init(trial->session);
    qs_decoder_init(&trial->decoder, protocol);
}

static void trial_end(struct trial_decode *trial)
{
    trial->decoder.protocol->session_clear(trial->session);
    qs_decoder_clear(&trial->decoder);
    g_free(trial->session);
}

bool qs_reads_as(const struct qs_decoder *d, const struct qs_session *session,
                 enum qs_direction direction, const struct qs_packet *packet,
                 void (*decode)(struct qs_decoder *))
{
    struct trial_decode trial;
    bool good;

    trial_begin(&trial, d->protocol, session);
    trial.decoder.options = d->options;
    trial.decoder.probing = true;
    run(&trial.decoder, trial.session, NULL, direction, packet, decode);
    good = !trial.decoder.found.problems;
    trial_end(&trial);
    return good;
}

bool qs_are_readable(const struct qs_decoder *d, const struct qs_session *session,
                     struct qs_view bytes, void (*read)(struct qs_decoder *))
{
    struct qs_packet packet = *d->packet;

    packet.data = bytes.data;
    packet.size = packet.wire_size = bytes.size;
    return qs_reads_as(d, session, d->found.direction, &packet, read);
}

bool qs_is_readable(const struct qs_decoder *d, const struct qs_session *session,
                    void (*read)(struct qs_decoder *))
{
    return qs_are_readable(d, session, qs_rest(d), read);
}

bool qs_reads_alone(const struct qs_protocol *protocol, const struct qs_packet *packet,
                    enum qs_direction direction, struct qs_sink *sink)
{
    struct qs_packet alone = *packet;
    struct trial_decode trial;
    bool good;

    alone.source_is_server_port = direction == QS_S2C;
    alone.destination_is_server_port = direction == QS_C2S;
    trial_begin(&trial, protocol, NULL);
    qs_decode(&trial.decoder, trial.session, sink, &alone);
    good = trial.decoder.found.messages->len && !trial.decoder.found.problems;
    trial_end(&trial);
    return good;
}

bool qs_may_be_read(const struct qs_protocol *protocol, const struct qs_packet *packet)
{
    const bool to_server = packet->destination_is_server_port || !packet->source_is_server_port;
    const bool from_server = packet->source_is_server_port || !packet->destination_is_server_port;

    return qs_packet_is_cut(packet) ||
           (from_server && qs_reads_alone(protocol, packet, QS_S2C, NULL)) ||
           (to_server && qs_reads_alone(protocol, packet, QS_C2S, NULL));
}

enum qs_direction qs_probe_direction(struct qs_decoder *d)
{
    const bool as_client = qs_reads_as(d, d->session, QS_C2S, d->packet, d->protocol->decode);
    const bool as_server = qs_reads_as(d, d->session, QS_S2C, d->packet, d->protocol->decode);

    if (as_client == as_server)
        return QS_DIRECTION_UNKNOWN;
    return as_client ? QS_C2S : QS_S2C;
}

void qs_learn_direction(struct qs_decoder *d, enum qs_direction direction)
{
    const bool is_known = d->session->level && !d->session->disconnected;

    d->found.direction = direction;
    if (direction == QS_DIRECTION_UNKNOWN || d->packet->from == QS_END_UNKNOWN || is_known)
        return;
    if (direction == QS_S2C)
        d->session->server = d->packet->from;
    else
        d->session->server = qs_other_end(d->packet->from);
}
