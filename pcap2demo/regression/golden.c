/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/regression/golden.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/core/hash.h"
#include "common/demo_formats.h"
#include "common/protocols.h"
#include "common/core/text.h"
#include "common/dump/dump.h"

/* --- Fields left out ------------------------------------------------------------------------- */

static gint compare_texts(gconstpointer a, gconstpointer b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Adds the varying fields of one protocol, sorted by name. */
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

/* True if `name` is `ignored`, or begins with it and a dot. */
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

bool golden_is_problem(const char *name)
{
    bool found = strcmp(name, GOLDEN_UNDECODED) == 0;

    for (int i = 0; i < QS_NOTE_KINDS && !found; i++)
        found = qs_note_kinds[i].problem && strcmp(qs_note_kinds[i].suffix, name) == 0;
    return found;
}

/* --- Files ----------------------------------------------------------------------------------- */

/* "duel.dm2" and "duel.dm2.gz" give "duel.golden". Shortens names to the file systems' limit. */
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

GPtrArray *golden_orphans(const char *folder, GHashTable *names)
{
    GPtrArray *orphans = g_ptr_array_new_with_free_func(g_free);
    GDir *dir = g_dir_open(folder, 0, NULL);
    const char *name;

    while (dir && (name = g_dir_read_name(dir)))
        if (g_str_has_suffix(name, ".golden") && !g_hash_table_contains(names, name))
            g_ptr_array_add(orphans, g_build_filename(folder, name, NULL));
    if (dir)
        g_dir_close(dir);
    g_ptr_array_sort(orphans, compare_texts);
    return orphans;
}

/* Converts CR LF to LF. */
static void drop_carriage_returns(char *text)
{
    char *to = text;

    for (const char *from = text; *from; from++)
        if (from[0] != '\r' || from[1] != '\n')
            *to++ = *from;
    *to = '\0';
}

/* Never waits for a pipe, and never reads a device, which may be endless. */
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

/* --- First line of a golden ------------------------------------------------------------------ */

static const char head_start[] = "# pcap2demo golden, schema 1, ignoring:";
static const char head_expecting[] = ", expecting:";

static void append_names(GString *line, const GPtrArray *names)
{
    for (guint i = 0; i < names->len; i++)
        g_string_append_printf(line, " %s", (const char *)g_ptr_array_index(names, i));
}

char *golden_head(const struct golden_names *names)
{
    GString *head = g_string_new(head_start);

    append_names(head, names->ignored);
    if (names->expected->len)
        g_string_append(head, head_expecting);
    append_names(head, names->expected);
    g_string_append_c(head, '\n');
    return g_string_free(head, FALSE);
}

/* Returns the words of a text, separated by blanks. */
static GPtrArray *read_names(const char *text)
{
    GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
    char **words = g_strsplit(text, " ", -1);

    for (char **word = words; *word; word++)
        if (**word)
            g_ptr_array_add(names, g_strdup(*word));
    g_strfreev(words);
    return names;
}

bool golden_read_head(const char *text, struct golden_names *names)
{
    g_autofree char *line = g_strndup(text, strcspn(text, "\n"));
    char *expecting = strstr(line, head_expecting);

    if (!g_str_has_prefix(line, head_start))
        return false;
    names->expected = read_names(expecting ? expecting + strlen(head_expecting) : "");
    if (expecting)
        *expecting = '\0';
    names->ignored = read_names(line + strlen(head_start));
    return true;
}

void golden_names_clear(struct golden_names *names)
{
    g_clear_pointer(&names->ignored, g_ptr_array_unref);
    g_clear_pointer(&names->expected, g_ptr_array_unref);
}
