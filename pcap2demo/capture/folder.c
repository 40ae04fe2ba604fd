/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/capture/folder.h"

#include <string.h>

#include "common/demo/format.h"

enum { DEPTH_MAX = 64 };

static const char *const capture_endings[] = {"pcap", "pcapng", "cap", NULL};

/* Whether the first `length` bytes of `name` end with a dot and `ending`. */
static bool has_ending(const char *name, gsize length, const char *ending)
{
    const gsize size = strlen(ending);

    return length > size + 1 && name[length - size - 1] == '.' &&
           g_ascii_strncasecmp(name + length - size, ending, size) == 0;
}

/* What to search for, and the files found. */
struct search {
    bool demos;
    GPtrArray *files;
};

bool folder_is_input(const char *name, bool demos)
{
    const gsize length = qs_unpacked_name_length(name);

    for (const char *const *ending = capture_endings; *ending; ending++)
        if (has_ending(name, length, *ending))
            return true;
    for (int i = 0; demos && qs_demo_formats[i]; i++)
        if (has_ending(name, length, qs_demo_formats[i]->extension))
            return true;
    return false;
}

static gint compare_names(gconstpointer a, gconstpointer b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The names of the folder's entries that are not hidden, sorted; NULL on failure. */
static GPtrArray *names_in(const char *folder, char **error)
{
    GError *problem = NULL;
    GDir *dir = g_dir_open(folder, 0, &problem);
    GPtrArray *names;
    const char *name;

    if (!dir) {
        *error = g_strdup(problem->message);
        g_error_free(problem);
        return NULL;
    }
    names = g_ptr_array_new_with_free_func(g_free);
    while ((name = g_dir_read_name(dir)))
        if (*name != '.')
            g_ptr_array_add(names, g_strdup(name));
    g_dir_close(dir);
    g_ptr_array_sort(names, compare_names);
    return names;
}

static bool list(const char *folder, unsigned depth, const struct search *search, char **error);

static bool list_path(char *path, const char *name, unsigned depth, const struct search *search,
                      char **error)
{
    bool good = true;

    if (!g_file_test(path, G_FILE_TEST_IS_DIR)) {
        if (folder_is_input(name, search->demos))
            g_ptr_array_add(search->files, g_strdup(path));
    } else if (depth && !g_file_test(path, G_FILE_TEST_IS_SYMLINK)) {
        good = list(path, depth - 1, search, error);
    }
    return good;
}

/* `depth`: how many levels of subfolders are searched. */
static bool list(const char *folder, unsigned depth, const struct search *search, char **error)
{
    GPtrArray *names = names_in(folder, error);
    bool good = names != NULL;

    for (guint i = 0; good && i < names->len; i++) {
        const char *name = g_ptr_array_index(names, i);
        char *path = g_build_filename(folder, name, NULL);

        good = list_path(path, name, depth, search, error);
        g_free(path);
    }
    if (names)
        g_ptr_array_free(names, TRUE);
    return good;
}

bool folder_list(const char *folder, bool recursive, bool demos, GPtrArray *files, char **error)
{
    const struct search search = {.demos = demos, .files = files};

    return list(folder, recursive ? DEPTH_MAX : 0, &search, error);
}
