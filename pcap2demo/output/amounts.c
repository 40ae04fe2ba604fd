/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/output/amounts.h"

#include <glib.h>
#include <string.h>

#include "pcap2demo/output/message.h"

/* Names of a unit, each between blanks. */
struct unit {
    const char *names;
    uint64_t factor;
};

static const struct unit sizes[] = {{" b byte bytes ", 1},      {" k kb kib ", 1 << 10},
                                    {" m mb mib ", 1 << 20},    {" g gb gib ", 1 << 30},
                                    {" t tb tib ", 1ULL << 40}, {NULL, 0}};
static const struct unit times[] = {
    {" s sec secs second seconds ", 1}, {" m min mins minute minutes ", 60},
    {" h hr hrs hour hours ", 3600},    {" d day days ", 86400},
    {" w week weeks ", 604800},         {NULL, 0}};

/* "20", "1.5G", "5 min": a number in a unit, or in `standard`. 0: it is none, or too large. */
static uint64_t parse_amount(const char *text, const struct unit *units, const char *standard)
{
    char *end, *name;
    const double number = g_ascii_strtod(text, &end);
    uint64_t amount = 0;

    if (!g_ascii_isdigit(*text) || !(number > 0))
        return 0;
    end += strspn(end, " ");
    name = g_strdup_printf(" %s ", *end ? end : standard);
    for (; units->names; units++)
        if (strcasestr(units->names, name) && number <= 1e9 * 1e9 / (double)units->factor)
            amount = (uint64_t)(number * (double)units->factor);
    g_free(name);
    return amount;
}

bool parse_time(const char *option, const char *text, const char *standard, int64_t *time)
{
    const uint64_t amount = text ? parse_amount(text, times, standard) : 0;

    if (text && (!amount || amount > (uint64_t)(INT64_MAX / AMOUNT_SECOND)))
        return usage_error("--%s %s: a time is a number with s, m, h, d or w, such as 90s or 30d",
                           option, text);
    *time = text ? (int64_t)amount : *time;
    return true;
}

bool parse_size(const char *option, const char *text, const char *standard, uint64_t *size)
{
    const uint64_t amount = text ? parse_amount(text, sizes, standard) : 0;

    if (text && !amount)
        return usage_error("--%s %s: a size is a number with k, M, G or T, such as 500M", option,
                           text);
    *size = text ? amount : *size;
    return true;
}
