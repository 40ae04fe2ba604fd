/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Gives a message again and again to a fuzz target, in one session, each time with other contents:
 * those of made_messages.def, every number that a message may have, and every word of a packet
 * without a connection; and once with as many pairs of an info string or texts of a list.
 * test_repeats.py runs it in callgrind, which counts instructions, and dumps them behind each
 * message under its name:
 *
 *     repeat_decode TIMES STEP
 *
 * First each message so many times, then, under "2 x" its name, twice as often. Of the numbers each
 * STEP-th, of the rest more.
 */
#include <stdlib.h>
#include <string.h>
#include <valgrind/callgrind.h>

#include "common/core/writer.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/made_seeds.h"
#include "tests/fuzz/mutate.h"

static void add_piece(GByteArray *input, const struct fuzz_piece *piece)
{
    enum { BITS = FUZZ_PACKET_FROM_SERVER | FUZZ_PACKET_PORTS_KNOWN };

    qs_write_u8(input, piece->bits & BITS);
    qs_write_u16(input, (uint16_t)piece->size);
    qs_write_view(input, (struct qs_view){piece->bytes, piece->size});
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
static void repeat(GByteArray *input, struct fuzz_piece *piece, uint32_t message_size,
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
        set_sequence(fuzz_protocol(input->data[0]), piece, time);
        add_piece(input, piece);
    }
}

/* Those of the session before it, then it. */
static void run(const GByteArray *seed, uint32_t message_size, unsigned times)
{
    g_autoptr(GByteArray) input = g_byte_array_new();
    struct fuzz_piece piece;
    size_t at = 2;

    g_byte_array_append(input, seed->data, (guint)at);
    while (fuzz_next(seed->data, seed->len, &at, &piece)) {
        if (at == seed->len)
            repeat(input, &piece, message_size, times);
        else
            add_piece(input, &piece);
        g_free(piece.bytes);
    }
    CALLGRIND_ZERO_STATS;
    LLVMFuzzerTestOneInput(input->data, input->len);
}

static const char *name_prefix;

/* Frees both. */
static void count(GByteArray *seed, char *name, uint32_t message_size, unsigned times)
{
    g_autofree char *prefixed =
        g_strconcat(name_prefix, name, message_size ? "" : ", with more", NULL);

    run(seed, message_size, times);
    CALLGRIND_DUMP_STATS_AT(prefixed);
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

static void count_all(unsigned times, unsigned step, const char *prefix)
{
    enum { BODY = 24, ENTRIES = 5, FEWER = 7 };
    const unsigned fewer = 1 + step / 20; /* of the rows and words */
    GByteArray *seed;
    char *name;

    name_prefix = prefix;
    for (unsigned i = 0; i < made_message_count; i += fewer)
        if (!made_is_stream(&made_messages[i]))
            count(made_seed_of(&made_messages[i]),
                  g_strdup_printf("%s, row %u", made_messages[i].level, i),
                  made_messages[i].bytes.size, times);
    for (unsigned i = 0; (seed = made_seed_of_number(i, &name)); i += MAX(step, 1))
        count_named(seed, name, BODY, times);
    for (unsigned i = 0; (seed = made_seed_of_word(i, 1, 2, &name)); i += fewer)
        count_named(seed, name, BODY, times);
    for (unsigned shape = 0; shape < MADE_SHAPES; shape++) {
        for (unsigned i = shape; (seed = made_seed_of_shape(i, shape, ENTRIES * times, &name));
             i += step > 1 ? FEWER * step : 1)
            count_named(seed, name, 0, 1);
        for (unsigned i = 0; (seed = made_seed_of_word(i, shape, ENTRIES * times, &name));
             i += fewer)
            count_named(seed, name, 0, 1);
    }
}

int main(int argc, char **argv)
{
    const unsigned times = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 1;
    const unsigned step = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 1;
    GByteArray *seed = made_seed_of(&made_messages[0]);

    fuzz_patience = 1000;
    /* What starts with the first input does not count. */
    run(seed, 1, 1);
    g_byte_array_free(seed, TRUE);
    CALLGRIND_START_INSTRUMENTATION;
    count_all(times, step, "");
    count_all(2 * times, step, "2 x ");
    return 0;
}
