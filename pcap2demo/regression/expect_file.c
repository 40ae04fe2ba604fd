/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/regression/expect.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/hash.h"
#include "common/core/sink.h"
#include "common/protocols.h"
#include "pcap2demo/regression/golden.h"

/* Comment at the beginning of a new file. */
static const char head[] =
    " What recordings of the same programs have in common on the wire. A check of another one\n"
    " fails where it differs; pcap2demo --check --expect FILE --update widens the file. Edit what\n"
    " you like.\n"
    "\n"
    " [GAME], [GAME DIRECTION]: each value must be listed, or in the range. Of a message:\n"
    " per-level: the sign-on must have as many, if the map is listed; from 0 on, it may have "
    "none.\n"
    " every-second: it must come in each second of play. Others may be missing.\n"
    " per-second: so many packets of play must have it.\n"
    " bytes, names of fields: it must have this size, and no other field. If flags show which\n"
    "   fields it has, most messages of its type must.\n"
    " names with a number: so many of them must be in a message that is a list.\n"
    " A new type that comes in each second or sign-on fails. Others are notes, and so are other\n"
    " maps; with new = fail in [GAME] they fail, too.\n";

/* --- Rules ------------------------------------------------------------------------------------ */

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

static bool is_plain(struct expect_range range)
{
    return isinf(range.min) && isinf(range.max);
}

static bool is_field(const char *name)
{
    static const char *const measures[] = {EXPECT_BYTES, EXPECT_EVERY_SECOND, EXPECT_PER_LEVEL,
                                           EXPECT_PER_SECOND, NULL};

    return !g_strv_contains(measures, name);
}

/* Sorts measures before fields, each by name. */
static gint compare_names(gconstpointer a, gconstpointer b)
{
    const char *x = *(const char *const *)a, *y = *(const char *const *)b;

    return is_field(x) != is_field(y) ? is_field(x) - is_field(y) : strcmp(x, y);
}

char **expect_names(const struct expect_rule *rule)
{
    guint count;
    char **names = (char **)g_hash_table_get_keys_as_array(rule->parts, &count);

    qsort(names, count, sizeof *names, compare_names);
    return names;
}

struct expect_range *expect_part(const struct expect_rule *rule, const char *name)
{
    return g_hash_table_lookup(rule->parts, name);
}

void expect_widen(struct expect_rule *rule, const char *name, struct expect_range range)
{
    struct expect_range *part = expect_part(rule, name);

    if (!part)
        g_hash_table_insert(rule->parts, g_strdup(name), g_memdup2(&range, sizeof range));
    else
        *part = (struct expect_range){MIN(part->min, range.min), MAX(part->max, range.max)};
}

static gboolean is_format(gpointer name, gpointer range, gpointer user)
{
    (void)user;
    return strcmp(name, EXPECT_BYTES) == 0 ||
           (is_field(name) && is_plain(*(const struct expect_range *)range));
}

void expect_remove_format(struct expect_rule *rule)
{
    g_hash_table_foreach_remove(rule->parts, is_format, NULL);
}

/* --- Keys ------------------------------------------------------------------------------------ */

enum kind { UNKNOWN, LIST, RANGE, MESSAGE };

const char *expect_field_name(const struct qs_field *field)
{
    const char *name = strchr(strchr(field->name, '.') + 1, '.');

    return name ? name + 1 : NULL;
}

/* True if the protocol has a message of this name, without its variant ("svc_temp_entity
 * TE_GUNSHOT"); or, if not `message`, a field of this name. */
static bool has_row(const struct qs_protocol *protocol, const char *name, bool message)
{
    g_autofree char *group =
        g_strdup_printf("%s.%.*s", protocol->name, (int)strcspn(name, " "), name);
    bool found = false;

    for (unsigned i = 0; i < protocol->field_count && !found; i++) {
        const struct qs_field *row = &protocol->fields[i];

        found = message ? row->type == QS_GROUP && strcmp(row->name, group) == 0
                        : g_strcmp0(expect_field_name(row), name) == 0;
    }
    return found;
}

/* Returns the protocol of "QuakeWorld", or of "QuakeWorld s2c" (`*direction`), or NULL. */
static const struct qs_protocol *group_protocol(const char *group, bool *direction)
{
    for (int i = 0; qs_protocols[i]; i++) {
        const char *title = qs_protocols[i]->title;
        const char *rest = g_str_has_prefix(group, title) ? group + strlen(title) : "?";

        *direction = *rest != '\0';
        if (!*rest || strcmp(rest, " c2s") == 0 || strcmp(rest, " s2c") == 0)
            return qs_protocols[i];
    }
    return NULL;
}

static enum kind kind_of(const struct qs_protocol *protocol, bool direction, const char *key)
{
    static const char *const lists[] = {"versions", "extensions", "maps", "problems", "new", NULL},
                             *const ranges[] = {EXPECT_PACKETS, EXPECT_MOVES, NULL};

    if (g_strv_contains(direction ? ranges : lists, key))
        return direction ? RANGE : LIST;
    return direction && has_row(protocol, key, true) ? MESSAGE : UNKNOWN;
}

/* --- Values ----------------------------------------------------------------------------------- */

/* Parses a number; an empty text is `open`. False if it is not valid. */
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

/* Parses a part and adds it to the rule. Returns an error text, or NULL. */
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
    if (kind == MESSAGE && is_field(name) && !has_row(protocol, name, false))
        return "not a measure or a field of such a message";
    if (kind == LIST && strcmp(key, "new") == 0 && strcmp(name, "fail") != 0)
        return "not fail";
    expect_widen(rule, name, range);
    return NULL;
}

static char *value_text(const struct expect_rule *rule)
{
    GString *text = g_string_new(NULL);
    g_autofree char **names = expect_names(rule);

    for (char **name = names; *name; name++) {
        const struct expect_range range = *expect_part(rule, *name);
        g_autofree char *number = is_plain(range) ? NULL : expect_range_text(range);

        g_string_append_printf(text, "%s%s%s%s", name > names ? "; " : "", *name,
                               number && **name ? " " : "", number ? number : "");
    }
    return g_string_free(text, FALSE);
}

/* --- File ------------------------------------------------------------------------------------ */

struct expect_file {
    GKeyFile *text;    /* contents of the file, with comments */
    GHashTable *rules; /* "GROUP\nKEY" -> struct expect_rule */
};

static void rule_free(gpointer data)
{
    struct expect_rule *rule = data;

    g_hash_table_destroy(rule->parts);
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
    rule->parts = g_hash_table_new_full(qs_str_hash, g_str_equal, g_free, g_free);
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

/* Parses a key. Returns NULL, or an error text, which the caller frees. */
static char *read_key(struct expect_file *file, const char *group, const char *key,
                      const struct qs_protocol *protocol, enum kind kind)
{
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
    bool direction;
    const struct qs_protocol *protocol = group_protocol(group, &direction);
    char **all = expect_keys(file, group), *problem = NULL;

    if (!protocol)
        problem = g_strdup_printf("[%s]: no such group", group);
    for (char **key = all; *key && !problem; key++)
        problem = read_key(file, group, *key, protocol, kind_of(protocol, direction, *key));
    g_strfreev(all);
    return problem;
}

/* Parses a file's text. Returns NULL, or an error text, which the caller frees. */
static char *read_text(struct expect_file *file, const char *text)
{
    g_autoptr(GError) error = NULL;
    char **groups, *problem = NULL;

    if (!g_utf8_validate(text, -1, NULL) || strchr(text, '\r'))
        return g_strdup("it is no text in UTF-8");
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
    file->rules = g_hash_table_new_full(qs_str_hash, g_str_equal, g_free, rule_free);
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
