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
    SERVERDATA = 11,
    TEMP_ENTITY = 23,
    QUAKE2_TEMP_ENTITY = 3,
    QUAKE2_SERVERDATA = 12,
    QUAKEWORLD_VERSION = 28,
    STREAM_DATA = 4,    /* of GTV */
    STREAM = UINT16_MAX /* instead of a version */
};

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
    {"acknex", "acknex", 0, 0, 0, 0, NULL, 0},
    {"qtv-game", "qw", STREAM, 0, 0, 0, NULL, 0}, /* they begin as these rows */
    {"gtv-game", "q2", STREAM, 0, 0, 0, NULL, 0},
};

const unsigned made_dialect_count = G_N_ELEMENTS(dialects);

bool made_dialect_is_stream(unsigned dialect)
{
    return dialects[dialect].version == STREAM;
}

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

    if (!dialect->version)
        return bytes;
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

/* Of a packet FUZZ_PACKET_*, of a stream FUZZ_STREAM_*. Frees the bytes. */
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

static void add_packet(GByteArray *seed, const struct dialect *dialect, bool from_server,
                       GByteArray *bytes)
{
    if (is_quake(dialect))
        set_length(bytes);
    add_piece(seed, FUZZ_PACKET_PORTS_KNOWN | (from_server ? FUZZ_PACKET_FROM_SERVER : 0), bytes);
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

    if (!dialect->version)
        return;
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

/* The last row of the sequence. */
static const struct made_message *last_of(const char *sequence)
{
    const struct made_message *row = &made_messages[made_message_count - 1];

    while (!row->sequence || strcmp(row->sequence, sequence) != 0)
        row--;
    return row;
}

static GByteArray *packets_of(const struct made_message *message)
{
    const struct dialect *dialect = find_dialect(message->level);
    GByteArray *seed = seed_new(dialect);

    for (const struct made_message *step = made_first(message); step <= message; step++)
        add_piece(seed,
                  FUZZ_PACKET_PORTS_KNOWN | FUZZ_PACKET_PRINTED | FUZZ_PACKET_TWICE |
                      (made_is_from_server(step) ? FUZZ_PACKET_FROM_SERVER : 0),
                  packet_of(dialect, step));
    return seed;
}

GByteArray *made_seed_of(const struct made_message *message)
{
    return (made_is_stream(message) ? stream_of : packets_of)(message);
}

/* --- Messages of the tables --- */

/* What it stands in. */
enum made_number_kind {
    MESSAGE,
    TE,
    WORD, /* without a connection */
    LETTER,
    BARE,     /* the same without the mark */
    QTV_LINE, /* of streams: of the texts that they begin with */
    BLOCK,    /* of MVD, in QTV */
    HIDDEN_BLOCK,
    QTV_COMMAND,
    GTV_MESSAGE,
    GTV_BLOCK
};

/* clang-format off */
static const struct made_number {
    const char *name, *protocol;
    enum made_number_kind kind;
    uint8_t number;
    bool from_server;
} numbers[] = {
#define EITHER(...) {__VA_ARGS__, false}, {__VA_ARGS__, true},
#define CLC(id, number, ...) {"clc_" #id, "qw", MESSAGE, number, false},
#define SVC(id, number, ...) {"svc_" #id, "qw", MESSAGE, number, true}, {"mvd_" #id, "qw", BLOCK, number, true},
#define TE(id, number, ...) {"te_" #id, "qw", TE, number, true},
#define HIDDEN(id, number, ...) {"hidden_" #id, "qw", HIDDEN_BLOCK, number, true},
#define QTV_CLC(id, number, ...) {"qtv_" #id, "qw", QTV_COMMAND, number, false},
#define OOB(name, ...) EITHER(name, "qw", WORD, 0)
#define OOB_LETTER(letter, fits, name, ...) EITHER(#letter ", " #fits, "qw", LETTER, letter)
#define OOB_BARE(letter, fits, ...) EITHER(#letter ", bare, " #fits, "qw", BARE, letter)
#define QTV_KEY(name, ...) EITHER(name, "qw", QTV_LINE, 0)
#include "common/quakeworld/messages.def"
#define CLC(id, number, ...) {"clc_" #id, "nq", MESSAGE, number, false},
#define CLC_FTE CLC
#define SVC(id, number, ...) {"svc_" #id, "nq", MESSAGE, number, true},
#define SVC_FTE SVC
#define SVC_FTE_SHARED(...)
#define TE(id, number, ...) {"te_" #id, "nq", TE, number, true},
#define CONTROL(id, number, ...) EITHER(#id, "nq", LETTER, number)
#include "common/quake/messages.def"
#define CLC(id, number, ...) {"clc_" #id, "q2", MESSAGE, number, false},
#define SVC(id, number, ...) {"svc_" #id, "q2", MESSAGE, number, true},
#define SVC_Q2REPRO SVC
#define SVC_Q2REPRO_AS SVC
#define SVC_R1Q2 SVC
#define TE(id, number, ...) {"te_" #id, "q2", TE, number, true},
#define TE31 TE
#define GTS(id, number, ...) {"gts_" #id, "q2", GTV_MESSAGE, number, true},
#define GTC(id, number, ...) {"gtc_" #id, "q2", GTV_MESSAGE, number, false},
#define MVD(id, number, ...) {"mvd_" #id, "q2", GTV_BLOCK, number, true},
#define OOB(name, ...) EITHER(name, "q2", WORD, 0)
#include "common/quake2/messages.def"
#define CLS(id, number, ...) {"cls_" #id, "acknex", MESSAGE, number, false},
#define SVC(id, number, ...) {"svc_" #id, "acknex", MESSAGE, number, true},
#define UPDATE(id, number, ...) SVC(id, number, 0) SVC(id, (number) + 0x1f, 0) /* all parameters */
#include "common/acknex/messages.def"
};
/* clang-format on */
const unsigned made_number_count = G_N_ELEMENTS(numbers);

/* What stands before a body of that size. */
static void write_head(GByteArray *bytes, const struct made_number *row, uint32_t size)
{
    static const uint8_t block_of_all[] = {0, 6}, block_of_none[] = {0, 3, 0, 0, 0, 0};

    if (row->kind == QTV_LINE) {
        qs_write_view(bytes, qs_view_of(row->from_server ? "QTVSV 1.0\n" : "QTV\n"));
        return;
    }
    if (row->kind == WORD || row->kind == LETTER)
        qs_write_u32(bytes, strcmp(row->protocol, "nq") == 0 ? 0x80 : UINT32_MAX);
    if (row->kind == WORD) {
        qs_write_view(bytes, qs_view_of(row->name));
        qs_write_u8(bytes, ' ');
        return;
    }
    if (row->kind == BLOCK) {
        g_byte_array_append(bytes, block_of_all, sizeof block_of_all);
        qs_write_u32(bytes, size + 1);
    } else if (row->kind == HIDDEN_BLOCK) {
        g_byte_array_append(bytes, block_of_none, sizeof block_of_none);
        qs_write_u32(bytes, size + 6);
        qs_write_u32(bytes, size);
        qs_write_u16(bytes, row->number);
        return;
    } else if (row->kind > HIDDEN_BLOCK) {
        qs_write_u16(bytes, (uint16_t)(size + (row->kind == QTV_COMMAND ? 3
                                               : row->kind == GTV_BLOCK ? 2
                                                                        : 1)));
    }
    if (row->kind == GTV_BLOCK)
        qs_write_u8(bytes, STREAM_DATA);
    if (row->kind == TE)
        qs_write_u8(bytes, strcmp(row->protocol, "q2") == 0 ? QUAKE2_TEMP_ENTITY : TEMP_ENTITY);
    qs_write_u8(bytes, row->number);
}

/* Small numbers and texts that end; of a bare letter the lines of a heartbeat, of a stream's text
 * one more line. */
static void write_body(GByteArray *bytes, const struct made_number *row)
{
    if (row->kind == BARE)
        qs_write_view(bytes, qs_view_of("\n1\n1\n"));
    else if (row->kind == QTV_LINE)
        qs_write_view(bytes, qs_view_of(row->name));
    for (unsigned i = 0; i < MADE_BODY && row->kind != BARE && row->kind != QTV_LINE; i++)
        qs_write_u8(bytes, i % 5 == 4 ? 0 : (uint8_t)(i % 3 + 1));
    if (row->kind == QTV_LINE)
        qs_write_view(bytes, qs_view_of(": 1\n\n"));
}

bool made_is_in(unsigned number, unsigned dialect)
{
    const bool is_stream = numbers[number].kind >= QTV_LINE;

    return strcmp(dialects[dialect].protocol, numbers[number].protocol) == 0 &&
           made_dialect_is_stream(dialect) == is_stream;
}

GByteArray *made_head(unsigned number)
{
    GByteArray *bytes = g_byte_array_new();

    write_head(bytes, &numbers[number], 0);
    return bytes;
}

const struct qs_protocol *made_protocol(unsigned dialect)
{
    return qs_protocols[protocol_number(dialects[dialect].protocol)];
}

GByteArray *made_seed_of_number(unsigned number, unsigned dialect, char **name)
{
    const struct made_number *row = &numbers[number];
    const bool from_server = row->from_server;
    const bool is_stream = made_dialect_is_stream(dialect);
    GByteArray *bytes =
        row->kind >= WORD ? g_byte_array_new() : packet_new(&dialects[dialect], 2, from_server);
    GByteArray *seed =
        is_stream ? stream_of(last_of(dialects[dialect].name)) : seed_new(&dialects[dialect]);
    g_autoptr(GByteArray) body = g_byte_array_new();

    write_body(body, row);
    write_head(bytes, row, body->len);
    qs_write_view(bytes, qs_view_of_bytes(body));
    *name = g_strdup_printf("%s %s, %s %u", dialects[dialect].name, from_server ? "s2c" : "c2s",
                            row->name, row->number);
    if (row->kind == QTV_LINE)
        g_byte_array_set_size(seed, 1); /* it is the stream's beginning */
    if (is_stream)
        add_piece(seed, from_server ? FUZZ_STREAM_FROM_SERVER : 0, bytes);
    else
        add_packet(seed, &dialects[dialect], from_server, bytes);
    return seed;
}
