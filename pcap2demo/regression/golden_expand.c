/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/regression/golden_expand.h"

#include <inttypes.h>
#include <string.h>

#include "common/protocols.h"
#include "common/dump/lines.h"
#include "pcap2demo/regression/golden_heads.h"

/* Groups within groups are fewer. */
enum { DEPTH_MAX = 32, PROTOCOLS_MAX = 8 };

/* Nothing was written for the group: it is ignored. */
enum { NO_LINE = -1 };

struct open_group {
    gint line; /* of the packet, or NO_LINE */
    struct qs_position start;
    bool has_length;
    char *name; /* without the protocol's prefix */
};

struct golden_expander {
    GHashTable *rows[PROTOCOLS_MAX]; /* of a protocol: id + 1, by name; NULL: not made yet */
    struct qs_positions positions;
    struct qs_dittos dittos;
    const struct qs_protocol *protocol; /* of the packet at hand; NULL: there is none */
    GHashTable *ids;
    struct open_group groups[DEPTH_MAX];
    guint depth;
    guint first_head, heads; /* lines about the packet, of which the length is not known yet */
    GString *name, *value;   /* of the line at hand */
    GString *fields;         /* of a group's first line, with those that are left out of it */
    bool absolute;
    unsigned schema; /* of what is expanded */

    /* Set for each line. */
    const GPtrArray *ignored;
    struct golden_packet *packet;
};

struct golden_expander *golden_expander_new(void)
{
    struct golden_expander *expander = g_new0(struct golden_expander, 1);

    expander->name = g_string_new(NULL);
    expander->value = g_string_new(NULL);
    expander->fields = g_string_new(NULL);
    golden_expander_set_schema(expander, GOLDEN_COMPACT);
    return expander;
}

void golden_expander_set_schema(struct golden_expander *expander, unsigned schema)
{
    expander->schema = schema;
    expander->dittos.count_on = expander->positions.by_name = schema == GOLDEN_COMPACT;
}

void golden_expander_set_absolute(struct golden_expander *expander, bool absolute)
{
    expander->absolute = absolute;
}

static void close_groups(struct golden_expander *expander, guint depth)
{
    struct qs_positions *positions = &expander->positions;

    while (expander->depth > depth) {
        struct open_group *group = &expander->groups[--expander->depth];
        const struct qs_position start = group->start;

        if (group->line != NO_LINE && !group->has_length)
            g_array_index(expander->packet->lines, struct golden_line, group->line).length =
                positions->next.offset - start.offset;
        if (group->has_length)
            qs_positions_move(positions, start.source, start.offset + start.length);
        g_clear_pointer(&group->name, g_free);
    }
}

static void end_packet(struct golden_expander *expander)
{
    close_groups(expander, 0);
    for (guint i = 0; i < expander->heads; i++)
        g_array_index(expander->packet->lines, struct golden_line, expander->first_head + i)
            .length = expander->positions.next.offset;
    expander->heads = 0;
}

void golden_expander_free(struct golden_expander *expander)
{
    while (expander->depth)
        g_free(expander->groups[--expander->depth].name);
    for (int i = 0; i < PROTOCOLS_MAX; i++)
        if (expander->rows[i])
            g_hash_table_destroy(expander->rows[i]);
    qs_positions_clear(&expander->positions);
    qs_dittos_clear(&expander->dittos);
    g_string_free(expander->fields, TRUE);
    g_string_free(expander->name, TRUE);
    g_string_free(expander->value, TRUE);
    g_free(expander);
}

/* --- Positions ------------------------------------------------------------------------------- */

/* What stands behind "@", or nothing: then the position is as it is expected. */
static bool take_position(struct golden_expander *expander, struct golden_rest *rest,
                          struct qs_position expected, struct qs_position *position)
{
    const struct qs_positions *positions = &expander->positions;
    uint64_t number;

    *position = expected;
    if (!golden_take(rest, '@'))
        return true;
    *position = positions->last;
    if (rest->at == rest->end || (!g_ascii_isdigit(*rest->at) && *rest->at != '+'))
        return true;
    *position = positions->next;
    if (g_ascii_isdigit(*rest->at)) {
        if (!golden_take_number(rest, UINT32_MAX, &number))
            return false;
        if (golden_take(rest, ':')) {
            position->source = (unsigned)number;
            if (!golden_take_number(rest, UINT32_MAX, &number))
                return false;
        }
        position->offset = (uint32_t)number;
    }
    if (!golden_take(rest, '+') || !golden_take_number(rest, UINT32_MAX, &number))
        return false;
    position->length = (uint32_t)number;
    return true;
}

/* --- Names ----------------------------------------------------------------------------------- */

static const char *stem_of_group(const struct golden_expander *expander)
{
    return expander->depth ? qs_compact_stem(expander->groups[expander->depth - 1].name) : "";
}

/* The whole name in expander->name: `whole` is what a leading dot stands for. */
static void set_name(struct golden_expander *expander, const char *whole, struct golden_piece name)
{
    g_string_assign(expander->name, expander->protocol->name);
    g_string_append_c(expander->name, '.');
    if (name.length && *name.at == '.')
        g_string_append(expander->name, whole);
    g_string_append_len(expander->name, name.at, (gssize)name.length);
}

/* The field's row, or NULL. */
static const struct qs_field *find_row(const struct golden_expander *expander, unsigned *id)
{
    const guint found = GPOINTER_TO_UINT(g_hash_table_lookup(expander->ids, expander->name->str));

    *id = found - 1;
    return found ? &expander->protocol->fields[*id] : NULL;
}

/* --- Lines ----------------------------------------------------------------------------------- */

/* A line of the name at hand; `mark` NULL: a group. The index of the line, or NO_LINE. */
static gint add_line(struct golden_expander *expander, struct qs_position position,
                     const char *mark, const char *value)
{
    const GString *name = expander->name;
    struct golden_packet *packet = expander->packet;
    struct golden_line line = {.source = position.source,
                               .offset = position.offset,
                               .length = position.length,
                               .start = packet->text->len};

    if (golden_is_ignored(expander->ignored, name->str, name->len))
        return NO_LINE;
    g_string_append_len(packet->text, name->str, (gssize)name->len);
    line.name_end = packet->text->len;
    if (mark) {
        g_string_append(packet->text, mark);
        g_string_append(packet->text, value);
    }
    g_string_append_c(packet->text, '\n');
    line.end = packet->text->len;
    g_array_append_val(packet->lines, line);
    return (gint)packet->lines->len - 1;
}

/* --- Values ---------------------------------------------------------------------------------- */

/* "19(svc_damage)" is "19 (svc_damage)"; in brackets may be nothing, for the group's own name. */
static bool take_plain(struct golden_expander *expander, struct golden_rest *rest)
{
    const struct golden_piece plain = golden_take_while(rest, golden_is_plain);
    struct golden_piece name;

    g_string_append_len(expander->value, plain.at, (gssize)plain.length);
    if (!golden_take(rest, '('))
        return true;
    if (!golden_take_bracketed(rest, &name))
        return false;
    if (!name.length && expander->depth) {
        name.at = expander->groups[expander->depth - 1].name;
        name.length = strlen(name.at);
    }
    g_string_append(expander->value, " (");
    g_string_append_len(expander->value, name.at, (gssize)name.length);
    g_string_append_c(expander->value, ')');
    return true;
}

/* A text in quotes, and its bytes where they are other than that. `*size`: how many it has. */
static bool take_text(struct golden_expander *expander, struct golden_rest *rest, uint32_t *size)
{
    const char *start = rest->at;

    *size = 0;
    for (rest->at++; rest->at < rest->end && *rest->at != '"'; rest->at++, ++*size)
        rest->at += *rest->at == '\\' && rest->at + 1 < rest->end;
    if (!golden_take(rest, '"'))
        return false;
    g_string_append_len(expander->value, start, rest->at - start);
    if (!golden_take(rest, '['))
        return true;
    start = rest->at;
    while (rest->at < rest->end && *rest->at != ']')
        rest->at++;
    *size = (uint32_t)(rest->at - start) / 2;
    g_string_append(expander->value, " [");
    g_string_append_len(expander->value, start, rest->at - start);
    g_string_append_c(expander->value, ']');
    return golden_take(rest, ']');
}

/* Sets expander->value, and what of the field follows from it. */
static bool take_value(struct golden_expander *expander, struct golden_rest *rest,
                       struct qs_placed *field)
{
    g_string_truncate(expander->value, 0);
    field->is_text = rest->at < rest->end && *rest->at == '"';
    if (field->is_text)
        return take_text(expander, rest, &field->size);
    if (!take_plain(expander, rest))
        return false;
    if (expander->absolute && *expander->value->str == '#')
        g_string_printf(expander->value, "%" G_GUINT64_FORMAT,
                        expander->packet->number +
                            (guint64)g_ascii_strtoll(expander->value->str + 1, NULL, 10));
    if (field->row && field->row->type == QS_BYTES)
        field->size = (uint32_t)expander->value->len / 2;
    return true;
}

/* --- Parts ----------------------------------------------------------------------------------- */

/* What the part is, or "true". A name alone has the number that follows from the whole one. */
static void add_part(struct golden_expander *expander, const struct qs_placed *whole,
                     const char *whole_name, const struct golden_part *part, uint64_t implied)
{
    const char *at = part->value.at; /* NULL: it is only there */
    struct golden_rest value = {at, at ? at + part->value.length : at};

    set_name(expander, whole_name + strlen(expander->protocol->name) + 1, part->name);
    g_string_assign(expander->value, at ? "" : "true");
    if (at && part->value.length && *at == '(')
        g_string_printf(expander->value, "%" PRIu64, implied);
    if (at)
        take_plain(expander, &value);
    add_line(expander, expander->positions.last, whole->generated ? " := " : " = ",
             expander->value->str);
}

/* A part that is not written follows from the number's bits; of old, if it is no truth value, it
 * is 0. */
static void add_implied(struct golden_expander *expander, const struct qs_placed *whole,
                        uint64_t number, const struct qs_field *row)
{
    const bool follows = row->type == QS_BOOL || expander->schema == GOLDEN_COMPACT;
    const struct qs_value value = {.u = follows ? qs_compact_part(row, number) : 0};

    g_string_assign(expander->name, row->name);
    g_string_truncate(expander->value, 0);
    qs_value_append(expander->value, row, &value);
    add_line(expander, expander->positions.last, whole->generated ? " := " : " = ",
             expander->value->str);
}

static struct golden_part *find_part(struct golden_expander *expander, const char *whole_name,
                                     const struct qs_field *row, struct golden_part *parts,
                                     guint count)
{
    const char *whole = whole_name + strlen(expander->protocol->name) + 1;

    for (guint i = 0; i < count; i++) {
        set_name(expander, whole, parts[i].name);
        if (strcmp(expander->name->str, row->name) == 0)
            return &parts[i];
    }
    return NULL;
}

/* Those of the table, and then those that it does not have. */
static void add_parts(struct golden_expander *expander, const struct qs_placed *whole,
                      struct golden_part *parts, guint count)
{
    const struct qs_protocol *protocol = expander->protocol;
    const uint64_t number = g_ascii_strtoull(expander->value->str, NULL, 0);
    char *name = g_strdup(expander->name->str);
    unsigned id = whole->id + 1;

    if (whole->row && !whole->row->mask && !whole->is_text)
        for (; id < protocol->field_count && protocol->fields[id].mask; id++) {
            const struct qs_field *row = &protocol->fields[id];
            struct golden_part *part = find_part(expander, name, row, parts, count);

            if (part)
                add_part(expander, whole, name, part, qs_compact_part(row, number));
            else
                add_implied(expander, whole, number, row);
            if (part)
                part->used = true;
        }
    for (guint i = 0; i < count; i++)
        if (!parts[i].used)
            add_part(expander, whole, name, &parts[i], 0);
    g_free(name);
}

/* --- Fields ---------------------------------------------------------------------------------- */

/* "(1 2 3)": the group's components, which are the next rows. */
static bool take_vector(struct golden_expander *expander, struct golden_rest *rest)
{
    const struct qs_position start = expander->positions.next;
    const gint group = add_line(expander, start, NULL, NULL);
    unsigned id;
    const bool known = find_row(expander, &id) != NULL;

    do {
        struct qs_placed field = {.id = ++id};
        struct qs_position position;

        if (!known || id >= expander->protocol->field_count)
            return false;
        field.row = &expander->protocol->fields[id];
        g_string_assign(expander->name, field.row->name);
        if (!take_value(expander, rest, &field) ||
            !take_position(expander, rest, qs_positions_expect(&expander->positions, &field),
                           &position))
            return false;
        qs_positions_take(&expander->positions, &field, position);
        add_line(expander, position, " = ", expander->value->str);
    } while (golden_take(rest, ' '));
    if (group != NO_LINE)
        g_array_index(expander->packet->lines, struct golden_line, group).length =
            expander->positions.next.offset - start.offset;
    return golden_take(rest, ')');
}

/* Behind the mark. */
static bool take_scalar(struct golden_expander *expander, struct golden_rest *rest, bool generated)
{
    struct golden_part parts[GOLDEN_PARTS_MAX];
    struct qs_placed field = {.generated = generated};
    struct qs_position position;
    guint count;

    field.row = find_row(expander, &field.id);
    if (!take_value(expander, rest, &field) || !golden_take_parts(rest, parts, &count) ||
        !take_position(expander, rest, qs_positions_expect(&expander->positions, &field),
                       &position))
        return false;
    qs_positions_take(&expander->positions, &field, position);
    add_line(expander, position, generated ? " := " : " = ", expander->value->str);
    add_parts(expander, &field, parts, count);
    return true;
}

static bool take_field(struct golden_expander *expander, struct golden_rest *rest)
{
    const struct golden_piece name = golden_take_while(rest, golden_is_name_character);
    bool generated;

    if (!name.length)
        return false;
    set_name(expander, stem_of_group(expander), name);
    generated = golden_take(rest, ':');
    if (!golden_take(rest, '='))
        return false;
    if (!generated && golden_take(rest, '('))
        return take_vector(expander, rest);
    return take_scalar(expander, rest, generated);
}

static bool take_fields(struct golden_expander *expander, struct golden_rest *rest)
{
    while (golden_take(rest, ' '))
        if (!take_field(expander, rest))
            return false;
    return rest->at == rest->end;
}

/* --- Lines of a packet ----------------------------------------------------------------------- */

static bool take_note(struct golden_expander *expander, struct golden_rest *rest)
{
    struct qs_position position;
    struct golden_piece name;
    uint32_t size;

    if (!golden_take(rest, ' '))
        return false;
    name = golden_take_while(rest, golden_is_name_character);
    set_name(expander, "", name);
    g_string_truncate(expander->value, 0);
    if (!name.length || !take_position(expander, rest, expander->positions.next, &position) ||
        !golden_take(rest, ' ') || rest->at == rest->end || *rest->at != '"' ||
        !take_text(expander, rest, &size))
        return false;
    add_line(expander, position, " = ", expander->value->str);
    return rest->at == rest->end;
}

/* The row whose number has the group's name, of those of the name at hand; or NULL. */
static const struct qs_field *find_id(const struct golden_expander *expander, const char *group,
                                      unsigned *id, uint32_t *number)
{
    const struct qs_protocol *protocol = expander->protocol;

    if (!find_row(expander, id))
        return NULL;
    for (; *id < protocol->field_count; ++*id) {
        const struct qs_field *row = &protocol->fields[*id];

        if (strcmp(row->name, expander->name->str) == 0 && qs_number_of(row->names, group, number))
            return row;
    }
    return NULL;
}

/* "()" behind the group's name: its first field is the number of that name. */
static bool take_id(struct golden_expander *expander, struct golden_rest *rest, const char *group)
{
    const struct golden_piece id = {group, (gsize)(qs_compact_stem(group) - group) - 1};
    struct qs_placed field = {0};
    struct qs_position position;
    uint32_t number;

    if (!golden_take(rest, '('))
        return true;
    if (!golden_take(rest, ')') || qs_compact_stem(group) == group)
        return false;
    set_name(expander, "", id);
    field.row = find_id(expander, group, &field.id, &number);
    if (!field.row)
        return false;
    position = qs_positions_expect(&expander->positions, &field);
    qs_positions_take(&expander->positions, &field, position);
    g_string_truncate(expander->value, 0);
    qs_value_append(expander->value, field.row, &(struct qs_value){.u = number});
    add_line(expander, position, " = ", expander->value->str);
    return true;
}

/* Hands the pieces of a line, each behind a blank, to the dittos. */
static bool take_pieces(struct golden_expander *expander, struct golden_rest rest)
{
    while (golden_take(&rest, ' ')) {
        const struct golden_piece piece = golden_take_piece(&rest);

        qs_dittos_add(&expander->dittos, piece.at, piece.length);
    }
    return rest.at == rest.end;
}

/* Sets expander->fields: what is behind the group's name, and behind "~" what it stands for. */
static bool take_first_fields(struct golden_expander *expander, struct golden_rest *rest,
                              struct golden_piece group)
{
    GString *fields = expander->fields;
    uint64_t rank = 1;

    g_string_truncate(fields, 0);
    if (!golden_take(rest, '~'))
        g_string_append_len(fields, rest->at, rest->end - rest->at);
    else if ((rest->at < rest->end && g_ascii_isdigit(*rest->at) &&
              !golden_take_number(rest, G_MAXUINT, &rank)) ||
             !take_pieces(expander, *rest) ||
             !qs_dittos_lengthen(&expander->dittos, group.at, group.length, (guint)rank, fields))
        return false;
    *rest = (struct golden_rest){fields->str, fields->str + fields->len};
    if (!take_pieces(expander, *rest))
        return false;
    qs_dittos_keep(&expander->dittos, group.at, group.length);
    return true;
}

static bool take_group(struct golden_expander *expander, struct golden_rest *rest)
{
    struct open_group *group = &expander->groups[expander->depth];
    const struct golden_piece name = golden_take_while(rest, golden_is_name_character);
    const char *before = rest->at;

    if (!name.length || expander->depth == DEPTH_MAX)
        return false;
    set_name(expander, "", name);
    if (!take_position(expander, rest, expander->positions.next, &group->start))
        return false;
    group->has_length = rest->at > before;
    group->line = add_line(expander, group->start, NULL, NULL);
    group->name = g_strndup(name.at, name.length);
    expander->depth++;
    qs_positions_move(&expander->positions, group->start.source, group->start.offset);
    return take_id(expander, rest, group->name) && take_first_fields(expander, rest, name) &&
           take_fields(expander, rest);
}

static bool take_line(struct golden_expander *expander, struct golden_rest *rest)
{
    guint indent = 0;

    while (golden_take(rest, ' '))
        indent++;
    if (!indent || indent - 1 > expander->depth)
        return false;
    close_groups(expander, indent - 1);
    if (golden_take(rest, '!'))
        return take_note(expander, rest);
    return golden_take(rest, '+') ? take_fields(expander, rest) : take_group(expander, rest);
}

/* --- The first line -------------------------------------------------------------------------- */

static GHashTable *make_ids(const struct qs_protocol *protocol)
{
    GHashTable *ids = g_hash_table_new(g_str_hash, g_str_equal);

    for (unsigned i = protocol->field_count; i-- > 0;)
        g_hash_table_insert(ids, (gpointer)protocol->fields[i].name, GUINT_TO_POINTER(i + 1));
    return ids;
}

static bool set_protocol(struct golden_expander *expander, const char *name)
{
    for (int i = 0; qs_protocols[i]; i++) {
        if (strcmp(qs_protocols[i]->name, name) != 0)
            continue;
        if (!expander->rows[i])
            expander->rows[i] = make_ids(qs_protocols[i]);
        expander->protocol = qs_protocols[i];
        expander->ids = expander->rows[i];
        qs_positions_begin(&expander->positions, qs_protocols[i]->field_count);
        qs_dittos_begin(&expander->dittos);
        return true;
    }
    return false;
}

/* The lines about the packet, of a size that may follow only from its last field. */
static bool add_heads(struct golden_expander *expander, const struct golden_heads *heads)
{
    const struct qs_position position = {.length = heads->size};

    expander->protocol = NULL;
    expander->first_head = expander->packet->lines->len;
    for (guint i = 0; i < heads->count; i++) {
        const struct golden_head *head = &heads->at[i];

        if (strcmp(head->name, "protocol") == 0 && !set_protocol(expander, head->value))
            return false;
        g_string_printf(expander->name, "packet.%s", head->name);
        add_line(expander, position, " = ", head->value);
    }
    if (!heads->has_size)
        expander->heads = expander->packet->lines->len - expander->first_head;
    return expander->protocol != NULL;
}

/* Behind "packet" and the number. */
static bool take_first_line(struct golden_expander *expander, struct golden_rest rest)
{
    const bool compact = expander->schema == GOLDEN_COMPACT;
    struct golden_heads heads;
    const bool good = golden_heads_take(&heads, rest, compact) && (compact || heads.has_size) &&
                      add_heads(expander, &heads);

    golden_heads_clear(&heads);
    return good;
}

bool golden_packet_number(const char *line, gsize length, uint64_t before, uint64_t *number)
{
    struct golden_rest rest = {line, line + length};

    return golden_take_packet(&rest, before, number);
}

/* --- What others call ------------------------------------------------------------------------ */

bool golden_expand(struct golden_expander *expander, const GPtrArray *ignored, const char *line,
                   gsize length, struct golden_packet *packet)
{
    struct golden_rest rest = {line, line + length};
    uint64_t number;

    expander->ignored = ignored;
    expander->packet = packet;
    if (length && *line == ' ')
        return expander->protocol && take_line(expander, &rest);
    end_packet(expander);
    return golden_take_packet(&rest, 0, &number) && take_first_line(expander, rest);
}

void golden_expand_end(struct golden_expander *expander, struct golden_packet *packet)
{
    expander->packet = packet;
    end_packet(expander);
    expander->protocol = NULL;
}
