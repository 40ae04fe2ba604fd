/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Goldens as files: their first and last lines, and reading them packet by packet. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/core/numeric_text.h"
#include "pcap2demo/regression/golden.h"
#include "pcap2demo/regression/golden_expand.h"

/* Longer than any line or packet of a dump gets: whatever is larger is damaged. */
enum { LINE_MAX_SIZE = 4 * 1024 * 1024, PACKET_MAX_SIZE = 64 * 1024 * 1024 };

/* The file is read in pieces of so many bytes. */
enum { READ_SIZE = 64 * 1024 };

static const char head_start[] = "# pcap2demo golden, schema ";
static const char head_secrets[] = ", with secrets";
static const char head_ignoring[] = ", ignoring:";
static const char foot_start[] = "# end, ";

/* --- Writing --------------------------------------------------------------------------------- */

char *golden_head(const GPtrArray *ignored, bool with_secrets)
{
    GString *head = g_string_new(head_start);

    g_string_append_printf(head, "%d%s%s", GOLDEN_COMPACT, with_secrets ? head_secrets : "",
                           head_ignoring);
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
    GString *ahead; /* read from the file */
    gsize at;       /* what is before it in `ahead` is done with */
    struct line {
        const char *text; /* in `ahead` at `at`, until more is read from the file */
        gsize length;     /* without its end */
        gsize size;       /* with it; 0: there is no line at hand */
    } line;
    uint64_t lines; /* done with */
    unsigned schema;
    bool with_secrets;
    struct golden_expander *expander; /* of the compact form */
    uint64_t packets, last;           /* so far; the number of the last */
    char *error;
};

static bool damaged(struct golden_reader *reader, const char *what)
{
    if (!reader->error)
        reader->error = g_strdup_printf("line %" PRIu64 ": %s", reader->lines + 1, what);
    return false;
}

static const char *next_bytes(const struct golden_reader *reader)
{
    return reader->ahead->str + reader->at;
}

static gsize bytes_left(const struct golden_reader *reader)
{
    return reader->ahead->len - reader->at;
}

/* Reads on until this many bytes are ahead; fewer where the file ends. */
static gsize look_ahead(struct golden_reader *reader, gsize size)
{
    while (bytes_left(reader) < size) {
        gsize kept, got;

        g_string_erase(reader->ahead, 0, (gssize)reader->at);
        reader->at = 0;
        kept = reader->ahead->len;
        g_string_set_size(reader->ahead, kept + READ_SIZE);
        got = fread(reader->ahead->str + kept, 1, READ_SIZE, reader->file);
        g_string_truncate(reader->ahead, kept + got);
        if (!got)
            break;
    }
    return bytes_left(reader);
}

/* The size of the next line with its newline, or of what is left of the file. */
static gsize measure_line(struct golden_reader *reader)
{
    gsize seen = 0, left = bytes_left(reader);
    const char *newline = memchr(next_bytes(reader), '\n', left);

    while (!newline && left <= LINE_MAX_SIZE) {
        seen = left;
        left = look_ahead(reader, seen + 1);
        if (left == seen)
            return left;
        newline = memchr(next_bytes(reader) + seen, '\n', left - seen);
    }
    return newline ? (gsize)(newline - next_bytes(reader)) + 1 : left;
}

/* Sees to it that there is a line at hand; false where there is none that is whole. */
static bool read_line(struct golden_reader *reader)
{
    struct line *line = &reader->line;

    if (line->size)
        return true;
    line->length = line->size = measure_line(reader);
    line->text = next_bytes(reader);
    if (memchr(line->text, '\0', line->size))
        return damaged(reader, "holds a zero byte");
    if (line->size > LINE_MAX_SIZE)
        return damaged(reader, "is too long");
    if (ferror(reader->file))
        return damaged(reader, g_strerror(errno));
    if (!line->size)
        return damaged(reader, "missing: the golden is cut here");
    if (line->text[line->size - 1] != '\n')
        return damaged(reader, "ends early: the golden is cut here");
    line->length--;
    line->length -= line->length && line->text[line->length - 1] == '\r';
    return true;
}

/* The line at hand is done with. */
static void drop_line(struct golden_reader *reader)
{
    reader->at += reader->line.size;
    reader->line.size = 0;
    reader->lines++;
}

static bool is_name(const char *name)
{
    while (golden_is_name_character(*name))
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

/* The text of the first line. */
static bool parse_head(struct golden_reader *reader, const char *head, GPtrArray *ignored)
{
    const char *at = head + strlen(head_start);
    char *end;
    guint64 schema;

    if (!g_str_has_prefix(head, head_start))
        return damaged(reader, "is not the first line of a golden");
    schema = g_ascii_strtoull(at, &end, 10);
    if (end == at)
        return damaged(reader, "does not say which schema it has");
    if (schema < GOLDEN_FULL || schema > GOLDEN_COMPACT) {
        reader->error = g_strdup_printf("line 1: schema %" G_GUINT64_FORMAT
                                        ", which this program does not read: it has schema %d; "
                                        "--update writes the golden anew",
                                        schema, GOLDEN_COMPACT);
        return false;
    }
    reader->schema = (unsigned)schema;
    reader->with_secrets = schema == GOLDEN_FULL || g_str_has_prefix(end, head_secrets);
    if (g_str_has_prefix(end, head_secrets))
        end += strlen(head_secrets);
    if (!g_str_has_prefix(end, head_ignoring))
        return damaged(reader, "does not say which fields are ignored");
    return take_ignored(reader, end + strlen(head_ignoring), ignored);
}

static bool read_head(struct golden_reader *reader, GPtrArray *ignored)
{
    char *head;
    bool good;

    if (!read_line(reader))
        return false;
    head = g_strndup(reader->line.text, reader->line.length);
    good = parse_head(reader, head, ignored);
    g_free(head);
    drop_line(reader);
    return good;
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
    reader->ahead = g_string_new(NULL);
    reader->expander = golden_expander_new();
    if (read_head(reader, ignored)) {
        golden_expander_set_schema(reader->expander, reader->schema);
        return reader;
    }
    *error = g_strdup(reader->error);
    golden_close(reader);
    return NULL;
}

void golden_close(struct golden_reader *reader)
{
    fclose(reader->file);
    g_string_free(reader->ahead, TRUE);
    golden_expander_free(reader->expander);
    g_free(reader->error);
    g_free(reader);
}

/* The last line counts the packets. Nothing may follow. */
static enum golden_status read_foot(struct golden_reader *reader)
{
    const struct line *line = &reader->line;
    char *foot = golden_foot(reader->packets);
    const bool good =
        strlen(foot) - 1 == line->length && memcmp(foot, line->text, line->length) == 0;

    g_free(foot);
    if (!good) {
        damaged(reader, "is not the last line of what is before it");
        return GOLDEN_DAMAGED;
    }
    drop_line(reader);
    if (!look_ahead(reader, 1))
        return GOLDEN_END;
    damaged(reader, "stands behind the golden's end");
    return GOLDEN_DAMAGED;
}

/* A line of the packet is added to it. False when it is another's. */
static bool add_line(struct golden_reader *reader, struct golden_packet *packet,
                     const struct golden_words *words)
{
    if (packet->lines->len && words->number != packet->number)
        return false;
    if (!golden_is_ignored(reader->ignored, words->name, words->name_length))
        golden_packet_add(packet, reader->line.text, reader->line.length, words);
    drop_line(reader);
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
    const struct line *line = &reader->line;
    struct golden_words words;

    while (read_line(reader)) {
        if (golden_begins_with(line->text, line->text + line->length, foot_start))
            return packet->lines->len ? GOLDEN_PACKET : read_foot(reader);
        if (!golden_parse(line->text, line->length, &words) ||
            !g_utf8_validate(line->text, (gssize)line->length, NULL))
            damaged(reader, "is no line of a dump");
        else if (packet->text->len > PACKET_MAX_SIZE)
            damaged(reader, "too much for one packet");
        else if (is_in_order(reader, &words) && !add_line(reader, packet, &words))
            return GOLDEN_PACKET;
        if (reader->error)
            break;
    }
    return GOLDEN_DAMAGED;
}

/* --- The compact form --- */

/* The line at hand is the first of a packet, `*goes_on` of that which is being read. */
static bool begins_packet(struct golden_reader *reader, bool *goes_on)
{
    const struct line *line = &reader->line;
    uint64_t number;

    if (!golden_packet_number(line->text, line->length, reader->last, &number))
        return false;
    *goes_on = reader->packets && number == reader->last;
    reader->last = number;
    return true;
}

static bool is_foot(const struct line *line)
{
    return golden_begins_with(line->text, line->text + line->length, foot_start);
}

/* Adds the line at hand. False where it is of another packet, or there is none. */
static bool expand_line(struct golden_reader *reader, struct golden_packet *packet, bool *begun)
{
    const struct line *line = &reader->line;
    const uint64_t last = reader->last;
    bool goes_on = false;

    if (line->length && *line->text != ' ' && begins_packet(reader, &goes_on)) {
        if (*begun && !goes_on) {
            reader->last = last;
            return false;
        }
        reader->packets += !*begun;
        *begun = true;
        packet->number = reader->last;
    }
    if (!*begun || packet->text->len > PACKET_MAX_SIZE ||
        !g_utf8_validate(line->text, (gssize)line->length, NULL) ||
        !golden_expand(reader->expander, reader->ignored, line->text, line->length, packet))
        return damaged(reader, packet->text->len > PACKET_MAX_SIZE ? "too much for one packet"
                                                                   : "is no line of a dump");
    drop_line(reader);
    return true;
}

static enum golden_status read_compact(struct golden_reader *reader, struct golden_packet *packet)
{
    bool begun = false;

    while (read_line(reader)) {
        if (is_foot(&reader->line) && !begun)
            return read_foot(reader);
        if (is_foot(&reader->line) || !expand_line(reader, packet, &begun))
            break;
    }
    if (reader->error)
        return GOLDEN_DAMAGED;
    golden_expand_end(reader->expander, packet);
    return GOLDEN_PACKET;
}

void golden_packet_set(struct golden_packet *packet, struct golden_expander *expander,
                       const GPtrArray *ignored, const GString *text)
{
    const char *line = text->str, *stop = text->str + text->len, *end;

    for (; (end = memchr(line, '\n', (size_t)(stop - line))); line = end + 1)
        golden_expand(expander, ignored, line, (gsize)(end - line), packet);
    golden_expand_end(expander, packet);
}

enum golden_status golden_next(struct golden_reader *reader, struct golden_packet *packet)
{
    golden_packet_clear(packet);
    if (reader->error)
        return GOLDEN_DAMAGED;
    return reader->schema == GOLDEN_FULL ? read_packet(reader, packet)
                                         : read_compact(reader, packet);
}

unsigned golden_schema(const struct golden_reader *reader)
{
    return reader->schema;
}

bool golden_has_secrets(const struct golden_reader *reader)
{
    return reader->with_secrets;
}

/* Further lines of a packet begin with a blank, and a further unit as its first one does. */
static bool is_followed_by_more(const struct golden_reader *reader, const GString *text)
{
    static const char unit[] = "packet +0 ";
    const char *next = next_bytes(reader) + text->len;
    const gsize left = bytes_left(reader) - text->len;

    return (left && *next == ' ') ||
           (left >= sizeof unit - 1 && memcmp(next, unit, sizeof unit - 1) == 0);
}

static uint64_t count_lines(const GString *text)
{
    const char *at = text->str, *end = text->str + text->len;
    uint64_t lines = 0;

    while ((at = memchr(at, '\n', (size_t)(end - at)))) {
        lines++;
        at++;
    }
    return lines;
}

bool golden_skip(struct golden_reader *reader, uint64_t number, const GString *text)
{
    const bool in_order = !reader->packets || number > reader->last;

    if (reader->error || !in_order || reader->schema != GOLDEN_COMPACT)
        return false;
    reader->line.size = 0; /* it is looked for again */
    if (look_ahead(reader, text->len + QS_NUMBER_MAX) < text->len ||
        memcmp(next_bytes(reader), text->str, text->len) != 0 || is_followed_by_more(reader, text))
        return false;
    reader->at += text->len;
    reader->lines += count_lines(text);
    reader->packets++;
    reader->last = number;
    return true;
}

const char *golden_error(const struct golden_reader *reader)
{
    return reader->error;
}
