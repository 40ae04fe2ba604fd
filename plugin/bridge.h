/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A bridge joins one protocol record to Wireshark. There is one for each record; they are made at
 * start-up and live as long as Wireshark does. Nothing in this folder knows a game: names, fields,
 * ports and options all come from the records.
 *
 * Reading order: quakeshark.c (entry points, one packet), rows.c (fields registered),
 * preferences.c and ports.c, tree_sink.c (fields shown), sessions.c (what is remembered between
 * packets), downloads.c (files that are sent).
 */
#ifndef QS_PLUGIN_BRIDGE_H
#define QS_PLUGIN_BRIDGE_H

#include "plugin/ws_compat.h"

#include <epan/expert.h>
#include <epan/packet.h>
#include <epan/prefs.h>

#include "common/core/decoder.h"
#include "common/core/note.h"
#include "common/core/protocol.h"

union setting {
    ws_bool flag;
    int choice;
};

struct bridge {
    const struct qs_protocol *protocol;
    int proto; /* Wireshark's number of the protocol */
    dissector_handle_t handle;
    dissector_handle_t stream_handle; /* of conversations over TCP, or NULL */

    /* What the rows were registered as, by the row's index. */
    int *hf;
    int *ett;    /* only rows that others stand under have one */
    int ett_top; /* of the protocol itself */
    expert_field notes[QS_NOTE_KINDS];

    /* The values of the record's options: in force, and as Wireshark's preferences keep them. */
    uint32_t *options;
    union setting *settings;

    range_t *server_ports; /* as preferred */
    range_t *held_ports;   /* those whose packets come to this protocol now */
    GHashTable *built_in;  /* port -> handle of the dissector that had it before, where one did */

    struct qs_decoder decoder;
};

/* Calls `visit` for each bridge. */
void bridges_each(void (*visit)(struct bridge *bridge));

#endif
