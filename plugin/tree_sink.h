/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The sink that builds Wireshark's tree of a packet. */
#ifndef QS_PLUGIN_TREE_SINK_H
#define QS_PLUGIN_TREE_SINK_H

#include "plugin/dissector.h"

struct tree_group;
struct tree_source;

struct tree_sink {
    struct qs_sink base;
    struct dissector *dissector;
    packet_info *pinfo;
    proto_item *top;            /* the protocol's item */
    struct tree_group *group;   /* the innermost open one; the outermost is the protocol's */
    struct tree_source *source; /* where offsets count now */
    unsigned quarter;           /* of the items that Wireshark's preference allows */
    bool full;                  /* no more items are added */

    /* The last field added, for its parts to stand under it and for notes about it. */
    const struct qs_field *last_row;
    proto_item *last_item;
    uint32_t last_offset, last_length;
};

/*
 * `top` is the protocol's item, NULL where no tree is built. Without `fields` only expert infos are
 * added: Wireshark wants them even when nobody looks at the tree.
 */
void tree_sink_init(struct tree_sink *sink, struct dissector *dissector, packet_info *pinfo,
                    tvbuff_t *tvb, proto_item *top, bool fields);

#endif
