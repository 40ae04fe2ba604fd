/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A dissector connects a protocol record to Wireshark. One exists for each record, from start-up
 * until Wireshark exits. Nothing in this folder depends on a game, except dissect_on_quake3_port():
 * names, fields, ports and options come from the records.
 *
 * Reading order: quakeshark.c (entry points, registration), dissector.c (list, preferences, ports),
 * fields.c (registration of fields and notes), dissect.c (dissection of a packet), tree_sink.c
 * (display of fields), conversations.c (state of conversations and packets), snapshots.c
 * (differences between two sessions), heuristics.c (sessions that began before the capture), and
 * their users: follow, statistics, export_objects, export_demos.
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
#include "common/sessions/heuristic.h"
#include "common/stats/stats.h"

struct packet_context; /* see conversations.h */

/* An option's value as Wireshark's preferences store it. */
union preference_value {
    ws_bool flag;
    int choice;
};

struct dissector {
    const struct qs_protocol *protocol;
    char *title; /* distinct from the titles of Wireshark's own dissectors */
    int proto;   /* Wireshark's protocol id */
    dissector_handle_t handle;
    dissector_handle_t stream_handle; /* for conversations over TCP, or NULL */

    /* Registered ids, indexed by row. */
    int *hf;
    int session_hf[QS_SESSION_FIELDS];
    int *ett;                   /* only of rows with child rows */
    hf_register_info **aliases; /* second names of groups; NULL for other rows */
    int ett_top;                /* subtree of the protocol itself */
    expert_field expert_infos[QS_NOTE_KINDS];

    /* Values of the record's options: in effect, and as preferences. */
    uint32_t *options;
    union preference_value *preferences;

    range_t *server_ports;  /* ports in the preference */
    range_t *claimed_ports; /* ports that this dissector has now */
    GHashTable *built_in;   /* port -> handle of the dissector that had it before */

    int tap; /* tap of statistics */
    int follow_tap;
    struct qs_message_counter counter;

    struct qs_decoder decoder;
    struct qs_qports *qports; /* table of qports, to find a struct conversation_state */
};

/* --- All dissectors */

/* Indexed by protocol number; ends with NULL. */
extern struct dissector *dissectors[QS_PROTOCOLS_MAX + 1];

/* Returns the options in effect, indexed by protocol number: see qs_decoder.options. */
uint32_t **dissectors_options(void);

/* --- Options as preferences of their protocol, `<protocol>.<option>` */

/* Registers the options. `changed` is called after preferences of the protocol have changed. */
void preferences_register(struct dissector *dissector, void (*changed)(void));

/* Puts the current preferences into effect. */
void preferences_apply(struct dissector *dissector);

/*
 * --- Assignment of UDP ports
 *
 * The preference `<protocol>.udp.port` contains the servers' ports. Wireshark has simple dissectors
 * of its own for some of them: these get a port back while our protocol is disabled, or when the
 * preference no longer contains it. No other dissector has the TCP ports of `<protocol>.tcp.port`;
 * only streams that begin like the protocol's are accepted there.
 */

/* Registers the record's ports and their preference. Call it after the built-in dissectors. */
void ports_register(struct dissector *dissector);

/*
 * Assigns the ports of the preference if the protocol is enabled, else gives them back. Does not
 * change the user's Decode As rules.
 */
void ports_assign(struct dissector *dissector);

bool ports_has_server(const struct dissector *dissector, uint32_t port);

/* --- fields.c: rows and notes as Wireshark's fields, subtrees and expert infos */

/* Fills hf, session_hf, ett, aliases and expert_infos of the dissector. */
void fields_register(struct dissector *dissector);

/* Returns the row that `row` is a part of, or `row` itself if it has no mask. */
static inline const struct qs_field *field_whole(const struct qs_field *row)
{
    while (row->mask)
        row--;
    return row;
}

/*
 * Adds the generated fields that packets of all protocols have (see qs_session_fields), as far as
 * the packet just decoded has them. `number`: session number, 0 if it has no session.
 */
void session_fields_show(struct dissector *dissector, packet_info *pinfo, proto_tree *tree,
                         tvbuff_t *tvb, uint32_t number);

/* Moves `text` to the pool, because the functions that it is passed to may throw exceptions. */
char *pool_string(wmem_allocator_t *pool, char *text);

/* --- dissect.c */

/* Registers the functions that dissect the protocol's packets. */
void dissect_register(struct dissector *dissector);

/* Registers heuristics for other ports. `protocol`: number of the protocol. */
void dissect_register_heuristics(int protocol);

/* Registers a dissector for Quake III's ports. It passes other packets to Wireshark's dissector. */
void dissect_register_on_quake3_ports(void);

/* Assigns to that dissector the ports that Wireshark's Quake III dissector has now. */
void dissect_claim_quake3_ports(void);

/* --- heuristics.c: sessions that started before the capture */

/* Frees the evidence; call it when the capture is closed. */
void heuristics_end(void);

/*
 * True if the packet, which no dissector accepted, completes the evidence that its conversation has
 * this protocol. In the first pass, the first call for a packet counts it.
 */
bool heuristics_recognize(const struct dissector *dissector, packet_info *pinfo,
                          const struct qs_packet *packet);

/* Shows the evidence below `top` if the packet completed it. */
void heuristics_show(struct dissector *dissector, packet_info *pinfo, proto_item *top);

/* --- follow.c: Follow, and filters for a session */

void follow_register(struct dissector *dissector);

/* Requests the packet's text if a tap listens; call it before decoding. */
void follow_begin(struct dissector *dissector);

/* Passes the text to the tap; call it after decoding. */
void follow_queue(const struct dissector *dissector, packet_info *pinfo);

/* Adds "Quake session" to Wireshark's menus Conversation Filter and Colorize Conversation. */
void conversation_filter_register(void);

/*
 * --- statistics.c
 *
 * Statistics, for all games in the menu Statistics, and for tshark also for each game:
 *
 *     tshark -z quake,sessions     players and servers, and quality of the path
 *     tshark -z quake,messages     packets and messages by session, direction and type
 *     tshark -z quake,line         quality of each session's path, by direction
 *     tshark -z qw,line            the same for QuakeWorld
 *     tshark -z qw,srt             response times of requests: Statistics > Service Response Time
 *
 * They equal those of `pcap2demo --stats` and `--list`: both count with common/stats and
 * common/netchan/quality. One tap for all games, and one with each protocol's name, carry what a
 * packet adds to them.
 */

/* Registers the statistics of all games. */
void statistics_register(void);

/* Registers the statistics of one game. */
void statistics_register_game(struct dissector *dissector);

/* Passes the packet's passwords to Wireshark's tap of credentials (`-z credentials`). */
void credentials_queue(const struct dissector *dissector, packet_info *pinfo);

/* True if a tap listens: then messages must be counted. */
bool statistics_are_wanted(const struct dissector *dissector);

/* Passes the packet just decoded, with its counted messages, to the taps. */
void statistics_queue(const struct dissector *dissector, packet_info *pinfo,
                      const struct packet_context *context, uint32_t session_number);

/* --- export_objects.c: File > Export Objects > Quake downloads */

void export_objects_register(void);

/* Drops all state; call it when the capture is closed. */
void export_objects_end(void);

/* True if a tap listens. */
bool export_objects_are_wanted(void);

/* Passes found.transfers of the packet just decoded, which has this conversation, to the tap. */
void export_objects_queue(const struct dissector *dissector, packet_info *pinfo,
                          const void *conversation);

/* --- export_demos.c: File > Export Objects > Quake demos */

#ifdef QUAKESHARK_DEMOS
void export_demos_register(void);

/* Drops all state; call it when the capture is closed. */
void export_demos_end(void);

/*
 * Queues a packet or PDU for the tap. `dissector` is NULL if the protocol is unknown.
 * `conversation` identifies a PDU's conversation.
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
    struct tree_group *group;   /* innermost open group; the outermost is the protocol's */
    struct tree_source *source; /* source in which offsets count */
    unsigned quarter;           /* quarter of the items that Wireshark's preference allows */
    bool full;                  /* no more items are added */

    /* Last field, below which its parts and notes about it are added. */
    const struct qs_field *last_row;
    proto_item *last_item;
    uint32_t last_offset, last_length;
};

/*
 * Initializes a sink below `top`, the protocol's item, which is NULL if no tree is built. Without
 * `fields` it adds only expert infos, which Wireshark needs even if the tree is not shown.
 */
void tree_sink_init(struct tree_sink *sink, struct dissector *dissector, packet_info *pinfo,
                    tvbuff_t *tvb, proto_item *top, bool fields);

#endif
