/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/sessions/heuristic.h"
#include "common/protocols.h"

#include <glib.h>
#include <string.h>

enum { PORTS = 65536 };

struct qs_protocol_selection {
    uint8_t servers[PORTS]; /* bit n: servers of protocol n listen on the port */
    uint8_t forced[PORTS];  /* index of the protocol that the user named + 1, or 0 */
};

void qs_protocol_selection_free(struct qs_protocol_selection *selection)
{
    g_free(selection);
}

/* Reads a port number at `*at`, and moves that behind it. False if it is none. */
static bool read_port(const char **at, unsigned *port)
{
    char *end;
    const guint64 value = g_ascii_strtoull(*at, &end, 10);

    if (!g_ascii_isdigit(**at) || value >= PORTS)
        return false;
    *port = (unsigned)value;
    *at = end;
    return true;
}

/* Reads a port or a range at `*at`, up to a comma or the end. */
static bool read_range(struct qs_protocol_selection *selection, int protocol, bool by_user,
                       const char **at)
{
    unsigned low, high;

    if (!read_port(at, &low))
        return false;
    high = low;
    if (**at == '-') {
        ++*at;
        if (!read_port(at, &high) || high < low)
            return false;
    }
    for (unsigned port = low; port <= high; port++) {
        selection->servers[port] |= (uint8_t)(1u << protocol);
        if (by_user)
            selection->forced[port] = (uint8_t)(protocol + 1);
    }
    return **at == ',' || **at == '\0';
}

static bool read_ranges(struct qs_protocol_selection *selection, int protocol, bool by_user,
                        const char *ranges)
{
    bool good;

    do {
        good = read_range(selection, protocol, by_user, &ranges);
    } while (good && *ranges++ == ',');
    return good;
}

struct qs_protocol_selection *qs_protocol_selection_new(void)
{
    struct qs_protocol_selection *selection = g_new0(struct qs_protocol_selection, 1);

    for (int i = 0; qs_protocols[i]; i++) {
        g_assert(i < QS_PROTOCOLS_MAX);
        if (!read_ranges(selection, i, false, qs_protocols[i]->ports))
            g_error("the ports of %s are not a range list", qs_protocols[i]->name);
    }
    return selection;
}

/* Returns what is wrong with --port, to be freed. `ports` is the part that may be the ports. */
static char *wrong_protocol(const char *text, const char *ports)
{
    GString *problem = g_string_new(NULL);

    g_string_printf(problem, "--port %s: expected GAME=PORTS, one of", text);
    for (int i = 0; qs_protocols[i]; i++)
        g_string_append_printf(problem, "%s %s=%s", i ? "," : "", qs_protocols[i]->name,
                               g_ascii_isdigit(*ports) ? ports : "PORTS");
    return g_string_free(problem, FALSE);
}

bool qs_protocol_selection_add(struct qs_protocol_selection *selection, const char *text,
                               char **error)
{
    const char *equals = strchr(text, '=');
    char *name = g_strndup(text, equals ? (gsize)(equals - text) : strlen(text));
    const int protocol = qs_protocol_number(name);

    if (!equals || protocol < 0)
        *error = wrong_protocol(text, equals ? equals + 1 : name);
    else if (!read_ranges(selection, protocol, true, equals + 1))
        *error = g_strdup_printf("--port %s: ports must be numbers up to 65535 or ranges, "
                                 "separated by commas",
                                 text);
    g_free(name);
    return !*error;
}

bool qs_protocol_selection_is_server(const struct qs_protocol_selection *selection, int protocol,
                                     uint16_t port)
{
    return selection->servers[port] >> protocol & 1;
}

/* Returns the user's protocol for the destination's or the source's port, or QS_PROTOCOL_NONE. */
static int forced(const struct qs_protocol_selection *selection, const struct qs_packet *packet)
{
    if (selection->forced[packet->destination.port])
        return selection->forced[packet->destination.port] - 1;
    return selection->forced[packet->source.port] - 1;
}

/* Returns the protocol that recognizes the packet; of several, one whose servers use its ports.
 * Some protocols are trusted only on their ports. */
static int recognized(const struct qs_packet *packet, unsigned by_port)
{
    int first = QS_PROTOCOL_NONE;

    for (int i = 0; qs_protocols[i]; i++) {
        const bool port = by_port >> i & 1;

        if ((!port && qs_protocols[i]->recognize_on_request) ||
            !qs_protocols[i]->recognize(qs_protocols[i], packet))
            continue;
        if (port)
            return i;
        if (first < 0)
            first = i;
    }
    return first;
}

static unsigned protocols_by_port(const struct qs_protocol_selection *selection,
                                  const struct qs_packet *packet)
{
    return selection->servers[packet->source.port] | selection->servers[packet->destination.port];
}

int qs_protocol_selection_by_port(const struct qs_protocol_selection *selection,
                                  const struct qs_packet *packet)
{
    const unsigned by_port = protocols_by_port(selection, packet);

    for (int i = 0; qs_protocols[i]; i++)
        if (by_port >> i & 1)
            return i;
    return QS_PROTOCOL_NONE;
}

static bool is_foreign(const struct qs_protocol_selection *selection,
                       const struct qs_packet *packet, int protocol)
{
    struct qs_packet copy = *packet;

    copy.source_is_server_port =
        qs_protocol_selection_is_server(selection, protocol, packet->source.port);
    copy.destination_is_server_port =
        qs_protocol_selection_is_server(selection, protocol, packet->destination.port);
    return qs_protocols[protocol]->is_foreign(qs_protocols[protocol], &copy);
}

static int find_first(const struct qs_protocol_selection *selection, const struct qs_packet *packet)
{
    const unsigned by_port = protocols_by_port(selection, packet);
    const int protocol = recognized(packet, by_port);

    if (protocol != QS_PROTOCOL_NONE)
        return protocol;
    for (int i = 0; qs_protocols[i]; i++)
        if (by_port >> i & 1 && !is_foreign(selection, packet, i))
            return i;
    return QS_PROTOCOL_NONE;
}

static int find_other(const struct qs_protocol_selection *selection, const struct qs_packet *packet,
                      int present)
{
    const unsigned by_port = selection->servers[packet->destination.port];
    int protocol;

    if (qs_protocols[present]->recognize(qs_protocols[present], packet))
        return present;
    protocol = recognized(packet, protocols_by_port(selection, packet));
    /* Packets to a port where only servers of `present` listen are of that protocol. */
    if (protocol == QS_PROTOCOL_NONE || (by_port >> present & 1 && !(by_port >> protocol & 1)))
        return present;
    return protocol;
}

int qs_protocol_selection_find(const struct qs_protocol_selection *selection,
                               const struct qs_packet *packet, int present)
{
    const int user = forced(selection, packet);

    if (user != QS_PROTOCOL_NONE)
        return present == QS_PROTOCOL_NONE ? user : present;
    return present == QS_PROTOCOL_NONE ? find_first(selection, packet)
                                       : find_other(selection, packet, present);
}

int qs_protocol_selection_find_stream(const struct qs_protocol_selection *selection,
                                      const struct qs_packet *packet)
{
    const int user = forced(selection, packet);

    if (user != QS_PROTOCOL_NONE)
        return qs_protocols[user]->decode_pdu ? user : QS_PROTOCOL_NONE;
    for (int i = 0; qs_protocols[i]; i++)
        if (qs_protocols[i]->decode_pdu && !packet->missing &&
            qs_protocols[i]->recognize_stream((struct qs_view){packet->data, packet->size}))
            return i;
    return QS_PROTOCOL_NONE;
}
