/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/regression/golden.h"

#include <string.h>

#include "common/protocols.h"
#include "common/dump/dump.h"

/* --- Fields left out ------------------------------------------------------------------------- */

static gint compare_names(gconstpointer a, gconstpointer b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Fields of one protocol, by name. */
static void ignore_varying(GPtrArray *ignored, const struct qs_protocol *protocol)
{
    GPtrArray *names = g_ptr_array_new();

    for (unsigned i = 0; i < protocol->field_count; i++)
        if (protocol->fields[i].varies)
            g_ptr_array_add(names, (gpointer)protocol->fields[i].name);
    g_ptr_array_sort(names, compare_names);
    for (guint i = 0; i < names->len; i++)
        g_ptr_array_add(ignored, g_strdup(g_ptr_array_index(names, i)));
    g_ptr_array_free(names, TRUE);
}

void golden_ignore_by_default(GPtrArray *ignored)
{
    for (int i = 0; i < QS_PACKET_LINES; i++)
        if (qs_packet_lines[i].varies)
            g_ptr_array_add(ignored, g_strdup(qs_packet_lines[i].name));
    for (int i = 0; qs_protocols[i]; i++)
        ignore_varying(ignored, qs_protocols[i]);
}

/* `name` is `ignored` or goes on behind it with a dot. */
static bool is_below(const char *ignored, const char *name, gsize length)
{
    gsize at = 0;

    while (at < length && ignored[at] == name[at])
        at++;
    return !ignored[at] && (at == length || name[at] == '.');
}

bool golden_is_ignored(const GPtrArray *ignored, const char *name, gsize length)
{
    for (guint i = 0; i < ignored->len; i++)
        if (is_below(g_ptr_array_index(ignored, i), name, length))
            return true;
    return false;
}

static bool protocol_knows(const struct qs_protocol *protocol, const char *name)
{
    bool known = false;

    for (unsigned i = 0; i < protocol->field_count && !known; i++)
        known = is_below(name, protocol->fields[i].name, strlen(protocol->fields[i].name));
    for (int i = 0; i < QS_NOTE_KINDS && !known; i++) {
        char *note = g_strdup_printf("%s.%s", protocol->name, qs_note_kinds[i].suffix);

        known = is_below(name, note, strlen(note));
        g_free(note);
    }
    return known;
}

bool golden_knows(const char *name)
{
    bool known = false;

    for (int i = 0; i < QS_PACKET_LINES && !known; i++)
        known = is_below(name, qs_packet_lines[i].name, strlen(qs_packet_lines[i].name));
    for (int i = 0; qs_protocols[i] && !known; i++)
        known = protocol_knows(qs_protocols[i], name);
    return known;
}

/* --- Packets --------------------------------------------------------------------------------- */

struct golden_packet *golden_packet_new(void)
{
    struct golden_packet *packet = g_new0(struct golden_packet, 1);

    packet->text = g_string_new(NULL);
    packet->lines = g_array_new(FALSE, FALSE, sizeof(struct golden_line));
    return packet;
}

void golden_packet_free(struct golden_packet *packet)
{
    g_string_free(packet->text, TRUE);
    g_array_free(packet->lines, TRUE);
    g_free(packet);
}

void golden_packet_clear(struct golden_packet *packet)
{
    packet->number = 0;
    g_string_truncate(packet->text, 0);
    g_array_set_size(packet->lines, 0);
}

/* A number of at most `max` that ends before `stop`; `*at` goes behind both. */
static bool take_number(const char **at, const char *end, char stop, uint64_t max, uint64_t *number)
{
    const char *start = *at;

    *number = 0;
    for (; *at < end && g_ascii_isdigit(**at); (*at)++) {
        const unsigned digit = (unsigned)(**at - '0');

        if (*number > (max - digit) / 10)
            return false;
        *number = *number * 10 + digit;
    }
    return *at > start && *at < end && *(*at)++ == stop;
}

/* "42+2 " or "1:42+2 " */
static bool take_position(const char **at, const char *end, struct golden_words *words)
{
    const char *start = *at;
    uint64_t source = 0, offset, length;

    if (!take_number(at, end, ':', UINT_MAX, &source)) {
        *at = start;
        source = 0;
    }
    if (!take_number(at, end, '+', UINT32_MAX, &offset) ||
        !take_number(at, end, ' ', UINT32_MAX, &length))
        return false;
    words->source = (unsigned)source;
    words->offset = (uint32_t)offset;
    words->length = (uint32_t)length;
    return true;
}

bool golden_is_name_character(char c)
{
    return g_ascii_islower(c) || g_ascii_isdigit(c) || c == '.' || c == '_';
}

bool golden_begins_with(const char *text, const char *end, const char *prefix)
{
    const size_t size = strlen(prefix);

    return (size_t)(end - text) >= size && memcmp(text, prefix, size) == 0;
}

bool golden_parse(const char *line, gsize length, struct golden_words *words)
{
    const char *at = line, *end = line + length;

    if (!take_number(&at, end, ' ', UINT64_MAX, &words->number) || !take_position(&at, end, words))
        return false;
    words->name = at;
    while (at < end && golden_is_name_character(*at))
        at++;
    words->name_length = (gsize)(at - words->name);
    if (!words->name_length)
        return false;
    return at == end || golden_begins_with(at, end, " = ") || golden_begins_with(at, end, " := ");
}

void golden_packet_add(struct golden_packet *packet, const char *line, gsize length,
                       const struct golden_words *words)
{
    struct golden_line position = {.source = words->source,
                                   .offset = words->offset,
                                   .length = words->length,
                                   .start = packet->text->len};

    packet->number = words->number;
    position.name_end = position.start + words->name_length;
    g_string_append_len(packet->text, words->name, line + length - words->name);
    g_string_append_c(packet->text, '\n');
    position.end = packet->text->len;
    g_array_append_val(packet->lines, position);
}
