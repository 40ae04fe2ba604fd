/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/core/duration.h"

#include <glib.h>

char *qs_duration_text(int64_t seconds)
{
    const int64_t hours = seconds / 3600;
    const int of_minute = (int)(seconds % 60), of_hour = (int)(seconds / 60 % 60);

    return hours ? g_strdup_printf("%" G_GINT64_FORMAT ":%02d:%02d", hours, of_hour, of_minute)
                 : g_strdup_printf("%d:%02d", of_hour, of_minute);
}

int64_t qs_seconds_of(int64_t nanoseconds)
{
    return (nanoseconds + 500000000) / 1000000000;
}
