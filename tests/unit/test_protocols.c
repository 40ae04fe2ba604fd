/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Each protocol's record and table of fields obey the rules that Wireshark and the core rely on,
 * and names and titles those of an interface: users write filters, so one thing has one name in all
 * games.
 */
#include <ctype.h>

#include "common/protocols.h"
#include "tests/unit/toy.h"

/* Returns what is wrong with the row of a protocol's table, or NULL. */
typedef const char *rule(const struct qs_protocol *protocol, unsigned id);

/* Prints each row that breaks a rule, and fails if there are any. */
static unsigned count_broken(const struct qs_protocol *protocol, rule *const *rules)
{
    unsigned count = 0;

    for (unsigned id = 0; id < protocol->field_count; id++)
        for (rule *const *each = rules; *each; each++) {
            const char *fault = (*each)(protocol, id);

            if (fault)
                print_error("%s \"%s\": %s\n", protocol->fields[id].name,
                            protocol->fields[id].title, fault);
            count += fault != NULL;
        }
    return count;
}

static bool is_any_of(const char *text, const char *const *words)
{
    for (; *words; words++)
        if (strcmp(text, *words) == 0)
            return true;
    return false;
}

/* --- Rows that Wireshark and the core can use --- */

static bool is_unsigned(enum qs_type type)
{
    return type >= QS_U8 && type <= QS_X64;
}

static bool is_number(enum qs_type type)
{
    return type >= QS_U8 && type <= QS_ANGLE;
}

static const char *fault_of_name(const struct qs_protocol *protocol, unsigned id)
{
    const char *name = protocol->fields[id].name;
    const size_t prefix = strlen(protocol->name);

    if (!name || strncmp(name, protocol->name, prefix) != 0 || name[prefix] != '.')
        return "name does not begin with the protocol";
    for (const char *c = name; *c; c++) {
        if (!islower((unsigned char)*c) && !isdigit((unsigned char)*c) && *c != '_' && *c != '.')
            return "name has other characters than [a-z0-9_.]";
        if (*c == '.' && (c[1] == '.' || c[1] == '\0'))
            return "name has an empty part";
    }
    return NULL;
}

/* The plugin registers an expert field for each note. */
static const char *fault_of_note_name(const struct qs_protocol *protocol, unsigned id)
{
    const char *stem = protocol->fields[id].name + strlen(protocol->name) + 1;

    for (unsigned kind = 0; kind < QS_NOTE_KINDS; kind++)
        if (strcmp(stem, qs_note_kinds[kind].suffix) == 0)
            return "field with the name of a note";
    return NULL;
}

static const char *fault_of_names(const struct qs_protocol *protocol, unsigned id)
{
    const struct qs_field *field = &protocol->fields[id];

    if (!field->names)
        return NULL;
    if (!qs_type_bits(field->type) || field->type == QS_BOOL)
        return "enumeration of a field that is no whole number";
    for (const struct qs_name *n = field->names; n->name; n++) {
        if (!*n->name)
            return "empty name in the enumeration";
        if (qs_name_of(field->names, n->value) != n->name)
            return "value twice in the enumeration";
    }
    return NULL;
}

static const char *fault_of_mask(const struct qs_protocol *protocol, unsigned id)
{
    const struct qs_field *fields = protocol->fields;
    const uint32_t mask = fields[id].mask;
    unsigned whole = id;
    unsigned width;

    if (!mask)
        return NULL;
    while (whole && fields[whole].mask)
        whole--;
    if (fields[whole].mask || !is_unsigned(fields[whole].type))
        return "mask without an unsigned row before it";
    width = qs_type_bits(fields[whole].type);
    if (width < 32 && mask >> width)
        return "mask wider than the row before it";
    if ((mask >> __builtin_ctz(mask)) & ((mask >> __builtin_ctz(mask)) + 1))
        return "mask with a hole";
    if (fields[id].type != QS_BOOL && !is_unsigned(fields[id].type))
        return "masked part that is neither boolean nor unsigned";
    if ((unsigned)__builtin_popcount(mask) > qs_type_bits(fields[id].type))
        return "mask wider than its type";
    return NULL;
}

/* True if the name of row `id` is that of the group, with `suffix`. */
static bool is_component(const struct qs_protocol *protocol, unsigned group, unsigned id,
                         const char *suffix)
{
    const struct qs_field *fields = protocol->fields;
    const size_t length = strlen(fields[group].name);

    return id < protocol->field_count &&
           strncmp(fields[id].name, fields[group].name, length) == 0 &&
           strcmp(fields[id].name + length, suffix) == 0;
}

static const char *fault_of_vector(const struct qs_protocol *protocol, unsigned id)
{
    static const char *const suffixes[2][3] = {{".x", ".y", ".z"}, {".pitch", ".yaw", ".roll"}};

    if (protocol->fields[id].type != QS_GROUP)
        return NULL;
    for (unsigned kind = 0; kind < 2; kind++) {
        if (!is_component(protocol, id, id + 1, suffixes[kind][0]))
            continue;
        for (unsigned i = 1; i < 3; i++)
            if (!is_component(protocol, id, id + 1 + i, suffixes[kind][i]) ||
                protocol->fields[id + 1 + i].type != protocol->fields[id + 1].type)
                return "vector without its three components";
    }
    return NULL;
}

/* True if the title or the name is that of a motion. */
static bool is_speed(const struct qs_field *field)
{
    /* The rate of a sound; steps of 15 units/s of particles. */
    static const char *const others[] = {"nq.sound.speed",         "qw.soundextended.speed",
                                         "nq.particle.velocity.x", "nq.particle.velocity.y",
                                         "nq.particle.velocity.z", NULL};
    g_autofree char *title = g_ascii_strdown(field->title, -1);
    const bool is_motion = strstr(title, "velocity") || strstr(title, "speed") ||
                           strstr(field->name, "velocity") || strstr(field->name, "speed");

    return is_motion && is_number(field->type) && !field->mask && !is_any_of(field->name, others);
}

static const char *fault_of_unit(const struct qs_protocol *protocol, unsigned id)
{
    /* One spelling of each; Acknex's units are quants. */
    static const char *const units[] = {"units",  "units/s",     "units/s²", "°",       "°/s",
                                        "1/s",    "Hz",          "s",        "ms",      "min",
                                        "%",      "px",          "bytes",    "bytes/s", "packets",
                                        "quants", "quants/tick", NULL};
    const struct qs_field *field = &protocol->fields[id];
    const char *speed = strcmp(protocol->name, "acknex") == 0 ? "quants/tick" : "units/s";
    const char *unit = qs_unit_of(field);

    if (field->unit && !is_number(field->type))
        return "unit of a field that is no number";
    if (unit && !is_any_of(unit, units))
        return "unit that is not among those known";
    if (is_speed(field) && (!unit || strcmp(unit, speed) != 0))
        return "speed without the unit of speeds";
    return NULL;
}

/* Readers of packets need no sources: a comment in the table names them. */
static const char *fault_of_blurb(const struct qs_protocol *protocol, unsigned id)
{
    static const char *const sources[] = {"section ", "-format", ".md", ".c ", ".h ", ".h,", NULL};
    const char *blurb = protocol->fields[id].blurb;

    if (blurb && !*blurb)
        return "empty blurb";
    for (const char *const *source = sources; blurb && *source; source++)
        if (strstr(blurb, *source))
            return "blurb that names a source";
    return NULL;
}

TEST(rows_can_be_registered_and_read)
{
    static rule *const rules[] = {
        fault_of_name,   fault_of_note_name, fault_of_names, fault_of_mask,
        fault_of_vector, fault_of_unit,      fault_of_blurb, NULL};

    assert_int_equal(count_broken(&toy_protocol, rules), 0);
    assert_non_null(qs_protocols[0]);
    for (unsigned i = 0; qs_protocols[i]; i++)
        assert_int_equal(count_broken(qs_protocols[i], rules), 0);
}

/* --- Names and titles --- */

/* The name without the protocol's prefix. */
static const char *stem_of(const struct qs_protocol *protocol, unsigned id)
{
    return protocol->fields[id].name + strlen(protocol->name) + 1;
}

/* Acknex has the words of its own document. */
static bool is_quake(const struct qs_protocol *protocol)
{
    return strcmp(protocol->name, "acknex") != 0;
}

/* Messages may share a row, as svc_spawnstatic2 of DarkPlaces and of Quake do. */
static const char *ambiguous(const struct qs_protocol *protocol, unsigned id)
{
    const struct qs_field *row = &protocol->fields[id];

    for (const struct qs_field *other = protocol->fields; other < row; other++)
        if (strcmp(other->name, row->name) == 0 &&
            (other->type != row->type || strcmp(other->title, row->title) != 0))
            return "is twice in the table, and differs";
    return NULL;
}

static const char *bad_title(const struct qs_protocol *protocol, unsigned id)
{
    static const char *const components[] = {"X", "Y", "Z", "Pitch", "Yaw", "Roll", NULL};
    const struct qs_field *row = &protocol->fields[id];

    if (!row->title || !*row->title)
        return "has no title";
    if (is_quake(protocol) && is_any_of(row->title, components))
        return "is a component without the name of its vector";
    if (islower((unsigned char)row->title[0]) && !strstr(row->title, "_") &&
        strcmp(row->title, strrchr(row->name, '.') + 1) != 0)
        return "begins with a small letter";
    if (g_str_has_suffix(row->title, ":") || g_str_has_suffix(row->title, " ") ||
        g_str_has_suffix(row->title, "."))
        return "ends with punctuation";
    return NULL;
}

/* One spelling and one word for each thing. */
static const char *bad_word(const struct qs_protocol *protocol, unsigned id)
{
    static const char *const words[] = {"colour", "Colour", "rousers"};
    const struct qs_field *row = &protocol->fields[id];

    for (size_t i = 0; i < G_N_ELEMENTS(words); i++)
        if (strstr(row->name, words[i]) || strstr(row->title, words[i]))
            return "is called color, or pants, elsewhere";
    return NULL;
}

/* --anonymize and --sanitize need the role of a text. */
static const char *no_role(const struct qs_protocol *protocol, unsigned id)
{
    const struct qs_field *row = &protocol->fields[id];

    return row->type == QS_TEXT && row->role == QS_ROLE_NONE ? "is a text without a role" : NULL;
}

static bool is_message(const char *stem)
{
    return (g_str_has_prefix(stem, "svc_") || g_str_has_prefix(stem, "clc_")) && !strchr(stem, '.');
}

/* The title of a message's group is its name, in capital letters in Acknex's document. */
static const char *bad_message(const struct qs_protocol *protocol, unsigned id)
{
    const char *stem = stem_of(protocol, id);

    if (!is_message(stem))
        return NULL;
    if (protocol->fields[id].type != QS_GROUP)
        return "is no group";
    return g_ascii_strcasecmp(protocol->fields[id].title, stem) == 0
               ? NULL
               : "has a title other than the message";
}

/* A group with the name of a message without svc_ is one of its fields, not the message. */
static const char *bare_message(const struct qs_protocol *protocol, unsigned id)
{
    const struct qs_field *row = &protocol->fields[id];
    const char *stem = stem_of(protocol, id);

    for (unsigned i = 0; row->type == QS_GROUP && i < protocol->field_count; i++) {
        const char *other = stem_of(protocol, i);

        if (is_message(other) && strcmp(other + strlen("svc_"), stem) == 0 &&
            strcmp(row->title, stem) == 0)
            return "a message's group lacks svc_ or clc_";
    }
    return NULL;
}

TEST(names_and_titles_are_unambiguous_and_alike)
{
    static rule *const rules[] = {ambiguous,   bad_title,    bad_word, no_role,
                                  bad_message, bare_message, NULL};

    for (unsigned i = 0; qs_protocols[i]; i++)
        assert_int_equal(count_broken(qs_protocols[i], rules), 0);
}

static unsigned compare_titles(GHashTable *rows, const struct qs_protocol *protocol)
{
    unsigned count = 0;

    for (unsigned id = 0; id < protocol->field_count; id++) {
        const struct qs_field *row = &protocol->fields[id];
        const struct qs_field *other = g_hash_table_lookup(rows, stem_of(protocol, id));

        if (!other) {
            g_hash_table_insert(rows, (gpointer)stem_of(protocol, id), (gpointer)row);
        } else if (strcmp(other->title, row->title) != 0) {
            print_error("%s \"%s\", %s \"%s\"\n", row->name, row->title, other->name, other->title);
            count++;
        }
    }
    return count;
}

TEST(the_same_name_has_the_same_title_in_all_games)
{
    GHashTable *rows = g_hash_table_new(g_str_hash, g_str_equal);

    for (unsigned i = 0; qs_protocols[i]; i++)
        if (is_quake(qs_protocols[i]))
            assert_int_equal(compare_titles(rows, qs_protocols[i]), 0);
    g_hash_table_destroy(rows);
}

/* --- Records --- */

static void check_options(const struct qs_protocol *protocol)
{
    for (unsigned i = 0; i < protocol->option_count; i++) {
        const struct qs_option *option = &protocol->options[i];

        assert_true(option->name && *option->name && option->title && option->description);
        if (option->choices)
            assert_non_null(qs_name_of(option->choices, option->standard));
        else
            assert_true(option->standard <= 1);
        for (unsigned other = 0; other < i; other++)
            assert_string_not_equal(option->name, protocol->options[other].name);
    }
}

TEST(records_are_complete)
{
    for (unsigned i = 0; qs_protocols[i]; i++) {
        const struct qs_protocol *p = qs_protocols[i];

        assert_true(p->short_name && *p->short_name && p->title && *p->title);
        assert_true(p->session_size >= sizeof(struct qs_session));
        assert_true(p->session_init && p->session_copy && p->session_clear && p->describe);
        assert_true(p->recognize && p->decode);
        assert_true(p->undecoded < p->field_count && p->fields[p->undecoded].type == QS_BYTES);
        assert_true(p->notes && !(p->notes >> QS_NOTE_KINDS));
        check_options(p);
        for (unsigned other = 0; other < i; other++)
            assert_string_not_equal(p->name, qs_protocols[other]->name);
    }
}

TEST(no_protocol_recognizes_other_traffic)
{
    const struct qs_view others[] = {
        VIEW(""),
        VIEW("\xff"),
        VIEW("\xff\xff\xff\xff"),
        VIEW("\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"),
        /* A DNS query, an NTP request, an SSDP search. */
        VIEW("\x12\x34\x01\0\0\1\0\0\0\0\0\0\7example\3com\0\0\1\0\1"),
        VIEW("\x23\0\6\xec\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
             "\0\0\0\0\0\0\0\0"),
        VIEW("M-SEARCH * HTTP/1.1\r\nHOST: 239.255.255.250:1900\r\n\r\n"),
    };

    for (unsigned i = 0; qs_protocols[i]; i++)
        for (size_t s = 0; s < G_N_ELEMENTS(others); s++) {
            const struct qs_packet packet = toy_packet(others[s]);

            if (qs_protocols[i]->recognize(qs_protocols[i], &packet))
                fail_msg("%s claims packet %zu", qs_protocols[i]->name, s);
        }
}

/* For example "27500,27000-27010". */
TEST(port_lists_have_whole_ports_and_ranges)
{
    for (unsigned i = 0; qs_protocols[i]; i++) {
        const char *at = qs_protocols[i]->ports;

        assert_non_null(at);
        while (*at) {
            char *end;
            const unsigned long low = strtoul(at, &end, 10);
            const unsigned long high = *end == '-' ? strtoul(end + 1, &end, 10) : low;

            assert_true(low > 0 && low <= high && high <= 65535);
            assert_true(*end == '\0' || (*end == ',' && isdigit((unsigned char)end[1])));
            at = *end ? end + 1 : end;
        }
    }
}

TEST(kinds_of_notes_are_complete_and_unambiguous)
{
    assert_true(QS_NOTE_KINDS <= 32);
    for (unsigned i = 0; i < QS_NOTE_KINDS; i++) {
        assert_true(qs_note_kinds[i].suffix && *qs_note_kinds[i].suffix);
        assert_true(qs_note_kinds[i].summary && *qs_note_kinds[i].summary);
        for (unsigned other = 0; other < i; other++)
            assert_string_not_equal(qs_note_kinds[i].suffix, qs_note_kinds[other].suffix);
    }
}
