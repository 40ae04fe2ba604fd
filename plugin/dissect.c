/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Dissects packets: datagrams, stream segments, and conversations on other ports. */
#include "plugin/dissector.h"

#include <epan/conversation.h>
#include <epan/dissectors/packet-tcp.h>
#include <epan/exceptions.h>
#include <epan/show_exception.h>
#include <epan/tap.h>

#include "plugin/conversations.h"

/* --- One packet --- */

static struct qs_address address_of(const address *from, uint32_t port)
{
    struct qs_address to = {.port = (uint16_t)port};

    if (from->type == AT_IPv4 && from->len == 4)
        to.family = 4;
    else if (from->type == AT_IPv6 && from->len == 16)
        to.family = 6;
    if (to.family)
        memcpy(to.bytes, from->data, (size_t)from->len);
    return to;
}

/*
 * Returns the capture time in nanoseconds, without Edit > Time Shift: a shift changes the times of
 * dissected frames, but stored state has the original times.
 */
static int64_t time_of(const packet_info *pinfo)
{
    const nstime_t *shift = &pinfo->fd->shift_offset;
    const int64_t seconds = (int64_t)pinfo->abs_ts.secs - shift->secs;

    return seconds * 1000000000 + pinfo->abs_ts.nsecs - shift->nsecs;
}

static struct qs_packet packet_of(const struct dissector *dissector, tvbuff_t *tvb,
                                  const packet_info *pinfo)
{
    const int size = (int)tvb_captured_length(tvb);

    return (struct qs_packet){
        .data = tvb_get_ptr(tvb, 0, size),
        .size = (uint32_t)size,
        .wire_size = tvb_reported_length(tvb),
        .number = pinfo->num,
        .time = time_of(pinfo),
        .source = address_of(&pinfo->src, pinfo->srcport),
        .destination = address_of(&pinfo->dst, pinfo->destport),
        .from = QS_END_UNKNOWN,
        .source_is_server_port = ports_has_server(dissector, pinfo->srcport),
        .destination_is_server_port = ports_has_server(dissector, pinfo->destport),
    };
}

enum { LABEL_MAX = 160 };

/* Shows the packet's summary, which is complete after decoding. */
static void show_summary(const struct dissector *dissector, packet_info *pinfo, proto_item *top)
{
    const char *summary = dissector->decoder.found.summary->str, *end = summary;

    col_append_sep_str(pinfo->cinfo, COL_INFO, "; ", summary);
    if (!top || !summary[0])
        return;
    /* Wireshark cuts labels at 240 bytes, even within a character. */
    while (*end && g_utf8_next_char(end) - summary <= LABEL_MAX)
        end = g_utf8_next_char(end);
    proto_item_append_text(top, ", %.*s%s", (int)(end - summary), summary, *end ? "…" : "");
}

static void begin_columns(const struct dissector *dissector, packet_info *pinfo)
{
    col_set_str(pinfo->cinfo, COL_PROTOCOL, dissector->protocol->short_name);
    col_clear(pinfo->cinfo, COL_INFO);
}

/* Decodes and shows a datagram or PDU, which is all of `tvb`. */
static void decode(struct dissector *dissector, tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree,
                   const struct qs_packet *packet, const struct packet_context *context)
{
    proto_item *top = proto_tree_add_protocol_format(tree, dissector->proto, tvb, 0, -1, "%s",
                                                     dissector->protocol->title);
    const bool wanted = statistics_are_wanted(dissector);
    struct tree_sink sink;
    uint32_t session_number;

    tree_sink_init(&sink, dissector, pinfo, tvb, top,
                   tree && proto_field_is_referenced(tree, dissector->proto));
    if (wanted)
        qs_message_counter_begin(&dissector->counter, &sink.base);
    dissector->decoder.want_summary =
        col_get_writable(pinfo->cinfo, COL_INFO) || (tree && PTREE_DATA(tree)->visible);
    dissector->decoder.want_transfers = export_objects_are_wanted() || context->current;
    follow_begin(dissector);
    (packet->pdu ? qs_decode_pdu : qs_decode)(&dissector->decoder, context->session,
                                              wanted ? &dissector->counter.base : &sink.base,
                                              packet);
    if (context->current)
        qs_links_update(context->links, &dissector->decoder);
    if (context->links)
        qs_links_show(context->links, &dissector->decoder);
    export_objects_queue(dissector, pinfo, context->conversation);
    follow_queue(dissector, pinfo);
    credentials_queue(dissector, pinfo);
    session_number = packet_session_number(context, &dissector->decoder);
    session_fields_show(dissector, pinfo, proto_item_get_subtree(top), tvb, session_number);
    if (wanted)
        statistics_queue(dissector, pinfo, context, session_number);
    if (dissector->decoder.want_summary)
        show_summary(dissector, pinfo, top);
    if (qs_packet_is_cut(packet)) /* adds _ws.short, as all dissectors do for a cut packet */
        show_exception(tvb, pinfo, tree, BoundsError, NULL);
    heuristics_show(dissector, pinfo, top);
}

/*
 * True if this packet completes the evidence of several packets for a session that began before the
 * capture. If not, queues it for the demo, which packets before the evidence belong to, too.
 */
static bool recognize_late(const struct dissector *dissector, packet_info *pinfo,
                           const struct qs_packet *packet)
{
    if (heuristics_recognize(dissector, pinfo, packet))
        return true;
    export_demos_queue(NULL, pinfo, packet, NULL);
    return false;
}

/*
 * True if the packet belongs to this protocol. Other protocols use its ports, too: a conversation
 * belongs to it once a packet proves that. If neither port is the protocol's, the user or another
 * packet chose the dissector.
 */
static bool accept_packet(const struct dissector *dissector, packet_info *pinfo,
                          const struct qs_packet *packet, bool known)
{
    const struct qs_protocol *protocol = dissector->protocol;

    return (!packet->source_is_server_port && !packet->destination_is_server_port) || known ||
           protocol->recognize(protocol, packet) || !protocol->is_foreign(protocol, packet) ||
           conversation_has_moved(dissector, pinfo, packet) ||
           recognize_late(dissector, pinfo, packet);
}

/* Returns the dissector whose protocol alone can have sent the packet, or NULL. */
static struct dissector *recognized_by(const struct qs_packet *packet)
{
    for (int i = 0; dissectors[i]; i++) {
        const struct qs_protocol *protocol = dissectors[i]->protocol;

        if (!protocol->recognize_on_request && protocol->recognize(protocol, packet) &&
            proto_is_protocol_enabled(find_protocol_by_id(dissectors[i]->proto)))
            return dissectors[i];
    }
    return NULL;
}

/*
 * Returns the dissector of another game to which the packet belongs, or NULL. Games listen on each
 * other's ports: until a connection begins, a packet that only another game sends goes to that
 * game's dissector. Some clients request a connection in two protocols at once: the server's answer
 * decides.
 */
static const struct dissector *other_of(const struct dissector *dissector,
                                        const struct qs_packet *packet,
                                        const struct conversation_state *known)
{
    const struct dissector *other;

    if (conversation_is_connected(known) ||
        dissector->protocol->recognize(dissector->protocol, packet))
        return NULL;
    other = recognized_by(packet);
    return other && (!packet->destination_is_server_port ||
                     ports_has_server(other, packet->destination.port) ||
                     ports_has_server(other, packet->source.port))
               ? other
               : NULL;
}

/*
 * Assigns the conversation to this dissector from this packet on, and in later passes also earlier
 * packets of another dissector of this plugin. Packets quoted in ICMP errors change nothing.
 */
static void set_dissector(dissector_handle_t handle, packet_info *pinfo)
{
    if (!pinfo->flags.in_error_pkt)
        conversation_set_dissector_from_frame_number(find_or_create_conversation(pinfo),
                                                     conversation_first(pinfo), handle);
}

static int dissect_packet(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data,
                          void *user)
{
    struct dissector *dissector = user;
    struct qs_packet packet = packet_of(dissector, tvb, pinfo);
    struct conversation_state *known = conversation_known(dissector, pinfo, &packet);
    const struct dissector *other;
    struct packet_context context;

    (void)data;
    if (!accept_packet(dissector, pinfo, &packet, known))
        return 0;
    other = other_of(dissector, &packet, known);
    if (other) { /* Wireshark calls it next, by its port or by its heuristic */
        if (!PINFO_FD_VISITED(pinfo) && (ports_has_server(other, packet.source.port) ||
                                         ports_has_server(other, packet.destination.port)))
            set_dissector(other->handle, pinfo);
        return 0;
    }
    context = packet_context(dissector, pinfo, &packet, known);
    packet.from = context.from;
    begin_columns(dissector, pinfo);
    decode(dissector, tvb, pinfo, tree, &packet, &context);
    export_demos_queue(dissector, pinfo, &packet, context.conversation);
    if (context.current)
        conversation_update_qport(dissector, &context);
    if (context.current && dissector->decoder.found.announced.valid)
        conversation_announce(dissector, pinfo);
    return (int)packet.size;
}

/* --- Streams --- */

/* The current PDU of tcp_dissect_pdus(), passed to its callbacks. */
struct pdu_reader {
    struct dissector *dissector;
    struct packet_context context;
    struct qs_packet pdu;
};

/* Returns the length of the PDU at `offset`, or 0 if it is unknown until the next segment. */
static unsigned pdu_length(packet_info *pinfo, tvbuff_t *tvb, int offset, void *data)
{
    struct pdu_reader *reader = data;
    struct qs_packet *pdu = &reader->pdu;

    reader->context = pdu_context(reader->dissector, pinfo);
    *pdu = packet_of(reader->dissector, tvb_new_subset_remaining(tvb, offset), pinfo);
    pdu->from = reader->context.from;
    pdu->pdu = reader->context.pdu;
    pdu->missing = reader->context.missing;
    pdu->missing_before = pinfo->num;
    pdu->wire_size = reader->dissector->protocol->pdu_length(reader->context.session, pdu, 0);
    return pdu->wire_size == pdu->size + 1 && pinfo->can_desegment ? 0 : pdu->wire_size;
}

static int dissect_pdu(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    struct pdu_reader *reader = data;

    reader->pdu.size = tvb_captured_length(tvb);
    decode(reader->dissector, tvb, pinfo, tree, &reader->pdu, &reader->context);
    export_demos_queue(reader->dissector, pinfo, &reader->pdu, reader->context.conversation);
    pdu_done(reader->dissector, pinfo);
    return (int)reader->pdu.size;
}

static bool recognizes_stream(const struct dissector *dissector, tvbuff_t *tvb)
{
    const int size = (int)tvb_captured_length(tvb);

    return dissector->protocol->recognize_stream(
        (struct qs_view){tvb_get_ptr(tvb, 0, size), (uint32_t)size});
}

/* Rejects streams of other protocols on the same ports, such as HTTP. */
static int dissect_stream(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data,
                          void *user)
{
    struct pdu_reader reader = {.dissector = user};

    if (!conversation_known(user, pinfo, NULL) && !recognizes_stream(user, tvb))
        return 0;
    begin_columns(user, pinfo);
    stream_add_segment(user, pinfo, data, tvb_reported_length(tvb) - tvb_captured_length(tvb));
    tcp_dissect_pdus(tvb, pinfo, tree, TRUE, 1, pdu_length, dissect_pdu, &reader);
    col_set_fence(pinfo->cinfo, COL_INFO);
    return (int)tvb_captured_length(tvb);
}

/* --- Conversations on other ports --- */

static bool dissect_datagram(struct dissector *dissector, tvbuff_t *tvb, packet_info *pinfo,
                             proto_tree *tree, bool late)
{
    const struct qs_packet packet = packet_of(dissector, tvb, pinfo);

    if (late ? !recognize_late(dissector, pinfo, &packet)
             : !dissector->protocol->recognize(dissector->protocol, &packet) &&
                   !conversation_has_moved(dissector, pinfo, &packet))
        return false;
    set_dissector(dissector->handle, pinfo);
    dissect_packet(tvb, pinfo, tree, NULL, dissector);
    return true;
}

static bool dissect_recognized_stream(struct dissector *dissector, tvbuff_t *tvb,
                                      packet_info *pinfo, proto_tree *tree, void *data)
{
    if (!recognizes_stream(dissector, tvb))
        return false;
    set_dissector(dissector->stream_handle, pinfo);
    dissect_stream(tvb, pinfo, tree, data, dissector);
    return true;
}

/* Wireshark's heuristics have no user data, so each protocol needs functions of its own. */
#define HEURISTICS(n)                                                                              \
    static ws_bool recognize_##n(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)  \
    {                                                                                              \
        (void)data;                                                                                \
        return dissect_datagram(dissectors[n], tvb, pinfo, tree, false);                           \
    }                                                                                              \
    static ws_bool recognize_late_##n(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree,         \
                                      void *data)                                                  \
    {                                                                                              \
        (void)data;                                                                                \
        return dissect_datagram(dissectors[n], tvb, pinfo, tree, true);                            \
    }                                                                                              \
    static ws_bool recognize_stream_##n(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree,       \
                                        void *data)                                                \
    {                                                                                              \
        return dissect_recognized_stream(dissectors[n], tvb, pinfo, tree, data);                   \
    }

/* clang-format off */
HEURISTICS(0) HEURISTICS(1) HEURISTICS(2) HEURISTICS(3)

#define ROW(n) {recognize_##n, recognize_late_##n, recognize_stream_##n}
static const struct {
    heur_dissector_t datagram, late, stream;
} heuristics[] = {ROW(0), ROW(1), ROW(2), ROW(3)};
/* clang-format on */

static dissector_handle_t quake3;          /* Wireshark's dissector; NULL: it has no ports */
static dissector_handle_t on_quake3_ports; /* dissector that has its ports instead */

/*
 * Dissects packets on ports of Quake III, where other games' servers listen, too. Its requests do
 * not end with a newline as Quake II's and QuakeWorld's do. Passes others to Wireshark's dissector.
 */
static int dissect_on_quake3_port(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    static const char request[] = "\xff\xff\xff\xffgetchallenge\n";

    const struct qs_packet packet = packet_of(dissectors[0], tvb, pinfo);
    const struct dissector *dissector = recognized_by(&packet);
    int size = 0;

    if (dissector) {
        set_dissector(dissector->handle, pinfo);
        size = call_dissector_only(dissector->handle, tvb, pinfo, tree, data);
    } else if (packet.size == strlen(request) && !memcmp(packet.data, request, packet.size)) {
        size = call_dissector_only(find_dissector("q2"), tvb, pinfo, tree, data);
    }
    return size ? size : call_dissector_only(quake3, tvb, pinfo, tree, data);
}

/* Decode As shows the dissector's name; packets show no layer for it. */
void dissect_register_on_quake3_ports(void)
{
    const int proto = proto_register_protocol_in_name_only(
        "Quake II, QuakeWorld or Quake III", "Quake II/QW/III", "quake_on_quake3_ports",
        proto_get_id_by_filter_name("udp"), FT_PROTOCOL);

    on_quake3_ports = create_dissector_handle(dissect_on_quake3_port, proto);
}

static void find_port(const char *table, ftenum_t type, void *port, void *entry, void *ports)
{
    const dissector_handle_t handle = dtbl_entry_get_handle(entry);
    const int protocol = dissector_handle_get_protocol_index(handle);

    (void)table, (void)type;
    if (protocol != proto_get_id_by_filter_name("quake3") ||
        handle != dtbl_entry_get_initial_handle(entry)) /* the user's choice */
        return;
    quake3 = handle;
    g_array_append_vals(ports, &(guint){GPOINTER_TO_UINT(port)}, 1);
}

/* Adds ports instead of changing them: Decode As saves changed ports as the user's. */
void dissect_claim_quake3_ports(void)
{
    g_autoptr(GArray) ports = g_array_new(FALSE, FALSE, sizeof(guint));

    dissector_table_foreach("udp.port", find_port, ports);
    for (guint i = 0; i < ports->len; i++)
        dissector_add_uint("udp.port", g_array_index(ports, guint, i), on_quake3_ports);
}

/* --- Registration --- */

void dissect_register(struct dissector *dissector)
{
    const struct qs_protocol *protocol = dissector->protocol;

    dissector->handle =
        register_dissector_with_data(protocol->name, dissect_packet, dissector->proto, dissector);
    if (protocol->decode_pdu) {
        char *name = g_strdup_printf("%s_tcp", protocol->name); /* kept by Wireshark */

        dissector->stream_handle =
            register_dissector_with_data(name, dissect_stream, dissector->proto, dissector);
    }
}

static void add_heuristic(const struct dissector *dissector, const char *transport,
                          const char *kind, heur_dissector_t recognize, heuristic_enable_e enable)
{
    char *upper = g_ascii_strup(transport, -1);
    char *title = g_strdup_printf("%s over %s%s", dissector->title, upper,
                                  kind[0] ? ", of sessions that began before the capture" : "");
    char *name = g_strdup_printf("%s%s_%s", dissector->protocol->name, kind, transport);

    /* Wireshark keeps title and name. */
    heur_dissector_add(transport, recognize, title, name, dissector->proto, enable);
    g_free(upper);
}

void dissect_register_heuristics(int protocol)
{
    const struct dissector *dissector = dissectors[protocol];
    const heuristic_enable_e enable =
        dissector->protocol->recognize_on_request ? HEURISTIC_DISABLE : HEURISTIC_ENABLE;

    g_assert(protocol < (int)G_N_ELEMENTS(heuristics));
    if (dissector->protocol->recognize)
        add_heuristic(dissector, "udp", "", heuristics[protocol].datagram, enable);
    if (dissector->protocol->moves)
        add_heuristic(dissector, "udp", "_late", heuristics[protocol].late, HEURISTIC_DISABLE);
    if (dissector->stream_handle)
        add_heuristic(dissector, "tcp", "", heuristics[protocol].stream, HEURISTIC_ENABLE);
}
