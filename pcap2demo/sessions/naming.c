/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/sessions/naming.h"

#include <glib.h>
#include <string.h>

#include "pcap2demo/output/message.h"
#include "pcap2demo/output/safe_path.h"

struct naming {
    char *folder;
    char *file; /* the name that the user gave, or NULL */
    unsigned file_session;
    GHashTable *given; /* name -> the last number that it got to be told apart; 1: none yet */
};

static char *safe_part(const char *from, const char *to)
{
    GString *name = g_string_new(NULL);

    for (; from < to && name->len < NAMING_PART_MAX; from++)
        if (safe_in_names(*from))
            g_string_append_c(name, *from);
    return g_string_free(name, FALSE);
}

char *naming_player(const char *player)
{
    return safe_part(player, player ? player + strlen(player) : NULL);
}

char *naming_map(const char *map)
{
    const char *slash = map ? strrchr(map, '/') : NULL;
    const char *from = slash ? slash + 1 : map;
    const char *to = from ? from + strlen(from) : NULL;

    if (from && g_str_has_suffix(from, ".bsp"))
        to -= strlen(".bsp");
    return safe_part(from, to);
}

/* "out" and "out/" are folders, "out.qwd" is a file. */
static bool is_folder(const char *output)
{
    char *last = g_path_get_basename(output);
    const bool folder = g_str_has_suffix(output, "/") || !strchr(last, '.') ||
                        g_file_test(output, G_FILE_TEST_IS_DIR);

    g_free(last);
    return folder;
}

static void set_output(struct naming *naming, const char *output)
{
    if (is_folder(output)) {
        naming->folder = g_strdup(output);
    } else {
        naming->folder = g_path_get_dirname(output);
        naming->file = g_path_get_basename(output);
    }
}

struct naming *naming_new(const char *output, char **error)
{
    struct naming *naming = g_new0(struct naming, 1);

    naming->given = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    set_output(naming, output ? output : ".");
    *error = make_folders(naming->folder);
    if (!*error)
        return naming;
    naming_free(naming);
    return NULL;
}

void naming_free(struct naming *naming)
{
    g_hash_table_destroy(naming->given);
    g_free(naming->folder);
    g_free(naming->file);
    g_free(naming);
}

const char *naming_folder(const struct naming *naming)
{
    return naming->folder;
}

bool naming_is_free(const struct naming *naming)
{
    return !naming->file;
}

/* New; empty where no calendar has that time. */
static char *name_of_time(int64_t time)
{
    GDateTime *date = g_date_time_new_from_unix_utc(time / 1000000000);
    char *name = date ? g_date_time_format(date, "%Y%m%d-%H%M%S") : NULL;

    if (date)
        g_date_time_unref(date);
    return name ? name : g_strdup("");
}

/* The user's own name for it, as far as it can be printed. */
static void append_capture(GString *base, const char *capture)
{
    char *name = printable(capture);

    g_string_append(base, name);
    g_free(name);
}

static void append_part(GString *base, char *part)
{
    if (*part)
        g_string_append_printf(base, "-%s", part);
    g_free(part);
}

/* The name that the user gave, without its extension. */
static char *base_of_file(const char *file)
{
    const char *dot = strrchr(file, '.');

    return dot && dot > file ? g_strndup(file, (gsize)(dot - file)) : g_strdup(file);
}

/* The name without its extension. */
static char *base_of(const struct naming *naming, const struct naming_request *request)
{
    GString *base;

    if (naming->file)
        return base_of_file(naming->file);
    base = g_string_new(NULL);
    append_capture(base, request->capture);
    append_part(base, name_of_time(request->start));
    append_part(base, naming_player(request->player));
    append_part(base, naming_map(request->map));
    return g_string_free(base, FALSE);
}

/* The extension with its dot. */
static char *extension_of(const struct naming *naming, const struct naming_request *request)
{
    const char *dot;

    if (!naming->file)
        return g_strconcat(".", request->extension, NULL);
    dot = strrchr(naming->file, '.');
    return g_strdup(dot && dot > naming->file ? dot : "");
}

/* The name, or where it was given already, the next one with a number. New. */
static char *number_name(struct naming *naming, const char *base, const char *extension)
{
    char *wanted = g_strconcat(base, extension, NULL);
    unsigned number = MAX(1, GPOINTER_TO_UINT(g_hash_table_lookup(naming->given, wanted)));
    char *name = g_strdup(wanted);

    while (g_hash_table_contains(naming->given, name)) {
        g_free(name);
        name = g_strdup_printf("%s-%u%s", base, ++number, extension);
    }
    g_hash_table_insert(naming->given, g_strdup(name), GUINT_TO_POINTER(1));
    g_hash_table_insert(naming->given, wanted, GUINT_TO_POINTER(number));
    return name;
}

char *naming_next(struct naming *naming, const struct naming_request *request)
{
    char *base, *extension, *name;

    if (naming->file && naming->file_session && naming->file_session != request->session)
        return NULL;
    naming->file_session = request->session;
    base = base_of(naming, request);
    extension = extension_of(naming, request);
    name = number_name(naming, base, extension);
    g_free(base);
    g_free(extension);
    return name;
}
