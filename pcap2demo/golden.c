/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/golden.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/core/protocol.h"
#include "common/core/sinks.h"

/* Longer than any line or packet of a dump gets: whatever is larger is damaged. */
enum { LINE_MAX_SIZE = 4 * 1024 * 1024, PACKET_MAX_SIZE = 64 * 1024 * 1024 };

static const char head_start[] = "# pcap2demo golden, schema ";
static const char head_ignoring[] = ", ignoring:";
static const char foot_start[] = "# end, ";

/* --- Fields left out ------------------------------------------------------------------------- */

const char *const golden_ignored_by_default[] = {"packet.time",
                                                 "packet.source",
                                                 "packet.destination",
                                                 "qw.challenge",
                                                 "qw.connect.challenge",
                                                 "qw.connect.qport",
                                                 "qw.qport",
                                                 "q2.challenge",
                                                 "q2.connect.challenge",
                                                 "q2.connect.qport",
                                                 "q2.qport",
                                                 "nq.control.port",
                                                 NULL};

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
    static const char *const heads[] = {"packet.time",     "packet.source",    "packet.destination",
                                        "packet.protocol", "packet.direction", "packet.session"};
    bool known = false;

    for (size_t i = 0; i < G_N_ELEMENTS(heads) && !known; i++)
        known = is_below(name, heads[i], strlen(heads[i]));
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
        const unsigned digit = (unsigned)g_ascii_digit_value(**at);

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

static bool is_name_character(char c)
{
    return g_ascii_islower(c) || g_ascii_isdigit(c) || c == '.' || c == '_';
}

bool golden_parse(const char *line, gsize length, struct golden_words *words)
{
    const char *at = line, *end = line + length;

    if (!take_number(&at, end, ' ', UINT64_MAX, &words->number) || !take_position(&at, end, words))
        return false;
    words->name = at;
    while (at < end && is_name_character(*at))
        at++;
    words->name_length = (gsize)(at - words->name);
    if (!words->name_length)
        return false;
    return at == end || g_str_has_prefix(at, " = ") || g_str_has_prefix(at, " := ");
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

/* --- Writing --------------------------------------------------------------------------------- */

char *golden_head(const GPtrArray *ignored)
{
    GString *head = g_string_new(head_start);

    g_string_append_printf(head, "%d%s", QS_DUMP_SCHEMA, head_ignoring);
    for (guint i = 0; i < ignored->len; i++)
        g_string_append_printf(head, " %s", (const char *)g_ptr_array_index(ignored, i));
    g_string_append_c(head, '\n');
    return g_string_free(head, FALSE);
}

char *golden_foot(uint64_t packets)
{
    return g_strdup_printf("%s%" PRIu64 " packets\n", foot_start, packets);
}

/* --- Reading --------------------------------------------------------------------------------- */

struct golden_reader {
    FILE *file;
    const GPtrArray *ignored;
    GString *line; /* read, without its end, and not used yet while `held` */
    bool held;
    uint64_t line_number;
    uint64_t packets, last; /* so far; the number of the last */
    char *error;
};

static bool damaged(struct golden_reader *reader, const char *what)
{
    if (!reader->error)
        reader->error = g_strdup_printf("line %" PRIu64 ": %s", reader->line_number, what);
    return false;
}

/* Adds what is left of the file's line, piece by piece. Its newline, if it has one, comes with it.
 */
static bool add_rest(struct golden_reader *reader)
{
    char piece[4096];
    GString *line = reader->line;

    while (fgets(piece, sizeof piece, reader->file)) {
        const size_t size = strlen(piece);

        g_string_append_len(line, piece, (gssize)size);
        if (size && piece[size - 1] == '\n')
            return true;
        if (size < sizeof piece - 1 && !feof(reader->file))
            return damaged(reader, "holds a zero byte");
        if (line->len > LINE_MAX_SIZE)
            return damaged(reader, "is too long");
    }
    return !ferror(reader->file) || damaged(reader, g_strerror(errno));
}

static void drop_last(GString *line, char c)
{
    if (line->len && line->str[line->len - 1] == c)
        g_string_truncate(line, line->len - 1);
}

/* The next line, without its end; false where there is none that is whole. */
static bool read_line(struct golden_reader *reader)
{
    GString *line = reader->line;

    if (reader->held) {
        reader->held = false;
        return true;
    }
    g_string_truncate(line, 0);
    reader->line_number++;
    if (!add_rest(reader))
        return false;
    if (!line->len)
        return damaged(reader, "missing: the golden is cut here");
    if (line->str[line->len - 1] != '\n')
        return damaged(reader, "ends early: the golden is cut here");
    drop_last(line, '\n');
    drop_last(line, '\r');
    return true;
}

static bool is_name(const char *name)
{
    while (is_name_character(*name))
        name++;
    return !*name;
}

static bool take_ignored(struct golden_reader *reader, const char *names, GPtrArray *ignored)
{
    char **all = g_strsplit(names, " ", -1);
    bool good = true;

    for (char **name = all; *name && good; name++) {
        good = is_name(*name);
        if (good && **name && !golden_is_ignored(ignored, *name, strlen(*name)))
            g_ptr_array_add(ignored, g_strdup(*name));
    }
    g_strfreev(all);
    return good || damaged(reader, "the fields that are ignored are not names of fields");
}

static bool read_head(struct golden_reader *reader, GPtrArray *ignored)
{
    const char *at;
    char *end;
    guint64 schema;

    if (!read_line(reader))
        return false;
    if (!g_str_has_prefix(reader->line->str, head_start))
        return damaged(reader, "is not the first line of a golden");
    at = reader->line->str + strlen(head_start);
    schema = g_ascii_strtoull(at, &end, 10);
    if (end == at)
        return damaged(reader, "does not say which schema it has");
    if (schema != QS_DUMP_SCHEMA) {
        reader->error = g_strdup_printf("line 1: schema %" G_GUINT64_FORMAT
                                        ", which this program does not read: it has schema %d; "
                                        "--update writes the golden anew",
                                        schema, QS_DUMP_SCHEMA);
        return false;
    }
    if (!g_str_has_prefix(end, head_ignoring))
        return damaged(reader, "does not say which fields are ignored");
    return take_ignored(reader, end + strlen(head_ignoring), ignored);
}

struct golden_reader *golden_open(const char *path, GPtrArray *ignored, char **error)
{
    FILE *file = fopen(path, "rb");
    struct golden_reader *reader;

    if (!file) {
        *error = errno == ENOENT ? g_strdup("there is no such golden; --update writes it")
                                 : g_strdup(g_strerror(errno));
        return NULL;
    }
    reader = g_new0(struct golden_reader, 1);
    reader->file = file;
    reader->ignored = ignored;
    reader->line = g_string_new(NULL);
    if (read_head(reader, ignored))
        return reader;
    *error = g_strdup(reader->error);
    golden_close(reader);
    return NULL;
}

void golden_close(struct golden_reader *reader)
{
    fclose(reader->file);
    g_string_free(reader->line, TRUE);
    g_free(reader->error);
    g_free(reader);
}

/* The last line counts the packets. Nothing may follow. */
static enum golden_status read_foot(struct golden_reader *reader)
{
    char *foot = golden_foot(reader->packets);
    const bool good = strncmp(foot, reader->line->str, strlen(foot) - 1) == 0 &&
                      strlen(foot) - 1 == reader->line->len;

    g_free(foot);
    if (!good) {
        damaged(reader, "is not the last line of what is before it");
        return GOLDEN_DAMAGED;
    }
    if (getc(reader->file) == EOF)
        return GOLDEN_END;
    reader->line_number++;
    damaged(reader, "stands behind the golden's end");
    return GOLDEN_DAMAGED;
}

/* A line of the packet is added to it. False when it is another's. */
static bool add_line(struct golden_reader *reader, struct golden_packet *packet,
                     const struct golden_words *words)
{
    const GString *line = reader->line;

    if (packet->lines->len && words->number != packet->number)
        return false;
    if (!golden_is_ignored(reader->ignored, words->name, words->name_length))
        golden_packet_add(packet, line->str, line->len, words);
    return true;
}

/* Packets stand in order; all lines of one are together. */
static bool is_in_order(struct golden_reader *reader, const struct golden_words *words)
{
    if (reader->packets && words->number < reader->last)
        return damaged(reader, "the packet's number is smaller than the one before");
    if (!reader->packets || words->number != reader->last)
        reader->packets++;
    reader->last = words->number;
    return true;
}

static enum golden_status read_packet(struct golden_reader *reader, struct golden_packet *packet)
{
    struct golden_words words;

    while (read_line(reader)) {
        const GString *line = reader->line;

        if (g_str_has_prefix(line->str, foot_start)) {
            if (!packet->lines->len)
                return read_foot(reader);
            reader->held = true;
            return GOLDEN_PACKET;
        }
        if (!golden_parse(line->str, line->len, &words) ||
            !g_utf8_validate(line->str, (gssize)line->len, NULL))
            damaged(reader, "is no line of a dump");
        else if (packet->text->len > PACKET_MAX_SIZE)
            damaged(reader, "too much for one packet");
        else if (is_in_order(reader, &words) && !add_line(reader, packet, &words)) {
            reader->held = true;
            return GOLDEN_PACKET;
        }
        if (reader->error)
            break;
    }
    return GOLDEN_DAMAGED;
}

enum golden_status golden_next(struct golden_reader *reader, struct golden_packet *packet)
{
    golden_packet_clear(packet);
    return reader->error ? GOLDEN_DAMAGED : read_packet(reader, packet);
}

const char *golden_error(const struct golden_reader *reader)
{
    return reader->error;
}
