/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The messages of made_messages.def have the fields that are named there, and nothing is wrong with
 * them. */
#include "tests/fuzz/made_seeds.h"
#include "tests/unit/unit.h"

#include <string.h>

#include "common/dump/dump.h"
#include "tests/fuzz/fuzz.h"

/* Keeps "name = value" for each field, and "! text" for each note, a line each. */
struct listener {
    struct qs_sink base;
    GString *heard;
};

static void hear_field(struct qs_sink *base, const struct qs_field *field,
                       const struct qs_value *value)
{
    GString *heard = ((struct listener *)base)->heard;

    g_string_append_printf(heard, "%s = ", field->name);
    qs_value_append(heard, field, value);
    g_string_append_c(heard, '\n');
}

static void hear_note(struct qs_sink *base, enum qs_note kind, uint32_t offset, uint32_t length,
                      const char *text)
{
    (void)kind, (void)offset, (void)length;
    g_string_append_printf(((struct listener *)base)->heard, "! %s\n", text);
}

/* --- Decoding --- */

static void decode(struct qs_decoder *decoder, struct qs_session *session,
                   struct listener *listener, const struct fuzz_piece *piece)
{
    enum { SERVER_PORT = 27500, CLIENT_PORT = 30000 };
    const bool from_server = piece->bits & FUZZ_PACKET_FROM_SERVER;
    struct qs_packet packet = fuzz_packet(piece, SERVER_PORT, CLIENT_PORT, 0);

    packet.from = from_server ? QS_END_B : QS_END_A;
    packet.source_is_server_port = from_server;
    packet.destination_is_server_port = !from_server;
    g_string_truncate(listener->heard, 0);
    qs_decode(decoder, session, &listener->base, &packet);
}

/* Problems of the last packet, but for a checksum, which depends on more than the message. */
static uint32_t decode_all(const GByteArray *seed, struct listener *listener)
{
    const struct qs_protocol *protocol = fuzz_protocol(seed->data[0]);
    struct qs_session *session = g_malloc(protocol->session_size);
    struct fuzz_piece piece;
    struct qs_decoder decoder;
    uint32_t problems;
    size_t at = 2;

    protocol->session_init(session);
    qs_decoder_init(&decoder, protocol);
    while (fuzz_next(seed->data, seed->len, &at, &piece)) {
        decode(&decoder, session, listener, &piece);
        g_free(piece.bytes);
    }
    problems = qs_decoder_problems(&decoder) - decoder.notes[QS_NOTE_CHECKSUM_BAD];
    qs_decoder_clear(&decoder);
    protocol->session_clear(session);
    g_free(session);
    return problems;
}

/* --- Comparing --- */

/* Each line is there, behind the one before. */
static void assert_has_fields(const char *heard, const char *fields)
{
    char **lines = g_strsplit(fields, "\n", -1);
    const char *at = heard;

    for (unsigned i = 0; *lines[i]; i++) {
        char *line = g_strdup_printf("\n%s\n", lines[i]);
        const char *found = strstr(at, line);

        if (!found)
            fail_msg("\"%s\" is not behind the field before in:%s", lines[i], heard);
        at = found + strlen(line) - 1;
        g_free(line);
    }
    g_strfreev(lines);
}

static void message_has_its_fields(void **state)
{
    const struct made_message *message = *state;
    GByteArray *seed = made_seed_of(message);
    struct listener listener = {{.field = hear_field, .note = hear_note}, g_string_new(NULL)};
    const uint32_t problems = decode_all(seed, &listener);

    g_string_prepend_c(listener.heard, '\n');
    if (problems)
        fail_msg("problems:%s", listener.heard->str);
    assert_has_fields(listener.heard->str, message->fields);
    g_string_free(listener.heard, TRUE);
    g_byte_array_free(seed, TRUE);
}

int main(void)
{
    struct CMUnitTest *tests = g_new0(struct CMUnitTest, made_message_count);
    int failed;

    for (unsigned i = 0; i < made_message_count; i++)
        tests[i] = (struct CMUnitTest){
            .name = g_strdup_printf("%s, message %u", made_messages[i].level, i),
            .test_func = message_has_its_fields,
            .initial_state = (void *)&made_messages[i]};
    failed = _cmocka_run_group_tests("made_messages", tests, made_message_count, NULL, NULL);
    for (unsigned i = 0; i < made_message_count; i++)
        g_free((char *)tests[i].name);
    g_free(tests);
    return failed;
}
