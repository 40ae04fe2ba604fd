/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/regression/expect_rules.h"

#include <math.h>
#include <string.h>

#include "common/core/sink.h"
#include "pcap2demo/regression/golden.h"

/* --- Items ------------------------------------------------------------------------------------ */

GPtrArray *expect_items_new(void)
{
    return g_ptr_array_new_with_free_func(g_free);
}

bool expect_items_have(const GPtrArray *items, const char *item)
{
    return g_ptr_array_find_with_equal_func((GPtrArray *)items, item, g_str_equal, NULL);
}

static gint compare_items(gconstpointer a, gconstpointer b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

void expect_items_add(GPtrArray *items, const char *item)
{
    if (expect_items_have(items, item))
        return;
    g_ptr_array_add(items, g_strdup(item));
    g_ptr_array_sort(items, compare_items);
}

char *expect_items_text(const GPtrArray *items, const char *between)
{
    GString *text = g_string_new(NULL);

    for (guint i = 0; i < items->len; i++)
        g_string_append_printf(text, "%s%s", i ? between : "",
                               (const char *)g_ptr_array_index(items, i));
    return g_string_free(text, FALSE);
}

/* --- Ranges ----------------------------------------------------------------------------------- */

const struct expect_range expect_nothing = {HUGE_VAL, -HUGE_VAL};

bool expect_range_has(const struct expect_range *range, double value)
{
    return value >= range->min && value <= range->max;
}

char *expect_range_text(const struct expect_range *range)
{
    char min[G_ASCII_DTOSTR_BUF_SIZE] = "", max[G_ASCII_DTOSTR_BUF_SIZE] = "";

    if (!isinf(range->min))
        g_ascii_formatd(min, sizeof min, "%.10g", range->min);
    if (!isinf(range->max))
        g_ascii_formatd(max, sizeof max, "%.10g", range->max);
    return range->min < range->max ? g_strconcat(min, "..", max, NULL) : g_strdup(min);
}

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

/* --- Values ----------------------------------------------------------------------------------- */

/* Keys of groups; others are messages or problems. A direction may be narrowed
 * to players or spectators. */
static const struct {
    const char *group, *key;
    enum expect_kind kind;
} keys[] = {
    {"", "versions", EXPECT_LIST},
    {"", "extensions", EXPECT_LIST},
    {"", "maps", EXPECT_LIST},
    {"", "round-trip", EXPECT_RANGE},
    {"", "strict", EXPECT_FLAG},
    {"s2c", "connectionless", EXPECT_LIST},
    {"s2c", "packets-per-second", EXPECT_RANGE},
    {"s2c", "moves-per-second", EXPECT_RANGE},
    {"s2c", "bytes-per-second", EXPECT_RANGE},
    {"s2c", "largest-packet", EXPECT_RANGE},
    {"s2c", "loss", EXPECT_RANGE},
};
static const char *const groups[] = {"",           "problems",   "c2s",           "s2c",
                                     "c2s player", "s2c player", "c2s spectator", "s2c spectator",
                                     NULL};
static const char *const phases[] = {"sign-on", "every second", "play"};

/* "svc_temp_entity TE_GUNSHOT": the message's name, and one of its types. */
static bool is_message(const struct qs_protocol *protocol, const char *key)
{
    const size_t before = strlen(protocol->name) + 1, length = strcspn(key, " ");
    bool found = false;

    for (unsigned i = 0; i < protocol->field_count && !found; i++) {
        const struct qs_field *field = &protocol->fields[i];

        found = field->type == QS_GROUP && strlen(field->name) == before + length &&
                strncmp(field->name + before, key, length) == 0;
    }
    return found;
}

static bool is_problem(const struct qs_protocol *protocol, const char *key)
{
    const char *suffix = key + strlen(protocol->name) + 1;
    bool found = false;

    if (!g_str_has_prefix(key, protocol->name) || suffix[-1] != '.')
        return false;
    for (int i = 0; i < QS_NOTE_KINDS && !found; i++)
        found = qs_note_kinds[i].problem && strcmp(qs_note_kinds[i].suffix, suffix) == 0;
    return found || strcmp(suffix, "undecoded") == 0;
}

static enum expect_kind kind_of(const struct qs_protocol *protocol, const char *group,
                                const char *key)
{
    const bool way = group[0] && strncmp(group + 1, "2", 1) == 0;

    if (!*key)
        return g_strv_contains(groups, group) ? EXPECT_GROUP : EXPECT_NO_KEY;
    for (guint i = 0; i < G_N_ELEMENTS(keys); i++)
        if (strcmp(keys[i].group, way ? "s2c" : group) == 0 && strcmp(keys[i].key, key) == 0)
            return keys[i].kind;
    if (way && is_message(protocol, key))
        return EXPECT_MESSAGE;
    return *group && !way && is_problem(protocol, key) ? EXPECT_RANGE : EXPECT_NO_KEY;
}

const char *expect_field_name(const struct qs_field *field)
{
    const char *name = strchr(strchr(field->name, '.') + 1, '.');

    return field->mask || !name ? NULL : name + 1;
}

static bool has_field(const struct qs_protocol *protocol, const char *name)
{
    bool found = false;

    for (unsigned i = 0; i < protocol->field_count && !found; i++)
        found = g_strcmp0(expect_field_name(&protocol->fields[i]), name) == 0;
    return found;
}

static bool cut_suffix(char *text, const char *suffix)
{
    const bool has = g_str_has_suffix(text, suffix);

    if (has)
        text[strlen(text) - strlen(suffix)] = '\0';
    return has;
}

/* The first part is the phase; then come the size and the fields, or not. */
static bool parse_message_part(struct expect_rule *rule, char *part, bool first)
{
    if (first) {
        rule->once = cut_suffix(part, ", once");
        while (rule->phase < EXPECT_PHASES && strcmp(part, phases[rule->phase]) != 0)
            rule->phase++;
        return rule->phase < EXPECT_PHASES;
    }
    rule->few |= cut_suffix(part, ", few");
    if (cut_suffix(part, " bytes"))
        return rule->sized = parse_range(part, &rule->range);
    if (!rule->items)
        rule->items = expect_items_new();
    expect_items_add(rule->items, part);
    return has_field(rule->protocol, part);
}

/* Returns what is wrong, or NULL. */
static const char *parse_value(struct expect_rule *rule, const char *text)
{
    static const char message[] = "not sign-on, every second or play, with once behind it; then 9 "
                                  "bytes or 9..12 bytes; then fields";
    static const char *const problems[] = {[EXPECT_NO_KEY] = "no such key",
                                           [EXPECT_RANGE] =
                                               "not a number or a range such as 9, 9..12 or ..12",
                                           [EXPECT_FLAG] = "not true or false",
                                           [EXPECT_MESSAGE] = message};
    char **parts = g_strsplit(text, ";", -1);
    bool good = rule->kind != EXPECT_NO_KEY && (rule->kind != EXPECT_MESSAGE || *parts);

    for (char **part = parts; *part && good; part++) {
        g_strstrip(*part);
        if (rule->kind == EXPECT_MESSAGE)
            good = parse_message_part(rule, *part, part == parts);
        else if (rule->kind == EXPECT_RANGE)
            good = !*text || parse_range(text, &rule->range);
        else if (rule->kind == EXPECT_FLAG)
            good = strcmp(text, "true") == 0 || strcmp(text, "false") == 0;
        if ((rule->kind == EXPECT_LIST || rule->kind == EXPECT_FLAG) && **part)
            expect_items_add(rule->items, *part);
    }
    g_strfreev(parts);
    rule->known = true;
    return good ? NULL : problems[rule->kind];
}

static char *value_text(const struct expect_rule *rule)
{
    GString *text = g_string_new(rule->kind == EXPECT_MESSAGE ? phases[rule->phase] : NULL);
    char *range = expect_range_text(&rule->range);
    char *items = rule->items ? expect_items_text(rule->items, "; ") : g_strdup("");

    g_string_append(text, rule->once ? ", once" : "");
    if (rule->sized)
        g_string_append_printf(text, "; %s bytes%s", range, rule->few ? ", few" : "");
    g_string_append(text, rule->kind == EXPECT_RANGE ? range : *items && text->len ? "; " : "");
    g_string_append(text, items);
    g_free(items);
    g_free(range);
    return g_string_free(text, FALSE);
}

void expect_add_zeros(GPtrArray *extensions, const GPtrArray *others)
{
    for (guint i = 0; i < others->len; i++) {
        const char *other = g_ptr_array_index(others, i);
        const int length = (int)strcspn(other, " ");
        char *zero = g_strdup_printf("%.*s 0x0", length, other);
        bool found = false;

        for (guint j = 0; j < extensions->len && !found; j++)
            found = strncmp(g_ptr_array_index(extensions, j), zero, (size_t)length + 1) == 0;
        if (!found)
            expect_items_add(extensions, zero);
        g_free(zero);
    }
}

void expect_widen(struct expect_rule *rule, const struct expect_rule *by)
{
    const bool known = rule->known;

    rule->phase = !known || rule->phase == by->phase ? by->phase : EXPECT_PLAY;
    rule->once = by->once && (!known || rule->once) && rule->phase == EXPECT_SIGN_ON;
    rule->sized = by->sized && (!known || rule->sized);
    rule->few = by->few && (!known || rule->few) && rule->sized;
    rule->range.min = MIN(rule->range.min, by->range.min);
    rule->range.max = MAX(rule->range.max, by->range.max);
    if (!known && !rule->items)
        rule->items = expect_items_new();
    if (known && strcmp(rule->key, "extensions") == 0)
        expect_add_zeros(rule->items, by->items);
    for (guint i = 0; rule->items && by->items && i < by->items->len; i++)
        expect_items_add(rule->items, g_ptr_array_index(by->items, i));
    if (!by->items)
        g_clear_pointer(&rule->items, g_ptr_array_unref);
    rule->known = true;
}

/* --- Rules ------------------------------------------------------------------------------------ */

static void rule_free(gpointer data)
{
    struct expect_rule *rule = data;

    g_clear_pointer(&rule->items, g_ptr_array_unref);
    g_free(rule->comment);
    g_free(rule->was);
    g_free(rule->group);
    g_free(rule->key);
    g_free(rule);
}

static gint compare_rules(gconstpointer a, gconstpointer b, gpointer user)
{
    const struct expect_rule *x = a, *y = b;
    int order = strcmp(x->protocol->title, y->protocol->title);

    (void)user;
    order = order ? order : strcmp(x->group, y->group);
    return order ? order : strcmp(x->key, y->key);
}

struct expect_rule *expect_find(const struct expect_file *file, const struct qs_protocol *protocol,
                                const char *group, const char *key)
{
    struct expect_rule wanted = {.protocol = protocol, .group = (char *)group, .key = (char *)key};
    GSequenceIter *found = g_sequence_lookup(file->rules, &wanted, compare_rules, NULL);

    return found ? g_sequence_get(found) : NULL;
}

struct expect_rule *expect_next(const struct expect_file *file, const struct expect_rule *before)
{
    GSequenceIter *iter =
        before ? g_sequence_iter_next(before->place) : g_sequence_get_begin_iter(file->rules);

    return g_sequence_iter_is_end(iter) ? NULL : g_sequence_get(iter);
}

struct expect_rule *expect_add(struct expect_file *file, const struct qs_protocol *protocol,
                               const char *group, const char *key)
{
    struct expect_rule *rule = g_new0(struct expect_rule, 1);

    if (*key && !expect_find(file, protocol, group, ""))
        expect_add(file, protocol, group, "");
    if (*key)
        expect_find(file, protocol, group, "")->members++;
    rule->protocol = protocol;
    rule->group = g_strdup(group);
    rule->key = g_strdup(key);
    rule->kind = kind_of(protocol, group, key);
    rule->range = expect_nothing;
    rule->items = rule->kind == EXPECT_MESSAGE ? NULL : expect_items_new();
    rule->place = g_sequence_insert_sorted(file->rules, rule, compare_rules, NULL);
    return rule;
}

/* --- The file --------------------------------------------------------------------------------- */

enum { LINE_SIZE_MAX = 16384 };

/* What is read: the file, and the group that the line is in. */
struct reading {
    struct expect_file *file;
    const struct qs_protocol *protocol;
    char *name;        /* "QuakeWorld s2c"; NULL: of no group yet */
    const char *group; /* "s2c" */
    GString *comment;  /* lines that belong to the rule behind them */
};

/* Returns whether there is such a group. */
static bool enter_group(struct reading *reading, const char *name)
{
    bool found = false;

    g_free(reading->name);
    reading->name = g_strdup(name);
    for (int i = 0; qs_protocols[i] && !found; i++) {
        const char *title = qs_protocols[i]->title, *group = reading->name + strlen(title);

        if (!g_str_has_prefix(name, title) || (*group && *group != ' '))
            continue;
        reading->protocol = qs_protocols[i];
        reading->group = group + (*group == ' ');
        found = g_strv_contains(groups, reading->group);
    }
    return found;
}

/* Returns what is wrong, new, or NULL. */
static char *parse_rule(struct reading *reading, const char *key, const char *value)
{
    struct expect_file *file = reading->file;
    struct expect_rule *rule = expect_find(file, reading->protocol, reading->group, key);
    const char *twice = rule && *key ? "is there twice" : NULL, *wrong;

    if (!rule)
        rule = expect_add(file, reading->protocol, reading->group, key);
    wrong = parse_value(rule, value);
    wrong = wrong ? wrong : twice;
    if (wrong)
        return g_strdup_printf("[%s] %s = %s: %s", reading->name, key, value, wrong);
    g_free(rule->was); /* a group may be there twice */
    rule->was = value_text(rule);
    expect_find(file, reading->protocol, reading->group, "")->had |= *key;
    if (!rule->comment)
        rule->comment = g_strdup(reading->comment->str);
    g_string_truncate(reading->comment, 0);
    return NULL;
}

static char *parse_line(struct reading *reading, char *line)
{
    char *value = strchr(line, '=');

    if (strlen(line) > LINE_SIZE_MAX)
        return g_strdup("is too long");
    if (*line == '#')
        g_string_append_printf(reading->comment, "%s\n", line);
    if (!*line || *line == '#')
        return NULL;
    if (*line == '[' && cut_suffix(line, "]"))
        return enter_group(reading, line + 1) ? parse_rule(reading, "", "")
                                              : g_strdup_printf("%s]: no such group", line);
    if (!reading->name || !value || value == line)
        return g_strdup_printf("\"%s\" is neither a [GROUP] nor a KEY = VALUE", line);
    *value++ = '\0';
    return parse_rule(reading, g_strchomp(line), g_strchug(value));
}

void expect_file_free(struct expect_file *file)
{
    g_sequence_free(file->rules);
    g_free(file->comment);
    g_free(file);
}

struct expect_file *expect_file_read(const char *path, bool may_miss, char **problem)
{
    struct reading reading = {.file = g_new0(struct expect_file, 1), .comment = g_string_new(NULL)};
    const bool missing = may_miss && !g_file_test(path, G_FILE_TEST_EXISTS);
    char *text = missing ? g_strdup("") : golden_read_text(path, problem);
    char **lines = g_strsplit(text ? text : "", "\n", -1);

    if (missing)
        *problem = NULL;
    reading.file->rules = g_sequence_new(rule_free);
    for (guint i = 0; lines[i] && !*problem; i++) {
        char *wrong = parse_line(&reading, g_strstrip(lines[i]));

        *problem = wrong ? g_strdup_printf("line %u: %s", i + 1, wrong) : NULL;
        g_free(wrong);
    }
    reading.file->comment = g_string_free(reading.comment, FALSE);
    g_strfreev(lines);
    g_free(reading.name);
    g_free(text);
    if (*problem)
        g_clear_pointer(&reading.file, expect_file_free);
    return reading.file;
}

char *expect_file_text(const struct expect_file *file, GPtrArray *changes)
{
    GString *text = g_string_new(NULL);
    char *group = NULL;
    bool had = false;

    for (const struct expect_rule *rule = expect_next(file, NULL); rule;
         rule = expect_next(file, rule)) {
        char *value = value_text(rule);

        g_string_append_printf(text, "%s%s", text->len && !*rule->key ? "\n" : "",
                               rule->comment ? rule->comment : "");
        if (!*rule->key) {
            g_free(group);
            group = g_strconcat("[", rule->protocol->title, *rule->group ? " " : "", rule->group,
                                "]", NULL);
            had = rule->had;
            g_string_append_printf(text, "%s\n", group);
        } else {
            g_string_append_printf(text, "%s = %s\n", rule->key, value);
            if (changes && had && g_strcmp0(value, rule->was) != 0)
                g_ptr_array_add(changes, g_strconcat(group, " ", rule->key, " = ", value,
                                                     rule->was ? ", was " : NULL, rule->was, NULL));
        }
        g_free(value);
    }
    g_free(group);
    g_string_append(text, file->comment);
    return g_string_free(text, FALSE);
}
