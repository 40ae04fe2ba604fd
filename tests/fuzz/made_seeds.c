/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/fuzz/made_seeds.h"

#include <glib.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/protocols.h"
#include "common/core/text.h"
#include "common/core/writer.h"
#include "common/quakeworld/constants.h"
#include "tests/fuzz/fuzz.h"

enum { SERVERDATA = 11, QUAKE2_SERVERDATA = 12, QUAKEWORLD_VERSION = 28 };

/* A variant of a protocol: version, and the extensions that FTEX, FTE2 and MVD1 agree on. */
struct variant {
    const char *name, *protocol;
    uint32_t version;
    uint32_t fte, fte2, mvd1;
    /* QuakeWorld: the list of players; Quake II: bytes behind the level's name; may contain zeros.
     */
    const char *rest;
    unsigned rest_size;
};

static const struct variant variants[] = {
    {"qw-26", "qw", 26, 0, 0, 0, "\0", 1},
    {"qw-28", "qw", QUAKEWORLD_VERSION, 0, 0, 0, "\0", 1},
    {"qw-deltas", "qw", QUAKEWORLD_VERSION, 0, 8, 0, "\0", 1}, /* REPLACEMENTDELTAS alone */
    {"qw-fte", "qw", QUAKEWORLD_VERSION, 0xffefffff, 0, 0, "\0", 1},
    {"qw-fte2", "qw", QUAKEWORLD_VERSION, 0xffffffff, 0xffffffff, 0, "\20\2\0\1", 4},
    {"qw-mvd1", "qw", QUAKEWORLD_VERSION, 0, 0, 0x1ff, "\0", 1},
    {"nq-15", "nq", 15, 0, 0, 0, NULL, 0},
    {"nq-fte2", "nq", 15, 0xffefffff, 0xffffffff, 0, NULL, 0},
    {"nq-dp4", "nq", 3501, 0, 0, 0, NULL, 0},
    {"nq-dp7", "nq", 3504, 0, 0, 0, NULL, 0},
    {"q2-34", "q2", 34, 0, 0, 0, NULL, 0},
    {"q2-r1q2", "q2", 35, 0, 0, 0, "\0\x70\7\0\0", 5},
    {"q2-q2pro", "q2", 36, 0, 0, 0, "\2\4\2\0\0", 5},
    {"q2-aqtion", "q2", 38, 0, 0, 0, "\xc4\x0b\2\0\0\0", 6},
};

static bool is_quake(const struct variant *variant)
{
    return strcmp(variant->protocol, "nq") == 0;
}

static bool is_quake2(const struct variant *variant)
{
    return strcmp(variant->protocol, "q2") == 0;
}

static const struct variant *find_variant(const char *name)
{
    const struct variant *variant = variants;

    while (strcmp(variant->name, name) != 0)
        variant++;
    return variant;
}

/* --- Packets --- */

/* Returns the header of an unreliable packet. set_length() sets the length in one of Quake. */
static GByteArray *packet_new(const struct variant *variant, uint32_t sequence, bool from_server)
{
    GByteArray *bytes = g_byte_array_new();

    if (is_quake(variant)) {
        qs_write_u32be(bytes, 0x00100000);
        qs_write_u32be(bytes, sequence);
        return bytes;
    }
    qs_write_u32(bytes, sequence);
    qs_write_u32(bytes, sequence - 1);
    /* The qport; newer versions of Quake II have none, as add_connect() requests. */
    if (!from_server && (!is_quake2(variant) || variant->version == 34))
        qs_write_u16(bytes, 1);
    return bytes;
}

/* `bits` are FUZZ_PACKET_* of a packet, FUZZ_STREAM_* of a stream. Frees the bytes. */
static void add_piece(GByteArray *seed, int bits, GByteArray *bytes)
{
    qs_write_u8(seed, (uint8_t)bits);
    qs_write_u16(seed, (uint16_t)bytes->len);
    qs_write_view(seed, qs_view_of_bytes(bytes));
    g_byte_array_free(bytes, TRUE);
}

static void set_length(GByteArray *bytes)
{
    bytes->data[2] = (uint8_t)(bytes->len >> 8);
    bytes->data[3] = (uint8_t)bytes->len;
}

static void add_packet(GByteArray *seed, const struct variant *variant, bool from_server,
                       GByteArray *bytes)
{
    if (is_quake(variant))
        set_length(bytes);
    add_piece(seed, FUZZ_PACKET_PORTS_KNOWN | (from_server ? FUZZ_PACKET_FROM_SERVER : 0), bytes);
}

/* --- Messages --- */

static void write_agreement(GByteArray *bytes, const struct variant *variant)
{
    const uint32_t words[][2] = {
        {0x58455446, variant->fte}, {0x32455446, variant->fte2}, {0x3144564d, variant->mvd1}};

    for (size_t i = 0; i < G_N_ELEMENTS(words); i++)
        if (words[i][1]) {
            qs_write_u32(bytes, words[i][0]);
            qs_write_u32(bytes, words[i][1]);
        }
}

static void write_quake_level(GByteArray *bytes, const struct variant *variant)
{
    if (variant->fte2)
        qs_write_text(bytes, "id1");
    qs_write_u8(bytes, 4);
    qs_write_u8(bytes, 1);
    qs_write_text(bytes, "a level");
    qs_write_text(bytes, "maps/dm4.bsp");
    qs_write_text(bytes, "");
    qs_write_text(bytes, "misc/menu1.wav");
    qs_write_text(bytes, "");
}

static void write_quakeworld_level(GByteArray *bytes, const struct variant *variant)
{
    qs_write_u32(bytes, 1);
    qs_write_text(bytes, "qw");
    qs_write_view(bytes, (struct qs_view){(const uint8_t *)variant->rest, variant->rest_size});
    qs_write_text(bytes, "a level");
    for (unsigned i = 0; i < 10; i++)
        qs_write_float(bytes, 1);
}

static void write_quake2_level(GByteArray *bytes, const struct variant *variant)
{
    qs_write_u32(bytes, 1);
    qs_write_u8(bytes, 0); /* no demo */
    qs_write_text(bytes, "baseq2");
    qs_write_u16(bytes, 0);
    qs_write_text(bytes, "a level");
    qs_write_view(bytes, (struct qs_view){(const uint8_t *)variant->rest, variant->rest_size});
}

static void add_words(GByteArray *seed, const struct variant *variant, bool from_server,
                      const char *words)
{
    GByteArray *bytes = g_byte_array_new();

    qs_write_u32(bytes, UINT32_MAX);
    qs_write_view(bytes, (struct qs_view){(const uint8_t *)words, (uint32_t)strlen(words)});
    add_packet(seed, variant, from_server, bytes);
}

/* In Quake II the request of a connection has the version and the length of qports. */
static void add_connect(GByteArray *seed, const struct variant *variant)
{
    const bool r1q2 = variant->version == 35;
    g_autofree char *words =
        g_strdup_printf("connect %u %u 1 \"\\name\\x\" 1390 %s", variant->version,
                        variant->version == 34, r1q2 ? "1904" : "0 1 1026");

    add_words(seed, variant, false, words);
    add_words(seed, variant, true, "client_connect");
}

static void add_level(GByteArray *seed, const struct variant *variant)
{
    GByteArray *bytes;

    if (is_quake2(variant))
        add_connect(seed, variant);
    bytes = packet_new(variant, 1, true);
    qs_write_u8(bytes, is_quake2(variant) ? QUAKE2_SERVERDATA : SERVERDATA);
    write_agreement(bytes, variant);
    qs_write_u32(bytes, variant->version);
    (is_quake2(variant)  ? write_quake2_level
     : is_quake(variant) ? write_quake_level
                         : write_quakeworld_level)(bytes, variant);
    add_packet(seed, variant, true, bytes);
}

/* --- Seeds --- */

static uint8_t protocol_number(const char *name)
{
    uint8_t number = 0;

    while (strcmp(qs_protocols[number]->name, name) != 0)
        number++;
    return number;
}

static GByteArray *seed_new(const struct variant *variant)
{
    GByteArray *seed = g_byte_array_new();

    qs_write_u8(seed, protocol_number(variant->protocol));
    qs_write_u8(seed, 0);
    add_level(seed, variant);
    return seed;
}

/* --- Messages of known content --- */

/* clang-format off */
#define MADE_64 "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define MADE_256 MADE_64 MADE_64 MADE_64 MADE_64
#define MADE_1024 MADE_256 MADE_256 MADE_256 MADE_256
const struct made_message made_messages[] = {
#define MADE(level, kind, bytes, fields) STEP(NULL, level, kind, bytes, fields)
#define STEP(sequence, level, kind, bytes, fields)                                                 \
    {sequence, level, MADE_##kind, {(const uint8_t *)(bytes), sizeof(bytes) - 1}, fields},
#include "tests/fuzz/made_messages.def"
#undef MADE
#undef STEP
};
/* clang-format on */
const unsigned made_message_count = G_N_ELEMENTS(made_messages);

bool made_is_stream(const struct made_message *message)
{
    return message->kind >= MADE_STREAM_SERVER;
}

bool made_is_from_server(const struct made_message *message)
{
    return message->kind == MADE_SERVER || message->kind == MADE_OOB_SERVER ||
           message->kind == MADE_STREAM_SERVER || message->kind == MADE_STREAM_LOST;
}

const struct made_message *made_first(const struct made_message *message)
{
    while (message > made_messages && message->sequence &&
           g_strcmp0(message[-1].sequence, message->sequence) == 0)
        message--;
    return message;
}

/* Returns the number of rows before it in the sequence from the same end. */
static uint32_t rows_before(const struct made_message *message)
{
    const bool from_server = made_is_from_server(message);
    uint32_t count = 0;

    for (const struct made_message *row = made_first(message); row < message; row++)
        count += made_is_from_server(row) == from_server;
    return count;
}

/* Returns a packet that follows those of add_level(). */
static GByteArray *packet_of(const struct variant *variant, const struct made_message *message)
{
    const bool connectionless = message->kind >= MADE_OOB_SERVER;
    const bool from_server = made_is_from_server(message);
    GByteArray *bytes;

    if (!connectionless)
        bytes = packet_new(variant, rows_before(message) + (from_server ? 2 : 1), from_server);
    else
        bytes = g_byte_array_new();
    if (message->kind == MADE_OOB_SERVER)
        qs_write_u32(bytes, UINT32_MAX);
    qs_write_view(bytes, message->bytes);
    if (is_quake(variant) && !connectionless)
        set_length(bytes);
    return bytes;
}

static GByteArray *stream_of(const struct made_message *message)
{
    GByteArray *seed = g_byte_array_new();

    qs_write_u8(seed, fuzz_stream_number(protocol_number(message->level)));
    for (const struct made_message *step = made_first(message); step <= message; step++)
        add_piece(seed,
                  (made_is_from_server(step) ? FUZZ_STREAM_FROM_SERVER : 0) |
                      (step->kind == MADE_STREAM_LOST ? FUZZ_STREAM_LOST : 0),
                  g_byte_array_append(g_byte_array_new(), step->bytes.data, step->bytes.size));
    return seed;
}

static GByteArray *packets_of(const struct made_message *message)
{
    const struct variant *variant = find_variant(message->level);
    GByteArray *seed = seed_new(variant);

    for (const struct made_message *step = made_first(message); step <= message; step++)
        add_piece(seed,
                  FUZZ_PACKET_PORTS_KNOWN | FUZZ_PACKET_PRINTED | FUZZ_PACKET_TWICE |
                      (made_is_from_server(step) ? FUZZ_PACKET_FROM_SERVER : 0),
                  packet_of(variant, step));
    return seed;
}

GByteArray *made_seed_of(const struct made_message *message)
{
    return (made_is_stream(message) ? stream_of : packets_of)(message);
}
