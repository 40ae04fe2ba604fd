/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Kept in a table, which copies of the session share: as the bytes of the struct. */
#include "common/quake2/baselines.h"

#include <string.h>

void q2_baseline_set(struct q2_session *session, const struct q2_entity *baseline)
{
    if (baseline->number && baseline->number < Q2_ENTITIES_EXTENDED_MAX)
        qs_table_set(&session->baselines, baseline->number,
                     (struct qs_view){(const uint8_t *)baseline, sizeof *baseline});
}

bool q2_baseline_get(const struct q2_session *session, uint32_t number, struct q2_entity *baseline)
{
    const char *bytes = qs_table_get(&session->baselines, number);

    if (bytes)
        memcpy(baseline, bytes, sizeof *baseline);
    return bytes;
}
