/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The messages of made_messages.def have the fields in their rows, and no problems. */
#include "tests/fuzz/made_seeds.h"
#include "tests/unit/text_listener.h"
#include "tests/unit/unit.h"

#include <string.h>

#include "common/sessions/conversation.h"
#include "tests/fuzz/fuzz.h"
#include "common/protocols.h"

/* --- Decoding --- */

struct session {
    struct qs_decoder decoder;
    struct qs_session *session;
    struct qs_stream *stream;
    struct text_listener listener;
};

static void start(struct session *s, const struct qs_protocol *protocol)
{
    s->session = g_malloc(protocol->session_size);
    protocol->session_init(s->session);
    qs_decoder_init(&s->decoder, protocol);
    s->stream = qs_stream_new(protocol);
    s->listener = text_listener_new();
}

static void end(struct session *s)
{
    s->decoder.protocol->session_clear(s->session);
    g_free(s->session);
    qs_stream_free(s->stream);
    qs_decoder_clear(&s->decoder);
    g_string_free(s->listener.received, TRUE);
}

/* Returns the number of problems, without that of a checksum, which depends on the connection. */
static uint32_t problems_of(const struct session *s)
{
    return qs_decoder_problems(&s->decoder) - s->decoder.found.notes[QS_NOTE_CHECKSUM_BAD];
}

static struct qs_packet packet_of(const struct fuzz_piece *piece)
{
    enum { SERVER_PORT = 27500, CLIENT_PORT = 30000 };
    const bool from_server = piece->bits & FUZZ_PACKET_FROM_SERVER;
    struct qs_packet packet = fuzz_packet(piece, SERVER_PORT, CLIENT_PORT, 0);

    packet.from = from_server ? QS_END_B : QS_END_A;
    packet.source_is_server_port = from_server;
    packet.destination_is_server_port = !from_server;
    packet.wire_size = packet.size;
    return packet;
}

static uint32_t decode_packet(struct session *s, const struct fuzz_piece *piece)
{
    const struct qs_packet packet = packet_of(piece);

    qs_decode(&s->decoder, s->session, &s->listener.base, &packet);
    return problems_of(s);
}

static uint32_t decode_segment(struct session *s, const struct fuzz_piece *piece)
{
    enum { LOST = 50 };
    struct qs_packet bytes = packet_of(piece), pdu;
    uint32_t problems = 0;

    bytes.missing = piece->bits & FUZZ_STREAM_LOST ? LOST : 0;
    qs_stream_add(s->stream, &bytes);
    while (qs_stream_next(s->stream, s->session, &pdu)) {
        qs_decode_pdu(&s->decoder, s->session, &s->listener.base, &pdu);
        problems += problems_of(s);
    }
    return problems;
}

/* Returns the number of problems of the last packet, or of the PDUs of the last segment. */
static uint32_t decode_all(struct session *s, const struct made_message *message,
                           const GByteArray *seed)
{
    const bool is_stream = made_is_stream(message);
    size_t at = is_stream ? 1 : 2;
    struct fuzz_piece piece;
    uint32_t problems = 0;

    while (fuzz_next(seed->data, seed->len, &at, &piece)) {
        g_string_truncate(s->listener.received, 0);
        problems = (is_stream ? decode_segment : decode_packet)(s, &piece);
        g_free(piece.bytes);
    }
    return problems;
}

/* --- Comparing --- */

static const struct qs_protocol *protocol_of(const struct made_message *message,
                                             const GByteArray *seed)
{
    return made_is_stream(message) ? qs_protocols[qs_protocol_number(message->level)]
                                   : fuzz_protocol(seed->data[0]);
}

static void message_has_its_fields(void **state)
{
    const struct made_message *message = *state;
    g_autoptr(GByteArray) seed = made_seed_of(message);
    g_autofree char *fields = g_strndup(message->fields, strlen(message->fields) - 1);
    g_auto(GStrv) lines = g_strsplit(fields, "\n", -1);
    struct session s = {0};
    uint32_t problems;

    start(&s, protocol_of(message, seed));
    problems = decode_all(&s, message, seed);
    if (problems && !strstr(message->fields, "! "))
        fail_msg("problems:\n%s", s.listener.received->str);
    text_listener_assert(&s.listener, (const char *const *)lines);
    end(&s);
}

int main(void)
{
    struct CMUnitTest *tests = g_new0(struct CMUnitTest, made_message_count);
    int failed;

    for (unsigned i = 0; i < made_message_count; i++)
        tests[i] = (struct CMUnitTest){
            .name = g_strdup_printf("%s, message %u", made_messages[i].level, i),
            .test_func = message_has_its_fields,
            .initial_state = (void *)&made_messages[i]};
    failed = _cmocka_run_group_tests("made_messages", tests, made_message_count, NULL, NULL);
    for (unsigned i = 0; i < made_message_count; i++)
        g_free((char *)tests[i].name);
    g_free(tests);
    return failed;
}
