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

enum {
    DISCONNECT = 2,
    VERSION = 4,
    SERVERDATA = 11,
    TEMP_ENTITY = 23,
    QUAKE2_TEMP_ENTITY = 3,
    QUAKE2_DISCONNECT = 7,
    QUAKE2_RECONNECT = 8,
    QUAKE2_SERVERDATA = 12,
    QUAKEWORLD_VERSION = 28,
    BODY = 24
};
enum { KINDS = 3, KIND_SERVER = 0, KIND_TEMP_ENTITY = 1, KIND_CLIENT = 2 };

/* A session's level: how it begins, by the flags that FTEX, FTE2 and MVD1 agree on. */
struct dialect {
    const char *name, *protocol;
    uint32_t version;
    uint32_t fte, fte2, mvd1;
    /* Of QuakeWorld: how it lists players; of Quake II: what is behind the level's name. */
    const char *rest; /* zeros included */
    unsigned rest_size;
};

static const struct dialect dialects[] = {
    {"qw-26", "qw", 26, 0, 0, 0, "\0", 1},
    {"qw-28", "qw", QUAKEWORLD_VERSION, 0, 0, 0, "\0", 1},
    {"qw-deltas", "qw", QUAKEWORLD_VERSION, 0, 8, 0, "\0", 1}, /* REPLACEMENTDELTAS alone */
    {"qw-fte", "qw", QUAKEWORLD_VERSION, 0xffefffff, 0, 0, "\0", 1},
    {"qw-seats", "qw", QUAKEWORLD_VERSION, 0xffffffff, 0, 0, "\1\200", 2},
    {"qw-fte2", "qw", QUAKEWORLD_VERSION, 0xffffffff, 0xffffffff, 0, "\20\2\0\1", 4},
    {"qw-mvd1", "qw", QUAKEWORLD_VERSION, 0, 0, 0x1ff, "\0", 1},
    {"nq-15", "nq", 15, 0, 0, 0, NULL, 0},
    {"nq-fte", "nq", 15, 0xffefffff, 0, 0, NULL, 0},
    {"nq-fte2", "nq", 15, 0xffefffff, 0xffffffff, 0, NULL, 0},
    {"nq-666", "nq", 666, 0, 0, 0, NULL, 0},
    {"nq-999", "nq", 999, 0, 0, 0, NULL, 0},
    {"nq-bjp", "nq", 10002, 0, 0, 0, NULL, 0},
    {"nq-nehahra", "nq", 250, 0, 0, 0, NULL, 0},
    {"nq-dp2", "nq", 97, 0, 0, 0, NULL, 0},
    {"nq-dp4", "nq", 3501, 0, 0, 0, NULL, 0},
    {"nq-dp7", "nq", 3504, 0, 0, 0, NULL, 0},
    {"q2-34", "q2", 34, 0, 0, 0, NULL, 0},
    {"q2-r1q2", "q2", 35, 0, 0, 0, "\0\x70\7\0\0", 5},
    {"q2-q2pro", "q2", 36, 0, 0, 0, "\2\4\2\0\0", 5},
    {"q2-aqtion", "q2", 38, 0, 0, 0, "\xc4\x0b\2\0\0\0", 6},
    {"q2-q2repro", "q2", 1038, 0, 0, 0, "\1\0\2\0\0\12", 6},
};

static bool is_quake(const struct dialect *dialect)
{
    return strcmp(dialect->protocol, "nq") == 0;
}

static bool is_quake2(const struct dialect *dialect)
{
    return strcmp(dialect->protocol, "q2") == 0;
}

static const struct dialect *find_dialect(const char *name)
{
    const struct dialect *dialect = dialects;

    while (strcmp(dialect->name, name) != 0)
        dialect++;
    return dialect;
}

/* --- Packets --- */

/* An unreliable one, up to the messages; Quake's has its length, which set_length() sets. */
static GByteArray *packet_new(const struct dialect *dialect, uint32_t sequence, bool from_server)
{
    GByteArray *bytes = g_byte_array_new();

    if (is_quake(dialect)) {
        qs_write_u32be(bytes, 0x00100000);
        qs_write_u32be(bytes, sequence);
        return bytes;
    }
    qs_write_u32(bytes, sequence);
    qs_write_u32(bytes, sequence - 1);
    /* The port of the client's choice; with what add_connect() says, the newer ones of Quake II
     * have none. */
    if (!from_server && (!is_quake2(dialect) || dialect->version == 34))
        qs_write_u16(bytes, 1);
    return bytes;
}

/* `bits`: of FUZZ_PACKET_*. */
static void add_piece(GByteArray *seed, uint8_t bits, GByteArray *bytes)
{
    qs_write_u8(seed, FUZZ_PACKET_PORTS_KNOWN | bits);
    qs_write_u16(seed, (uint16_t)bytes->len);
    qs_write_view(seed, qs_view_of_bytes(bytes));
    g_byte_array_free(bytes, TRUE);
}

static void set_length(GByteArray *bytes)
{
    bytes->data[2] = (uint8_t)(bytes->len >> 8);
    bytes->data[3] = (uint8_t)bytes->len;
}

static void add_packet(GByteArray *seed, const struct dialect *dialect, bool from_server,
                       GByteArray *bytes)
{
    if (is_quake(dialect))
        set_length(bytes);
    add_piece(seed, from_server ? FUZZ_PACKET_FROM_SERVER : 0, bytes);
}

/* --- Messages --- */

static void write_agreement(GByteArray *bytes, const struct dialect *dialect)
{
    const uint32_t words[][2] = {
        {0x58455446, dialect->fte}, {0x32455446, dialect->fte2}, {0x3144564d, dialect->mvd1}};

    for (size_t i = 0; i < G_N_ELEMENTS(words); i++)
        if (words[i][1]) {
            qs_write_u32(bytes, words[i][0]);
            qs_write_u32(bytes, words[i][1]);
        }
}

static void write_quake_level(GByteArray *bytes, const struct dialect *dialect)
{
    if (dialect->version == 999)
        qs_write_u32(bytes, 0); /* its flags */
    if (dialect->fte2)
        qs_write_text(bytes, "id1");
    qs_write_u8(bytes, 4);
    qs_write_u8(bytes, 1);
    qs_write_text(bytes, "a level");
    qs_write_text(bytes, "maps/dm4.bsp");
    qs_write_text(bytes, "");
    qs_write_text(bytes, "misc/menu1.wav");
    qs_write_text(bytes, "");
}

static void write_quakeworld_level(GByteArray *bytes, const struct dialect *dialect)
{
    qs_write_u32(bytes, 1);
    qs_write_text(bytes, "qw");
    qs_write_view(bytes, (struct qs_view){(const uint8_t *)dialect->rest, dialect->rest_size});
    qs_write_text(bytes, "a level");
    for (unsigned i = 0; i < 10; i++)
        qs_write_float(bytes, 1);
}

static void write_quake2_level(GByteArray *bytes, const struct dialect *dialect)
{
    qs_write_u32(bytes, 1);
    qs_write_u8(bytes, 0); /* no demo */
    qs_write_text(bytes, "baseq2");
    qs_write_u16(bytes, 0);
    qs_write_text(bytes, "a level");
    qs_write_view(bytes, (struct qs_view){(const uint8_t *)dialect->rest, dialect->rest_size});
}

static void add_words(GByteArray *seed, const struct dialect *dialect, bool from_server,
                      const char *words)
{
    GByteArray *bytes = g_byte_array_new();

    qs_write_u32(bytes, UINT32_MAX);
    qs_write_view(bytes, (struct qs_view){(const uint8_t *)words, (uint32_t)strlen(words)});
    add_packet(seed, dialect, from_server, bytes);
}

/* Quake II's says which protocol, and how long ports are. */
static void add_connect(GByteArray *seed, const struct dialect *dialect)
{
    const bool r1q2 = dialect->version == 35;
    g_autofree char *words =
        g_strdup_printf("connect %u %u 1 \"\\name\\x\" 1390 %s", dialect->version,
                        dialect->version == 34, r1q2 ? "1904" : "0 1 1026");

    add_words(seed, dialect, false, words);
    add_words(seed, dialect, true, "client_connect");
}

static void add_level(GByteArray *seed, const struct dialect *dialect)
{
    GByteArray *bytes;

    if (is_quake2(dialect))
        add_connect(seed, dialect);
    bytes = packet_new(dialect, 1, true);
    qs_write_u8(bytes, is_quake2(dialect) ? QUAKE2_SERVERDATA : SERVERDATA);
    write_agreement(bytes, dialect);
    qs_write_u32(bytes, dialect->version);
    (is_quake2(dialect)  ? write_quake2_level
     : is_quake(dialect) ? write_quake_level
                         : write_quakeworld_level)(bytes, dialect);
    add_packet(seed, dialect, true, bytes);
}

static GByteArray *message_new(const struct dialect *dialect, unsigned kind, unsigned number)
{
    GByteArray *bytes = packet_new(dialect, number + 2, kind != KIND_CLIENT);

    if (kind == KIND_TEMP_ENTITY)
        qs_write_u8(bytes, is_quake2(dialect) ? QUAKE2_TEMP_ENTITY : TEMP_ENTITY);
    qs_write_u8(bytes, (uint8_t)number);
    return bytes;
}

/* With a body of zeros, or of small numbers and texts that end. */
static void add_message(GByteArray *seed, const struct dialect *dialect, unsigned kind,
                        unsigned number, bool zeros)
{
    GByteArray *bytes = message_new(dialect, kind, number);

    for (unsigned i = 0; i < BODY; i++)
        qs_write_u8(bytes, zeros || i % 5 == 4 ? 0 : (uint8_t)(i % 3 + 1));
    add_packet(seed, dialect, kind != KIND_CLIENT, bytes);
}

static void write_shape(GByteArray *bytes, unsigned shape, unsigned count)
{
    static const unsigned before[] = {0, 1, 2, 5};
    const bool is_info = shape % 2;

    for (unsigned i = 0; i < before[shape / 2 % G_N_ELEMENTS(before)]; i++)
        qs_write_u8(bytes, 0);
    for (unsigned i = 0; i < count; i++) {
        g_autofree char *text = g_strdup_printf(is_info ? "\\k%u\\v" : "n%u", i);

        qs_write_view(bytes,
                      (struct qs_view){(const uint8_t *)text, (uint32_t)strlen(text) + !is_info});
    }
    qs_write_u16(bytes, 0);
}

static bool ends_quake2(unsigned number)
{
    return number == QUAKE2_DISCONNECT || number == QUAKE2_RECONNECT || number == QUAKE2_SERVERDATA;
}

/* Which numbers there are messages of; none that ends what the first packet began. */
static bool has_message(const struct dialect *dialect, unsigned kind, unsigned number)
{
    if (is_quake2(dialect) && kind == KIND_SERVER)
        return number < 64 && !ends_quake2(number);
    if (kind == KIND_SERVER)
        return number < 128 && number != DISCONNECT && number != VERSION && number != SERVERDATA;
    if (kind == KIND_TEMP_ENTITY)
        return number < 96;
    return number != DISCONNECT && (number < 8 || (number >= 50 && number < 90) || number >= 196);
}

/* --- Seeds --- */

static uint8_t protocol_number(const char *name)
{
    uint8_t number = 0;

    while (strcmp(qs_protocols[number]->name, name) != 0)
        number++;
    return number;
}

static GByteArray *seed_new(const struct dialect *dialect)
{
    GByteArray *seed = g_byte_array_new();

    qs_write_u8(seed, protocol_number(dialect->protocol));
    qs_write_u8(seed, 0);
    add_level(seed, dialect);
    return seed;
}

GByteArray *made_seed_of_number(unsigned index, char **name)
{
    static const char *const kinds[KINDS] = {"server message", "temporary entity",
                                             "client message"};
    const unsigned number = index % 256, kind = index / 256 % KINDS, which = index / 256 / KINDS;
    const struct dialect *dialect = &dialects[which];
    GByteArray *seed;

    if (which >= G_N_ELEMENTS(dialects))
        return NULL;
    seed = seed_new(dialect);
    add_message(seed, dialect, kind, number, false);
    *name = has_message(dialect, kind, number)
                ? g_strdup_printf("%s, %s %u", dialect->name, kinds[kind], number)
                : NULL;
    return seed;
}

GByteArray *made_seed_of_shape(unsigned index, unsigned shape, unsigned count, char **name)
{
    const unsigned number = index % 256, kind = index / 256 % KINDS, which = index / 256 / KINDS;
    const struct dialect *dialect = &dialects[which];
    GByteArray *seed, *bytes;

    if (which >= G_N_ELEMENTS(dialects))
        return NULL;
    seed = seed_new(dialect);
    bytes = message_new(dialect, kind, number);
    write_shape(bytes, shape, count);
    add_packet(seed, dialect, kind != KIND_CLIENT, bytes);
    *name = has_message(dialect, kind, number)
                ? g_strdup_printf("%s, %u %u, shape %u", dialect->name, kind, number, shape)
                : NULL;
    return seed;
}

static const struct {
    const char *dialect, *word;
} words[] = {
#define OOB(name, read, asks, answers) {"qw-28", name},
#define OOB_LETTER(letter, fits, name, read, asks, answers) {"qw-28", (const char[]){letter, 0}},
#define OOB_BARE(letter, fits, name, read, asks, answers) OOB_LETTER(letter, , , , , )
#include "common/quakeworld/messages.def"
#define OOB(name, read, asks, answers) {"q2-34", name},
#include "common/quake2/messages.def"
#define CONTROL(id, number, name, read, asks, answers) {"nq-15", (const char[]){(char)(number), 0}},
#include "common/quake/messages.def"
};

GByteArray *made_seed_of_word(unsigned index, unsigned shape, unsigned count, char **name)
{
    const unsigned which = index / 2;
    const bool from_server = index % 2;
    const struct dialect *dialect;
    GByteArray *seed, *bytes;

    if (which >= G_N_ELEMENTS(words))
        return NULL;
    dialect = find_dialect(words[which].dialect);
    seed = seed_new(dialect);
    bytes = g_byte_array_new();
    qs_write_u32(bytes, is_quake(dialect) ? 0x80 : UINT32_MAX);
    qs_write_view(bytes, qs_view_of(words[which].word));
    if (!is_quake(dialect))
        qs_write_u8(bytes, ' ');
    write_shape(bytes, shape, count);
    add_packet(seed, dialect, from_server, bytes);
    *name = g_strdup_printf("%s, word %u of %s, shape %u", words[which].dialect, which,
                            from_server ? "the server" : "a client", shape);
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

static bool are_of_one_sequence(const struct made_message *a, const struct made_message *b)
{
    return a->sequence && b->sequence && strcmp(a->sequence, b->sequence) == 0;
}

const struct made_message *made_first(const struct made_message *message)
{
    while (message > made_messages && are_of_one_sequence(message - 1, message))
        message--;
    return message;
}

/* How many rows of the sequence come before it from the same end. */
static uint32_t rows_before(const struct made_message *message)
{
    const bool from_server = made_is_from_server(message);
    uint32_t count = 0;

    for (const struct made_message *row = made_first(message); row < message; row++)
        count += made_is_from_server(row) == from_server;
    return count;
}

/* Behind the packets of add_level(). */
static GByteArray *packet_of(const struct dialect *dialect, const struct made_message *message)
{
    const bool connectionless = message->kind >= MADE_OOB_SERVER;
    const bool from_server = made_is_from_server(message);
    GByteArray *bytes;

    if (!connectionless)
        bytes = packet_new(dialect, rows_before(message) + (from_server ? 2 : 1), from_server);
    else
        bytes = g_byte_array_new();
    if (message->kind == MADE_OOB_SERVER || message->kind == MADE_OOB_CLIENT)
        qs_write_u32(bytes, UINT32_MAX);
    qs_write_view(bytes, message->bytes);
    if (is_quake(dialect) && !connectionless)
        set_length(bytes);
    return bytes;
}

static void add_segment(GByteArray *seed, const struct made_message *message)
{
    qs_write_u8(seed, (uint8_t)((made_is_from_server(message) ? FUZZ_STREAM_FROM_SERVER : 0) |
                                (message->kind == MADE_STREAM_LOST ? FUZZ_STREAM_LOST : 0)));
    qs_write_u16(seed, (uint16_t)message->bytes.size);
    qs_write_view(seed, message->bytes);
}

static GByteArray *stream_of(const struct made_message *message)
{
    GByteArray *seed = g_byte_array_new();

    qs_write_u8(seed, fuzz_stream_number(protocol_number(message->level)));
    for (const struct made_message *step = made_first(message); step <= message; step++)
        add_segment(seed, step);
    return seed;
}

static GByteArray *packets_of(const struct made_message *message)
{
    const struct dialect *dialect = find_dialect(message->level);
    GByteArray *seed = seed_new(dialect);

    for (const struct made_message *step = made_first(message); step <= message; step++)
        add_piece(seed,
                  FUZZ_PACKET_PRINTED | FUZZ_PACKET_TWICE |
                      (made_is_from_server(step) ? FUZZ_PACKET_FROM_SERVER : 0),
                  packet_of(dialect, step));
    return seed;
}

GByteArray *made_seed_of(const struct made_message *message)
{
    return (made_is_stream(message) ? stream_of : packets_of)(message);
}
