/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Registers a protocol's rows and notes as Wireshark's fields, subtrees and expert infos. */
#include "plugin/dissector.h"

#include <epan/tfs.h>
#include <epan/unit_strings.h>

#include "common/core/hash.h"
#include "common/core/session.h"
#include "common/netchan/links.h"

/* Wireshark uses what it registers until it exits, so nothing allocated here is freed. */

/* How Wireshark shows a type. `width`: bits of an integer. */
struct shape {
    enum ftenum type;
    int display;
    unsigned width;
};

static const struct shape shapes[] = {
    [QS_GROUP] = {FT_NONE, BASE_NONE, 0},
    [QS_BOOL] = {FT_BOOLEAN, BASE_NONE, 8},
    [QS_U8] = {FT_UINT8, BASE_DEC, 8},
    [QS_U16] = {FT_UINT16, BASE_DEC, 16},
    [QS_U32] = {FT_UINT32, BASE_DEC, 32},
    [QS_U64] = {FT_UINT64, BASE_DEC, 64},
    [QS_X8] = {FT_UINT8, BASE_HEX, 8},
    [QS_X16] = {FT_UINT16, BASE_HEX, 16},
    [QS_X32] = {FT_UINT32, BASE_HEX, 32},
    [QS_X64] = {FT_UINT64, BASE_HEX, 64},
    [QS_I8] = {FT_INT8, BASE_DEC, 8},
    [QS_I16] = {FT_INT16, BASE_DEC, 16},
    [QS_I32] = {FT_INT32, BASE_DEC, 32},
    [QS_I64] = {FT_INT64, BASE_DEC, 64},
    [QS_FLOAT] = {FT_FLOAT, BASE_NONE, 0},
    [QS_DOUBLE] = {FT_DOUBLE, BASE_NONE, 0},
    [QS_COORD] = {FT_DOUBLE, BASE_NONE, 0},
    [QS_ANGLE] = {FT_DOUBLE, BASE_NONE, 0},
    [QS_TEXT] = {FT_STRING, BASE_NONE, 0},
    [QS_BYTES] = {FT_BYTES, BASE_NONE, 0},
    [QS_IPV4] = {FT_IPv4, BASE_NONE, 0},
    [QS_IPV6] = {FT_IPv6, BASE_NONE, 0},
    [QS_FRAMENUM] = {FT_FRAMENUM, BASE_NONE, 0},
    [QS_TIME] = {FT_ABSOLUTE_TIME, ABSOLUTE_TIME_UTC, 0},
    [QS_DURATION] = {FT_RELATIVE_TIME, BASE_NONE, 0},
};

/* Widens a part: Wireshark draws its bits in a word of its type, which must be the whole's. */
static struct shape widened(struct shape part, unsigned width)
{
    static const enum ftenum types[][2] = {
        {FT_UINT8, FT_INT8}, {FT_UINT16, FT_INT16}, {FT_UINT32, FT_INT32}, {FT_UINT64, FT_INT64}};
    const unsigned size = width == 8 ? 0 : width == 16 ? 1 : width == 32 ? 2 : 3;
    const bool is_signed = part.type == FT_INT8 || part.type == FT_INT16 || part.type == FT_INT32 ||
                           part.type == FT_INT64;

    if (part.type == FT_BOOLEAN)
        part.display = (int)width;
    else
        part.type = types[size][is_signed];
    part.width = width;
    return part;
}

static const true_false_string *make_flag_names(const struct qs_name *names)
{
    true_false_string *copy = g_new(true_false_string, 1);
    const char *set = qs_name_of(names, 1);
    const char *clear = qs_name_of(names, 0);

    copy->true_string = set ? set : "True";
    copy->false_string = clear ? clear : "False";
    return copy;
}

static const value_string *make_names(const struct qs_name *names)
{
    GArray *array = g_array_new(TRUE, TRUE, sizeof(value_string));

    for (; names->name; names++)
        g_array_append_vals(array, &(value_string){names->value, names->name}, 1);
    return (const value_string *)g_array_free(array, FALSE);
}

/* Returns a unit, with a space before words but not before signs: "13 ms", "90°". Most words have a
 * singular: "1 packet", "1 byte/s". */
static const unit_name_string *make_unit(const char *unit)
{
    unit_name_string *copy = g_new0(unit_name_string, 1);
    const size_t word = strcspn(unit, "/");

    copy->plural = g_strconcat(g_ascii_isalpha(unit[0]) ? " " : "", unit, NULL);
    copy->singular = word > 2 && unit[word - 1] == 's'
                         ? g_strdup_printf(" %.*s%s", (int)word - 1, unit, unit + word)
                         : g_strdup(copy->plural);
    return copy;
}

/* Returns the row's unit, but none for coordinates: three of them in a row need no "units". */
static const char *unit_of(const struct qs_field *row)
{
    return row->type == QS_COORD && !row->unit ? NULL : qs_unit_of(row);
}

/* Sets the names of values: of an enumeration of at most 32 bits, or else the unit. */
static void name_values(header_field_info *info, const struct qs_field *row,
                        const struct shape *shape)
{
    if (row->names && shape->type == FT_BOOLEAN) {
        info->strings = make_flag_names(row->names);
    } else if (row->names && shape->width && shape->width < 64) {
        info->strings = make_names(row->names);
    } else if (unit_of(row) && (shape->display == BASE_DEC || shape->type == FT_FLOAT ||
                                shape->type == FT_DOUBLE)) {
        info->strings = make_unit(unit_of(row));
        info->display |= BASE_UNIT_STRING;
    }
}

static hf_register_info header_of(const struct qs_field *row, int *hf)
{
    const struct shape own = shapes[row->type];
    const struct shape shape = row->mask ? widened(own, shapes[field_whole(row)->type].width) : own;
    hf_register_info header = {
        hf, {row->title, row->name, shape.type, shape.display, NULL, row->mask, row->blurb, HFILL}};

    name_values(&header.hfinfo, row, &shape);
    return header;
}

/* Sets how packets relate to the current one, for the marks in the packet list. */
static void relate_packets(const struct qs_protocol *protocol, hf_register_info *headers)
{
    static const struct {
        enum qs_link link;
        ft_framenum_type_t relation;
    } relations[] = {
        {QS_LINK_ACKS_FRAME, FT_FRAMENUM_ACK},
        {QS_LINK_RELIABLE_FIRST_IN, FT_FRAMENUM_RETRANS_PREV},
        {QS_LINK_RELIABLE_AGAIN_IN, FT_FRAMENUM_RETRANS_NEXT},
        {QS_LINK_RESPONSE_IN, FT_FRAMENUM_RESPONSE},
        {QS_LINK_RESPONSE_TO, FT_FRAMENUM_REQUEST},
    };

    for (unsigned i = 0; i < G_N_ELEMENTS(relations); i++)
        headers[protocol->links + relations[i].link].hfinfo.strings =
            FRAMENUM_TYPE(relations[i].relation);
}

static void register_fields(struct dissector *dissector)
{
    const struct qs_protocol *protocol = dissector->protocol;
    hf_register_info *headers = g_new(hf_register_info, protocol->field_count); /* kept */

    dissector->hf = g_new0(int, protocol->field_count);
    for (unsigned i = 0; i < protocol->field_count; i++)
        headers[i] = header_of(&protocol->fields[i], &dissector->hf[i]);
    relate_packets(protocol, headers);
    proto_register_field_array(dissector->proto, headers, (int)protocol->field_count);
    /* NOLINTNEXTLINE(clang-analyzer-unix.Malloc) */
}

/* Registers a second filter for messages, their name without its prefix: one for each name. */
static void register_aliases(struct dissector *dissector)
{
    const struct qs_protocol *protocol = dissector->protocol;
    GHashTable *known = g_hash_table_new(qs_str_hash, g_str_equal);

    dissector->aliases = g_new0(hf_register_info *, protocol->field_count);
    for (unsigned i = 0; i < protocol->field_count; i++) {
        char *name = qs_alias_of(protocol, &protocol->fields[i]);
        hf_register_info *header = name ? g_hash_table_lookup(known, name) : NULL;

        dissector->aliases[i] = header;
        if (!name || header)
            continue;
        header = dissector->aliases[i] = g_new(hf_register_info, 1);
        *header = header_of(&protocol->fields[i], g_new0(int, 1));
        header->hfinfo.abbrev = name;
        g_hash_table_insert(known, name, header);
        proto_register_field_array(dissector->proto, header, 1);
    }
    g_hash_table_destroy(known);
}

/* True if other items may be below the row: a group, or an integer with parts. */
static bool has_subtree(const struct qs_protocol *protocol, unsigned i)
{
    if (protocol->fields[i].type == QS_GROUP)
        return true;
    return !protocol->fields[i].mask && i + 1 < protocol->field_count &&
           protocol->fields[i + 1].mask;
}

static void register_subtrees(struct dissector *dissector)
{
    GPtrArray *subtrees = g_ptr_array_new();

    dissector->ett_top = -1;
    g_ptr_array_add(subtrees, &dissector->ett_top);
    dissector->ett = g_new(int, dissector->protocol->field_count);
    for (unsigned i = 0; i < dissector->protocol->field_count; i++) {
        dissector->ett[i] = -1;
        if (has_subtree(dissector->protocol, i))
            g_ptr_array_add(subtrees, &dissector->ett[i]);
    }
    proto_register_subtree_array((int *const *)subtrees->pdata, (int)subtrees->len);
    g_ptr_array_free(subtrees, TRUE);
}

static const int severities[] = {[QS_SEVERITY_CHAT] = PI_CHAT,
                                 [QS_SEVERITY_NOTE] = PI_NOTE,
                                 [QS_SEVERITY_WARN] = PI_WARN,
                                 [QS_SEVERITY_ERROR] = PI_ERROR};

static const int note_groups[] = {
    [QS_GROUP_MALFORMED] = PI_MALFORMED, [QS_GROUP_UNDECODED] = PI_UNDECODED,
    [QS_GROUP_CHECKSUM] = PI_CHECKSUM,   [QS_GROUP_SEQUENCE] = PI_SEQUENCE,
    [QS_GROUP_PROTOCOL] = PI_PROTOCOL,
};

static ei_register_info expert_of(struct dissector *dissector, enum qs_note note)
{
    const struct qs_note_kind *kind = &qs_note_kinds[note];
    const ei_register_info info = {&dissector->expert_infos[note],
                                   {g_strconcat(dissector->protocol->name, ".", kind->suffix, NULL),
                                    note_groups[kind->group], severities[kind->severity],
                                    kind->summary, EXPFILL}};

    return info;
}

static void register_expert_infos(struct dissector *dissector)
{
    ei_register_info *infos = g_new(ei_register_info, QS_NOTE_KINDS);
    int count = 0;

    for (unsigned note = 0; note < QS_NOTE_KINDS; note++) {
        dissector->expert_infos[note] = (expert_field)EI_INIT;
        if (dissector->protocol->notes & QS_NOTE_BIT(note))
            infos[count++] = expert_of(dissector, note);
    }
    expert_register_field_array(expert_register_protocol(dissector->proto), infos, count);
}

/* Registers the fields that all protocols have, with the protocol's prefix. */
static void register_session_fields(struct dissector *dissector)
{
    hf_register_info *headers = g_new(hf_register_info, QS_SESSION_FIELDS);

    for (int i = 0; i < QS_SESSION_FIELDS; i++) {
        struct qs_field row = qs_session_fields[i];

        row.name = g_strconcat(dissector->protocol->name, ".", row.name, NULL);
        headers[i] = header_of(&row, &dissector->session_hf[i]);
    }
    proto_register_field_array(dissector->proto, headers, QS_SESSION_FIELDS);
    /* NOLINTNEXTLINE(clang-analyzer-unix.Malloc) */
}

void fields_register(struct dissector *dissector)
{
    register_fields(dissector);
    register_aliases(dissector);
    register_session_fields(dissector);
    register_subtrees(dissector);
    register_expert_infos(dissector);
}

/* --- Session fields */

char *pool_string(wmem_allocator_t *pool, char *text)
{
    char *copy = wmem_strdup(pool, text);

    g_free(text);
    return copy;
}

/* Adds the name of the session's player, only if the field is needed. */
static void show_player(const struct dissector *dissector, packet_info *pinfo, proto_tree *tree,
                        tvbuff_t *tvb)
{
    const int hf = dissector->session_hf[QS_SESSION_PLAYER];
    char *player;

    if (!proto_field_is_referenced(tree, hf))
        return;
    player = qs_player_of(dissector->protocol, dissector->decoder.session);
    if (player)
        proto_item_set_generated(
            proto_tree_add_string(tree, hf, tvb, 0, 0, pool_string(pinfo->pool, player)));
}

void session_fields_show(struct dissector *dissector, packet_info *pinfo, proto_tree *tree,
                         tvbuff_t *tvb, uint32_t number)
{
    const enum qs_direction direction = dissector->decoder.found.direction;

    if (direction != QS_DIRECTION_UNKNOWN)
        proto_item_set_generated(proto_tree_add_boolean(
            tree, dissector->session_hf[QS_SESSION_FROM_SERVER], tvb, 0, 0, direction == QS_S2C));
    if (!number)
        return;
    proto_item_set_generated(
        proto_tree_add_uint(tree, dissector->session_hf[QS_SESSION_NUMBER], tvb, 0, 0, number));
    show_player(dissector, pinfo, tree, tvb);
}
