/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "common/dump/dump.h"
#include "tests/support/count_sink.h"

enum { NAME_BYTES = 128 };

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

/* A group, field or note, as one of the dumps has it. */
struct entry {
    char name[NAME_BYTES];
    unsigned source, offset;
    int length;
};

/* The beginning of a text: sscanf() would measure all that follows. */
static void copy_start(char *copy, gsize size, const char *text)
{
    const gsize length = strnlen(text, size - 1);

    memcpy(copy, text, length);
    copy[length] = 0;
}

static bool read_line(const char *text, struct entry *entry)
{
    char line[NAME_BYTES + 40];

    copy_start(line, sizeof line, text);
    memset(entry, 0, sizeof *entry);
    if (sscanf(line, "%*u %u:%u+%d %127s", &entry->source, &entry->offset, &entry->length,
               entry->name) == 4)
        return true;
    entry->source = 0;
    return sscanf(line, "%*u %u+%d %127s", &entry->offset, &entry->length, entry->name) == 3;
}

/* "17 1:42+2 qw.playerinfo.origin.x = -512.125"; lines about the packet itself are passed over. */
static bool next_of_text(const char **at, struct entry *entry)
{
    while (**at) {
        const char *line = *at;

        *at = strchr(line, '\n') + 1;
        if (!read_line(line, entry))
            fuzz_broken("no line", line);
        if (!g_str_has_prefix(entry->name, "packet."))
            return true;
    }
    return false;
}

/* The next place where `start` is; NULL: there is none. strstr() would measure all that follows. */
static const char *find(const char *at, const char *start)
{
    while (at && strncmp(at, start, strlen(start)) != 0)
        at = *at ? strchr(at + 1, *start) : NULL;
    return at;
}

/* {"name":"qw.playerinfo.origin.x","source":1,"offset":42,"length":2, */
static bool next_of_json(const char **at, struct entry *entry)
{
    static const char start[] = "{\"name\":\"";
    const char *found = find(*at, start), *from;
    char place[80];

    if (!found)
        return false;
    memset(entry, 0, sizeof *entry);
    from = found + sizeof start - 1;
    *at = strchr(from, '"');
    copy_start(entry->name, MIN(NAME_BYTES, (gsize)(*at - from) + 1), from);
    copy_start(place, sizeof place, *at);
    if (sscanf(place, "\",\"source\":%u,\"offset\":%u,\"length\":%d", &entry->source,
               &entry->offset, &entry->length) == 3)
        return true;
    entry->source = 0;
    if (sscanf(place, "\",\"offset\":%u,\"length\":%d", &entry->offset, &entry->length) != 2)
        fuzz_broken("an object without a place", found);
    return true;
}

static void check_plain(const char *text)
{
    for (; *text; text++) {
        const uint8_t c = (uint8_t)text[0], next = (uint8_t)text[1];

        if ((c < ' ' && c != '\n') || c == 0x7f || (c == 0xc2 && next >= 0x80 && next < 0xa0))
            fuzz_broken("a control character before", text);
    }
}

static void compare(const char *text, const char *json, uint64_t wanted)
{
    struct entry a, b;
    uint64_t entries = 0;

    while (next_of_text(&text, &a)) {
        if (!next_of_json(&json, &b))
            fuzz_broken("JSON lacks", a.name);
        if (strcmp(a.name, b.name) != 0 || a.source != b.source || a.offset != b.offset ||
            a.length != b.length)
            fuzz_broken(a.name, b.name);
        entries++;
    }
    if (next_of_json(&json, &b))
        fuzz_broken("text lacks", b.name);
    if (entries != wanted)
        fuzz_broken("dumps lack what a sink hears", a.name);
}

void dump_check(struct qs_decoder *decoder, const struct qs_session *session,
                const struct qs_packet *packet)
{
    g_autofree char *text = dump(&qs_dump_text, decoder, session, packet);
    g_autofree char *json = dump(&qs_dump_json, decoder, session, packet);

    check_plain(text);
    check_plain(json);
    compare(text, json, count(decoder, session, packet));
}
