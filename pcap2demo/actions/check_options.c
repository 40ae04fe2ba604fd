/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/actions/check_options.h"

#include <string.h>

#include "pcap2demo/output/message.h"
#include "pcap2demo/output/writer.h"
#include "pcap2demo/regression/golden.h"
#include "pcap2demo/regression/test_report.h"

struct check_options check_options;

/* The command line options. */
static struct {
    gboolean no_default_ignore;
    int max_differences;
    char **ignored;
} given;

const GOptionEntry check_entries[] = {
    {"no-rebuild", 0, 0, G_OPTION_ARG_NONE, &check_options.no_rebuild,
     "Check the decoding only, not the demos", NULL},
    {"golden", 0, 0, G_OPTION_ARG_FILENAME, &check_options.golden.folder,
     "Compare each input with DIR/NAME.golden", "DIR"},
    {"update", 0, 0, G_OPTION_ARG_NONE, &check_options.golden.update,
     "Write the goldens instead of comparing", NULL},
    {"ignore", 0, 0, G_OPTION_ARG_STRING_ARRAY, &given.ignored,
     "With --update: leave this field out (may be repeated)", "FIELD"},
    {"no-default-ignore", 0, 0, G_OPTION_ARG_NONE, &given.no_default_ignore,
     "With --update: keep times, addresses, challenges, qports", NULL},
    {"max-differences", 0, 0, G_OPTION_ARG_INT, &given.max_differences,
     "Print N differences of each input (default 20)", "N"},
    {"tap", 0, 0, G_OPTION_ARG_NONE, &check_options.tap,
     "Print test cases (Test Anything Protocol)", NULL},
    {"junit", 0, 0, G_OPTION_ARG_FILENAME, &check_options.junit, "Write test cases to a JUnit file",
     "FILE"},
    G_OPTION_ENTRY_NULL};

bool check_options_separate_inputs(void)
{
    return check_options.golden.folder || check_options.tap || check_options.junit;
}

/* --- Goldens --------------------------------------------------------------------------------- */

/* A golden names the fields that it leaves out; only options replace that list. */
static bool set_ignored(void)
{
    GPtrArray *ignored;

    if (!given.ignored && !given.no_default_ignore)
        return true;
    if (!check_options.golden.update)
        return usage_error("--ignore and --no-default-ignore go with --update: a golden names what "
                           "it leaves out");
    ignored =
        given.no_default_ignore ? g_ptr_array_new_with_free_func(g_free) : golden_varying_fields();
    check_options.golden.ignored = ignored;
    for (char **name = given.ignored; name && *name; name++) {
        if (!golden_is_field(*name))
            return usage_error("--ignore %s: no field is called that, nor begins with \"%s.\"",
                               *name, *name);
        g_ptr_array_add(ignored, g_strdup(*name));
    }
    return true;
}

/* Reports inputs that would share a golden. */
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

static bool parse_golden(char *const *files)
{
    const bool has_max = given.max_differences != OPTION_NOT_GIVEN;

    if (!check_options.golden.folder) {
        if (check_options.golden.update || given.ignored || given.no_default_ignore || has_max)
            return usage_error("--update, --ignore, --no-default-ignore and --max-differences go "
                               "with --golden");
        return true;
    }
    if (!*files || has_standard_input(files))
        return usage_error("--golden goes with files, whose names are those of the goldens");
    if (given.max_differences < 1 && has_max)
        return usage_error("--max-differences is a number from 1");
    check_options.golden.max = has_max ? (guint)given.max_differences : GOLDEN_MAX_DIFFERENCES;
    return set_ignored() && have_goldens(files);
}

bool check_options_parse(const struct options *options)
{
    char *problem = writer_name_problem("--junit", check_options.junit);

    if (problem)
        return usage_problem(problem);
    g_clear_pointer(&check_options.golden.ignored, g_ptr_array_unref);
    check_options.golden.show_secrets = options->show_secrets;
    if (check_options.tap && options->json)
        return usage_error("choose one of --tap and --json");
    return parse_golden(options->files);
}
