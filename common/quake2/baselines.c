/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Kept as text in a table, which copies of the session share; what is in memory, as base64. */
#include "common/quake2/baselines.h"

#include <string.h>

void q2_baseline_set(struct q2_session *session, const struct q2_entity *baseline)
{
    gchar *text;

    if (!baseline->number || baseline->number >= Q2_ENTITIES_EXTENDED_MAX)
        return;
    text = g_base64_encode((const guchar *)baseline, sizeof *baseline);
    qs_table_set(&session->baselines, baseline->number,
                 (struct qs_view){(const uint8_t *)text, (uint32_t)strlen(text)});
    g_free(text);
}

bool q2_baseline_get(const struct q2_session *session, uint32_t number, struct q2_entity *baseline)
{
    const char *text = qs_table_get(&session->baselines, number);
    gsize size;
    guchar *bytes;

    if (!text)
        return false;
    bytes = g_base64_decode(text, &size);
    if (size == sizeof *baseline)
        memcpy(baseline, bytes, sizeof *baseline);
    g_free(bytes);
    return size == sizeof *baseline;
}
