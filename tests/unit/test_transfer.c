/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files that a server sends are assembled from blocks and chunks, and none is called complete that
 * is not.
 *
 * A row is a script, and the files that end in it:
 *
 *     ?x         the client requests the file x
 *     ?x@10      the same, from byte 10 on
 *     >          the client requests the next block
 *     abc:42     the server sends a block of 3 bytes: 42 % of the file are sent
 *     !          the server refuses
 *     x#12       the server begins to send x, of 12 bytes, in chunks
 *     4=efgh     the server sends a chunk of 4 bytes, from byte 4 on
 *     .          the capture ends
 *
 *     x=abc y~ab z!
 *                x is complete, y has a problem, z is refused
 */
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "common/netchan/links.h"
#include "tests/support/test.h"

enum { ROOM = 1 << 20 };

struct fixture {
    struct qs_transfer_quota quota;
    struct qs_transfers *transfers;
    GString *ended;     /* files, as in the rows; of long ones only the name */
    gsize content_size; /* size of the last one */
};

static void changed(const struct qs_transferred *file, bool over, void *user)
{
    struct fixture *f = user;
    const char *sign = file->refused ? "!" : file->complete ? "=" : "~";

    if (!over)
        return;
    assert_true(file->complete == !file->problem || file->refused);
    f->content_size = file->content->len;
    g_string_append_printf(f->ended, "%s%s%s", f->ended->len ? " " : "",
                           file->name ? file->name : "(unknown)", sign);
    if (f->content_size < 100)
        g_string_append_len(f->ended, (char *)file->content->data, file->content->len);
}

static void set_up(struct fixture *f)
{
    f->quota.max = ROOM;
    f->ended = g_string_new(NULL);
    f->transfers = qs_transfers_new(&f->quota, (struct qs_transfer_listener){changed, f});
}

static void end(struct fixture *f)
{
    g_clear_pointer(&f->transfers, qs_transfers_free);
}

static void tear_down(struct fixture *f)
{
    end(f);
    assert_int_equal(f->quota.used, 0);
    g_string_free(f->ended, TRUE);
}

#define FIXTURE_TEST(function) TEST_WITH(function, struct fixture, f, set_up, tear_down)

static struct qs_view view(const void *data, size_t size)
{
    return (struct qs_view){data, (uint32_t)size};
}

static void add(struct fixture *f, struct qs_transfer transfer)
{
    qs_transfers_add(f->transfers, &transfer);
}

static void request(struct fixture *f, const char *name)
{
    const char *offset = strchr(name, '@');

    add(f, (struct qs_transfer){.event = QS_TRANSFER_REQUEST,
                                .name = view(name, strcspn(name, "@")),
                                .offset = offset ? strtoul(offset + 1, NULL, 10) : 0});
}

static void send_block(struct fixture *f, struct qs_view data, unsigned percent,
                       enum qs_transfer_packing packing)
{
    add(f, (struct qs_transfer){.event = QS_TRANSFER_PIECE,
                                .packing = packing,
                                .data = data,
                                .percent = (uint8_t)percent});
}

static void begin(struct fixture *f, struct qs_view name, uint64_t total,
                  enum qs_transfer_packing packing)
{
    add(f, (struct qs_transfer){
               .event = QS_TRANSFER_BEGIN, .packing = packing, .name = name, .total = total});
}

static void send_chunk(struct fixture *f, uint64_t offset, struct qs_view data, uint32_t number)
{
    add(f, (struct qs_transfer){
               .event = QS_TRANSFER_CHUNK, .offset = offset, .data = data, .number = number});
}

static void run_step(struct fixture *f, const char *step)
{
    const size_t first = strcspn(step, ":#=");
    const char *second = step + first + 1;

    if (*step == '?')
        request(f, step + 1);
    else if (*step == '>')
        add(f, (struct qs_transfer){.event = QS_TRANSFER_NEXT});
    else if (*step == '!')
        add(f, (struct qs_transfer){.event = QS_TRANSFER_REFUSED});
    else if (*step == '.')
        end(f);
    else if (step[first] == ':')
        send_block(f, view(step, first), (unsigned)atoi(second), QS_TRANSFER_PLAIN);
    else if (step[first] == '#')
        begin(f, view(step, first), strtoull(second, NULL, 10), QS_TRANSFER_PLAIN);
    else
        send_chunk(f, strtoull(step, NULL, 10), view(second, strcspn(second, "/")),
                   (uint32_t)atoi(second + strcspn(second, "/") + (strchr(second, '/') != NULL)));
}

TEST(files_are_assembled)
{
    static const struct {
        const char *script, *ended;
    } rows[] = {
        /* Blocks in order. */
        {"?maps/dm4.bsp ?maps/dm4.bsp abc:42 > abc:85 > g:100", "maps/dm4.bsp=abcabcg"},
        {"?x abc:50 abc:50 > def:100 def:100", "x=abcdef"}, /* sent again */
        /* The second of four is missing: the first is a quarter by its percentage, and a third by
         * its size. */
        {"?x aa:25 > > cc:75 > dd:100", "x~aaccdd"},
        /* The first of three is missing: the second is two thirds, and half of what came. */
        {"?x > bb:66 > cc:100", "x~bbcc"},
        {"abc:50 > def:100", "(unknown)=abcdef"}, /* the request was not captured */
        {"?x aa:25 ?y .", "x~aa"},                /* nothing of y is sent */
        {"?x !", "x!"},
        {"?x@10 rest:100", "x~"},
        /* Chunks in any order; the last one is longer than the rest of the file. */
        {"x#9 8=iiii 4=efgh 8=iiii x#9 17592186040320=zzzz 0=abcd 0=abcd", "x=abcdefghi"},
        {"x#16 0=abcd 8=ijkl .", "x~abcd"}, /* up to the first hole */
        {"x#18446744073709551615 0=abcd .", "x~"},
        /* Chunks that are on their way while the client requests the file again, or another one. */
        {"?x x#16 0=abcd ?x 4=efgh x#16 8=ijkl 12=mnop", "x=abcdefghijklmnop"},
        {"?x x#8 0=abcd ?y 4=efgh y#4 0=ABCD", "x=abcdefgh y=ABCD"},
        {"?x x#8 0=abcd ?y y#4 0=ABCD", "x~abcd y=ABCD"},
        /* A late chunk of the transfer before. */
        {"x#4 0=abcd/1 y#8 0=abcd/1 0=ABCD/2 4=EFGH/2", "x=abcd y=ABCDEFGH"},
        /* DarkPlaces cuts the bytes of a lost packet anew. */
        {"a.wav#12 0=hel 7=wor 0=hell 4=o,_wo 9=rld", "a.wav=hello,_world"},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct fixture f = {0};
        g_auto(GStrv) steps = g_strsplit(rows[i].script, " ", 0);

        set_up(&f);
        for (unsigned j = 0; steps[j]; j++)
            run_step(&f, steps[j]);
        print_message("%s\n", rows[i].script);
        assert_string_equal(f.ended->str, rows[i].ended);
        tear_down(&f);
    }
}

FIXTURE_TEST(chunks_behind_a_hole_are_limited)
{
    enum { CHUNK = 1024 };
    const uint8_t data[CHUNK] = {0};

    begin(f, view("x", 1), UINT64_C(100) << 20, QS_TRANSFER_PLAIN);
    for (uint32_t i = 1; i < 4 * ROOM / CHUNK; i++)
        send_chunk(f, i * CHUNK, view(data, CHUNK), 0);
    assert_true(f->quota.used <= ROOM);
    end(f);
    assert_string_equal(f->ended->str, "x~");
}

/* --- Deflated data --- */

static struct qs_view pack(const void *data, size_t size, uint8_t *out, size_t room)
{
    z_stream stream = {.next_in = (uint8_t *)data,
                       .avail_in = (uInt)size,
                       .next_out = out,
                       .avail_out = (uInt)room};

    assert_int_equal(deflateInit2(&stream, 9, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY), Z_OK);
    assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
    deflateEnd(&stream);
    return view(out, stream.total_out);
}

FIXTURE_TEST(each_block_may_be_deflated)
{
    uint8_t packed[64];

    request(f, "x");
    send_block(f, pack("hello, ", 7, packed, sizeof packed), 58, QS_TRANSFER_DEFLATED);
    run_step(f, ">");
    run_step(f, "world:100");
    assert_string_equal(f->ended->str, "x=hello, world");
    request(f, "y");
    send_block(f, view("\xff\xff\xff\xff", 4), 100, QS_TRANSFER_DEFLATED);
    assert_string_equal(f->ended->str, "x=hello, world y~");
}

/* The file is one deflate stream; then the stream lacks its end. */
FIXTURE_TEST(blocks_may_be_of_a_stream)
{
    uint8_t packed[64];
    const struct qs_view all = pack("hello, world", 12, packed, sizeof packed);

    request(f, "x");
    send_block(f, view(packed, 5), 500 / all.size, QS_TRANSFER_STREAM);
    run_step(f, ">");
    send_block(f, view(packed + 5, all.size - 5), 100, QS_TRANSFER_STREAM);
    assert_string_equal(f->ended->str, "x=hello, world");
    g_string_truncate(f->ended, 0);
    request(f, "y");
    send_block(f, view(packed, all.size - 3), 100, QS_TRANSFER_STREAM);
    assert_true(g_str_has_prefix(f->ended->str, "y~"));
}

FIXTURE_TEST(chunks_may_be_of_a_stream)
{
    uint8_t packed[64];
    const struct qs_view all = pack("hello, world", 12, packed, sizeof packed);

    begin(f, view("x", 1), all.size, QS_TRANSFER_STREAM);
    send_chunk(f, 4, view(packed + 4, all.size - 4), 0);
    send_chunk(f, 0, view(packed, 4), 0);
    assert_string_equal(f->ended->str, "x=hello, world");
    g_string_truncate(f->ended, 0);
    begin(f, view("y", 1), all.size - 1, QS_TRANSFER_STREAM);
    send_chunk(f, 0, view(packed, all.size - 1), 0);
    assert_true(g_str_has_prefix(f->ended->str, "y~"));
}

FIXTURE_TEST(bombs_are_cut)
{
    enum { MUCH = 16 * ROOM };
    g_autofree uint8_t *zeros = g_malloc0(MUCH);
    g_autofree uint8_t *packed = g_malloc(ROOM);
    const struct qs_view bomb = pack(zeros, MUCH, packed, ROOM);

    request(f, "x");
    send_block(f, bomb, 50, QS_TRANSFER_DEFLATED);
    assert_true(f->quota.used <= ROOM);
    send_block(f, bomb, 100, QS_TRANSFER_STREAM);
    assert_string_equal(f->ended->str, "x~");
    assert_true(f->content_size <= ROOM);
}

/* The size of a block that is deflated alone has 16 bits. */
FIXTURE_TEST(deflated_blocks_are_limited)
{
    enum { LARGEST = 0xffff, MUCH = 1 << 20, STEP = 16 << 10 };
    g_autofree uint8_t *zeros = g_malloc0(MUCH);
    uint8_t packed[2048];

    f->quota.max = 2 * MUCH;
    request(f, "x");
    send_block(f, pack(zeros, LARGEST, packed, sizeof packed), 50, QS_TRANSFER_DEFLATED);
    send_block(f, pack(zeros, MUCH, packed, sizeof packed), 100, QS_TRANSFER_DEFLATED);
    assert_string_equal(f->ended->str, "x~");
    assert_true(f->content_size >= LARGEST);
    assert_true(f->content_size <= 2 * LARGEST + STEP);
}
