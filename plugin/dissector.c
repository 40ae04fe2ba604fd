/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plugin/dissector.h"

#include <string.h>

#include "common/protocols.h"
#include "common/sessions/heuristic.h"

struct dissector *dissectors[QS_PROTOCOLS_MAX + 1];

uint32_t **dissectors_options(void)
{
    static uint32_t *options[QS_PROTOCOLS_MAX];

    for (int i = 0; dissectors[i]; i++)
        options[i] = dissectors[i]->options;
    return options;
}

/* --- Preferences */

/* Returns a copy of the choices for Wireshark, terminated by a row without a name. */
static const enum_val_t *make_choices(const struct qs_name *names)
{
    GArray *array = g_array_new(TRUE, TRUE, sizeof(enum_val_t));

    for (; names->name; names++)
        g_array_append_vals(array, &(enum_val_t){names->name, names->name, (int)names->value}, 1);
    return (const enum_val_t *)g_array_free(array, FALSE);
}

static void register_option(module_t *module, const struct qs_option *option,
                            union preference_value *preference)
{
    if (option->choices) {
        preference->choice = (int)option->standard;
        prefs_register_enum_preference(module, option->name, option->title, option->description,
                                       &preference->choice, make_choices(option->choices), FALSE);
    } else {
        preference->flag = option->standard != 0;
        prefs_register_bool_preference(module, option->name, option->title, option->description,
                                       &preference->flag);
    }
}

void preferences_register(struct dissector *dissector, void (*changed)(void))
{
    const struct qs_protocol *protocol = dissector->protocol;
    module_t *module = prefs_register_protocol(dissector->proto, changed);

    dissector->options = g_new0(uint32_t, protocol->option_count);
    dissector->preferences = g_new0(union preference_value, protocol->option_count);
    for (unsigned i = 0; i < protocol->option_count; i++)
        register_option(module, &protocol->options[i], &dissector->preferences[i]);
    preferences_apply(dissector);
}

void preferences_apply(struct dissector *dissector)
{
    for (unsigned i = 0; i < dissector->protocol->option_count; i++) {
        const union preference_value *preference = &dissector->preferences[i];

        dissector->options[i] = dissector->protocol->options[i].choices
                                    ? (uint32_t)preference->choice
                                    : preference->flag != 0;
    }
    dissector->decoder.options = dissector->options;
}

/* --- Ports */

static const char table_name[] = "udp.port";

/* Returns the port's other dissector, or NULL. */
static dissector_handle_t built_in_of(const struct dissector *dissector, uint32_t port)
{
    dissector_handle_t before = g_hash_table_lookup(dissector->built_in, GUINT_TO_POINTER(port));
    dissector_handle_t standard = dissector_get_default_uint_handle(table_name, port);

    if (before)
        return before;
    return standard == dissector->handle ? NULL : standard;
}

static dissector_handle_t current_of(uint32_t port)
{
    return dissector_get_uint_handle(find_dissector_table(table_name), port);
}

/* Ports that a dissector gives back or claims, except those that it keeps. */
struct port_change {
    const struct dissector *dissector;
    const range_t *kept;
};

/* Gives the port back. It has no handle if the preference has just removed it. */
static void restore_port(uint32_t port, void *data)
{
    const struct port_change *change = data;
    const dissector_handle_t current = current_of(port);

    if (!value_is_in_range(change->kept, port) &&
        (!current || current == change->dissector->handle))
        dissector_change_uint(table_name, port, built_in_of(change->dissector, port));
}

/* A kept port has no entry if the preference has just removed it; the user may have emptied it. */
static void claim(uint32_t port, void *data)
{
    const struct port_change *change = data;
    const dissector_handle_t current = current_of(port);

    if (value_is_in_range(change->kept, port)
            ? !current && !dissector_get_default_uint_handle(table_name, port)
            : !current || current == built_in_of(change->dissector, port))
        dissector_change_uint(table_name, port, change->dissector->handle);
}

static void remember_built_in(uint32_t port, void *data)
{
    struct dissector *dissector = data;
    dissector_handle_t handle = dissector_get_default_uint_handle(table_name, port);

    if (handle)
        g_hash_table_insert(dissector->built_in, GUINT_TO_POINTER(port), handle);
}

void ports_register(struct dissector *dissector)
{
    range_t *none = range_empty(NULL);
    range_t *ports = NULL;

    dissector->built_in = g_hash_table_new(NULL, NULL);
    range_convert_str(NULL, &ports, dissector->protocol->ports, UINT16_MAX);
    range_foreach(ports, remember_built_in, dissector);
    dissector_add_uint_range_with_preference(table_name, dissector->protocol->ports,
                                             dissector->handle);
    range_foreach(ports, claim, /* ports that Wireshark's own dissector still has */
                  &(struct port_change){dissector, none});
    wmem_free(NULL, none);
    if (dissector->stream_handle)
        dissector_add_uint_range_with_preference("tcp.port", dissector->protocol->stream_ports,
                                                 dissector->stream_handle);
    dissector->claimed_ports = ports;
    dissector->server_ports = range_copy(NULL, ports);
}

void ports_assign(struct dissector *dissector)
{
    const bool enabled = proto_is_protocol_enabled(find_protocol_by_id(dissector->proto));
    range_t *ports = prefs_get_range_value(dissector->protocol->name, table_name);
    range_t *wanted = enabled ? range_copy(NULL, ports) : range_empty(NULL);

    wmem_free(NULL, dissector->server_ports);
    dissector->server_ports = range_copy(NULL, ports);
    range_foreach(dissector->claimed_ports, restore_port, &(struct port_change){dissector, wanted});
    range_foreach(wanted, claim, &(struct port_change){dissector, dissector->claimed_ports});
    wmem_free(NULL, dissector->claimed_ports);
    dissector->claimed_ports = wanted;
}

bool ports_has_server(const struct dissector *dissector, uint32_t port)
{
    return value_is_in_range(dissector->server_ports, port);
}
