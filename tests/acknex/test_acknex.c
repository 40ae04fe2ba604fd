/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Acknex: the document's example, direction, what a session learns, recognition, the summary. */
#include "common/acknex/decode.h"
#include "tests/unit/text_listener.h"
#include "tests/unit/unit.h"

struct fixture {
    struct qs_decoder decoder;
    struct acknex_session session;
    struct text_listener listener;
};

static void set_up(struct fixture *f)
{
    qs_decoder_init(&f->decoder, &acknex_protocol);
    f->decoder.want_summary = true;
    acknex_protocol.session_init(&f->session.base);
    f->listener = text_listener_new();
}

static void tear_down(struct fixture *f)
{
    g_string_free(f->listener.received, TRUE);
    acknex_protocol.session_clear(&f->session.base);
    qs_decoder_clear(&f->decoder);
}

#define FIXTURE_TEST(function) TEST_WITH(function, struct fixture, f, set_up, tear_down)

/* Returns how many problems the datagram has. */
static uint32_t decode(struct fixture *f, enum qs_direction direction, struct qs_view bytes)
{
    /* Of exactly this size, so that a sanitizer sees a read beyond it. */
    g_autofree uint8_t *copy = g_memdup2(bytes.data, bytes.size);
    const struct qs_packet packet = {
        .data = copy,
        .size = bytes.size,
        .wire_size = bytes.size,
        .number = 1,
        .source_is_server_port = direction == QS_S2C,
        .destination_is_server_port = direction == QS_C2S,
        .from = direction == QS_S2C ? QS_END_B : QS_END_A,
    };

    g_string_truncate(f->listener.received, 0);
    qs_decode(&f->decoder, &f->session.base, &f->listener.base, &packet);
    return qs_decoder_problems(&f->decoder);
}

/* A datagram without a problem, and lines that it shows. */
#define READS(direction, bytes, ...)                                                               \
    do {                                                                                           \
        assert_int_equal(decode(f, direction, VIEW(bytes)), 0);                                    \
        text_listener_assert(&f->listener, (const char *const[]){__VA_ARGS__, NULL});              \
    } while (0)
#define SHOWS_NO(part) text_listener_assert_not(&f->listener, part)

/* A datagram with one note of the kind, and so many bytes that are not decoded. */
#define NOTES(direction, bytes, note, count)                                                       \
    do {                                                                                           \
        decode(f, direction, VIEW(bytes));                                                         \
        assert_int_equal(f->decoder.found.notes[note], 1);                                         \
        assert_int_equal(f->decoder.found.undecoded, count);                                       \
    } while (0)

static void assert_summary(const struct fixture *f, const char *expected)
{
    assert_string_equal(f->decoder.found.summary->str, expected);
}

/* --- The worked example --- */

#define EXAMPLE "\x83\x07\x00\x80\x00\x00\x00\x01\x00\x80\x01\x00\x80\x00"

FIXTURE_TEST(the_worked_example_is_read)
{
    /* An angle counts in 360/65535 degrees: no number of them is 180 exactly. */
    READS(QS_S2C, EXAMPLE, "acknex.entity.number = 7", "acknex.position.x = 1",
          "acknex.position.y = 2", "acknex.position.z = 3", "acknex.pan = 180.002747");
    assert_summary(f, "S→C: update entity 7: position, pan");
}

FIXTURE_TEST(angles_may_be_in_intel_order)
{
    const uint32_t options[ACKNEX_OPTION_COUNT] = {[ACKNEX_ANGLE_BYTE_ORDER] = ACKNEX_ANGLE_INTEL};

    f->decoder.options = options;
    READS(QS_S2C, EXAMPLE, "acknex.pan = 0.703135729"); /* 128 * 360 / 65535 */
}

FIXTURE_TEST(positions_may_be_fixed)
{
    const uint32_t options[ACKNEX_OPTION_COUNT] = {[ACKNEX_POS_RESOLUTION] = ACKNEX_POS_FIXED};

    f->decoder.options = options;
    decode(f, QS_S2C, VIEW(EXAMPLE));
    assert_int_equal(f->decoder.found.notes[QS_NOTE_MALFORMED], 1);
    READS(QS_S2C, "\x83\x07\x00\x00\x04\x00\x00\x00\x08\x00\x00\x00\xf4\xff\xff\x80\x00",
          "acknex.position.x = 1", "acknex.position.y = 2", "acknex.position.z = -3");
}

/* --- Direction --- */

/* 0x04 has a Long from a client and a Short from the server. */
FIXTURE_TEST(the_direction_decides_the_layout)
{
    READS(QS_C2S, "\x04\x01\x00\x00\x00", NULL);
    assert_summary(f, "C→S: remove entity 1");
    decode(f, QS_S2C, VIEW("\x04\x01\x00\x00\x00"));
    assert_int_equal(f->decoder.found.notes[QS_NOTE_UNKNOWN_MESSAGE], 1);
}

FIXTURE_TEST(reading_shows_the_direction)
{
    READS(QS_DIRECTION_UNKNOWN, "\x04\x01\x00\x00\x00", NULL);
    assert_int_equal(f->decoder.found.direction, QS_C2S);
    /* Who is the server is known from here on. */
    assert_int_equal(f->session.base.server, QS_END_B);
}

/* A skill is read the same both ways, so it is read though its sender is unknown. */
FIXTURE_TEST(a_skill_needs_no_direction)
{
    READS(QS_DIRECTION_UNKNOWN, "\x0e\x01\x00\x10\x00\x00\x04\x00\x00", "acknex.skill = 1");
    assert_int_equal(f->decoder.found.direction, QS_DIRECTION_UNKNOWN);
}

/* 0x03 of an unknown sender, and neither way to its end: its layout cannot be known. */
FIXTURE_TEST(a_message_without_a_direction_is_not_decoded)
{
    NOTES(QS_DIRECTION_UNKNOWN, "\x03\x01\x00\x01\x00\x00", QS_NOTE_UNKNOWN_MESSAGE, 5);
}

/* --- Knowledge of a session --- */

#define JOIN_BOB "\2Bob\0"
#define LEVEL(name) "\11" name ".wmb\0"
#define CREATE_WARLOCK "\3warlock.mdl\0\x80\x00\x00\x00\x01\x00\x80\x01\x00\x04\x00\x01\x00"
#define CREATED_7 "\x03\x07\x00\x01\x00"
#define TYPE_OF_7(file) "A\7\0" file "\0"
#define PAN_7 "\x82\x07\x00\x40\x00"

FIXTURE_TEST(an_entity_has_its_player_until_it_is_removed)
{
    READS(QS_C2S, JOIN_BOB CREATE_WARLOCK, NULL);
    READS(QS_S2C, CREATED_7, NULL);
    READS(QS_S2C, PAN_7, "acknex.entity.file = warlock.mdl", "acknex.entity.player = Bob");
    assert_summary(f, "S→C: update entity 7 (warlock.mdl): pan");
    READS(QS_S2C, "\x04\x07\x00", NULL); /* it is removed */
    READS(QS_S2C, PAN_7, NULL);
    SHOWS_NO("acknex.entity.file");
    SHOWS_NO("acknex.entity.player");
}

FIXTURE_TEST(a_type_names_the_entity)
{
    READS(QS_S2C, TYPE_OF_7("house.wmb") PAN_7, "acknex.entity.file = house.wmb");
    SHOWS_NO("acknex.entity.player");
    assert_summary(f, "S→C: update×2");
}

FIXTURE_TEST(another_level_and_a_join_forget_entities)
{
    READS(QS_C2S, LEVEL("one"), NULL);
    READS(QS_S2C, TYPE_OF_7("house.wmb"), NULL);
    READS(QS_C2S, LEVEL("one"), NULL);
    READS(QS_S2C, PAN_7, "acknex.entity.file = house.wmb");
    READS(QS_C2S, LEVEL("two"), NULL);
    READS(QS_S2C, PAN_7, NULL);
    SHOWS_NO("acknex.entity.file");
    READS(QS_S2C, TYPE_OF_7("house.wmb"), NULL);
    READS(QS_C2S, JOIN_BOB, NULL);
    READS(QS_S2C, PAN_7, NULL);
    SHOWS_NO("acknex.entity.file");
    assert_int_equal(f->session.base.connection, 1);
    assert_int_equal(f->session.base.level, 0);
}

FIXTURE_TEST(a_copy_keeps_its_names)
{
    struct acknex_session before;

    READS(QS_S2C, TYPE_OF_7("house.wmb"), NULL);
    acknex_protocol.session_copy(&before.base, &f->session.base);
    READS(QS_S2C, TYPE_OF_7("tree.tga"), NULL);
    assert_string_equal(qs_table_get(&before.files, 7), "house.wmb");
    assert_string_equal(qs_table_get(&f->session.files, 7), "tree.tga");
    acknex_protocol.session_clear(&before.base);
}

FIXTURE_TEST(a_session_has_a_description)
{
    assert_describes(&acknex_protocol, &f->session.base, NULL, NULL, NULL);
    READS(QS_C2S, JOIN_BOB LEVEL("one"), NULL);
    READS(QS_S2C, "\x07\x05\x00\x00\x80\x3f", NULL);
    assert_describes(&acknex_protocol, &f->session.base, "5", "one.wmb", "Bob");
}

/* --- Unreadable messages --- */

/* Messages before an unknown one are decoded, and nothing behind its number. */
FIXTURE_TEST(unknown_messages_are_not_decoded)
{
    static const char client[] = "\2\3\4\7\x09\x0a\x0b\x0e\x0f";
    static const char server[] = "\3\4\5\6\7\x0a\x0b\x0e\x0f\x12";

    for (unsigned i = 0; i < 512; i++) {
        const enum qs_direction direction = i & 256 ? QS_S2C : QS_C2S;
        const uint8_t code = (uint8_t)i;
        const bool s2c = direction == QS_S2C;
        const uint8_t bytes[] = {s2c ? 4 : 7, 7, s2c ? 0 : 7, code, 0, 1, 2, 3, 4, 5, 6, 7, 8};
        const bool update = s2c && code >= 0x40;
        const uint8_t unknown = code < 0x80 ? 0x20 : code < 0xc0 ? 0 : 0x30;

        if (update ? !(code & unknown)
            : s2c  ? memchr(server, code, sizeof server - 1) != NULL
                   : memchr(client, code, sizeof client - 1) != NULL)
            continue;
        decode(f, direction, (struct qs_view){bytes, sizeof bytes});
        assert_true(g_str_has_prefix(f->listener.received->str, "acknex.message = "));
        assert_int_equal(f->decoder.found.notes[QS_NOTE_UNKNOWN_MESSAGE], 1);
        assert_int_equal(f->decoder.found.undecoded, update ? 7 : 9);
    }
}

FIXTURE_TEST(malformed_messages_are_noted)
{
    NOTES(QS_C2S, "\x0a\1\0\xff\xff\1\2\3", QS_NOTE_MALFORMED, 3);
    NOTES(QS_S2C, "\x0b\1\0no end", QS_NOTE_MALFORMED, 6);
}

/* --- Recognition --- */

TEST(only_datagrams_with_a_file_are_recognized)
{
    const struct {
        struct qs_view bytes;
        bool is_acknex;
    } datagrams[] = {
        {VIEW(CREATE_WARLOCK), true},
        {VIEW(TYPE_OF_7("house.wmb") PAN_7), true},
        {VIEW("\11LEVEL.WMB\0"), true},
        /* Acknex, but it could be anything. */
        {VIEW(""), false},
        {VIEW("\x07"), false},
        {VIEW(EXAMPLE), false},
        /* A file name and a byte too many or too few, or of no kind that the engine has. */
        {VIEW(CREATE_WARLOCK "\x01"), false},
        {VIEW("A\7\0house.wmb"), false},
        {VIEW(TYPE_OF_7("house.exe")), false},
        {VIEW(TYPE_OF_7("\x01.wmb")), false},
        {VIEW(LEVEL("one") "\11two\0"), false},
        /* Traffic of other programs. */
        {VIEW("\377\377\377\377connect 28 house.wmb\0"), false},
        {VIEW("GET /house.mdl HTTP/1.1\r\n\r\n"), false},
    };

    assert_true(acknex_protocol.recognize_on_request);
    for (size_t i = 0; i < G_N_ELEMENTS(datagrams); i++) {
        const struct qs_packet packet = {.data = datagrams[i].bytes.data,
                                         .size = datagrams[i].bytes.size};

        if (acknex_recognize(&acknex_protocol, &packet) != datagrams[i].is_acknex)
            fail_msg("datagram %zu", i);
    }
}
