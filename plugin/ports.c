/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plugin/ports.h"

static const char table_name[] = "udp.port";

/* The dissector that the port belongs to without us, or NULL. */
static dissector_handle_t built_in_of(const struct bridge *bridge, uint32_t port)
{
    dissector_handle_t before = g_hash_table_lookup(bridge->built_in, GUINT_TO_POINTER(port));
    dissector_handle_t standard = dissector_get_default_uint_handle(table_name, port);

    if (before)
        return before;
    return standard == bridge->handle ? NULL : standard;
}

static dissector_handle_t current_of(uint32_t port)
{
    return dissector_get_uint_handle(find_dissector_table(table_name), port);
}

/* No handle means that the preference has just taken the port from us. */
static void give_back(uint32_t port, void *data)
{
    const struct bridge *bridge = data;
    const dissector_handle_t current = current_of(port);

    if (!current || current == bridge->handle)
        dissector_change_uint(table_name, port, built_in_of(bridge, port));
}

static void take(uint32_t port, void *data)
{
    const struct bridge *bridge = data;
    const dissector_handle_t current = current_of(port);

    if (!current || current == built_in_of(bridge, port))
        dissector_change_uint(table_name, port, bridge->handle);
}

static void remember_built_in(uint32_t port, void *data)
{
    struct bridge *bridge = data;
    dissector_handle_t handle = dissector_get_default_uint_handle(table_name, port);

    if (handle)
        g_hash_table_insert(bridge->built_in, GUINT_TO_POINTER(port), handle);
}

static range_t *preferred_ports(const struct bridge *bridge)
{
    return prefs_get_range_value(bridge->protocol->name, table_name);
}

void ports_take(struct bridge *bridge)
{
    range_t *ports = NULL;

    bridge->built_in = g_hash_table_new(NULL, NULL);
    range_convert_str(NULL, &ports, bridge->protocol->ports, UINT16_MAX);
    range_foreach(ports, remember_built_in, bridge);
    dissector_add_uint_range_with_preference(table_name, bridge->protocol->ports, bridge->handle);
    range_foreach(ports, take, bridge); /* what it left to Wireshark's own dissector */
    if (bridge->stream_handle)
        dissector_add_uint_range_with_preference("tcp.port", bridge->protocol->stream_ports,
                                                 bridge->stream_handle);
    bridge->held_ports = ports;
    bridge->server_ports = range_copy(NULL, ports);
}

/* For walking over the ports of one range that are not in another. */
struct difference {
    const range_t *without;
    void (*visit)(uint32_t port, void *bridge);
    struct bridge *bridge;
};

static void visit_outside(uint32_t port, void *data)
{
    const struct difference *difference = data;

    if (!value_is_in_range(difference->without, port))
        difference->visit(port, difference->bridge);
}

static void change_held(struct bridge *bridge, range_t *wanted)
{
    struct difference lost = {wanted, give_back, bridge};
    struct difference won = {bridge->held_ports, take, bridge};

    range_foreach(bridge->held_ports, visit_outside, &lost);
    range_foreach(wanted, visit_outside, &won);
    wmem_free(NULL, bridge->held_ports);
    bridge->held_ports = wanted;
}

void ports_assign(struct bridge *bridge)
{
    const bool enabled = proto_is_protocol_enabled(find_protocol_by_id(bridge->proto));
    range_t *ports = preferred_ports(bridge);

    wmem_free(NULL, bridge->server_ports);
    bridge->server_ports = range_copy(NULL, ports);
    change_held(bridge, enabled ? range_copy(NULL, ports) : range_empty(NULL));
}

bool ports_has_server(const struct bridge *bridge, uint32_t port)
{
    return value_is_in_range(bridge->server_ports, port);
}
