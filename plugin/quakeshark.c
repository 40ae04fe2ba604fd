/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The plugin's entry points, and the registration of all protocols. */
#include "plugin/dissector.h"
#include "plugin/conversations.h"
#include "common/protocols.h"
#include "common/sessions/flow.h"

WS_DLL_PUBLIC_DEF const char plugin_version[] = QUAKESHARK_VERSION;
WS_DLL_PUBLIC_DEF const int plugin_want_major = WIRESHARK_VERSION_MAJOR;
WS_DLL_PUBLIC_DEF const int plugin_want_minor = WIRESHARK_VERSION_MINOR;

/* Runs before a capture is dissected, and so also after protocols were enabled or disabled. */
static void capture_begins(void)
{
    for (int i = 0; dissectors[i]; i++)
        ports_assign(dissectors[i]);
    dissect_claim_quake3_ports();
}

static void preferences_changed(void)
{
    for (int i = 0; dissectors[i]; i++)
        preferences_apply(dissectors[i]);
    capture_begins();
}

/* Runs when a capture is closed, and before it is dissected again. */
static void capture_ends(void)
{
    export_demos_end();
    export_objects_end();
    heuristics_end();
    for (int i = 0; dissectors[i]; i++) {
        qs_qports_free(dissectors[i]->qports);
        dissectors[i]->qports = qs_qports_new();
    }
    session_numbers_restart();
}

/*
 * Returns a unique title: Wireshark finds dissectors by their titles, ignoring case. If another
 * protocol has the title, the filter name is added: "QuakeWorld (qw)" beside "QUAKEWORLD".
 */
static char *title_of(const struct qs_protocol *protocol)
{
    void *cookie;

    for (int id = proto_get_first_protocol(&cookie); id != -1;
         id = proto_get_next_protocol(&cookie))
        if (!g_ascii_strcasecmp(proto_get_protocol_short_name(find_protocol_by_id(id)),
                                protocol->title))
            return g_strdup_printf("%s (%s)", protocol->title, protocol->name);
    return g_strdup(protocol->title);
}

static struct dissector *new_dissector(const struct qs_protocol *protocol)
{
    struct dissector *dissector = g_new0(struct dissector, 1);

    dissector->protocol = protocol;
    dissector->title = title_of(protocol);
    dissector->proto = proto_register_protocol(dissector->title, dissector->title, protocol->name);
    qs_decoder_init(&dissector->decoder, protocol);
    qs_message_counter_init(&dissector->counter, false);
    dissector->qports = qs_qports_new();
    fields_register(dissector);
    preferences_register(dissector, preferences_changed);
    statistics_register_game(dissector);
    follow_register(dissector);
    dissect_register(dissector);
    return dissector;
}

static void add_protocols(void)
{
    for (int i = 0; qs_protocols[i]; i++)
        dissectors[i] = new_dissector(qs_protocols[i]);
    dissect_register_on_quake3_ports();
    statistics_register();
    export_objects_register();
    export_demos_register();
    conversation_filter_register();
    register_init_routine(capture_begins);
    register_cleanup_routine(capture_ends);
}

static void hand_off_protocols(void)
{
    for (int i = 0; dissectors[i]; i++) {
        ports_register(dissectors[i]);
        dissect_register_heuristics(i);
    }
}

WS_DLL_PUBLIC void plugin_register(void);

WS_DLL_PUBLIC_DEF void plugin_register(void)
{
    static const proto_plugin plugin = {add_protocols, hand_off_protocols};

    proto_register_plugin(&plugin);
}

WS_DLL_PUBLIC uint32_t plugin_describe(void);

/* Called by Wireshark since 4.4, for its list of plugins. */
WS_DLL_PUBLIC_DEF uint32_t plugin_describe(void)
{
    return WS_PLUGIN_DESC_DISSECTOR;
}
