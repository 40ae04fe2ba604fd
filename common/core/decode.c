/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/core/decode.h"

#include "common/core/emit.h"
#include "common/core/inflate.h"
#include "common/core/message.h"
#include "common/core/summary.h"
#include "common/netchan/transfer.h"

void qs_decoder_init(struct qs_decoder *d, const struct qs_protocol *protocol)
{
    *d = (struct qs_decoder){.protocol = protocol};
    d->messages = g_array_new(FALSE, FALSE, sizeof(struct qs_message));
    d->entities = g_array_new(FALSE, FALSE, sizeof(struct qs_entity_update));
    d->transfers = g_array_new(FALSE, FALSE, sizeof(struct qs_transfer));
    g_array_set_clear_func(d->transfers, qs_transfer_clear);
    qs_summary_init(d);
}

void qs_decoder_clear(struct qs_decoder *d)
{
    g_array_free(d->messages, TRUE);
    g_array_free(d->entities, TRUE);
    g_array_free(d->transfers, TRUE);
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

void qs_decoder_run(struct qs_decoder *d, const struct qs_packet *packet,
                    void (*decode)(struct qs_decoder *))
{
    d->packet = packet;
    d->in = qs_reader_over(packet->data, packet->size);
    d->fields_wanted = d->sink && d->sink->field;
    d->values_wanted = d->fields_wanted || d->want_summary;
    d->stop = false;
    d->inflated = 0;
    d->source_depth = 0;
    d->coord_format = QS_COORD_SHORT;
    d->angle_format = QS_ANGLE_BYTE;
    d->id_mask = UINT8_MAX;
    d->whole_id = 0;
    d->connectionless = false;
    d->handshake = false;
    d->accepted = false;
    d->sequence = d->acknowledged = 0;
    d->lost = d->fragment = d->fragments = 0;
    d->exchange_count = d->credential_count = 0;
    if (d->guard)
        d->guard->begin(d->guard);
    d->undecoded = 0;
    d->problems = 0;
    memset(d->notes, 0, sizeof d->notes);
    qs_forget_messages(d);
    if (d->transfers->len)
        g_array_set_size(d->transfers, 0);
    d->announced.valid = false;
    if (d->want_summary)
        qs_summary_begin(d);
    decode(d);
    qs_inflate_end(d);
    if (qs_packet_is_cut(packet))
        qs_note(d, QS_NOTE_CUT, packet->size, 0, "The capture lacks the last %u of %u bytes",
                packet->wire_size - packet->size, packet->wire_size);
    if (d->want_summary)
        qs_summary_end(d);
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
    qs_decoder_run(d, packet, d->protocol->decode);
}

void qs_decode_server_messages(struct qs_decoder *d, struct qs_session *session,
                               struct qs_sink *sink, const struct qs_packet *block)
{
    prepare(d, session, sink, QS_S2C);
    qs_decoder_run(d, block, d->protocol->decode_server_messages);
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
    qs_decoder_run(d, block, decode);
    d->packet = block;
    d->origin = 0;
}

void qs_decode_block(struct qs_decoder *d, void (*decode)(struct qs_decoder *),
                     struct qs_session *session, struct qs_sink *sink,
                     const struct qs_packet *block, uint32_t offset)
{
    prepare(d, session, sink, QS_S2C);
    run_block(d, block, offset, decode);
}

void qs_decode_unit(struct qs_decoder *d, struct qs_session *session, struct qs_sink *sink,
                    const struct qs_packet *unit)
{
    prepare(d, session, sink, direction_of(session, unit));
    run_block(d, unit, 0, d->protocol->decode_unit);
}
