/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Gives a message again and again to a fuzz target, in one session, each time with other contents:
 * those of made_messages.def, those of each messages.def, and every word of a packet without a
 * connection; and once with as many pairs of an info string or texts of a list.
 * test_repeats.py runs it in callgrind, which counts instructions, and dumps them behind each
 * message under its name:
 *
 *     repeat_decode TIMES STEP TARGET
 *
 * First each message so many times, then, under "2 x" its name, twice as often. Each message of the
 * tables in each STEP-th session that may have it, in one at least; of the rest as many. From 20 on
 * only some of the messages. TARGET: "datagrams", "streams", "frames", which are of both, or
 * "files": demos that have them as blocks.
 */
#include <stdlib.h>
#include <string.h>
#include <valgrind/callgrind.h>

#include "common/core/text.h"
#include "common/core/writer.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/made_seeds.h"
#include "common/protocols.h"

static const char *target;

static bool is_wanted(bool is_stream)
{
    return strcmp(target, "frames") == 0 || strcmp(target, "files") == 0 ||
           (strcmp(target, "streams") == 0) == is_stream;
}

static const struct qs_protocol *game; /* of the input at hand */

/* How a demo frames what a server sends. */
static const struct framing {
    const char *game;
    bool is_stream;
    uint8_t name; /* fuzz_recording's number of the file's name */
    const char *magic;
    struct qs_view before;                 /* the block's length */
    uint8_t length_size, between, skipped; /* behind it; of the packet */
} framings[] = {
    {"qw", false, 0, "", {(const uint8_t *)"\0\0\0\0\1", 5}, 4, 0, 0},
    {"q2", false, 1, "", {0}, 4, 0, 8},
    {"nq", false, 2, "-1\n", {0}, 4, 12, 8},
    {"qw", true, 4, "", {0}, 0, 0, 0},
    {"q2", true, 5, "MVD2", {0}, 2, 0, 3},
    {NULL}, /* others have no demos */
};
static const struct framing *framing; /* of the input at hand; NULL: it is no demo */

static void add_block(GByteArray *input, const struct fuzz_piece *piece)
{
    const uint32_t size = piece->size - framing->skipped;

    if (!framing->game || !(piece->bits & FUZZ_PACKET_FROM_SERVER) ||
        piece->size <= MAX(framing->skipped, 4) || qs_le32(piece->bytes) == UINT32_MAX ||
        (framing->is_stream && g_ascii_isupper(piece->bytes[0]))) /* a text */
        return;
    qs_write_view(input, framing->before);
    for (unsigned i = 0; i < framing->length_size; i++)
        qs_write_u8(input, (uint8_t)(size >> 8 * i));
    qs_write_view(input, (struct qs_view){(const uint8_t[12]){0}, framing->between});
    qs_write_view(input, (struct qs_view){piece->bytes + framing->skipped, size});
}

static void add_piece(GByteArray *input, const struct fuzz_piece *piece, bool is_stream)
{
    /* Of streams FUZZ_STREAM_FROM_SERVER and FUZZ_STREAM_LOST, which are the same bits. */
    int bits = piece->bits & (FUZZ_PACKET_FROM_SERVER | FUZZ_PACKET_PORTS_KNOWN);

    if (framing) {
        add_block(input, piece);
        return;
    }
    if (is_stream && strcmp(target, "frames") == 0)
        bits |= FUZZ_PACKET_PORTS_KNOWN | FUZZ_PLUGIN_STREAM;
    qs_write_u8(input, (uint8_t)bits);
    qs_write_u16(input, (uint16_t)piece->size);
    qs_write_view(input, (struct qs_view){piece->bytes, piece->size});
}

/* Its number in the sequence: Quake's datagrams have it behind a word, in network order. */
static void set_sequence(struct fuzz_piece *piece, uint32_t time)
{
    enum { SEQUENCE_MIN = 1000 };
    uint8_t *bytes = piece->bytes;

    if (!game->seqinfo || piece->size < 8 || memcmp(bytes, "\xff\xff\xff\xff", 4) == 0)
        return;
    for (unsigned i = 0; i < 4; i++)
        if (strcmp(game->name, "nq") == 0)
            bytes[7 - i] = (uint8_t)((SEQUENCE_MIN + time) >> 8 * i);
        else
            bytes[i] = (uint8_t)((SEQUENCE_MIN + time) >> 8 * i);
}

/* Every second packet is as it is in the table; of the others two bytes are `time`, in turn all
 * those of the message. */
static void repeat(GByteArray *input, struct fuzz_piece *piece, uint32_t message_size,
                   unsigned times, bool is_stream)
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
        if (!is_stream)
            set_sequence(piece, time);
        add_piece(input, piece, is_stream);
    }
}

/* The first bytes of the target's input. */
static size_t begin(GByteArray *input, const GByteArray *seed, bool is_stream)
{
    const size_t head = is_stream ? 1 : 2;
    uint8_t number = seed->data[0];

    if (is_stream)
        for (number = 0;
             !qs_protocols[number]->decode_unit || fuzz_stream_number(number) != seed->data[0];)
            number++;
    game = qs_protocols[number];
    if (strcmp(target, "files") == 0) {
        framing = framings;
        while (framing->game &&
               (framing->is_stream != is_stream || strcmp(framing->game, game->name) != 0))
            framing++;
        qs_write_u8(input, framing->name);
        qs_write_view(input, qs_view_of(framing->magic));
    } else if (is_stream && strcmp(target, "frames") == 0) {
        qs_write_u16(input, number);
    } else {
        g_byte_array_append(input, seed->data, (guint)head);
    }
    return head;
}

/* Those of the session before it, then it. False: the input has none of it. */
static bool run(const GByteArray *seed, bool is_stream, uint32_t message_size, unsigned times)
{
    g_autoptr(GByteArray) input = g_byte_array_new();
    struct fuzz_piece piece;
    size_t at = begin(input, seed, is_stream);
    guint before = 0;

    while (fuzz_next(seed->data, seed->len, &at, &piece)) {
        before = input->len;
        if (at == seed->len)
            repeat(input, &piece, message_size, times, is_stream);
        else
            add_piece(input, &piece, is_stream);
        g_free(piece.bytes);
    }
    CALLGRIND_ZERO_STATS;
    LLVMFuzzerTestOneInput(input->data, input->len);
    return input->len > before;
}

static const char *name_prefix;

/* Frees both. */
static void count(GByteArray *seed, char *name, bool is_stream, uint32_t message_size,
                  unsigned times)
{
    g_autofree char *prefixed =
        g_strconcat(name_prefix, name, message_size ? "" : ", with more", NULL);

    if (run(seed, is_stream, message_size, times))
        CALLGRIND_DUMP_STATS_AT(prefixed);
    g_free(name);
    g_byte_array_free(seed, TRUE);
}

enum { BODY = 24, ENTRIES = 20 };

/* In the `index`-th session that it may be in; in some of them with more, too. */
static void count_number(unsigned number, unsigned dialect, unsigned index, unsigned times,
                         unsigned step)
{
    const bool is_stream = made_dialect_is_stream(dialect);
    GByteArray *seed;
    char *name;

    if (!is_wanted(is_stream))
        return;
    seed = made_seed_of_number(number, dialect, 0, 0, &name);
    count(seed, name, is_stream, BODY, times);
    if (framing)
        return; /* more in a message is no other framing */
    for (unsigned shape = (number + index) % step; shape < MADE_SHAPES; shape += step) {
        seed = made_seed_of_number(number, dialect, shape, ENTRIES * times, &name);
        count(seed, name, is_stream, 0, 1);
    }
}

static void count_numbers(unsigned times, unsigned step, unsigned fewer)
{
    for (unsigned number = 0; number < made_number_count; number += fewer) {
        unsigned sessions = 0, index = 0;

        for (unsigned i = 0; i < made_dialect_count; i++)
            sessions += made_is_in(number, i);
        for (unsigned i = 0; i < made_dialect_count; i++)
            if (made_is_in(number, i) &&
                index++ % MIN(step, sessions) == number % MIN(step, sessions))
                count_number(number, i, index, times, step);
    }
}

static void count_all(unsigned times, unsigned step, const char *prefix)
{
    const unsigned fewer = 1 + step / 20;

    name_prefix = prefix;
    for (unsigned i = 0; i < made_message_count; i += fewer)
        if (is_wanted(made_is_stream(&made_messages[i])))
            count(made_seed_of(&made_messages[i]),
                  g_strdup_printf("%s, row %u", made_messages[i].level, i),
                  made_is_stream(&made_messages[i]), made_messages[i].bytes.size, times);
    count_numbers(times, step, fewer);
}

int main(int argc, char **argv)
{
    const unsigned times = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 1;
    const unsigned step = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 1;
    const struct made_message *first = made_messages;
    GByteArray *seed;

    target = argc > 3 ? argv[3] : "datagrams";
    fuzz_patience = 1000;
    /* What starts with the first input does not count. */
    while (!is_wanted(made_is_stream(first)))
        first++;
    seed = made_seed_of(first);
    run(seed, made_is_stream(first), 1, 1);
    g_byte_array_free(seed, TRUE);
    CALLGRIND_START_INSTRUMENTATION;
    count_all(times, step, "");
    count_all(2 * times, step, "2 x ");
    return 0;
}
