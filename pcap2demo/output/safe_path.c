/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/output/files.h"

#include <errno.h>
#include <glib.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>

#include "common/core/text.h"

static const char separators[] = "/\\";
static const char unnamed[] = "unnamed";

/* Appends the name of a folder or file, made safe. */
static void add_part(GString *path, const char *part)
{
    const gsize start = path->len ? path->len + 1 : 0;

    if (start)
        g_string_append_c(path, '/');
    for (; *part && path->len - start < SAFE_PATH_PART; part++)
        g_string_append_c(path, qs_text_safe_in_names(*part) || *part == '.' ? *part : '_');
    if (path->str[start] == '.' || path->str[start] == '-')
        path->str[start] = '_';
}

char *safe_path(const char *name)
{
    GString *path = g_string_new(NULL);
    char **parts = g_strsplit_set(name ? name : "", separators, -1);
    unsigned depth = 0;

    /* Appends all parts, except folders beyond the maximum depth. The last one is the file's name.
     */
    for (char **part = parts; *part; part++)
        if (**part && (++depth < SAFE_PATH_DEPTH || !part[1]))
            add_part(path, *part);
    g_strfreev(parts);
    if (!path->len)
        g_string_append(path, unnamed);
    return g_string_free(path, FALSE);
}

static bool make_folder(const char *path, char **error)
{
    struct stat about;

    if (mkdir(path, 0777) == 0)
        return true;
    if (errno == EEXIST && lstat(path, &about) == 0) {
        if (S_ISDIR(about.st_mode))
            return true;
        errno = ENOTDIR;
    }
    *error = g_strdup_printf("%s: %s", path, g_strerror(errno));
    return false;
}

char *safe_path_make_folders(const char *folder, const char *path, char **error)
{
    GString *made = g_string_new(folder);
    const char *slash;

    for (; (slash = strchr(path, '/')); path = slash + 1) {
        g_string_append_c(made, '/');
        g_string_append_len(made, path, slash - path);
        if (!make_folder(made->str, error)) {
            g_string_free(made, TRUE);
            return NULL;
        }
    }
    return g_string_free(made, FALSE);
}

char *make_folders(const char *folder)
{
    if (g_mkdir_with_parents(folder, 0777) == 0)
        return NULL;
    return g_strdup_printf("%s: %s", folder, g_strerror(errno));
}
