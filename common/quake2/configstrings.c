/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/quake2/configstrings.h"

#include <glib.h>

#include "common/core/text.h"

enum { CLIENTS_MAX = 256 };

/* Where each range begins; the last entry is the end. */
static const uint16_t vanilla_starts[Q2_RANGES + 1] = {0,  1,   2,   3,   4,    5,    29,   30,  31,
                                                       32, 288, 544, 800, 1056, 1312, 1568, 2080};
static const uint16_t extended_starts[Q2_RANGES + 1] = {
    0, 1, 2, 3, 4, 5, 59, 60, 61, 62, 8254, 10302, 12350, 12606, 12862, 13118, 13630};

static const uint16_t *starts_of(const struct q2_session *session)
{
    return session->dialect.extensions ? extended_starts : vanilla_starts;
}

bool q2_configstring_range(const struct q2_session *session, uint32_t index, enum q2_range *range,
                           uint32_t *number)
{
    const uint16_t *starts = starts_of(session);

    for (unsigned i = 0; i < Q2_RANGES; i++)
        if (index < starts[i + 1]) {
            *range = (enum q2_range)i;
            *number = index - starts[i];
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
    const uint16_t *starts = starts_of(session);

    if (number >= (uint32_t)(starts[range + 1] - starts[range]))
        return NULL;
    return qs_table_get(&session->configstrings, starts[range] + number);
}

char *q2_player_name(const struct q2_session *session, uint32_t player)
{
    const char *skin = q2_configstring(session, Q2_RANGE_PLAYERSKINS, player);

    return skin ? g_strndup(skin, strcspn(skin, "\\")) : NULL;
}
