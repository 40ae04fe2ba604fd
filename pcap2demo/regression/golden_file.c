/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Goldens as files: their first and last lines, and reading them packet by packet. */
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "pcap2demo/regression/golden_diff.h"

static const off_t file_size_max = (off_t)1 << 30;

static const char head_start[] = "# pcap2demo golden, schema 1";
static const char head_ignoring[] = ", ignoring:";
static const char foot_start[] = "# end, ";
static const char packet_word[] = "packet";

/* --- Writing --------------------------------------------------------------------------------- */

char *golden_head(const GPtrArray *ignored)
{
    GString *head = g_string_new(head_start);

    g_string_append(head, head_ignoring);
    for (guint i = 0; i < ignored->len; i++)
        g_string_append_printf(head, " %s", (const char *)g_ptr_array_index(ignored, i));
    g_string_append_c(head, '\n');
    return g_string_free(head, FALSE);
}

char *golden_foot(uint64_t packets)
{
    return g_strdup_printf("%s%" PRIu64 " packets\n", foot_start, packets);
}

/*
 * Parses the first line of a packet, or of a further unit of a stream: returns what follows
 * "packet" and the number, and the distance to the previous packet (0: a further unit). NULL:
 * another line.
 */
static const char *parse_packet_line(const char *line, uint64_t *distance)
{
    const char *rest = line + sizeof packet_word - 1;
    char *end;

    *distance = 1;
    if (!g_str_has_prefix(line, packet_word) || *rest != ' ')
        return NULL;
    if (rest[1] != '+')
        return rest;
    *distance = g_ascii_strtoull(rest + 2, &end, 10);
    return g_ascii_isdigit(rest[2]) && *distance <= UINT32_MAX && *end == ' ' ? end : NULL;
}

void golden_packet_append(GString *packet, const char *lines)
{
    uint64_t distance;

    if (!packet->len) {
        g_string_append(packet, packet_word);
        lines = parse_packet_line(lines, &distance);
    }
    g_string_append(packet, lines);
}

/* --- The file -------------------------------------------------------------------------------- */

/* Waits for no pipe, and reads no device, which may have no end. */
char *golden_read_text(const char *path, char **problem)
{
    struct stat status;
    GError *error = NULL;
    char *text = NULL;

    *problem = NULL;
    if (stat(path, &status) == 0 && !S_ISREG(status.st_mode))
        *problem = g_strdup("is not a regular file");
    else if (stat(path, &status) == 0 && status.st_size > file_size_max)
        *problem = g_strdup("is too large");
    else if (!g_file_get_contents(path, &text, NULL, &error))
        *problem = g_strdup(error->message);
    g_clear_error(&error);
    return text;
}

/* Lines end with a line feed alone. */
static void drop_carriage_returns(char *text)
{
    char *to = text;

    for (const char *from = text; *from; from++)
        if (from[0] != '\r' || from[1] != '\n')
            *to++ = *from;
    *to = '\0';
}

static bool damaged(struct golden_reader *reader, const char *what)
{
    uint64_t line = 1;

    for (const char *at = reader->text; at < reader->at; at++)
        line += *at == '\n';
    if (!reader->error)
        reader->error = g_strdup_printf("line %" PRIu64 ": %s", line, what);
    return false;
}

/* The end of the line at `at`; NULL: the golden is cut in it. */
static char *end_of_line(struct golden_reader *reader, char *at)
{
    char *end = strchr(at, '\n');

    if (!end) {
        reader->at = at;
        damaged(reader,
                *at ? "ends early: the golden is cut here" : "missing: the golden is cut here");
    }
    return end;
}

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

/* Whether the text begins so; if it does, goes on behind that. */
static bool skip(const char **at, const char *start)
{
    const bool has = g_str_has_prefix(*at, start);

    *at += has ? strlen(start) : 0;
    return has;
}

static bool read_head(struct golden_reader *reader)
{
    char *end = end_of_line(reader, reader->at);
    const char *at = reader->at;

    if (!end)
        return false;
    *end = '\0';
    if (!skip(&at, head_start))
        return damaged(reader, "is no first line of a golden that this program reads; --update "
                               "writes it anew");
    if (!skip(&at, head_ignoring))
        return damaged(reader, "does not say which fields are ignored");
    if (!read_ignored(reader, at))
        return false;
    *end = '\n';
    reader->at = end + 1;
    return true;
}

struct golden_reader *golden_open(const char *path, char **error)
{
    char *text = golden_read_text(path, error);
    struct golden_reader *reader;

    if (!text && !g_file_test(path, G_FILE_TEST_EXISTS)) {
        g_free(*error);
        *error = g_strdup("there is no such golden; --update writes it");
    }
    if (!text)
        return NULL;
    drop_carriage_returns(text);
    reader = g_new0(struct golden_reader, 1);
    reader->text = reader->at = text;
    reader->ignored = g_ptr_array_new_with_free_func(g_free);
    if (read_head(reader))
        return reader;
    *error = g_strdup(reader->error);
    golden_close(reader);
    return NULL;
}

void golden_close(struct golden_reader *reader)
{
    g_ptr_array_unref(reader->ignored);
    g_free(reader->text);
    g_free(reader->error);
    g_free(reader);
}

/* It counts the packets. Nothing may follow. */
static enum golden_status read_foot(struct golden_reader *reader)
{
    char *foot = golden_foot(reader->packets);
    const bool good = g_str_has_prefix(reader->at, foot);

    reader->at += good ? strlen(foot) : 0;
    g_free(foot);
    if (good && !*reader->at)
        return GOLDEN_END;
    damaged(reader,
            good ? "stands behind the golden's end" : "is not the last line of what is before it");
    return GOLDEN_DAMAGED;
}

enum golden_status golden_next(struct golden_reader *reader, GString *packet, uint64_t *number)
{
    uint64_t distance, more;
    const char *rest = parse_packet_line(reader->at, &distance);
    char *end = end_of_line(reader, reader->at);

    if (end && g_str_has_prefix(reader->at, foot_start))
        return read_foot(reader);
    if (end && !rest)
        damaged(reader, "is no line of a dump");
    while (end && (end[1] == ' ' || (parse_packet_line(end + 1, &more) && !more)))
        end = end_of_line(reader, end + 1);
    if (reader->error)
        return GOLDEN_DAMAGED;
    g_string_assign(packet, packet_word);
    g_string_append_len(packet, rest, end + 1 - rest);
    reader->at = end + 1;
    reader->packets++;
    *number = reader->number += distance;
    return GOLDEN_PACKET;
}
