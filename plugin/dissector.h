/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A dissector joins one protocol record to Wireshark. There is one for each record; they are
 * created at start-up and live as long as Wireshark does. Nothing in this folder knows a game:
 * names, fields, ports and options all come from the records.
 *
 * Reading order: quakeshark.c (entry points, registration), dissect.c (a packet's way), fields.c
 * (what is registered of fields and notes), preferences.c, ports.c, tree_sink.c (fields shown),
 * conversations.c (what is remembered of a conversation), packet_states.c (and of each packet),
 * sessions.c, export_objects.c (files that are sent).
 */
#ifndef QS_PLUGIN_DISSECTOR_H
#define QS_PLUGIN_DISSECTOR_H

#include "plugin/ws_compat.h"

#include <epan/expert.h>
#include <epan/packet.h>
#include <epan/prefs.h>

#include "common/core/parse.h"
#include "common/core/sink.h"
#include "common/core/protocol.h"
#include "common/stats/stats.h"

/* An option's value as Wireshark's preferences store it. */
union preference_value {
    ws_bool flag;
    int choice;
};

struct dissector {
    const struct qs_protocol *protocol;
    char *title; /* where Wireshark's own dissector of the game stands beside it */
    int proto;   /* Wireshark's number of the protocol */
    dissector_handle_t handle;
    dissector_handle_t stream_handle; /* of conversations over TCP, or NULL */

    /* What the rows were registered as, by the row's index. */
    int *hf;
    int hf_session, hf_session_player, hf_from_server; /* see session_fields.h */
    int *ett;    /* only rows that others stand under have one */
    int ett_top; /* of the protocol itself */
    expert_field expert_infos[QS_NOTE_KINDS];

    /* The values of the record's options: in force, and as preferences. */
    uint32_t *options;
    union preference_value *preferences;

    range_t *server_ports; /* as preferred */
    range_t *held_ports;   /* those whose packets come to this dissector now */
    GHashTable *built_in;  /* port -> handle of the dissector that had it before, where one did */

    int tap;        /* of statistics */
    int follow_tap; /* see follow.h */
    struct qs_message_counter counter;

    struct qs_decoder decoder;
    struct packet_states *packet_states; /* of the capture; NULL: none yet */
};

#endif
