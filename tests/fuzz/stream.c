/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * TCP segments of one connection are reassembled into PDUs, each of which is decoded as in
 * fuzz_decode. demo_check.h checks the demo that is rebuilt of the same bytes.
 */
#include "common/core/writer.h"
#include "common/sessions/conversation.h"
#include "pcap2demo/capture/ip.h"
#include "tests/fuzz/demo_check.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/invariants.h"
#include "common/protocols.h"

enum { STEP = 50, WORDS = 5, INTERVAL = 1000000, FIN = 1, RST = 4, ACK = 16 };

struct connection_under_test {
    const struct qs_protocol *protocol;
    struct qs_session *session;
    struct qs_decoder decoder;
    struct invariants invariants;
    struct tcp *tcp;
    struct qs_stream *stream;
    uint32_t next[2];  /* next sequence numbers of the client and the server */
    uint64_t number;   /* number of the last segment */
    uint64_t received; /* number of bytes delivered */
    struct demo_rebuild rebuild;
    void *reader; /* state of the connection in the rebuild */
};

static void add_bytes(struct connection_under_test *test, const struct qs_packet *bytes)
{
    uint32_t left = bytes->size, pdus = 0;
    struct qs_packet pdu;

    test->received += bytes->size;
    qs_sessions_bytes(test->rebuild.sessions, &test->reader, bytes);
    qs_stream_add(test->stream, bytes);
    while (qs_stream_next(test->stream, test->session, &pdu)) {
        if (pdu.size != pdu.wire_size || (!pdu.size && !pdu.missing))
            fuzz_broken("an empty PDU", "");
        pdus++;
        invariants_decode_twice(&test->invariants, &test->decoder, test->session, &pdu);
    }
    if (pdus > left + 1)
        fuzz_broken("more PDUs than bytes", "");
}

static void receive(void *user, struct tcp_connection *connection, const struct qs_packet *packet)
{
    (void)connection;
    if (packet)
        add_bytes(user, packet);
}

/* --- Segments --- */

struct sent {
    const uint8_t *data;
    uint32_t size, sequence;
};

static void send_segment(struct connection_under_test *test, const struct fuzz_piece *piece,
                         const struct sent *sent)
{
    const bool server = piece->bits & FUZZ_STREAM_FROM_SERVER;
    struct qs_packet packet = {.number = ++test->number,
                               .time = (int64_t)test->number * INTERVAL,
                               .source = {4, {10, 0, 0, 1 + server}, server ? 28000 : 50000},
                               .destination = {4, {10, 0, 0, 2 - server}, server ? 50000 : 28000}};
    g_autoptr(GByteArray) bytes = g_byte_array_new();

    qs_write_u16be(bytes, packet.source.port);
    qs_write_u16be(bytes, packet.destination.port);
    qs_write_u32be(bytes, sent->sequence);
    qs_write_u32be(bytes, piece->bits & FUZZ_STREAM_ACKNOWLEDGED ? test->next[!server] : 0);
    qs_write_u8(bytes, WORDS << 4);
    qs_write_u8(bytes, (uint8_t)((piece->bits & FUZZ_STREAM_END ? FIN : 0) |
                                 (piece->bits & FUZZ_STREAM_RESET ? RST : 0) |
                                 (piece->bits & FUZZ_STREAM_ACKNOWLEDGED ? ACK : 0)));
    for (int i = 0; i < 6; i++)
        qs_write_u8(bytes, 0);
    qs_write_view(bytes, (struct qs_view){sent->data, sent->size});
    packet.data = bytes->data;
    packet.size = packet.wire_size = bytes->len;
    tcp_add_segment(test->tcp, &packet);
}

static void add_segment(struct connection_under_test *test, const struct fuzz_piece *piece)
{
    uint32_t *next = &test->next[piece->bits & FUZZ_STREAM_FROM_SERVER ? 1 : 0];
    struct sent all = {piece->bytes, piece->size, *next};

    if (piece->bits & FUZZ_STREAM_LOST)
        all.sequence += STEP;
    if (piece->bits & FUZZ_STREAM_AGAIN)
        all.sequence -= MIN(piece->size, STEP);
    *next = all.sequence + all.size;
    if (piece->bits & FUZZ_STREAM_LATE && all.size > 1) {
        const uint32_t half = all.size / 2;

        send_segment(test, piece,
                     &(struct sent){all.data + half, all.size - half, all.sequence + half});
        all.size = half;
    }
    send_segment(test, piece, &all);
}

/* --- One input --- */

/* Returns the protocol that the byte selects among those with streams. */
static const struct qs_protocol *protocol_of(uint8_t byte)
{
    unsigned streams = 0;

    for (unsigned i = 0; qs_protocols[i]; i++)
        streams += qs_protocols[i]->decode_pdu != NULL;
    byte = (uint8_t)(byte % streams);
    for (unsigned i = 0;; i++)
        if (qs_protocols[i]->decode_pdu && byte-- == 0)
            return qs_protocols[i];
}

static void start(struct connection_under_test *test, const struct qs_protocol *protocol,
                  bool sanitize)
{
    *test = (struct connection_under_test){.protocol = protocol,
                                           .next = {UINT32_MAX - 100, UINT32_MAX - 5000}};
    test->session = g_malloc(protocol->session_size);
    protocol->session_init(test->session);
    qs_decoder_init(&test->decoder, protocol);
    test->decoder.want_summary = true;
    invariants_init(&test->invariants);
    test->tcp = tcp_new(0, receive, test);
    test->stream = qs_stream_new(protocol);
    demo_rebuild_start(&test->rebuild, &(struct demo_rebuild_setup){.sanitize = sanitize});
}

static void end(struct connection_under_test *test)
{
    struct qs_packet pdu;

    tcp_end(test->tcp, test->number);
    for (int from = QS_END_A; from <= QS_END_B; from++)
        if (qs_stream_rest(test->stream, test->session, (enum qs_end)from, &pdu))
            invariants_decode_twice(&test->invariants, &test->decoder, test->session, &pdu);
    qs_sessions_end_bytes(test->rebuild.sessions, test->reader, test->number);
    demo_rebuild_end(&test->rebuild);
    qs_stream_free(test->stream);
    tcp_free(test->tcp);
    invariants_clear(&test->invariants);
    qs_decoder_clear(&test->decoder);
    test->protocol->session_clear(test->session);
    g_free(test->session);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { SANITIZE = 0x80 };
    const struct fuzz_cost started = fuzz_begin();
    struct connection_under_test test;
    struct fuzz_piece piece;
    uint64_t sent = 0;
    size_t at = 1;

    if (size < at)
        return 0;
    start(&test, protocol_of(data[0] & (SANITIZE - 1)), data[0] & SANITIZE);
    while (fuzz_next(data, size, &at, &piece)) {
        sent += piece.size;
        add_segment(&test, &piece);
        g_free(piece.bytes);
    }
    end(&test);
    if (test.received > sent)
        fuzz_broken("more bytes received than sent", "");
    fuzz_check_cost(started, size);
    return 0;
}
