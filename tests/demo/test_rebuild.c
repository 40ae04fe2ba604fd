/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rebuilders over their interface: made packets in, the demo's bytes, counts
 * and problems out. */
#include "tests/unit/unit.h"

#include "common/core/writer.h"
#include "common/demo_formats.h"
#include "common/demo/dem/dem.h"
#include "common/demo/dm2/dm2.h"
#include "common/quake2/encode.h"
#include "common/demo/qwd/qwd.h"
#include "common/quakeworld/session.h"

/* What is rebuilt stays in memory. */
struct memory {
    struct qs_demo_writer out;
    GByteArray *demo;
    GString *problems; /* a line each */
    const char *lacks;
};

static void begin(struct qs_demo_writer *out)
{
    g_byte_array_set_size(((struct memory *)out)->demo, 0);
}

static void write_bytes(struct qs_demo_writer *out, const void *data, size_t size)
{
    g_byte_array_append(((struct memory *)out)->demo, data, (guint)size);
}

static void start_missing(struct qs_demo_writer *out, const char *what)
{
    ((struct memory *)out)->lacks = what;
}

static void left_out(struct qs_demo_writer *out, const char *command)
{
    (void)out, (void)command;
}

static void problem(struct qs_demo_writer *out, const struct qs_packet *packet, uint64_t amount,
                    const char *text)
{
    (void)amount;
    g_string_append_printf(((struct memory *)out)->problems, "%u: %s\n",
                           packet ? (unsigned)packet->number : 0, text);
}

static void hole(struct qs_demo_writer *out, const struct qs_packet *packet,
                 const struct qs_hole *hole)
{
    g_string_append_printf(((struct memory *)out)->problems, "%u: a hole of %u packets\n",
                           (unsigned)packet->number, hole->packets[QS_S2C - QS_C2S]);
}

/* A session that is decoded and rebuilt step by step; the client is end A. */
struct rebuilding {
    struct memory memory;
    const struct qs_demo_format *format;
    struct qs_decoder decoder;
    struct qs_session *session;
    void *state;
    uint64_t number;     /* of the last packet */
    int64_t time;        /* of the next packet; 0: a millisecond behind the last one */
    uint32_t cut;        /* bytes at the end of packets that the capture lacks */
    struct qs_reader in; /* the demo, as far as the test has looked at it */
};

static void rebuilding_start(struct rebuilding *r, const struct qs_demo_format *format)
{
    *r = (struct rebuilding){.format = format};
    r->memory.out = (struct qs_demo_writer){.begin = begin,
                                            .write = write_bytes,
                                            .discard = begin,
                                            .start_missing = start_missing,
                                            .left_out = left_out,
                                            .problem = problem,
                                            .hole = hole};
    r->memory.demo = g_byte_array_new();
    r->memory.problems = g_string_new(NULL);
    r->session = g_malloc(format->protocol->session_size);
    format->protocol->session_init(r->session);
    qs_decoder_init(&r->decoder, format->protocol);
    r->state = format->rebuilder->create(&r->memory.out);
}

static void rebuilding_end(struct rebuilding *r)
{
    r->format->rebuilder->free(r->state);
    qs_decoder_clear(&r->decoder);
    r->format->protocol->session_clear(r->session);
    g_free(r->session);
    g_byte_array_free(r->memory.demo, TRUE);
    g_string_free(r->memory.problems, TRUE);
}

#define REBUILD_TEST(function, start)                                                              \
    TEST_WITH(function, struct rebuilding, r, start, rebuilding_end)

static void packet(struct rebuilding *r, enum qs_end from, struct qs_view bytes)
{
    const struct qs_packet packet = {.data = bytes.data,
                                     .size = bytes.size - r->cut,
                                     .wire_size = bytes.size,
                                     .number = ++r->number,
                                     .time = r->time ? r->time : (int64_t)r->number * 1000000,
                                     .from = from,
                                     .source_is_server_port = from == QS_END_B,
                                     .destination_is_server_port = from == QS_END_A};

    qs_decode(&r->decoder, r->session, NULL, &packet);
    r->format->rebuilder->packet(r->state, &r->decoder, &packet);
}

static struct qs_reader demo_of(const struct rebuilding *r)
{
    return qs_reader_over(r->memory.demo->data, r->memory.demo->len);
}

static void finish(struct rebuilding *r)
{
    int32_t track;

    r->format->rebuilder->finish(r->state);
    r->in = demo_of(r);
    if (r->format == &qs_demo_dem && r->memory.demo->len)
        assert_int_equal(dem_read_header(&r->in, &track), QS_DEMO_LINE);
}

/* --- QWD --- */

/* A packet of the client with moves of these milliseconds, the newest last. */
static void move_after(struct rebuilding *r, uint32_t sequence, uint32_t acknowledged,
                       uint8_t oldest, uint8_t middle, uint8_t newest)
{
    const struct qw_usercmd cmds[3] = {{.msec = oldest}, {.msec = middle}, {.msec = newest}};
    g_autoptr(GByteArray) bytes = g_byte_array_new();

    qs_write_u32(bytes, sequence);
    qs_write_u32(bytes, acknowledged);
    qs_write_u16(bytes, 1);
    qw_append_move(bytes, 28, cmds, sequence);
    packet(r, QS_END_A, qs_view_of_bytes(bytes));
}

static void move(struct rebuilding *r, uint32_t sequence, uint8_t oldest, uint8_t middle,
                 uint8_t newest)
{
    move_after(r, sequence, 7, oldest, middle, newest);
}

/* A packet of the server with the messages. */
static void say(struct rebuilding *r, uint32_t sequence, uint32_t acknowledged,
                struct qs_view messages)
{
    g_autoptr(GByteArray) bytes = g_byte_array_new();

    qs_write_u32(bytes, sequence);
    qs_write_u32(bytes, acknowledged);
    qs_write_view(bytes, messages);
    packet(r, QS_END_B, qs_view_of_bytes(bytes));
}

/* The same with svc_nop. */
static void server(struct rebuilding *r, uint32_t sequence, uint32_t acknowledged)
{
    say(r, sequence, acknowledged, VIEW("\1"));
}

static struct qwd_block next_block(struct qs_reader *in, enum qwd_type type)
{
    struct qwd_block block;

    assert_int_equal(qwd_read_block(in, &block, QWD_CMD_CLASSIC), QS_DEMO_BLOCK);
    assert_int_equal(block.type, type);
    return block;
}

/* The next blocks: "set", or "s" and the server's sequence number, or "c" and the move's
 * milliseconds. */
static void assert_blocks(struct qs_reader *in, const char *expected)
{
    g_autoptr(GString) found = g_string_new(NULL);
    struct qwd_block block;

    while (found->len < strlen(expected)) {
        assert_int_equal(qwd_read_block(in, &block, QWD_CMD_CLASSIC), QS_DEMO_BLOCK);
        if (block.type == QWD_SET)
            g_string_append(found, " set");
        else if (block.type == QWD_READ)
            g_string_append_printf(found, " s%u", qs_le32(block.packet.data));
        else
            g_string_append_printf(found, " c%u", block.cmd.msec);
    }
    assert_string_equal(found->str + 1, expected);
}

static void start_qwd(struct rebuilding *r)
{
    rebuilding_start(r, &qs_demo_qwd);
}

/* A demo that begins with the next packet, of a connection whose beginning was seen. */
static void start_connected(struct rebuilding *r)
{
    start_qwd(r);
    r->session->connection = r->session->level = 1;
    r->session->version = 28;
}

/* Two moves are lost: the next packet repeats them, the older one first. */
REBUILD_TEST(test_lost_moves_are_in_order, start_connected)
{
    static const uint8_t expected[] = {10, 21, 22, 23};

    move(r, 100, 8, 9, 10);
    move(r, 103, 21, 22, 23);
    server(r, 8, 103);
    finish(r);
    assert_blocks(&r->in, "set");
    for (size_t i = 0; i < sizeof expected; i++)
        assert_int_equal(next_block(&r->in, QWD_CMD).cmd.msec, expected[i]);
    assert_blocks(&r->in, "s8");
    assert_view_is(next_block(&r->in, QWD_READ).packet, VIEW("\xff\xff\xff\xff\2EndOfDemo\0"));
    assert_int_equal(qs_reader_left(&r->in), 0);
    assert_int_equal(r->memory.out.counts.repaired, 2);
}

/* The oldest command that is known stands in for those before it. */
REBUILD_TEST(test_more_lost_moves_than_commands, start_connected)
{
    server(r, 7, 101);
    move(r, 102, 1, 2, 20);
    move(r, 107, 30, 40, 50);
    finish(r);
    assert_blocks(&r->in, "set s7 c20 c30 c30 c30 c40 c50");
}

/* A capture on the server's side: the client sent its packet before it had the server's second. */
REBUILD_TEST(test_moves_stand_where_they_were_sent, start_connected)
{
    server(r, 100, 50);
    server(r, 101, 50);
    server(r, 102, 50);
    move_after(r, 51, 100, 1, 2, 11);
    move_after(r, 52, 100, 2, 11, 12);
    move_after(r, 53, 102, 11, 12, 13);
    finish(r);
    assert_blocks(&r->in, "set s100 c11 c12 s101 s102 c13");
}

/* The server answers packets that the capture has too late, or not at all. */
REBUILD_TEST(test_moves_that_the_server_had, start_connected)
{
    server(r, 100, 50);
    server(r, 101, 52);
    move_after(r, 51, 100, 1, 2, 11);
    move_after(r, 53, 101, 11, 12, 13);
    finish(r);
    assert_blocks(&r->in, "set s100 c11 c12 s101 c13");
}

/* svc_packetentities with entity 65, which has model 3. */
#define FULL "\x2f\x41\x80\x04\3\0\0"

/* svc_deltapacketentities; entity 65 has frame 9. */
#define DELTA(from) "\x30" from "\x41\x20\x09\0\0"

/* A delta from a packet that is not there is written in full, and what follows counts from it. */
REBUILD_TEST(test_delta_without_its_base, start_connected)
{
    say(r, 100, 50, VIEW(FULL));
    move_after(r, 51, 100, 1, 2, 11);
    move_after(r, 102, 100, 1, 2, 12);
    say(r, 102, 102, VIEW(DELTA("\x65")));
    move_after(r, 103, 102, 1, 2, 13);
    say(r, 103, 103, VIEW(DELTA("\x66")));
    finish(r);
    while (r->in.data[r->in.pos + 4] != QWD_READ || qs_le32(r->in.data + r->in.pos + 9) != 102)
        assert_int_equal(qwd_read_block(&r->in, &(struct qwd_block){0}, QWD_CMD_CLASSIC),
                         QS_DEMO_BLOCK);
    assert_view_is(next_block(&r->in, QWD_READ).packet,
                   VIEW("\x66\0\0\0\x66\0\0\0\x2f\x41\xa0\x04\3\x09\0\0"));
    assert_blocks(&r->in, "c13");
    assert_view_is(next_block(&r->in, QWD_READ).packet, VIEW("\x67\0\0\0\x67\0\0\0" DELTA("\x66")));
    assert_non_null(
        strstr(r->memory.problems->str, "entities may be wrong until their next update"));
}

/* The server counts from another frame than the client had by then, as when the client dropped one:
 * players have that frame and would drop the update all the same. */
REBUILD_TEST(test_delta_that_players_drop, start_connected)
{
    say(r, 100, 100, VIEW(FULL));
    move_after(r, 101, 100, 1, 2, 11);
    say(r, 101, 101, VIEW(DELTA("\x64")));
    move_after(r, 102, 101, 2, 11, 12);
    say(r, 102, 102, VIEW("\x30\x64\0\0"));
    finish(r);
    assert_blocks(&r->in, "set s100 c11 s101 c12");
    assert_view_is(next_block(&r->in, QWD_READ).packet, VIEW("\x66\0\0\0\x66\0\0\0" FULL));
    assert_string_equal(r->memory.problems->str,
                        "5: an update is written in full, since players would drop the delta\n");
}

/* A demo without a packet of the server's shows nothing. */
REBUILD_TEST(test_client_alone, start_connected)
{
    move(r, 100, 8, 9, 10);
    finish(r);
    assert_int_equal(r->memory.demo->len, 0);
}

/* The form that ezQuake plays from 3.7 on. */
REBUILD_TEST(test_commands_of_ezquake_37, start_connected)
{
    struct qwd_block block;

    r->memory.out.qwd_format = QS_QWD_EZQUAKE_37;
    server(r, 100, 50);
    move_after(r, 51, 100, 8, 9, 10);
    server(r, 101, 51);
    finish(r);
    assert_blocks(&r->in, "set s100");
    block = next_block(&r->in, QWD_CMD);
    assert_int_equal(block.form, QWD_CMD_EZQUAKE_37);
    assert_int_equal(block.cmd.msec, 10);
    assert_blocks(&r->in, "s101");
    next_block(&r->in, QWD_READ);
    assert_int_equal(qs_reader_left(&r->in), 0);
}

/* ezQuake's own version tells whether it plays that form: it has a change of 3.7. */
TEST(test_form_by_the_version_of_the_client)
{
    static const struct {
        const char *version;
        enum qs_qwd_format format;
    } clients[] = {{"ezQuake v3.6.1", QS_QWD_CLASSIC},
                   {"ezQuake v3.7.0-dev", QS_QWD_EZQUAKE_37},
                   {"ezQuake v3.10.0", QS_QWD_EZQUAKE_37},
                   {"ezQuake v4.0", QS_QWD_EZQUAKE_37},
                   {"FTE v3.7", QS_QWD_CLASSIC}};

    for (size_t i = 0; i < G_N_ELEMENTS(clients); i++) {
        struct rebuilding r;
        g_autofree char *info = g_strdup_printf("\\name\\x\\*ver\\%s", clients[i].version);

        start_connected(&r);
        qs_table_set(&((struct qw_session *)r.session)->texts, QW_TEXT_CONNECT_USERINFO,
                     qs_view_of(info));
        server(&r, 100, 50);
        assert_int_equal(r.memory.out.qwd_format, clients[i].format);
        finish(&r);
        rebuilding_end(&r);
    }
}

/* A level whose sign-on is incomplete is reported once, and the next level is shown. */
REBUILD_TEST(test_level_that_is_left_out, start_connected)
{
    server(r, 100, 50);
    r->session->level = 2;
    r->session->lost = (struct qs_sign_on_loss){.packet = 2, .before = true};
    for (uint32_t sequence = 101; sequence < 104; sequence++)
        server(r, sequence, 50);
    r->session->level = 3;
    r->session->lost = (struct qs_sign_on_loss){0};
    server(r, 104, 50);
    finish(r);
    assert_blocks(&r->in, "set s100 set s104");
    assert_string_equal(r->memory.problems->str,
                        "0: a level cannot be shown: part of its sign-on (before packet 2) was not "
                        "captured; try --sign-on DEMO with a demo of the same map\n");
}

/* In the middle of a level nothing is written: players would stop at it. */
REBUILD_TEST(test_late_start_of_the_client, start_qwd)
{
    move(r, 100, 8, 9, 10);
    say(r, 8, 100, VIEW("\x2f\0\0"));
    finish(r);
    assert_false(r->memory.out.begun);
    assert_int_equal(r->memory.demo->len, 0);
    assert_string_equal(r->memory.lacks, "the capture lacks the beginning of a level");
}

/* The frame block of a start with a level says where the numbers stand. */
REBUILD_TEST(test_late_start_of_the_server, start_qwd)
{
    struct qwd_block block;

    r->session->level = 1;
    r->session->version = 28;
    packet(r, QS_END_B, VIEW("\x64\0\0\0\x32\0\0\0\1"));
    finish(r);
    block = next_block(&r->in, QWD_SET);
    assert_int_equal(block.outgoing, 51);
    assert_int_equal(block.incoming, 99);
    assert_view_is(next_block(&r->in, QWD_READ).packet, VIEW("\x64\0\0\0\x32\0\0\0\1"));
}

/* svc_serverdata of protocol 28 */
#define QW_LEVEL "\x0b\x1c\0\0\0\1\0\0\0qw\0\0L\0" ZEROS_40
#define ZEROS_40 ZEROS_10 ZEROS_10 ZEROS_10 ZEROS_10
#define ZEROS_10 "\0\0\0\0\0\0\0\0\0\0"

/* What the client sends before the level counts, and is in no demo; a header alone is no block,
 * either. */
REBUILD_TEST(test_late_start_behind_the_client, start_qwd)
{
    struct qwd_block block;

    move_after(r, 60, 99, 1, 2, 20);
    say(r, 100, 60, VIEW(QW_LEVEL));
    say(r, 101, 60, VIEW(""));
    server(r, 102, 60);
    finish(r);
    block = next_block(&r->in, QWD_SET);
    assert_int_equal(block.outgoing, 61);
    assert_int_equal(block.incoming, 99);
    assert_blocks(&r->in, "s100 s102");
}

/* What a server sends to a client that has left is in no recording. */
REBUILD_TEST(test_nothing_behind_the_end, start_connected)
{
    server(r, 100, 50);
    say(r, 101, 50, VIEW("\2"));
    server(r, 102, 50);
    finish(r);
    assert_blocks(&r->in, "set s100 s101");
    assert_view_is(next_block(&r->in, QWD_READ).packet, VIEW("\xff\xff\xff\xff\2EndOfDemo\0"));
    assert_int_equal(qs_reader_left(&r->in), 0);
}

/* The clock of the capture does; players would wait. */
REBUILD_TEST(test_time_never_steps_back, start_connected)
{
    static const unsigned seconds[] = {1, 5, 3, 4, 7}, expected[] = {0, 4, 4, 4, 6};

    for (uint32_t i = 0; i < G_N_ELEMENTS(seconds); i++) {
        r->time = (int64_t)seconds[i] * 1000000000;
        server(r, 100 + i, 50);
    }
    finish(r);
    next_block(&r->in, QWD_SET);
    for (size_t i = 0; i < G_N_ELEMENTS(expected); i++)
        assert_true(next_block(&r->in, QWD_READ).time == (float)expected[i]);
}

REBUILD_TEST(test_nothing_of_the_server, start_qwd)
{
    move(r, 100, 8, 9, 10);
    finish(r);
    assert_false(r->memory.out.begun);
    assert_int_equal(r->memory.demo->len, 0);
}

/* --- DEM --- */

/* A level's beginning: protocol 15, one player, name "L", model "m", sound "s". */
#define SERVERINFO "\x0b\x0f\0\0\0\1\0L\0m\0\0s\0\0"
/* A move that looks at 90, 45 and 22.5 degrees. */
#define MOVE "\3\0\0\x80\x3f\x40\x20\x10\0\0\0\0\0\0\0\0"
#define TIME "\7\0\0\0\x40"
#define SIGNED_ON "\x19\1\x19\2\x19\3" /* all three stages */
#define UNRELIABLE(length, sequence) "\0\x10\0" length "\0\0\0" sequence

static void start_dem(struct rebuilding *r)
{
    rebuilding_start(r, &qs_demo_dem);
}

static void begin_dem(struct rebuilding *r)
{
    start_dem(r);
    packet(r, QS_END_B, VIEW(UNRELIABLE("\x17", "\1") SERVERINFO));
}

REBUILD_TEST(test_cut_message_is_reported, begin_dem)
{
    assert_string_equal(r->memory.problems->str, "");
    r->cut = 3;
    packet(r, QS_END_B, VIEW("\0\x10\0\x0e\0\0\0\2\7\0\0\0\x41\1"));
    assert_non_null(strstr(r->memory.problems->str,
                           "2: the capture, and so the demo, has only the beginning of"));
    assert_int_equal(r->memory.out.counts.missing, 1);
}

/* Signed on, and moving. */
static void begin_dem_game(struct rebuilding *r)
{
    begin_dem(r);
    packet(r, QS_END_B, VIEW(UNRELIABLE("\x0e", "\2") SIGNED_ON));
    packet(r, QS_END_A, VIEW(UNRELIABLE("\x18", "\1") MOVE));
}

struct dem_expected {
    struct qs_view messages;
    float pitch;
};

/* The next blocks. */
static void assert_dem_blocks(struct qs_reader *in, const struct dem_expected *expected)
{
    struct dem_block block;

    for (; expected->messages.data; expected++) {
        assert_int_equal(dem_read_block(in, &block), QS_DEMO_BLOCK);
        assert_view_is(block.messages, expected->messages);
        assert_true(block.view.pitch == expected->pitch);
    }
}

#define DEM_BLOCKS(...)                                                                            \
    assert_dem_blocks(&r->in, (const struct dem_expected[]){__VA_ARGS__, {{0}, 0}})

/* A player would stop at a game without a level: nothing is written of it, even where that is
 * wished; the next level is the first. */
REBUILD_TEST(test_dem_begins_with_a_level, start_dem)
{
    packet(r, QS_END_B, VIEW(UNRELIABLE("\x0d", "\1") TIME));
    assert_string_equal(r->memory.lacks, "the capture lacks the beginning of a level");
    assert_int_equal(r->memory.demo->len, 0);
    packet(r, QS_END_B, VIEW(UNRELIABLE("\x17", "\2") SERVERINFO));
    packet(r, QS_END_B, VIEW(UNRELIABLE("\x0e", "\3") SIGNED_ON));
    finish(r);
    DEM_BLOCKS({VIEW(SERVERINFO), 0}, {VIEW(SIGNED_ON), 0}, {VIEW("\2"), 0});
}

/* Without the second stage there are no baselines, and players show the level all the same. */
REBUILD_TEST(test_lost_stage_of_the_sign_on, begin_dem)
{
    packet(r, QS_END_B, VIEW(UNRELIABLE("\x0c", "\2") "\x19\1\x19\3"));
    packet(r, QS_END_B, VIEW(UNRELIABLE("\x0d", "\3") TIME));
    assert_string_equal(r->memory.problems->str,
                        "0: level m may lack entities, names or texts: part of its sign-on (before "
                        "packet 2) was not captured; try --sign-on DEMO with a demo of the same "
                        "map\n");
    packet(r, QS_END_B, VIEW(UNRELIABLE("\x17", "\4") SERVERINFO));
    packet(r, QS_END_B, VIEW(UNRELIABLE("\x0e", "\5") SIGNED_ON));
    packet(r, QS_END_B, VIEW(UNRELIABLE("\x0d", "\6") TIME));
    finish(r);
    DEM_BLOCKS({VIEW(SERVERINFO), 0}, {VIEW("\x19\1\x19\3"), 0}, {VIEW(TIME), 0},
               {VIEW(SERVERINFO), 0}, {VIEW(SIGNED_ON), 0}, {VIEW(TIME), 0});
}

/* The client sent it before it read of the level, where its view starts anew. */
REBUILD_TEST(test_move_that_crosses_a_level, begin_dem)
{
    packet(r, QS_END_A, VIEW(UNRELIABLE("\x18", "\1") MOVE));
    packet(r, QS_END_B, VIEW(UNRELIABLE("\x0e", "\2") SIGNED_ON));
    packet(r, QS_END_B, VIEW(UNRELIABLE("\x0d", "\3") TIME));
    finish(r);
    DEM_BLOCKS({VIEW(SERVERINFO), 0}, {VIEW(SIGNED_ON), 0}, {VIEW(TIME), 0}, {VIEW("\2"), 0});
    assert_int_equal(qs_reader_left(&r->in), 0);
}

#define TIME_AT(byte) "\7\0\0" byte "\x3f"
#define MOVE_AT(byte) "\3\0\0" byte "\x3f\x40\x20\x10\0\0\0\0\0\0\0\0"

static void begin_dem_at(struct rebuilding *r)
{
    begin_dem_game(r);
    packet(r, QS_END_B, VIEW(UNRELIABLE("\x0d", "\3") TIME_AT("\x80")));
    packet(r, QS_END_A, VIEW(UNRELIABLE("\x18", "\2") MOVE_AT("\x80")));
}

/* The client repeats the time of a message that the capture lacks. */
REBUILD_TEST(test_messages_that_the_client_had, begin_dem_at)
{
    packet(r, QS_END_A, VIEW(UNRELIABLE("\x18", "\3") MOVE_AT("\x81")));
    packet(r, QS_END_B, VIEW(UNRELIABLE("\x0d", "\6") TIME_AT("\x83")));
    packet(r, QS_END_A, VIEW(UNRELIABLE("\x18", "\4") MOVE_AT("\x82")));
    finish(r);
    assert_int_equal(r->memory.out.counts.missing, 2);
    assert_string_equal(r->memory.problems->str,
                        "6: a hole of 1 packets\n7: a hole of 2 packets\n");
}

/* It goes on to repeat the time of the message before: no other came, and its demo lacks nothing.
 */
REBUILD_TEST(test_messages_lost_on_their_way, begin_dem_at)
{
    packet(r, QS_END_A, VIEW(UNRELIABLE("\x18", "\3") MOVE_AT("\x80")));
    packet(r, QS_END_A, VIEW(UNRELIABLE("\x18", "\4") MOVE_AT("\x80")));
    packet(r, QS_END_B, VIEW(UNRELIABLE("\x0d", "\5") TIME_AT("\x82")));
    packet(r, QS_END_A, VIEW(UNRELIABLE("\x18", "\5") MOVE_AT("\x80")));
    packet(r, QS_END_A, VIEW(UNRELIABLE("\x18", "\6") MOVE_AT("\x82")));
    finish(r);
    assert_int_equal(r->memory.out.counts.missing, 0);
    assert_string_equal(r->memory.problems->str, "");
}

/* There is nothing to see of a session that ends within its sign-on. */
REBUILD_TEST(test_session_of_a_sign_on, begin_dem)
{
    finish(r);
    assert_int_equal(r->memory.demo->len, 0);
    assert_string_equal(r->memory.problems->str,
                        "0: no demo: the session ended before the game began\n");
}

/* A client that leaves has not read what came after its last move. */
REBUILD_TEST(test_client_leaves_before_it_reads, begin_dem_game)
{
    packet(r, QS_END_B, VIEW(UNRELIABLE("\x0d", "\3") TIME));
    packet(r, QS_END_A, VIEW(UNRELIABLE("\x09", "\2") "\2"));
    finish(r);
    DEM_BLOCKS({VIEW(SERVERINFO), 0}, {VIEW(SIGNED_ON), 0}, {VIEW("\2"), 90});
    assert_int_equal(qs_reader_left(&r->in), 0);
}

/* But it reads everything up to the server's svc_disconnect. */
REBUILD_TEST(test_server_ends_the_connection, begin_dem_game)
{
    packet(r, QS_END_B, VIEW(UNRELIABLE("\x0d", "\3") TIME));
    packet(r, QS_END_B, VIEW(UNRELIABLE("\x09", "\4") "\2"));
    finish(r);
    DEM_BLOCKS({VIEW(SERVERINFO), 0}, {VIEW(SIGNED_ON), 0}, {VIEW(TIME), 90}, {VIEW("\2"), 90});
}

/* --- DM2 --- */

/* The rebuilder follows the session from the packet before the first frame on. */
static void start_dm2(struct rebuilding *r)
{
    rebuilding_start(r, &qs_demo_dm2);
    packet(r, QS_END_A, VIEW("\x31\0\0\0\x63\0\0\0\1\0"));
}

/* A full frame: its number, no delta, nothing suppressed, no areas; no player,
 * no entities. */
#define FULL_FRAME "\x14\7\0\0\0\xff\xff\xff\xff\0\0\x11\0\0\0\0\0\0\x12\0\0"

static struct qs_view last_block(const struct rebuilding *r)
{
    struct qs_reader in = demo_of(r);
    struct qs_view block, last = {0};

    while (dm2_read_block(&in, &block) == QS_DEMO_BLOCK)
        last = block;
    assert_int_equal(dm2_read_block(&in, &block), QS_DEMO_END);
    return last;
}

/* The map, which players stop without. */
#define MAP "\x0d\x21\0m\0"
/* Protocol 34, a server count, no directory, player 0, level "L". */
#define SERVERDATA "\x0c\x22\0\0\0\1\0\0\0\0\0\0\0L\0" MAP

/* Players stop without a map: nothing is written of a late start, even where that is wished, before
 * the next level begins. */
REBUILD_TEST(test_frame_of_a_late_start, start_dm2)
{
    packet(r, QS_END_B, VIEW("\x64\0\0\0\x32\0\0\0" FULL_FRAME));
    assert_string_equal(r->memory.lacks, "the capture lacks the beginning of a level");
    assert_int_equal(r->memory.demo->len, 0);
    packet(r, QS_END_B, VIEW("\x65\0\0\0\x33\0\0\0" SERVERDATA));
    packet(r, QS_END_B, VIEW("\x66\0\0\0\x34\0\0\0" FULL_FRAME));
    finish(r);
    assert_view_is(last_block(r), VIEW(FULL_FRAME));
}

#define FRAME(number, delta) "\x14" number "\0\0\0" delta "\0\0\x11\0\0\0\0\0\0\x12\0\0"

/* Players keep 16 frames: a frame is no delta from one that is further back. */
REBUILD_TEST(test_frame_after_a_long_gap, start_dm2)
{
    packet(r, QS_END_B, VIEW("\x64\0\0\0\x32\0\0\0" SERVERDATA FULL_FRAME));
    packet(r, QS_END_B, VIEW("\x65\0\0\0\x33\0\0\0" FRAME("\x1e", "\x19\0\0\0")));
    finish(r);
    assert_view_is(last_block(r), VIEW(FRAME("\x1e", "\xff\xff\xff\xff")));
    assert_int_equal(r->memory.out.counts.repaired, 1);
}

/* R1Q2 sends a frame's own number at a change of level: nothing was lost. In the demo it counts
 * from the frame before. */
REBUILD_TEST(test_frame_that_counts_from_itself, start_dm2)
{
    packet(r, QS_END_B, VIEW("\x64\0\0\0\x32\0\0\0" SERVERDATA FULL_FRAME));
    packet(r, QS_END_B, VIEW("\x65\0\0\0\x33\0\0\0" FRAME("\x08", "\x08\0\0\0")));
    finish(r);
    assert_view_is(last_block(r), VIEW(FRAME("\x08", "\7\0\0\0")));
    assert_string_equal(r->memory.problems->str, "");
}

/* The last that is kept is 15 back: the new frame takes the place of the one before that. */
TEST(test_frame_after_a_gap_of_all_that_players_keep)
{
    static const struct qs_view frames[][2] = {
        {{(const uint8_t *)FRAME("\x16", "\x10\0\0\0"), 21},
         {(const uint8_t *)FRAME("\x16", "\7\0\0\0"), 21}},
        {{(const uint8_t *)FRAME("\x17", "\x10\0\0\0"), 21},
         {(const uint8_t *)FRAME("\x17", "\xff\xff\xff\xff"), 21}},
    };

    for (unsigned i = 0; i < G_N_ELEMENTS(frames); i++) {
        g_autoptr(GByteArray) bytes = g_byte_array_new();
        struct rebuilding r;

        start_dm2(&r);
        packet(&r, QS_END_B, VIEW("\x64\0\0\0\x32\0\0\0" SERVERDATA FULL_FRAME));
        g_byte_array_append(bytes, (const uint8_t *)"\x65\0\0\0\x33\0\0\0", 8);
        g_byte_array_append(bytes, frames[i][0].data, frames[i][0].size);
        packet(&r, QS_END_B, qs_view_of_bytes(bytes));
        finish(&r);
        assert_view_is(last_block(&r), frames[i][1]);
        rebuilding_end(&r);
    }
}

/* A packet with a frame of so many new entities, as a delta from frame `delta` or in full. */
static GByteArray *crowded_frame(uint32_t number, int32_t delta, uint8_t entities)
{
    GByteArray *bytes = g_byte_array_new();

    qs_write_u32(bytes, number);
    qs_write_u32(bytes, number);
    qs_write_u8(bytes, 20);
    qs_write_u32(bytes, number);
    qs_write_u32(bytes, (uint32_t)delta);
    g_byte_array_append(bytes, (const uint8_t *)"\0\0\x11\0\0\0\0\0\0\x12", 10);
    for (uint8_t i = 1; i <= entities && delta <= 0; i++)
        g_byte_array_append(bytes, (const uint8_t[]){1, i, i, 0}, 4); /* U_ORIGIN1 */
    qs_write_u16(bytes, 0);
    return bytes;
}

/* id's players keep 1024 entities: a frame is no delta from one that more came after, even if it is
 * one of the last 16. */
REBUILD_TEST(test_frame_after_many_entities, start_dm2)
{
    int32_t base = 1;

    packet(r, QS_END_B, VIEW("\x64\0\0\0\x32\0\0\0" SERVERDATA));
    for (uint32_t number = 0x65; number < 0x65 + 13; number++) {
        g_autoptr(GByteArray) frame = crowded_frame(number, base == 1 ? -1 : base, 80);

        packet(r, QS_END_B, qs_view_of_bytes(frame));
        base = 0x65;
    }
    assert_int_equal(r->memory.out.counts.repaired, 1);
    finish(r);
    /* From the frame before. */
    assert_int_equal(qs_le32(last_block(r).data + 5), 0x65 + 11);
    assert_string_equal(r->memory.problems->str, "");
}

/* Protocol 35: svc_serverdata of a level, and a frame without a delta, nothing in it. */
#define LEVEL_35 "\x0c\x23\0\0\0\1\0\0\0\0\0\0\0\0\0\x71\7\0\0" MAP
#define FRAME_35(number) "\x14" number "\0\0\xf8\0\0\0\0\0\0"
#define FRAME_RATE_20 "\x18\1\0\0\0\x14\0\0\0"
#define PRINT "\x0a\2old\0"
#define HEADER(sequence) sequence "\0\0\0\0\0\0\0"

/*
 * What came with a frame that is passed over waits for the next one of its level, and is not in the
 * next level's demo.
 */
REBUILD_TEST(test_messages_of_a_level_end_with_it, start_dm2)
{
    packet(r, QS_END_B, VIEW(HEADER("\1") LEVEL_35 FRAME_RATE_20));
    packet(r, QS_END_B, VIEW(HEADER("\2") FRAME_35("\2")));
    packet(r, QS_END_B, VIEW(HEADER("\3") FRAME_35("\3") PRINT));
    assert_int_equal(r->memory.out.counts.blocks, 2);
    packet(r, QS_END_B, VIEW(HEADER("\4") LEVEL_35 FRAME_RATE_20));
    packet(r, QS_END_B, VIEW(HEADER("\5") FRAME_35("\2")));
    finish(r);
    assert_view_is(last_block(r), VIEW(FRAME("\1", "\xff\xff\xff\xff")));
    assert_string_equal(r->memory.problems->str,
                        "0: the capture has no move of the client: the view does not turn\n");
}
