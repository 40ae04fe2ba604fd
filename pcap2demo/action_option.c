/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/action_option.h"

#include <string.h>

/* `option` is "--list" or "-l". */
static const struct action_kind *find_action(const char *option)
{
    for (int i = 0; action_kinds[i]; i++) {
        const struct action_kind *kind = action_kinds[i];

        if (option[1] == '-' ? strcmp(option + 2, kind->name) == 0 : option[1] == kind->letter)
            return kind;
    }
    return NULL;
}

static gboolean take_action(const char *option, const char *value, gpointer data, GError **error)
{
    struct action_option *action = data;
    struct options *options = action->options;
    const struct action_kind *kind = find_action(option);
    char *problem = value && kind->standard && kind->problem ? kind->problem(value) : NULL;

    if (options->action && options->action != kind)
        action->several = true;
    options->action = kind;
    g_free(options->argument);
    options->argument = g_strdup(value);
    if (problem)
        g_set_error_literal(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE, problem);
    g_free(problem);
    return !problem;
}

char *action_option_names(const char *last, bool json)
{
    GPtrArray *names = g_ptr_array_new();
    GString *text = g_string_new(NULL);

    for (int i = 0; action_kinds[i]; i++)
        if (!json || action_kinds[i]->json)
            g_ptr_array_add(names, (char *)action_kinds[i]->name);
    for (guint i = 0; i < names->len; i++)
        g_string_append_printf(text, "%s--%s",
                               !i                   ? ""
                               : i + 1 < names->len ? ", "
                                                    : last,
                               (const char *)g_ptr_array_index(names, i));
    g_ptr_array_free(names, TRUE);
    return g_string_free(text, FALSE);
}

/* "text|json" */
static const char *choices_of(const struct action_kind *kind)
{
    GString *text = g_string_new(NULL);
    const char *interned;

    for (unsigned i = 0; kind->choice(i); i++)
        g_string_append_printf(text, "%s%s", i ? "|" : "", kind->choice(i));
    interned = g_intern_string(text->str);
    g_string_free(text, TRUE);
    return interned;
}

static int flags_of(const struct action_kind *kind)
{
    if (!kind->argument && !kind->choice)
        return G_OPTION_FLAG_NO_ARG;
    return kind->standard ? G_OPTION_FLAG_OPTIONAL_ARG : G_OPTION_FLAG_FILENAME;
}

void action_option_add(struct option_table *table)
{
    /* GOption wants functions as object pointers, which POSIX allows and ISO C does not. */
    __extension__ gpointer callback = (gpointer)take_action;

    for (int i = 0; action_kinds[i]; i++) {
        const struct action_kind *kind = action_kinds[i];
        const GOptionEntry entries[] = {{kind->name, kind->letter, flags_of(kind),
                                         G_OPTION_ARG_CALLBACK, callback, kind->help,
                                         kind->choice ? choices_of(kind) : kind->argument},
                                        G_OPTION_ENTRY_NULL};

        option_table_add(table, entries);
    }
}

void action_option_spell_out(int argc, char **argv, GPtrArray *spelt_out)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        const struct action_kind *kind =
            g_str_has_prefix(argv[i], "--") ? find_action(argv[i]) : NULL;

        if (!kind || !kind->standard)
            continue;
        argv[i] = g_strdup_printf("--%s=%s", kind->name, kind->standard);
        g_ptr_array_add(spelt_out, argv[i]);
    }
}
