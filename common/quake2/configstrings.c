/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/quake2/configstrings.h"

#include <glib.h>

#include "common/core/text.h"

enum { CLIENTS_MAX = 256 };

/* Where each range begins; the last entry is the end. A range that a layout lacks has no room. */
static const uint16_t starts[][Q2_RANGES + 1] = {
    [Q2_LAYOUT_VANILLA] = {0,   1,    2,    3,    4,    5,    29,   30,   31,   32,   288, 544,
                           800, 1056, 1056, 1312, 1568, 2080, 2080, 2080, 2080, 2080, 2080},
    [Q2_LAYOUT_EXTENDED] = {0,     1,     2,     3,     4,     5,     59,    60,
                            61,    62,    8254,  10302, 12350, 12606, 12606, 12862,
                            13118, 13630, 13630, 13630, 13630, 13630, 13630},
    [Q2_LAYOUT_RERELEASE] = {0,     1,     2,     3,     4,     5,     59,    60,
                             61,    62,    8254,  10302, 10814, 11070, 11326, 11582,
                             11838, 12350, 12382, 12414, 12446, 12447, 12448},
};

static const uint16_t *starts_of(const struct q2_session *session)
{
    return starts[session->dialect.layout];
}

bool q2_configstring_range(const struct q2_session *session, uint32_t index, enum q2_range *range,
                           uint32_t *number)
{
    const uint16_t *begins = starts_of(session);

    for (unsigned i = 0; i < Q2_RANGES; i++)
        if (index < begins[i + 1]) {
            *range = (enum q2_range)i;
            *number = index - begins[i];
            return true;
        }
    return false;
}

uint32_t q2_configstring_end(const struct q2_session *session)
{
    return starts_of(session)[Q2_RANGES];
}

void q2_configstring_set(struct q2_session *session, uint32_t index, struct qs_view text)
{
    int64_t number;

    if (index >= q2_configstring_end(session))
        return;
    qs_table_set(&session->configstrings, index, text);
    if (index == starts_of(session)[Q2_RANGE_MAXCLIENTS])
        session->max_clients =
            qs_view_number_within(text, 1, CLIENTS_MAX, &number) ? (uint16_t)number : 0;
}

const char *q2_configstring(const struct q2_session *session, enum q2_range range, uint32_t number)
{
    const uint16_t *begins = starts_of(session);

    if (number >= (uint32_t)(begins[range + 1] - begins[range]))
        return NULL;
    return qs_table_get(&session->configstrings, begins[range] + number);
}

char *q2_player_name(const struct q2_session *session, uint32_t player)
{
    const char *skin = q2_configstring(session, Q2_RANGE_PLAYERSKINS, player);

    return skin ? g_strndup(skin, strcspn(skin, "\\")) : NULL;
}
