/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Decodes a message again and again, in one session, each time with other contents: those of
 * made_messages.def, every number that a message may have, and every word of a packet without a
 * connection; and once with as many pairs of an info string or texts of a list. test_repeats.py
 * runs it in callgrind, which counts instructions, and dumps them behind each message under its
 * name:
 *
 *     repeat_messages TIMES STEP
 *
 * Of the numbers each STEP-th.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <valgrind/callgrind.h>

#include "common/core/decode.h"
#include "common/core/writer.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/made_seeds.h"
#include "tests/support/count_sink.h"

enum { SERVER_PORT = 27500, CLIENT_PORT = 30000 };

struct session {
    struct qs_decoder decoder;
    struct qs_session *session;
    struct count_sink sink;
    uint64_t packets;
};

static void decode(struct session *s, const struct fuzz_piece *piece)
{
    const bool from_server = piece->bits & FUZZ_PACKET_FROM_SERVER;
    struct qs_packet packet = fuzz_packet(piece, SERVER_PORT, CLIENT_PORT, s->packets++);

    packet.from = from_server ? QS_END_B : QS_END_A;
    packet.source_is_server_port = from_server;
    packet.destination_is_server_port = !from_server;
    qs_decode(&s->decoder, s->session, &s->sink.base, &packet);
}

/* Its number in the sequence: Quake's datagrams have it behind a word, in network order. */
static void set_sequence(const struct qs_protocol *protocol, struct fuzz_piece *piece,
                         uint32_t time)
{
    enum { SEQUENCE_MIN = 1000 };
    uint8_t *bytes = piece->bytes;

    if (piece->size < 8 || memcmp(bytes, "\xff\xff\xff\xff", 4) == 0)
        return;
    for (unsigned i = 0; i < 4; i++)
        if (strcmp(protocol->name, "nq") == 0)
            bytes[7 - i] = (uint8_t)((SEQUENCE_MIN + time) >> 8 * i);
        else
            bytes[i] = (uint8_t)((SEQUENCE_MIN + time) >> 8 * i);
}

/* Every second packet is as it is in the table; of the others two bytes are `time`, in turn all
 * those of the message. */
static void repeat(struct session *s, struct fuzz_piece *piece, uint32_t message_size,
                   unsigned times)
{
    const uint32_t start = piece->size - MIN(message_size, piece->size);
    g_autofree uint8_t *whole = g_memdup2(piece->bytes, piece->size);

    for (unsigned time = 0; time < times; time++) {
        const uint32_t at = start + 1 + time / 2 % MAX(message_size, 2);

        memcpy(piece->bytes, whole, piece->size);
        if (time % 2 && at + 1 < piece->size) {
            piece->bytes[at] = (uint8_t)time;
            piece->bytes[at + 1] = (uint8_t)(time >> 8);
        }
        set_sequence(s->decoder.protocol, piece, time);
        decode(s, piece);
    }
}

/* Those of the session before it, then it. */
static void run(const GByteArray *seed, uint32_t message_size, unsigned times)
{
    const struct qs_protocol *protocol = fuzz_protocol(seed->data[0]);
    struct session s = {.session = g_malloc(protocol->session_size)};
    struct fuzz_piece piece;
    size_t at = 2;

    protocol->session_init(s.session);
    qs_decoder_init(&s.decoder, protocol);
    count_sink_init(&s.sink);
    while (fuzz_next(seed->data, seed->len, &at, &piece)) {
        decode(&s, &piece);
        if (at == seed->len)
            repeat(&s, &piece, message_size, times);
        g_free(piece.bytes);
    }
    protocol->session_clear(s.session);
    g_free(s.session);
    qs_decoder_clear(&s.decoder);
}

/* Frees both. */
static void count(GByteArray *seed, char *name, uint32_t message_size, unsigned times)
{
    CALLGRIND_ZERO_STATS;
    run(seed, message_size, times);
    CALLGRIND_DUMP_STATS_AT(name);
    g_free(name);
    g_byte_array_free(seed, TRUE);
}

/* Frees the seed. */
static void count_named(GByteArray *seed, char *name, uint32_t message_size, unsigned times)
{
    if (name)
        count(seed, name, message_size, times);
    else
        g_byte_array_free(seed, TRUE);
}

int main(int argc, char **argv)
{
    enum { BODY = 24, ENTRIES = 5, FEWER = 7 };
    const unsigned times = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 1;
    const unsigned step = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 1;
    GByteArray *seed;
    char *name;

    for (unsigned i = 0; i < made_message_count; i++)
        if (!made_is_stream(&made_messages[i]))
            count(made_seed_of(&made_messages[i]),
                  g_strdup_printf("%s, row %u", made_messages[i].level, i),
                  made_messages[i].bytes.size, times);
    for (unsigned i = 0; (seed = made_seed_of_number(i, &name)); i += MAX(step, 1))
        count_named(seed, name, BODY, times);
    for (unsigned i = 0; (seed = made_seed_of_word(i, 1, 2, &name)); i++)
        count_named(seed, name, BODY, times);
    for (unsigned shape = 0; shape < MADE_SHAPES; shape++) {
        for (unsigned i = shape; (seed = made_seed_of_shape(i, shape, ENTRIES * times, &name));
             i += step > 1 ? FEWER * step : 1)
            count_named(seed, name, 0, 1);
        for (unsigned i = 0; (seed = made_seed_of_word(i, shape, ENTRIES * times, &name)); i++)
            count_named(seed, name, 0, 1);
    }
    return 0;
}
