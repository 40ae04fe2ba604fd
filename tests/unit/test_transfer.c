/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files are put together of pieces and chunks, and nothing is called complete that is not. */
#include <string.h>
#include <zlib.h>

#include "tests/support/test.h"

#include "common/netchan/transfer.h"

enum { CHUNK = 1024, ROOM = 1 << 20 };

struct heard {
    struct qs_transfer_room room;
    struct qs_transfers *transfers;
    unsigned over, complete, refused;
    char name[64];
    GByteArray *content; /* of the last file that was over */
};

static void hear(const struct qs_transferred *file, bool over, void *user)
{
    struct heard *heard = user;

    if (!over)
        return;
    assert_true(file->complete == !file->problem || file->refused);
    heard->over++;
    heard->complete += file->complete;
    heard->refused += file->refused;
    g_strlcpy(heard->name, file->name ? file->name : "?", sizeof heard->name);
    g_byte_array_set_size(heard->content, 0);
    g_byte_array_append(heard->content, file->content->data, file->content->len);
}

static void set_up(struct heard *heard)
{
    heard->room.max = ROOM;
    heard->content = g_byte_array_new();
    heard->transfers = qs_transfers_new(&heard->room, (struct qs_transfer_listener){hear, heard});
}

static void tear_down(struct heard *heard)
{
    if (heard->transfers)
        qs_transfers_free(heard->transfers);
    assert_int_equal(heard->room.held, 0);
    g_byte_array_free(heard->content, TRUE);
}

#define FIXTURE_TEST(function) TEST_WITH(function, struct heard, heard, set_up, tear_down)

static void finish(struct heard *heard)
{
    qs_transfers_free(heard->transfers);
    heard->transfers = NULL;
}

static void request(struct heard *heard, const char *name)
{
    qs_transfers_take(heard->transfers, &(struct qs_transfer){.event = QS_TRANSFER_REQUEST,
                                                              .name = {(const uint8_t *)name,
                                                                       (uint32_t)strlen(name)}});
}

static void next(struct heard *heard)
{
    qs_transfers_take(heard->transfers, &(struct qs_transfer){.event = QS_TRANSFER_NEXT});
}

static void packed_piece(struct heard *heard, const void *data, size_t size, uint8_t percent,
                         enum qs_transfer_packing packing)
{
    qs_transfers_take(heard->transfers, &(struct qs_transfer){.event = QS_TRANSFER_PIECE,
                                                              .packing = packing,
                                                              .data = {data, (uint32_t)size},
                                                              .percent = percent});
}

static void piece(struct heard *heard, const char *text, uint8_t percent)
{
    packed_piece(heard, text, strlen(text), percent, QS_TRANSFER_PLAIN);
}

static void begin_packed(struct heard *heard, const char *name, uint64_t total,
                         enum qs_transfer_packing packing)
{
    qs_transfers_take(heard->transfers,
                      &(struct qs_transfer){.event = QS_TRANSFER_BEGIN,
                                            .packing = packing,
                                            .name = {(const uint8_t *)name, (uint32_t)strlen(name)},
                                            .total = total});
}

static void begin(struct heard *heard, const char *name, uint64_t total)
{
    begin_packed(heard, name, total, QS_TRANSFER_PLAIN);
}

static void bytes_at(struct heard *heard, uint64_t offset, const void *data, size_t size)
{
    qs_transfers_take(heard->transfers, &(struct qs_transfer){.event = QS_TRANSFER_CHUNK,
                                                              .offset = offset,
                                                              .data = {data, (uint32_t)size}});
}

/* Chunk `number` is full of its number. */
static void chunk(struct heard *heard, uint32_t number)
{
    uint8_t data[CHUNK];

    memset(data, (int)number, sizeof data);
    bytes_at(heard, (uint64_t)number * CHUNK, data, sizeof data);
}

static void assert_over(const struct heard *heard, int complete)
{
    assert_int_equal(heard->over, 1);
    assert_int_equal(heard->complete, complete);
}

static void assert_content(const struct heard *heard, const char *text)
{
    assert_int_equal(heard->content->len, strlen(text));
    assert_memory_equal(heard->content->data, text, strlen(text));
}

FIXTURE_TEST(joins_pieces)
{
    request(heard, "maps/dm4.bsp");
    request(heard, "maps/dm4.bsp");
    piece(heard, "abc", 42);
    next(heard);
    piece(heard, "abc", 85);
    next(heard);
    piece(heard, "g", 100);
    assert_int_equal(heard->complete, 1);
    assert_string_equal(heard->name, "maps/dm4.bsp");
    assert_content(heard, "abcabcg");
}

FIXTURE_TEST(drops_repeated_pieces)
{
    request(heard, "x");
    piece(heard, "abc", 50);
    piece(heard, "abc", 50);
    next(heard);
    piece(heard, "def", 100);
    piece(heard, "def", 100);
    assert_over(heard, 1);
    assert_content(heard, "abcdef");
}

/* The second of four pieces is missing: the first is said to be a quarter, and is a third. */
FIXTURE_TEST(notices_missing_pieces)
{
    request(heard, "x");
    piece(heard, "aa", 25);
    next(heard);
    next(heard);
    piece(heard, "cc", 75);
    next(heard);
    piece(heard, "dd", 100);
    assert_over(heard, 0);
}

/* The first of three is missing: the second is said to be two thirds, and is half of what is there.
 */
FIXTURE_TEST(notices_a_missing_beginning)
{
    request(heard, "x");
    next(heard);
    piece(heard, "bb", 66);
    next(heard);
    piece(heard, "cc", 100);
    assert_over(heard, 0);
}

/* A capture that begins behind the request has the file, but not its name. */
FIXTURE_TEST(joins_pieces_without_a_request)
{
    piece(heard, "abc", 50);
    next(heard);
    piece(heard, "def", 100);
    assert_int_equal(heard->over, 1);
    assert_string_equal(heard->name, "?");
    assert_content(heard, "abcdef");
}

FIXTURE_TEST(notices_a_missing_end)
{
    request(heard, "x");
    piece(heard, "aa", 25);
    request(heard, "y");
    assert_int_equal(heard->over, 1);
    assert_string_equal(heard->name, "x");
    finish(heard);
    assert_int_equal(heard->over, 1); /* y never came */
    assert_int_equal(heard->complete, 0);
}

FIXTURE_TEST(hears_refusals)
{
    request(heard, "x");
    qs_transfers_take(heard->transfers, &(struct qs_transfer){.event = QS_TRANSFER_REFUSED});
    assert_int_equal(heard->refused, 1);
    assert_int_equal(heard->content->len, 0);
}

FIXTURE_TEST(marks_resumed_files)
{
    qs_transfers_take(heard->transfers, &(struct qs_transfer){.event = QS_TRANSFER_REQUEST,
                                                              .name = {(const uint8_t *)"x", 1},
                                                              .offset = 10});
    piece(heard, "rest", 100);
    assert_over(heard, 0);
}

/* --- Chunks */

FIXTURE_TEST(joins_chunks_in_any_order)
{
    begin(heard, "x", 2 * CHUNK + 1);
    chunk(heard, 2);
    chunk(heard, 1);
    chunk(heard, 2);
    begin(heard, "x", 2 * CHUNK + 1);
    chunk(heard, UINT32_MAX);
    assert_int_equal(heard->over, 0);
    chunk(heard, 0);
    chunk(heard, 0);
    assert_over(heard, 1);
    assert_int_equal(heard->content->len, 2 * CHUNK + 1);
    assert_int_equal(heard->content->data[0], 0);
    assert_int_equal(heard->content->data[CHUNK], 1);
    assert_int_equal(heard->content->data[2 * CHUNK], 2);
}

FIXTURE_TEST(ends_at_the_first_hole)
{
    begin(heard, "x", 4 * CHUNK);
    chunk(heard, 0);
    chunk(heard, 2);
    finish(heard);
    assert_over(heard, 0);
    assert_int_equal(heard->content->len, CHUNK);
}

FIXTURE_TEST(bounds_what_waits)
{
    begin(heard, "x", UINT64_C(100) << 20);
    for (uint32_t i = 1; i < 4 * ROOM / CHUNK; i++)
        chunk(heard, i);
    assert_true(heard->room.held <= ROOM);
    finish(heard);
    assert_int_equal(heard->complete, 0);
}

FIXTURE_TEST(refuses_giants)
{
    begin(heard, "x", UINT64_MAX);
    chunk(heard, 0);
    finish(heard);
    assert_int_equal(heard->complete, 0);
    assert_int_equal(heard->content->len, 0);
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

    request(heard, "x");
    packed_piece(heard, packed, size, 58, QS_TRANSFER_DEFLATED);
    next(heard);
    piece(heard, "world", 100);
    assert_int_equal(heard->complete, 1);
    assert_content(heard, "hello, world");
}

FIXTURE_TEST(inflates_a_stream)
{
    uint8_t packed[64];
    const size_t size = deflate_all("hello, world", 12, packed, sizeof packed);

    request(heard, "x");
    packed_piece(heard, packed, 5, (uint8_t)(500 / size), QS_TRANSFER_STREAM);
    next(heard);
    packed_piece(heard, packed + 5, size - 5, 100, QS_TRANSFER_STREAM);
    assert_int_equal(heard->complete, 1);
    assert_content(heard, "hello, world");
}

FIXTURE_TEST(notices_a_cut_stream)
{
    uint8_t packed[64];
    const size_t size = deflate_all("hello, world", 12, packed, sizeof packed);

    request(heard, "x");
    packed_piece(heard, packed, size - 3, 100, QS_TRANSFER_STREAM);
    assert_over(heard, 0);
}

FIXTURE_TEST(survives_a_bomb)
{
    const size_t much = 16 * ROOM;
    g_autofree uint8_t *zeros = g_malloc0(much);
    g_autofree uint8_t *packed = g_malloc(ROOM);
    const size_t size = deflate_all(zeros, much, packed, ROOM);

    request(heard, "x");
    packed_piece(heard, packed, size, 50, QS_TRANSFER_DEFLATED);
    assert_true(heard->room.held <= ROOM);
    packed_piece(heard, packed, size, 100, QS_TRANSFER_STREAM);
    assert_over(heard, 0);
    assert_true(heard->content->len <= ROOM);
}

/* A piece that is deflated for itself has a size of 16 bits. */
FIXTURE_TEST(limits_a_piece)
{
    enum { LARGEST = 0xffff, MUCH = 1 << 20, STEP = 16 << 10 };
    g_autofree uint8_t *zeros = g_malloc0(MUCH);
    uint8_t packed[2048];

    heard->room.max = 2 * MUCH;
    request(heard, "x");
    packed_piece(heard, packed, deflate_all(zeros, LARGEST, packed, sizeof packed), 50,
                 QS_TRANSFER_DEFLATED);
    packed_piece(heard, packed, deflate_all(zeros, MUCH, packed, sizeof packed), 100,
                 QS_TRANSFER_DEFLATED);
    assert_over(heard, 0);
    assert_true(heard->content->len >= LARGEST);
    assert_true(heard->content->len <= 2 * LARGEST + STEP);
}

FIXTURE_TEST(notices_damaged_data)
{
    request(heard, "x");
    packed_piece(heard, "\xff\xff\xff\xff", 4, 100, QS_TRANSFER_DEFLATED);
    assert_over(heard, 0);
}

/* What is under way when the client asks again still comes, and is of the same file. */
FIXTURE_TEST(chunks_before_the_second_start_count)
{
    request(heard, "x");
    begin(heard, "x", 4 * CHUNK);
    chunk(heard, 0);
    request(heard, "x");
    chunk(heard, 1);
    begin(heard, "x", 4 * CHUNK);
    chunk(heard, 2);
    assert_int_equal(heard->over, 0);
    chunk(heard, 3);
    assert_int_equal(heard->complete, 1);
    assert_int_equal(heard->content->len, 4 * CHUNK);
}

FIXTURE_TEST(chunks_before_another_file_count)
{
    request(heard, "x");
    begin(heard, "x", 2 * CHUNK);
    chunk(heard, 0);
    request(heard, "y");
    chunk(heard, 1);
    assert_int_equal(heard->complete, 1);
    assert_string_equal(heard->name, "x");
    begin(heard, "y", CHUNK);
    chunk(heard, 0);
    assert_int_equal(heard->complete, 2);
    assert_string_equal(heard->name, "y");
}

FIXTURE_TEST(another_file_ends_chunks)
{
    request(heard, "x");
    begin(heard, "x", 2 * CHUNK);
    chunk(heard, 0);
    request(heard, "y");
    begin(heard, "y", CHUNK);
    assert_int_equal(heard->over, 1);
    assert_string_equal(heard->name, "x");
    chunk(heard, 0);
    assert_int_equal(heard->complete, 1);
}

/* DarkPlaces: what a lost packet had is sent again, cut at other places. */
FIXTURE_TEST(joins_chunks_that_overlap)
{
    begin(heard, "a.wav", 12);
    bytes_at(heard, 0, "hel", 3);
    bytes_at(heard, 7, "wor", 3);
    bytes_at(heard, 0, "hell", 4);
    bytes_at(heard, 3, "lo, wo", 6);
    bytes_at(heard, 9, "rld", 3);
    assert_int_equal(heard->complete, 1);
    assert_content(heard, "hello, world");
}

FIXTURE_TEST(inflates_chunks)
{
    uint8_t packed[64];
    const size_t size = deflate_all("hello, world", 12, packed, sizeof packed);

    begin_packed(heard, "csprogs.dat", size, QS_TRANSFER_STREAM);
    bytes_at(heard, 4, packed + 4, size - 4);
    bytes_at(heard, 0, packed, 4);
    assert_int_equal(heard->complete, 1);
    assert_content(heard, "hello, world");
    begin_packed(heard, "csprogs.dat", size - 1, QS_TRANSFER_STREAM);
    bytes_at(heard, 0, packed, size - 1);
    assert_int_equal(heard->over, 2);
    assert_int_equal(heard->complete, 1);
}
