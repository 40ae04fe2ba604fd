/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/ranges.h"

/* A number from 1 at `*at`, which moves behind it. */
static bool read_number(const char **at, uint64_t *number)
{
    char *end;

    if (!g_ascii_isdigit(**at))
        return false;
    *number = g_ascii_strtoull(*at, &end, 10);
    *at = end;
    return *number != 0;
}

/* "3", "3-5" or "3-" at `*at`, which moves behind it. */
static bool read_range(const char **at, struct range *range)
{
    if (!read_number(at, &range->first))
        return false;
    range->last = range->first;
    if (**at != '-')
        return true;
    ++*at;
    range->last = UINT64_MAX;
    return !**at || **at == ',' || (read_number(at, &range->last) && range->last >= range->first);
}

bool ranges_parse(GArray *ranges, const char *text)
{
    struct range range;

    while (read_range(&text, &range)) {
        g_array_append_val(ranges, range);
        if (!*text)
            return true;
        if (*text++ != ',')
            break;
    }
    return false;
}

bool ranges_have(const GArray *ranges, uint64_t number)
{
    for (guint i = 0; i < ranges->len; i++) {
        const struct range *range = &g_array_index(ranges, struct range, i);

        if (number >= range->first && number <= range->last)
            return true;
    }
    return false;
}
