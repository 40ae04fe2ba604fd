/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A dissector joins one protocol record to Wireshark. There is one for each record; they are
 * created at start-up and live as long as Wireshark does. Nothing in this folder knows a game:
 * names, fields, ports and options all come from the records.
 *
 * Reading order: quakeshark.c (entry points, registration), dissector.c (list, preferences, ports),
 * fields.c (what is registered of fields and notes), dissect.c (a packet's way), tree_sink.c
 * (fields shown), conversations.c (what is remembered of a conversation), packet_states.c (of a
 * packet), snapshots.c (of a session), and what stands on them: follow, statistics, export_objects,
 * export_demos.
 */
#ifndef QS_PLUGIN_DISSECTOR_H
#define QS_PLUGIN_DISSECTOR_H

#include "plugin/ws_compat.h"

#include <epan/expert.h>
#include <epan/packet.h>
#include <epan/prefs.h>

#include "common/core/parse.h"
#include "common/core/protocol.h"
#include "common/core/session.h"
#include "common/core/sink.h"
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
    int session_hf[QS_SESSION_FIELDS];
    int *ett;    /* only rows that others stand under have one */
    int ett_top; /* of the protocol itself */
    expert_field expert_infos[QS_NOTE_KINDS];

    /* The values of the record's options: in force, and as preferences. */
    uint32_t *options;
    union preference_value *preferences;

    range_t *server_ports;  /* as preferred */
    range_t *claimed_ports; /* those whose packets come to this dissector now */
    GHashTable *built_in;   /* port -> handle of the dissector that had it before, where one did */

    int tap;        /* of statistics */
    int follow_tap; /* see follow.h */
    struct qs_message_counter counter;

    struct qs_decoder decoder;
    struct packet_states *packet_states; /* of the capture; NULL: none yet */
};

/* --- All dissectors, in the order of their registration */

void dissectors_add(struct dissector *dissector);

/* Calls `visit` for each. */
void dissectors_each(void (*visit)(struct dissector *dissector));

/* The one of that title, or NULL. */
struct dissector *dissectors_find(const char *title);

/* --- A record's options as preferences of its protocol, `<protocol>.<option>` */

/* `changed` is called whenever preferences of the protocol have changed. */
void preferences_register(struct dissector *dissector, void (*changed)(void));

/* Takes over the values as they are now. */
void preferences_apply(struct dissector *dissector);

/*
 * --- Who gets the packets of a UDP port
 *
 * The preference `<protocol>.udp.port` holds the ports where servers listen. Wireshark has shallow
 * dissectors of its own for some of them: a port is theirs again while our protocol is disabled, or
 * when it leaves the preference. Nobody else has the TCP ports of `<protocol>.tcp.port`, and only
 * streams that begin as the protocol's do are taken there.
 */

/* Registers the record's ports and their preference. Run after the built-in dissectors. */
void ports_register(struct dissector *dissector);

/*
 * Brings the ports in line with the preference and with whether the protocol is enabled. Decode As
 * rules of the user stay untouched.
 */
void ports_assign(struct dissector *dissector);

bool ports_has_server(const struct dissector *dissector, uint32_t port);

#endif
