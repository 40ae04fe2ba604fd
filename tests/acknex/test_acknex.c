/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Acknex: the document's example, direction, what a session learns, recognition, the summary. */
#include "common/acknex/decode.h"
#include "tests/unit/toy.h"

struct fixture {
    struct qs_decoder decoder;
    struct acknex_session session;
    struct log_sink sink;
};

static void set_up(struct fixture *f)
{
    qs_decoder_init(&f->decoder, &acknex_protocol);
    f->decoder.want_summary = true;
    acknex_protocol.session_init(&f->session.base);
    log_sink_init(&f->sink);
}

static void tear_down(struct fixture *f)
{
    log_sink_clear(&f->sink);
    acknex_protocol.session_clear(&f->session.base);
    qs_decoder_clear(&f->decoder);
}

#define FIXTURE_TEST(function) TEST_WITH(function, struct fixture, f, set_up, tear_down)

/* `bytes` is a string literal; its closing NUL is not sent. */
#define DECODE(f, way, bytes) decode(f, way, (const uint8_t *)(bytes), sizeof(bytes) - 1)

static void decode(struct fixture *f, enum qs_direction direction, const uint8_t *bytes,
                   uint32_t size)
{
    /* Of exactly this size, so that a sanitizer sees a read beyond it. */
    g_autofree uint8_t *copy = g_memdup2(bytes, size);
    const struct qs_packet packet = {
        .data = copy,
        .size = size,
        .wire_size = size,
        .number = 1,
        .source_is_server_port = direction == QS_S2C,
        .destination_is_server_port = direction == QS_C2S,
        .from = direction == QS_S2C ? QS_END_B : QS_END_A,
    };

    g_string_truncate(f->sink.log, 0);
    qs_decode(&f->decoder, &f->session.base, &f->sink.base, &packet);
}

/* Where the value stands in the log; NULL: nowhere. */
static const char *find(const struct fixture *f, const char *name)
{
    g_autofree char *start = g_strconcat(name, " ", NULL);
    const char *line = strstr(f->sink.log->str, start);

    return line ? strchr(line, '=') + 2 : NULL;
}

static void assert_double(const struct fixture *f, const char *name, double expected,
                          double tolerance)
{
    const char *value = find(f, name);

    assert_non_null(value);
    assert_float_equal(g_ascii_strtod(value, NULL), expected, tolerance);
}

static void assert_text(const struct fixture *f, const char *name, const char *expected)
{
    const char *value = find(f, name);
    g_autoptr(GString) bytes = g_string_new(NULL);

    for (const char *c = expected; *c; c++)
        g_string_append_printf(bytes, "%02x", *c);
    assert_non_null(value);
    assert_true(g_str_has_prefix(value, bytes->str));
    assert_int_equal(value[bytes->len], '\n');
}

static void assert_absent(const struct fixture *f, const char *name)
{
    assert_null(find(f, name));
}

static void assert_clean(const struct fixture *f)
{
    assert_int_equal(qs_decoder_problems(&f->decoder), 0);
}

/* --- The worked example
 * -------------------------------------------------------------------------------------- */

#define EXAMPLE "\x83\x07\x00\x80\x00\x00\x00\x01\x00\x80\x01\x00\x80\x00"

FIXTURE_TEST(test_worked_example)
{
    DECODE(f, QS_S2C, EXAMPLE);
    assert_clean(f);
    assert_double(f, "acknex.entity.number", 7, 0);
    assert_double(f, "acknex.position.x", 1, 0);
    assert_double(f, "acknex.position.y", 2, 0);
    assert_double(f, "acknex.position.z", 3, 0);
    /* An angle counts in 360/65535 degrees: no number of them is 180 exactly. */
    assert_double(f, "acknex.pan", 180, 360.0 / 65535 / 2);
    assert_string_equal(f->decoder.found.summary->str, "S→C: update entity 7: position, pan");
}

FIXTURE_TEST(test_example_with_intel_angles)
{
    const uint32_t options[ACKNEX_OPTION_COUNT] = {[ACKNEX_ANGLE_BYTE_ORDER] = ACKNEX_ANGLE_INTEL};

    f->decoder.options = options;
    DECODE(f, QS_S2C, EXAMPLE);
    assert_clean(f);
    assert_double(f, "acknex.pan", 128 * 360.0 / 65535, 1e-9);
}

FIXTURE_TEST(test_example_with_fixed_positions)
{
    const uint32_t options[ACKNEX_OPTION_COUNT] = {[ACKNEX_POS_RESOLUTION] = ACKNEX_POS_FIXED};

    f->decoder.options = options;
    DECODE(f, QS_S2C, EXAMPLE);
    assert_int_equal(f->decoder.found.notes[QS_NOTE_MALFORMED], 1);
    DECODE(f, QS_S2C, "\x83\x07\x00\x00\x04\x00\x00\x00\x08\x00\x00\x00\xf4\xff\xff\x80\x00");
    assert_clean(f);
    assert_double(f, "acknex.position.x", 1, 0);
    assert_double(f, "acknex.position.y", 2, 0);
    assert_double(f, "acknex.position.z", -3, 0);
}

/* --- Direction
 * -----------------------------------------------------------------------------------------------
 */

/* 0x04 has a Long from a client and a Short from the server. */
FIXTURE_TEST(test_direction_decides_layout)
{
    DECODE(f, QS_C2S, "\x04\x01\x00\x00\x00");
    assert_clean(f);
    assert_string_equal(f->decoder.found.summary->str, "C→S: remove entity 1");
    DECODE(f, QS_S2C, "\x04\x01\x00\x00\x00");
    assert_int_equal(f->decoder.found.notes[QS_NOTE_UNKNOWN_MESSAGE], 1);
}

FIXTURE_TEST(test_direction_found_by_reading)
{
    acknex_protocol.session_init(&f->session.base);
    DECODE(f, QS_DIRECTION_UNKNOWN, "\x04\x01\x00\x00\x00");
    assert_clean(f);
    assert_int_equal(f->decoder.found.direction, QS_C2S);
    /* Who is the server is known from here on. */
    assert_int_equal(f->session.base.server, QS_END_B);
}

/* A skill is read the same both ways, so it is read though nobody knows who sent it. */
FIXTURE_TEST(test_direction_not_needed)
{
    DECODE(f, QS_DIRECTION_UNKNOWN, "\x0e\x01\x00\x10\x00\x00\x04\x00\x00");
    assert_clean(f);
    assert_int_equal(f->decoder.found.direction, QS_DIRECTION_UNKNOWN);
    assert_double(f, "acknex.skill", 1, 0);
}

/* 0x03 from nobody knows whom, and neither way to its end: its layout cannot be known. */
FIXTURE_TEST(test_direction_needed)
{
    DECODE(f, QS_DIRECTION_UNKNOWN, "\x03\x01\x00\x01\x00\x00");
    assert_int_equal(f->decoder.found.notes[QS_NOTE_UNKNOWN_MESSAGE], 1);
    assert_int_equal(f->decoder.found.undecoded, 5);
}

/* --- What a session learns
 * ----------------------------------------------------------------------------------- */

#define JOIN_BOB                                                                                   \
    "\x02"                                                                                         \
    "Bob\0"
#define CREATE_WARLOCK                                                                             \
    "\x03"                                                                                         \
    "warlock.mdl\0"                                                                                \
    "\x80\x00\x00\x00\x01\x00\x80\x01\x00"                                                         \
    "\x04\x00"                                                                                     \
    "\x01\x00"
#define CREATED_7 "\x03\x07\x00\x01\x00"
#define PAN_7 "\x82\x07\x00\x40\x00"

FIXTURE_TEST(test_entity_of_a_player)
{
    DECODE(f, QS_C2S, JOIN_BOB CREATE_WARLOCK);
    assert_clean(f);
    DECODE(f, QS_S2C, CREATED_7);
    DECODE(f, QS_S2C, PAN_7);
    assert_clean(f);
    assert_text(f, "acknex.entity.file", "warlock.mdl");
    assert_text(f, "acknex.entity.player", "Bob");
    assert_int_equal(find(f, "acknex.entity.file")[-3], ':'); /* generated */
    assert_string_equal(f->decoder.found.summary->str, "S→C: update entity 7 (warlock.mdl): pan");
}

FIXTURE_TEST(test_removed_entity_is_forgotten)
{
    DECODE(f, QS_C2S, JOIN_BOB CREATE_WARLOCK);
    DECODE(f, QS_S2C, CREATED_7);
    DECODE(f, QS_S2C, "\x04\x07\x00");
    DECODE(f, QS_S2C, PAN_7);
    assert_absent(f, "acknex.entity.file");
    assert_absent(f, "acknex.entity.player");
}

FIXTURE_TEST(test_type_update_names_the_entity)
{
    DECODE(f, QS_S2C,
           "\x41\x07\x00"
           "house.wmb\0" PAN_7);
    assert_clean(f);
    assert_text(f, "acknex.entity.file", "house.wmb");
    assert_absent(f, "acknex.entity.player");
    assert_string_equal(f->decoder.found.summary->str, "S→C: update×2");
}

FIXTURE_TEST(test_join_and_level_end_what_was)
{
    DECODE(f, QS_C2S,
           "\x09"
           "one.wmb\0");
    DECODE(f, QS_S2C,
           "\x41\x07\x00"
           "house.wmb\0");
    DECODE(f, QS_C2S,
           "\x09"
           "one.wmb\0");
    DECODE(f, QS_S2C, PAN_7);
    assert_text(f, "acknex.entity.file", "house.wmb");
    DECODE(f, QS_C2S,
           "\x09"
           "two.wmb\0");
    DECODE(f, QS_S2C, PAN_7);
    assert_absent(f, "acknex.entity.file");
    DECODE(f, QS_S2C,
           "\x41\x07\x00"
           "house.wmb\0");
    DECODE(f, QS_C2S, JOIN_BOB);
    DECODE(f, QS_S2C, PAN_7);
    assert_absent(f, "acknex.entity.file");
    assert_int_equal(f->session.base.connection, 1);
    assert_int_equal(f->session.base.level, 0);
}

/* A copy keeps what was known when it was made. */
FIXTURE_TEST(test_copy_is_independent)
{
    struct acknex_session before;

    DECODE(f, QS_S2C,
           "\x41\x07\x00"
           "house.wmb\0");
    acknex_protocol.session_copy(&before.base, &f->session.base);
    DECODE(f, QS_S2C,
           "\x41\x07\x00"
           "tree.tga\0");
    assert_string_equal(qs_table_get(&before.files, 7), "house.wmb");
    assert_string_equal(qs_table_get(&f->session.files, 7), "tree.tga");
    acknex_protocol.session_clear(&before.base);
}

FIXTURE_TEST(test_description)
{
    struct qs_description description;

    acknex_protocol.describe(&f->session.base, &description);
    assert_null(description.version);
    assert_null(description.map);
    assert_null(description.player);
    DECODE(f, QS_C2S,
           JOIN_BOB "\x09"
                    "one.wmb\0");
    DECODE(f, QS_S2C, "\x07\x05\x00\x00\x80\x3f");
    assert_clean(f);
    acknex_protocol.describe(&f->session.base, &description);
    assert_string_equal(description.version, "5");
    assert_string_equal(description.map, "one.wmb");
    assert_string_equal(description.player, "Bob");
    g_free(description.version);
    g_free(description.map);
    g_free(description.player);
}

/* --- What cannot be read */

/* What no message begins with is not decoded, nor what follows it; what comes before it is. */
FIXTURE_TEST(test_unknown_messages)
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
        decode(f, direction, bytes, sizeof bytes);
        assert_non_null(strstr(f->sink.log->str, "acknex.message 0+1 = "));
        assert_int_equal(f->decoder.found.notes[QS_NOTE_UNKNOWN_MESSAGE], 1);
        assert_int_equal(f->decoder.found.undecoded, update ? 7 : 9);
    }
}

FIXTURE_TEST(test_malformed_messages)
{
    DECODE(f, QS_C2S, "\x0a\1\0\xff\xff\1\2\3");
    assert_int_equal(f->decoder.found.notes[QS_NOTE_MALFORMED], 1);
    assert_int_equal(f->decoder.found.undecoded, 3);
    DECODE(f, QS_S2C, "\x0b\1\0no end");
    assert_int_equal(f->decoder.found.notes[QS_NOTE_MALFORMED], 1);
    assert_int_equal(f->decoder.found.undecoded, 6);
}

/* --- Recognition
 * --------------------------------------------------------------------------------------------- */

#define RECOGNIZE(bytes)                                                                           \
    acknex_recognize(&acknex_protocol, &(struct qs_packet){.data = (const uint8_t *)(bytes),       \
                                                           .size = sizeof(bytes) - 1})

FIXTURE_TEST(test_recognition)
{
    assert_true(acknex_protocol.recognize_on_request);
    assert_true(RECOGNIZE(CREATE_WARLOCK));
    assert_true(RECOGNIZE("\x41\x07\x00"
                          "house.wmb\0" PAN_7));
    assert_true(RECOGNIZE("\x09"
                          "LEVEL.WMB\0"));
    /* Acknex, but it could be anything. */
    assert_false(RECOGNIZE(""));
    assert_false(RECOGNIZE("\x07"));
    assert_false(RECOGNIZE(EXAMPLE));
    /* A file name and a byte too many or too few, or of no kind that the engine has. */
    assert_false(RECOGNIZE(CREATE_WARLOCK "\x01"));
    assert_false(RECOGNIZE("\x41\x07\x00"
                           "house.wmb"));
    assert_false(RECOGNIZE("\x41\x07\x00"
                           "house.exe\0"));
    assert_false(RECOGNIZE("\x41\x07\x00"
                           "\x01.wmb\0"));
    assert_false(RECOGNIZE("\x09"
                           "one.wmb\0"
                           "\x09"
                           "two\0"));
    /* Others' traffic. */
    assert_false(RECOGNIZE("\xff\xff\xff\xff"
                           "connect 28 house.wmb\0"));
    assert_false(RECOGNIZE("GET /house.mdl HTTP/1.1\r\n\r\n"));
}

/* --- The summary
 * --------------------------------------------------------------------------------------------- */
