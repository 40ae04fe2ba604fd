/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Decodes what generate.py made and compares every field, offset, value, note and undecoded byte
 * with what it says; then every datagram cut at every length, where the whole messages before the
 * cut must come out the same and the cut one must be reported.
 */
#include <jansson.h>
#include <math.h>
#include <stdio.h>

#include "tests/acknex/listener.h"

struct run {
    struct qs_decoder decoder;
    struct listener *listener;
    uint32_t options[ACKNEX_OPTION_COUNT];
    unsigned packet; /* number in the file */
    unsigned fields, cuts, failures;
};

G_GNUC_PRINTF(2, 3) static void fail(struct run *run, const char *format, ...)
{
    va_list arguments;

    run->failures++;
    va_start(arguments, format);
    fprintf(stderr, "packet %u: ", run->packet);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
}

static uint32_t number_of(const json_t *object, const char *key)
{
    return (uint32_t)json_integer_value(json_object_get(object, key));
}

static const char *string_of(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

/* --- Comparing
 * -----------------------------------------------------------------------------------------------
 */

static double heard_number(const struct heard *heard)
{
    switch (heard->field->type) {
    case QS_I8:
    case QS_I16:
    case QS_I32:
        return (double)heard->value.i;
    case QS_FLOAT:
    case QS_DOUBLE:
    case QS_COORD:
    case QS_ANGLE:
        return heard->value.f;
    default:
        return (double)heard->value.u;
    }
}

static bool same_value(const struct heard *heard, const json_t *expected)
{
    if (json_is_string(expected))
        return heard->text && g_str_equal(heard->text, json_string_value(expected));
    if (json_is_boolean(expected))
        return heard->field->type == QS_BOOL && heard->value.u == json_is_true(expected);
    return !heard->text && fabs(heard_number(heard) - json_number_value(expected)) <=
                               1e-12 * fabs(json_number_value(expected));
}

/* 1 where a group opens, -1 where one closes. */
static int step_of(const struct heard *heard)
{
    return (heard->kind == HEARD_OPEN) - (heard->kind == HEARD_CLOSE);
}

static const struct heard *heard_at(const struct run *run, guint index)
{
    return &g_array_index(run->listener->heard, struct heard, index);
}

static void compare_field(struct run *run, const struct heard *heard, const json_t *expected)
{
    const char *name = expected ? string_of(expected, "name") : NULL;

    run->fields++;
    if (!expected)
        fail(run, "%s at %u+%u, where nothing is", heard->field->name, heard->offset,
             heard->length);
    else if (!g_str_equal(heard->field->name, name))
        fail(run, "%s where %s is", heard->field->name, name);
    else if (heard->offset != number_of(expected, "offset") ||
             heard->length != number_of(expected, "length"))
        fail(run, "%s is at %u+%u", name, heard->offset, heard->length);
    else if (!same_value(heard, json_object_get(expected, "value")))
        fail(run, "%s has another value", name);
}

/* The message whose group opens at `*index`, which moves behind it. */
static void compare_message(struct run *run, guint *index, const json_t *message)
{
    const json_t *fields = json_object_get(message, "fields");
    const char *name = string_of(message, "name");
    const struct heard *heard = heard_at(run, *index);
    size_t count = 0;
    int depth = 0;

    if (heard->kind != HEARD_OPEN || !g_str_equal(heard->field->name, name) ||
        heard->offset != number_of(message, "offset"))
        fail(run, "no %s at %u", name, number_of(message, "offset"));
    do {
        heard = heard_at(run, (*index)++);
        depth += step_of(heard);
        if (heard->kind == HEARD_FIELD && !heard->generated)
            compare_field(run, heard, json_array_get(fields, count++));
    } while (depth > 0 && *index < run->listener->heard->len);
    if (count != json_array_size(fields))
        fail(run, "%s has %zu fields", name, count);
    if (heard->offset != number_of(message, "offset") + number_of(message, "length"))
        fail(run, "%s ends at %u", name, heard->offset);
}

static void compare_messages(struct run *run, const json_t *messages, uint32_t size)
{
    const json_t *message;
    guint index = 0;
    size_t i;

    json_array_foreach(messages, i, message)
    {
        if (number_of(message, "offset") + number_of(message, "length") > size)
            break;
        if (index == run->listener->heard->len)
            fail(run, "no %s", string_of(message, "name"));
        else
            compare_message(run, &index, message);
    }
}

static unsigned notes_of(const struct run *run)
{
    unsigned notes = 0;

    for (unsigned kind = 0; kind < QS_NOTE_KINDS; kind++)
        notes += run->decoder.notes[kind];
    return notes;
}

static void compare_problems(struct run *run, const json_t *packet)
{
    const json_t *notes = json_object_get(packet, "notes");
    const json_t *note;
    size_t i;

    if (run->decoder.undecoded != number_of(packet, "undecoded"))
        fail(run, "%u bytes undecoded", run->decoder.undecoded);
    if (notes_of(run) != json_array_size(notes))
        fail(run, "%u notes", notes_of(run));
    json_array_foreach(notes, i, note)
    {
        const char *name = json_string_value(note);
        unsigned kind = 0;

        while (kind < QS_NOTE_KINDS &&
               !g_str_equal(qs_note_kinds[kind].suffix, name + strlen("acknex.")))
            kind++;
        if (kind == QS_NOTE_KINDS || !run->decoder.notes[kind])
            fail(run, "no note %s", name);
    }
}

/* --- Cutting
 * -------------------------------------------------------------------------------------------------
 */

/* Whether a datagram of messages may end at `size`. */
static bool is_boundary(const json_t *messages, uint32_t size)
{
    const json_t *message;
    size_t i;

    json_array_foreach(messages, i,
                       message) if (number_of(message, "offset") + number_of(message, "length") ==
                                    size) return true;
    return size == 0;
}

/* Groups are balanced, and nothing stands beyond the bytes that there are. */
static void check_inside(struct run *run, uint32_t size)
{
    int depth = 0;

    for (guint i = 0; i < run->listener->heard->len; i++) {
        const struct heard *heard = heard_at(run, i);

        depth += step_of(heard);
        if (depth < 0 || heard->offset > size || heard->length > size - heard->offset)
            fail(run, "cut at %u: something stands at %u+%u", size, heard->offset, heard->length);
    }
    if (depth != 0)
        fail(run, "cut at %u: groups stay open", size);
}

/* `whole`: the datagram has no problem when it is whole. */
static void check_cut(struct run *run, const json_t *messages, uint32_t size, bool whole)
{
    const unsigned malformed = is_boundary(messages, size) ? 0 : 1;

    run->cuts++;
    check_inside(run, size);
    if (!whole)
        return;
    compare_messages(run, messages, size);
    if (notes_of(run) != malformed || run->decoder.notes[QS_NOTE_MALFORMED] != malformed)
        fail(run, "cut at %u: %u notes", size, notes_of(run));
}

/* --- Files
 * ---------------------------------------------------------------------------------------------------
 */

static GByteArray *bytes_of(const char *hex)
{
    GByteArray *bytes = g_byte_array_new();

    for (; hex[0] && hex[1]; hex += 2) {
        const guint8 byte =
            (guint8)(g_ascii_xdigit_value(hex[0]) << 4 | g_ascii_xdigit_value(hex[1]));

        g_byte_array_append(bytes, &byte, 1);
    }
    return bytes;
}

static void decode(struct run *run, const json_t *packet, const uint8_t *data, uint32_t size)
{
    const bool from_server = g_str_equal(string_of(packet, "direction"), "s2c");
    struct acknex_session session;

    acknex_protocol.session_init(&session.base);
    listener_decode(run->listener, &run->decoder, &session, from_server ? QS_S2C : QS_C2S, data,
                    size);
    acknex_protocol.session_clear(&session.base);
}

static void check_packet(struct run *run, const json_t *packet)
{
    const json_t *messages = json_object_get(packet, "messages");
    const bool whole = json_array_size(json_object_get(packet, "notes")) == 0;
    GByteArray *bytes = bytes_of(string_of(packet, "payload"));

    decode(run, packet, bytes->data, bytes->len);
    compare_messages(run, messages, bytes->len);
    compare_problems(run, packet);
    for (guint size = 0; size < bytes->len; size++) {
        decode(run, packet, bytes->data, size);
        check_cut(run, messages, size, whole);
    }
    g_byte_array_free(bytes, TRUE);
}

static void check_file(struct run *run, const json_t *file)
{
    const json_t *options = json_object_get(file, "options");
    const json_t *packet;
    size_t i;

    for (i = 0; i < ACKNEX_OPTION_COUNT; i++)
        run->options[i] = (uint32_t)json_integer_value(json_array_get(options, i));
    json_array_foreach(json_object_get(file, "packets"), i, packet)
    {
        run->packet = (unsigned)i + 1;
        check_packet(run, packet);
    }
}

int main(int argc, char **argv)
{
    struct run run = {.listener = listener_new()};
    json_error_t error;
    json_t *file = argc == 2 ? json_load_file(argv[1], 0, &error) : NULL;

    if (!file) {
        fprintf(stderr, "usage: %s EXPECTATIONS.json (%s)\n", argv[0],
                argc == 2 ? error.text : "one file");
        return 2;
    }
    qs_decoder_init(&run.decoder, &acknex_protocol);
    run.decoder.options = run.options;
    run.decoder.want_summary = true;
    check_file(&run, file);
    printf("%u packets, %u fields, %u cuts, %u failures\n", run.packet, run.fields, run.cuts,
           run.failures);
    qs_decoder_clear(&run.decoder);
    listener_free(run.listener);
    json_decref(file);
    return run.failures || !run.fields ? 1 : 0;
}
