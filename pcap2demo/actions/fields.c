/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --fields: describes the fields that dumps print and that Wireshark filters by, with Wireshark's
 * types, and the notes. The tables of the protocols are the source. */
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "common/core/sink.h"
#include "common/protocols.h"
#include "common/core/session.h"
#include "pcap2demo/actions/action.h"

enum { NAME_WIDTH = 34, TYPE_WIDTH = 18 };

/* Description of a field or of a note. */
struct described {
    const char *name;
    const struct qs_protocol *protocol;
    const char *type, *title;
    const struct qs_field *row;      /* the field; NULL for a note */
    const struct qs_note_kind *note; /* the note; NULL for a field */
    const char *alias;               /* other name, or NULL */
};

static const char *type_name(enum qs_type type)
{
    static const char *const names[] = {
        [QS_GROUP] = "group",
        [QS_BOOL] = "boolean",
        [QS_U8] = "uint8",
        [QS_U16] = "uint16",
        [QS_U32] = "uint32",
        [QS_U64] = "uint64",
        [QS_X8] = "uint8",
        [QS_X16] = "uint16",
        [QS_X32] = "uint32",
        [QS_X64] = "uint64",
        [QS_I8] = "int8",
        [QS_I16] = "int16",
        [QS_I32] = "int32",
        [QS_I64] = "int64",
        [QS_FLOAT] = "float",
        [QS_DOUBLE] = "double",
        [QS_COORD] = "double",
        [QS_ANGLE] = "double",
        [QS_TEXT] = "string",
        [QS_BYTES] = "bytes",
        [QS_IPV4] = "ipv4",
        [QS_IPV6] = "ipv6",
        [QS_FRAMENUM] = "framenum",
        [QS_TIME] = "absolute_time",
        [QS_DURATION] = "relative_time",
    };

    return names[type];
}

/* --- Text ------------------------------------------------------------------------------------ */

static json_int_t number_of(const struct qs_field *row, const struct qs_name *name)
{
    return qs_type_kind(row->type) == QS_KIND_SIGNED ? (int32_t)name->value
                                                     : (json_int_t)name->value;
}

static void print_row_details(const struct qs_field *row)
{
    if (row->blurb)
        print_line("    %s", row->blurb);
    if (row->varies)
        print_line("    Differs from run to run: goldens leave it out.");
    if (row->role == QS_ROLE_SECRET)
        print_line("    A password: shown with --show-secrets only.");
    for (const struct qs_name *value = row->names; value && value->name; value++)
        print_line("    %" JSON_INTEGER_FORMAT " = %s", number_of(row, value), value->name);
}

static char *type_text(const struct described *what)
{
    if (what->row && what->row->mask)
        return g_strdup_printf("%s & 0x%x", what->type, what->row->mask);
    if (what->row && qs_unit_of(what->row))
        return g_strdup_printf("%s, %s", what->type, qs_unit_of(what->row));
    return g_strdup(what->type);
}

static void print_text(const struct described *what)
{
    g_autofree char *type = type_text(what);

    print_line("%-*s  %-*s  %s", NAME_WIDTH, what->name, TYPE_WIDTH, type, what->title);
    if (what->alias)
        print_line("    Also %s", what->alias);
    if (what->row)
        print_row_details(what->row);
}

/* --- JSON ------------------------------------------------------------------------------------ */

static json_t *names_json(const struct qs_field *row)
{
    json_t *array = json_array();

    for (const struct qs_name *value = row->names; value->name; value++)
        json_array_append_new(
            array, json_pack("{s:I, s:s}", "value", number_of(row, value), "name", value->name));
    return array;
}

static void add_row_members(json_t *object, const struct qs_field *row)
{
    if (qs_unit_of(row))
        json_object_set_new(object, "unit", json_string(qs_unit_of(row)));
    if (row->mask)
        json_object_set_new(object, "mask", json_integer(row->mask));
    if (row->blurb)
        json_object_set_new(object, "description", json_string(row->blurb));
    if (row->varies)
        json_object_set_new(object, "varies", json_true());
    if (row->role == QS_ROLE_SECRET)
        json_object_set_new(object, "secret", json_true());
    if (row->names)
        json_object_set_new(object, "values", names_json(row));
}

static void print_json(const struct described *what)
{
    json_t *object = json_pack("{s:s, s:s, s:s, s:s}", "name", what->name, "protocol",
                               what->protocol->name, "type", what->type, "title", what->title);

    if (what->alias)
        json_object_set_new(object, "alias", json_string(what->alias));
    if (what->row)
        add_row_members(object, what->row);
    else
        json_object_set_new(object, "problem", json_boolean(what->note->problem));
    json_dumpf(object, stdout, JSON_COMPACT | JSON_PRESERVE_ORDER);
    putchar('\n');
    json_decref(object);
}

/* --- Search in the tables -------------------------------------------------------------------- */

struct listing {
    char *const *words; /* words to search for, ends with NULL; if empty, lists all fields */
    void (*print)(const struct described *what);
    unsigned rank; /* rank of the fields to list in this pass */
    bool *found;   /* by word: a field has it */
};

/* Quality of a match, the best first. */
enum { RANK_WORD, RANK_DESCRIBED, RANK_PART, RANK_PART_DESCRIBED, RANKS };

/* True if the text contains the word, ignoring case; if `whole`, only as a whole word. */
static bool has_word(const char *text, const char *word, bool whole)
{
    const char *begin = text, *at;

    for (; text && (at = strcasestr(text, word)) != NULL; text = at + 1)
        if (!whole ||
            ((at == begin || !g_ascii_isalnum(at[-1])) && !g_ascii_isalnum(at[strlen(word)])))
            return true;
    return false;
}

/* Ranks a word: "qw.damage" must be the beginning of a name, "damage" is searched for. */
static unsigned rank_of(const char *word, const struct described *what)
{
    const char *blurb = what->row ? what->row->blurb : NULL;
    const size_t length = strcspn(word, ".");
    g_autofree char *name = g_strndup(word, length);
    const int game = qs_protocol_number(name);

    if (game >= 0) {
        g_autofree char *start = g_strconcat(qs_protocols[game]->name, word + length, NULL);

        return g_str_has_prefix(what->name, start) ||
                       (what->alias && g_str_has_prefix(what->alias, start))
                   ? RANK_WORD
                   : RANKS;
    }
    if (has_word(what->name, word, true) || has_word(what->title, word, true))
        return RANK_WORD;
    if (has_word(blurb, word, true))
        return RANK_DESCRIBED;
    if (has_word(what->name, word, false) || has_word(what->title, word, false))
        return RANK_PART;
    return has_word(blurb, word, false) ? RANK_PART_DESCRIBED : RANKS;
}

static void list(struct listing *listing, const struct described *what)
{
    unsigned rank = *listing->words ? RANKS : RANK_WORD;

    for (guint i = 0; listing->words[i]; i++) {
        const unsigned its_rank = rank_of(listing->words[i], what);

        listing->found[i] |= its_rank < RANKS;
        rank = MIN(rank, its_rank);
    }
    if (rank == listing->rank)
        listing->print(what);
}

static void list_row(struct listing *listing, const struct qs_protocol *protocol,
                     const char *prefix, const struct qs_field *row)
{
    g_autofree char *name = g_strconcat(prefix, row->name, NULL);
    g_autofree char *alias = *prefix ? NULL : qs_alias_of(protocol, row);

    list(listing, &(struct described){.name = name,
                                      .protocol = protocol,
                                      .type = type_name(row->type),
                                      .title = row->title,
                                      .alias = alias,
                                      .row = row});
}

static void list_protocol(struct listing *listing, const struct qs_protocol *protocol)
{
    g_autofree char *prefix = g_strconcat(protocol->name, ".", NULL);

    for (unsigned i = 0; i < QS_SESSION_FIELDS; i++)
        list_row(listing, protocol, prefix, &qs_session_fields[i]);
    for (unsigned i = 0; i < protocol->field_count; i++)
        list_row(listing, protocol, "", &protocol->fields[i]);
    for (unsigned i = 0; i < QS_NOTE_KINDS; i++) {
        const struct qs_note_kind *note = &qs_note_kinds[i];
        char *name = g_strconcat(prefix, note->suffix, NULL);

        if (protocol->notes & QS_NOTE_BIT(i))
            list(listing, &(struct described){.name = name,
                                              .protocol = protocol,
                                              .type = "note",
                                              .title = note->summary,
                                              .note = note});
        g_free(name);
    }
}

/* --- Unknown words --------------------------------------------------------------------------- */

/* Returns the part of a field's name that is most similar to the word, as a new text; or NULL. */
static char *nearest_part(const char *word)
{
    enum { NEAR = 2 };
    unsigned least = NEAR + 1;
    char *nearest = NULL;

    for (int i = 0; qs_protocols[i] && strlen(word) > NEAR; i++)
        for (unsigned k = 0; k < qs_protocols[i]->field_count; k++) {
            char **parts = g_strsplit_set(qs_protocols[i]->fields[k].name, "._", -1);

            for (char **part = parts; *part; part++) {
                const unsigned edits = guess_edits(word, *part);

                if (edits < least) {
                    least = edits;
                    g_free(nearest);
                    nearest = g_strdup(*part);
                }
            }
            g_strfreev(parts);
        }
    return nearest;
}

static void report_unknown(const char *word)
{
    g_autofree char *lower = g_ascii_strdown(word, -1), *near = nearest_part(lower);

    failure(EXIT_PROBLEMS, (struct qs_location){0},
            "no field has \"%s\" in its name, title or description%s%s%s", word,
            near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
}

/* --- Action ---------------------------------------------------------------------------------- */

static void print_fields(const struct options *options)
{
    g_autofree bool *found = g_new0(bool, g_strv_length(options->files) + 1);
    struct listing listing = {
        .words = options->files, .found = found, .print = options->json ? print_json : print_text};

    for (; listing.rank < RANKS; listing.rank++)
        for (int i = 0; qs_protocols[i]; i++)
            list_protocol(&listing, qs_protocols[i]);
    for (guint i = 0; listing.words[i]; i++)
        if (!found[i])
            report_unknown(listing.words[i]);
}

const struct action_kind fields_action = {
    .option = {"fields", .type = OPTION_ACTION,
               .help = "Describe all fields, or those with this WORD in them"},
    .json = true,
    .print = print_fields,
};
