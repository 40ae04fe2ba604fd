/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/core/protocol.h"

#include <glib.h>
#include <string.h>

int qs_protocol_number(const char *name)
{
    for (int i = 0; qs_protocols[i]; i++)
        if (strcmp(qs_protocols[i]->name, name) == 0)
            return i;
    return -1;
}

char *qs_map_of(const struct qs_protocol *protocol, const struct qs_session *session)
{
    struct qs_description description = {0};

    protocol->describe(session, &description);
    g_free(description.version);
    g_free(description.player);
    return description.map;
}
