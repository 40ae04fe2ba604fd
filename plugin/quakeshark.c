/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The plugin's entry points, and a packet's way through it. */
#include "plugin/bridge.h"

#include <epan/conversation.h>

#include "plugin/downloads.h"
#include "plugin/ports.h"
#include "plugin/preferences.h"
#include "plugin/rows.h"
#include "plugin/sessions.h"
#include "plugin/tree_sink.h"

WS_DLL_PUBLIC_DEF const char plugin_version[] = QUAKESHARK_VERSION;
WS_DLL_PUBLIC_DEF const int plugin_want_major = WIRESHARK_VERSION_MAJOR;
WS_DLL_PUBLIC_DEF const int plugin_want_minor = WIRESHARK_VERSION_MINOR;

static GPtrArray *bridges; /* struct bridge * */

void bridges_each(void (*visit)(struct bridge *bridge))
{
    for (unsigned i = 0; i < bridges->len; i++)
        visit(bridges->pdata[i]);
}

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

static struct qs_packet packet_of(const struct bridge *bridge, tvbuff_t *tvb,
                                  const packet_info *pinfo)
{
    const int size = (int)tvb_captured_length(tvb);

    return (struct qs_packet){
        .data = tvb_get_ptr(tvb, 0, size),
        .size = (uint32_t)size,
        .wire_size = tvb_reported_length(tvb),
        .number = pinfo->num,
        .time = (int64_t)pinfo->abs_ts.secs * 1000000000 + pinfo->abs_ts.nsecs,
        .source = address_of(&pinfo->src, pinfo->srcport),
        .destination = address_of(&pinfo->dst, pinfo->destport),
        .from = QS_END_UNKNOWN,
        .source_is_server_port = ports_has_server(bridge, pinfo->srcport),
        .destination_is_server_port = ports_has_server(bridge, pinfo->destport),
    };
}

/* The packet's summary, known when it has been decoded. */
static void show_summary(const struct bridge *bridge, packet_info *pinfo, proto_item *top)
{
    const char *summary = bridge->decoder.summary->str;

    col_append_sep_str(pinfo->cinfo, COL_INFO, "; ", summary);
    if (summary[0])
        proto_item_append_text(top, ", %s", summary);
}

static void begin_columns(const struct bridge *bridge, packet_info *pinfo)
{
    col_set_str(pinfo->cinfo, COL_PROTOCOL, bridge->protocol->short_name);
    col_clear(pinfo->cinfo, COL_INFO);
}

/* A datagram or a unit, which is all of `tvb`. */
static void decode(struct bridge *bridge, tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree,
                   const struct qs_packet *packet, const struct visit *visit)
{
    proto_item *top = proto_tree_add_item(tree, bridge->proto, tvb, 0, -1, ENC_NA);
    struct tree_sink sink;

    tree_sink_init(&sink, bridge, pinfo, tvb, top,
                   tree && proto_field_is_referenced(tree, bridge->proto));
    bridge->decoder.want_summary =
        col_get_writable(pinfo->cinfo, COL_INFO) || (tree && PTREE_DATA(tree)->visible);
    bridge->decoder.want_transfers = downloads_are_wanted();
    if (packet->unit)
        qs_decode_unit(&bridge->decoder, visit->session, &sink.base, packet);
    else
        qs_decode(&bridge->decoder, visit->session, &sink.base, packet);
    downloads_queue(bridge, pinfo, visit->conversation);
    if (bridge->decoder.want_summary)
        show_summary(bridge, pinfo, top);
}

static int dissect(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data, void *user)
{
    struct bridge *bridge = user;
    const struct visit visit = visit_packet(bridge, pinfo);
    struct qs_packet packet = packet_of(bridge, tvb, pinfo);

    (void)data;
    packet.from = visit.from;
    begin_columns(bridge, pinfo);
    decode(bridge, tvb, pinfo, tree, &packet, &visit);
    if (visit.first && bridge->decoder.announced.valid)
        conversation_announce(bridge, pinfo, &bridge->decoder.announced);
    return (int)packet.size;
}

/* --- Streams --- */

/* What is left of the segment, as the next unit would have it. */
static struct qs_packet unit_at(const struct bridge *bridge, tvbuff_t *rest, packet_info *pinfo,
                                const struct visit *visit)
{
    struct qs_packet unit = packet_of(bridge, rest, pinfo);

    unit.from = visit->from;
    unit.unit = visit->unit;
    unit.missing = visit->missing;
    unit.missing_before = pinfo->num;
    return unit;
}

/*
 * Asks for the rest of a unit that is not whole; false where that cannot come. A single byte is
 * asked for where the unit's end is not known: then another segment will do.
 */
static bool wait_for_more(packet_info *pinfo, int offset, uint32_t lacking)
{
    if (!pinfo->can_desegment)
        return false;
    pinfo->desegment_offset = offset;
    pinfo->desegment_len = lacking == 1 ? DESEGMENT_ONE_MORE_SEGMENT : lacking;
    return true;
}

/* The unit at `offset`. Returns where the next one begins; 0: more segments are needed. */
static int dissect_unit(struct bridge *bridge, tvbuff_t *tvb, int offset, packet_info *pinfo,
                        proto_tree *tree)
{
    tvbuff_t *rest = tvb_new_subset_remaining(tvb, offset);
    const struct visit visit = visit_unit(bridge, pinfo);
    struct qs_packet unit = unit_at(bridge, rest, pinfo, &visit);
    const uint32_t size = bridge->protocol->unit_size(visit.session, &unit, 0);

    if (size > unit.size && wait_for_more(pinfo, offset, size - unit.size))
        return 0;
    unit.wire_size = size;
    unit.size = MIN(unit.size, size);
    decode(bridge, tvb_new_subset_length(rest, 0, (int)unit.size), pinfo, tree, &unit, &visit);
    visit_unit_done(bridge, pinfo);
    return offset + (int)unit.size;
}

static bool recognises_stream(const struct bridge *bridge, tvbuff_t *tvb)
{
    const int size = (int)tvb_captured_length(tvb);

    return bridge->protocol->recognise_stream(
        (struct qs_view){tvb_get_ptr(tvb, 0, size), (uint32_t)size});
}

/* Streams of other protocols may come to the same ports, as HTTP does to QTV's. */
static int dissect_stream(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data,
                          void *user)
{
    struct bridge *bridge = user;
    const int end = (int)tvb_captured_length(tvb);
    int offset = 0;

    if (!stream_is_known(bridge, pinfo) && !recognises_stream(bridge, tvb))
        return 0;
    begin_columns(bridge, pinfo);
    stream_segment(bridge, pinfo, data, tvb_reported_length(tvb) - (uint32_t)end);
    while (offset < end) {
        offset = dissect_unit(bridge, tvb, offset, pinfo, tree);
        if (!offset)
            break;
    }
    col_set_fence(pinfo->cinfo, COL_INFO);
    return end;
}

/* --- Conversations on other ports --- */

/* One function serves all protocols: Wireshark says which one it is trying. */
static struct bridge *bridge_being_tried(const packet_info *pinfo)
{
    for (unsigned i = 0; i < bridges->len; i++) {
        struct bridge *bridge = bridges->pdata[i];

        if (strcmp(bridge->protocol->short_name, pinfo->current_proto) == 0)
            return bridge;
    }
    return NULL;
}

/*
 * Earlier packets of the conversation stay as they were dissected, whatever they were: hence the
 * frame number. Packets that an error message quotes claim nothing.
 */
static void claim_conversation(dissector_handle_t handle, packet_info *pinfo)
{
    if (!pinfo->flags.in_error_pkt)
        conversation_set_dissector_from_frame_number(find_or_create_conversation(pinfo), pinfo->num,
                                                     handle);
}

static ws_bool dissect_recognised(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    struct bridge *bridge = bridge_being_tried(pinfo);
    struct qs_packet packet;

    if (!bridge || !bridge->protocol->recognise)
        return FALSE;
    packet = packet_of(bridge, tvb, pinfo);
    if (!bridge->protocol->recognise(&packet))
        return FALSE;
    claim_conversation(bridge->handle, pinfo);
    dissect(tvb, pinfo, tree, data, bridge);
    return TRUE;
}

static ws_bool dissect_recognised_stream(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree,
                                         void *data)
{
    struct bridge *bridge = bridge_being_tried(pinfo);

    if (!bridge || !bridge->stream_handle || !recognises_stream(bridge, tvb))
        return FALSE;
    claim_conversation(bridge->stream_handle, pinfo);
    dissect_stream(tvb, pinfo, tree, data, bridge);
    return TRUE;
}

/* --- Registration --- */

static void apply_preferences(struct bridge *bridge)
{
    preferences_apply(bridge);
    ports_assign(bridge);
}

static void preferences_changed(void)
{
    bridges_each(apply_preferences);
}

/* Runs before a capture is dissected, and so also when protocols were enabled or disabled. */
static void capture_begins(void)
{
    bridges_each(ports_assign);
}

static void add_bridge(const struct qs_protocol *protocol)
{
    struct bridge *bridge = g_new0(struct bridge, 1);

    bridge->protocol = protocol;
    bridge->proto = proto_register_protocol(protocol->title, protocol->short_name, protocol->name);
    qs_decoder_init(&bridge->decoder, protocol);
    rows_register(bridge);
    preferences_register(bridge, preferences_changed);
    bridge->handle = register_dissector_with_data(protocol->name, dissect, bridge->proto, bridge);
    if (protocol->decode_unit) {
        char *name = g_strdup_printf("%s_tcp", protocol->name); /* lives on in Wireshark's list */

        bridge->stream_handle =
            register_dissector_with_data(name, dissect_stream, bridge->proto, bridge);
    }
    g_ptr_array_add(bridges, bridge);
}

static void add_protocols(void)
{
    bridges = g_ptr_array_new();
    for (const struct qs_protocol *const *protocol = qs_protocols; *protocol; protocol++)
        add_bridge(*protocol);
    downloads_register();
    register_init_routine(capture_begins);
}

static void add_heuristic(const struct bridge *bridge, const char *transport,
                          heur_dissector_t recognise, heuristic_enable_e enable)
{
    char *upper = g_ascii_strup(transport, -1);
    char *title = g_strdup_printf("%s over %s", bridge->protocol->title, upper);
    char *name = g_strdup_printf("%s_%s", bridge->protocol->name, transport);

    /* Title and name live on in Wireshark's lists. */
    heur_dissector_add(transport, recognise, title, name, bridge->proto, enable);
    g_free(upper);
}

static void hand_off(struct bridge *bridge)
{
    ports_take(bridge);
    if (bridge->protocol->recognise)
        add_heuristic(bridge, "udp", dissect_recognised,
                      bridge->protocol->recognise_on_request ? HEURISTIC_DISABLE
                                                             : HEURISTIC_ENABLE);
    if (bridge->stream_handle)
        add_heuristic(bridge, "tcp", dissect_recognised_stream, HEURISTIC_ENABLE);
}

static void hand_off_protocols(void)
{
    bridges_each(hand_off);
}

WS_DLL_PUBLIC void plugin_register(void);

WS_DLL_PUBLIC_DEF void plugin_register(void)
{
    static const proto_plugin plugin = {add_protocols, hand_off_protocols};

    proto_register_plugin(&plugin);
}

#ifdef WS_PLUGIN_DESC_DISSECTOR
WS_DLL_PUBLIC uint32_t plugin_describe(void);

/* Shown in the list of plugins. */
WS_DLL_PUBLIC_DEF uint32_t plugin_describe(void)
{
    return WS_PLUGIN_DESC_DISSECTOR;
}
#endif
