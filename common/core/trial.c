/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/core/trial.h"

#include "common/core/decode.h"

/* A decode without a sink, whose session is thrown away. */
struct trial {
    const struct qs_session *session;
    enum qs_direction direction;
    const struct qs_packet *packet;
    void (*decode)(struct qs_decoder *);
};

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
    qs_decoder_run(&decoder, trial->packet, trial->decode);
    problems = qs_decoder_problems(&decoder);
    qs_decoder_clear(&decoder);
    d->protocol->session_clear(session);
    g_free(session);
    return problems;
}

bool qs_are_readable(const struct qs_decoder *d, const struct qs_session *session,
                     struct qs_view bytes, void (*read)(struct qs_decoder *))
{
    struct qs_packet packet = *d->packet;

    packet.data = bytes.data;
    packet.size = packet.wire_size = bytes.size;
    return count_problems(d, &(struct trial){session, d->direction, &packet, read}) == 0;
}

bool qs_is_readable(const struct qs_decoder *d, const struct qs_session *session,
                    void (*read)(struct qs_decoder *))
{
    const struct qs_view rest = {d->in.data + d->in.pos, qs_reader_left(&d->in)};

    return qs_are_readable(d, session, rest, read);
}

/* --- Trials of an unknown packet */

bool qs_reads_alone(const struct qs_protocol *protocol, const struct qs_packet *packet,
                    enum qs_direction direction, struct qs_sink *sink)
{
    struct qs_packet trial = *packet;
    struct qs_session *session = g_malloc(protocol->session_size);
    struct qs_decoder decoder;
    bool good;

    trial.source_is_server_port = direction == QS_S2C;
    trial.destination_is_server_port = direction == QS_C2S;
    protocol->session_init(session);
    qs_decoder_init(&decoder, protocol);
    qs_decode(&decoder, session, sink, &trial);
    good = decoder.messages->len && !qs_decoder_problems(&decoder);
    qs_decoder_clear(&decoder);
    protocol->session_clear(session);
    g_free(session);
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
