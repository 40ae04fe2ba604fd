/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/recorder/port_filter.h"

#include <glib.h>
#include <string.h>

#include "common/protocols.h"

/* Whether "qw=27500" names a protocol whose servers go on from other ports than that. */
static bool goes_on_elsewhere(const char *text, size_t length)
{
    char *name = g_strndup(text, length);
    const int number = qs_protocol_number(name);

    g_free(name);
    return number >= 0 && qs_protocols[number]->has_game_ports;
}

/* "27500,27510-27519" */
static void append_ranges(GString *filter, const char *ranges)
{
    char **each = g_strsplit(ranges, ",", -1);

    for (char **range = each; *range; range++)
        g_string_append_printf(filter, "%s%s %s", filter->len ? " or " : "",
                               strchr(*range, '-') ? "portrange" : "port", *range);
    g_strfreev(each);
}

char *port_filter(char *const *ports)
{
    GString *filter;

    if (!ports || !*ports)
        return NULL;
    filter = g_string_new(NULL);
    for (; *ports; ports++) {
        const char *equals = strchr(*ports, '=');

        if (!equals || goes_on_elsewhere(*ports, (size_t)(equals - *ports))) {
            g_string_free(filter, TRUE);
            return NULL;
        }
        append_ranges(filter, equals + 1);
    }
    g_string_append(filter, " or ip[6:2] & 0x1fff != 0 or ip6 proto 44");
    return g_string_free(filter, FALSE);
}
