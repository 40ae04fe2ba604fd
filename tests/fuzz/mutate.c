/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A mutator for inputs that hold packets: pieces (fuzz.h), or a capture file of Ethernet frames. It
 * changes what packets say, and which come, how often and in what order, and keeps what would only
 * make them unreadable: headers with their lengths, sequence numbers, the beginnings of messages.
 * One input in eight is left to libFuzzer, which knows none of that.
 *
 * A target says which of the two its inputs are by the function below.
 */
#include "tests/fuzz/fuzz.h"

#include <glib.h>
#include <string.h>

#include "common/core/writer.h"

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

enum {
    ETHERNET_PAYLOAD = 14 + 20 + 8, /* IPv4 without options, UDP */
    RECORD_HEAD = 16,
    FILE_HEAD = 24,
    PIECE_HEAD = 3,
    SEQUENCE_SIZE = 8,
    GROW_MAX = 600,
    UNITS_MAX = 400
};

/* A packet: what stands before its payload, and the payload. */
struct unit {
    GByteArray *head, *payload;
};

struct input {
    bool pieces;
    GByteArray *head; /* of the whole input */
    GPtrArray *units;
};

/* --- Units --- */

static void unit_free(gpointer data)
{
    struct unit *unit = data;

    g_byte_array_free(unit->head, TRUE);
    g_byte_array_free(unit->payload, TRUE);
    g_free(unit);
}

static GByteArray *bytes_of(const uint8_t *data, size_t size)
{
    GByteArray *bytes = g_byte_array_new();

    qs_write_view(bytes, (struct qs_view){data, (uint32_t)size});
    return bytes;
}

static struct unit *unit_new(const uint8_t *data, size_t head, size_t payload)
{
    struct unit *unit = g_new(struct unit, 1);

    unit->head = bytes_of(data, head);
    unit->payload = bytes_of(data + head, payload);
    return unit;
}

static struct unit *unit_at(const struct input *input, guint index)
{
    return g_ptr_array_index(input->units, index);
}

static struct unit *unit_copy(const struct unit *unit)
{
    struct unit *copy = unit_new(unit->head->data, unit->head->len, 0);

    qs_write_view(copy->payload, qs_view_of_bytes(unit->payload));
    return copy;
}

/* Who sends it: the piece's bit, or the source's port. */
static unsigned sender_of(const struct input *input, const struct unit *unit)
{
    if (input->pieces)
        return unit->head->data[0] & 1;
    return qs_le16(unit->head->data + RECORD_HEAD + 14 + 20);
}

/* --- Reading and writing inputs --- */

static size_t read_piece(const uint8_t *data, size_t size)
{
    return size < PIECE_HEAD ? 0 : MIN(size, PIECE_HEAD + (size_t)qs_le16(data + 1));
}

static size_t read_record(const uint8_t *data, size_t size)
{
    size_t length;

    if (size < RECORD_HEAD)
        return 0;
    length = qs_le32(data + 8);
    if (length > size - RECORD_HEAD || length < ETHERNET_PAYLOAD)
        return 0;
    return RECORD_HEAD + length;
}

/* False: nothing that units are made of. */
static bool read_input(struct input *input, const uint8_t *data, size_t size)
{
    const size_t head = fuzz_mutate_pieces ? 2 : 1 + FILE_HEAD;
    const size_t unit_head = fuzz_mutate_pieces ? PIECE_HEAD : RECORD_HEAD + ETHERNET_PAYLOAD;
    size_t at = head;

    *input = (struct input){fuzz_mutate_pieces, bytes_of(data, MIN(size, head)),
                            g_ptr_array_new_with_free_func(unit_free)};
    while (at < size && input->units->len < UNITS_MAX) {
        const size_t length =
            input->pieces ? read_piece(data + at, size - at) : read_record(data + at, size - at);

        if (!length)
            break;
        g_ptr_array_add(input->units, unit_new(data + at, unit_head, length - unit_head));
        at += length;
    }
    return input->units->len;
}

static void put_u16(uint8_t *to, guint value, bool big)
{
    to[big] = (uint8_t)value;
    to[!big] = (uint8_t)(value >> 8);
}

/* The lengths in the headers are those that the payload has; a UDP checksum of 0 is none. */
static void set_lengths(const struct input *input, struct unit *unit)
{
    uint8_t *head = unit->head->data;
    const guint size = unit->payload->len;

    if (input->pieces) {
        put_u16(head + 1, size, false);
        return;
    }
    for (unsigned i = 0; i < 2; i++)
        memcpy(head + 8 + 4 * i, &(guint){GUINT32_TO_LE(ETHERNET_PAYLOAD + size)}, 4);
    put_u16(head + RECORD_HEAD + 14 + 2, 28 + size, true);
    put_u16(head + RECORD_HEAD + 14 + 20 + 4, 8 + size, true);
    put_u16(head + RECORD_HEAD + 14 + 20 + 6, 0, true);
}

static size_t write_input(const struct input *input, uint8_t *data, size_t max_size)
{
    size_t at = input->head->len;

    memcpy(data, input->head->data, at);
    for (guint i = 0; i < input->units->len; i++) {
        struct unit *unit = unit_at(input, i);

        if (at + unit->head->len + unit->payload->len > max_size)
            break;
        set_lengths(input, unit);
        memcpy(data + at, unit->head->data, unit->head->len);
        at += unit->head->len;
        if (unit->payload->len)
            memcpy(data + at, unit->payload->data, unit->payload->len);
        at += unit->payload->len;
    }
    return at;
}

static void input_clear(struct input *input)
{
    g_byte_array_free(input->head, TRUE);
    g_ptr_array_free(input->units, TRUE);
}

/* --- Mutations --- */

/* What a payload begins with and keeps: the mark of connectionless packets, or sequence numbers. */
static guint kept_bytes(const GByteArray *payload)
{
    static const uint8_t mark[] = {0xff, 0xff, 0xff, 0xff};

    if (payload->len < SEQUENCE_SIZE)
        return 0;
    return memcmp(payload->data, mark, sizeof mark) == 0 ? sizeof mark : SEQUENCE_SIZE;
}

/* Quake's header has the payload's length: PROTOCOL.md of common/quake, section 2. */
static void fix_quake_length(GByteArray *payload, guint before)
{
    if (payload->len >= SEQUENCE_SIZE && payload->data[0] == 0 &&
        (guint)(payload->data[2] << 8 | payload->data[3]) == before)
        put_u16(payload->data + 2, payload->len, true);
}

/* Bytes behind the header: libFuzzer's own mutations, with its dictionary. */
static void change_payload(struct unit *unit)
{
    const guint kept = kept_bytes(unit->payload), before = unit->payload->len;

    g_byte_array_set_size(unit->payload, before + GROW_MAX);
    g_byte_array_set_size(unit->payload,
                          kept + (guint)LLVMFuzzerMutate(unit->payload->data + kept, before - kept,
                                                         before - kept + GROW_MAX));
    fix_quake_length(unit->payload, before);
}

/* Messages of one packet go behind those of another. */
static void append_messages(struct unit *unit, const struct unit *from)
{
    const guint before = unit->payload->len, kept = kept_bytes(from->payload);
    GByteArray *copy;

    if (from->payload->len == kept || from->payload->len - kept > GROW_MAX)
        return;
    copy = bytes_of(from->payload->data + kept, from->payload->len - kept);
    qs_write_view(unit->payload, qs_view_of_bytes(copy));
    fix_quake_length(unit->payload, before);
    g_byte_array_free(copy, TRUE);
}

static void add_to_sequence(struct unit *unit)
{
    uint8_t *data = unit->payload->data;
    uint32_t sequence;

    if (kept_bytes(unit->payload) != SEQUENCE_SIZE)
        return;
    if (data[0] == 0) {
        sequence = qs_be32(data + 4) + 1;
        memcpy(data + 4, &(uint32_t){GUINT32_TO_BE(sequence)}, 4);
    } else {
        sequence = qs_le32(data) + 1;
        memcpy(data, &(uint32_t){GUINT32_TO_LE(sequence)}, 4);
    }
}

/* Another packet of the same sender, whose later ones are counted on. */
static void insert_numbered(struct input *input, guint index, const struct unit *like)
{
    const unsigned sender = sender_of(input, like);
    struct unit *copy = unit_copy(like);
    const GByteArray *before = unit_at(input, index)->payload;

    if (kept_bytes(copy->payload) == SEQUENCE_SIZE && kept_bytes(before) == SEQUENCE_SIZE)
        memcpy(copy->payload->data, before->data, SEQUENCE_SIZE);
    add_to_sequence(copy);
    g_ptr_array_insert(input->units, (gint)index + 1, copy);
    for (guint i = index + 2; i < input->units->len; i++)
        if (sender_of(input, unit_at(input, i)) == sender)
            add_to_sequence(unit_at(input, i));
}

/*
 * A packet with one message, of any number and with any bytes, most of them small, behind a packet
 * of the same sender: all that the tables have is met, and not only what captures hold.
 */
static void insert_message(struct input *input, guint index, GRand *rand)
{
    enum { BODY_MAX = 40 };
    struct unit *made = unit_copy(unit_at(input, index));
    const guint before = made->payload->len, size = 1 + g_rand_int(rand) % BODY_MAX;
    const guint small = g_rand_int(rand) % 3;

    if (kept_bytes(made->payload) == SEQUENCE_SIZE) {
        g_byte_array_set_size(made->payload, SEQUENCE_SIZE + size);
        for (guint i = 0; i < size; i++)
            made->payload->data[SEQUENCE_SIZE + i] =
                (uint8_t)(g_rand_int(rand) >> (i && small ? 30 - small : 24));
        fix_quake_length(made->payload, before);
        insert_numbered(input, index, made);
    }
    unit_free(made);
}

static void swap(struct input *input, guint a, guint b)
{
    gpointer *units = input->units->pdata, kept = units[a];

    units[a] = units[b];
    units[b] = kept;
}

/* A packet of another conversation, or in pieces with other bits. */
static void change_head(const struct input *input, struct unit *unit, guint random)
{
    if (input->pieces)
        unit->head->data[0] ^= (uint8_t)(1u << random % 8);
    else /* the last byte of an address, or the lower one of a port */
        unit->head->data[RECORD_HEAD + 14 + (guint[]){15, 19, 21, 23}[random % 4]] ^=
            (uint8_t)(random >> 8 & 3);
}

static void mutate_once(struct input *input, GRand *rand)
{
    const guint count = input->units->len, index = g_rand_int(rand) % count;
    const guint other = g_rand_int(rand) % count;
    struct unit *unit = unit_at(input, index);

    switch (g_rand_int(rand) % 14) {
    case 0:
        g_ptr_array_insert(input->units, (gint)index, unit_copy(unit));
        break;
    case 1:
        if (count > 1)
            g_ptr_array_remove_index(input->units, index);
        break;
    case 2:
        swap(input, index, (index + 1 + g_rand_int(rand) % 3) % count);
        break;
    case 3:
        swap(input, index, other);
        break;
    case 4:
        insert_numbered(input, index, unit);
        break;
    case 5:
        insert_numbered(input, index, unit_at(input, other));
        break;
    case 6:
        append_messages(unit, unit_at(input, other));
        break;
    case 7:
        change_head(input, unit, g_rand_int(rand));
        break;
    case 8:
    case 9:
        insert_message(input, index, rand);
        break;
    case 10:
        input->head->data[g_rand_int(rand) % (input->pieces ? 2 : 1)] = (uint8_t)g_rand_int(rand);
        break;
    default:
        change_payload(unit);
        break;
    }
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    struct input input;
    g_autoptr(GRand) rand = g_rand_new_with_seed(seed);
    unsigned times = 1 + g_rand_int(rand) % 4;
    const bool blind = g_rand_int(rand) % 8 == 0;

    if (!blind && read_input(&input, data, size)) {
        while (times--)
            mutate_once(&input, rand);
        size = write_input(&input, data, max_size);
        input_clear(&input);
    } else {
        if (!blind)
            input_clear(&input);
        size = LLVMFuzzerMutate(data, size, max_size);
    }
    return size;
}
