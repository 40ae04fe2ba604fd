/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/sessions/naming.h"

#include <glib.h>
#include <string.h>

#include "pcap2demo/output/safe_path.h"

struct naming {
    char *folder;
    char *file; /* the name that the user gave, or NULL */
    unsigned file_session;
    GHashTable *given; /* names */
};

char *naming_map(const char *map)
{
    GString *name = g_string_new(NULL);
    const char *slash = map ? strrchr(map, '/') : NULL;
    const char *from = slash ? slash + 1 : map;
    const char *to = from ? from + strlen(from) : NULL;

    if (from && g_str_has_suffix(from, ".bsp"))
        to -= strlen(".bsp");
    for (; from < to && name->len < NAMING_MAP_MAX; from++)
        if (safe_in_names(*from))
            g_string_append_c(name, *from);
    return g_string_free(name, FALSE);
}

/* Splits the file name that the user gave. */
static bool set_file(struct naming *naming, const char *output, char **error)
{
    naming->folder = g_path_get_dirname(output);
    naming->file = g_path_get_basename(output);
    if (g_file_test(naming->folder, G_FILE_TEST_IS_DIR) && !g_str_has_suffix(output, "/"))
        return true;
    *error = g_strdup_printf("%s: no such folder",
                             g_str_has_suffix(output, "/") ? output : naming->folder);
    return false;
}

struct naming *naming_new(const char *output, char **error)
{
    struct naming *naming = g_new0(struct naming, 1);

    naming->given = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    if (!output || g_file_test(output, G_FILE_TEST_IS_DIR)) {
        naming->folder = g_strdup(output ? output : ".");
    } else if (!set_file(naming, output, error)) {
        naming_free(naming);
        return NULL;
    }
    return naming;
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

/* The name without its extension. */
static char *base_of(const struct naming *naming, const struct naming_request *request)
{
    char *map, *base;

    if (naming->file) {
        const char *dot = strrchr(naming->file, '.');

        return dot && dot > naming->file ? g_strndup(naming->file, (gsize)(dot - naming->file))
                                         : g_strdup(naming->file);
    }
    map = naming_map(request->map);
    base = g_strdup_printf("%s-%u%s%s", request->capture, request->session, *map ? "-" : "", map);
    g_free(map);
    return base;
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

char *naming_next(struct naming *naming, const struct naming_request *request)
{
    char *base, *extension, *name;

    if (naming->file && naming->file_session && naming->file_session != request->session)
        return NULL;
    naming->file_session = request->session;
    base = base_of(naming, request);
    extension = extension_of(naming, request);
    name = g_strconcat(base, extension, NULL);
    for (unsigned i = 2; g_hash_table_contains(naming->given, name); i++) {
        g_free(name);
        name = g_strdup_printf("%s-%u%s", base, i, extension);
    }
    g_hash_table_add(naming->given, g_strdup(name));
    g_free(base);
    g_free(extension);
    return name;
}
