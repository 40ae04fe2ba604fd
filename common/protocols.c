/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/protocols.h"

#include "common/acknex/decode.h"
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

/* Other names of protocols that users type, without blanks. */
static const struct {
    const char *title, *name;
} aliases[] = {{"quakeworld", "qw"}, {"quakeii", "q2"},  {"quake2", "q2"},
               {"quake", "nq"},      {"netquake", "nq"}, {"3dgamestudio", "acknex"}};

int qs_protocol_number(const char *name)
{
    char **words = g_strsplit(name, " ", -1);
    char *wanted = g_strjoinv(NULL, words);
    int found = -1;

    for (size_t i = 0; i < G_N_ELEMENTS(aliases); i++)
        if (g_ascii_strcasecmp(wanted, aliases[i].title) == 0) {
            g_free(wanted);
            wanted = g_strdup(aliases[i].name);
        }
    for (int i = 0; qs_protocols[i] && found < 0; i++)
        if (g_ascii_strcasecmp(wanted, qs_protocols[i]->name) == 0)
            found = i;
    g_free(wanted);
    g_strfreev(words);
    return found;
}
