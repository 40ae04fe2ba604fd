/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/regression/expect_rules.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * Margins: a value may be less than what was learned by the factor and the difference, or more. A
 * machine is busier at one time than at another, and more happens in one game than in another.
 */
static const struct margin {
    double factor, difference;
} rate_margin = {4.0 / 3, 0},  /* packets of a direction, per second */
    every_margin = {2, 0},     /* a message that comes every second, per second, */
    event_margin = {2.5, 5},   /* and above that one that does not */
    list_margin = {2, 2.5},    /* items of a list, per message */
    removal_margin = {2, 0.5}; /* and those that are removed */

enum {
    SECONDS_MIN = 3, /* of play: in fewer nothing comes every second */
    MOVES_MIN = 20   /* in fewer no rate is seen */
};

/* In tenths. */
static struct expect_range around(double low, double high, struct margin margin)
{
    return (struct expect_range){
        fmax(0, floor(10 * (low / margin.factor - margin.difference)) / 10),
        ceil(10 * (high * margin.factor + margin.difference)) / 10};
}

struct visit {
    struct expect_file *file;
    const struct expect_counts *counts;
    const struct qs_client_session *session;
    GPtrArray *findings; /* NULL: learn */
    const struct qs_protocol *protocol;
    enum qs_direction direction; /* unknown: of both */
    char *group;                 /* "QuakeWorld s2c" */
    bool fresh;                  /* the file has nothing of the group yet */
    bool fails;                  /* what is new */
    bool known_map;
};

/* A key, and what the session has of it. */
struct entry {
    const char *key;
    struct expect_rule *rule;         /* NULL: nothing is expected */
    bool added;                       /* by this session */
    bool found;                       /* something that is wrong */
    const struct qs_type_count *type; /* of a message, as what follows */
    struct qs_share packets;
};

/* Adds what is wrong, or NULL. Takes the text. */
static void add(const struct visit *visit, struct entry *entry, bool failed,
                const struct qs_share *where, char *text)
{
    const char *kind = visit->session->recorded ? "block" : "packet";
    struct expect_finding *finding = g_new0(struct expect_finding, 1);
    GString *line =
        g_string_new(visit->direction ? qs_direction_name(visit->direction) : "protocol");

    g_string_append_printf(line, " %s", entry->key);
    *finding = (struct expect_finding){.session = visit->session->number,
                                       .direction = visit->direction,
                                       .name = g_strdup(line->str),
                                       .failed = failed && text};
    g_string_append_printf(line, ": %s", text ? text : "");
    if (where && where->packets > 1)
        g_string_append_printf(line, " (%" PRIu64 " %ss, first %" PRIu64 ")", where->packets, kind,
                               where->first);
    else if (where && where->packets)
        g_string_append_printf(line, " (%s %" PRIu64 ")", kind, where->first);
    finding->text = g_string_free(line, !text);
    g_ptr_array_add(visit->findings, finding);
    entry->found = true;
    g_free(text);
}

static struct entry find_entry(const struct visit *visit, const char *key)
{
    struct entry entry = {.key = key, .rule = expect_find(visit->file, visit->group, key)};

    entry.added = !visit->findings && !entry.rule && visit->fresh;
    if (entry.added)
        entry.rule = expect_add(visit->file, visit->group, key);
    return entry;
}

/* Nothing was found that is wrong. */
static void end_entry(const struct visit *visit, struct entry *entry)
{
    if (visit->findings && entry->rule && !entry->found)
        add(visit, entry, true, NULL, NULL);
}

/* "38.6 a second, expected 65..75". */
static char *differs(double value, const char *unit, struct expect_range range)
{
    g_autofree char *expected = expect_range_text(range);
    char number[G_ASCII_DTOSTR_BUF_SIZE];

    g_ascii_formatd(number, sizeof number, value < 100 ? "%.3g" : "%.0f", value);
    return g_strdup_printf("%s%s, expected %s", number, unit, expected);
}

/* A number of the session; NAN: not measured. `range`: what an update allows for it. */
static void visit_number(const struct visit *visit, struct entry *entry, const char *name,
                         double value, struct expect_range range, const char *unit,
                         const struct qs_share *where)
{
    struct expect_part *part = entry->rule ? expect_part_find(entry->rule, name) : NULL;

    if (isnan(value) || !entry->rule)
        return;
    if (!visit->findings && (part || entry->added))
        expect_part_widen(entry->rule, name, range);
    else if (visit->findings && part && !expect_range_has(part->range, value))
        add(visit, entry, true, where, differs(value, unit, part->range));
}

/* --- Words ------------------------------------------------------------------------------------ */

/* ", FTE 0x8000 (floatcoords) more than expected" */
static void append_bits(GString *text, const struct qs_protocol *protocol, const char *extension,
                        uint32_t bits, const char *how)
{
    g_autofree char *low = g_ascii_strdown(extension, -1);
    g_autofree char *prefix = g_strconcat(protocol->name, ".extension.", low, ".", NULL);
    const char *before = " (";

    if (!bits)
        return;
    g_string_append_printf(text, "%s%s 0x%" PRIx32, text->len ? ", " : "", extension, bits);
    for (unsigned i = 0; i < protocol->field_count; i++) {
        const struct qs_field *field = &protocol->fields[i];

        if (field->mask & bits && g_str_has_prefix(field->name, prefix)) {
            g_string_append_printf(text, "%s%s", before, field->name + strlen(prefix));
            before = ", ";
        }
    }
    g_string_append_printf(text, "%s %s than expected", *before == ',' ? ")" : "", how);
}

/* How an extension, "FTE 0x8000", differs from the first value that is listed. */
static char *extension_problem(const struct qs_protocol *protocol, const struct expect_rule *rule,
                               const char *word)
{
    g_autofree char *name = g_strndup(word, strcspn(word, " "));
    const size_t length = strlen(name);
    const uint32_t is = (uint32_t)strtoul(word + length, NULL, 16);
    GString *text = g_string_new(NULL);
    uint32_t was = 0;

    for (guint i = rule->parts->len; i--;) {
        const char *listed = ((struct expect_part *)g_ptr_array_index(rule->parts, i))->name;

        if (strncmp(listed, word, length + 1) == 0)
            was = (uint32_t)strtoul(listed + length, NULL, 16);
    }
    append_bits(text, protocol, name, is & ~was, "more");
    append_bits(text, protocol, name, was & ~is, "less");
    return g_string_free(text, FALSE);
}

/* A key with a list; `where` may be NULL. */
static void visit_word(const struct visit *visit, struct entry *entry, const char *word,
                       const struct qs_share *where)
{
    g_autofree char *expected = entry->rule ? expect_words(entry->rule) : NULL;
    const bool map = strcmp(entry->key, "maps") == 0;

    if (!entry->rule)
        return;
    if (!visit->findings)
        expect_part_widen(entry->rule, word, expect_anything);
    else if (!expect_part_find(entry->rule, word))
        add(visit, entry, !map || visit->fails, where,
            strcmp(entry->key, "extensions") == 0
                ? extension_problem(visit->protocol, entry->rule, word)
                : g_strdup_printf("%s, expected %s", word, *expected ? expected : "none"));
}

static bool has_extension(const struct expect_rule *rule, const char *name)
{
    bool found = false;

    for (guint i = 0; rule && i < rule->parts->len && !found; i++) {
        const char *listed = ((struct expect_part *)g_ptr_array_index(rule->parts, i))->name;

        found = g_str_has_prefix(listed, name) && listed[strlen(name)] == ' ';
    }
    return found;
}

/* "28 FTE 0x21407000 FTE2 0x2": the version, and values of extensions; 0 where only the file has
 * one, or only the session. */
static void visit_version(const struct visit *visit)
{
    const char *version = visit->session->version ? visit->session->version : "?";
    struct entry versions = find_entry(visit, "versions"),
                 extensions = find_entry(visit, "extensions");
    char **words = g_strsplit(version, " ", -1);
    GString *number = g_string_new(NULL);

    for (char **word = words; *word; word++) {
        if (word[1] && g_str_has_prefix(word[1], "0x")) {
            g_autofree char *extension = g_strconcat(word[0], " ", word[1], NULL);
            g_autofree char *none = g_strconcat(word[0], " 0x0", NULL);

            if (!visit->findings && !extensions.added && !has_extension(extensions.rule, word[0]))
                visit_word(visit, &extensions, none, NULL);
            visit_word(visit, &extensions, extension, NULL);
            word++;
        } else {
            g_string_append_printf(number, "%s%s", number->len ? " " : "", *word);
        }
    }
    for (guint i = 0; extensions.rule && i < extensions.rule->parts->len; i++) {
        const struct expect_part *part = g_ptr_array_index(extensions.rule->parts, i);
        g_autofree char *name = g_strndup(part->name, strcspn(part->name, " "));
        g_autofree char *none = g_strconcat(name, " 0x0", NULL);

        if (!g_strv_contains((const char *const *)words, name))
            visit_word(visit, &extensions, none, NULL);
    }
    visit_word(visit, &versions, number->str, NULL);
    end_entry(visit, &versions);
    end_entry(visit, &extensions);
    g_string_free(number, TRUE);
    g_strfreev(words);
}

static void visit_maps(struct visit *visit)
{
    const GPtrArray *maps = visit->session->maps;
    struct entry entry = find_entry(visit, "maps");

    visit->known_map = true;
    for (guint i = 0; i < maps->len; i++) {
        const char *map = g_ptr_array_index(maps, i);

        visit->known_map &= !entry.rule || expect_part_find(entry.rule, map);
        visit_word(visit, &entry, map, NULL);
    }
    end_entry(visit, &entry);
}

static void visit_problems(const struct visit *visit)
{
    struct entry entry = find_entry(visit, "problems");

    for (int i = 0; i < EXPECT_PROBLEMS; i++)
        if (visit->counts->problems[i].count && (i == EXPECT_UNDECODED || qs_note_kinds[i].problem))
            visit_word(visit, &entry, i == EXPECT_UNDECODED ? "undecoded" : qs_note_kinds[i].suffix,
                       &visit->counts->problems[i]);
    end_entry(visit, &entry);
}

/* --- Rates ------------------------------------------------------------------------------------ */

static gint compare_guints(gconstpointer a, gconstpointer b)
{
    const guint x = *(const guint *)a, y = *(const guint *)b;

    return (x > y) - (x < y);
}

/* The number behind this part of the first `count`; NAN if there are none. */
static double quantile(const GArray *numbers, guint count, double part)
{
    GArray *sorted = g_array_new(FALSE, FALSE, sizeof(guint));
    double found = NAN;

    if (count)
        g_array_append_vals(sorted, numbers->data, count);
    g_array_sort(sorted, compare_guints);
    if (count)
        found = g_array_index(sorted, guint, (guint)(part * (count - 1)));
    g_array_unref(sorted);
    return found;
}

static void visit_rate(const struct visit *visit, const char *key, double value, double high)
{
    struct entry entry = find_entry(visit, key);

    entry.added = entry.rule && !entry.rule->parts->len;
    visit_number(visit, &entry, "", value, around(value, high, rate_margin), "", NULL);
    if (!isnan(value))
        end_entry(visit, &entry);
}

/* The median of the whole seconds of play; in other seconds a busy program shows what it could
 * send. And how soon moves follow each other: some servers answer each packet, but run less often.
 */
static void visit_rates(const struct visit *visit)
{
    const GArray *moves = visit->counts->moves,
                 *seconds = visit->counts->play.seconds[visit->direction];
    const guint whole = seconds && seconds->len > SECONDS_MIN ? seconds->len - 1 : 0;
    const double soon = 1e6 / quantile(moves, moves->len < MOVES_MIN ? 0 : moves->len, 0.25);

    visit_rate(visit, "packets-per-second", quantile(seconds, whole, 0.5),
               quantile(seconds, whole, 1));
    if (visit->direction == QS_S2C)
        visit_rate(visit, "moves-per-second", soon, soon);
}

/* --- Messages --------------------------------------------------------------------------------- */

static char *key_of(const struct qs_type_count *type)
{
    return g_strconcat(strchr(type->group->name, '.') + 1, type->variant ? " " : NULL,
                       type->variant, NULL);
}

static bool has_type(const struct visit *visit, const struct qs_tally *tally, const char *key)
{
    GHashTableIter iter;
    gpointer type;
    bool found = false;

    g_hash_table_iter_init(&iter, tally->types[visit->direction]);
    while (!found && g_hash_table_iter_next(&iter, &type, NULL)) {
        g_autofree char *other = key_of(type);

        found = strcmp(other, key) == 0;
    }
    return found;
}

static struct expect_rule *find_in(const struct visit *visit, const char *phase, const char *key)
{
    g_autofree char *group = g_strconcat(visit->group, phase, NULL);

    return expect_find(visit->file, group, key);
}

static bool is_every_second(const struct expect_rule *rule)
{
    return rule && expect_part_find(rule, EXPECT_EVERY_SECOND);
}

/* It comes at any time, and often. */
static void forget_every_second(struct expect_rule *rule)
{
    struct expect_part *part = expect_part_find(rule, EXPECT_PER_SECOND);

    if (part && is_every_second(rule))
        part->range = around(0, part->range.max, event_margin);
    expect_part_remove(rule, EXPECT_EVERY_SECOND);
}

static guint seconds_of(const struct visit *visit)
{
    const GArray *seconds = visit->counts->play.seconds[visit->direction];

    return seconds ? seconds->len : 0;
}

/* What comes in play or with the first update depends on the time: it may have any number. */
static void visit_per_level(const struct visit *visit, struct entry *entry)
{
    const double levels = MAX(visit->session->state.level, 1);
    const double number = (double)entry->type->count / levels;
    const struct expect_part *part = expect_part_find(entry->rule, EXPECT_PER_LEVEL);
    struct expect_range range = {number, number};

    if (entry->added && !visit->fresh)
        range = (struct expect_range){0, HUGE_VAL};
    else if (entry->type->last >= visit->counts->update ||
             has_type(visit, &visit->counts->play, entry->key) ||
             (part && !expect_range_has(part->range, number)))
        range = (struct expect_range){part ? fmin(part->range.min, 1) : 1, HUGE_VAL};
    if (!visit->findings || visit->known_map)
        visit_number(visit, entry, EXPECT_PER_LEVEL, number, range, " a level", &entry->packets);
}

static void visit_per_second(const struct visit *visit, struct entry *entry)
{
    const double seconds = qs_tally_seconds(&visit->counts->play);
    const double number = seconds < SECONDS_MIN ? NAN : (double)entry->type->count / seconds;
    const bool every = is_every_second(entry->rule);
    struct expect_range range = around(number, number, every_margin);

    if (!every)
        range = around(0, range.max, event_margin);
    if (visit->findings && every && 2 * entry->type->seconds < seconds_of(visit))
        add(visit, entry, true, NULL,
            g_strdup_printf("in %u of %u seconds of play, expected in each", entry->type->seconds,
                            seconds_of(visit)));
    else
        visit_number(visit, entry, EXPECT_PER_SECOND, number, range, " a second", &entry->packets);
}

/* Of a list: the field that most items have, of those that a message repeats, and those that show
 * that an item is gone. */
static void visit_items(const struct visit *visit, struct entry *entry)
{
    struct entry list = *entry;
    const struct qs_field *most = NULL;
    uint64_t count = 0;
    GHashTableIter iter;
    gpointer key, value;

    g_hash_table_iter_init(&iter, entry->type->fields);
    while (g_hash_table_iter_next(&iter, &key, &value)) {
        const uint64_t items = ((const struct qs_share *)value)->count;

        if (items > ((const struct qs_share *)value)->packets && expect_field_name(key) &&
            (items > count || (items == count && (const struct qs_field *)key < most))) {
            most = key;
            count = items;
        }
    }
    list.added = true;
    g_hash_table_iter_init(&iter, entry->type->fields);
    while (g_hash_table_iter_next(&iter, &key, &value)) {
        const struct qs_field *field = key;
        const bool is_flag = field->mask != 0;
        const double number =
            (double)((const struct qs_share *)value)->count / (double)entry->type->count;
        const char *name = expect_field_name(field);
        g_autofree char *unit = g_strdup_printf(" %s a message", name);

        if (name && (field == most || is_flag))
            visit_number(visit, &list, name, number,
                         around(number, number, is_flag ? removal_margin : list_margin), unit,
                         value);
    }
    entry->found |= list.found;
}

/* What a message is like: no text or list, which may be of any size. */
static void learn_format(struct entry *entry)
{
    const struct qs_type_count *type = entry->type;
    GHashTableIter iter;
    gpointer key;

    if (type->list || type->text)
        expect_part_remove(entry->rule, EXPECT_BYTES);
    else if (entry->added)
        expect_part_widen(entry->rule, EXPECT_BYTES, (struct expect_range){HUGE_VAL, -HUGE_VAL});
    if (!expect_part_find(entry->rule, EXPECT_BYTES))
        return;
    g_hash_table_iter_init(&iter, type->sizes);
    while (g_hash_table_iter_next(&iter, &key, NULL))
        expect_part_widen(
            entry->rule, EXPECT_BYTES,
            (struct expect_range){type->flags ? 0 : GPOINTER_TO_UINT(key), GPOINTER_TO_UINT(key)});
    if (type->fields)
        g_hash_table_iter_init(&iter, type->fields);
    while (type->fields && g_hash_table_iter_next(&iter, &key, NULL))
        if (expect_field_name(key))
            expect_part_widen(entry->rule, expect_field_name(key), expect_anything);
}

/* Adds up where messages are that differ; `part`: of the first. */
static void add_share(struct qs_share *sum, const struct qs_share *share, gconstpointer key,
                      gconstpointer *first)
{
    if (!sum->packets || share->first < sum->first ||
        (share->first == sum->first && key < *first)) {
        sum->first = share->first;
        *first = key;
    }
    sum->packets += share->packets;
    sum->count += share->count;
}

/* Flags show what else a message has: only most of them tell what the type is like. */
static bool is_enough(const struct qs_type_count *type, uint64_t count)
{
    return count > (type->flags ? type->count / 2 : 0);
}

static void compare_format(const struct visit *visit, struct entry *entry)
{
    const struct qs_type_count *type = entry->type;
    const struct expect_part *part = expect_part_find(entry->rule, EXPECT_BYTES);
    struct qs_share sizes = {0}, fields = {0};
    gconstpointer size = NULL, field = NULL;
    GHashTableIter iter;
    gpointer key, value;

    g_hash_table_iter_init(&iter, type->sizes);
    while (part && g_hash_table_iter_next(&iter, &key, &value))
        if (!expect_range_has(part->range, GPOINTER_TO_UINT(key)))
            add_share(&sizes, value, key, &size);
    if (part && is_enough(type, sizes.count))
        add(visit, entry, true, &sizes, differs(GPOINTER_TO_UINT(size), " bytes", part->range));
    if (!part || !type->fields)
        return;
    g_hash_table_iter_init(&iter, type->fields);
    while (g_hash_table_iter_next(&iter, &key, &value))
        if (expect_field_name(key) && !expect_part_find(entry->rule, expect_field_name(key)) &&
            is_enough(type, ((const struct qs_share *)value)->count))
            add_share(&fields, value, key, &field);
    if (field)
        add(visit, entry, true, &fields,
            g_strdup_printf("new field %s", ((const struct qs_field *)field)->name));
}

/* What has no rule is new. */
static void report_new(const struct visit *visit, struct entry *entry, bool sign_on, bool every)
{
    static const char *const texts[] = {"new message of play", "new message, in every second",
                                        "new message of the sign-on"};
    const bool steady =
        every || (sign_on && visit->known_map && entry->type->first < visit->counts->update);

    add(visit, entry, steady || visit->fails, &entry->packets,
        g_strdup(texts[sign_on ? 2 : every]));
}

/* An update. A message that comes in each second of some recordings only may be missing; one that
 * comes in play, too, has its format there. */
static void learn_rule(const struct visit *visit, struct entry *entry, bool sign_on, bool every)
{
    g_autofree char *group = g_strconcat(visit->group, sign_on ? " sign-on" : " play", NULL);
    struct expect_rule *before = sign_on ? NULL : find_in(visit, " sign-on", entry->key);

    entry->added = !entry->rule;
    if (entry->added)
        entry->rule = expect_add(visit->file, group, entry->key);
    if (every && entry->added && visit->fresh)
        expect_part_widen(entry->rule, EXPECT_EVERY_SECOND, expect_anything);
    else if (!every)
        forget_every_second(entry->rule);
    if (before && entry->added)
        expect_move_format(entry->rule, before);
}

static void visit_format(const struct visit *visit, struct entry *entry)
{
    if (visit->findings)
        compare_format(visit, entry);
    else
        learn_format(entry);
}

static void visit_play(const struct visit *visit, struct entry *entry)
{
    const guint seconds = seconds_of(visit);
    const bool every = seconds >= SECONDS_MIN && 10 * entry->type->seconds >= 9 * (seconds - 1);

    if (!visit->findings)
        learn_rule(visit, entry, false, every);
    if (!entry->rule) {
        report_new(visit, entry, false, every);
        return;
    }
    visit_format(visit, entry);
    visit_per_second(visit, entry);
    if (entry->type->list)
        visit_items(visit, entry);
}

/* Pauses of the sign-on are filled with messages of nothing but their id. */
static void visit_sign_on(const struct visit *visit, struct entry *entry)
{
    struct entry play = *entry;

    play.rule = find_in(visit, " play", entry->key);
    if (entry->type->bytes == entry->type->count)
        return;
    if (play.rule)
        visit_format(visit, &play);
    entry->found = play.found;
    if (is_every_second(play.rule))
        return;
    if (!visit->findings)
        learn_rule(visit, entry, true, false);
    if (entry->rule && !play.rule)
        visit_format(visit, entry);
    if (entry->rule)
        visit_per_level(visit, entry);
    else if (!play.rule)
        report_new(visit, entry, true, false);
}

/* Keys that the session has no message of. What most sign-ons have may also be late. */
static void visit_missing(const struct visit *visit, bool sign_on)
{
    g_autofree char *group = g_strconcat(visit->group, sign_on ? " sign-on" : " play", NULL);
    char **keys = expect_keys(visit->file, group);

    for (char **key = keys; *key; key++) {
        struct entry entry = {.key = *key, .rule = expect_find(visit->file, group, *key)};
        struct expect_part *level = expect_part_find(entry.rule, EXPECT_PER_LEVEL);
        const bool in_play = has_type(visit, &visit->counts->play, *key),
                   every = is_every_second(entry.rule) && seconds_of(visit) >= SECONDS_MIN;

        if (sign_on ? has_type(visit, &visit->counts->sign_on, *key) : in_play)
            continue;
        if (!visit->findings && level)
            level->range = (struct expect_range){0, HUGE_VAL};
        else if (!visit->findings && every)
            forget_every_second(entry.rule);
        else if (visit->findings && every)
            add(visit, &entry, true, NULL, g_strdup("never seen, expected in each second"));
        else if (visit->findings && level && level->range.min > 0 && visit->known_map &&
                 (!in_play || isfinite(level->range.max)))
            add(visit, &entry, true, NULL, g_strdup("never seen, expected in each sign-on"));
        end_entry(visit, &entry);
    }
    g_strfreev(keys);
}

static void visit_messages(const struct visit *visit)
{
    const struct qs_tally *tallies[] = {&visit->counts->play, &visit->counts->sign_on};
    static const char *const phases[] = {" play", " sign-on"};

    for (guint i = 0; i < G_N_ELEMENTS(tallies); i++) {
        GPtrArray *types = qs_tally_types(tallies[i]);

        for (guint k = 0; k < types->len; k++) {
            const struct qs_type_count *type = g_ptr_array_index(types, k);
            g_autofree char *key = key_of(type);
            struct entry entry = {.key = key, .rule = find_in(visit, phases[i], key), .type = type};

            entry.packets = (struct qs_share){type->count, type->packets, type->first, type->last};
            if (type->direction != visit->direction || !qs_type_is_message(type))
                continue;
            if (i)
                visit_sign_on(visit, &entry);
            else
                visit_play(visit, &entry);
            end_entry(visit, &entry);
        }
        visit_missing(visit, i > 0);
        g_ptr_array_free(types, TRUE);
    }
}

/* --- All of it -------------------------------------------------------------------------------- */

static void enter(struct visit *visit, enum qs_direction direction, const char *suffix)
{
    char **keys;

    g_free(visit->group);
    visit->direction = direction;
    visit->group = g_strconcat(visit->protocol->title, suffix ? " " : "", suffix, NULL);
    keys = expect_keys(visit->file, visit->group);
    visit->fresh = !*keys;
    g_strfreev(keys);
}

void expect_visit(struct expect_file *file, const struct expect_counts *counts,
                  const struct qs_client_session *session, GPtrArray *findings)
{
    struct visit visit = {.file = file,
                          .counts = counts,
                          .session = session,
                          .findings = findings,
                          .protocol = session->protocol};

    enter(&visit, QS_DIRECTION_UNKNOWN, NULL);
    visit.fails = expect_find(file, visit.group, "new") != NULL;
    if (findings && visit.fresh)
        add(&visit, &(struct entry){.key = "game"}, true, NULL,
            g_strdup_printf("%s, not expected", visit.protocol->title));
    visit_version(&visit);
    visit_maps(&visit);
    visit_problems(&visit);
    for (enum qs_direction direction = QS_C2S; direction <= QS_S2C; direction++) {
        enter(&visit, direction, qs_direction_name(direction));
        if ((findings && visit.fresh) || (!counts->play.traffic[direction].packets &&
                                          !counts->sign_on.traffic[direction].packets))
            continue;
        visit_rates(&visit);
        visit_messages(&visit);
    }
    g_free(visit.group);
}
