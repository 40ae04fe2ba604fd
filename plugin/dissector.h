/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A dissector connects a protocol record to Wireshark. There is one for each record, from start-up
 * until Wireshark ends. Nothing in this folder depends on a game: names, fields, ports and options
 * come from the records.
 *
 * Reading order: quakeshark.c (entry points, registration), dissector.c (list, preferences, ports),
 * fields.c (what is registered of fields and notes), dissect.c (a packet's way), tree_sink.c
 * (fields shown), conversations.c (what is remembered of conversations and packets),
 * snapshots.c (how two sessions differ), heuristics.c (sessions that began before the capture), and
 * what stands on them: follow, statistics, export_objects, export_demos.
 */
#ifndef QS_PLUGIN_DISSECTOR_H
#define QS_PLUGIN_DISSECTOR_H

#include "plugin/ws_compat.h"

#include <epan/expert.h>
#include <epan/packet.h>
#include <epan/prefs.h>
#include <epan/tap.h>

#include "common/core/decode.h"
#include "common/core/protocol.h"
#include "common/core/session.h"
#include "common/core/sink.h"
#include "common/sessions/protocol_selection.h"
#include "common/stats/stats.h"

struct packet_context; /* see conversations.h */

/* An option's value as Wireshark's preferences store it. */
union preference_value {
    ws_bool flag;
    int choice;
};

struct dissector {
    const struct qs_protocol *protocol;
    char *title; /* distinct from those of Wireshark's own dissectors */
    int proto;   /* Wireshark's protocol id */
    dissector_handle_t handle;
    dissector_handle_t stream_handle; /* of conversations over TCP, or NULL */

    /* Registered ids, by the row's index. */
    int *hf;
    int session_hf[QS_SESSION_FIELDS];
    int *ett;                   /* only for rows with child rows */
    hf_register_info **aliases; /* second names of groups; NULL: of other rows */
    int ett_top;                /* of the protocol itself */
    expert_field expert_infos[QS_NOTE_KINDS];

    /* The values of the record's options: in effect, and as preferences. */
    uint32_t *options;
    union preference_value *preferences;

    range_t *server_ports;  /* as preferred */
    range_t *claimed_ports; /* ports assigned to this dissector now */
    GHashTable *built_in;   /* port -> handle of the dissector that had it before, where one did */

    int tap; /* of statistics */
    int follow_tap;
    struct qs_message_counter counter;

    struct qs_decoder decoder;
    struct qs_qports *qports; /* of the capture: to struct conversation_state */
};

/* --- All dissectors */

/* By the number of the protocol; ends with NULL. */
extern struct dissector *dissectors[QS_PROTOCOLS_MAX + 1];

/* The values of their options in effect, by the number of the protocol: see qs_decoder.options. */
uint32_t **dissectors_options(void);

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

/* --- fields.c: rows and notes as Wireshark's fields, subtrees and expert infos */

/* Fills hf, session_hf, ett and expert_infos of the dissector. */
void fields_register(struct dissector *dissector);

/* The row that `row` is a part of; itself when it has no mask. */
static inline const struct qs_field *field_whole(const struct qs_field *row)
{
    while (row->mask)
        row--;
    return row;
}

/*
 * Adds the generated fields that packets of every protocol have (see qs_session_fields), as far as
 * they are known of the packet that was just decoded. `number` 0: it has no session.
 */
void session_fields_show(struct dissector *dissector, packet_info *pinfo, proto_tree *tree,
                         tvbuff_t *tvb, uint32_t number);

/* Gives a new string to the pool: what it is passed on to may throw an exception. */
char *pool_string(wmem_allocator_t *pool, char *text);

/* --- dissect.c */

/* Registers the functions that Wireshark calls with the protocol's packets. */
void dissect_register(struct dissector *dissector);

/* Registers the heuristics for conversations of the protocol of this number on other ports. */
void dissect_register_heuristics(int protocol);

/* Registers what takes the ports of Quake III and hands on to its dissector what is not ours. */
void dissect_register_on_quake3_ports(void);

/* Takes these ports, where Quake III's dissector has them now. */
void dissect_take_quake3_ports(void);

/* --- heuristics.c: sessions that started before the capture */

/* Call it when the capture is closed. */
void heuristics_end(void);

/*
 * Whether the packet, which no dissector accepted, completes the evidence that its conversation has
 * this protocol. In the first pass, the first call for a packet counts it.
 */
bool heuristics_recognize(const struct dissector *dissector, packet_info *pinfo,
                          const struct qs_packet *packet);

/* Shows the evidence below `top` if the packet completed it. */
void heuristics_show(struct dissector *dissector, packet_info *pinfo, proto_item *top);

/* --- follow.c: Follow, and filters for a session */

void follow_register(struct dissector *dissector);

/* Before a packet is decoded: its text will be wanted. */
void follow_begin(struct dissector *dissector);

/* When it was. */
void follow_queue(const struct dissector *dissector, packet_info *pinfo);

/* "Quake session" in Wireshark's menus Conversation Filter and Colorize Conversation. */
void conversation_filter_register(void);

/*
 * --- statistics.c
 *
 * Figures, in the menu Statistics of all games together, and for tshark also of each:
 *
 *     tshark -z quake,sessions     who played where, and how well the line was
 *     tshark -z quake,messages     packets and messages by session, direction and type
 *     tshark -z quake,line         the quality of each session's line, by direction
 *     tshark -z qw,line            the same of QuakeWorld
 *     tshark -z qw,srt             response times of requests: Statistics > Service Response Time
 *
 * They are those of `pcap2demo --stats` and `--list`: both count with common/stats and
 * common/netchan/quality. One tap of all games, and one of each protocol's name, carry what a
 * packet adds to them.
 */

/* Of all games. */
void statistics_register(void);

/* Of one game. */
void statistics_register_game(struct dissector *dissector);

/* Gives Wireshark's tap of credentials (`-z credentials`) the passwords of the packet. */
void credentials_queue(const struct dissector *dissector, packet_info *pinfo);

/* Whether a tap listens now; then messages are to be counted. */
bool statistics_are_wanted(const struct dissector *dissector);

/* Gives the taps the packet just decoded, whose messages were counted. */
void statistics_queue(const struct dissector *dissector, packet_info *pinfo,
                      const struct packet_context *context, uint32_t session_number);

/* --- export_objects.c: File > Export Objects > Quake downloads */

void export_objects_register(void);

/* Call it when the capture is closed. */
void export_objects_end(void);

/* Whether a tap listens now. */
bool export_objects_are_wanted(void);

/* Gives the tap decoder->transfers of the packet just decoded, which is of this conversation. */
void export_objects_queue(const struct dissector *dissector, packet_info *pinfo,
                          const void *conversation);

/* --- export_demos.c: File > Export Objects > Quake demos */

#ifdef QUAKESHARK_DEMOS
void export_demos_register(void);

/* Call it when the capture is closed. */
void export_demos_end(void);

/*
 * Queues a packet or unit for the tap; `dissector` NULL: protocol unknown. `conversation`
 * identifies a unit's conversation.
 */
void export_demos_queue(const struct dissector *dissector, packet_info *pinfo,
                        const struct qs_packet *packet, const void *conversation);
#else /* without demos, as in Wireshark's own source: see UPSTREAM.md */
#define export_demos_register() ((void)0)
#define export_demos_end() ((void)0)
#define export_demos_queue(dissector, pinfo, packet, conversation) ((void)0)
#endif

/* tree_sink.c: the sink that builds Wireshark's tree of a packet */

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
