/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Goldens as files: their first and last lines, and reading them packet by packet. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pcap2demo/regression/golden.h"

/* Longer than any line or packet of a dump: larger ones are damage. */
enum { LINE_SIZE_MAX = 8 << 20, PACKET_SIZE_MAX = 32 << 20, HEAD_SIZE_MAX = 64 << 10 };
static const off_t file_size_max = (off_t)16 << 30;

enum { READ_SIZE = 16 << 10 };

static const char head_start[] = "# pcap2demo golden, schema 1";
static const char head_secrets[] = ", with secrets";
static const char head_ignoring[] = ", ignoring:";
static const char foot_start[] = "# end, ";
static const char packet_word[] = "packet";

/* --- Writing --------------------------------------------------------------------------------- */

char *golden_head(const GPtrArray *ignored, bool with_secrets)
{
    GString *head = g_string_new(head_start);

    g_string_append_printf(head, "%s%s", with_secrets ? head_secrets : "", head_ignoring);
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

/* --- Lines ----------------------------------------------------------------------------------- */

static bool damaged(struct golden_reader *reader, const char *what)
{
    if (!reader->error)
        reader->error = g_strdup_printf("line %" PRIu64 ": %s", reader->lines + 1, what);
    return false;
}

/* Appends the next part of the line. */
static bool read_piece(struct golden_reader *reader)
{
    char piece[READ_SIZE];
    size_t size;

    if (!fgets(piece, sizeof piece, reader->file))
        return damaged(reader, ferror(reader->file) ? g_strerror(errno)
                               : reader->line->len  ? "ends early: the golden is cut here"
                                                    : "missing: the golden is cut here");
    size = strlen(piece);
    g_string_append_len(reader->line, piece, (gssize)size);
    if (!size || (size < sizeof piece - 1 && piece[size - 1] != '\n' && !feof(reader->file)))
        return damaged(reader, "holds a zero byte");
    return reader->line->len <= LINE_SIZE_MAX || damaged(reader, "is too long");
}

/* Reads the next line unless there is a current one. False if there is no complete line. */
static bool read_line(struct golden_reader *reader)
{
    GString *line = reader->line;

    while (!line->len || line->str[line->len - 1] != '\n')
        if (!read_piece(reader))
            return false;
    if (g_str_has_suffix(line->str, "\r\n")) {
        g_string_truncate(line, line->len - 2);
        g_string_append_c(line, '\n');
    }
    return true;
}

static void drop_line(struct golden_reader *reader)
{
    g_string_truncate(reader->line, 0);
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

/* Whether the text begins so; if it does, goes on behind that. */
static bool skip(const char **at, const char *start)
{
    const bool has = g_str_has_prefix(*at, start);

    *at += has ? strlen(start) : 0;
    return has;
}

static bool read_head(struct golden_reader *reader)
{
    const char *at;

    if (!read_line(reader))
        return false;
    if (reader->line->len > HEAD_SIZE_MAX)
        return damaged(reader, "is too long");
    at = g_strchomp(reader->line->str);
    if (!skip(&at, head_start))
        return damaged(reader, "is no first line of a golden that this program reads; --update "
                               "writes it anew");
    reader->with_secrets = skip(&at, head_secrets);
    if (!skip(&at, head_ignoring))
        return damaged(reader, "does not say which fields are ignored");
    return read_ignored(reader, at);
}

/* Counts the packets. Nothing may follow. */
static enum golden_status read_foot(struct golden_reader *reader)
{
    char *foot = golden_foot(reader->packets);
    const bool good = strcmp(foot, reader->line->str) == 0;

    g_free(foot);
    if (!good) {
        damaged(reader, "is not the last line of what is before it");
        return GOLDEN_DAMAGED;
    }
    drop_line(reader);
    if (fgetc(reader->file) == EOF)
        return GOLDEN_END;
    damaged(reader, "stands behind the golden's end");
    return GOLDEN_DAMAGED;
}

/* --- Reading --------------------------------------------------------------------------------- */

/* Rejects pipes, which block, and devices, which may have no end. New, or NULL. */
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
    reader->file = fdopen(file, "rb");
    reader->ignored = g_ptr_array_new_with_free_func(g_free);
    reader->line = g_string_new(NULL);
    if (read_head(reader)) {
        drop_line(reader);
        return reader;
    }
    *error = g_strdup(reader->error);
    golden_close(reader);
    return NULL;
}

void golden_close(struct golden_reader *reader)
{
    fclose(reader->file);
    g_ptr_array_unref(reader->ignored);
    g_string_free(reader->line, TRUE);
    g_free(reader->error);
    g_free(reader);
}

/* Appends the current line. False if it belongs to the next packet, or is no line of a dump. */
static bool append_line(struct golden_reader *reader, GString *packet)
{
    const char *line = reader->line->str;
    const bool begun = packet->len > 0;
    uint64_t distance;
    const bool is_first = parse_packet_line(line, &distance) != NULL;

    if (is_first && distance && begun)
        return false;
    if (!is_first && (!begun || *line != ' '))
        return damaged(reader, "is no line of a dump");
    if (packet->len + reader->line->len > PACKET_SIZE_MAX)
        return damaged(reader, "too much for one packet");
    reader->packets += !begun;
    reader->number += begun ? 0 : distance;
    golden_packet_append(packet, line);
    drop_line(reader);
    return true;
}

enum golden_status golden_next(struct golden_reader *reader, GString *packet, uint64_t *number)
{
    g_string_truncate(packet, 0);
    while (!reader->error && read_line(reader)) {
        const bool is_foot = g_str_has_prefix(reader->line->str, foot_start);

        if (is_foot && !packet->len)
            return read_foot(reader);
        if (is_foot || !append_line(reader, packet))
            break;
    }
    *number = reader->number;
    return reader->error ? GOLDEN_DAMAGED : GOLDEN_PACKET;
}
