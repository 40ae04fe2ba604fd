/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Every protocol's record and field table obey the rules that Wireshark and the core rely on. */
#include <ctype.h>

#include "tests/unit/toy.h"
#include "common/protocols.h"

/* --- The rules. Each returns what is wrong, or NULL. */

static bool is_unsigned(enum qs_type type)
{
    return type >= QS_U8 && type <= QS_X64;
}

static bool is_number(enum qs_type type)
{
    return type >= QS_U8 && type <= QS_ANGLE;
}

static const char *fault_of_name(const char *name, const char *protocol)
{
    const size_t prefix = strlen(protocol);

    if (!name || strncmp(name, protocol, prefix) != 0 || name[prefix] != '.')
        return "name does not begin with the protocol";
    for (const char *c = name; *c; c++) {
        if (!islower((unsigned char)*c) && !isdigit((unsigned char)*c) && *c != '_' && *c != '.')
            return "name has other characters than [a-z0-9_.]";
        if (*c == '.' && (c[1] == '.' || c[1] == '\0'))
            return "name has an empty part";
    }
    return NULL;
}

static const char *fault_of_names(const struct qs_field *field)
{
    if (!field->names)
        return NULL;
    if (!qs_type_bits(field->type) || field->type == QS_BOOL)
        return "enumeration of what is no whole number";
    for (const struct qs_name *n = field->names; n->name; n++) {
        if (!*n->name)
            return "empty name in the enumeration";
        if (qs_name_of(field->names, n->value) != n->name)
            return "value twice in the enumeration";
    }
    return NULL;
}

static const char *fault_of_mask(const struct qs_field *fields, unsigned id)
{
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

/* Whether row `id` is named like the group row `group` with `suffix`. */
static bool is_component(const struct qs_field *fields, unsigned count, unsigned group, unsigned id,
                         const char *suffix)
{
    const size_t length = strlen(fields[group].name);

    return id < count && strncmp(fields[id].name, fields[group].name, length) == 0 &&
           strcmp(fields[id].name + length, suffix) == 0;
}

static const char *fault_of_vector(const struct qs_field *fields, unsigned count, unsigned id)
{
    static const char *const suffixes[2][3] = {{".x", ".y", ".z"}, {".pitch", ".yaw", ".roll"}};

    if (fields[id].type != QS_GROUP)
        return NULL;
    for (unsigned kind = 0; kind < 2; kind++) {
        if (!is_component(fields, count, id, id + 1, suffixes[kind][0]))
            continue;
        for (unsigned i = 1; i < 3; i++)
            if (!is_component(fields, count, id, id + 1 + i, suffixes[kind][i]) ||
                fields[id + 1 + i].type != fields[id + 1].type)
                return "vector without its three components";
    }
    return NULL;
}

static bool is_any_of(const char *text, const char *const *words)
{
    for (; *words; words++)
        if (strcmp(text, *words) == 0)
            return true;
    return false;
}

/* How fast something moves, by its title or its name; a vector's components have their own. */
static bool is_speed(const struct qs_field *field)
{
    /* How fast a sound is played; particles' steps of 15 units/s. */
    static const char *const others[] = {"nq.sound.speed",         "qw.soundextended.speed",
                                         "nq.particle.velocity.x", "nq.particle.velocity.y",
                                         "nq.particle.velocity.z", NULL};
    g_autofree char *title = g_ascii_strdown(field->title, -1);
    const bool is_motion = strstr(title, "velocity") || strstr(title, "speed") ||
                           strstr(field->name, "velocity") || strstr(field->name, "speed");

    return is_motion && is_number(field->type) && !field->mask && !is_any_of(field->name, others);
}

static const char *fault_of_unit(const struct qs_field *field, const char *protocol)
{
    /* One spelling of each; Acknex's units are quants. */
    static const char *const units[] = {"units",  "units/s",     "units/s²", "°",       "°/s",
                                        "1/s",    "Hz",          "s",        "ms",      "min",
                                        "%",      "px",          "bytes",    "bytes/s", "packets",
                                        "quants", "quants/tick", NULL};
    const char *speed = strcmp(protocol, "acknex") == 0 ? "quants/tick" : "units/s";
    const char *unit = qs_unit_of(field);

    if (field->unit && !is_number(field->type))
        return "unit of what is no number";
    if (unit && !is_any_of(unit, units))
        return "unit that is not among those known";
    if (is_speed(field) && (!unit || strcmp(unit, speed) != 0))
        return "speed without the unit of speeds";
    return NULL;
}

/* Blurbs are for who looks at packets; where a fact comes from stands in a comment beside it. */
static const char *fault_of_blurb(const char *blurb)
{
    static const char *const sources[] = {"section ", "-format", ".md", ".c ", ".h ", ".h,", NULL};

    if (blurb && !*blurb)
        return "empty blurb";
    for (const char *const *source = sources; blurb && *source; source++)
        if (strstr(blurb, *source))
            return "blurb that names a source";
    return NULL;
}

static const char *fault_of_row(const struct qs_protocol *protocol, unsigned id)
{
    const struct qs_field *field = &protocol->fields[id];
    const char *fault = fault_of_name(field->name, protocol->name);

    if (!fault && (!field->title || !*field->title))
        fault = "no title";
    if (!fault)
        fault = fault_of_unit(field, protocol->name);
    if (!fault)
        fault = fault_of_blurb(field->blurb);
    if (!fault)
        fault = fault_of_names(field);
    if (!fault)
        fault = fault_of_mask(protocol->fields, id);
    if (!fault)
        fault = fault_of_vector(protocol->fields, protocol->field_count, id);
    return fault;
}

/* Two rows may share a name, as Wireshark's fields may, when the type is the same. */
static const char *fault_of_sharing(const struct qs_protocol *protocol, GHashTable *seen,
                                    unsigned id)
{
    const struct qs_field *field = &protocol->fields[id];
    const struct qs_field *other = g_hash_table_lookup(seen, field->name);

    if (other && other->type != field->type)
        return "name shared by rows of different types";
    g_hash_table_insert(seen, (gpointer)field->name, (gpointer)field);
    return NULL;
}

/* The plugin makes an expert field of each note: its name must be free. */
static const char *fault_of_notes(const struct qs_protocol *protocol, GHashTable *seen)
{
    const char *fault = NULL;

    for (unsigned kind = 0; kind < QS_NOTE_KINDS; kind++) {
        g_autofree char *name = g_strconcat(protocol->name, ".", qs_note_kinds[kind].suffix, NULL);

        if (g_hash_table_contains(seen, name))
            fault = "field with the name of a note";
    }
    return fault;
}

static const char *first_fault(const struct qs_protocol *protocol, unsigned *row)
{
    GHashTable *seen = g_hash_table_new(g_str_hash, g_str_equal);
    const char *fault = NULL;

    for (*row = 0; !fault && *row < protocol->field_count; ++*row) {
        fault = fault_of_row(protocol, *row);
        if (!fault)
            fault = fault_of_sharing(protocol, seen, *row);
    }
    if (!fault)
        fault = fault_of_notes(protocol, seen);
    if (!fault && (protocol->undecoded >= protocol->field_count ||
                   protocol->fields[protocol->undecoded].type != QS_BYTES))
        fault = "no row for undecoded bytes";
    g_hash_table_destroy(seen);
    return fault;
}

/* --- The protocols obey them */

static void expect_no_fault(const struct qs_protocol *protocol)
{
    unsigned row;
    const char *fault = first_fault(protocol, &row);

    if (fault)
        fail_msg("%s, row %u (%s): %s", protocol->name, row - 1, protocol->fields[row - 1].name,
                 fault);
}

TEST(test_field_tables)
{
    expect_no_fault(&toy_protocol);
    assert_non_null(qs_protocols[0]);
    for (unsigned i = 0; qs_protocols[i]; i++)
        expect_no_fault(qs_protocols[i]);
}

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

TEST(test_records)
{
    for (unsigned i = 0; qs_protocols[i]; i++) {
        const struct qs_protocol *p = qs_protocols[i];

        assert_true(p->short_name && *p->short_name && p->title && *p->title);
        assert_true(p->session_size >= sizeof(struct qs_session));
        assert_true(p->session_init && p->session_copy && p->session_clear && p->describe);
        assert_true(p->recognize && p->decode);
        assert_true(p->notes && !(p->notes >> QS_NOTE_KINDS));
        check_options(p);
        for (unsigned other = 0; other < i; other++)
            assert_string_not_equal(p->name, qs_protocols[other]->name);
    }
}

/* --- Sessions of every protocol: fresh, copied, cleared */

/* No protocol claims an empty packet, a lone mark, or other people's traffic. */
TEST(test_recognize_is_strict)
{
    const struct qs_view strangers[] = {
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
        for (size_t s = 0; s < sizeof strangers / sizeof strangers[0]; s++) {
            const struct qs_packet packet = toy_packet(strangers[s]);

            if (qs_protocols[i]->recognize(qs_protocols[i], &packet))
                fail_msg("%s claims stranger %zu", qs_protocols[i]->name, s);
        }
}

/* --- Ports */

/* Every list says ports and ranges in full: "27500,27000-27010". */
TEST(test_port_lists)
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

/* --- The notes */

TEST(test_notes)
{
    assert_true(QS_NOTE_KINDS <= 32);
    for (unsigned i = 0; i < QS_NOTE_KINDS; i++) {
        assert_true(qs_note_kinds[i].suffix && *qs_note_kinds[i].suffix);
        assert_true(qs_note_kinds[i].summary && *qs_note_kinds[i].summary);
        for (unsigned other = 0; other < i; other++)
            assert_string_not_equal(qs_note_kinds[i].suffix, qs_note_kinds[other].suffix);
    }
}
