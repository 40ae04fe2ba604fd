/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/actions/check_options.h"

#include <limits.h>
#include <string.h>

#include "pcap2demo/output/message.h"
#include "pcap2demo/regression/golden.h"
#include "pcap2demo/regression/test_report.h"

enum { NOT_GIVEN = INT_MIN };

void check_options_init(struct check_options *options)
{
    *options = (struct check_options){.max_differences = NOT_GIVEN};
}

void check_options_clear(struct check_options *options)
{
    g_free(options->junit);
    g_free(options->golden.folder);
    g_clear_pointer(&options->golden.ignored, g_ptr_array_unref);
    g_strfreev(options->ignored);
}

void check_options_add(struct check_options *options, struct option_table *table)
{
    struct golden_options *golden = &options->golden;
    const GOptionEntry entries[] = {
        {"no-rebuild", 0, 0, G_OPTION_ARG_NONE, &options->no_rebuild,
         "Check the decoding alone: captures need not give good demos", NULL},
        {"golden", 0, 0, G_OPTION_ARG_FILENAME, &golden->folder,
         "Check that each input decodes as DIR/NAME.golden says", "DIR"},
        {"update", 0, 0, G_OPTION_ARG_NONE, &golden->update,
         "Write the goldens instead, from what is decoded now", NULL},
        {"ignore", 0, 0, G_OPTION_ARG_STRING_ARRAY, &options->ignored,
         "With --update: leave this field, and those below it, out (may be repeated)", "FIELD"},
        {"no-default-ignore", 0, 0, G_OPTION_ARG_NONE, &options->no_default_ignore,
         "With --update: do not leave out times, addresses, challenges and qports", NULL},
        {"max-differences", 0, 0, G_OPTION_ARG_INT, &options->max_differences,
         "Tell the first N differences of each input (default 20)", "N"},
        {"tap", 0, 0, G_OPTION_ARG_NONE, &options->tap,
         "Report the check as test cases (Test Anything Protocol)", NULL},
        {"junit", 0, 0, G_OPTION_ARG_FILENAME, &options->junit,
         "Write the check as test cases to a JUnit file", "FILE"},
        G_OPTION_ENTRY_NULL};

    option_table_add(table, entries);
}

bool check_options_separate_inputs(const struct check_options *options)
{
    return options->golden.folder || options->tap || options->junit;
}

bool check_options_are_given(const struct check_options *options)
{
    return check_options_separate_inputs(options) || options->no_rebuild;
}

/* --- Goldens --------------------------------------------------------------------------------- */

/* A golden names what it leaves out; its list is made anew only where options ask for that. */
static bool set_ignored(struct check_options *options)
{
    GPtrArray *ignored;

    if (!options->ignored && !options->no_default_ignore)
        return true;
    if (!options->golden.update)
        return usage_error("--ignore and --no-default-ignore go with --update: a golden names what "
                           "it leaves out");
    ignored = options->no_default_ignore ? g_ptr_array_new_with_free_func(g_free)
                                         : golden_varying_fields();
    options->golden.ignored = ignored;
    for (char **name = options->ignored; name && *name; name++) {
        if (!golden_is_field(*name))
            return usage_error("--ignore %s: no field is called that, nor begins with \"%s.\"",
                               *name, *name);
        g_ptr_array_add(ignored, g_strdup(*name));
    }
    return true;
}

/* Inputs that would share a golden. */
static bool have_goldens(char *const *files)
{
    GHashTable *names = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    bool good = true;

    for (; *files && good; files++) {
        char *name = golden_name(*files);
        const char *other = g_hash_table_lookup(names, name);

        good =
            !other || usage_error("%s and %s would have the same golden, %s", other, *files, name);
        g_hash_table_insert(names, name, *files);
    }
    g_hash_table_destroy(names);
    return good;
}

static bool has_standard_input(char *const *files)
{
    while (*files && strcmp(*files, "-") != 0)
        files++;
    return *files != NULL;
}

static bool take_golden(struct check_options *options, char *const *files)
{
    const bool given = options->max_differences != NOT_GIVEN;

    if (!options->golden.folder) {
        if (options->golden.update || options->ignored || options->no_default_ignore || given)
            return usage_error("--update, --ignore, --no-default-ignore and --max-differences go "
                               "with --golden");
        return true;
    }
    if (!*files || has_standard_input(files))
        return usage_error("--golden goes with files, whose names are those of the goldens");
    if (options->max_differences < 1 && given)
        return usage_error("--max-differences is a number from 1");
    options->golden.max = given ? (guint)options->max_differences : GOLDEN_MAX_DIFFERENCES;
    return set_ignored(options) && have_goldens(files);
}

bool check_options_take(struct check_options *options, char *const *files, bool json)
{
    if (options->tap && json)
        return usage_error("choose one of --tap and --json");
    return take_golden(options, files);
}
