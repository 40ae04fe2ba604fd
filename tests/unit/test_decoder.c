/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Every reader of decoder.h: what it returns, what the sink receives, and that both work alone. */
#include <math.h>

#include "tests/unit/toy.h"

/* --- Whole numbers */

/* --- Fractions */

/* --- Coordinates and angles in every format */

static void vectors(struct qs_decoder *d)
{
    qs_coord3(d, TOY_ORIGIN);
    qs_angle3(d, TOY_ANGLES);
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
