/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The loop over a packet's messages, nested sources, the summary, and the packet's direction. */
#include "tests/unit/toy.h"

/* --- Messages of the toy --- */

enum { NOP = 1, BYTE, OBSOLETE, HALT, WORD, NESTED };

static void read_nop(struct qs_decoder *d)
{
    (void)d;
}

static void read_byte(struct qs_decoder *d)
{
    qs_u8(d, TOY_U8);
}

static void read_word(struct qs_decoder *d)
{
    qs_u16(d, TOY_U16);
}

static void read_halt(struct qs_decoder *d)
{
    qs_note(d, QS_NOTE_PROTOCOL_UNDECODED, d->in.pos, 0, "enough");
    d->stop = true;
}

static void read_nested(struct qs_decoder *d);

static const struct qs_message_type types[] = {
    [NOP] = {"toy_nop", "nop", TOY_GROUP, read_nop},
    [BYTE] = {"toy_byte", "byte", TOY_GROUP, read_byte},
    [OBSOLETE] = {"toy_obsolete", "obsolete", TOY_GROUP, NULL},
    [HALT] = {"toy_halt", "halt", TOY_GROUP, read_halt},
    [WORD] = {"toy_word", "word", TOY_GROUP, read_word},
    [NESTED] = {"toy_nested", "nested", TOY_GROUP, read_nested},
};

static const struct qs_message_type *lookup(const struct qs_decoder *d, uint32_t id)
{
    (void)d;
    return id < sizeof types / sizeof types[0] && types[id].name ? &types[id] : NULL;
}

static void read_all(struct qs_decoder *d)
{
    qs_read_messages(d, TOY_ID, lookup);
}

/* Reads a length, and messages in a source of that size. */
static void read_nested(struct qs_decoder *d)
{
    const struct qs_view inner = qs_bytes(d, TOY_BYTES, qs_u8(d, TOY_U8));

    if (inner.data && qs_push_source(d, "Nested", inner.data, inner.size)) {
        read_all(d);
        qs_pop_source(d);
    }
}

/* --- Loop --- */

TEST(an_empty_packet_has_no_messages)
{
    expect_log(read_all, VIEW(""), "");
}

TEST(each_message_is_a_group)
{
    expect_log(read_all, VIEW("\1\2\7\5\x34\x12"),
               "open toy.group @0\ntoy.id 0+1 = 1\nclose @1\n"
               "open toy.group @1\ntoy.id 1+1 = 2\ntoy.u8 2+1 = 7\nclose @3\n"
               "open toy.group @3\ntoy.id 3+1 = 5\ntoy.u16 4+2 = 4660\nclose @6\n");
}

TEST(an_unknown_message_ends_the_loop)
{
    expect_log(read_all, VIEW("\1\x63\2\7"),
               "open toy.group @0\ntoy.id 0+1 = 1\nclose @1\n"
               "toy.id 1+1 = 99\nnote unknown_message 1+1 \"Unknown message 99\"\n"
               "toy.undecoded 2+2 = 0207\n");
}

TEST(an_obsolete_message_ends_the_loop)
{
    expect_log(read_all, VIEW("\3\1"),
               "open toy.group @0\ntoy.id 0+1 = 3\n"
               "note unknown_message 0+1 \"toy_obsolete is obsolete and cannot be read\"\n"
               "close @1\ntoy.undecoded 1+1 = 01\n");
}

/* The bytes of its cut value are undecoded. */
TEST(a_message_that_is_too_long_is_malformed)
{
    expect_log(read_all, VIEW("\5\x34"),
               "open toy.group @0\ntoy.id 0+1 = 5\n"
               "note malformed 0+1 \"toy_word at offset 0 runs past the end\"\n"
               "close @1\ntoy.undecoded 1+1 = 34\n");
    expect_log(read_all, VIEW("\5"),
               "open toy.group @0\ntoy.id 0+1 = 5\n"
               "note malformed 0+1 \"toy_word at offset 0 runs past the end\"\nclose @1\n");
}

TEST(a_message_may_stop_the_loop)
{
    expect_log(read_all, VIEW("\4\1\1"),
               "open toy.group @0\ntoy.id 0+1 = 4\n"
               "note protocol.undecoded 1+0 \"enough\"\n"
               "close @1\ntoy.undecoded 1+2 = 0101\n");
}

/* The other bits of the byte are flags. */
DECODES(the_id_may_be_masked, VIEW("\xe2\7"),
        "open toy.group @0\ntoy.id 0+1 = 2\ntoy.u8 1+1 = 7\nclose @2\n")
{
    d->id_mask = 0x1f;
    read_all(d);
}

/* --- Findings --- */

struct fixture {
    struct qs_decoder d;
    struct toy_session session;
};

static void set_up(struct fixture *f)
{
    toy_protocol.session_init(&f->session.base);
    qs_decoder_init(&f->d, &toy_protocol);
    toy_decode = read_all;
}

static void tear_down(struct fixture *f)
{
    qs_decoder_clear(&f->d);
}

#define FIXTURE_TEST(function) TEST_WITH(function, struct fixture, f, set_up, tear_down)

static void decode(struct fixture *f, struct qs_view data)
{
    const struct qs_packet packet = toy_packet(data);

    qs_decode(&f->d, &f->session.base, NULL, &packet);
}

static void expect_message(const struct fixture *f, guint index, struct qs_message expected)
{
    const struct qs_message *m = &g_array_index(f->d.found.messages, struct qs_message, index);

    assert_int_equal(m->offset, expected.offset);
    assert_int_equal(m->length, expected.length);
    assert_int_equal(m->id, expected.id);
    assert_int_equal(m->source, expected.source);
}

FIXTURE_TEST(whole_messages_are_found)
{
    decode(f, VIEW("\2\7\1\6\2\2\x9\5"));
    assert_int_equal(f->d.found.messages->len, 4);
    expect_message(f, 0, (struct qs_message){0, 2, BYTE, 0, false, NULL});
    expect_message(f, 1, (struct qs_message){2, 1, NOP, 0, false, NULL});
    expect_message(f, 2, (struct qs_message){0, 2, BYTE, 1, false, NULL});
    expect_message(f, 3, (struct qs_message){3, 4, NESTED, 0, false, NULL});
    assert_true(qs_has_message(&f->d, BYTE) && qs_has_message(&f->d, NESTED));
    /* The last one is cut. */
    assert_int_equal(f->d.found.notes[QS_NOTE_MALFORMED], 1);
    /* The next packet replaces all findings. */
    decode(f, VIEW("\1"));
    assert_int_equal(f->d.found.messages->len, 1);
    assert_true(qs_has_message(&f->d, NOP));
    assert_false(qs_has_message(&f->d, BYTE));
    assert_int_equal(f->d.found.notes[QS_NOTE_MALFORMED], 0);
}

FIXTURE_TEST(problems_and_undecoded_bytes_are_counted)
{
    decode(f, VIEW("\1\1"));
    assert_int_equal(qs_decoder_problems(&f->d), 0);
    decode(f, VIEW("\1\5"));
    assert_int_equal(f->d.found.undecoded, 0);
    assert_int_equal(qs_decoder_problems(&f->d), 1);
    decode(f, VIEW("\x63\0\0"));
    assert_int_equal(f->d.found.undecoded, 2);
    assert_int_equal(qs_decoder_problems(&f->d), 2);
}

FIXTURE_TEST(a_packet_that_the_capture_cut_is_not_malformed)
{
    struct qs_packet packet = toy_packet(VIEW("\1\5\1"));
    struct log_sink sink;

    log_sink_init(&sink);
    packet.wire_size = 10;
    qs_decode(&f->d, &f->session.base, &sink.base, &packet);
    assert_string_equal(sink.log->str,
                        "open toy.group @0\ntoy.id 0+1 = 1\nclose @1\n"
                        "open toy.group @1\ntoy.id 1+1 = 5\nclose @2\n"
                        "toy.undecoded 2+1 = 01\n"
                        "note cut 3+0 \"The capture lacks the last 7 of 10 bytes\"\n");
    assert_int_equal(f->d.found.notes[QS_NOTE_MALFORMED], 0);
    assert_int_equal(f->d.found.notes[QS_NOTE_CUT], 1);
    log_sink_clear(&sink);
}

/* --- Sources --- */

TEST(messages_of_a_source_have_its_offsets)
{
    expect_log(read_all, VIEW("\6\3\2\7\x63\1"),
               "open toy.group @0\ntoy.id 0+1 = 6\ntoy.u8 1+1 = 3\ntoy.bytes 2+3 = 020763\n"
               "source \"Nested\" 3\n"
               "open toy.group @0\ntoy.id 0+1 = 2\ntoy.u8 1+1 = 7\nclose @2\n"
               "toy.id 2+1 = 99\nnote unknown_message 2+1 \"Unknown message 99\"\n"
               "source end\nclose @5\n"
               "open toy.group @5\ntoy.id 5+1 = 1\nclose @6\n");
}

DECODES(sources_are_nested_up_to_a_limit, VIEW("\7"),
        "source \"deep\" 1\nsource \"deep\" 1\nsource \"deep\" 1\nsource \"deep\" 1\n"
        "source end\nsource end\nsource end\nsource end\n"
        "toy.u8 0+1 = 7\n")
{
    static const uint8_t inner[1] = {0};

    for (unsigned i = 0; i < QS_SOURCES_MAX; i++)
        assert_true(qs_push_source(d, "deep", inner, sizeof inner));
    assert_false(qs_push_source(d, "too deep", inner, sizeof inner));
    assert_int_equal(d->source_depth, QS_SOURCES_MAX);
    /* The decoder still reads the innermost source. */
    assert_ptr_equal(d->in.data, inner);
    for (unsigned i = 0; i < QS_SOURCES_MAX; i++)
        qs_pop_source(d);
    assert_int_equal(qs_u8(d, TOY_U8), 7);
}

FIXTURE_TEST(messages_nested_deeper_than_the_limit_are_left_out)
{
    decode(f, VIEW("\6\x0a\6\x08\6\6\6\4\6\2\6\0"));
    assert_int_equal(f->d.found.messages->len, QS_SOURCES_MAX + 1);
    assert_int_equal(f->d.source_depth, 0);
}

FIXTURE_TEST(messages_of_a_demo_are_those_of_a_server)
{
    const struct qs_packet block = toy_packet(VIEW("\2\5"));
    struct qs_protocol protocol = toy_protocol;

    protocol.decode_server_messages = read_all;
    f->d.protocol = &protocol;
    qs_decode_server_messages(&f->d, &f->session.base, NULL, &block);
    assert_int_equal(f->d.found.direction, QS_S2C);
    assert_int_equal(f->d.found.messages->len, 1);
}

/* --- Summary --- */

static void expect_summary(struct fixture *f, struct qs_view data, const char *expected)
{
    f->d.want_summary = true;
    decode(f, data);
    assert_string_equal(f->d.found.summary->str, expected);
}

static void summarize(struct qs_decoder *d)
{
    qs_summary(d, "seq %d", 7);
    qs_summary_message(d, "a");
    qs_summary_message(d, "a");
    qs_summary_text(d, " <", VIEW("x\ny\xe1"), ">");
    qs_summary_message(d, "a");
}

/* A message with a text is not counted with others of its name. */
FIXTURE_TEST(equal_messages_are_counted_in_the_summary)
{
    toy_decode = summarize;
    expect_summary(f, VIEW(""), "? seq 7: a×2, a <x ya>");
}

FIXTURE_TEST(the_summary_is_made_on_request)
{
    toy_decode = summarize;
    decode(f, VIEW(""));
    assert_string_equal(f->d.found.summary->str, "");
}

/* --- Trials --- */

static void learn_and_read(struct qs_decoder *d)
{
    ((struct toy_session *)d->session)->secret++;
    read_all(d);
}

static void peek_and_try(struct qs_decoder *d)
{
    assert_int_equal(qs_peek_u16(d), 0x0702);
    assert_int_equal(qs_peek_u32(d), 0x01050702);
    assert_false(qs_is_readable(d, d->session, learn_and_read));
    qs_u16(d, TOY_U16);
    assert_false(qs_is_readable(d, d->session, learn_and_read));
    qs_u8(d, TOY_U8);
    assert_true(qs_is_readable(d, d->session, learn_and_read));
    assert_int_equal(qs_peek_u16(d), 0);
    assert_int_equal(qs_peek_u32(d), 0);
    assert_int_equal(qs_u8(d, TOY_U8), 1);
}

FIXTURE_TEST(a_trial_reads_to_the_end_and_changes_nothing)
{
    toy_decode = peek_and_try;
    decode(f, VIEW("\2\7\5\1"));
    assert_int_equal(f->d.in.pos, 4);
    assert_int_equal(qs_decoder_problems(&f->d), 0);
    assert_int_equal(f->d.found.messages->len, 0);
    assert_int_equal(f->session.secret, 0);
}

/* --- Direction --- */

enum { ONLY_C2S = 1, ONLY_S2C, EITHER, NEITHER };

/* The first byte is the direction in which the packet is well-formed. */
static void probe_me(struct qs_decoder *d)
{
    const uint8_t sense = qs_u8(d, TOY_U8);
    struct toy_session *session = (struct toy_session *)d->session;

    if (d->found.direction == QS_DIRECTION_UNKNOWN && !d->probing)
        qs_learn_direction(d, qs_probe_direction(d));
    session->secret++;
    if (sense == NEITHER || (sense == ONLY_C2S && d->found.direction == QS_S2C) ||
        (sense == ONLY_S2C && d->found.direction == QS_C2S))
        qs_note(d, QS_NOTE_MALFORMED, 0, 1, "wrong direction");
}

static void expect_direction(struct fixture *f, uint8_t sense, enum qs_end from,
                             enum qs_direction direction, enum qs_end server)
{
    struct qs_packet packet = toy_packet((struct qs_view){&sense, 1});
    struct log_sink sink;

    toy_decode = probe_me;
    toy_protocol.session_init(&f->session.base);
    packet.from = from;
    log_sink_init(&sink);
    qs_decode(&f->d, &f->session.base, &sink.base, &packet);
    assert_int_equal(f->d.found.direction, direction);
    assert_int_equal(f->session.base.server, server);
    /* Trials change nothing: the packet was decoded once, with one field. */
    assert_int_equal(f->session.secret, 1);
    if (direction != QS_DIRECTION_UNKNOWN) {
        assert_int_equal(f->d.found.notes[QS_NOTE_MALFORMED], 0);
        assert_int_equal(strncmp(sink.log->str, "toy.u8 0+1 = ", 13), 0);
        assert_ptr_equal(strchr(sink.log->str, '\n') + 1, sink.log->str + sink.log->len);
    }
    log_sink_clear(&sink);
}

FIXTURE_TEST(a_direction_in_which_a_packet_is_malformed_is_excluded)
{
    expect_direction(f, ONLY_C2S, QS_END_A, QS_C2S, QS_END_B);
    expect_direction(f, ONLY_C2S, QS_END_B, QS_C2S, QS_END_A);
    expect_direction(f, ONLY_S2C, QS_END_A, QS_S2C, QS_END_A);
    expect_direction(f, ONLY_S2C, QS_END_B, QS_S2C, QS_END_B);
    expect_direction(f, EITHER, QS_END_A, QS_DIRECTION_UNKNOWN, QS_END_UNKNOWN);
    expect_direction(f, NEITHER, QS_END_A, QS_DIRECTION_UNKNOWN, QS_END_UNKNOWN);
    /* If the sender is unknown, the session learns nothing. */
    expect_direction(f, ONLY_S2C, QS_END_UNKNOWN, QS_S2C, QS_END_UNKNOWN);
}

static enum qs_direction direction_of(struct fixture *f, struct qs_packet packet)
{
    qs_decode(&f->d, &f->session.base, NULL, &packet);
    return f->d.found.direction;
}

/* Ports count until the session knows its server; two server ports prove nothing. */
FIXTURE_TEST(the_session_decides_before_the_ports)
{
    struct qs_packet packet = toy_packet(VIEW(""));

    assert_int_equal(direction_of(f, packet), QS_DIRECTION_UNKNOWN);
    packet.source_is_server_port = true;
    assert_int_equal(direction_of(f, packet), QS_S2C);
    packet.destination_is_server_port = true;
    assert_int_equal(direction_of(f, packet), QS_DIRECTION_UNKNOWN);
    packet.source_is_server_port = false;
    assert_int_equal(direction_of(f, packet), QS_C2S);
    f->session.base.server = QS_END_A;
    assert_int_equal(direction_of(f, packet), QS_S2C);
    assert_true(qs_session_from_server(&f->session.base, &packet));
    packet.from = QS_END_B;
    assert_int_equal(direction_of(f, packet), QS_C2S);
    assert_false(qs_session_from_server(&f->session.base, &packet));
}

FIXTURE_TEST(a_new_connection_keeps_only_the_server)
{
    struct qs_session *session = &f->session.base;

    session->server = QS_END_B;
    session->level = 3;
    session->version = 28;
    session->to_client.accepted = 9;
    qs_session_connect(session);
    assert_int_equal(session->server, QS_END_B);
    assert_int_equal(session->connection, 1);
    assert_int_equal(session->level, 0);
    assert_int_equal(session->version, 0);
    assert_int_equal(session->to_client.accepted, 0);
    qs_session_connect(session);
    assert_int_equal(session->connection, 2);
}
