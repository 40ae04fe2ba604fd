/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/actions/option_table.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum {
    COLUMNS_OF_HELP = 80,
    HELP_COLUMN = 28,  /* where the text about an option begins */
    LIKENESS_MAX = 64, /* letters of a word that are compared */
    EDITS_MAX = 2      /* letters that may be wrong in a word that was meant */
};

struct entry {
    GOptionEntry option;
    const char *section;
};

struct option_table {
    GArray *entries; /* struct entry */
    const char *section;
};

struct option_table *option_table_new(void)
{
    struct option_table *table = g_new0(struct option_table, 1);

    table->entries = g_array_new(FALSE, FALSE, sizeof(struct entry));
    return table;
}

void option_table_free(struct option_table *table)
{
    g_array_free(table->entries, TRUE);
    g_free(table);
}

void option_table_section(struct option_table *table, const char *title)
{
    table->section = title;
}

void option_table_add(struct option_table *table, const GOptionEntry *entries)
{
    for (; entries->long_name; entries++) {
        const struct entry entry = {*entries, table->section};

        g_array_append_val(table->entries, entry);
    }
}

static const struct entry *entry_at(const struct option_table *table, guint index)
{
    return &g_array_index(table->entries, struct entry, index);
}

/* Files that no option names have an entry, too, without a name. */
static bool is_named(const struct entry *entry)
{
    return *entry->option.long_name != '\0';
}

static bool takes_value(const struct entry *entry)
{
    return entry->option.arg != G_OPTION_ARG_NONE && !(entry->option.flags & G_OPTION_FLAG_NO_ARG);
}

void option_table_add_to(const struct option_table *table, GOptionGroup *group)
{
    for (guint i = 0; i < table->entries->len; i++) {
        const GOptionEntry entries[] = {entry_at(table, i)->option, G_OPTION_ENTRY_NULL};

        g_option_group_add_entries(group, entries);
    }
}

/* --- Help ------------------------------------------------------------------------------------ */

/* Appends `text`, which begins at column HELP_COLUMN, in lines that fit. */
static void append_wrapped(GString *out, const char *text)
{
    char **words = g_strsplit(text, " ", -1);
    glong column = HELP_COLUMN;

    for (char **word = words; *word; word++) {
        const glong width = g_utf8_strlen(*word, -1);

        if (word > words && column + 1 + width >= COLUMNS_OF_HELP) {
            g_string_append_printf(out, "\n%*s", HELP_COLUMN, "");
            column = HELP_COLUMN;
        } else if (word > words) {
            g_string_append_c(out, ' ');
            column++;
        }
        g_string_append(out, *word);
        column += width;
    }
    g_strfreev(words);
}

static void append_names(GString *out, const GOptionEntry *option)
{
    const bool optional = option->flags & G_OPTION_FLAG_OPTIONAL_ARG;

    if (option->short_name)
        g_string_append_printf(out, "  -%c, ", option->short_name);
    else
        g_string_append(out, "      ");
    g_string_append_printf(out, "--%s", option->long_name);
    if (option->arg_description)
        g_string_append_printf(out, optional ? "[=%s]" : "=%s", option->arg_description);
}

static void append_entry(GString *out, const struct entry *entry)
{
    const GOptionEntry *option = &entry->option;
    const gsize start = out->len;

    append_names(out, option);
    if (out->len - start + 2 > HELP_COLUMN)
        g_string_append_printf(out, "\n%*s", HELP_COLUMN, "");
    else
        g_string_append_printf(out, "%*s", (int)(HELP_COLUMN - (out->len - start)), "");
    append_wrapped(out, option->description);
    g_string_append_c(out, '\n');
}

void option_table_print(const struct option_table *table)
{
    GString *out = g_string_new(NULL);
    const char *section = NULL;

    for (guint i = 0; i < table->entries->len; i++) {
        const struct entry *entry = entry_at(table, i);

        if (!is_named(entry))
            continue;
        if (entry->section != section)
            g_string_append_printf(out, "\n%s:\n", entry->section);
        section = entry->section;
        append_entry(out, entry);
    }
    fputs(out->str, stdout);
    g_string_free(out, TRUE);
}

/* --- Words that are wrong -------------------------------------------------------------------- */

/* How many letters are to be changed, added or taken away (Levenshtein's distance). */
static unsigned edits_between(const char *a, const char *b)
{
    unsigned row[LIKENESS_MAX + 1];
    const size_t width = MIN(strlen(b), (size_t)LIKENESS_MAX);

    for (unsigned j = 0; j <= width; j++)
        row[j] = j;
    for (unsigned i = 1; a[i - 1] && i <= LIKENESS_MAX; i++) {
        unsigned diagonal = row[0];

        row[0] = i;
        for (size_t j = 1; j <= width; j++) {
            const unsigned change = diagonal + (a[i - 1] != b[j - 1]);

            diagonal = row[j];
            row[j] = MIN(change, MIN(row[j], row[j - 1]) + 1);
        }
    }
    return row[width];
}

/* A beginning of an option's name is meant for it; so is a name with few wrong letters. */
static unsigned unlikeness(const char *word, const struct entry *entry)
{
    return g_str_has_prefix(entry->option.long_name, word)
               ? 0
               : edits_between(word, entry->option.long_name);
}

/* What other programs call it. */
static const struct {
    const char *theirs, *ours;
} synonyms[] = {{"protocol", "port"}, {"decode-as", "port"},        {"info", "list"},
                {"print", "dump"},    {"display-filter", "filter"}, {"overwrite", "force"},
                {"folder", "output"}};

static const struct {
    char theirs;
    const char *ours;
} letters[] = {{'Y', "filter"}, {'d', "port"}};

static const char *synonym(const char *word)
{
    for (size_t i = 0; i < G_N_ELEMENTS(synonyms); i++)
        if (strcmp(synonyms[i].theirs, word) == 0)
            return synonyms[i].ours;
    return NULL;
}

/* The name of the option that was probably meant, or NULL. */
static const char *nearest(const struct option_table *table, const char *word)
{
    const char *name = synonym(word);
    unsigned least = name ? 0 : EDITS_MAX + 1;

    for (guint i = 0; i < table->entries->len; i++) {
        const struct entry *entry = entry_at(table, i);
        const unsigned edits = is_named(entry) ? unlikeness(word, entry) : least;

        if (edits < least) {
            least = edits;
            name = entry->option.long_name;
        }
    }
    return name;
}

static const struct entry *find_long(const struct option_table *table, const char *name)
{
    for (guint i = 0; i < table->entries->len; i++)
        if (is_named(entry_at(table, i)) && strcmp(entry_at(table, i)->option.long_name, name) == 0)
            return entry_at(table, i);
    return NULL;
}

static const struct entry *find_short(const struct option_table *table, char letter)
{
    for (guint i = 0; i < table->entries->len; i++)
        if (entry_at(table, i)->option.short_name == letter)
            return entry_at(table, i);
    return NULL;
}

static char *unknown(const struct option_table *table, const char *name)
{
    const char *meant = nearest(table, name);

    return meant ? g_strdup_printf("--%s: no such option; did you mean --%s?", name, meant)
                 : g_strdup_printf("--%s: no such option", name);
}

static char *unknown_letter(char letter)
{
    for (size_t i = 0; i < G_N_ELEMENTS(letters); i++)
        if (letters[i].theirs == letter)
            return g_strdup_printf("-%c: no such option; did you mean --%s?", letter,
                                   letters[i].ours);
    return g_strdup_printf("-%c: no such option", letter);
}

static char *value_of_flag(const struct option_table *table, const char *name, const char *value)
{
    const struct entry *other = find_long(table, value);

    if (other && !takes_value(other))
        return g_strdup_printf("--%s takes no value; did you mean --%s --%s?", name, name, value);
    return g_strdup_printf("--%s takes no value: leave \"=%s\" out", name, value);
}

/* `word` is "--name" or "--name=value". Sets `*skip` where the next word is its value. */
static char *long_problem(const struct option_table *table, const char *word, bool *skip)
{
    const char *equals = strchr(word, '=');
    char *name = g_strndup(word + 2, equals ? (gsize)(equals - word - 2) : strlen(word + 2));
    const struct entry *entry = find_long(table, name);
    char *problem = NULL;

    if (!entry)
        problem = unknown(table, name);
    else if (equals && !takes_value(entry))
        problem = value_of_flag(table, name, equals + 1);
    *skip = entry && !equals && takes_value(entry) &&
            !(entry->option.flags & G_OPTION_FLAG_OPTIONAL_ARG);
    g_free(name);
    return problem;
}

/* `word` is "-abc", where a value may stand right behind the letter of its option. */
static char *short_problem(const struct option_table *table, const char *word, bool *skip)
{
    for (const char *letter = word + 1; *letter; letter++) {
        const struct entry *entry = find_short(table, *letter);

        if (!entry)
            return unknown_letter(*letter);
        if (takes_value(entry)) {
            *skip = !letter[1];
            break;
        }
    }
    return NULL;
}

char *option_table_problem(const struct option_table *table, int argc, char *const *argv)
{
    char *problem = NULL;
    bool skip = false;

    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0 && !problem; i++) {
        const bool is_value = skip;

        skip = false;
        if (is_value || argv[i][0] != '-' || !argv[i][1])
            continue;
        problem = argv[i][1] == '-' ? long_problem(table, argv[i], &skip)
                                    : short_problem(table, argv[i], &skip);
    }
    return problem;
}
