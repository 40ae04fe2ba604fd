/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A packet in one line: direction, header, remarks, and the values of its messages. */
#include "common/netchan/netchan.h"
#include "tests/unit/toy.h"

/* A message is a letter, and a text or a byte. */
static void read_script(struct qs_decoder *d)
{
    while (qs_reader_left(&d->in))
        switch (qs_reader_u8(&d->in)) {
        case 'l':
            qs_summary_message(d, "print");
            qs_text(d, TOY_LINE);
            break;
        case 't':
            qs_summary_message(d, "stringcmd");
            qs_text(d, TOY_TEXT_BRIEF);
            break;
        case 'n':
            qs_text(d, TOY_NAMED);
            break;
        case 'c':
            qs_u8(d, TOY_COUNT);
            break;
        case 's':
            qs_i8(d, TOY_SCORE);
            break;
        case 'm':
            qs_summary_message(d, "move");
            qs_u8(d, TOY_U8);
            break;
        case 'f':
            qs_summary_remark(d, "gap %u", qs_reader_u8(&d->in));
            break;
        }
}

/* The caller calls qs_decoder_clear(). */
static void decode(struct qs_decoder *d, const struct qs_packet *packet, enum qs_end server,
                   struct qs_sink *sink, GString *transcript)
{
    struct toy_session session;

    toy_decode = read_script;
    qs_decoder_init(d, &toy_protocol);
    toy_protocol.session_init(&session.base);
    session.base.server = server;
    d->want_summary = true;
    d->transcript = transcript;
    qs_decode(d, &session.base, sink, packet);
}

static void expect_decoded(struct qs_packet *packet, enum qs_end server, struct qs_sink *sink,
                           const char *expected)
{
    struct qs_decoder d;

    decode(&d, packet, server, sink, NULL);
    assert_string_equal(d.found.summary->str, expected);
    qs_decoder_clear(&d);
}

/* With a sink and without, the summary is the same. */
static void expect_summary(struct qs_view data, const char *expected)
{
    struct qs_packet packet = toy_packet(data);
    struct log_sink sink;

    expect_decoded(&packet, QS_END_A, NULL, expected);
    log_sink_init(&sink);
    expect_decoded(&packet, QS_END_A, &sink.base, expected);
    log_sink_clear(&sink);
}

TEST(the_summary_begins_with_the_direction)
{
    struct qs_packet packet = toy_packet(VIEW("m\1"));

    expect_decoded(&packet, QS_END_A, NULL, "S→C: move");
    expect_decoded(&packet, QS_END_B, NULL, "C→S: move");
    expect_decoded(&packet, QS_END_UNKNOWN, NULL, "?: move");
}

/* The summaries of a stream's PDUs in one packet are joined. */
TEST(the_summary_of_a_later_pdu_has_no_direction)
{
    struct qs_packet packet = toy_packet(VIEW("m\1"));

    packet.pdu = 1;
    expect_decoded(&packet, QS_END_A, NULL, "S→C: move");
    packet.pdu = 2;
    expect_decoded(&packet, QS_END_A, NULL, ": move");
}

TEST(values_are_behind_their_message)
{
    expect_summary(VIEW("c\5"), "S→C of 5");
    expect_summary(VIEW("s\xfe"), "S→C frags -2");
    expect_summary(VIEW("nanna\0c\5"), "S→C name \"anna\" of 5");
    expect_summary(VIEW("tsay hi\0m\1m\1"), "S→C: stringcmd \"say hi\", move×2");
    expect_summary(VIEW("m\1tgo\0m\1"), "S→C: move×2, stringcmd \"go\"");
    expect_summary(VIEW("c\5f\3m\1f\1"), "S→C of 5 [gap 3] [gap 1]: move");
}

TEST(texts_are_quoted)
{
    expect_summary(VIEW("tsay \"a\\b\"\n\0"), "S→C: stringcmd \"say \\\"a\\b\\\"\"");
    expect_summary(VIEW("t a\nb\tc\rd \0"), "S→C: stringcmd \"a\\nb\\tc\\rd\"");
    expect_summary(VIEW("t\xe1\xa2\0"), "S→C: stringcmd \"a\\\"\"");
    expect_summary(VIEW("t\0"), "S→C: stringcmd \"\"");
}

TEST(prints_of_one_line_are_joined)
{
    expect_summary(VIEW("lanna: gg\n\0"), "S→C: print \"anna: gg\"");
    expect_summary(VIEW("l\1anna: gg\n\0"), "S→C: print \"anna: gg\"");
    /* One line in several messages. */
    expect_summary(VIEW("lanna\0l ate \0lbert's rocket\n\0"),
                   "S→C: print \"anna ate bert's rocket\"");
    expect_summary(VIEW("lanna\0l\n\0lbert\n\0"), "S→C: print \"anna\", print \"bert\"");
    /* A line ends with a newline or with another message. */
    expect_summary(VIEW("lanna\n\0lbert\n\0"), "S→C: print \"anna\", print \"bert\"");
    expect_summary(VIEW("lanna\0m\1l: gg\n\0"), "S→C: print \"anna\", move, print \": gg\"");
    expect_summary(VIEW("l\n\0l\0"), "S→C: print×2");
}

TEST(long_texts_are_cut)
{
    char text[512] = "t";
    g_autofree char *expected = NULL;

    memset(&text[1], 'x', 200);
    expected = g_strdup_printf("S→C: stringcmd \"%.160s…\"", &text[1]);
    expect_summary((struct qs_view){(const uint8_t *)text, 202}, expected);
}

/* Printed texts have no name in front. */
TEST(the_transcript_has_whole_texts)
{
    struct qs_packet packet = toy_packet(VIEW("m\1tsay hi\0l\1anna: gg\n\0l\2bert\0t \0"
                                              "tskin\0nbase\0c\5tgo\n\0ncarl\0"));
    g_autoptr(GString) transcript = g_string_new(NULL);
    struct qs_decoder d;

    decode(&d, &packet, QS_END_UNKNOWN, NULL, transcript);
    assert_string_equal(transcript->str, "stringcmd: say hi\nanna: gg\nbert\n"
                                         "stringcmd: skin name base\nstringcmd: go name carl\n");
    qs_decoder_clear(&d);
}

/* Wireshark shows lines of limited length. */
TEST(further_messages_are_counted)
{
    struct qs_packet packet;
    struct qs_decoder d;
    g_autoptr(GString) data = g_string_new(NULL);

    for (int i = 0; i < 1000; i++)
        g_string_append_len(data, "tsome text\0", 11);
    packet = toy_packet((struct qs_view){(const uint8_t *)data->str, (uint32_t)data->len});
    decode(&d, &packet, QS_END_UNKNOWN, NULL, NULL);
    assert_true(d.found.summary->len < 2400);
    assert_true(g_str_has_suffix(d.found.summary->str, "stringcmd×936"));
    qs_decoder_clear(&d);
}
