/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/options.h"

#include <string.h>

#include "pcap2demo/output/message.h"

#define SECOND INT64_C(1000000000) /* nanoseconds */

/* --- Lists of values ------------------------------------------------------------------------- */

static GPtrArray **lists_of(struct options *options, guint i)
{
    GPtrArray **const lists[] = {
        &options->input.files,   &options->input.ports,   &options->input.protocol_options,
        &options->demo.sign_ons, &options->check.ignored, &options->check.problems};

    return i < G_N_ELEMENTS(lists) ? lists[i] : NULL;
}

void options_init(struct options *options)
{
    *options = (struct options){.given = g_array_new(FALSE, FALSE, sizeof(struct given_option)),
                                .packets = g_array_new(FALSE, FALSE, sizeof(struct qs_range))};
    for (guint i = 0; lists_of(options, i); i++)
        *lists_of(options, i) = g_ptr_array_new();
}

void options_clear(struct options *options)
{
    for (guint i = 0; lists_of(options, i); i++)
        g_ptr_array_free(*lists_of(options, i), TRUE);
    g_array_free(options->packets, TRUE);
    g_array_free(options->given, TRUE);
}

/* --- Rows of the table ----------------------------------------------------------------------- */

static bool takes_value(const struct option_row *row)
{
    return row->value || row->choices;
}

static const struct option_row *find_letter(const GPtrArray *rows, char letter)
{
    for (guint i = 0; i < rows->len; i++) {
        const struct option_row *row = g_ptr_array_index(rows, i);

        if (row->name && row->letter == letter)
            return row;
    }
    return NULL;
}

char *option_value_form(const struct option_row *row)
{
    const char *form = row->choices ? row->choices : row->value;

    return row->standard ? g_strdup_printf("[%s]", form) : g_strdup(form);
}

const char *option_given(const struct options *options, const struct option_row *table)
{
    for (; table && table->name; table++)
        for (guint i = 0; i < options->given->len; i++)
            if (g_array_index(options->given, struct given_option, i).row == table)
                return table->name;
    return NULL;
}

/* --- Values ---------------------------------------------------------------------------------- */

/* True if `value` is one of the row's choices; reports an error if not. */
static bool check_choice(const struct option_row *row, const char *value)
{
    char **choices = g_strsplit(row->choices, "|", -1);
    const bool good = g_strv_contains((const char *const *)choices, value);
    GString *all = g_string_new(NULL);

    for (guint i = 0; choices[i]; i++)
        g_string_append_printf(all, "%s%s", !i ? "" : choices[i + 1] ? ", " : " or ", choices[i]);
    if (!good)
        usage_error("--%s takes %s, not \"%s\"%s", row->name, all->str, value,
                    row->standard ? "; leave out the \"=\" if it is a name" : "");
    g_string_free(all, TRUE);
    g_strfreev(choices);
    return good;
}

/* Reads a number of 1 or more at `*at`, and moves `*at` behind it. False if there is none. */
static bool read_number(const char **at, uint64_t *number)
{
    char *end;

    if (!g_ascii_isdigit(**at))
        return false;
    *number = g_ascii_strtoull(*at, &end, 10);
    *at = end;
    return *number != 0;
}

/* Reads "3", "3-5" or "3-" at `*at`, and moves `*at` behind it. False if it is not valid. */
static bool read_range(const char **at, struct qs_range *range)
{
    if (!read_number(at, &range->first))
        return false;
    range->last = range->first;
    if (**at != '-')
        return true;
    ++*at;
    range->last = UINT64_MAX;
    return !**at || **at == ',' || (read_number(at, &range->last) && range->last >= range->first);
}

/* Parses a value such as "2", "1,3-5" or "100-". Reports an error if it is not valid. */
static bool add_ranges(GArray *ranges, const struct option_row *row, const char *value)
{
    struct qs_range range;

    for (const char *at = value; read_range(&at, &range); at++) {
        g_array_append_val(ranges, range);
        if (!*at)
            return true;
        if (*at != ',')
            break;
    }
    return usage_error("--%s %s: %ss are numbers from 1, such as 2 or 1,3-5", row->name, value,
                       g_str_has_prefix(row->name, "packet") ? "packet" : row->name);
}

static bool set_count(guint *count, const struct option_row *row, const char *value)
{
    guint64 number;

    if (!g_ascii_string_to_unsigned(value, 10, 1, G_MAXINT, &number, NULL))
        return usage_error("--%s takes a number from 1, not \"%s\"", row->name, value);
    *count = (guint)number;
    return true;
}

/* A unit: its names, each between blanks, and its size. */
struct unit {
    const char *names;
    uint64_t factor;
};

/* Parses a number with a unit: "20", "1.5G", "5 min". The first unit is the default. 0: invalid. */
static uint64_t parse_amount(const char *text, const struct unit *units)
{
    const uint64_t standard = units->factor;
    char *end, *name;
    const double number = g_ascii_strtod(text, &end);
    uint64_t amount = 0;

    if (!g_ascii_isdigit(*text) || !(number > 0))
        return 0;
    end += strspn(end, " ");
    name = g_strdup_printf(" %s ", end);
    for (; units->names; units++)
        if ((*end ? strcasestr(units->names, name) != NULL : units->factor == standard) &&
            number <= 1e9 * 1e9 / (double)units->factor)
            amount = (uint64_t)(number * (double)units->factor);
    g_free(name);
    return amount;
}

static bool set_size(uint64_t *bytes, const struct option_row *row, const char *value)
{
    static const struct unit units[] = {{" b byte bytes ", 1},      {" k kb kib ", 1 << 10},
                                        {" m mb mib ", 1 << 20},    {" g gb gib ", 1 << 30},
                                        {" t tb tib ", 1ULL << 40}, {NULL, 0}};

    *bytes = parse_amount(value, units);
    return *bytes || usage_error("--%s %s: a size is a number with k, M, G or T, such as 500M",
                                 row->name, value);
}

static bool set_time(int64_t *time, const struct option_row *row, const char *value)
{
    static const struct unit units[] = {
        {" s sec secs second seconds ", 1}, {" m min mins minute minutes ", 60},
        {" h hr hrs hour hours ", 3600},    {" d day days ", 86400},
        {" w week weeks ", 604800},         {NULL, 0}};
    const uint64_t seconds = parse_amount(value, units);

    *time = seconds <= INT64_MAX / SECOND ? (int64_t)seconds * SECOND : 0;
    return *time ||
           usage_error("--%s %s: a time is a number with s, m, h, d or w, such as 90s or 30d",
                       row->name, value);
}

static bool set_value(struct options *options, const struct option_row *row, const char *value)
{
    const struct given_option given = {row, value};
    const struct action_kind *kind = (const struct action_kind *)row; /* if it is an action's */
    void *at = (char *)options + row->offset;

    if (row->choices && value && !check_choice(row, value))
        return false;
    g_array_append_val(options->given, given);
    switch (row->type) {
    case OPTION_FLAG:
        *(bool *)at = true;
        return true;
    case OPTION_TEXT:
        *(const char **)at = value;
        return true;
    case OPTION_TEXTS:
        g_ptr_array_add(*(GPtrArray **)at, (char *)value);
        return true;
    case OPTION_RANGES:
        return add_ranges(*(GArray **)at, row, value);
    case OPTION_COUNT:
        return set_count(at, row, value);
    case OPTION_SIZE:
        return set_size(at, row, value);
    case OPTION_TIME:
        return set_time(at, row, value);
    case OPTION_ACTION:
        options->several_actions |= options->action && options->action != kind;
        options->action = kind;
        options->argument = value ? value : row->standard;
        return true;
    case OPTION_GONE:
        message((struct qs_location){0}, "--%s is not used any more: %s", row->name, row->help);
        return true;
    }
    return true;
}

/* --- Words of the command line --------------------------------------------------------------- */

struct words {
    struct options *options;
    const GPtrArray *rows;
    char *const *next;
};

/* Sets the row's value: `inside` the option's word, or else the next word, if that is no option. */
static bool read_value(struct words *words, const struct option_row *row, const char *inside)
{
    g_autofree char *form = option_value_form(row);
    const char *value = *words->next;

    if (!takes_value(row) || inside || row->standard)
        return set_value(words->options, row, inside);
    if (!value)
        return usage_error("--%s needs a value: --%s=%s", row->name, row->name, form);
    if (g_str_has_prefix(value, "--"))
        return usage_error("--%s needs a value (%s), and \"%s\" is an option; if it is the value, "
                           "write --%s=%s",
                           row->name, form, value, row->name, value);
    words->next++;
    return set_value(words->options, row, value);
}

/* Reads a word such as "--list", "--dump=json" or "--output", and its value. */
static bool read_long(struct words *words, const char *word)
{
    const char *value = strchr(word, '=');
    g_autofree char *name = g_strndup(word, value ? (gsize)(value - word) : strlen(word));
    const struct option_row *row = option_find(words->rows, name + 2);

    if (!row)
        return guess_unknown(words->rows, word, name + 2);
    if (value && !takes_value(row))
        return usage_error("%s takes no value: leave \"%s\" out", name, value);
    return read_value(words, row, value ? value + 1 : NULL);
}

/* Reads a word such as "-l", "-s2" or "-qo", and its value. */
static bool read_short(struct words *words, const char *word)
{
    if (word[2] && option_find(words->rows, word + 1))
        return usage_error("unknown option %s; did you mean -%s?", word, word);
    for (const char *letter = word + 1; *letter; letter++) {
        const struct option_row *row = find_letter(words->rows, *letter);
        const char name[] = {*letter, '\0'};

        if (!row)
            return guess_unknown(words->rows, word, name);
        if (takes_value(row) && letter[1] == '=')
            return usage_error("%s: write -%c %s, without the \"=\"", word, *letter, letter + 2);
        if (!read_value(words, row, takes_value(row) && letter[1] ? letter + 1 : NULL))
            return false;
        if (takes_value(row))
            break;
    }
    return true;
}

bool options_read(struct options *options, const GPtrArray *rows, char *const *argv)
{
    struct words words = {options, rows, *argv ? argv + 1 : argv};
    bool options_end = false, good = true;

    while (good && *words.next) {
        char *word = *words.next++;

        if (options_end || *word != '-' || !word[1])
            g_ptr_array_add(options->input.files, word);
        else if (strcmp(word, "--") == 0)
            options_end = true;
        else
            good = word[1] == '-' ? read_long(&words, word) : read_short(&words, word);
    }
    return good;
}
