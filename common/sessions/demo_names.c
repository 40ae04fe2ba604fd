/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/core/hash.h"
#include "common/sessions/demo_names.h"

#include <glib.h>
#include <string.h>

#include "common/core/text.h"

/* Maximum length of a capture's name in a demo's (bytes): file systems allow 255 for the whole. */
enum { CAPTURE_PART_MAX = 150 };

struct qs_demo_names {
    char *file; /* name that the user wants, or NULL */
    unsigned file_session;
    GHashTable *given; /* names in use, and the last number added to each to make it unique; or 1 */
};

static char *safe_part(const char *from, const char *to)
{
    GString *name = g_string_new(NULL);

    for (; from < to && name->len < QS_DEMO_NAME_PART_MAX; from++)
        if (qs_text_safe_in_names(*from))
            g_string_append_c(name, *from);
    return g_string_free(name, FALSE);
}

char *qs_demo_name_map(const char *map)
{
    const char *slash = map ? strrchr(map, '/') : NULL;
    const char *from = slash ? slash + 1 : map;
    const char *to = from ? from + strlen(from) : NULL;

    if (from && g_str_has_suffix(from, ".bsp"))
        to -= strlen(".bsp");
    return safe_part(from, to);
}

struct qs_demo_names *qs_demo_names_new(const char *file)
{
    struct qs_demo_names *names = g_new0(struct qs_demo_names, 1);

    names->given = g_hash_table_new_full(qs_str_hash, g_str_equal, g_free, NULL);
    names->file = g_strdup(file);
    return names;
}

void qs_demo_names_free(struct qs_demo_names *names)
{
    g_hash_table_destroy(names->given);
    g_free(names->file);
    g_free(names);
}

void qs_demo_names_forget(struct qs_demo_names *names, unsigned max)
{
    if (g_hash_table_size(names->given) > max)
        g_hash_table_remove_all(names->given);
}

bool qs_demo_names_are_generated(const struct qs_demo_names *names)
{
    return !names->file;
}

/* Returns the time as a text, to be freed; empty if it is no calendar date. */
static char *name_of_time(int64_t time)
{
    GDateTime *date = g_date_time_new_from_unix_utc(time / 1000000000);
    char *name = date ? g_date_time_format(date, "%Y%m%d-%H%M%S") : NULL;

    if (date)
        g_date_time_unref(date);
    return name ? name : g_strdup("");
}

static void append_part(GString *base, char *part)
{
    if (*part)
        g_string_append_printf(base, "%s%s", base->len ? "-" : "", part);
    g_free(part);
}

/* Returns the printable start of the capture's name, to be freed. */
static char *capture_part(const char *capture)
{
    char *name = qs_text_printable(capture);
    char *end = name;

    while (*end && g_utf8_next_char(end) <= name + CAPTURE_PART_MAX)
        end = g_utf8_next_char(end);
    *end = '\0';
    return name;
}

static char *base_of(const struct qs_demo_name_request *request)
{
    const char *player = request->player ? request->player : "";
    GString *base = g_string_new(NULL);

    append_part(base, capture_part(request->capture));
    append_part(base, name_of_time(request->start));
    append_part(base, safe_part(player, player + strlen(player)));
    append_part(base, qs_demo_name_map(request->map));
    return g_string_free(base, FALSE);
}

/* Returns the name, to be freed, with the next free number if it is in use. */
static char *number_name(struct qs_demo_names *names, const char *base, const char *extension)
{
    char *wanted = g_strconcat(base, extension, NULL);
    unsigned number = MAX(1, GPOINTER_TO_UINT(g_hash_table_lookup(names->given, wanted)));
    char *name = g_strdup(wanted);

    while (g_hash_table_contains(names->given, name)) {
        g_free(name);
        name = g_strdup_printf("%s-%u%s", base, ++number, extension);
    }
    g_hash_table_insert(names->given, g_strdup(name), GUINT_TO_POINTER(1));
    g_hash_table_insert(names->given, wanted, GUINT_TO_POINTER(number));
    return name;
}

char *qs_demo_names_next(struct qs_demo_names *names, const struct qs_demo_name_request *request)
{
    const char *dot = names->file ? strrchr(names->file, '.') : NULL;
    char *base, *extension, *name;

    if (names->file && names->file_session && names->file_session != request->session)
        return NULL;
    names->file_session = request->session;
    if (!names->file) {
        base = base_of(request);
        extension = g_strconcat(".", request->extension, NULL);
    } else {
        extension = g_strdup(dot ? dot : "");
        base = g_strndup(names->file, strlen(names->file) - strlen(extension));
    }
    name = number_name(names, base, extension);
    g_free(base);
    g_free(extension);
    return name;
}
