/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/protocols.h"

#include <string.h>

#include "common/acknex/session.h"
#include "common/core/protocol.h"
#include "common/quake/session.h"
#include "common/quake2/session.h"
#include "common/quakeworld/session.h"

/* clang-format off */
const struct qs_protocol *const qs_protocols[] = {
    &qw_protocol,
    &q2_protocol,
    &nq_protocol,
    &acknex_protocol,
    NULL,
};
/* clang-format on */

int qs_protocol_number(const char *name)
{
    for (int i = 0; qs_protocols[i]; i++)
        if (strcmp(qs_protocols[i]->name, name) == 0)
            return i;
    return -1;
}
