/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/inputs.h"

#include <glib.h>
#include <string.h>

#include "common/demo/format.h"
#include "pcap2demo/capture/folder.h"

/* Filters without a space in them that people begin with, and words that longer ones begin with. */
static const char *const filter_words[] = {"udp", "tcp", "ip", "ip6", "port", "host", NULL};
static const char *const printed[] = {"help", "version", NULL};

char **inputs_join(char *const *read, char **others)
{
    GPtrArray *files = g_ptr_array_new();

    for (; read && *read; read++)
        g_ptr_array_add(files, g_strdup(*read));
    for (char **file = others; file && *file; file++)
        g_ptr_array_add(files, *file);
    g_free(others);
    g_ptr_array_add(files, NULL);
    return (char **)g_ptr_array_free(files, FALSE);
}

/* --- Words that are no files ------------------------------------------------------------------ */

static bool is_choice(const struct action_kind *action, const char *word)
{
    for (unsigned i = 0; action->choice && action->choice(i); i++)
        if (strcmp(action->choice(i), word) == 0)
            return true;
    return false;
}

static bool is_action(const char *word)
{
    for (int i = 0; action_kinds[i]; i++)
        if (strcmp(action_kinds[i]->name, word) == 0)
            return true;
    return false;
}

/* Demos are not converted: behind another file, one that is not there is the one to be written. */
static bool is_output(const char *word, const struct action_kind *action, bool first)
{
    return action == &convert_action && !first && qs_demo_format_of_name(word);
}

/* `first` of the files. */
static char *word_problem(const char *word, const struct action_kind *action, bool forced,
                          bool first)
{
    if (is_action(word) || g_strv_contains(printed, word))
        return g_strdup_printf("%s: no such file; did you mean --%s?", word, word);
    if (strcmp(word, "convert") == 0)
        return g_strdup_printf("%s: no such file; captures are converted without a word for it",
                               word);
    if (is_choice(action, word))
        return g_strdup_printf("%s: no such file; did you mean --%s=%s?", word, action->name, word);
    if (forced && (strchr(word, ' ') || g_strv_contains(filter_words, word)))
        return g_strdup_printf("%s: no such file; -f overwrites files, a filter follows --filter",
                               word);
    if (g_strv_contains(filter_words, word))
        return g_strdup_printf("%s: no such file; a filter follows --filter, in quotes", word);
    if (is_output(word, action, first))
        return g_strdup_printf("%s: no such file; did you mean --output %s?", word, word);
    return NULL;
}

char *inputs_problem(char *const *files, const struct action_kind *action, bool forced)
{
    char *problem = NULL;

    for (char *const *file = files; *file && !problem; file++)
        if (!g_file_test(*file, G_FILE_TEST_EXISTS))
            problem = word_problem(*file, action, forced, file == files);
    return problem;
}

/* --- Folders ---------------------------------------------------------------------------------- */

static bool open_folder(const char *folder, bool recursive, bool demos, GPtrArray *files,
                        char **error)
{
    const guint before = files->len;
    char *problem = NULL;

    if (!folder_list(folder, recursive, demos, files, &problem)) {
        *error = g_strdup_printf("%s: %s", folder, problem);
        g_free(problem);
        return false;
    }
    if (files->len > before)
        return true;
    *error = g_strdup_printf("%s: no captures%s are in this folder%s", folder,
                             demos ? " and no demos" : "",
                             recursive ? "" : "; -R looks into those below it, too");
    return false;
}

bool inputs_have_folder(char *const *files)
{
    while (*files && !g_file_test(*files, G_FILE_TEST_IS_DIR))
        files++;
    return *files != NULL;
}

char *inputs_open_folders(char ***files, const struct action_kind *action, bool recursive)
{
    /* Demos that were made of captures in the same folder are not to be converted again. */
    const bool demos = action != &convert_action;
    GPtrArray *all = g_ptr_array_new_with_free_func(g_free);
    char *error = NULL;

    for (char **file = *files; *file && !error; file++)
        if (g_file_test(*file, G_FILE_TEST_IS_DIR))
            open_folder(*file, recursive, demos, all, &error);
        else
            g_ptr_array_add(all, g_strdup(*file));
    g_ptr_array_set_free_func(all, NULL);
    g_ptr_array_add(all, NULL);
    g_strfreev(*files);
    *files = (char **)g_ptr_array_free(all, FALSE);
    return error;
}
