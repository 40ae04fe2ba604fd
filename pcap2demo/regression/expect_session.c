/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/regression/expect.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/hash.h"
#include "common/fte/fte.h"

/*
 * Margins of an update: a range extends to the learned value divided by the factor, less the
 * difference, and to the value times the factor, plus the difference. The load of machines varies,
 * and games differ.
 */
static const struct margin {
    double factor, difference;
} rate_margin = {4.0 / 3, 0},  /* packets of a direction, per second */
    every_margin = {2, 0},     /* messages that occur every second, per second */
    event_margin = {2.5, 5},   /* other messages, per second */
    list_margin = {2, 2.5},    /* items of a list, per message */
    removal_margin = {2, 0.5}; /* removed items of a list, per message */

enum {
    SECONDS_MIN = 3, /* minimum play time (s) in which a message can occur every second */
    EVERY_MIN = 5,   /* minimum rate (per second): rarer messages may also be missing */
    MOVES_MIN = 20   /* minimum number of movements for a rate */
};

/* Returns the range from `low` to `high` with margins, rounded to tenths. */
static struct expect_range around(double low, double high, struct margin margin)
{
    return (struct expect_range){
        fmax(0, floor(10 * (low / margin.factor - margin.difference)) / 10),
        ceil(10 * (high * margin.factor + margin.difference)) / 10};
}

/* Comparison of a session with the file, or learning from it. */
struct visit {
    struct expect_file *file;
    const struct expect_counts *counts;
    const struct qs_client_session *session;
    GPtrArray *findings; /* NULL: learn */
    const struct qs_protocol *protocol;
    enum qs_direction direction; /* unknown: both directions */
    char *group;                 /* group in the file, such as "QuakeWorld s2c" */
    bool fresh;                  /* the file has no key of the group yet */
    bool fails;                  /* new messages and maps fail */
    bool known_map;

    /* State of the current key. */
    const char *key;
    struct expect_rule *rule; /* NULL: the file does not have the key */
    bool added;               /* the key was added by this session */
    bool found;               /* a finding was added */
};

/* Adds a finding. `text` is NULL if all is as expected. Takes ownership of `text`. */
static void add(struct visit *visit, bool failed, const struct qs_share *where, char *text)
{
    const char *kind = visit->session->recorded ? "block" : "packet";
    const char *direction = visit->direction ? qs_direction_name(visit->direction) : "protocol";
    struct expect_finding *finding = g_new0(struct expect_finding, 1);
    GString *line = g_string_new(NULL);

    g_string_printf(line, "%s %s", direction, visit->key);
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
    visit->found = true;
    g_free(text);
}

static void begin_key(struct visit *visit, const char *key)
{
    visit->key = key;
    visit->rule = expect_find(visit->file, visit->group, key);
    visit->added = !visit->findings && !visit->rule && visit->fresh;
    visit->found = false;
    if (visit->added)
        visit->rule = expect_add(visit->file, visit->group, key);
}

/* Adds a finding without text if all was as expected. */
static void end_key(struct visit *visit)
{
    if (visit->findings && visit->rule && !visit->found)
        add(visit, true, NULL, NULL);
}

/* Returns a text such as "38.6 a second, expected 65..75". The caller frees it. */
static char *differs(double value, const char *unit, struct expect_range range)
{
    g_autofree char *expected = expect_range_text(range);
    char number[G_ASCII_DTOSTR_BUF_SIZE];

    g_ascii_formatd(number, sizeof number, value < 100 ? "%.3g" : "%.0f", value);
    return g_strdup_printf("%s%s, expected %s", number, unit, expected);
}

/* Checks a number of the session; NAN: not measured. An update extends the part to `range` if the
 * part exists or `new` is set. */
static void visit_number(struct visit *visit, const char *name, double value,
                         struct expect_range range, bool new, const char *unit,
                         const struct qs_share *where)
{
    const struct expect_range *part = visit->rule ? expect_part(visit->rule, name) : NULL;

    if (isnan(value) || !visit->rule)
        return;
    if (!visit->findings && (part || new))
        expect_widen(visit->rule, name, range);
    else if (visit->findings && part && !expect_range_has(*part, value))
        add(visit, true, where, differs(value, unit, *part));
}

/* --- Words ----------------------------------------------------------------------------------- */

/* Checks a word of a list. `where` may be NULL. */
static void visit_word(struct visit *visit, const char *word, const struct qs_share *where)
{
    g_autofree char **names = NULL, *expected = NULL;

    if (visit->rule && !visit->findings)
        expect_widen(visit->rule, word, expect_anything);
    if (!visit->rule || expect_part(visit->rule, word))
        return;
    names = expect_names(visit->rule);
    expected = g_strjoinv(", ", names);
    add(visit, visit->fails || strcmp(visit->key, "maps") != 0, where,
        g_strdup_printf("%s, expected %s", word, *names ? expected : "none"));
}

/* Appends a text such as ", FTE 0x8000 (floatcoords) more than expected" if `bits` is not 0. */
static void append_bits(GString *text, const struct qs_protocol *protocol, const char *extension,
                        uint32_t bits, const char *how)
{
    g_autofree char *names = qs_extension_bits_text(protocol, extension, bits);

    if (bits)
        g_string_append_printf(text, "%s%s 0x%" PRIx32 "%s%s%s %s than expected",
                               text->len ? ", " : "", extension, bits, *names ? " (" : "", names,
                               *names ? ")" : "", how);
}

/* Returns the bits that follow the name in the first such word; 0 if there is none. */
static uint32_t bits_of(char *const *words, const char *name)
{
    const size_t length = strlen(name);

    while (*words && !(g_str_has_prefix(*words, name) && (*words)[length] == ' '))
        words++;
    return *words ? (uint32_t)strtoul(*words + length, NULL, 16) : 0;
}

/* Checks an extension of the session or of the file, such as "FTE 0x8000". */
static void visit_extension(struct visit *visit, const char *name, uint32_t bits)
{
    g_autofree char *word = g_strdup_printf("%s 0x%" PRIx32, name, bits);
    g_autofree char *none = g_strdup_printf("%s 0x0", name), **listed = expect_names(visit->rule);
    const uint32_t expected = bits_of(listed, name);

    if (!visit->findings) {
        if (!visit->added && !expected)
            expect_widen(visit->rule, none, expect_anything);
        expect_widen(visit->rule, word, expect_anything);
    } else if (!expect_part(visit->rule, word)) {
        GString *text = g_string_new(NULL);

        append_bits(text, visit->protocol, name, bits & ~expected, "more");
        append_bits(text, visit->protocol, name, expected & ~bits, "less");
        add(visit, true, NULL, g_string_free(text, FALSE));
    }
}

/* Splits the words of a version, "28 FTE 0x21407000 FTE2 0x2": appends the extensions with their
 * bits, and returns the rest, "28". The caller frees both. */
static char *split_version(char **words, GPtrArray *extensions)
{
    GString *version = g_string_new(NULL);

    for (; *words; words++)
        if (words[1] && g_str_has_prefix(words[1], "0x")) {
            g_ptr_array_add(extensions, g_strconcat(words[0], " ", words[1], NULL));
            words++;
        } else {
            g_string_append_printf(version, "%s%s", version->len ? " " : "", *words);
        }
    g_ptr_array_add(extensions, NULL);
    return g_string_free(version, FALSE);
}

static void visit_extensions(struct visit *visit, char *const *extensions)
{
    g_autofree char **listed = visit->rule ? expect_names(visit->rule) : NULL;
    char *const *const both[] = {extensions, listed};

    for (guint i = 0; visit->rule && i < G_N_ELEMENTS(both); i++)
        for (char *const *word = both[i]; *word; word++) {
            g_autofree char *name = g_strndup(*word, strcspn(*word, " "));

            if (i == 0 || (!bits_of(extensions, name) && bits_of(listed, name)))
                visit_extension(visit, name, bits_of(extensions, name));
        }
}

static void visit_version(struct visit *visit)
{
    const char *version = visit->session->version ? visit->session->version : "?";
    char **words = g_strsplit(version, " ", -1);
    GPtrArray *extensions = g_ptr_array_new_with_free_func(g_free);
    g_autofree char *number = split_version(words, extensions);

    begin_key(visit, "versions");
    visit_word(visit, number, NULL);
    end_key(visit);
    begin_key(visit, "extensions");
    visit_extensions(visit, (char *const *)extensions->pdata);
    end_key(visit);
    g_ptr_array_free(extensions, TRUE);
    g_strfreev(words);
}

static void visit_maps(struct visit *visit)
{
    const GPtrArray *maps = visit->session->maps;

    begin_key(visit, "maps");
    visit->known_map = true;
    for (guint i = 0; i < maps->len; i++) {
        /* A ";" separates the words of a file, which are stripped. */
        g_autofree char *map =
            g_strdelimit(g_strstrip(g_strdup(g_ptr_array_index(maps, i))), ";", '_');

        visit->known_map &= !visit->rule || expect_part(visit->rule, map);
        visit_word(visit, map, NULL);
    }
    end_key(visit);
}

static void visit_problems(struct visit *visit)
{
    begin_key(visit, "problems");
    for (int i = 0; i < EXPECT_PROBLEMS; i++)
        if (visit->counts->problems[i].count && (i == EXPECT_UNDECODED || qs_note_kinds[i].problem))
            visit_word(visit, i == EXPECT_UNDECODED ? "undecoded" : qs_note_kinds[i].suffix,
                       &visit->counts->problems[i]);
    end_key(visit);
}

/* --- Rates ----------------------------------------------------------------------------------- */

static gint compare_guints(gconstpointer a, gconstpointer b)
{
    const guint x = *(const guint *)a, y = *(const guint *)b;

    return (x > y) - (x < y);
}

/* Returns the quantile `part` of the first `count` numbers; NAN if `count` is 0. */
static double quantile(const GArray *numbers, guint count, double part)
{
    g_autoptr(GArray) sorted = g_array_new(FALSE, FALSE, sizeof(guint));

    if (!count)
        return NAN;
    g_array_append_vals(sorted, numbers->data, count);
    g_array_sort(sorted, compare_guints);
    return g_array_index(sorted, guint, (guint)(part * (count - 1)));
}

static void visit_rate(struct visit *visit, const char *key, double value, double high)
{
    begin_key(visit, key);
    visit_number(visit, "", value, around(value, high, rate_margin),
                 visit->rule && !g_hash_table_size(visit->rule->parts), "", NULL);
    end_key(visit);
}

/* Checks two rates: the median of packets in whole seconds of play, since busy programs send less
 * in some seconds; and how quickly movements follow each other, since some servers answer each
 * packet but run less often. */
static void visit_rates(struct visit *visit)
{
    const GArray *moves = visit->counts->moves,
                 *seconds = visit->counts->play.seconds[visit->direction];
    const guint whole = seconds && seconds->len > SECONDS_MIN ? seconds->len - 1 : 0;
    const double soon = 1e6 / quantile(moves, moves->len < MOVES_MIN ? 0 : moves->len, 0.25);

    visit_rate(visit, EXPECT_PACKETS, quantile(seconds, whole, 0.5), quantile(seconds, whole, 1));
    if (visit->direction == QS_S2C && !isnan(soon))
        visit_rate(visit, EXPECT_MOVES, soon, soon);
}

/* Counts of a message in both parts of a session; NULL if it does not occur there. */
struct types {
    const struct qs_type_count *sign_on, *play;
    bool every; /* the message occurs in each second of play */
};

/* --- Format of a message --------------------------------------------------------------------- */

/* True if a message may have any size, because it is a list or has a text. */
static bool is_open(const struct qs_type_count *type)
{
    return type && (type->list || type->text);
}

static void learn_format(struct visit *visit, const struct qs_type_count *type)
{
    GHashTableIter iter;
    gpointer key;

    if (!type || !expect_part(visit->rule, EXPECT_BYTES))
        return;
    g_hash_table_iter_init(&iter, type->sizes);
    while (g_hash_table_iter_next(&iter, &key, NULL))
        expect_widen(
            visit->rule, EXPECT_BYTES,
            (struct expect_range){type->flags ? 0 : GPOINTER_TO_UINT(key), GPOINTER_TO_UINT(key)});
    if (type->fields)
        g_hash_table_iter_init(&iter, type->fields);
    while (type->fields && g_hash_table_iter_next(&iter, &key, NULL))
        if (expect_field_name(key))
            expect_widen(visit->rule, expect_field_name(key), expect_anything);
}

/* Sizes or fields that differ: their packets, and the first one. */
struct difference {
    struct qs_share where;
    gconstpointer first;
};

static void add_difference(struct difference *all, gconstpointer key, const struct qs_share *share)
{
    if (!all->where.packets || share->first < all->where.first ||
        (share->first == all->where.first && key < all->first)) {
        all->where.first = share->first;
        all->first = key;
    }
    all->where.packets += share->packets;
    all->where.count += share->count;
}

/* True if enough messages differ: most of them, if flags decide which fields a message has. */
static bool is_enough(const struct qs_type_count *type, uint64_t count)
{
    return count > (type->flags ? type->count / 2 : 0);
}

static void compare_format(struct visit *visit, const struct qs_type_count *type)
{
    const struct expect_range *part = expect_part(visit->rule, EXPECT_BYTES);
    struct difference sizes = {0}, fields = {0};
    GHashTableIter iter;
    gpointer key, value;

    if (!type || !part)
        return;
    g_hash_table_iter_init(&iter, type->sizes);
    while (g_hash_table_iter_next(&iter, &key, &value))
        if (!expect_range_has(*part, GPOINTER_TO_UINT(key)))
            add_difference(&sizes, key, value);
    if (is_enough(type, sizes.where.count))
        add(visit, true, &sizes.where, differs(GPOINTER_TO_UINT(sizes.first), " bytes", *part));
    if (type->fields)
        g_hash_table_iter_init(&iter, type->fields);
    while (type->fields && g_hash_table_iter_next(&iter, &key, &value))
        if (expect_field_name(key) && !expect_part(visit->rule, expect_field_name(key)) &&
            is_enough(type, ((const struct qs_share *)value)->count))
            add_difference(&fields, key, value);
    if (fields.first) /* its packets alone: a message may have several new fields */
        add(visit, true, g_hash_table_lookup(type->fields, fields.first),
            g_strdup_printf("new field %s", ((const struct qs_field *)fields.first)->name));
}

static void visit_format(struct visit *visit, const struct types *types)
{
    const bool open = is_open(types->sign_on) || is_open(types->play);

    if (visit->findings && open)
        return; /* the list had no items in the session that was learned */
    if (visit->findings) {
        compare_format(visit, types->sign_on);
        compare_format(visit, types->play);
        return;
    }
    if (open)
        expect_remove_format(visit->rule);
    else if (visit->added)
        expect_widen(visit->rule, EXPECT_BYTES, (struct expect_range){HUGE_VAL, -HUGE_VAL});
    learn_format(visit, types->sign_on);
    learn_format(visit, types->play);
}

/* Checks the number of items in a list by fields that repeat: the field with the highest count, and
 * the flags of removed items. */
static void visit_items(struct visit *visit, const struct qs_type_count *type)
{
    const struct qs_field *most = NULL;
    uint64_t count = 0;
    GHashTableIter iter;
    gpointer key, value;

    g_hash_table_iter_init(&iter, type->fields);
    while (g_hash_table_iter_next(&iter, &key, &value)) {
        const uint64_t items = ((const struct qs_share *)value)->count;

        if (items > ((const struct qs_share *)value)->packets && expect_field_name(key) &&
            (items > count || (items == count && (const struct qs_field *)key < most))) {
            most = key;
            count = items;
        }
    }
    g_hash_table_iter_init(&iter, type->fields);
    while (g_hash_table_iter_next(&iter, &key, &value)) {
        const struct qs_field *field = key;
        const bool is_flag = field->mask != 0;
        const double number = (double)((const struct qs_share *)value)->count / (double)type->count;
        const char *name = expect_field_name(field);
        g_autofree char *unit = g_strdup_printf(" %s a message", name);

        if (name && (field == most || is_flag))
            visit_number(visit, name, number,
                         around(number, number, is_flag ? removal_margin : list_margin), true, unit,
                         value);
    }
}

/* --- Frequency of a message ------------------------------------------------------------------ */

static guint seconds_of(const struct visit *visit)
{
    const GArray *seconds = visit->counts->play.seconds[visit->direction];

    return seconds ? seconds->len : 0;
}

/* True if play is long enough for rates. */
static bool has_rates(const struct visit *visit)
{
    return qs_tally_seconds(&visit->counts->play) >= SECONDS_MIN;
}

static bool is_expected(const struct visit *visit, const char *name)
{
    return visit->rule && expect_part(visit->rule, name);
}

static struct qs_share share_of(const struct qs_type_count *type)
{
    return (struct qs_share){type->count, type->packets, type->first, type->last};
}

/* True if the speed of the connection decides whether a sign-on has the message. */
static bool depends_on_rate(const struct visit *visit)
{
    return strcmp(visit->key, "svc_chokecount") == 0;
}

/* Checks the number per level. Any number is allowed if the message also comes in play, or together
 * with the first update: then it depends on timing. */
static void visit_per_level(struct visit *visit, const struct types *types)
{
    const struct qs_type_count *type = types->sign_on;
    const struct qs_share where = share_of(type);
    const double number = (double)type->count / MAX(visit->session->state.level, 1);
    const struct expect_range *part = expect_part(visit->rule, EXPECT_PER_LEVEL);
    struct expect_range range = {number, number};

    if (depends_on_rate(visit) || (!part && !visit->fresh))
        range = (struct expect_range){0, HUGE_VAL};
    else if (type->last >= visit->counts->update || types->play ||
             (part && !expect_range_has(*part, number)))
        range = (struct expect_range){fmin(part ? part->min : 1, fmin(number, 1)), HUGE_VAL};
    if (!visit->findings || visit->known_map)
        visit_number(visit, EXPECT_PER_LEVEL, number, range, true, " a level", &where);
}

/* Changes the rule from every second to any time, with a wider range. */
static void forget_every_second(struct expect_rule *rule)
{
    struct expect_range *part = expect_part(rule, EXPECT_PER_SECOND);

    if (part && g_hash_table_remove(rule->parts, EXPECT_EVERY_SECOND))
        *part = around(0, part->max, event_margin);
}

/* Checks the rate of packets: their number of messages depends on the player's location. */
static void visit_per_second(struct visit *visit, const struct types *types)
{
    const struct qs_type_count *type = types->play;
    const struct qs_share where = share_of(type);
    const double seconds = qs_tally_seconds(&visit->counts->play);
    const double number = has_rates(visit) ? (double)type->packets / seconds : NAN;
    struct expect_range range = around(number, number, every_margin);
    bool every;

    if (!visit->findings && (!types->every || number < EVERY_MIN))
        forget_every_second(visit->rule);
    else if (!visit->findings && visit->fresh && visit->added)
        expect_widen(visit->rule, EXPECT_EVERY_SECOND, expect_anything);
    every = is_expected(visit, EXPECT_EVERY_SECOND);
    if (!every)
        range = around(0, range.max, event_margin);
    if (visit->findings && every && 2 * type->seconds < seconds_of(visit))
        add(visit, true, NULL,
            g_strdup_printf("in %u of %u seconds of play, expected in each", type->seconds,
                            seconds_of(visit)));
    else
        visit_number(visit, EXPECT_PER_SECOND, number, range, true, " a second", &where);
}

/* --- Messages -------------------------------------------------------------------------------- */

/* Reports a message that the file does not have in this part of a session. */
static void report_new(struct visit *visit, const struct types *types)
{
    const struct qs_type_count *type = types->play ? types->play : types->sign_on;
    const struct qs_share where = share_of(type);
    const bool steady = types->play ? types->every
                                    : visit->known_map && !depends_on_rate(visit) &&
                                          type->first < visit->counts->update;

    add(visit, steady || visit->fails, &where,
        g_strdup(!types->play   ? "new message of the sign-on"
                 : types->every ? "new message, in every second"
                                : "new message of play"));
}

/* Checks a message that occurs in the session. */
static void visit_message(struct visit *visit, const struct types *types)
{
    if (!visit->findings && !visit->rule) {
        visit->rule = expect_add(visit->file, visit->group, visit->key);
        visit->added = true;
    }
    if (visit->findings && (!visit->rule || (types->play && has_rates(visit) &&
                                             !is_expected(visit, EXPECT_PER_SECOND) &&
                                             is_expected(visit, EXPECT_PER_LEVEL))))
        report_new(visit, types);
    if (!visit->rule)
        return;
    visit_format(visit, types);
    if (types->play) {
        visit_per_second(visit, types);
        if (types->play->list)
            visit_items(visit, types->play);
    }
    if (types->sign_on && !is_expected(visit, EXPECT_EVERY_SECOND))
        visit_per_level(visit, types);
}

/* Checks a message of the file that the sign-on or play lacks. A message that only most sign-ons
 * have may also come late, in play. */
static void visit_missing(struct visit *visit, const struct types *types)
{
    struct expect_range *level = types->sign_on ? NULL : expect_part(visit->rule, EXPECT_PER_LEVEL);
    const bool every =
        !types->play && is_expected(visit, EXPECT_EVERY_SECOND) && seconds_of(visit) >= SECONDS_MIN;

    if (!visit->findings && level)
        *level = (struct expect_range){0, HUGE_VAL};
    if (!visit->findings && every)
        forget_every_second(visit->rule);
    if (visit->findings && every)
        add(visit, true, NULL, g_strdup("never seen, expected in each second"));
    else if (visit->findings && level && level->min > 0 && visit->known_map &&
             !depends_on_rate(visit) && (!types->play || isfinite(level->max)))
        add(visit, true, NULL, g_strdup("never seen, expected in each sign-on"));
}

/* Returns a table of types by key, such as "svc_temp_entity TE_GUNSHOT". Leaves out messages
 * without content in the sign-on: they fill its pauses. */
static GHashTable *types_of(const struct qs_tally *tally, enum qs_direction direction, bool sign_on)
{
    GHashTable *types = g_hash_table_new_full(qs_str_hash, g_str_equal, g_free, NULL);
    GHashTableIter iter;
    gpointer key;

    g_hash_table_iter_init(&iter, tally->types[direction]);
    while (g_hash_table_iter_next(&iter, &key, NULL)) {
        const struct qs_type_count *type = key;

        if (qs_type_is_message(type) && (!sign_on || type->bytes != type->count))
            g_hash_table_insert(types,
                                g_strconcat(strchr(type->group->name, '.') + 1,
                                            type->variant ? " " : NULL, type->variant, NULL),
                                key);
    }
    return types;
}

static gint compare_keys(gconstpointer a, gconstpointer b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Returns all keys of both tables and the list, sorted, in a new array that does not own them. */
static char **all_keys(GHashTable *sign_on, GHashTable *play, char *const *known)
{
    GHashTable *const tables[] = {sign_on, play};
    g_autoptr(GHashTable) all = g_hash_table_new(qs_str_hash, g_str_equal);
    GHashTableIter iter;
    gpointer key;
    guint count;
    char **keys;

    for (; *known; known++)
        if (strcmp(*known, EXPECT_PACKETS) != 0 && strcmp(*known, EXPECT_MOVES) != 0)
            g_hash_table_add(all, *known);
    for (guint i = 0; i < G_N_ELEMENTS(tables); i++) {
        g_hash_table_iter_init(&iter, tables[i]);
        while (g_hash_table_iter_next(&iter, &key, NULL))
            g_hash_table_add(all, key);
    }
    keys = (char **)g_hash_table_get_keys_as_array(all, &count);
    qsort(keys, count, sizeof *keys, compare_keys);
    return keys;
}

static void visit_messages(struct visit *visit)
{
    const guint seconds = seconds_of(visit);
    g_autoptr(GHashTable) sign_on = types_of(&visit->counts->sign_on, visit->direction, true),
                          play = types_of(&visit->counts->play, visit->direction, false);
    g_auto(GStrv) known = expect_keys(visit->file, visit->group);
    g_autofree char **keys = all_keys(sign_on, play, known);

    for (char **key = keys; *key; key++) {
        struct types types = {g_hash_table_lookup(sign_on, *key), g_hash_table_lookup(play, *key),
                              false};

        types.every =
            types.play && has_rates(visit) && 10 * types.play->seconds >= 9 * (seconds - 1);
        begin_key(visit, *key);
        if (types.sign_on || types.play)
            visit_message(visit, &types);
        if (visit->rule)
            visit_missing(visit, &types);
        end_key(visit);
    }
}

/* --- Comparison ------------------------------------------------------------------------------ */

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
                          .protocol = session->protocol,
                          .key = "game"};

    enter(&visit, QS_DIRECTION_UNKNOWN, NULL);
    visit.fails = expect_find(file, visit.group, "new") != NULL;
    if (findings && visit.fresh)
        add(&visit, true, NULL, g_strdup_printf("%s, not expected", visit.protocol->title));
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
