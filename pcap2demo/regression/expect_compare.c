/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compares a session with what is expected. Identical runs differ in what happens in the game, so
 * single messages of play prove nothing: sizes and fields count where most messages of a type have
 * them, and what is new in play is only reported, unless the file is strict.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "pcap2demo/regression/expect_rules.h"

/* So many messages of play are enough to be compared. */
enum { FEW = 3 };

struct comparison {
    const struct expect_file *file;
    const struct qs_client_session *session;
    GHashTable *words;
    GPtrArray *findings;
    bool strict;
};

/* "s2c svc_sound: TEXT (packet 412)"; frees `text`, NULL: as expected. Returns whether it is not.
 */
static bool add(const struct comparison *comparison, const struct expect_fact *fact, bool failed,
                uint64_t packet, char *text)
{
    struct expect_finding *finding = g_new0(struct expect_finding, 1);
    const char *way = fact->direction ? qs_direction_name(fact->direction) : fact->rule.group;

    finding->session = comparison->session->number;
    finding->direction = fact->direction;
    finding->name = g_strconcat(*way ? way : "protocol", " ", fact->rule.key, NULL);
    finding->failed = failed && text;
    if (text && packet)
        finding->text = g_strdup_printf("%s: %s (%s %" PRIu64 ")", finding->name, text,
                                        comparison->session->recorded ? "block" : "packet", packet);
    else if (text)
        finding->text = g_strdup_printf("%s: %s", finding->name, text);
    g_free(text);
    g_ptr_array_add(comparison->findings, finding);
    return finding->text;
}

/* --- Ranges and lists ------------------------------------------------------------------------ */

/* "38.6, expected 65..75"; NULL: as expected, or nothing was measured. */
static char *range_problem(const struct expect_range *range, double value, const char *unit)
{
    char number[G_ASCII_DTOSTR_BUF_SIZE], *expected, *text;

    if (isnan(value) || range->min > range->max || expect_range_has(range, value))
        return NULL;
    g_ascii_formatd(number, sizeof number, value < 100 ? "%.3g" : "%.0f", value);
    expected = expect_range_text(range);
    text = g_strdup_printf("%s%s, expected %s", number, unit, expected);
    g_free(expected);
    return text;
}

/* ", FTE 0x8000 (floatcoords) more than expected" */
static void append_bits(GString *text, const struct expect_fact *fact, const char *extension,
                        uint32_t bits, const char *how)
{
    const struct qs_protocol *protocol = fact->rule.protocol;
    g_autofree char *low = g_ascii_strdown(extension, -1);
    g_autofree char *prefix = g_strconcat(protocol->name, ".extension.", low, ".", NULL);
    const char *before = " (";

    if (bits)
        g_string_append_printf(text, "%s%s 0x%" PRIx32, text->len ? ", " : "", extension, bits);
    for (unsigned i = 0; i < protocol->field_count; i++) {
        const struct qs_field *field = &protocol->fields[i];

        if (field->mask & bits && g_str_has_prefix(field->name, prefix)) {
            g_string_append_printf(text, "%s%s", before, field->name + strlen(prefix));
            before = ", ";
        }
    }
    if (bits)
        g_string_append_printf(text, "%s %s than expected", *before == ',' ? ")" : "", how);
}

/* How an extension differs from the first value that is expected of it. */
static char *extension_problem(const struct expect_fact *fact, const char *item,
                               const GPtrArray *expected)
{
    const size_t length = strcspn(item, " ");
    const uint32_t is = (uint32_t)strtoul(item + length, NULL, 16);
    char *name = g_strndup(item, length);
    GString *text = g_string_new(NULL);
    uint32_t was = 0;

    for (guint i = expected->len; i--;)
        if (strncmp(g_ptr_array_index(expected, i), item, length + 1) == 0)
            was = (uint32_t)strtoul((char *)g_ptr_array_index(expected, i) + length, NULL, 16);
    append_bits(text, fact, name, is & ~was, "more");
    append_bits(text, fact, name, was & ~is, "less");
    g_free(name);
    return g_string_free(text, !text->len);
}

/* A word that is not expected, and the first packet that has it. */
static char *word_problem(const struct comparison *comparison, const struct expect_fact *fact,
                          const char *word, uint64_t *packet)
{
    char *key = g_strdup_printf("%s %s %s", fact->rule.protocol->name,
                                qs_direction_name(fact->direction), word);

    *packet = ((const struct qs_share *)g_hash_table_lookup(comparison->words, key))->first;
    g_free(key);
    return g_strdup_printf("new word \"%s\"", word);
}

static void compare_list(const struct comparison *comparison, const struct expect_rule *rule,
                         const struct expect_fact *fact)
{
    char *all = expect_items_text(rule->items, ", "), *text;
    bool found = false;

    for (guint i = 0; i < fact->rule.items->len; i++) {
        const char *item = g_ptr_array_index(fact->rule.items, i);
        uint64_t packet = 0;

        if (expect_items_have(rule->items, item))
            continue;
        if (strcmp(rule->key, "extensions") == 0)
            text = extension_problem(fact, item, rule->items);
        else if (fact->direction)
            text = word_problem(comparison, fact, item, &packet);
        else
            text = g_strdup_printf("%s, expected %s", item, all);
        found |= text && add(comparison, fact, true, packet, text);
    }
    g_free(all);
    if (!found)
        add(comparison, fact, true, 0, NULL);
}

/* --- Messages -------------------------------------------------------------------------------- */

/* Whether so many of a type's messages make a difference: most of the events; of updates all, since
 * what a player has or does shows in them as long as it lasts. */
static bool is_most(const struct comparison *comparison, const struct expect_rule *rule,
                    const struct expect_fact *fact, uint64_t count)
{
    const uint64_t all = fact->type->count;

    if (comparison->strict)
        return count;
    if (rule->phase == EXPECT_EVERY_SECOND)
        return count == all;
    return 2 * count > all && (all >= FEW || rule->phase == EXPECT_SIGN_ON);
}

static bool compare_size(const struct comparison *comparison, const struct expect_rule *rule,
                         const struct expect_fact *fact)
{
    uint64_t count = 0, packet = UINT64_MAX;
    GHashTableIter iter;
    gpointer size, share;
    guint first = 0;

    g_hash_table_iter_init(&iter, fact->type->sizes);
    while (rule->sized && g_hash_table_iter_next(&iter, &size, &share)) {
        const struct qs_share *of = share;

        if (expect_range_has(&rule->range, GPOINTER_TO_UINT(size)))
            continue;
        count += of->count;
        if (of->first < packet || (of->first == packet && GPOINTER_TO_UINT(size) < first))
            first = GPOINTER_TO_UINT(size);
        packet = MIN(packet, of->first);
    }
    return count && is_most(comparison, rule, fact, count) &&
           add(comparison, fact, true, packet, range_problem(&rule->range, first, " bytes"));
}

static bool compare_fields(const struct comparison *comparison, const struct expect_rule *rule,
                           const struct expect_fact *fact)
{
    GPtrArray *found = expect_items_new();
    uint64_t packet = UINT64_MAX;
    GHashTableIter iter;
    gpointer field, share;
    char *names;

    g_hash_table_iter_init(&iter, fact->type->fields);
    while (g_hash_table_iter_next(&iter, &field, &share)) {
        const struct qs_share *of = share;
        const char *name = expect_field_name(field);

        if (!name || expect_items_have(rule->items, name) ||
            !is_most(comparison, rule, fact, of->count))
            continue;
        expect_items_add(found, ((const struct qs_field *)field)->name);
        packet = MIN(packet, of->first);
    }
    names = found->len ? expect_items_text(found, ", ") : NULL;
    g_ptr_array_unref(found);
    if (names)
        add(comparison, fact, true, packet, g_strconcat("new field ", names, NULL));
    g_free(names);
    return packet < UINT64_MAX;
}

static bool compare_timing(const struct comparison *comparison, const struct expect_rule *rule,
                           const struct expect_fact *fact)
{
    if (rule->phase == EXPECT_EVERY_SECOND && 2 * fact->seconds < fact->of)
        return add(comparison, fact, true, fact->packet,
                   g_strdup_printf("in %u of %u seconds of play, expected in every one",
                                   fact->seconds, fact->of));
    if (rule->once && fact->rule.phase == EXPECT_SIGN_ON && !fact->rule.once)
        return add(comparison, fact, true, fact->packet,
                   g_strdup_printf("seen %" PRIu64 " times, expected once", fact->type->count));
    return false;
}

/* The session may lack messages of play. */
static void compare_message(const struct comparison *comparison, const struct expect_rule *rule,
                            const struct expect_fact *fact)
{
    bool found = fact->type && compare_timing(comparison, rule, fact);

    if (fact->type && !rule->few) {
        found |= compare_size(comparison, rule, fact);
        found |= rule->items && fact->type->fields && compare_fields(comparison, rule, fact);
    }
    if (!found)
        add(comparison, fact, true, 0,
            fact->type || rule->phase == EXPECT_PLAY ? NULL
                                                     : g_strdup("never seen, expected always"));
}

/* What comes in each sign-on or all the time is a change; an event of play need not be. */
static void report_new(const struct comparison *comparison, const struct expect_fact *fact)
{
    static const char *const texts[] = {[EXPECT_SIGN_ON] = "new message of the sign-on",
                                        [EXPECT_EVERY_SECOND] = "new message, in every second",
                                        [EXPECT_PLAY] = "new message of play"};
    const enum expect_phase phase = fact->rule.phase;

    add(comparison, fact, comparison->strict || phase != EXPECT_PLAY, fact->packet,
        g_strdup(texts[phase]));
}

/* --- All of it ------------------------------------------------------------------------------- */

/* Nothing is expected of a key that the file has not; but it names all messages. */
static void compare(void *user, struct expect_rule *rule, const struct expect_fact *fact)
{
    const struct comparison *comparison = user;

    if (rule && rule->kind == EXPECT_MESSAGE)
        compare_message(comparison, rule, fact);
    else if (rule && rule->kind == EXPECT_LIST)
        compare_list(comparison, rule, fact);
    else if (rule)
        add(comparison, fact, true, fact->packet,
            range_problem(&rule->range, fact->value, fact->unit));
    else if (fact->type && expect_find(comparison->file, fact->rule.protocol, fact->rule.group, ""))
        report_new(comparison, fact);
}

void expect_compare(struct expect_file *file, const struct expect_counts *counts,
                    const struct qs_client_session *session, GHashTable *words, GPtrArray *findings)
{
    const struct qs_protocol *protocol = session->protocol;
    const struct expect_rule *strict = expect_find(file, protocol, "", "strict");
    const struct comparison comparison = {.file = file,
                                          .session = session,
                                          .words = words,
                                          .findings = findings,
                                          .strict =
                                              strict && expect_items_have(strict->items, "true")};

    if (!expect_find(file, protocol, "", ""))
        add(&comparison, &(struct expect_fact){.rule = {.group = "", .key = "game"}}, true, 0,
            g_strdup_printf("%s, not expected", protocol->title));
    expect_each_fact(file, counts, session, words, compare, (void *)&comparison);
}
