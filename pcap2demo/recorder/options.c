/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/recorder/options.h"

#include <glib.h>
#include <string.h>

#include "common/protocols.h"
#include "pcap2demo/output/amounts.h"
#include "pcap2demo/output/message.h"

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

/* --- Values ---------------------------------------------------------------------------------- */

bool recorder_options_parse(void)
{
    struct recorder_options *options = &recorder_options;
    int64_t idle = IDLE_DEFAULT_S;
    uint64_t buffer = BUFFER_DEFAULT << 20;

    if (!parse_time("idle-timeout", given.idle, "s", &idle) ||
        !parse_time("keep", given.keep, "d", &options->keep) ||
        !parse_size("buffer-size", given.buffer, "m", &buffer))
        return false;
    if (buffer >> 20 < 1 || buffer >> 20 > BUFFER_MAX)
        return usage_error("--buffer-size %s: 1M to %dM are possible", given.buffer, BUFFER_MAX);
    options->idle = idle * AMOUNT_SECOND;
    options->buffer = (unsigned)(buffer >> 20);
    options->json = g_strcmp0(given.log_format, "json") == 0;
    return parse_size("max-disk", given.max_disk, "b", &options->max_disk) &&
           parse_size("max-demo-size", given.max_demo_size, "b", &options->max_demo_size);
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
