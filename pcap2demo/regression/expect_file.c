/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/regression/expect_rules.h"

#include <math.h>
#include <string.h>

#include "common/core/sink.h"
#include "common/protocols.h"
#include "pcap2demo/regression/golden.h"

/* What a new file begins with. */
static const char head[] =
    " What recordings of the same programs have in common on the wire. A check of another one "
    "fails\n"
    " where it differs; pcap2demo --check --expect FILE --update widens the file. Edit what you "
    "like.\n"
    "\n"
    " [GAME], [GAME DIRECTION]: each value must be listed, or in the range.\n"
    " sign-on: the same types of messages, and per-level as many, if the map is listed.\n"
    " play, every-second: the message must come in each second, per-second as often.\n"
    " play, others: the message may be missing, and comes per-second as often at most.\n"
    " Where a message comes, it must have the bytes and fields that are listed. If flags show "
    "which\n"
    "   fields it has, most messages of its type must. Of lists the items per message are "
    "counted.\n"
    " A new type that comes in each second or sign-on fails. Others are notes, and so are other "
    "maps;\n"
    "   with new = fail in [GAME] they fail, too.\n";

/* --- Parts ------------------------------------------------------------------------------------ */

const struct expect_range expect_anything = {-HUGE_VAL, HUGE_VAL};

bool expect_range_has(struct expect_range range, double value)
{
    return value >= range.min && value <= range.max;
}

char *expect_range_text(struct expect_range range)
{
    char min[G_ASCII_DTOSTR_BUF_SIZE] = "", max[G_ASCII_DTOSTR_BUF_SIZE] = "";

    if (!isinf(range.min))
        g_ascii_formatd(min, sizeof min, "%.10g", range.min);
    if (!isinf(range.max))
        g_ascii_formatd(max, sizeof max, "%.10g", range.max);
    return range.min < range.max ? g_strconcat(min, "..", max, NULL) : g_strdup(min);
}

static void part_free(gpointer data)
{
    struct expect_part *part = data;

    g_free(part->name);
    g_free(part);
}

static bool is_plain(const struct expect_part *part)
{
    return isinf(part->range.min) && isinf(part->range.max);
}

static bool is_field(const char *name)
{
    static const char *const others[] = {EXPECT_BYTES, EXPECT_EVERY_SECOND, EXPECT_PER_LEVEL,
                                         EXPECT_PER_SECOND, NULL};

    return !g_strv_contains(others, name);
}

/* Where the part is, or belongs: fields are last. */
static guint place_of(const struct expect_rule *rule, const char *name, bool *found)
{
    guint from = 0, end = rule->parts->len;

    *found = false;
    while (from < end && !*found) {
        const guint middle = (from + end) / 2;
        const char *other = ((struct expect_part *)g_ptr_array_index(rule->parts, middle))->name;
        const int order = is_field(name) != is_field(other) ? is_field(name) - is_field(other)
                                                            : strcmp(name, other);

        *found = order == 0;
        if (order > 0)
            from = middle + 1;
        else
            end = middle;
    }
    return *found ? end : from;
}

struct expect_part *expect_part_find(const struct expect_rule *rule, const char *name)
{
    bool found;
    const guint place = place_of(rule, name, &found);

    return found ? g_ptr_array_index(rule->parts, place) : NULL;
}

void expect_part_widen(struct expect_rule *rule, const char *name, struct expect_range range)
{
    bool found;
    const guint place = place_of(rule, name, &found);
    struct expect_part *part = found ? g_ptr_array_index(rule->parts, place) : NULL;

    if (part) {
        part->range.min = MIN(part->range.min, range.min);
        part->range.max = MAX(part->range.max, range.max);
        return;
    }
    part = g_new0(struct expect_part, 1);
    *part = (struct expect_part){g_strdup(name), range};
    g_ptr_array_insert(rule->parts, (gint)place, part);
}

static bool is_format(const struct expect_part *part)
{
    return strcmp(part->name, EXPECT_BYTES) == 0 || (is_field(part->name) && is_plain(part));
}

void expect_part_remove(struct expect_rule *rule, const char *name)
{
    for (guint i = rule->parts->len; i--;) {
        const struct expect_part *part = g_ptr_array_index(rule->parts, i);

        if (strcmp(part->name, name) == 0 || (strcmp(name, EXPECT_BYTES) == 0 && is_format(part)))
            g_ptr_array_remove_index(rule->parts, i);
    }
}

void expect_move_format(struct expect_rule *to, struct expect_rule *from)
{
    for (guint i = 0; i < from->parts->len; i++) {
        const struct expect_part *part = g_ptr_array_index(from->parts, i);

        if (is_format(part))
            expect_part_widen(to, part->name, part->range);
    }
    expect_part_remove(from, EXPECT_BYTES);
}

char *expect_words(const struct expect_rule *rule)
{
    GString *text = g_string_new(NULL);

    for (guint i = 0; i < rule->parts->len; i++)
        g_string_append_printf(text, "%s%s", i ? ", " : "",
                               ((struct expect_part *)g_ptr_array_index(rule->parts, i))->name);
    return g_string_free(text, FALSE);
}

/* --- Keys ------------------------------------------------------------------------------------- */

enum kind { UNKNOWN, LIST, RANGE, MESSAGE };

static const struct {
    const char *group, *key; /* NULL: messages */
    enum kind kind;
} keys[] = {
    {"", "versions", LIST},
    {"", "extensions", LIST},
    {"", "maps", LIST},
    {"", "problems", LIST},
    {"", "new", LIST},
    {" c2s", "packets-per-second", RANGE},
    {" s2c", "packets-per-second", RANGE},
    {" s2c", "moves-per-second", RANGE},
    {" c2s sign-on", NULL, MESSAGE},
    {" s2c sign-on", NULL, MESSAGE},
    {" c2s play", NULL, MESSAGE},
    {" s2c play", NULL, MESSAGE},
};

const char *expect_field_name(const struct qs_field *field)
{
    const char *name = strchr(strchr(field->name, '.') + 1, '.');

    return name ? name + 1 : NULL;
}

/* Of a message, "svc_temp_entity TE_GUNSHOT", the name without its type. */
static bool has_row(const struct qs_protocol *protocol, const char *name, enum kind kind)
{
    g_autofree char *group =
        g_strdup_printf("%s.%.*s", protocol->name, (int)strcspn(name, " "), name);
    bool found = false;

    for (unsigned i = 0; i < protocol->field_count && !found; i++) {
        const struct qs_field *row = &protocol->fields[i];

        found = kind == MESSAGE ? row->type == QS_GROUP && strcmp(row->name, group) == 0
                                : g_strcmp0(expect_field_name(row), name) == 0;
    }
    return found;
}

/* The kind of a key; NULL: of any in the group. */
static enum kind kind_of(const char *group, const char *key, const struct qs_protocol **protocol)
{
    for (int i = 0; qs_protocols[i]; i++) {
        const size_t length = strlen(qs_protocols[i]->title);

        *protocol = qs_protocols[i];
        for (guint k = 0; k < G_N_ELEMENTS(keys); k++)
            if (g_str_has_prefix(group, qs_protocols[i]->title) &&
                strcmp(group + length, keys[k].group) == 0 &&
                (!key ||
                 (keys[k].key ? strcmp(key, keys[k].key) == 0 : has_row(*protocol, key, MESSAGE))))
                return keys[k].kind;
    }
    return UNKNOWN;
}

/* --- Values ----------------------------------------------------------------------------------- */

/* An empty text is `open`. */
static bool parse_number(const char *text, double open, double *value)
{
    char *end;

    *value = *text ? g_ascii_strtod(text, &end) : open;
    return !*text || (g_ascii_isdigit(*text) && !*end && isfinite(*value));
}

static bool parse_range(const char *text, struct expect_range *range)
{
    char **ends = g_strsplit(text, "..", 2);
    const bool good = ends[0] && (*ends[0] || ends[1]) &&
                      parse_number(ends[0], -HUGE_VAL, &range->min) &&
                      parse_number(ends[1] ? ends[1] : ends[0], HUGE_VAL, &range->max) &&
                      range->min <= range->max;

    g_strfreev(ends);
    return good;
}

/* Returns what a part should be, or NULL. */
static const char *parse_part(struct expect_rule *rule, enum kind kind, const char *key,
                              const struct qs_protocol *protocol, char *text)
{
    char *number = kind == RANGE ? text : kind == MESSAGE ? strrchr(text, ' ') : NULL;
    const char *name = kind == RANGE ? "" : text;
    struct expect_range range = expect_anything;

    if (kind == MESSAGE && number)
        *number++ = '\0';
    if (number && !parse_range(number, &range))
        return "not a number or a range such as 9, 9..12 or ..12";
    if (kind == MESSAGE && is_field(name) && !has_row(protocol, name, LIST))
        return "not a measure or a field of such a message";
    if (kind == LIST && strcmp(key, "new") == 0 && strcmp(name, "fail") != 0)
        return "not fail";
    expect_part_widen(rule, name, range);
    return NULL;
}

static char *value_text(const struct expect_rule *rule)
{
    GString *text = g_string_new(NULL);

    for (guint i = 0; i < rule->parts->len; i++) {
        const struct expect_part *part = g_ptr_array_index(rule->parts, i);
        g_autofree char *range = expect_range_text(part->range);

        g_string_append_printf(text, "%s%s%s%s", i ? "; " : "", part->name,
                               is_plain(part) || !*part->name ? "" : " ",
                               is_plain(part) ? "" : range);
    }
    return g_string_free(text, FALSE);
}

/* --- The file --------------------------------------------------------------------------------- */

struct expect_file {
    GKeyFile *text;    /* the file's contents, with comments */
    GHashTable *rules; /* struct expect_rule by "GROUP\nKEY" */
};

static void rule_free(gpointer data)
{
    struct expect_rule *rule = data;

    g_ptr_array_free(rule->parts, TRUE);
    g_free(rule->was);
    g_free(rule);
}

struct expect_rule *expect_find(const struct expect_file *file, const char *group, const char *key)
{
    g_autofree char *name = g_strconcat(group, "\n", key, NULL);

    return g_hash_table_lookup(file->rules, name);
}

struct expect_rule *expect_add(struct expect_file *file, const char *group, const char *key)
{
    struct expect_rule *rule = g_new0(struct expect_rule, 1);

    if (!g_key_file_has_key(file->text, group, key, NULL))
        g_key_file_set_value(file->text, group, key, "");
    rule->parts = g_ptr_array_new_with_free_func(part_free);
    g_hash_table_insert(file->rules, g_strconcat(group, "\n", key, NULL), rule);
    return rule;
}

char **expect_keys(const struct expect_file *file, const char *group)
{
    char **found = g_key_file_get_keys(file->text, group, NULL, NULL);

    return found ? found : g_new0(char *, 1);
}

void expect_file_free(struct expect_file *file)
{
    g_key_file_free(file->text);
    g_hash_table_destroy(file->rules);
    g_free(file);
}

/* Returns what is wrong with a key, new, or NULL. */
static char *read_key(struct expect_file *file, const char *group, const char *key)
{
    const struct qs_protocol *protocol;
    const enum kind kind = kind_of(group, key, &protocol);
    g_autofree char *value = g_key_file_get_value(file->text, group, key, NULL);
    char **parts = g_strsplit(value, ";", -1);
    const char *wrong = kind ? NULL : "no such key";
    struct expect_rule *rule = expect_add(file, group, key);

    for (char **part = parts; *part && !wrong; part++)
        if (*g_strstrip(*part))
            wrong = parse_part(rule, kind, key, protocol, *part);
    rule->was = value_text(rule);
    g_strfreev(parts);
    return wrong ? g_strdup_printf("[%s] %s = %s: %s", group, key, value, wrong) : NULL;
}

static char *read_group(struct expect_file *file, const char *group)
{
    const struct qs_protocol *protocol;
    char **all = expect_keys(file, group), *problem = NULL;

    if (!kind_of(group, NULL, &protocol))
        problem = g_strdup_printf("[%s]: no such group", group);
    for (char **key = all; *key && !problem; key++)
        problem = read_key(file, group, *key);
    g_strfreev(all);
    return problem;
}

/* Returns what is wrong with the text, new, or NULL. */
static char *read_text(struct expect_file *file, const char *text)
{
    g_autoptr(GError) error = NULL;
    char **groups, *problem = NULL;

    if (*text &&
        !g_key_file_load_from_data(file->text, text, strlen(text),
                                   G_KEY_FILE_KEEP_COMMENTS | G_KEY_FILE_KEEP_TRANSLATIONS, &error))
        return g_strdup(error->message);
    groups = g_key_file_get_groups(file->text, NULL);
    for (char **group = groups; *group && !problem; group++)
        problem = read_group(file, *group);
    g_strfreev(groups);
    return problem;
}

struct expect_file *expect_file_read(const char *path, bool may_miss, char **problem)
{
    struct expect_file *file = g_new0(struct expect_file, 1);
    const bool missing = !g_file_test(path, G_FILE_TEST_EXISTS);
    g_autofree char *text = missing ? NULL : golden_read_text(path, problem);

    file->text = g_key_file_new();
    file->rules = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, rule_free);
    if (text)
        *problem = read_text(file, text);
    else if (missing && may_miss)
        *problem = NULL;
    else if (missing)
        *problem = g_strdup("there is no such file; --update writes it");
    if (missing && may_miss)
        g_key_file_set_comment(file->text, NULL, NULL, head, NULL);
    if (*problem)
        g_clear_pointer(&file, expect_file_free);
    return file;
}

char *expect_file_text(const struct expect_file *file, GPtrArray *changes)
{
    char **groups = g_key_file_get_groups(file->text, NULL);

    for (char **group = groups; *group; group++) {
        char **all = expect_keys(file, *group);

        for (char **key = all; *key; key++) {
            const struct expect_rule *rule = expect_find(file, *group, *key);
            g_autofree char *value = value_text(rule);

            if (g_strcmp0(value, rule->was) == 0)
                continue;
            g_key_file_set_value(file->text, *group, *key, value);
            if (rule->was)
                g_ptr_array_add(changes, g_strdup_printf("[%s] %s = %s, was %s", *group, *key,
                                                         value, rule->was));
            else
                g_ptr_array_add(changes, g_strdup_printf("[%s] %s = %s", *group, *key, value));
        }
        g_strfreev(all);
    }
    g_strfreev(groups);
    return g_key_file_to_data(file->text, NULL, NULL);
}
