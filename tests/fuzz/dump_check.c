/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "common/dump/dump.h"
#include "tests/support/count_sink.h"

/* --- Decoding --- */

static void decode_in_copy(struct qs_decoder *decoder, const struct qs_session *session,
                           struct qs_sink *sink, const struct qs_packet *packet)
{
    const struct qs_protocol *protocol = decoder->protocol;
    struct qs_session *copy = g_malloc(protocol->session_size);

    protocol->session_copy(copy, session);
    qs_decode(decoder, copy, sink, packet);
    protocol->session_clear(copy);
    g_free(copy);
}

static char *dump(const struct qs_dump_format *format, struct qs_decoder *decoder,
                  const struct qs_session *session, const struct qs_packet *packet)
{
    struct qs_dump *dump = format->create();
    const GString *text;
    char *kept;

    decode_in_copy(decoder, session, &dump->sink, packet);
    text = dump->packet(dump, &(struct qs_dump_packet){.packet = packet, .decoder = decoder});
    if (strlen(text->str) != text->len)
        fuzz_broken("a NUL", text->str);
    kept = g_strdup(text->str);
    dump->free(dump);
    return kept;
}

static uint64_t count(struct qs_decoder *decoder, const struct qs_session *session,
                      const struct qs_packet *packet)
{
    struct count_sink counts;
    uint64_t total;

    count_sink_init(&counts);
    decode_in_copy(decoder, session, &counts.base, packet);
    total = counts.groups + counts.fields;
    for (unsigned i = 0; i < QS_NOTE_KINDS; i++)
        total += counts.notes[i];
    return total;
}

/* --- Comparing --- */

static uint64_t occurrences(const char *text, const char *part)
{
    const char *end = text + strlen(text);
    uint64_t count = 0;

    /* Not strstr(): AddressSanitizer measures the rest of the text at each call. */
    for (; (text = g_strstr_len(text, end - text, part)); text++)
        count++;
    return count;
}

void dump_check(struct qs_decoder *decoder, const struct qs_session *session,
                const struct qs_packet *packet)
{
    g_autofree char *text = dump(&qs_dump_text, decoder, session, packet);
    g_autofree char *json = dump(&qs_dump_json, decoder, session, packet);
    const uint64_t wanted = count(decoder, session, packet);

    fuzz_check_printed(text, strlen(text));
    fuzz_check_printed(json, strlen(json));
    /* The text has a line for each, and some for the packet. Quotes within texts of JSON have a
     * backslash. */
    if (occurrences(json, "{\"name\":\"") != wanted || occurrences(text, "\n") < wanted)
        fuzz_broken("dumps lack what a sink receives", text);
}
