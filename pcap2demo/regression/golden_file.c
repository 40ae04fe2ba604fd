/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Goldens as files: their first and last lines, and reading them packet by packet. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pcap2demo/regression/golden.h"

/* Longer than any line or packet of a dump: whatever is larger is damaged. */
enum { LINE_SIZE_MAX = 8 << 20, PACKET_SIZE_MAX = 64 << 20, HEAD_SIZE_MAX = 64 << 10 };
static const off_t file_size_max = (off_t)16 << 30;

enum { READ_SIZE = 64 << 10 };

static const char head_start[] = "# pcap2demo golden, schema ";
static const char head_secrets[] = ", with secrets";
static const char head_ignoring[] = ", ignoring:";
static const char foot_start[] = "# end, ";
static const char packet_word[] = "packet";

/* --- Writing --------------------------------------------------------------------------------- */

char *golden_head(const GPtrArray *ignored, bool with_secrets)
{
    GString *head = g_string_new(head_start);

    g_string_append_printf(head, "%d%s%s", GOLDEN_SCHEMA, with_secrets ? head_secrets : "",
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

/* --- Packets --------------------------------------------------------------------------------- */

static bool begins_with(const char *line, gsize length, const char *start)
{
    const gsize size = strlen(start);

    return length >= size && memcmp(line, start, size) == 0;
}

/*
 * The first line of a packet, or of a further unit of a stream: returns what stands behind "packet"
 * and the number, and how many packets it is behind the one before (0: a further unit). NULL: it is
 * another line.
 */
static const char *parse_packet_line(const char *line, gsize length, uint64_t *distance)
{
    const char *at = line + sizeof packet_word - 1, *end = line + length;
    uint64_t number = 0;

    *distance = 1;
    if (!begins_with(line, length, "packet "))
        return NULL;
    if (!begins_with(at, (gsize)(end - at), " +"))
        return at;
    for (at += 2; at < end && g_ascii_isdigit(*at) && number < UINT32_MAX; at++)
        number = number * 10 + (uint64_t)(*at - '0');
    *distance = number;
    return at < end && *at == ' ' ? at : NULL;
}

void golden_packet_append(GString *packet, const GString *dump)
{
    uint64_t distance;
    const char *rest = parse_packet_line(dump->str, dump->len, &distance);

    if (packet->len) {
        g_string_append_len(packet, dump->str, (gssize)dump->len);
    } else {
        g_string_append(packet, packet_word);
        g_string_append_len(packet, rest, dump->str + dump->len - rest);
    }
}

/* --- Lines ----------------------------------------------------------------------------------- */

struct golden_reader {
    int file;
    GPtrArray *ignored;
    bool with_secrets;
    GString *buffer; /* read from the file; what is before `at` is done with */
    gsize at;
    struct line {
        const char *text; /* in `buffer` */
        gsize length;     /* without its end */
        gsize size;       /* with it; 0: no line is there */
    } line;
    uint64_t lines;           /* done with */
    uint64_t packets, number; /* so far; of the last one */
    char *error;
};

static bool damaged(struct golden_reader *reader, const char *what)
{
    if (!reader->error)
        reader->error = g_strdup_printf("line %" PRIu64 ": %s", reader->lines + 1, what);
    return false;
}

/* Reads on. False at the end of the file, and after an error. */
static bool read_more(struct golden_reader *reader)
{
    GString *buffer = reader->buffer;
    gsize kept;
    ssize_t got;

    g_string_erase(buffer, 0, (gssize)reader->at);
    reader->at = 0;
    kept = buffer->len;
    g_string_set_size(buffer, kept + READ_SIZE);
    do
        got = read(reader->file, buffer->str + kept, READ_SIZE);
    while (got < 0 && errno == EINTR);
    if (got < 0)
        damaged(reader, g_strerror(errno));
    g_string_set_size(buffer, kept + (gsize)MAX(got, 0));
    return got > 0;
}

/* The size of the next line with its newline, or of what is left of the file. */
static gsize measure_line(struct golden_reader *reader)
{
    const GString *buffer = reader->buffer;
    gsize searched = 0;

    for (;;) {
        const char *start = buffer->str + reader->at;
        const gsize left = buffer->len - reader->at;
        const char *newline = memchr(start + searched, '\n', left - searched);

        if (newline)
            return (gsize)(newline - start) + 1;
        searched = left;
        if (left > LINE_SIZE_MAX || !read_more(reader))
            return left;
    }
}

/* Makes the next line the one at hand. False where there is none that is whole. */
static bool read_line(struct golden_reader *reader)
{
    struct line *line = &reader->line;

    if (line->size)
        return true;
    line->length = line->size = measure_line(reader);
    line->text = reader->buffer->str + reader->at;
    if (reader->error)
        return false;
    if (line->size > LINE_SIZE_MAX)
        return damaged(reader, "is too long");
    if (!line->size)
        return damaged(reader, "missing: the golden is cut here");
    if (memchr(line->text, '\0', line->size))
        return damaged(reader, "holds a zero byte");
    if (line->text[line->size - 1] != '\n')
        return damaged(reader, "ends early: the golden is cut here");
    line->length--;
    line->length -= line->length && line->text[line->length - 1] == '\r';
    return true;
}

static void drop_line(struct golden_reader *reader)
{
    reader->at += reader->line.size;
    reader->line.size = 0;
    reader->lines++;
}

/* --- The first and the last line ------------------------------------------------------------- */

static bool read_ignored(struct golden_reader *reader, const char *names)
{
    char **all = g_strsplit(names, " ", -1);
    bool good = true;

    for (char **name = all; *name && good; name++) {
        good = strspn(*name, "abcdefghijklmnopqrstuvwxyz0123456789._") == strlen(*name);
        if (good && **name)
            g_ptr_array_add(reader->ignored, g_strdup(*name));
    }
    g_strfreev(all);
    return good || damaged(reader, "the fields that are ignored are not names of fields");
}

static bool parse_head(struct golden_reader *reader, const char *head)
{
    const char *at = head + sizeof head_start - 1;
    char *end;
    guint64 schema;

    if (!g_str_has_prefix(head, head_start))
        return damaged(reader, "is not the first line of a golden");
    schema = g_ascii_strtoull(at, &end, 10);
    if (end == at)
        return damaged(reader, "does not say which schema it has");
    if (schema != GOLDEN_SCHEMA) {
        reader->error = g_strdup_printf("line 1: schema %" G_GUINT64_FORMAT
                                        ", which this program does not read: it has schema %d; "
                                        "--update writes the golden anew",
                                        schema, GOLDEN_SCHEMA);
        return false;
    }
    reader->with_secrets = g_str_has_prefix(end, head_secrets);
    if (reader->with_secrets)
        end += sizeof head_secrets - 1;
    if (!g_str_has_prefix(end, head_ignoring))
        return damaged(reader, "does not say which fields are ignored");
    return read_ignored(reader, end + sizeof head_ignoring - 1);
}

static bool read_head(struct golden_reader *reader)
{
    char *head;
    bool good;

    if (!read_line(reader))
        return false;
    if (reader->line.size > HEAD_SIZE_MAX)
        return damaged(reader, "is too long");
    head = g_strndup(reader->line.text, reader->line.length);
    good = parse_head(reader, head);
    g_free(head);
    drop_line(reader);
    return good;
}

/* Counts the packets. Nothing may follow. */
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
    if (reader->at == reader->buffer->len && !read_more(reader))
        return reader->error ? GOLDEN_DAMAGED : GOLDEN_END;
    damaged(reader, "stands behind the golden's end");
    return GOLDEN_DAMAGED;
}

/* --- Reading --------------------------------------------------------------------------------- */

/* A pipe would be waited for; a device may have no end. New, or NULL. */
static char *file_problem(int file)
{
    struct stat status;

    if (file < 0 && errno == ENOENT)
        return g_strdup("there is no such golden; --update writes it");
    if (file < 0 || fstat(file, &status) < 0)
        return g_strdup(g_strerror(errno));
    if (!S_ISREG(status.st_mode))
        return g_strdup("is not a regular file");
    return status.st_size > file_size_max ? g_strdup("is too large") : NULL;
}

struct golden_reader *golden_open(const char *path, char **error)
{
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    struct golden_reader *reader;

    *error = file_problem(file);
    if (*error) {
        if (file >= 0)
            close(file);
        return NULL;
    }
    reader = g_new0(struct golden_reader, 1);
    reader->file = file;
    reader->ignored = g_ptr_array_new_with_free_func(g_free);
    reader->buffer = g_string_new(NULL);
    if (read_head(reader))
        return reader;
    *error = g_strdup(reader->error);
    golden_close(reader);
    return NULL;
}

void golden_close(struct golden_reader *reader)
{
    close(reader->file);
    g_ptr_array_unref(reader->ignored);
    g_string_free(reader->buffer, TRUE);
    g_free(reader->error);
    g_free(reader);
}

GPtrArray *golden_ignored(const struct golden_reader *reader)
{
    return reader->ignored;
}

bool golden_has_secrets(const struct golden_reader *reader)
{
    return reader->with_secrets;
}

/* Appends the line at hand. False where it belongs to the next packet, or is no line of a dump. */
static bool append_line(struct golden_reader *reader, GString *packet)
{
    const struct line *line = &reader->line;
    const char *text = line->text;
    const bool begun = packet->len > 0;
    uint64_t distance;
    const char *rest = parse_packet_line(text, line->length, &distance);

    if (rest && distance && begun)
        return false;
    if (!rest && (!begun || *text != ' '))
        return damaged(reader, "is no line of a dump");
    if (packet->len + line->size > PACKET_SIZE_MAX)
        return damaged(reader, "too much for one packet");
    if (!begun) {
        reader->number += distance;
        reader->packets++;
        g_string_append(packet, packet_word);
        text = rest;
    }
    g_string_append_len(packet, text, line->text + line->length - text);
    g_string_append_c(packet, '\n');
    drop_line(reader);
    return true;
}

enum golden_status golden_next(struct golden_reader *reader, GString *packet, uint64_t *number)
{
    g_string_truncate(packet, 0);
    while (!reader->error && read_line(reader)) {
        const bool is_foot = begins_with(reader->line.text, reader->line.length, foot_start);

        if (is_foot && !packet->len)
            return read_foot(reader);
        if (is_foot || !append_line(reader, packet))
            break;
    }
    *number = reader->number;
    return reader->error ? GOLDEN_DAMAGED : GOLDEN_PACKET;
}

const char *golden_error(const struct golden_reader *reader)
{
    return reader->error;
}
