/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plugin/session_fields.h"

#include <epan/tfs.h>

#include "common/core/session.h"

/* Columns have room for no more than summaries. */
static const true_false_string *directions(void)
{
    static true_false_string names;

    names.true_string = qs_direction_arrow(QS_S2C);
    names.false_string = qs_direction_arrow(QS_C2S);
    return &names;
}

/* What is registered lives as long as Wireshark. */
static hf_register_info header_of(const struct dissector *dissector, int *id,
                                  enum qs_session_field field, enum ftenum type, int display,
                                  const void *strings)
{
    const struct qs_field *row = &qs_session_fields[field];
    const char *name = g_strconcat(dissector->protocol->name, ".", row->name, NULL);

    return (hf_register_info){id, {row->title, name, type, display, strings, 0, row->blurb, HFILL}};
}

void session_fields_register(struct dissector *dissector)
{
    const hf_register_info headers[] = {
        header_of(dissector, &dissector->hf_session, QS_SESSION_NUMBER, FT_UINT32, BASE_DEC, NULL),
        header_of(dissector, &dissector->hf_session_player, QS_SESSION_PLAYER, FT_STRING, BASE_NONE,
                  NULL),
        header_of(dissector, &dissector->hf_from_server, QS_SESSION_FROM_SERVER, FT_BOOLEAN,
                  BASE_NONE, TFS(directions())),
    };
    const size_t size = sizeof headers;

    proto_register_field_array(dissector->proto, g_memdup2(headers, size),
                               (int)G_N_ELEMENTS(headers));
}

/* All that is known of a session is put together only where somebody looks at it. */
static void show_player(const struct dissector *dissector, proto_tree *tree, tvbuff_t *tvb)
{
    const struct qs_protocol *protocol = dissector->protocol;
    struct qs_description description = {0};

    if (!proto_field_is_referenced(tree, dissector->hf_session_player))
        return;
    protocol->describe(dissector->decoder.session, &description);
    if (description.player)
        proto_item_set_generated(proto_tree_add_string(tree, dissector->hf_session_player, tvb, 0,
                                                       0, description.player));
    g_free(description.version);
    g_free(description.map);
    g_free(description.player);
}

static void show_session(const struct dissector *dissector, proto_tree *tree, tvbuff_t *tvb,
                         uint32_t number)
{
    proto_item *item = proto_tree_add_uint(tree, dissector->hf_session, tvb, 0, 0, number);

    proto_item_set_generated(item);
    show_player(dissector, tree, tvb);
}

void session_fields_show(struct dissector *dissector, proto_tree *tree, tvbuff_t *tvb,
                         uint32_t number)
{
    const enum qs_direction direction = dissector->decoder.direction;

    if (direction != QS_DIRECTION_UNKNOWN)
        proto_item_set_generated(proto_tree_add_boolean(tree, dissector->hf_from_server, tvb, 0, 0,
                                                        direction == QS_S2C));
    if (number)
        show_session(dissector, tree, tvb, number);
}
