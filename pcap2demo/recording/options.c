/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/recording/options.h"

#include <glib.h>
#include <string.h>

#include "common/protocols.h"
#include "pcap2demo/output/message.h"

#define SECOND INT64_C(1000000000) /* nanoseconds */

enum { IDLE_DEFAULT_S = 60, BUFFER_DEFAULT = 64, BUFFER_MAX = 1024 };

struct recorder_options recorder_options;

/* The command line options. */
static struct {
    char *log_format, *idle, *max_disk, *max_demo_size, *keep, *buffer;
} given;

const GOptionEntry recorder_entries[] = {
    {"interface", 'i', 0, G_OPTION_ARG_STRING, &recorder_options.interface,
     "Record from interfaces until interrupted (any: all)", "IFACE[,IFACE...]"},
    {"relinquish-privileges", 'Z', 0, G_OPTION_ARG_STRING, &recorder_options.user,
     "Become this user when the interfaces are open", "USER"},
    {"user", 0, 0, G_OPTION_ARG_STRING, &recorder_options.user, "The same as -Z", "USER"},
    {"idle-timeout", 0, 0, G_OPTION_ARG_STRING, &given.idle,
     "End sessions after this time without packets (60s)", "TIME"},
    {"max-disk", 0, 0, G_OPTION_ARG_STRING, &given.max_disk,
     "Remove the oldest recordings when all take more", "SIZE"},
    {"keep", 0, 0, G_OPTION_ARG_STRING, &given.keep, "Remove recordings older than this: 30d",
     "TIME"},
    {"max-demo-size", 0, 0, G_OPTION_ARG_STRING, &given.max_demo_size,
     "End a demo at this size; resume at the next level", "SIZE"},
    {"write-pcap", 0, 0, G_OPTION_ARG_FILENAME, &recorder_options.packets,
     "Keep each session's packets in a capture in this folder", "DIR"},
    {"buffer-size", 0, 0, G_OPTION_ARG_STRING, &given.buffer,
     "Packets that may wait in the system (default 64M)", "SIZE"},
    {"players-only", 0, 0, G_OPTION_ARG_NONE, &recorder_options.players_only,
     "Record no spectators", NULL},
    {"metrics", 0, 0, G_OPTION_ARG_FILENAME, &recorder_options.metrics,
     "Write counters to this file, for Prometheus", "FILE.prom"},
    {"log-format", 0, 0, G_OPTION_ARG_STRING, &given.log_format,
     "Log as lines of text (the default) or of JSON", "text|json"},
    G_OPTION_ENTRY_NULL};

/* --- Times and sizes: "90s", "1.5 h", "500M" ------------------------------------------------- */

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

/* A number alone is in the unit `standard`; `text` NULL: it was not given, and the result stays. */
static bool parse(const char *option, const char *text, const struct unit *units,
                  const char *standard, uint64_t *result)
{
    const uint64_t amount = text ? parse_amount(text, units, standard) : 0;
    const uint64_t max = units == times ? (uint64_t)(INT64_MAX / SECOND) : UINT64_MAX;

    if (text && (!amount || amount > max))
        return usage_error("--%s %s: a %s", option, text,
                           units == times
                               ? "time is a number with s, m, h, d or w, such as 90s or 30d"
                               : "size is a number with k, M, G or T, such as 500M");
    *result = text ? amount : *result;
    return true;
}

/* --- Values ---------------------------------------------------------------------------------- */

bool recorder_options_parse(void)
{
    struct recorder_options *options = &recorder_options;
    uint64_t idle = IDLE_DEFAULT_S, buffer = BUFFER_DEFAULT << 20;

    if (!parse("idle-timeout", given.idle, times, "s", &idle) ||
        !parse("keep", given.keep, times, "d", &options->keep) ||
        !parse("buffer-size", given.buffer, sizes, "m", &buffer))
        return false;
    if (buffer >> 20 < 1 || buffer >> 20 > BUFFER_MAX)
        return usage_error("--buffer-size %s: 1M to %dM are possible", given.buffer, BUFFER_MAX);
    options->idle = (int64_t)idle * SECOND;
    options->buffer = (unsigned)(buffer >> 20);
    options->json = g_strcmp0(given.log_format, "json") == 0;
    return parse("max-disk", given.max_disk, sizes, "b", &options->max_disk) &&
           parse("max-demo-size", given.max_demo_size, sizes, "b", &options->max_demo_size);
}

/* --- The capture filter ---------------------------------------------------------------------- */

char *recorder_port_filter(char *const *ports)
{
    GString *filter = g_string_new(NULL);
    bool all = !ports || !*ports;

    for (; !all && *ports; ports++) {
        char **parts = g_strsplit_set(*ports, "=,", -1); /* of "qw=27500,27510-27519" */
        const int game = strchr(*ports, '=') ? qs_protocol_number(parts[0]) : -1;

        all = game < 0 || qs_protocols[game]->has_game_ports;
        for (char **range = parts + 1; !all && *range; range++)
            g_string_append_printf(filter, "%s%s %s", filter->len ? " or " : "",
                                   strchr(*range, '-') ? "portrange" : "port", *range);
        g_strfreev(parts);
    }
    g_string_append(filter, " or ip[6:2] & 0x1fff != 0 or ip6 proto 44");
    return g_string_free(filter, all);
}
