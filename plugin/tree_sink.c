/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plugin/dissector.h"

#include "common/core/text.h"

struct tree_group {
    struct tree_group *outer;
    proto_item *item;
    proto_tree *tree;
    uint32_t offset;
};

struct tree_source {
    struct tree_source *outer;
    tvbuff_t *tvb;
};

static struct tree_sink *self(struct qs_sink *base)
{
    return (struct tree_sink *)base;
}

/* --- Groups and sources: lists in the packet's pool, innermost first --- */

static void push_group(struct tree_sink *sink, proto_item *item, proto_tree *tree, uint32_t offset)
{
    struct tree_group *group = wmem_new(sink->pinfo->pool, struct tree_group);

    *group = (struct tree_group){sink->group, item, tree, offset};
    sink->group = group;
}

static void push_source(struct tree_sink *sink, tvbuff_t *tvb)
{
    struct tree_source *source = wmem_new(sink->pinfo->pool, struct tree_source);

    *source = (struct tree_source){sink->source, tvb};
    sink->source = source;
}

/*
 * True if another item may be added. Wireshark throws an exception if a packet has more items than
 * a preference allows, as one with much inflated data may have, and that would interrupt the
 * decoder. `quarters` of them may be used: two for fields, three for expert infos; the rest is for
 * later layers. The protocol's item shows that items are left out.
 */
static bool reserve_item(struct tree_sink *sink, unsigned quarters)
{
    const proto_tree *tree = sink->group->tree;

    if (!tree || PTREE_DATA(tree)->count < sink->quarter * quarters)
        return true;
    if (!sink->full)
        proto_item_append_text(sink->top, " [only the first items]");
    sink->full = true;
    return false;
}

static unsigned index_of(const struct tree_sink *sink, const struct qs_field *row)
{
    return (unsigned)(row - sink->dissector->protocol->fields);
}

/* Adds a hidden item for filters, if one uses it. */
static void add_alias(const struct tree_sink *sink, unsigned id, uint32_t offset)
{
    const hf_register_info *alias = sink->dissector->aliases[id];

    if (alias && alias->hfinfo.ref_type != HF_REF_TYPE_NONE)
        proto_item_set_hidden(proto_tree_add_item(sink->group->tree, *alias->p_id,
                                                  sink->source->tvb, (int)offset, 0, ENC_NA));
}

static void open_group(struct qs_sink *base, const struct qs_field *row, uint32_t offset)
{
    struct tree_sink *sink = self(base);
    const unsigned id = index_of(sink, row);
    proto_item *item = NULL;

    if (reserve_item(sink, 2)) {
        add_alias(sink, id, offset);
        item = proto_tree_add_item(sink->group->tree, sink->dissector->hf[id], sink->source->tvb,
                                   (int)offset, 0, ENC_NA);
    }
    push_group(sink, item, proto_item_add_subtree(item, sink->dissector->ett[id]), offset);
}

static void close_group(struct qs_sink *base, uint32_t end)
{
    struct tree_sink *sink = self(base);
    const struct tree_group *group = sink->group;

    if (end > group->offset)
        proto_item_set_len(group->item, (int)(end - group->offset));
    sink->group = group->outer;
}

static void label_group(struct qs_sink *base, const char *text)
{
    proto_item_append_text(self(base)->group->item, "%s", text);
}

static void change_source(struct qs_sink *base, const char *title, const uint8_t *data,
                          uint32_t size)
{
    struct tree_sink *sink = self(base);
    tvbuff_t *tvb;

    sink->last_row = NULL;
    if (!data) {
        sink->source = sink->source->outer;
        return;
    }
    tvb = tvb_new_child_real_data(sink->source->tvb, wmem_memdup(sink->pinfo->pool, data, size),
                                  size, (int)size);
    add_new_data_source(sink->pinfo, tvb, title);
    push_source(sink, tvb);
}

/* --- Fields --- */

/* Place of an item in the tree, and its bytes. */
struct tree_location {
    proto_tree *tree;
    int hf;
    tvbuff_t *tvb;
    int start, length;
    wmem_allocator_t *pool;
};

/* Shifts a part back: the decoder shifts parts down, but Wireshark does so itself. */
static uint64_t in_position(const struct qs_field *row, uint64_t value)
{
    return row->mask ? value << g_bit_nth_lsf(row->mask, -1) : value;
}

static bool is_wide(const struct qs_field *row)
{
    const enum qs_type type = field_whole(row)->type;

    return type == QS_U64 || type == QS_X64 || type == QS_I64;
}

static proto_item *add_uint(const struct tree_location *at, const struct qs_field *row,
                            uint64_t value)
{
    if (is_wide(row))
        return proto_tree_add_uint64(at->tree, at->hf, at->tvb, at->start, at->length, value);
    return proto_tree_add_uint(at->tree, at->hf, at->tvb, at->start, at->length, (uint32_t)value);
}

static proto_item *add_int(const struct tree_location *at, const struct qs_field *row,
                           uint64_t value)
{
    if (is_wide(row))
        return proto_tree_add_int64(at->tree, at->hf, at->tvb, at->start, at->length,
                                    (int64_t)value);
    return proto_tree_add_int(at->tree, at->hf, at->tvb, at->start, at->length, (int32_t)value);
}

static proto_item *add_real(const struct tree_location *at, const struct qs_field *row,
                            double value)
{
    proto_item *item =
        row->type == QS_FLOAT
            ? proto_tree_add_float(at->tree, at->hf, at->tvb, at->start, at->length, (float)value)
            : proto_tree_add_double(at->tree, at->hf, at->tvb, at->start, at->length, value);

    ws_append_unit(item, at->hf, value);
    return item;
}

/* Converts the text only if the tree is visible or a filter uses it. */
static proto_item *add_text(const struct tree_location *at, struct qs_view text)
{
    if (!proto_field_is_referenced(at->tree, at->hf))
        return NULL;
    return proto_tree_add_string(at->tree, at->hf, at->tvb, at->start, at->length,
                                 pool_string(at->pool, qs_text_utf8(text)));
}

static proto_item *add_address(const struct tree_location *at, const struct qs_field *row,
                               struct qs_view bytes)
{
    ws_in4_addr ipv4;
    ws_in6_addr ipv6;

    if (bytes.size != (row->type == QS_IPV4 ? sizeof ipv4 : sizeof ipv6))
        return NULL;
    if (row->type == QS_IPV6) {
        memcpy(&ipv6, bytes.data, sizeof ipv6);
        return proto_tree_add_ipv6(at->tree, at->hf, at->tvb, at->start, at->length, &ipv6);
    }
    memcpy(&ipv4, bytes.data, sizeof ipv4);
    return proto_tree_add_ipv4(at->tree, at->hf, at->tvb, at->start, at->length, ipv4);
}

static proto_item *add_bytes(const struct tree_location *at, const struct qs_field *row,
                             struct qs_view bytes)
{
    if (row->type == QS_TEXT)
        return add_text(at, bytes);
    if (row->type == QS_IPV4 || row->type == QS_IPV6)
        return add_address(at, row, bytes);
    return proto_tree_add_bytes_with_length(at->tree, at->hf, at->tvb, at->start, at->length,
                                            bytes.data, (int)bytes.size);
}

static proto_item *add_time(const struct tree_location *at, uint64_t value, unsigned per_second)
{
    const nstime_t stamp = {.secs = (time_t)(value / per_second),
                            .nsecs = (int)(value % per_second * (1000000000 / per_second))};

    return proto_tree_add_time(at->tree, at->hf, at->tvb, at->start, at->length, &stamp);
}

static proto_item *add_field(const struct tree_location *at, const struct qs_field *row,
                             const struct qs_value *value)
{
    switch (qs_type_kind(row->type)) {
    case QS_KIND_BOOL:
        return proto_tree_add_boolean(at->tree, at->hf, at->tvb, at->start, at->length,
                                      (uint32_t)in_position(row, value->u));
    case QS_KIND_UNSIGNED:
        return add_uint(at, row, in_position(row, value->u));
    case QS_KIND_SIGNED:
        return add_int(at, row, in_position(row, value->u));
    case QS_KIND_REAL:
        return add_real(at, row, value->f);
    case QS_KIND_BYTES:
        return add_bytes(at, row, value->bytes);
    case QS_KIND_TIME:
        return add_time(at, value->u, 1000);
    case QS_KIND_DURATION:
        return add_time(at, value->u, 1000000000);
    case QS_KIND_NONE:
        break;
    }
    return NULL;
}

/* Returns the tree for a row: a part is below its whole, which was added just before it. */
static proto_tree *tree_for(const struct tree_sink *sink, const struct qs_field *row,
                            uint32_t offset)
{
    const struct qs_field *whole = field_whole(row);

    if (whole != row && sink->last_row == whole && sink->last_offset == offset)
        return proto_item_add_subtree(sink->last_item, sink->dissector->ett[index_of(sink, whole)]);
    return sink->group->tree;
}

static void show_field(struct qs_sink *base, const struct qs_field *row,
                       const struct qs_value *value)
{
    struct tree_sink *sink = self(base);
    const struct tree_location at = {
        .tree = tree_for(sink, row, value->offset),
        .hf = sink->dissector->hf[index_of(sink, row)],
        .tvb = sink->source->tvb,
        .start = (int)value->offset,
        .length = (int)value->length,
        .pool = sink->pinfo->pool,
    };
    proto_item *item = reserve_item(sink, 2) ? add_field(&at, row, value) : NULL;

    if (value->generated)
        proto_item_set_generated(item);
    if (row->mask)
        return;
    sink->last_row = row;
    sink->last_item = item;
    sink->last_offset = value->offset;
    sink->last_length = value->length;
}

/* --- Expert infos --- */

static expert_field *expert_of(const struct tree_sink *sink, enum qs_note kind)
{
    DISSECTOR_ASSERT(sink->dissector->protocol->notes & QS_NOTE_BIT(kind));
    return &sink->dissector->expert_infos[kind];
}

/* Adds a note below the last field if it is about exactly its bytes, else below the group. */
static void add_expert_info(struct qs_sink *base, enum qs_note kind, uint32_t offset,
                            uint32_t length, const char *text)
{
    struct tree_sink *sink = self(base);
    expert_field *expert = expert_of(sink, kind);

    if (!reserve_item(sink, 3))
        return;
    if (sink->last_row && sink->last_item && sink->last_offset == offset &&
        sink->last_length == length) {
        expert_add_info_format(sink->pinfo, sink->last_item, expert, "%s", text);
        return;
    }
    proto_tree_add_expert_format(sink->group->tree, sink->pinfo, expert, sink->source->tvb,
                                 (int)offset, (int)length, "%s", text);
    sink->last_row = NULL;
}

static void add_expert_info_only(struct qs_sink *base, enum qs_note kind, uint32_t offset,
                                 uint32_t length, const char *text)
{
    struct tree_sink *sink = self(base);

    (void)offset, (void)length;
    if (reserve_item(sink, 3))
        expert_add_info_format(sink->pinfo, sink->group->item, expert_of(sink, kind), "%s", text);
}

void tree_sink_init(struct tree_sink *sink, struct dissector *dissector, packet_info *pinfo,
                    tvbuff_t *tvb, proto_item *top, bool fields)
{
    *sink = (struct tree_sink){.dissector = dissector, .pinfo = pinfo, .top = top};
    sink->quarter = prefs.gui_max_tree_items / 4;
    sink->base.note = add_expert_info_only;
    push_group(sink, top, proto_item_add_subtree(top, dissector->ett_top), 0);
    push_source(sink, tvb);
    if (!fields)
        return;
    sink->base.note = add_expert_info;
    sink->base.open = open_group;
    sink->base.close = close_group;
    sink->base.field = show_field;
    sink->base.source = change_source;
    if (PTREE_DATA(sink->group->tree)->visible)
        sink->base.label = label_group;
}
