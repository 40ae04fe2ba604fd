/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Every reader of decoder.h: what it returns, what the sink hears, and that both work alone. */
#include <math.h>

#include "tests/unit/toy.h"

/* --- Whole numbers */

DECODES(test_unsigned, VIEW("\xfe\xdc\xfe\xfe\xdc\x98\xba\xdc\xfe\xfe\xdc\xba\x98"),
        "toy.u8 0+1 = 254\ntoy.u16 1+2 = 65244\ntoy.u16 3+2 = 65244\n"
        "toy.u32 5+4 = 4275878552\ntoy.u32 9+4 = 4275878552\n")
{
    assert_int_equal(qs_u8(d, TOY_U8), 0xfe);
    assert_int_equal(qs_u16(d, TOY_U16), 0xfedc);
    assert_int_equal(qs_u16be(d, TOY_U16), 0xfedc);
    assert_int_equal(qs_u32(d, TOY_U32), 0xfedcba98);
    assert_int_equal(qs_u32be(d, TOY_U32), 0xfedcba98);
}

DECODES(test_signed, VIEW("\x80\xfe\xff\0\0\0\x80\7\0\0\0"),
        "toy.i8 0+1 = -128\ntoy.i16 1+2 = -2\ntoy.i32 3+4 = -2147483648\n"
        "toy.i32 7+4 = 7\n")
{
    assert_int_equal(qs_i8(d, TOY_I8), -128);
    assert_int_equal(qs_i16(d, TOY_I16), -2);
    assert_int_equal(qs_i32(d, TOY_I32), INT32_MIN);
    assert_int_equal(qs_i32(d, TOY_I32), 7);
}

/* --- Fractions */

DECODES(test_fractions, VIEW("\0\0\xc0\xbf\xc0\xfd\xfc\xff"),
        "toy.float 0+4 = -1.5\ntoy.double 4+1 = 3\ntoy.double 5+1 = -48\n"
        "toy.double 6+2 = -0.5\n")
{
    assert_true(qs_f32(d, TOY_FLOAT) == -1.5F);
    assert_int_equal(qs_scaled_u8(d, TOY_DOUBLE, 1.0 / 64), 192);
    assert_int_equal(qs_scaled_i8(d, TOY_DOUBLE, 16), -3);
    assert_int_equal(qs_scaled_i16(d, TOY_DOUBLE, 0.125), -4);
}

DECODES(test_not_finite, VIEW("\0\0\x80\xff\0\0\xc0\x7f"),
        "toy.float 0+4 = -inf\ntoy.float 4+4 = nan\n")
{
    assert_true(isinf(qs_f32(d, TOY_FLOAT)));
    assert_true(isnan(qs_f32(d, TOY_FLOAT)));
}

/* --- Coordinates and angles in every format */

static void coord_short(struct qs_decoder *d)
{
    assert_true(qs_coord(d, TOY_COORD) == -0.125);
    assert_true(qs_coord(d, TOY_COORD) == 4095.875);
    assert_true(qs_coord(d, TOY_COORD) == -4096);
}

static void coord_24bit(struct qs_decoder *d)
{
    d->coord_format = QS_COORD_24BIT;
    assert_true(qs_coord(d, TOY_COORD) == -2 + 51 / 255.0);
    assert_true(qs_coord(d, TOY_COORD) == 256 + 255 / 255.0);
}

static void coord_int32(struct qs_decoder *d)
{
    d->coord_format = QS_COORD_INT32;
    assert_true(qs_coord(d, TOY_COORD) == -0.0625);
    assert_true(qs_coord(d, TOY_COORD) == 65536);
}

static void coord_float32(struct qs_decoder *d)
{
    d->coord_format = QS_COORD_FLOAT32;
    assert_true(qs_coord(d, TOY_COORD) == -1.5);
}

TEST(test_coord_formats)
{
    expect_log(coord_short, VIEW("\xff\xff\xff\x7f\0\x80"),
               "toy.coord 0+2 = -0.125\ntoy.coord 2+2 = 4095.875\ntoy.coord 4+2 = -4096\n");
    expect_log(coord_24bit, VIEW("\xfe\xff\x33\0\1\xff"),
               "toy.coord 0+3 = -1.8\ntoy.coord 3+3 = 257\n");
    expect_log(coord_int32, VIEW("\xff\xff\xff\xff\0\0\x10\0"),
               "toy.coord 0+4 = -0.0625\ntoy.coord 4+4 = 65536\n");
    expect_log(coord_float32, VIEW("\0\0\xc0\xbf"), "toy.coord 0+4 = -1.5\n");
}

static void angle_byte(struct qs_decoder *d)
{
    assert_true(qs_angle(d, TOY_ANGLE) == -180);
    assert_true(qs_angle(d, TOY_ANGLE) == 90);
    assert_true(qs_angle(d, TOY_ANGLE) == -1.40625);
}

static void angle_short(struct qs_decoder *d)
{
    d->angle_format = QS_ANGLE_SHORT;
    assert_true(qs_angle(d, TOY_ANGLE) == -180);
    assert_true(qs_angle(d, TOY_ANGLE) == 45);
}

static void angle_float32(struct qs_decoder *d)
{
    d->angle_format = QS_ANGLE_FLOAT32;
    assert_true(qs_angle(d, TOY_ANGLE) == -1.5);
}

/* Of a fixed width, whatever the session's format. */
static void angle_fixed(struct qs_decoder *d)
{
    d->angle_format = QS_ANGLE_FLOAT32;
    assert_int_equal(qs_angle8(d, TOY_ANGLE), 0x40);
    assert_int_equal(qs_angle16(d, TOY_ANGLE), -0x4000);
}

TEST(test_angle_formats)
{
    expect_log(angle_byte, VIEW("\x80\x40\xff"),
               "toy.angle 0+1 = -180\ntoy.angle 1+1 = 90\ntoy.angle 2+1 = -1.40625\n");
    expect_log(angle_short, VIEW("\0\x80\0\x20"), "toy.angle 0+2 = -180\ntoy.angle 2+2 = 45\n");
    expect_log(angle_float32, VIEW("\0\0\xc0\xbf"), "toy.angle 0+4 = -1.5\n");
    expect_log(angle_fixed, VIEW("\x40\0\xc0"), "toy.angle 0+1 = 90\ntoy.angle 1+2 = -90\n");
}

static void vectors(struct qs_decoder *d)
{
    qs_coord3(d, TOY_ORIGIN);
    qs_angle3(d, TOY_ANGLES);
}

TEST(test_vectors)
{
    expect_log(vectors, VIEW("\x08\0\xfc\xff\0\0\x40\x80\0"),
               "open toy.origin @0\ntoy.origin.x 0+2 = 1\ntoy.origin.y 2+2 = -0.5\n"
               "toy.origin.z 4+2 = 0\nlabel \": (1 -0.5 0)\"\nclose @6\n"
               "open toy.angles @6\ntoy.angles.pitch 6+1 = 90\ntoy.angles.yaw 7+1 = -180\n"
               "toy.angles.roll 8+1 = 0\nlabel \": (90° -180° 0°)\"\nclose @9\n");
}

/* A vector that is cut off has no title: part of it was never read. */
TEST(test_vector_cut_off)
{
    expect_log(vectors, VIEW("\x08\0\xfc"),
               "open toy.origin @0\ntoy.origin.x 0+2 = 1\nclose @2\n"
               "open toy.angles @2\nclose @2\n");
}

/* Where nobody listens they are passed over: of the same size in each format, and not where they
 * are cut off. */
static void unread_vectors(struct qs_decoder *d)
{
    static const uint8_t coords[] = {[QS_COORD_SHORT] = 6,
                                     [QS_COORD_WHOLE] = 6,
                                     [QS_COORD_24BIT] = 9,
                                     [QS_COORD_INT32] = 12,
                                     [QS_COORD_FLOAT32] = 12};
    static const uint8_t angles[] = {
        [QS_ANGLE_BYTE] = 3, [QS_ANGLE_SHORT] = 6, [QS_ANGLE_FLOAT32] = 12};

    for (unsigned i = 0; i < G_N_ELEMENTS(coords); i++) {
        d->in.pos = 0;
        d->coord_format = (enum qs_coord_format)i;
        qs_coord3(d, TOY_ORIGIN);
        assert_int_equal(d->in.pos, coords[i]);
    }
    for (unsigned i = 0; i < G_N_ELEMENTS(angles); i++) {
        d->in.pos = 0;
        d->angle_format = (enum qs_angle_format)i;
        qs_angle3(d, TOY_ANGLES);
        assert_int_equal(d->in.pos, angles[i]);
    }
    assert_false(d->in.overrun);
    qs_angle3(d, TOY_ANGLES);
    assert_true(d->in.overrun);
    assert_int_equal(d->in.pos, 12);
}

TEST(test_unread_vectors)
{
    static const uint8_t zeros[14];
    const struct qs_packet packet = {
        .data = zeros, .size = sizeof zeros, .wire_size = sizeof zeros};
    struct toy_session session;
    struct qs_decoder d;

    toy_protocol.session_init(&session.base);
    qs_decoder_init(&d, &toy_protocol);
    qs_decode_block(&d, unread_vectors, &session.base, NULL, &packet, 0);
    qs_decoder_clear(&d);
    toy_protocol.session_clear(&session.base);
}

/* --- Texts and bytes */

DECODES(test_texts, VIEW("hi\0\0a\0\1\2\x7f\0\0\1"),
        "toy.text 0+3 = 6869\ntoy.text 3+1 = \ntoy.text 4+2 = 6100\n"
        "toy.bytes 6+2 = 0102\ntoy.bytes 8+0 = \ntoy.ipv4 8+4 = 7f000001\n")
{
    assert_view_is(qs_text(d, TOY_TEXT), VIEW("hi"));
    assert_view_is(qs_text(d, TOY_TEXT), VIEW(""));
    assert_view_is(qs_text_sized(d, TOY_TEXT, 2), VIEW("a\0"));
    assert_view_is(qs_bytes(d, TOY_BYTES, 2), VIEW("\1\2"));
    assert_view_is(qs_bytes(d, TOY_BYTES, 0), VIEW(""));
    assert_view_is(qs_bytes(d, TOY_IPV4, 4), VIEW("\x7f\0\0\1"));
}

static void undecoded(struct qs_decoder *d)
{
    qs_u8(d, TOY_U8);
    qs_undecoded(d);
    assert_int_equal(qs_reader_left(&d->in), 0);
    qs_undecoded(d);
}

TEST(test_undecoded)
{
    expect_log(undecoded, VIEW("\1\2\3"), "toy.u8 0+1 = 1\ntoy.undecoded 1+2 = 0203\n");
    expect_log(undecoded, VIEW("\1"), "toy.u8 0+1 = 1\n");
}

/* --- Overruns: each reader gives 0 and says nothing; so does everything after it */

DECODES(test_after_overrun, VIEW("0123456789"), "")
{
    qs_bytes(d, TOY_BYTES, 100);
    assert_true(d->in.overrun);
    assert_int_equal(qs_u8(d, TOY_U8), 0);
    assert_int_equal(qs_u16(d, TOY_U16), 0);
    assert_int_equal(qs_u32(d, TOY_U32), 0);
    assert_int_equal(qs_u16be(d, TOY_U16), 0);
    assert_int_equal(qs_u32be(d, TOY_U32), 0);
    assert_int_equal(qs_i8(d, TOY_I8), 0);
    assert_int_equal(qs_i16(d, TOY_I16), 0);
    assert_int_equal(qs_i32(d, TOY_I32), 0);
    assert_true(qs_f32(d, TOY_FLOAT) == 0);
    assert_int_equal(qs_scaled_u8(d, TOY_DOUBLE, 2), 0);
    assert_int_equal(qs_scaled_i8(d, TOY_DOUBLE, 2), 0);
    assert_int_equal(qs_scaled_i16(d, TOY_DOUBLE, 2), 0);
    assert_true(qs_coord(d, TOY_COORD) == 0);
    assert_true(qs_angle(d, TOY_ANGLE) == 0);
    assert_int_equal(qs_angle8(d, TOY_ANGLE), 0);
    assert_int_equal(qs_angle16(d, TOY_ANGLE), 0);
    assert_int_equal(qs_text(d, TOY_TEXT).size, 0);
    assert_int_equal(qs_text_sized(d, TOY_TEXT, 1).size, 0);
    qs_emit_generated_uint(d, TOY_U8, 0, 1, 5);
    qs_emit_generated_text(d, TOY_TEXT, 0, 1, "derived");
    qs_label(d, "label");
    qs_label_text(d, "<", VIEW("label"), ">");
    assert_int_equal(d->in.pos, 0);
}

/* What did not fit is there to be shown, once somebody asks for the rest. */
DECODES(test_rest_after_overrun, VIEW("\1\2\3"), "toy.u8 0+1 = 1\ntoy.undecoded 1+2 = 0203\n")
{
    qs_u8(d, TOY_U8);
    qs_u32(d, TOY_U32);
    qs_undecoded(d);
}

/* --- Rows with a mask */

static void parts(struct qs_decoder *d)
{
    assert_int_equal(qs_u8(d, TOY_FLAGS), 0x8b);
    qs_u32(d, TOY_WORD);
    qs_u8(d, TOY_FLAGS);
}

/* Parts come with the number that they are parts of, at its place, shifted down. */
TEST(test_parts)
{
    expect_log(parts, VIEW("\x8b\x05\0\0\x80\0"),
               "toy.flags 0+1 = 139\ntoy.flags.low 0+1 = 1\ntoy.flags.mid 0+1 = 5\n"
               "toy.flags.high 0+1 = 1\n"
               "toy.word 1+4 = 2147483653\ntoy.word.bit 1+4 = 1\ntoy.word.rest 1+4 = 5\n"
               "toy.flags 5+1 = 0\ntoy.flags.low 5+1 = 0\ntoy.flags.mid 5+1 = 0\n"
               "toy.flags.high 5+1 = 0\n");
}

/* A part on its own brings nothing along; a derived number brings derived parts. */
DECODES(test_one_part, VIEW("0123"),
        "toy.flags.low 3+1 = 1\n"
        "toy.word 0+4 := 2147483649\ntoy.word.bit 0+4 := 1\ntoy.word.rest 0+4 := 1\n")
{
    qs_emit_uint(d, TOY_FLAGS_LOW, 3, 1, 1);
    qs_emit_generated_uint(d, TOY_WORD, 0, 4, 0x80000001);
}

/* --- Saying things directly */

static void derived(struct qs_decoder *d)
{
    qs_emit_int(d, TOY_I32, 1, 2, -5);
    qs_emit_double(d, TOY_COORD, 1, 2, 0.5);
    qs_emit_bytes(d, TOY_TEXT, 1, 2, VIEW("x"));
    qs_emit_generated_int(d, TOY_I32, 3, 4, -6);
    qs_emit_generated_double(d, TOY_COORD, 3, 4, 1.5);
    qs_emit_generated_text(d, TOY_TEXT, 3, 4, "y");
    qs_emit_generated_text(d, TOY_TEXT, 3, 4, NULL);
    qs_emit_generated_uint(d, TOY_FRAME, 0, 0, 17);
}

TEST(test_derived)
{
    expect_log(derived, VIEW("0123456"),
               "toy.i32 1+2 = -5\ntoy.coord 1+2 = 0.5\ntoy.text 1+2 = 78\n"
               "toy.i32 3+4 := -6\ntoy.coord 3+4 := 1.5\ntoy.text 3+4 := 79\n"
               "toy.frame 0+0 := 17\n");
}

static void groups(struct qs_decoder *d)
{
    qs_open(d, TOY_GROUP);
    qs_u8(d, TOY_U8);
    qs_open(d, TOY_PAIR);
    qs_label(d, ": %s %d", "inner", 1);
    qs_label_text(d, " \"", VIEW("a\n\xe2\x10"), "\"");
    qs_u8(d, TOY_U8);
    qs_close(d);
    qs_close(d);
    qs_open_at(d, TOY_GROUP, 17);
    qs_close_at(d, 19);
}

TEST(test_groups)
{
    expect_log(groups, VIEW("\1\2"),
               "open toy.group @0\ntoy.u8 0+1 = 1\n"
               "open toy.pair @1\nlabel \": inner 1\"\nlabel \" \"a b[\"\"\ntoy.u8 1+1 = 2\n"
               "close @2\nclose @2\nopen toy.group @17\nclose @19\n");
}

DECODES(test_long_label, VIEW(""),
        "open toy.group @0\nlabel \"0123456789012345678901234567890123456789"
        "01234567890123456789…\"\nclose @0\n")
{
    qs_open(d, TOY_GROUP);
    qs_label_text(d, "",
                  VIEW("0123456789012345678901234567890123456789"
                       "01234567890123456789x"),
                  "");
    qs_close(d);
}

static void notes(struct qs_decoder *d)
{
    qs_note(d, QS_NOTE_UNUSUAL, 1, 2, "%s is %d", "this", 5);
    qs_note(d, QS_NOTE_UNUSUAL, 0, 0, "plain");
    qs_note(d, QS_NOTE_SEQUENCE_GAP, 0, 4, "gap");
    assert_int_equal(d->found.notes[QS_NOTE_UNUSUAL], 2);
    assert_int_equal(d->found.notes[QS_NOTE_SEQUENCE_GAP], 1);
    assert_int_equal(qs_decoder_problems(d), 0);
    qs_note(d, QS_NOTE_CHECKSUM_BAD, 0, 1, "bad");
    assert_int_equal(qs_decoder_problems(d), 1);
}

TEST(test_notes)
{
    expect_log(notes, VIEW(""),
               "note unusual 1+2 \"this is 5\"\nnote unusual 0+0 \"plain\"\n"
               "note sequence.gap 0+4 \"gap\"\nnote move.checksum.bad 0+1 \"bad\"\n");
}

/* --- Sinks with few ears, options */

static void everything(struct qs_decoder *d)
{
    static const uint8_t inner[1] = {5};

    groups(d);
    qs_push_source(d, "inner", inner, 1);
    qs_u8(d, TOY_FLAGS);
    qs_pop_source(d);
    qs_note(d, QS_NOTE_UNUSUAL, 0, 0, "note");
}

static void decode_into(struct qs_sink *sink)
{
    const struct qs_packet packet = toy_packet(VIEW("\1\2"));
    struct toy_session session;
    struct qs_decoder d;

    toy_decode = everything;
    toy_protocol.session_init(&session.base);
    qs_decoder_init(&d, &toy_protocol);
    qs_decode(&d, &session.base, sink, &packet);
    assert_int_equal(d.found.notes[QS_NOTE_UNUSUAL], 1);
    if (sink)
        assert_ptr_equal(sink->protocol, &toy_protocol);
    qs_decoder_clear(&d);
}

/* Any function of a sink may be missing. */
TEST(test_missing_ears)
{
    struct qs_sink deaf = {0};
    struct log_sink full, only_fields;

    decode_into(&deaf);
    log_sink_init(&full);
    log_sink_init(&only_fields);
    only_fields.base = (struct qs_sink){.field = full.base.field};
    decode_into(&only_fields.base);
    assert_string_equal(only_fields.log->str,
                        "toy.u8 0+1 = 1\ntoy.u8 1+1 = 2\ntoy.flags 0+1 = 5\n"
                        "toy.flags.low 0+1 = 1\ntoy.flags.mid 0+1 = 2\ntoy.flags.high 0+1 = 0\n");
    log_sink_clear(&full);
    log_sink_clear(&only_fields);
}

TEST(test_options)
{
    const uint32_t chosen[TOY_OPTION_COUNT] = {[TOY_OPTION_SPEED] = 9};
    struct qs_decoder d;

    qs_decoder_init(&d, &toy_protocol);
    assert_int_equal(qs_option(&d, TOY_OPTION_SPEED), 1);
    d.options = chosen;
    assert_int_equal(qs_option(&d, TOY_OPTION_SPEED), 9);
    qs_decoder_clear(&d);
}
