/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A dissector connects a protocol record to Wireshark. There is one for each record, from start-up
 * until Wireshark ends. Nothing in this folder depends on a game: names, fields, ports and options
 * come from the records.
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
    char *title; /* distinct from Wireshark's own dissector of the game */
    int proto;   /* Wireshark's protocol id */
    dissector_handle_t handle;
    dissector_handle_t stream_handle; /* of conversations over TCP, or NULL */

    /* Registered ids, by the row's index. */
    int *hf;
    int session_hf[QS_SESSION_FIELDS];
    int *ett;    /* only for rows with child rows */
    int ett_top; /* of the protocol itself */
    expert_field expert_infos[QS_NOTE_KINDS];

    /* The values of the record's options: in effect, and as preferences. */
    uint32_t *options;
    union preference_value *preferences;

    range_t *server_ports;  /* as preferred */
    range_t *claimed_ports; /* ports assigned to this dissector now */
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

/* The dissector with this title, or NULL. */
struct dissector *dissectors_find(const char *title);

/* --- A record's options as preferences of its protocol, `<protocol>.<option>` */

/* `changed` is called whenever preferences of the protocol have changed. */
void preferences_register(struct dissector *dissector, void (*changed)(void));

/* Applies the current values. */
void preferences_apply(struct dissector *dissector);

/*
 * --- Assignment of UDP ports
 *
 * The preference `<protocol>.udp.port` contains the servers' ports. Wireshark has its own simple
 * dissectors for some of them: they get a port back while our protocol is disabled, or when the
 * preference no longer contains it. No other dissector has the TCP ports of `<protocol>.tcp.port`;
 * only streams that begin like the protocol's are accepted there.
 */

/* Registers the record's ports and their preference. Run after the built-in dissectors. */
void ports_register(struct dissector *dissector);

/*
 * Assigns the ports by the preference and whether the protocol is enabled. Does not change the
 * user's Decode As rules.
 */
void ports_assign(struct dissector *dissector);

bool ports_has_server(const struct dissector *dissector, uint32_t port);

#endif
