/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/regression/golden.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/protocols.h"
#include "common/core/text.h"
#include "common/demo_formats.h"
#include "common/dump/dump.h"

/* --- Fields left out ------------------------------------------------------------------------- */

static gint compare_texts(gconstpointer a, gconstpointer b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Fields of one protocol, by name. */
static void add_varying(GPtrArray *ignored, const struct qs_protocol *protocol)
{
    GPtrArray *names = g_ptr_array_new();

    for (unsigned i = 0; i < protocol->field_count; i++)
        if (protocol->fields[i].varies)
            g_ptr_array_add(names, (gpointer)protocol->fields[i].name);
    g_ptr_array_sort(names, compare_texts);
    for (guint i = 0; i < names->len; i++)
        g_ptr_array_add(ignored, g_strdup(g_ptr_array_index(names, i)));
    g_ptr_array_free(names, TRUE);
}

GPtrArray *golden_varying_fields(void)
{
    GPtrArray *ignored = g_ptr_array_new_with_free_func(g_free);

    for (int i = 0; i < QS_PACKET_LINES; i++)
        if (qs_packet_lines[i].varies)
            g_ptr_array_add(ignored, g_strdup(qs_packet_lines[i].name));
    for (int i = 0; qs_protocols[i]; i++)
        add_varying(ignored, qs_protocols[i]);
    return ignored;
}

/* Whether `name` is `ignored`, or begins with it and a dot. */
static bool is_below(const char *ignored, const char *name)
{
    const size_t length = strlen(ignored);

    return strncmp(name, ignored, length) == 0 && (!name[length] || name[length] == '.');
}

bool golden_is_ignored(void *user, const char *name)
{
    const GPtrArray *ignored = user;

    for (guint i = 0; i < ignored->len; i++)
        if (is_below(g_ptr_array_index(ignored, i), name))
            return true;
    return false;
}

static bool protocol_has(const struct qs_protocol *protocol, const char *name)
{
    bool found = false;

    for (unsigned i = 0; i < protocol->field_count && !found; i++)
        found = is_below(name, protocol->fields[i].name);
    for (int i = 0; i < QS_NOTE_KINDS && !found; i++) {
        char *note = g_strdup_printf("%s.%s", protocol->name, qs_note_kinds[i].suffix);

        found = is_below(name, note);
        g_free(note);
    }
    return found;
}

bool golden_is_field(const char *name)
{
    bool found = false;

    for (int i = 0; i < QS_PACKET_LINES && !found; i++)
        found = is_below(name, qs_packet_lines[i].name);
    for (int i = 0; qs_protocols[i] && !found; i++)
        found = protocol_has(qs_protocols[i], name);
    return found;
}

/* --- Files ----------------------------------------------------------------------------------- */

/* "duel.dm2.gz" is "duel", as "duel.dm2" is. Names are shortened to what file systems take. */
char *golden_name(const char *file)
{
    enum { MOST = 255 - sizeof ".golden" + 1 };
    char *base = g_path_get_basename(file);
    char *name = qs_text_printable(base);
    char *dot, *golden, *end;

    g_free(base);
    name[qs_unpacked_name_length(name)] = '\0';
    dot = strrchr(name, '.');
    if (dot && dot != name)
        *dot = '\0';
    for (end = name; *end && g_utf8_next_char(end) <= name + MOST;)
        end = g_utf8_next_char(end);
    *end = '\0';
    golden = g_strconcat(name, ".golden", NULL);
    g_free(name);
    return golden;
}

GPtrArray *golden_orphans(const char *folder, char *const *files)
{
    GPtrArray *orphans = g_ptr_array_new_with_free_func(g_free);
    GHashTable *names = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    GDir *dir = g_dir_open(folder, 0, NULL);
    const char *name;

    for (; *files; files++)
        g_hash_table_add(names, golden_name(*files));
    while (dir && (name = g_dir_read_name(dir)))
        if (g_str_has_suffix(name, ".golden") && !g_hash_table_contains(names, name))
            g_ptr_array_add(orphans, g_build_filename(folder, name, NULL));
    if (dir)
        g_dir_close(dir);
    g_hash_table_destroy(names);
    g_ptr_array_sort(orphans, compare_texts);
    return orphans;
}

/* --- The text -------------------------------------------------------------------------------- */

static const char head_start[] = "# pcap2demo golden, schema 1";
static const char head_ignoring[] = ", ignoring:";
static const char foot_start[] = "# end, ";
static const char packet_word[] = "packet";

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
static char *parse_packet_line(char *line, uint64_t *distance)
{
    char *rest = line + strlen(packet_word), *end;

    *distance = 1;
    if (!g_str_has_prefix(line, packet_word) || *rest != ' ')
        return NULL;
    if (rest[1] != '+')
        return rest;
    *distance = g_ascii_strtoull(rest + 2, &end, 10);
    return g_ascii_isdigit(rest[2]) && *distance <= UINT32_MAX && *end == ' ' ? end : NULL;
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

/* Waits for no pipe, and reads no device, which may have no end. */
char *golden_read_text(const char *path, char **problem)
{
    struct stat status;
    char *text = NULL;

    *problem = NULL;
    if (stat(path, &status) != 0 || access(path, R_OK) != 0)
        *problem = g_strdup(g_strerror(errno));
    else if (!S_ISREG(status.st_mode))
        *problem = g_strdup("is not a regular file");
    else if (status.st_size > GOLDEN_SIZE_MAX)
        *problem = g_strdup("is too large");
    else if (!g_file_get_contents(path, &text, NULL, NULL))
        *problem = g_strdup("cannot be read");
    else
        drop_carriage_returns(text);
    return text;
}

/* Returns NULL. */
static char *damaged(struct golden *golden, const char *at, const char *what)
{
    uint64_t line = 1;

    for (const char *before = golden->text; before < at; before++)
        line += *before == '\n';
    golden->error = g_strdup_printf("line %" PRIu64 ": %s", line, what);
    return NULL;
}

/* The end of the line at `at`; NULL: the golden is cut in it. */
static char *end_of_line(struct golden *golden, char *at)
{
    char *end = strchr(at, '\n');

    return end ? end
               : damaged(golden, at,
                         *at ? "ends early: the golden is cut here"
                             : "missing: the golden is cut here");
}

static bool read_ignored(struct golden *golden, char *names)
{
    char **all = g_strsplit(names, " ", -1);
    bool good = true;

    golden->ignored = g_ptr_array_new_with_free_func(g_free);
    for (char **name = all; *name && good; name++) {
        good = strspn(*name, "abcdefghijklmnopqrstuvwxyz0123456789._") == strlen(*name);
        if (good && **name)
            g_ptr_array_add(golden->ignored, g_strdup(*name));
    }
    g_strfreev(all);
    if (!good)
        g_clear_pointer(&golden->ignored, g_ptr_array_unref);
    return good;
}

/* Returns the next line; NULL: the first one is damaged. */
static char *read_head(struct golden *golden)
{
    const size_t start = strlen(head_start), ignoring = strlen(head_ignoring);
    char *at = golden->text, *end = end_of_line(golden, at);
    bool good;

    if (!end)
        return NULL;
    if (strncmp(at, head_start, start) != 0)
        return damaged(golden, at,
                       "is not the first line of a golden that this program reads; --update "
                       "writes it anew");
    if (strncmp(at + start, head_ignoring, ignoring) != 0)
        return damaged(golden, at, "does not say which fields are ignored");
    *end = '\0';
    good = read_ignored(golden, at + start + ignoring);
    *end = '\n';
    return good ? end + 1
                : damaged(golden, at, "the fields that are ignored are not names of fields");
}

/* The last line counts the packets. Nothing may follow. */
static void read_foot(struct golden *golden, const char *at)
{
    g_autofree char *foot = golden_foot(golden->packets->len);

    if (!g_str_has_prefix(at, foot))
        damaged(golden, at, "is not the last line, or counts other packets than are before it");
    else if (at[strlen(foot)])
        damaged(golden, at + strlen(foot), "follows the golden's end");
}

/* Reads the packet at `*at`, which moves behind it, and takes its distance out of the first line.
 * False: there is none. */
static bool read_packet(struct golden *golden, char **at, struct golden_item *packet)
{
    uint64_t distance, more;
    char *end = end_of_line(golden, *at), *rest = parse_packet_line(*at, &distance);

    if (end && g_str_has_prefix(*at, foot_start)) {
        read_foot(golden, *at);
        return false;
    }
    if (end && !rest)
        end = damaged(golden, *at, "is not a line of a dump");
    while (end && (end[1] == ' ' || (parse_packet_line(end + 1, &more) && !more)))
        end = end_of_line(golden, end + 1);
    if (!end || !rest)
        return false;
    rest -= sizeof packet_word - 1;
    memcpy(rest, packet_word, sizeof packet_word - 1);
    packet->text = rest;
    packet->size = (size_t)(end + 1 - packet->text);
    packet->number += distance;
    *at = end + 1;
    return true;
}

struct golden *golden_parse(char *text)
{
    struct golden *golden = g_new0(struct golden, 1);
    struct golden_item packet = {0};
    char *at;

    golden->text = text;
    golden->packets = g_array_new(FALSE, FALSE, sizeof(struct golden_item));
    at = read_head(golden);
    while (at && read_packet(golden, &at, &packet))
        g_array_append_val(golden->packets, packet);
    return golden;
}

void golden_free(struct golden *golden)
{
    if (golden->ignored)
        g_ptr_array_unref(golden->ignored);
    g_array_free(golden->packets, TRUE);
    g_free(golden->text);
    g_free(golden->error);
    g_free(golden);
}
