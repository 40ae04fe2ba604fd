/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rebuilders: packets of a session in, the bytes, counts and messages of its demo out. */
#include "tests/unit/unit.h"

#include "common/core/writer.h"
#include "common/demo_formats.h"
#include "common/demo/dem/dem.h"
#include "common/demo/dm2/dm2.h"
#include "common/quake2/encode.h"
#include "common/demo/qwd/qwd.h"
#include "common/quakeworld/session.h"

#define CLIENT QS_END_A
#define SERVER QS_END_B

/* A session that is decoded and rebuilt packet by packet. Its demo stays in memory. */
struct rebuilding {
    struct qs_demo_writer out; /* first: the functions of the writer cast it */
    GByteArray *demo;
    GString *problems; /* lines of a packet's number (0: of no packet) and a text */
    const char *lacks; /* the part of a start that is missing */
    const struct qs_demo_format *format;
    struct qs_decoder decoder;
    struct qs_session *session;
    void *state;
    uint64_t number;     /* of the last packet */
    int64_t time;        /* of the next packet (ns); 0: a millisecond after the last one */
    uint32_t cut;        /* bytes that the capture lacks at the end of packets */
    struct qs_reader in; /* the demo; its position is behind the blocks that were compared */
};

static void begin(struct qs_demo_writer *out)
{
    g_byte_array_set_size(((struct rebuilding *)out)->demo, 0);
}

static void write_bytes(struct qs_demo_writer *out, const void *data, size_t size)
{
    g_byte_array_append(((struct rebuilding *)out)->demo, data, (guint)size);
}

static void start_missing(struct qs_demo_writer *out, const char *what)
{
    ((struct rebuilding *)out)->lacks = what;
}

static void left_out(struct qs_demo_writer *out, const char *command)
{
    (void)out, (void)command;
}

static void problem(struct qs_demo_writer *out, const struct qs_packet *packet, uint64_t amount,
                    const char *text)
{
    (void)amount;
    g_string_append_printf(((struct rebuilding *)out)->problems, "%u: %s\n",
                           packet ? (unsigned)packet->number : 0, text);
}

static void hole(struct qs_demo_writer *out, const struct qs_packet *packet,
                 const struct qs_hole *hole)
{
    g_string_append_printf(((struct rebuilding *)out)->problems, "%u: a hole of %u packets\n",
                           (unsigned)packet->number, hole->packets[QS_S2C - QS_C2S]);
}

static void start(struct rebuilding *r, const struct qs_demo_format *format)
{
    *r = (struct rebuilding){.format = format,
                             .out = {.begin = begin,
                                     .write = write_bytes,
                                     .discard = begin,
                                     .start_missing = start_missing,
                                     .left_out = left_out,
                                     .problem = problem,
                                     .hole = hole}};
    r->demo = g_byte_array_new();
    r->problems = g_string_new(NULL);
    r->session = g_malloc(format->protocol->session_size);
    format->protocol->session_init(r->session);
    qs_decoder_init(&r->decoder, format->protocol);
    r->state = format->rebuilder->create(&r->out);
}

static void end(struct rebuilding *r)
{
    r->format->rebuilder->free(r->state);
    qs_decoder_clear(&r->decoder);
    r->format->protocol->session_clear(r->session);
    g_free(r->session);
    g_byte_array_free(r->demo, TRUE);
    g_string_free(r->problems, TRUE);
}

#define REBUILD_TEST(function, start) TEST_WITH(function, struct rebuilding, r, start, end)

static void packet(struct rebuilding *r, enum qs_end from, const GByteArray *bytes)
{
    const struct qs_packet packet = {.data = bytes->data,
                                     .size = bytes->len - r->cut,
                                     .wire_size = bytes->len,
                                     .number = ++r->number,
                                     .time = r->time ? r->time : (int64_t)r->number * 1000000,
                                     .from = from,
                                     .source_is_server_port = from == SERVER,
                                     .destination_is_server_port = from == CLIENT};

    qs_decode(&r->decoder, r->session, NULL, &packet);
    r->format->rebuilder->packet(r->state, &r->decoder, &packet);
}

/* A packet of a server of QuakeWorld or Quake II. */
static void server(struct rebuilding *r, uint32_t sequence, uint32_t acknowledged,
                   struct qs_view messages)
{
    g_autoptr(GByteArray) bytes = g_byte_array_new();

    qs_write_u32(bytes, sequence);
    qs_write_u32(bytes, acknowledged);
    qs_write_view(bytes, messages);
    packet(r, SERVER, bytes);
}

static void finish(struct rebuilding *r)
{
    int32_t track;

    r->format->rebuilder->finish(r->state);
    r->in = qs_reader_over(r->demo->data, r->demo->len);
    if (r->format == &qs_demo_dem && r->demo->len)
        assert_int_equal(dem_read_header(&r->in, &track), QS_DEMO_LINE);
}

static void assert_no_demo(const struct rebuilding *r, const char *lacks)
{
    assert_int_equal(r->demo->len, 0);
    assert_false(r->out.begun);
    if (lacks)
        assert_string_equal(r->lacks, lacks);
}

#define NO_LEVEL "the capture lacks the beginning of a level"

/* --- QWD --- */

#define NOP VIEW("\1")

/* A packet of the client with moves of these milliseconds, the newest last. */
static void move(struct rebuilding *r, uint32_t sequence, uint32_t acknowledged, uint8_t oldest,
                 uint8_t middle, uint8_t newest)
{
    const struct qw_usercmd cmds[3] = {{.msec = oldest}, {.msec = middle}, {.msec = newest}};
    g_autoptr(GByteArray) bytes = g_byte_array_new();

    qs_write_u32(bytes, sequence);
    qs_write_u32(bytes, acknowledged);
    qs_write_u16(bytes, 1);
    qw_append_move(bytes, 28, cmds, sequence);
    packet(r, CLIENT, bytes);
}

static struct qwd_block next_block(struct rebuilding *r)
{
    struct qwd_block block;

    assert_int_equal(qwd_read_block(&r->in, &block, QWD_CMD_CLASSIC), QS_DEMO_BLOCK);
    return block;
}

/* The next blocks: "set", or "c" and the milliseconds of a move, or "s" and the sequence number of
 * a server's packet; "end" is the server's last packet, with nothing behind it. */
static void assert_blocks(struct rebuilding *r, const char *expected)
{
    const struct qs_view end_of_demo = VIEW("\xff\xff\xff\xff\2EndOfDemo\0");
    g_autoptr(GString) found = g_string_new(NULL);

    while (found->len <= strlen(expected)) {
        const struct qwd_block block = next_block(r);

        if (block.type == QWD_SET) {
            g_string_append(found, " set");
        } else if (block.type == QWD_CMD) {
            g_string_append_printf(found, " c%u", block.cmd.msec);
        } else if (qs_le32(block.packet.data) != UINT32_MAX) {
            g_string_append_printf(found, " s%u", qs_le32(block.packet.data));
        } else {
            assert_view_is(block.packet, end_of_demo);
            assert_int_equal(qs_reader_left(&r->in), 0);
            g_string_append(found, " end");
        }
    }
    assert_string_equal(found->str + 1, expected);
}

static void start_qwd(struct rebuilding *r)
{
    start(r, &qs_demo_qwd);
}

/* The capture has the beginning of the connection: the demo begins with the next packet. */
static void start_connected(struct rebuilding *r)
{
    start_qwd(r);
    r->session->connection = r->session->level = 1;
    r->session->version = 28;
}

REBUILD_TEST(lost_moves_are_taken_from_the_next_packet_oldest_first, start_connected)
{
    move(r, 100, 7, 8, 9, 10);
    move(r, 103, 7, 21, 22, 23);
    server(r, 8, 103, NOP);
    finish(r);
    assert_blocks(r, "set c10 c21 c22 c23 s8 end");
    assert_int_equal(r->out.counts.repaired, 2);
}

REBUILD_TEST(oldest_known_move_replaces_all_before_it, start_connected)
{
    server(r, 7, 101, NOP);
    move(r, 102, 7, 1, 2, 20);
    move(r, 107, 7, 30, 40, 50);
    finish(r);
    assert_blocks(r, "set s7 c20 c30 c30 c30 c40 c50 end");
}

/* The capture is from the server's side: packet 101 passes it before the client has sent move 52.
 */
REBUILD_TEST(move_stands_behind_the_packet_it_acknowledges, start_connected)
{
    server(r, 100, 50, NOP);
    server(r, 101, 50, NOP);
    server(r, 102, 50, NOP);
    move(r, 51, 100, 1, 2, 11);
    move(r, 52, 100, 2, 11, 12);
    move(r, 53, 102, 11, 12, 13);
    finish(r);
    assert_blocks(r, "set s100 c11 c12 s101 s102 c13 end");
}

/* Move 51 is captured late, and move 52 not at all. */
REBUILD_TEST(move_that_the_server_acknowledges_stands_before_the_answer, start_connected)
{
    server(r, 100, 50, NOP);
    server(r, 101, 52, NOP);
    move(r, 51, 100, 1, 2, 11);
    move(r, 53, 101, 11, 12, 13);
    finish(r);
    assert_blocks(r, "set s100 c11 c12 s101 c13 end");
}

/* svc_packetentities with entity 65, which has model 3. */
#define FULL "\x2f\x41\x80\x04\3\0\0"

/* svc_deltapacketentities: entity 65 has frame 9. */
#define DELTA(from) "\x30" from "\x41\x20\x09\0\0"

REBUILD_TEST(delta_from_a_packet_that_is_missing_is_written_in_full, start_connected)
{
    server(r, 100, 100, VIEW(FULL));
    move(r, 101, 100, 1, 2, 11);
    move(r, 102, 100, 1, 2, 12);
    server(r, 102, 102, VIEW(DELTA("\x65")));
    move(r, 103, 102, 1, 2, 13);
    server(r, 103, 103, VIEW(DELTA("\x66")));
    finish(r);
    assert_blocks(r, "set s100 c11 c12");
    assert_view_is(next_block(r).packet, VIEW("\x66\0\0\0\x66\0\0\0\x2f\x41\xa0\x04\3\x09\0\0"));
    assert_blocks(r, "c13");
    assert_view_is(next_block(r).packet, VIEW("\x67\0\0\0\x67\0\0\0" DELTA("\x66")));
    assert_non_null(strstr(r->problems->str, "entities may be wrong until their next update"));
}

/* The server counts from frame 100 though the client had frame 101, as if it had dropped that one.
 * Engines have frame 101, and would drop the update. */
REBUILD_TEST(delta_that_engines_drop_is_written_in_full, start_connected)
{
    server(r, 100, 100, VIEW(FULL));
    move(r, 101, 100, 1, 2, 11);
    server(r, 101, 101, VIEW(DELTA("\x64")));
    move(r, 102, 101, 2, 11, 12);
    server(r, 102, 102, VIEW("\x30\x64\0\0"));
    finish(r);
    assert_blocks(r, "set s100 c11 s101 c12");
    assert_view_is(next_block(r).packet, VIEW("\x66\0\0\0\x66\0\0\0" FULL));
    assert_string_equal(r->problems->str,
                        "5: an update is written in full, since engines would drop the delta\n");
}

REBUILD_TEST(no_demo_of_moves_alone, start_connected)
{
    move(r, 100, 7, 8, 9, 10);
    finish(r);
    assert_no_demo(r, NULL);
}

REBUILD_TEST(no_demo_of_moves_alone_of_a_running_session, start_qwd)
{
    move(r, 100, 7, 8, 9, 10);
    finish(r);
    assert_no_demo(r, NO_LEVEL);
}

REBUILD_TEST(commands_in_the_form_of_ezquake_37, start_connected)
{
    struct qwd_block block;

    r->out.qwd_format = QS_QWD_EZQUAKE_37;
    server(r, 100, 50, NOP);
    move(r, 51, 100, 8, 9, 10);
    server(r, 101, 51, NOP);
    finish(r);
    assert_blocks(r, "set s100");
    block = next_block(r);
    assert_int_equal(block.form, QWD_CMD_EZQUAKE_37);
    assert_int_equal(block.cmd.msec, 10);
    assert_blocks(r, "s101 end");
}

TEST(ezquake_37_and_later_get_its_own_form)
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
        server(&r, 100, 50, NOP);
        assert_int_equal(r.out.qwd_format, clients[i].format);
        finish(&r);
        end(&r);
    }
}

#define LEVEL_LOST                                                                                 \
    "0: a level cannot be shown: part of its sign-on (before packet 2) was not captured; try "     \
    "--sign-on DEMO with a demo of the same map\n"

REBUILD_TEST(level_without_part_of_its_sign_on_is_left_out_and_reported_once, start_connected)
{
    server(r, 100, 50, NOP);
    r->session->level = 2;
    r->session->lost = (struct qs_sign_on_loss){.packet = 2, .before = true};
    for (uint32_t sequence = 101; sequence < 104; sequence++)
        server(r, sequence, 50, NOP);
    r->session->level = 3;
    r->session->lost = (struct qs_sign_on_loss){0};
    server(r, 104, 50, NOP);
    finish(r);
    assert_blocks(r, "set s100 set s104 end");
    assert_string_equal(r->problems->str, LEVEL_LOST);
}

/* svc_serverdata of protocol 28. */
#define QW_LEVEL "\x0b\x1c\0\0\0\1\0\0\0qw\0\0L\0" ZEROS_40
#define ZEROS_40 ZEROS_10 ZEROS_10 ZEROS_10 ZEROS_10
#define ZEROS_10 "\0\0\0\0\0\0\0\0\0\0"

/* Packets 2 to 4 have updates of a level whose svc_serverdata is missing. */
REBUILD_TEST(message_names_the_first_packet_of_a_level_without_serverdata, start_connected)
{
    server(r, 100, 50, NOP);
    r->session->level = 0;
    for (uint32_t sequence = 101; sequence < 104; sequence++)
        server(r, sequence, 50, VIEW(FULL));
    server(r, 104, 50, VIEW(QW_LEVEL));
    finish(r);
    assert_blocks(r, "set s100 set s104 end");
    assert_string_equal(r->problems->str, LEVEL_LOST);
}

/* Players would stop at a demo that begins within a level. */
REBUILD_TEST(no_demo_begins_within_a_level, start_qwd)
{
    move(r, 100, 7, 8, 9, 10);
    server(r, 8, 100, VIEW("\x2f\0\0"));
    finish(r);
    assert_no_demo(r, NO_LEVEL);
}

static void assert_set(struct rebuilding *r, uint32_t outgoing, uint32_t incoming)
{
    const struct qwd_block block = next_block(r);

    assert_int_equal(block.type, QWD_SET);
    assert_int_equal(block.outgoing, outgoing);
    assert_int_equal(block.incoming, incoming);
}

REBUILD_TEST(first_block_has_the_numbers_before_the_first_packet, start_qwd)
{
    r->session->level = 1;
    r->session->version = 28;
    server(r, 100, 50, NOP);
    finish(r);
    assert_set(r, 51, 99);
    assert_view_is(next_block(r).packet, VIEW("\x64\0\0\0\x32\0\0\0\1"));
}

/* A packet that consists of a header is no block, either. */
REBUILD_TEST(move_before_the_level_counts_and_is_no_block, start_qwd)
{
    move(r, 60, 99, 1, 2, 20);
    server(r, 100, 60, VIEW(QW_LEVEL));
    server(r, 101, 60, VIEW(""));
    server(r, 102, 60, NOP);
    finish(r);
    assert_set(r, 61, 99);
    assert_blocks(r, "s100 s102 end");
}

REBUILD_TEST(demo_ends_with_svc_disconnect, start_connected)
{
    server(r, 100, 50, NOP);
    server(r, 101, 50, VIEW("\2"));
    server(r, 102, 50, NOP);
    finish(r);
    assert_blocks(r, "set s100 s101 end");
}

/* Players would wait if the demo's time stepped back with the capture's clock. */
REBUILD_TEST(time_never_steps_back, start_connected)
{
    static const unsigned seconds[] = {1, 5, 3, 4, 7}, expected[] = {0, 4, 4, 4, 6};

    for (uint32_t i = 0; i < G_N_ELEMENTS(seconds); i++) {
        r->time = (int64_t)seconds[i] * 1000000000;
        server(r, 100 + i, 50, NOP);
    }
    finish(r);
    assert_blocks(r, "set");
    for (size_t i = 0; i < G_N_ELEMENTS(expected); i++)
        assert_true(next_block(r).time == (float)expected[i]);
}

/* --- DEM --- */

/* The beginning of a level: protocol 15, one player, name "L", model "m", sound "s". */
#define SERVERINFO "\x0b\x0f\0\0\0\1\0L\0m\0\0s\0\0"
/* A move at a time in seconds that looks at 90, 45 and 22.5 degrees. */
#define MOVE(time) "\3\0\0" time "\x3f\x40\x20\x10\0\0\0\0\0\0\0\0"
/* svc_time, the first at 2 seconds, the second at a time as MOVE has it. */
#define TIME "\7\0\0\0\x40"
#define TIME_AT(time) "\7\0\0" time "\x3f"
#define SIGNED_ON "\x19\1\x19\2\x19\3" /* all three stages */

enum { ACKNOWLEDGEMENT = 2, RELIABLE = 9, UNRELIABLE = 0x10 };

/* A packet of Quake. */
static void quake(struct rebuilding *r, enum qs_end from, uint16_t kind, uint8_t sequence,
                  struct qs_view messages)
{
    const uint8_t length = (uint8_t)(8 + messages.size);
    g_autoptr(GByteArray) bytes = g_byte_array_new();

    qs_write_u16be(bytes, kind);
    qs_write_u16be(bytes, length);
    qs_write_u32be(bytes, sequence);
    qs_write_view(bytes, messages);
    packet(r, from, bytes);
}

static void unreliable(struct rebuilding *r, enum qs_end from, uint8_t sequence,
                       struct qs_view messages)
{
    quake(r, from, UNRELIABLE, sequence, messages);
}

static void start_dem(struct rebuilding *r)
{
    start(r, &qs_demo_dem);
}

static void begin_dem(struct rebuilding *r)
{
    start_dem(r);
    unreliable(r, SERVER, 1, VIEW(SERVERINFO));
}

/* Signed on, and moving. */
static void begin_dem_game(struct rebuilding *r)
{
    begin_dem(r);
    unreliable(r, SERVER, 2, VIEW(SIGNED_ON));
    unreliable(r, CLIENT, 1, VIEW(MOVE("\x80")));
}

struct dem_expected {
    struct qs_view messages;
    float pitch;
};

/* The next blocks of the demo; an empty one ends the list. */
static void assert_dem_blocks(struct rebuilding *r, const struct dem_expected *expected)
{
    struct dem_block block;

    for (; expected->messages.data; expected++) {
        assert_int_equal(dem_read_block(&r->in, &block), QS_DEMO_BLOCK);
        assert_view_is(block.messages, expected->messages);
        assert_true(block.view.pitch == expected->pitch);
    }
}

#define DEM_BLOCKS(...) assert_dem_blocks(r, (const struct dem_expected[]){__VA_ARGS__, {{0}, 0}})

REBUILD_TEST(message_that_the_capture_cuts_is_reported, begin_dem)
{
    assert_string_equal(r->problems->str, "");
    r->cut = 3;
    unreliable(r, SERVER, 2, VIEW("\7\0\0\0\x41\1"));
    assert_non_null(
        strstr(r->problems->str, "2: the capture, and so the demo, has only the beginning of"));
    assert_int_equal(r->out.counts.missing, 1);
}

/* Players would stop at a game without a level. */
REBUILD_TEST(dem_begins_with_the_first_captured_level, start_dem)
{
    unreliable(r, SERVER, 1, VIEW(TIME));
    assert_no_demo(r, NO_LEVEL);
    unreliable(r, SERVER, 2, VIEW(SERVERINFO));
    unreliable(r, SERVER, 3, VIEW(SIGNED_ON));
    finish(r);
    DEM_BLOCKS({VIEW(SERVERINFO), 0}, {VIEW(SIGNED_ON), 0}, {VIEW("\2"), 0});
}

/* The second stage has the baselines; players show the level without them. */
REBUILD_TEST(level_without_its_second_stage_is_shown_and_reported, begin_dem)
{
    unreliable(r, SERVER, 2, VIEW("\x19\1\x19\3"));
    unreliable(r, SERVER, 3, VIEW(TIME));
    assert_string_equal(r->problems->str,
                        "0: level m may lack entities, names or texts: part of its sign-on (before "
                        "packet 2) was not captured; try --sign-on DEMO with a demo of the same "
                        "map\n");
    unreliable(r, SERVER, 4, VIEW(SERVERINFO));
    unreliable(r, SERVER, 5, VIEW(SIGNED_ON));
    unreliable(r, SERVER, 6, VIEW(TIME));
    finish(r);
    DEM_BLOCKS({VIEW(SERVERINFO), 0}, {VIEW("\x19\1\x19\3"), 0}, {VIEW(TIME), 0},
               {VIEW(SERVERINFO), 0}, {VIEW(SIGNED_ON), 0}, {VIEW(TIME), 0});
}

/* The client sent the move before it read of the level, where its view starts at 0. */
REBUILD_TEST(move_before_the_sign_on_does_not_turn_the_view, begin_dem)
{
    unreliable(r, CLIENT, 1, VIEW(MOVE("\x80")));
    unreliable(r, SERVER, 2, VIEW(SIGNED_ON));
    unreliable(r, SERVER, 3, VIEW(TIME));
    finish(r);
    DEM_BLOCKS({VIEW(SERVERINFO), 0}, {VIEW(SIGNED_ON), 0}, {VIEW(TIME), 0}, {VIEW("\2"), 0});
    assert_int_equal(qs_reader_left(&r->in), 0);
}

static void begin_dem_at(struct rebuilding *r)
{
    begin_dem_game(r);
    unreliable(r, SERVER, 3, VIEW(TIME_AT("\x80")));
    unreliable(r, CLIENT, 2, VIEW(MOVE("\x80")));
}

/* The client repeats times of messages that are not in the capture. */
REBUILD_TEST(messages_that_the_client_had_are_missing, begin_dem_at)
{
    unreliable(r, CLIENT, 3, VIEW(MOVE("\x81")));
    unreliable(r, SERVER, 6, VIEW(TIME_AT("\x83")));
    unreliable(r, CLIENT, 4, VIEW(MOVE("\x82")));
    finish(r);
    assert_int_equal(r->out.counts.missing, 2);
    assert_string_equal(r->problems->str, "6: a hole of 1 packets\n7: a hole of 2 packets\n");
}

/* The client repeats the time of the message before message 4: it did not receive that one. */
REBUILD_TEST(message_that_was_lost_on_its_way_is_not_missing, begin_dem_at)
{
    unreliable(r, CLIENT, 3, VIEW(MOVE("\x80")));
    unreliable(r, CLIENT, 4, VIEW(MOVE("\x80")));
    unreliable(r, SERVER, 5, VIEW(TIME_AT("\x82")));
    unreliable(r, CLIENT, 5, VIEW(MOVE("\x80")));
    unreliable(r, CLIENT, 6, VIEW(MOVE("\x82")));
    finish(r);
    assert_int_equal(r->out.counts.missing, 0);
    assert_string_equal(r->problems->str, "");
}

/* The next level's clock is ahead of the last time of the level before. */
REBUILD_TEST(duration_has_no_time_between_levels, begin_dem_game)
{
    unreliable(r, SERVER, 3, VIEW(TIME_AT("\x80")));
    unreliable(r, SERVER, 4, VIEW(TIME_AT("\xc0")));
    unreliable(r, SERVER, 5, VIEW(SERVERINFO));
    unreliable(r, SERVER, 6, VIEW(SIGNED_ON));
    unreliable(r, SERVER, 7, VIEW(TIME));
    assert_int_equal(r->out.duration, 500000000);
}

REBUILD_TEST(no_demo_of_a_session_that_ends_within_its_sign_on, begin_dem)
{
    finish(r);
    assert_int_equal(r->demo->len, 0);
    assert_string_equal(r->problems->str, "0: no demo: the session ended before the game began\n");
}

REBUILD_TEST(client_that_leaves_has_not_read_what_came_after_its_last_move, begin_dem_game)
{
    unreliable(r, SERVER, 3, VIEW(TIME));
    unreliable(r, CLIENT, 2, VIEW("\2"));
    finish(r);
    DEM_BLOCKS({VIEW(SERVERINFO), 0}, {VIEW(SIGNED_ON), 0}, {VIEW("\2"), 90});
    assert_int_equal(qs_reader_left(&r->in), 0);
}

REBUILD_TEST(client_reads_all_up_to_svc_disconnect, begin_dem_game)
{
    unreliable(r, SERVER, 3, VIEW(TIME));
    unreliable(r, SERVER, 4, VIEW("\2"));
    finish(r);
    DEM_BLOCKS({VIEW(SERVERINFO), 0}, {VIEW(SIGNED_ON), 0}, {VIEW(TIME), 90}, {VIEW("\2"), 90});
}

#define PRINTED "\x08\x61\0"

REBUILD_TEST(client_that_leaves_has_read_what_it_acknowledges, begin_dem_game)
{
    quake(r, SERVER, RELIABLE, 0, VIEW(PRINTED));
    unreliable(r, SERVER, 3, VIEW(TIME));
    quake(r, CLIENT, ACKNOWLEDGEMENT, 0, VIEW(""));
    unreliable(r, CLIENT, 2, VIEW("\2"));
    finish(r);
    DEM_BLOCKS({VIEW(SERVERINFO), 0}, {VIEW(SIGNED_ON), 0}, {VIEW(PRINTED), 90}, {VIEW("\2"), 90});
    assert_int_equal(qs_reader_left(&r->in), 0);
}

TEST(message_about_an_unknown_protocol_names_the_outcome)
{
    static const char *const outcomes[] = {"copied as they are", "left out"};

    for (unsigned sanitized = 0; sanitized < 2; sanitized++) {
        g_autofree char *expected = g_strdup_printf(
            "1: protocol 99 is not decoded: messages are %s, and view angles are missing\n",
            outcomes[sanitized]);
        struct rebuilding r;

        start_dem(&r);
        r.out.sanitized = sanitized;
        unreliable(&r, SERVER, 1, VIEW("\x0b\x63\0\0\0\1\0L\0m\0\0s\0\0"));
        assert_string_equal(r.problems->str, expected);
        end(&r);
    }
}

/* --- DM2 --- */

/* The rebuilder follows the session from the packet before the first frame on. */
static void start_dm2(struct rebuilding *r)
{
    g_autoptr(GByteArray) bytes = g_byte_array_new();

    start(r, &qs_demo_dm2);
    qs_write_view(bytes, VIEW("\x31\0\0\0\x63\0\0\0\1\0"));
    packet(r, CLIENT, bytes);
}

/* A frame: its number, the frame it is a delta from, nothing suppressed, no areas; no change of the
 * player and of entities. */
#define FRAME(number, delta) "\x14" number "\0\0\0" delta "\0\0\x11\0\0\0\0\0\0\x12\0\0"
#define NO_DELTA "\xff\xff\xff\xff"
#define FULL_FRAME FRAME("\7", NO_DELTA)

static struct qs_view last_block(const struct rebuilding *r)
{
    struct qs_reader in = r->in;
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

REBUILD_TEST(dm2_begins_with_the_first_captured_level, start_dm2)
{
    server(r, 100, 50, VIEW(FULL_FRAME));
    assert_no_demo(r, NO_LEVEL);
    server(r, 101, 51, VIEW(SERVERDATA));
    server(r, 102, 52, VIEW(FULL_FRAME));
    finish(r);
    assert_view_is(last_block(r), VIEW(FULL_FRAME));
}

/* svc_temp_entity with TE_RAILTRAIL2, which ends id's client; clients of extended demos know it. */
#define RAILTRAIL2 "\3\x1f" ZEROS_10 "\0\0"
/* Protocol 3434, and its config string of the map. */
#define EXTENDED "\x0c\x6a\x0d\0\0\1\0\0\0\0\0\0\0L\0\x0d\x3f\0m\0"

REBUILD_TEST(entity_that_stops_players_is_left_out, start_dm2)
{
    server(r, 100, 50, VIEW(SERVERDATA));
    server(r, 101, 51, VIEW(FULL_FRAME RAILTRAIL2));
    finish(r);
    assert_view_is(last_block(r), VIEW(FULL_FRAME));
    assert_int_equal(r->out.counts.stripped, 1);
}

REBUILD_TEST(entity_that_players_of_extended_demos_know_is_kept, start_dm2)
{
    server(r, 100, 50, VIEW(EXTENDED));
    server(r, 101, 51, VIEW(FULL_FRAME RAILTRAIL2));
    finish(r);
    assert_view_is(last_block(r), VIEW(FULL_FRAME RAILTRAIL2));
    assert_int_equal(r->out.counts.stripped, 0);
}

#define LOST_BASE                                                                                  \
    "3: a frame is a delta from one that the capture lacks: entities and the status bar may be "   \
    "wrong until their next update\n"

/* Frame 7 is the last one in the demo. R1Q2 sends a frame's own number at a change of level. */
TEST(frame_is_a_delta_from_the_last_one_unless_players_no_longer_have_it)
{
    static const struct {
        uint8_t number, from, expected; /* 0xff: no delta */
        const char *problems, *why;
    } frames[] = {{8, 8, 7, "", "the frame counts from itself"},
                  {22, 16, 7, LOST_BASE, "frame 7 is 15 back, the oldest that players keep"},
                  {23, 16, 0xff, LOST_BASE, "frame 7 is 16 back: frame 23 takes its place"},
                  {30, 25, 0xff, LOST_BASE, "frame 7 is further back"}};

    for (unsigned i = 0; i < G_N_ELEMENTS(frames); i++) {
        uint8_t bytes[] = {FRAME("\0", "\0\0\0\0")};
        struct rebuilding r;

        print_message("%s\n", frames[i].why);
        bytes[1] = frames[i].number;
        bytes[5] = frames[i].from;
        start_dm2(&r);
        server(&r, 100, 50, VIEW(SERVERDATA FULL_FRAME));
        server(&r, 101, 51, (struct qs_view){bytes, sizeof bytes - 1});
        finish(&r);
        memset(bytes + 5, frames[i].expected == 0xff ? 0xff : 0, 4);
        bytes[5] = frames[i].expected;
        assert_view_is(last_block(&r), (struct qs_view){bytes, sizeof bytes - 1});
        assert_int_equal(r.out.counts.repaired, 1);
        assert_string_equal(r.problems->str, frames[i].problems);
        end(&r);
    }
}

enum { ENTITIES = 80 };

/* Sends a frame with ENTITIES new entities, or a delta from frame `base` (-1: none) without
 * changes. */
static void send_entities(struct rebuilding *r, uint32_t number, int32_t base)
{
    g_autoptr(GByteArray) bytes = g_byte_array_new();

    qs_write_u8(bytes, 20);
    qs_write_u32(bytes, number);
    qs_write_u32(bytes, (uint32_t)base);
    qs_write_view(bytes, VIEW("\0\0\x11\0\0\0\0\0\0\x12"));
    for (uint8_t i = 1; i <= ENTITIES && base < 0; i++)
        g_byte_array_append(bytes, (const uint8_t[]){1, i, i, 0}, 4); /* U_ORIGIN1 */
    qs_write_u16(bytes, 0);
    server(r, number, number, qs_view_of_bytes(bytes));
}

/* id's players keep 1024 entities: the first frame's are gone with the thirteenth. */
REBUILD_TEST(frame_is_no_delta_from_one_whose_entities_players_no_longer_have, start_dm2)
{
    server(r, 100, 50, VIEW(SERVERDATA));
    send_entities(r, 101, -1);
    for (uint32_t number = 102; number <= 113; number++)
        send_entities(r, number, 101);
    assert_int_equal(r->out.counts.repaired, 1);
    finish(r);
    assert_int_equal(qs_le32(last_block(r).data + 5), 112);
    assert_string_equal(r->problems->str, "");
}

/* Protocol 35: svc_serverdata of a level, and a frame without a delta, nothing in it. */
#define LEVEL_35 "\x0c\x23\0\0\0\1\0\0\0\0\0\0\0\0\0\x71\7\0\0" MAP
#define FRAME_35(number) "\x14" number "\0\0\xf8\0\0\0\0\0\0"
#define FRAME_RATE_20 "\x18\1\0\0\0\x14\0\0\0"
#define PRINT "\x0a\2old\0"

/* At 20 frames a second every other frame is left out. The print that came with frame 3 waits for
 * the next frame of its level, and is not in the next level's demo. */
REBUILD_TEST(messages_of_a_level_end_with_it, start_dm2)
{
    server(r, 1, 0, VIEW(LEVEL_35 FRAME_RATE_20));
    server(r, 2, 0, VIEW(FRAME_35("\2")));
    server(r, 3, 0, VIEW(FRAME_35("\3") PRINT));
    assert_int_equal(r->out.counts.blocks, 2);
    server(r, 4, 0, VIEW(LEVEL_35 FRAME_RATE_20));
    server(r, 5, 0, VIEW(FRAME_35("\2")));
    finish(r);
    assert_view_is(last_block(r), VIEW(FRAME("\1", NO_DELTA)));
    assert_string_equal(r->problems->str,
                        "0: the capture has no move of the client: the view does not turn\n");
}

REBUILD_TEST(level_without_its_first_frame_is_named, start_dm2)
{
    server(r, 1, 0, VIEW(SERVERDATA));
    server(r, 2, 0, VIEW(FRAME("\x08", "\7\0\0\0")));
    finish(r);
    assert_no_demo(r, NULL);
    assert_string_equal(r->problems->str,
                        "0: level m cannot be shown: its first frame was not captured, and all "
                        "others are changes to it\n");
}

/* A frame with fields of the player. */
#define PLAYER_FRAME(number, delta, player)                                                        \
    "\x14" number "\0\0\0" delta "\0\0\x11" player "\x12\0\0"
#define DEAD "\1\0\2\0\0\0\0" /* PM_DEAD, and no health */

/* The weapon of a dead player does not move: nothing shows that the player lives again. */
REBUILD_TEST(dead_player_stays_dead_behind_a_loss, start_dm2)
{
    server(r, 1, 0, VIEW(SERVERDATA PLAYER_FRAME("\7", NO_DELTA, DEAD)));
    server(r, 2, 0, VIEW(FRAME("\x08", "\6\0\0\0")));
    server(r, 3, 0, VIEW(FRAME("\x1e", "\x1d\0\0\0")));
    finish(r);
    assert_view_is(last_block(r), VIEW(PLAYER_FRAME("\x1e", NO_DELTA, DEAD)));
}

#define HEALTHY "\0\0\2\0\0\0\x64\0"
#define WITH_SCORES "\0\0\2\x20\0\0\x64\0\1\0" /* STAT_LAYOUTS is 1 */
#define EIGHT_CLIENTS "\x0d\x1e\0\x38\0"       /* CS_MAXCLIENTS */

/* Servers send the score board again while it is shown. */
TEST(score_board_is_hidden_40_frames_behind_a_loss)
{
    const struct {
        struct qs_view sent, expected;
    } rows[] = {
        {VIEW(FRAME("\x2f", "\x2e\0\0\0")), VIEW(PLAYER_FRAME("\x2f", NO_DELTA, WITH_SCORES))},
        {VIEW(FRAME("\x30", "\x2f\0\0\0")), VIEW(PLAYER_FRAME("\x30", NO_DELTA, HEALTHY))}};

    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct rebuilding r;

        start_dm2(&r);
        server(&r, 1, 0, VIEW(SERVERDATA EIGHT_CLIENTS PLAYER_FRAME("\7", NO_DELTA, WITH_SCORES)));
        server(&r, 2, 0, rows[i].sent);
        finish(&r);
        assert_view_is(last_block(&r), rows[i].expected);
        end(&r);
    }
}

/* The next level's demo begins without the loss. */
REBUILD_TEST(score_board_of_a_level_is_reported_once, start_dm2)
{
    server(r, 1, 0, VIEW(SERVERDATA EIGHT_CLIENTS PLAYER_FRAME("\7", NO_DELTA, WITH_SCORES)));
    server(r, 2, 0, VIEW(FRAME("\x09", "\x08\0\0\0")));
    server(r, 3, 0, VIEW(SERVERDATA FULL_FRAME));
    finish(r);
    assert_string_equal(r->problems->str,
                        LOST_BASE "3: the score board may stay on the screen from then on\n");
}
