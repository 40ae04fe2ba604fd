/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rules that filter names and titles keep, over the whole table of every protocol: names are an
 * interface that people write filters against, so one thing is called the same in all games.
 */
#include <ctype.h>
#include <glib.h>
#include <stdbool.h>
#include <string.h>

#include "common/protocols.h"
#include "unit.h"

/* What is wrong with a row, or NULL. */
typedef const char *rule(const struct qs_protocol *protocol, const struct qs_field *row);

/* Prints each row that breaks the rule, and fails when there are any. */
static void assert_rule(rule *broken)
{
    unsigned count = 0;

    for (const struct qs_protocol *const *each = qs_protocols; *each; each++)
        for (unsigned i = 0; i < (*each)->field_count; i++) {
            const struct qs_field *row = &(*each)->fields[i];
            const char *fault = broken(*each, row);

            if (!fault)
                continue;
            print_error("%s \"%s\": %s\n", row->name, row->title, fault);
            count++;
        }
    assert_int_equal(count, 0);
}

/* The name without the protocol's prefix. */
static const char *stem_of(const struct qs_protocol *protocol, const struct qs_field *row)
{
    return row->name + strlen(protocol->name) + 1;
}

/* Acknex is no Quake: its words are its document's. */
static bool is_quake(const struct qs_protocol *protocol)
{
    return strcmp(protocol->name, "acknex") != 0;
}

/* --- Names ----------------------------------------------------------------------- */

static const char *bad_name(const struct qs_protocol *protocol, const struct qs_field *row)
{
    const size_t prefix = strlen(protocol->name);

    if (strncmp(row->name, protocol->name, prefix) != 0 || row->name[prefix] != '.')
        return "does not begin with the protocol's name";
    for (const char *c = row->name; *c; c++)
        if (!islower((unsigned char)*c) && !isdigit((unsigned char)*c) && *c != '_' && *c != '.')
            return "has a character other than a-z, 0-9, _ and .";
    if (strstr(row->name, "..") || g_str_has_suffix(row->name, "."))
        return "has an empty part";
    return NULL;
}

TEST(test_names_are_filter_names)
{
    assert_rule(bad_name);
}

/* Two messages may share a name, as DarkPlaces' svc_spawnstatic2 and Quake's do: they are one kind
 * of row then. */
static const char *ambiguous(const struct qs_protocol *protocol, const struct qs_field *row)
{
    for (const struct qs_field *other = protocol->fields; other < row; other++)
        if (strcmp(other->name, row->name) == 0 &&
            (other->type != row->type || strcmp(other->title, row->title) != 0))
            return "stands twice in the table, and differently";
    return NULL;
}

TEST(test_names_are_unambiguous)
{
    assert_rule(ambiguous);
}

/* --- Titles ----------------------------------------------------------------------- */

static const char *bad_title(const struct qs_protocol *protocol, const struct qs_field *row)
{
    static const char *const components[] = {"X", "Y", "Z", "Pitch", "Yaw", "Roll"};
    const char *last = strrchr(row->name, '.') + 1;

    for (size_t i = 0; is_quake(protocol) && i < G_N_ELEMENTS(components); i++)
        if (strcmp(row->title, components[i]) == 0)
            return "a component stands alone";
    if (islower((unsigned char)row->title[0]) && !strstr(row->title, "_") &&
        strcmp(row->title, last) != 0)
        return "begins with a small letter";
    if (g_str_has_suffix(row->title, ":") || g_str_has_suffix(row->title, " ") ||
        g_str_has_suffix(row->title, "."))
        return "ends with punctuation";
    return NULL;
}

TEST(test_titles_are_titles)
{
    assert_rule(bad_title);
}

/* One spelling and one word for each thing. */
static const char *bad_word(const struct qs_protocol *protocol, const struct qs_field *row)
{
    static const char *const words[] = {"colour", "Colour", "rousers"};

    (void)protocol;
    for (size_t i = 0; i < G_N_ELEMENTS(words); i++)
        if (strstr(row->name, words[i]) || strstr(row->title, words[i]))
            return "is called color, or pants, elsewhere";
    return NULL;
}

TEST(test_words_are_the_same)
{
    assert_rule(bad_word);
}

/* --- Roles ------------------------------------------------------------------------ */

/* Who anonymizes or sanitizes goes by the role of a text. */
static const char *no_role(const struct qs_protocol *protocol, const struct qs_field *row)
{
    (void)protocol;
    return row->type == QS_TEXT && row->role == QS_ROLE_NONE ? "is a text without a role" : NULL;
}

TEST(test_texts_have_roles)
{
    assert_rule(no_role);
}

/* --- Messages ----------------------------------------------------------------------- */

static bool is_message(const char *stem)
{
    return (g_str_has_prefix(stem, "svc_") || g_str_has_prefix(stem, "clc_")) && !strchr(stem, '.');
}

/* The group of a message is titled as the message is called: SVC_CREATE in Acknex' document. */
static const char *bad_message(const struct qs_protocol *protocol, const struct qs_field *row)
{
    const char *stem = stem_of(protocol, row);

    if (!is_message(stem))
        return NULL;
    if (row->type != QS_GROUP)
        return "is no group";
    return g_ascii_strcasecmp(row->title, stem) == 0 ? NULL : "is not titled as the message";
}

TEST(test_messages_are_named_alike)
{
    assert_rule(bad_message);
}

/* What begins as the name of a message, without svc_, is one of its fields and not the message. */
static const char *bare_message(const struct qs_protocol *protocol, const struct qs_field *row)
{
    const char *stem = stem_of(protocol, row);

    for (unsigned i = 0; row->type == QS_GROUP && i < protocol->field_count; i++) {
        const char *other = stem_of(protocol, &protocol->fields[i]);

        if (is_message(other) && strcmp(other + strlen("svc_"), stem) == 0 &&
            strcmp(row->title, stem) == 0)
            return "a message's group lacks svc_ or clc_";
    }
    return NULL;
}

TEST(test_messages_have_their_prefix)
{
    assert_rule(bare_message);
}

/* --- The same in all games -----------------------------------------------------------------------
 */

static void compare(GHashTable *titles, const struct qs_protocol *protocol, unsigned *count)
{
    for (unsigned i = 0; i < protocol->field_count; i++) {
        const struct qs_field *row = &protocol->fields[i];
        const struct qs_field *other = g_hash_table_lookup(titles, stem_of(protocol, row));

        if (!other) {
            g_hash_table_insert(titles, (gpointer)stem_of(protocol, row), (gpointer)row);
        } else if (strcmp(other->title, row->title) != 0) {
            print_error("%s \"%s\", %s \"%s\"\n", row->name, row->title, other->name, other->title);
            ++*count;
        }
    }
}

TEST(test_games_agree)
{
    GHashTable *titles = g_hash_table_new(g_str_hash, g_str_equal);
    unsigned count = 0;

    for (const struct qs_protocol *const *each = qs_protocols; *each; each++)
        if (is_quake(*each))
            compare(titles, *each, &count);
    g_hash_table_destroy(titles);
    assert_int_equal(count, 0);
}
