/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A receiver accepts or drops packets and fragments, notes why, and learns from accepted ones. */
#include "common/netchan/netchan.h"
#include "tests/unit/toy.h"

enum { MAX = 16 };

static const struct qs_span number = {0, 4}, ack = {4, 4};

/* A conversation of toys. Packets have a sequence number, an acknowledgement, and bytes. */
struct fixture {
    struct qs_decoder d;
    struct toy_session session;
    struct log_sink sink;
    uint64_t packets;
};

static struct qs_fragments fragments;
static uint32_t choked;

static void set_up(struct fixture *f)
{
    qs_decoder_init(&f->d, &toy_protocol);
    toy_protocol.session_init(&f->session.base);
    f->session.base.server = QS_END_A;
    log_sink_init(&f->sink);
    choked = 0;
}

static void tear_down(struct fixture *f)
{
    log_sink_clear(&f->sink);
    qs_decoder_clear(&f->d);
    qs_fragments_clear(&fragments);
}

#define FIXTURE_TEST(function) TEST_WITH(function, struct fixture, f, set_up, tear_down)

static void learn(struct qs_decoder *d)
{
    struct toy_session *session = (struct toy_session *)d->session;

    while (qs_reader_left(&d->in))
        session->secret = session->secret * 10 + qs_u8(d, TOY_U8);
}

static void read_header(struct qs_decoder *d)
{
    d->found.sequence = qs_reader_u32(&d->in);
    d->found.acknowledged = qs_reader_u32(&d->in);
}

static void decode_whole(struct qs_decoder *d)
{
    uint32_t skipped;

    read_header(d);
    skipped = qs_receive(d, qs_netchan_forth(d), number);
    if (d->found.accepted)
        qs_receive_acknowledgement(d, qs_netchan_back(d), ack);
    qs_read_received(d, learn);
    qs_note_gap(d, number, skipped, choked);
}

/* Behind the numbers a fragment has its offset, and 1 if more follow. */
static void decode_fragment(struct qs_decoder *d)
{
    static const struct qs_fragment_format format = {{0, 4}, TOY_BYTES, TOY_FRAGMENTS, MAX};
    uint32_t offset;
    bool more;
    GBytes *message;

    read_header(d);
    offset = qs_reader_u8(&d->in);
    more = qs_reader_u8(&d->in);
    message = qs_receive_fragment(d, &fragments, &format, offset, more);
    if (!message)
        return;
    qs_note_gap(d, number, qs_receive(d, qs_netchan_forth(d), number), 0);
    qs_read_joined(d, message, learn);
    g_bytes_unref(message);
}

static void send(struct fixture *f, toy_script *script, enum qs_end from, struct qs_view data)
{
    struct qs_packet packet = toy_packet(data);

    packet.from = from;
    packet.number = ++f->packets;
    toy_decode = script;
    g_string_truncate(f->sink.log, 0);
    qs_decode(&f->d, &f->session.base, &f->sink.base, &packet);
}

static void expect(struct fixture *f, struct qs_view data, bool accepted, const char *log)
{
    send(f, decode_whole, QS_END_A, data);
    assert_int_equal(f->d.found.accepted, accepted);
    assert_string_equal(f->sink.log->str, log);
}

FIXTURE_TEST(gaps_duplicates_and_late_packets_are_noted)
{
    expect(f, VIEW("\x05\0\0\0\0\0\0\0"), true, "");
    expect(f, VIEW("\x06\0\0\0\0\0\0\0"), true, "");
    expect(f, VIEW("\x06\0\0\0\0\0\0\0"), false,
           "note sequence.duplicate 0+4 \"Duplicate of sequence number 6\"\n");
    expect(f, VIEW("\x08\0\0\0\0\0\0\0"), true,
           "note sequence.gap 0+4 \"1 sequence number skipped\"\n");
    expect(f, VIEW("\x0c\0\0\0\0\0\0\0"), true,
           "note sequence.gap 0+4 \"3 sequence numbers skipped\"\n");
    expect(f, VIEW("\x07\0\0\0\0\0\0\0"), false,
           "note sequence.stale 0+4 \"Sequence number 7 arrived late\"\n");
    expect(f, VIEW("\x07\0\0\0\0\0\0\0"), false,
           "note sequence.duplicate 0+4 \"Duplicate of sequence number 7\"\n");
}

FIXTURE_TEST(choked_packets_are_no_gap)
{
    expect(f, VIEW("\x01\0\0\0\0\0\0\0"), true, "");
    choked = 1;
    expect(f, VIEW("\x02\0\0\0\0\0\0\0"), true, "");
    expect(f, VIEW("\x04\0\0\0\0\0\0\0"), true,
           "note sequence.gap 0+4 \"1 sequence number skipped, choked by the server\"\n");
    expect(
        f, VIEW("\x08\0\0\0\0\0\0\0"), true,
        "note sequence.gap 0+4 \"3 sequence numbers skipped, 1 of them choked by the server\"\n");
    choked = 3;
    expect(f, VIEW("\x0c\0\0\0\0\0\0\0"), true,
           "note sequence.gap 0+4 \"3 sequence numbers skipped, choked by the server\"\n");
}

FIXTURE_TEST(every_number_is_late_behind_the_largest_one)
{
    expect(f, VIEW("\xfe\xff\xff\x7f\0\0\0\0"), true, "");
    expect(f, VIEW("\xff\xff\xff\x7f\0\0\0\0"), true, "");
    expect(f, VIEW("\0\0\0\0\0\0\0\0"), false,
           "note sequence.stale 0+4 \"Sequence number 0 arrived late\"\n");
}

FIXTURE_TEST(a_dropped_packet_is_shown_and_changes_nothing)
{
    expect(f, VIEW("\x05\0\0\0\0\0\0\0\1\2"), true, "toy.u8 8+1 = 1\ntoy.u8 9+1 = 2\n");
    assert_int_equal(f->session.secret, 12);
    expect(f, VIEW("\x05\0\0\0\0\0\0\0\7"), false,
           "note sequence.duplicate 0+4 \"Duplicate of sequence number 5\"\ntoy.u8 8+1 = 7\n");
    assert_int_equal(f->session.secret, 12);
    assert_ptr_equal(f->d.session, &f->session.base);
    expect(f, VIEW("\x06\0\0\0\0\0\0\0\3"), true, "toy.u8 8+1 = 3\n");
    assert_int_equal(f->session.secret, 123);
}

FIXTURE_TEST(an_acknowledged_packet_that_the_capture_lacks_is_noted)
{
    send(f, decode_whole, QS_END_B, VIEW("\x05\0\0\0\0\0\0\0"));
    send(f, decode_whole, QS_END_B, VIEW("\x07\0\0\0\0\0\0\0"));
    expect(f, VIEW("\x01\0\0\0\x07\0\0\0"), true, "");
    expect(f, VIEW("\x02\0\0\0\x06\0\0\0"), true,
           "note sequence.not_captured 4+4 "
           "\"Acknowledges sequence number 6, which the capture lacks\"\n");
    /* The acknowledgement of a dropped packet does not count. */
    expect(f, VIEW("\x02\0\0\0\x08\0\0\0"), false,
           "note sequence.duplicate 0+4 \"Duplicate of sequence number 2\"\n");
}

static void note_both(struct qs_decoder *d)
{
    read_header(d);
    qs_note_retransmission(d, number);
    qs_note_lacking(d, number, 1);
    qs_note_lacking(d, number, 2);
}

FIXTURE_TEST(retransmissions_and_missing_packets_are_noted)
{
    send(f, note_both, QS_END_A, VIEW("\x05\0\0\0\0\0\0\0"));
    assert_string_equal(f->sink.log->str,
                        "note retransmission 0+4 \"Sequence number 5 sent again\"\n"
                        "note sequence.not_captured 0+4 "
                        "\"The capture lacks 1 sequence number before this one\"\n"
                        "note sequence.not_captured 0+4 "
                        "\"The capture lacks 2 sequence numbers before this one\"\n");
}

/* --- Fragments --- */

static void expect_fragment(struct fixture *f, struct qs_view data, const char *log)
{
    send(f, decode_fragment, QS_END_A, data);
    assert_string_equal(f->sink.log->str, log);
}

FIXTURE_TEST(fragments_are_joined)
{
    expect_fragment(f, VIEW("\x05\0\0\0\0\0\0\0\0\1\1\2"), "toy.bytes 10+2 = 0102\n");
    assert_false(f->d.found.accepted);
    expect_fragment(f, VIEW("\x05\0\0\0\0\0\0\0\2\0\3"),
                    "toy.bytes 10+1 = 03\n"
                    "open toy.fragments @10\nlabel \": 2, 3 bytes:\"\n"
                    "label \" #1\"\ntoy.fragment 10+1 := 1\n"
                    "label \" #2\"\ntoy.fragment 10+1 := 2\n"
                    "toy.fragment.count 10+1 := 2\ntoy.reassembled.length 10+1 := 3\nclose @11\n"
                    "source \"Joined fragments\" 3\n"
                    "toy.u8 0+1 = 1\ntoy.u8 1+1 = 2\ntoy.u8 2+1 = 3\nsource end\n");
    assert_true(f->d.found.accepted);
    assert_int_equal(f->session.secret, 123);
    assert_int_equal(qs_fragments_count(&fragments), 0);
    expect_fragment(f, VIEW("\x05\0\0\0\0\0\0\0\2\0\3"),
                    "toy.bytes 10+1 = 03\n"
                    "note sequence.duplicate 0+4 \"Duplicate of sequence number 5\"\n");
    expect_fragment(f, VIEW("\x04\0\0\0\0\0\0\0\0\1\3"),
                    "toy.bytes 10+1 = 03\n"
                    "note sequence.stale 0+4 \"Sequence number 4 arrived late\"\n");
    assert_int_equal(qs_fragments_count(&fragments), 0);
}

FIXTURE_TEST(a_fragment_behind_a_lost_one_is_dropped)
{
    expect_fragment(f, VIEW("\x05\0\0\0\0\0\0\0\0\1\1\2"), "toy.bytes 10+2 = 0102\n");
    expect_fragment(f, VIEW("\x05\0\0\0\0\0\0\0\4\0\3"),
                    "toy.bytes 10+1 = 03\nnote sequence.gap 10+1 "
                    "\"Fragment at 4 does not follow the 2 bytes received so far: dropped\"\n");
    /* A duplicate of the first; then the second. */
    expect_fragment(f, VIEW("\x05\0\0\0\0\0\0\0\0\1\1\2"),
                    "toy.bytes 10+2 = 0102\nnote sequence.gap 10+2 "
                    "\"Fragment at 0 does not follow the 2 bytes received so far: dropped\"\n");
    expect_fragment(f, VIEW("\x05\0\0\0\0\0\0\0\2\1\7"), "toy.bytes 10+1 = 07\n");
    /* The next message. */
    expect_fragment(f, VIEW("\x07\0\0\0\0\0\0\0\0\1\4"), "toy.bytes 10+1 = 04\n");
    expect_fragment(f, VIEW("\x07\0\0\0\0\0\0\0\1\0\5"),
                    "toy.bytes 10+1 = 05\n"
                    "open toy.fragments @10\nlabel \": 2, 2 bytes:\"\n"
                    "label \" #5\"\ntoy.fragment 10+1 := 5\n"
                    "label \" #6\"\ntoy.fragment 10+1 := 6\n"
                    "toy.fragment.count 10+1 := 2\ntoy.reassembled.length 10+1 := 2\nclose @11\n"
                    "source \"Joined fragments\" 2\n"
                    "toy.u8 0+1 = 4\ntoy.u8 1+1 = 5\nsource end\n");
    assert_int_equal(f->session.secret, 45);
}

FIXTURE_TEST(a_message_that_is_too_long_is_malformed)
{
    expect_fragment(f, VIEW("\x05\0\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"),
                    "toy.bytes 10+15 = 000000000000000000000000000000\n");
    expect_fragment(f, VIEW("\x05\0\0\0\0\0\0\0\x0f\0\1\2"),
                    "toy.bytes 10+2 = 0102\nnote malformed 10+2 "
                    "\"The message is longer than any engine accepts\"\n");
    assert_int_equal(qs_fragments_size(&fragments), 15);
}
