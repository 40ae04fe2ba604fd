/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/sessions/crowd.h"

#include "common/core/numeric_text.h"

void qs_crowd_init(struct qs_crowd *crowd, guint max, bool (*has_memory)(guint live))
{
    *crowd = (struct qs_crowd){.max = max, .has_memory = has_memory};
}

bool qs_crowd_has_room(const struct qs_crowd *crowd, guint live)
{
    return live < crowd->max && (!crowd->has_memory || crowd->has_memory(live));
}

bool qs_crowd_tells(struct qs_crowd *crowd, uint64_t packets)
{
    if (crowd->told < QS_CROWD_TOLD_MAX) {
        crowd->told++;
        return true;
    }
    crowd->others.sessions++;
    crowd->others.packets += packets;
    return false;
}

char *qs_crowd_others_text(const struct qs_crowd_others *others)
{
    return g_strdup_printf("and %" G_GUINT64_FORMAT " more session%s, of %" G_GUINT64_FORMAT
                           " packet%s in all: only one end was heard, and shortly",
                           others->sessions, qs_plural(others->sessions), others->packets,
                           qs_plural(others->packets));
}
