/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files are put together of pieces and chunks, and nothing is called complete that is not. */
#include <string.h>
#include <zlib.h>

#include "tests/support/test.h"

#include "common/netchan/links.h"

enum { CHUNK = 1024, ROOM = 1 << 20 };

struct received {
    struct qs_transfer_room room;
    struct qs_transfers *transfers;
    unsigned over, complete, refused;
    char name[64];
    GByteArray *content; /* of the last file that was over */
};

static void on_transferred(const struct qs_transferred *file, bool over, void *user)
{
    struct received *received = user;

    if (!over)
        return;
    assert_true(file->complete == !file->problem || file->refused);
    received->over++;
    received->complete += file->complete;
    received->refused += file->refused;
    g_strlcpy(received->name, file->name ? file->name : "?", sizeof received->name);
    g_byte_array_set_size(received->content, 0);
    g_byte_array_append(received->content, file->content->data, file->content->len);
}

static void set_up(struct received *received)
{
    received->room.max = ROOM;
    received->content = g_byte_array_new();
    received->transfers =
        qs_transfers_new(&received->room, (struct qs_transfer_listener){on_transferred, received});
}

static void tear_down(struct received *received)
{
    if (received->transfers)
        qs_transfers_free(received->transfers);
    assert_int_equal(received->room.held, 0);
    g_byte_array_free(received->content, TRUE);
}

#define FIXTURE_TEST(function) TEST_WITH(function, struct received, received, set_up, tear_down)

static void finish(struct received *received)
{
    qs_transfers_free(received->transfers);
    received->transfers = NULL;
}

static void request(struct received *received, const char *name)
{
    qs_transfers_add(received->transfers, &(struct qs_transfer){.event = QS_TRANSFER_REQUEST,
                                                                .name = {(const uint8_t *)name,
                                                                         (uint32_t)strlen(name)}});
}

static void next(struct received *received)
{
    qs_transfers_add(received->transfers, &(struct qs_transfer){.event = QS_TRANSFER_NEXT});
}

static void packed_piece(struct received *received, const void *data, size_t size, uint8_t percent,
                         enum qs_transfer_packing packing)
{
    qs_transfers_add(received->transfers, &(struct qs_transfer){.event = QS_TRANSFER_PIECE,
                                                                .packing = packing,
                                                                .data = {data, (uint32_t)size},
                                                                .percent = percent});
}

static void piece(struct received *received, const char *text, uint8_t percent)
{
    packed_piece(received, text, strlen(text), percent, QS_TRANSFER_PLAIN);
}

static void begin_packed(struct received *received, const char *name, uint64_t total,
                         enum qs_transfer_packing packing)
{
    qs_transfers_add(received->transfers,
                     &(struct qs_transfer){.event = QS_TRANSFER_BEGIN,
                                           .packing = packing,
                                           .name = {(const uint8_t *)name, (uint32_t)strlen(name)},
                                           .total = total});
}

static void begin(struct received *received, const char *name, uint64_t total)
{
    begin_packed(received, name, total, QS_TRANSFER_PLAIN);
}

static void bytes_at(struct received *received, uint64_t offset, const void *data, size_t size)
{
    qs_transfers_add(received->transfers, &(struct qs_transfer){.event = QS_TRANSFER_CHUNK,
                                                                .offset = offset,
                                                                .data = {data, (uint32_t)size}});
}

/* Chunk `number` is full of its number. */
static void chunk(struct received *received, uint32_t number)
{
    uint8_t data[CHUNK];

    memset(data, (int)number, sizeof data);
    bytes_at(received, (uint64_t)number * CHUNK, data, sizeof data);
}

static void assert_over(const struct received *received, int complete)
{
    assert_int_equal(received->over, 1);
    assert_int_equal(received->complete, complete);
}

static void assert_content(const struct received *received, const char *text)
{
    assert_int_equal(received->content->len, strlen(text));
    assert_memory_equal(received->content->data, text, strlen(text));
}

FIXTURE_TEST(joins_pieces)
{
    request(received, "maps/dm4.bsp");
    request(received, "maps/dm4.bsp");
    piece(received, "abc", 42);
    next(received);
    piece(received, "abc", 85);
    next(received);
    piece(received, "g", 100);
    assert_int_equal(received->complete, 1);
    assert_string_equal(received->name, "maps/dm4.bsp");
    assert_content(received, "abcabcg");
}

FIXTURE_TEST(drops_repeated_pieces)
{
    request(received, "x");
    piece(received, "abc", 50);
    piece(received, "abc", 50);
    next(received);
    piece(received, "def", 100);
    piece(received, "def", 100);
    assert_over(received, 1);
    assert_content(received, "abcdef");
}

/* The second of four pieces is missing: the first is reported to be a quarter, and is a third. */
FIXTURE_TEST(notices_missing_pieces)
{
    request(received, "x");
    piece(received, "aa", 25);
    next(received);
    next(received);
    piece(received, "cc", 75);
    next(received);
    piece(received, "dd", 100);
    assert_over(received, 0);
}

/* The first of three is missing: the second is reported to be two thirds, and is half of what is
 * there.
 */
FIXTURE_TEST(notices_a_missing_beginning)
{
    request(received, "x");
    next(received);
    piece(received, "bb", 66);
    next(received);
    piece(received, "cc", 100);
    assert_over(received, 0);
}

/* A capture that begins behind the request has the file, but not its name. */
FIXTURE_TEST(joins_pieces_without_a_request)
{
    piece(received, "abc", 50);
    next(received);
    piece(received, "def", 100);
    assert_int_equal(received->over, 1);
    assert_string_equal(received->name, "?");
    assert_content(received, "abcdef");
}

FIXTURE_TEST(notices_a_missing_end)
{
    request(received, "x");
    piece(received, "aa", 25);
    request(received, "y");
    assert_int_equal(received->over, 1);
    assert_string_equal(received->name, "x");
    finish(received);
    assert_int_equal(received->over, 1); /* y never came */
    assert_int_equal(received->complete, 0);
}

FIXTURE_TEST(receives_refusals)
{
    request(received, "x");
    qs_transfers_add(received->transfers, &(struct qs_transfer){.event = QS_TRANSFER_REFUSED});
    assert_int_equal(received->refused, 1);
    assert_int_equal(received->content->len, 0);
}

FIXTURE_TEST(marks_resumed_files)
{
    qs_transfers_add(received->transfers, &(struct qs_transfer){.event = QS_TRANSFER_REQUEST,
                                                                .name = {(const uint8_t *)"x", 1},
                                                                .offset = 10});
    piece(received, "rest", 100);
    assert_over(received, 0);
}

/* --- Chunks */

FIXTURE_TEST(joins_chunks_in_any_order)
{
    begin(received, "x", 2 * CHUNK + 1);
    chunk(received, 2);
    chunk(received, 1);
    chunk(received, 2);
    begin(received, "x", 2 * CHUNK + 1);
    chunk(received, UINT32_MAX);
    assert_int_equal(received->over, 0);
    chunk(received, 0);
    chunk(received, 0);
    assert_over(received, 1);
    assert_int_equal(received->content->len, 2 * CHUNK + 1);
    assert_int_equal(received->content->data[0], 0);
    assert_int_equal(received->content->data[CHUNK], 1);
    assert_int_equal(received->content->data[2 * CHUNK], 2);
}

FIXTURE_TEST(ends_at_the_first_hole)
{
    begin(received, "x", 4 * CHUNK);
    chunk(received, 0);
    chunk(received, 2);
    finish(received);
    assert_over(received, 0);
    assert_int_equal(received->content->len, CHUNK);
}

FIXTURE_TEST(bounds_what_waits)
{
    begin(received, "x", UINT64_C(100) << 20);
    for (uint32_t i = 1; i < 4 * ROOM / CHUNK; i++)
        chunk(received, i);
    assert_true(received->room.held <= ROOM);
    finish(received);
    assert_int_equal(received->complete, 0);
}

FIXTURE_TEST(refuses_giants)
{
    begin(received, "x", UINT64_MAX);
    chunk(received, 0);
    finish(received);
    assert_int_equal(received->complete, 0);
    assert_int_equal(received->content->len, 0);
}

/* --- Deflate */

static size_t deflate_all(const void *data, size_t size, uint8_t *out, size_t room)
{
    z_stream stream = {.next_in = (uint8_t *)data,
                       .avail_in = (uInt)size,
                       .next_out = out,
                       .avail_out = (uInt)room};

    assert_int_equal(deflateInit2(&stream, 9, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY), Z_OK);
    assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
    deflateEnd(&stream);
    return stream.total_out;
}

FIXTURE_TEST(inflates_each_piece)
{
    uint8_t packed[64];
    const size_t size = deflate_all("hello, ", 7, packed, sizeof packed);

    request(received, "x");
    packed_piece(received, packed, size, 58, QS_TRANSFER_DEFLATED);
    next(received);
    piece(received, "world", 100);
    assert_int_equal(received->complete, 1);
    assert_content(received, "hello, world");
}

FIXTURE_TEST(inflates_a_stream)
{
    uint8_t packed[64];
    const size_t size = deflate_all("hello, world", 12, packed, sizeof packed);

    request(received, "x");
    packed_piece(received, packed, 5, (uint8_t)(500 / size), QS_TRANSFER_STREAM);
    next(received);
    packed_piece(received, packed + 5, size - 5, 100, QS_TRANSFER_STREAM);
    assert_int_equal(received->complete, 1);
    assert_content(received, "hello, world");
}

FIXTURE_TEST(notices_a_cut_stream)
{
    uint8_t packed[64];
    const size_t size = deflate_all("hello, world", 12, packed, sizeof packed);

    request(received, "x");
    packed_piece(received, packed, size - 3, 100, QS_TRANSFER_STREAM);
    assert_over(received, 0);
}

FIXTURE_TEST(survives_a_bomb)
{
    const size_t much = 16 * ROOM;
    g_autofree uint8_t *zeros = g_malloc0(much);
    g_autofree uint8_t *packed = g_malloc(ROOM);
    const size_t size = deflate_all(zeros, much, packed, ROOM);

    request(received, "x");
    packed_piece(received, packed, size, 50, QS_TRANSFER_DEFLATED);
    assert_true(received->room.held <= ROOM);
    packed_piece(received, packed, size, 100, QS_TRANSFER_STREAM);
    assert_over(received, 0);
    assert_true(received->content->len <= ROOM);
}

/* A piece that is deflated for itself has a size of 16 bits. */
FIXTURE_TEST(limits_a_piece)
{
    enum { LARGEST = 0xffff, MUCH = 1 << 20, STEP = 16 << 10 };
    g_autofree uint8_t *zeros = g_malloc0(MUCH);
    uint8_t packed[2048];

    received->room.max = 2 * MUCH;
    request(received, "x");
    packed_piece(received, packed, deflate_all(zeros, LARGEST, packed, sizeof packed), 50,
                 QS_TRANSFER_DEFLATED);
    packed_piece(received, packed, deflate_all(zeros, MUCH, packed, sizeof packed), 100,
                 QS_TRANSFER_DEFLATED);
    assert_over(received, 0);
    assert_true(received->content->len >= LARGEST);
    assert_true(received->content->len <= 2 * LARGEST + STEP);
}

FIXTURE_TEST(notices_damaged_data)
{
    request(received, "x");
    packed_piece(received, "\xff\xff\xff\xff", 4, 100, QS_TRANSFER_DEFLATED);
    assert_over(received, 0);
}

/* What is under way when the client asks again still comes, and is of the same file. */
FIXTURE_TEST(chunks_before_the_second_start_count)
{
    request(received, "x");
    begin(received, "x", 4 * CHUNK);
    chunk(received, 0);
    request(received, "x");
    chunk(received, 1);
    begin(received, "x", 4 * CHUNK);
    chunk(received, 2);
    assert_int_equal(received->over, 0);
    chunk(received, 3);
    assert_int_equal(received->complete, 1);
    assert_int_equal(received->content->len, 4 * CHUNK);
}

FIXTURE_TEST(chunks_before_another_file_count)
{
    request(received, "x");
    begin(received, "x", 2 * CHUNK);
    chunk(received, 0);
    request(received, "y");
    chunk(received, 1);
    assert_int_equal(received->complete, 1);
    assert_string_equal(received->name, "x");
    begin(received, "y", CHUNK);
    chunk(received, 0);
    assert_int_equal(received->complete, 2);
    assert_string_equal(received->name, "y");
}

FIXTURE_TEST(another_file_ends_chunks)
{
    request(received, "x");
    begin(received, "x", 2 * CHUNK);
    chunk(received, 0);
    request(received, "y");
    begin(received, "y", CHUNK);
    assert_int_equal(received->over, 1);
    assert_string_equal(received->name, "x");
    chunk(received, 0);
    assert_int_equal(received->complete, 1);
}

/* DarkPlaces: what a lost packet had is sent again, cut at other places. */
FIXTURE_TEST(joins_chunks_that_overlap)
{
    begin(received, "a.wav", 12);
    bytes_at(received, 0, "hel", 3);
    bytes_at(received, 7, "wor", 3);
    bytes_at(received, 0, "hell", 4);
    bytes_at(received, 3, "lo, wo", 6);
    bytes_at(received, 9, "rld", 3);
    assert_int_equal(received->complete, 1);
    assert_content(received, "hello, world");
}

FIXTURE_TEST(inflates_chunks)
{
    uint8_t packed[64];
    const size_t size = deflate_all("hello, world", 12, packed, sizeof packed);

    begin_packed(received, "csprogs.dat", size, QS_TRANSFER_STREAM);
    bytes_at(received, 4, packed + 4, size - 4);
    bytes_at(received, 0, packed, 4);
    assert_int_equal(received->complete, 1);
    assert_content(received, "hello, world");
    begin_packed(received, "csprogs.dat", size - 1, QS_TRANSFER_STREAM);
    bytes_at(received, 0, packed, size - 1);
    assert_int_equal(received->over, 2);
    assert_int_equal(received->complete, 1);
}
