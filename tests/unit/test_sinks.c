/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The exact output of the dumps as text and JSON. */
#include "common/dump/dump.h"

#include <stdlib.h>

#include "tests/unit/toy.h"

/* --- Dumps of a script --- */

static struct qs_packet dump_packet(struct qs_view data)
{
    struct qs_packet packet = toy_packet(data);

    packet.number = 17;
    packet.time = INT64_C(1700000000) * 1000000000 + 5000;
    packet.source = (struct qs_address){4, {127, 0, 0, 1}, 27500};
    packet.destination = (struct qs_address){6, {[15] = 1}, 27001};
    return packet;
}

/* Returns the lines of one packet. The caller calls free(). */
static char *dump(bool json, toy_script *script, struct qs_view data, unsigned session)
{
    const struct qs_packet packet = dump_packet(data);
    struct toy_session knowledge;
    struct qs_decoder d;
    char *output = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&output, &size);
    struct qs_dump *text = qs_dump_text.create();
    struct qs_dump *lines = qs_dump_json.create();
    const struct qs_dump_packet about = {&packet, &d, session};

    toy_decode = script;
    toy_protocol.session_init(&knowledge.base);
    qs_decoder_init(&d, &toy_protocol);
    d.want_summary = json;
    qs_decode(&d, &knowledge.base, json ? &lines->sink : &text->sink, &packet);
    if (json)
        qs_dump_print(lines, &about, out);
    else
        qs_dump_print(text, &about, out);
    text->free(text);
    lines->free(lines);
    qs_decoder_clear(&d);
    fclose(out);
    return output;
}

/* Compares the lines behind those of the packet itself. */
static void expect_text(toy_script *script, struct qs_view data, const char *expected)
{
    char *output = dump(false, script, data, 0);
    const char *fields = strstr(output, "packet.direction = ");

    assert_non_null(fields);
    assert_string_equal(strchr(fields, '\n') + 1, expected);
    free(output);
}

/* Compares the content of "fields". */
static void expect_json(toy_script *script, struct qs_view data, const char *expected)
{
    char *output = dump(true, script, data, 0);
    char *fields = strstr(output, "\"fields\":");
    g_autoptr(GString) whole = g_string_new(NULL);

    assert_non_null(fields);
    g_string_printf(whole, "\"fields\":[%s]}\n", expected);
    assert_string_equal(fields, whole->str);
    free(output);
}

/* Compares fields, which are given as "NAME OFFSET LENGTH REST". */
static void expect_json_fields(toy_script *script, struct qs_view data, const char *const *expected)
{
    g_autoptr(GString) whole = g_string_new(NULL);

    for (; *expected; expected++) {
        g_auto(GStrv) words = g_strsplit(*expected, " ", 4);

        g_string_append_printf(whole, "%s{\"name\":\"toy.%s\",\"offset\":%s,\"length\":%s,%s}",
                               whole->len ? "," : "", words[0], words[1], words[2], words[3]);
    }
    expect_json(script, data, whole->str);
}

#define JSON_FIELDS(script, data, ...)                                                             \
    expect_json_fields(script, data, (const char *const[]){__VA_ARGS__, NULL})

/* --- Packet --- */

static void nothing(struct qs_decoder *d)
{
    qs_summary(d, "a \"summary\"");
}

TEST(a_packet_begins_with_its_time_addresses_and_direction)
{
    char *without = dump(false, nothing, VIEW("abc"), 0);
    char *with = dump(false, nothing, VIEW("abc"), 4);
    char *json = dump(true, nothing, VIEW("abc"), 4);

    assert_string_equal(without, "17 0+3 packet.time = 1700000000.000005000\n"
                                 "17 0+3 packet.source = 127.0.0.1:27500\n"
                                 "17 0+3 packet.destination = [::1]:27001\n"
                                 "17 0+3 packet.protocol = toy\n"
                                 "17 0+3 packet.direction = ?\n");
    assert_non_null(strstr(with, "packet.direction = ?\n17 0+3 packet.session = 4\n"));
    assert_string_equal(json, "{\"schema\":1,\"packet\":17,\"time\":1700000000.000005,"
                              "\"source\":\"127.0.0.1:27500\",\"destination\":\"[::1]:27001\","
                              "\"protocol\":\"toy\",\"direction\":\"?\",\"session\":4,\"size\":3,"
                              "\"summary\":\"? a \\\"summary\\\"\",\"fields\":[]}\n");
    free(without);
    free(with);
    free(json);
}

/* --- Values of every type --- */

static void numbers(struct qs_decoder *d)
{
    qs_u8(d, TOY_U8);
    qs_emit_uint(d, TOY_BOOL, 0, 1, 1);
    qs_emit_uint(d, TOY_BOOL, 0, 1, 0);
    qs_emit_uint(d, TOY_U16, 0, 2, 5);
    qs_emit_uint(d, TOY_U32, 0, 4, UINT32_MAX);
    qs_emit_uint(d, TOY_U64, 0, 8, UINT64_MAX);
    qs_emit_uint(d, TOY_X8, 0, 1, 0xa5);
    qs_emit_uint(d, TOY_X16, 0, 2, 1);
    qs_emit_uint(d, TOY_X64, 0, 8, UINT64_MAX);
    qs_emit_int(d, TOY_I8, 0, 1, -1);
    qs_emit_int(d, TOY_I16, 0, 2, -2);
    qs_emit_int(d, TOY_I32, 0, 4, INT32_MIN);
    qs_emit_generated_uint(d, TOY_FRAME, 0, 0, 12);
}

/* Numbers that 64 signed bits do not hold are texts in JSON, as many readers require. */
TEST(numbers_have_their_names)
{
    expect_text(numbers, VIEW("\7 234567"),
                "17 0+1 toy.u8 = 7\n17 0+1 toy.bool = true\n17 0+1 toy.bool = false\n"
                "17 0+2 toy.u16 = 5 (rocket launcher)\n17 0+4 toy.u32 = 4294967295\n"
                "17 0+8 toy.u64 = 18446744073709551615\n17 0+1 toy.x8 = 0xa5\n"
                "17 0+2 toy.x16 = 0x1 (axe)\n17 0+8 toy.x64 = 0xffffffffffffffff\n"
                "17 0+1 toy.i8 = -1\n17 0+2 toy.i16 = -2 (minus two)\n"
                "17 0+4 toy.i32 = -2147483648\n17 0+0 toy.frame := 12\n");
    JSON_FIELDS(numbers, VIEW("\7 234567"), "u8 0 1 \"value\":7", "bool 0 1 \"value\":true",
                "bool 0 1 \"value\":false", "u16 0 2 \"value\":5,\"text\":\"rocket launcher\"",
                "u32 0 4 \"value\":4294967295", "u64 0 8 \"value\":\"18446744073709551615\"",
                "x8 0 1 \"value\":165", "x16 0 2 \"value\":1,\"text\":\"axe\"",
                "x64 0 8 \"value\":\"0xffffffffffffffff\"", "i8 0 1 \"value\":-1",
                "i16 0 2 \"value\":-2,\"text\":\"minus two\"", "i32 0 4 \"value\":-2147483648",
                "frame 0 0 \"value\":12,\"generated\":true");
}

static void fractions(struct qs_decoder *d)
{
    qs_emit_double(d, TOY_FLOAT, 0, 4, (double)0.1F);
    qs_emit_double(d, TOY_DOUBLE, 0, 8, 1.5);
    qs_emit_double(d, TOY_COORD, 0, 2, -512.125);
    qs_emit_generated_double(d, TOY_ANGLE, 0, 1, 90);
    qs_f32(d, TOY_FLOAT);
    qs_f32(d, TOY_FLOAT);
    qs_f32(d, TOY_FLOAT);
}

/* Infinity, minus infinity, and not a number, none of which JSON has. */
#define NOT_FINITE VIEW("\0\0\x80\x7f\0\0\x80\xff\0\0\xc0\x7f")

TEST(fractions_that_are_not_finite_are_texts_in_json)
{
    expect_text(fractions, NOT_FINITE,
                "17 0+4 toy.float = 0.100000001\n17 0+8 toy.double = 1.5\n"
                "17 0+2 toy.coord = -512.125\n17 0+1 toy.angle := 90\n"
                "17 0+4 toy.float = inf\n17 4+4 toy.float = -inf\n17 8+4 toy.float = nan\n");
    JSON_FIELDS(fractions, NOT_FINITE, "float 0 4 \"value\":0.10000000149011612",
                "double 0 8 \"value\":1.5", "coord 0 2 \"value\":-512.125",
                "angle 0 1 \"value\":90.0,\"generated\":true", "float 0 4 \"value\":\"inf\"",
                "float 4 4 \"value\":\"-inf\"", "float 8 4 \"value\":\"nan\"");
}

static void octets(struct qs_decoder *d)
{
    qs_emit_bytes(d, TOY_BYTES, 1, 3, VIEW("\0\xff\x10"));
    qs_emit_bytes(d, TOY_BYTES, 1, 0, VIEW(""));
    qs_emit_bytes(d, TOY_IPV4, 2, 4, VIEW("\xc0\xa8\0\1"));
    qs_emit_bytes(d, TOY_IPV6, 2, 16, VIEW("\x20\1\xd\xb8\0\0\0\0\0\0\0\0\0\0\0\1"));
}

TEST(bytes_are_hexadecimal_and_addresses_readable)
{
    expect_text(octets, VIEW("012345678901234567"),
                "17 1+3 toy.bytes = 00ff10\n17 1+0 toy.bytes = \n17 2+4 toy.ipv4 = 192.168.0.1\n"
                "17 2+16 toy.ipv6 = 2001:db8::1\n");
    JSON_FIELDS(octets, VIEW("012345678901234567"), "bytes 1 3 \"value\":\"00ff10\"",
                "bytes 1 0 \"value\":\"\"", "ipv4 2 4 \"value\":\"192.168.0.1\"",
                "ipv6 2 16 \"value\":\"2001:db8::1\"");
}

/* --- Dates --- */

static void dates(struct qs_decoder *d)
{
    qs_emit_uint(d, TOY_TIME, 0, 8, 0);
    qs_emit_uint(d, TOY_TIME, 0, 8, UINT64_C(1795190083513));
    qs_emit_uint(d, TOY_TIME, 0, 8, UINT64_C(253402300799999));
    qs_emit_uint(d, TOY_TIME, 0, 8, UINT64_C(253402300800000));
    qs_emit_uint(d, TOY_TIME, 0, 8, UINT64_MAX);
}

TEST(dates_with_a_year_of_five_digits_are_milliseconds)
{
    expect_text(dates, VIEW("01234567"),
                "17 0+8 toy.time = 1970-01-01T00:00:00.000Z\n"
                "17 0+8 toy.time = 2026-11-20T15:54:43.513Z\n"
                "17 0+8 toy.time = 9999-12-31T23:59:59.999Z\n"
                "17 0+8 toy.time = 253402300800000\n"
                "17 0+8 toy.time = 18446744073709551615\n");
    JSON_FIELDS(dates, VIEW("01234567"), "time 0 8 \"value\":\"1970-01-01T00:00:00.000Z\"",
                "time 0 8 \"value\":\"2026-11-20T15:54:43.513Z\"",
                "time 0 8 \"value\":\"9999-12-31T23:59:59.999Z\"",
                "time 0 8 \"value\":\"253402300800000\"",
                "time 0 8 \"value\":\"18446744073709551615\"");
}

/* --- Texts --- */

static void texts(struct qs_decoder *d)
{
    qs_emit_bytes(d, TOY_TEXT, 0, 5, VIEW("plain"));
    qs_emit_bytes(d, TOY_TEXT, 0, 9, VIEW("\"q\" \\ \n\t\r"));
    qs_emit_bytes(d, TOY_TEXT, 0, 3, VIEW("\xe1\x10\0"));
    qs_emit_bytes(d, TOY_TEXT, 0, 1, VIEW(""));
    qs_emit_generated_text(d, TOY_TEXT, 0, 1, "derived");
}

TEST(texts_are_escaped_and_have_raw_bytes_if_they_are_not_plain)
{
    expect_text(texts, VIEW("012345678"),
                "17 0+5 toy.text = \"plain\"\n"
                "17 0+9 toy.text = \"\\\"q\\\" \\\\ \\n\\t\\r\"\n"
                "17 0+3 toy.text = \"a[•\" [e11000]\n"
                "17 0+1 toy.text = \"\"\n17 0+1 toy.text := \"derived\"\n");
    JSON_FIELDS(texts, VIEW("012345678"), "text 0 5 \"value\":\"plain\"",
                "text 0 9 \"value\":\"\\\"q\\\" \\\\ \\n\\t\\r\"",
                "text 0 3 \"value\":\"a[•\",\"raw\":\"e11000\"", "text 0 1 \"value\":\"\"",
                "text 0 1 \"value\":\"derived\",\"generated\":true");
}

/* --- Structure --- */

static void structure(struct qs_decoder *d)
{
    static const uint8_t inner[] = {5, 6};

    qs_open(d, TOY_GROUP);
    qs_label(d, ": not in a dump");
    qs_u8(d, TOY_U8);
    qs_push_source(d, "first", inner, 2);
    qs_u8(d, TOY_U8);
    qs_push_source(d, "second", inner, 1);
    qs_u8(d, TOY_U8);
    qs_pop_source(d);
    qs_open(d, TOY_PAIR);
    qs_u8(d, TOY_U8);
    qs_close(d);
    qs_pop_source(d);
    qs_close(d);
    qs_note(d, QS_NOTE_MALFORMED, 1, 0, "say \"%s\"\n\x1b", "no");
}

TEST(groups_sources_and_notes_are_printed)
{
    expect_text(structure, VIEW("\7"),
                "17 0+1 toy.group\n17 0+1 toy.u8 = 7\n17 1:0+1 toy.u8 = 5\n"
                "17 2:0+1 toy.u8 = 5\n17 1:1+1 toy.pair\n17 1:1+1 toy.u8 = 6\n"
                "17 1+0 toy.malformed = \"say \\\"no\\\"\\n\\u001B\"\n");
    expect_json(structure, VIEW("\7"),
                "{\"name\":\"toy.group\",\"offset\":0,\"length\":1,\"fields\":["
                "{\"name\":\"toy.u8\",\"offset\":0,\"length\":1,\"value\":7},"
                "{\"name\":\"toy.u8\",\"source\":1,\"offset\":0,\"length\":1,\"value\":5},"
                "{\"name\":\"toy.u8\",\"source\":2,\"offset\":0,\"length\":1,\"value\":5},"
                "{\"name\":\"toy.pair\",\"source\":1,\"offset\":1,\"length\":1,\"fields\":["
                "{\"name\":\"toy.u8\",\"source\":1,\"offset\":1,\"length\":1,\"value\":6}]}]},"
                "{\"name\":\"toy.malformed\",\"offset\":1,\"length\":0,\"note\":\"say "
                "\\\"no\\\"\\n\\u001B\","
                "\"severity\":\"error\"}");
}
