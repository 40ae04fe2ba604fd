/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/quake/wire.h"

enum { CLIENT_PORT = 40000, SERVER_PORT = 26000 };

void wire_init(struct wire *wire)
{
    qs_decoder_init(&wire->decoder, &nq_protocol);
    nq_protocol.session_init(&wire->session.base);
    wire->packet = g_byte_array_new();
    wire->listener = text_listener_new();
}

void wire_clear(struct wire *wire)
{
    qs_decoder_clear(&wire->decoder);
    nq_protocol.session_clear(&wire->session.base);
    g_byte_array_free(wire->packet, TRUE);
    g_string_free(wire->listener.received, TRUE);
}

static struct qs_packet packet_of(struct wire *wire, struct qs_view bytes)
{
    return (struct qs_packet){.data = bytes.data,
                              .size = bytes.size,
                              .wire_size = bytes.size,
                              .number = ++wire->number,
                              .from = QS_END_UNKNOWN};
}

static void set_ends(struct qs_packet *packet, enum qs_direction direction)
{
    const struct qs_address client = {.family = 4, .bytes = {10, 0, 0, 1}, .port = CLIENT_PORT};
    const struct qs_address server = {.family = 4, .bytes = {10, 0, 0, 2}, .port = SERVER_PORT};
    const bool to_client = direction == QS_S2C;

    packet->from = to_client ? QS_END_B : QS_END_A;
    packet->source = to_client ? server : client;
    packet->destination = to_client ? client : server;
}

void wire_packet(struct wire *wire, enum qs_direction direction, struct qs_view bytes)
{
    struct qs_packet packet;

    g_byte_array_set_size(wire->packet, 0);
    g_byte_array_append(wire->packet, bytes.data, bytes.size);
    packet = packet_of(wire, (struct qs_view){wire->packet->data, wire->packet->len});
    packet.size -= MIN(wire->cut, packet.size);
    set_ends(&packet, direction);
    if (!wire->server_is_unknown)
        wire->session.base.server = QS_END_B;
    g_string_truncate(wire->listener.received, 0);
    qs_decode(&wire->decoder, &wire->session.base, &wire->listener.base, &packet);
}

void wire_send(struct wire *wire, enum qs_direction direction, uint32_t flags, uint32_t sequence,
               struct qs_view payload)
{
    const uint32_t words[] = {GUINT32_TO_BE(flags | (NET_HEADER_SIZE + payload.size)),
                              GUINT32_TO_BE(sequence)};
    g_autoptr(GByteArray) bytes = g_byte_array_new();

    g_byte_array_append(bytes, (const guint8 *)words, sizeof words);
    g_byte_array_append(bytes, payload.data, payload.size);
    wire_packet(wire, direction, (struct qs_view){bytes->data, bytes->len});
}

void wire_block(struct wire *wire, struct qs_view messages)
{
    const struct qs_packet packet = packet_of(wire, messages);

    g_string_truncate(wire->listener.received, 0);
    qs_decode_server_messages(&wire->decoder, &wire->session.base, &wire->listener.base, &packet);
}

static void assert_no_problem(const struct wire *wire)
{
    if (qs_decoder_problems(&wire->decoder))
        print_error("%s", wire->listener.received->str);
    assert_int_equal(qs_decoder_problems(&wire->decoder), 0);
}

void wire_assert_reads(struct wire *wire, struct qs_view messages)
{
    wire_block(wire, messages);
    assert_no_problem(wire);
}

void wire_assert_client_reads(struct wire *wire, uint32_t sequence, struct qs_view messages)
{
    wire_send(wire, QS_C2S, NETFLAG_UNRELIABLE, sequence, messages);
    assert_no_problem(wire);
}
