/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/regression/golden_strays.h"

#include <string.h>

#include "pcap2demo/regression/golden_check.h"

static gint compare_texts(gconstpointer a, gconstpointer b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Of all files. */
static GHashTable *names_of(char *const *files)
{
    GHashTable *names = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);

    for (; *files; files++)
        g_hash_table_add(names, golden_name(*files));
    return names;
}

GPtrArray *golden_strays(const char *folder, char *const *files)
{
    GPtrArray *strays = g_ptr_array_new_with_free_func(g_free);
    GHashTable *names = names_of(files);
    GDir *dir = g_dir_open(folder, 0, NULL);
    const char *name;

    while (dir && (name = g_dir_read_name(dir)))
        if (g_str_has_suffix(name, ".golden") && !g_hash_table_contains(names, name))
            g_ptr_array_add(strays, g_build_filename(folder, name, NULL));
    if (dir)
        g_dir_close(dir);
    g_hash_table_destroy(names);
    g_ptr_array_sort(strays, compare_texts);
    return strays;
}
