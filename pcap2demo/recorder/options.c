/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/recorder/options.h"

#include <glib.h>
#include <string.h>

#include "common/protocols.h"
#include "pcap2demo/output/message.h"

enum { IDLE_DEFAULT_S = 60, BUFFER_DEFAULT = 64, BUFFER_MAX = 1024 };

static const int64_t second = 1000000000;

struct recorder_options recorder_options;

/* The command line options. */
static struct {
    char *log_format, *idle, *max_disk, *max_demo_size;
    int keep, buffer;
} given;

const GOptionEntry recorder_entries[] = {
    {"interface", 'i', 0, G_OPTION_ARG_STRING, &recorder_options.interface,
     "Record from interfaces until interrupted (any: all)", "IFACE[,IFACE...]"},
    {"relinquish-privileges", 'Z', 0, G_OPTION_ARG_STRING, &recorder_options.user,
     "Become this user when the interfaces are open", "USER"},
    {"user", 0, 0, G_OPTION_ARG_STRING, &recorder_options.user, "The same as -Z", "USER"},
    {"idle-timeout", 0, 0, G_OPTION_ARG_STRING, &given.idle,
     "End sessions without packets for so long (default 60s)", "TIME"},
    {"max-disk", 0, 0, G_OPTION_ARG_STRING, &given.max_disk,
     "Remove the oldest recordings when all are larger", "SIZE"},
    {"keep", 0, 0, G_OPTION_ARG_INT, &given.keep, "Remove recordings after so many days", "DAYS"},
    {"max-demo-size", 0, 0, G_OPTION_ARG_STRING, &given.max_demo_size,
     "End a demo there; the next level begins another", "SIZE"},
    {"write-pcap", 0, 0, G_OPTION_ARG_FILENAME, &recorder_options.packets,
     "Keep each session's packets in a capture in this folder", "DIR"},
    {"buffer-size", 0, 0, G_OPTION_ARG_INT, &given.buffer,
     "MiB of packets that may wait in the system (default 64)", "MIB"},
    {"players-only", 0, 0, G_OPTION_ARG_NONE, &recorder_options.players_only,
     "Record no spectators", NULL},
    {"metrics", 0, 0, G_OPTION_ARG_FILENAME, &recorder_options.metrics,
     "Write counters to this file, for Prometheus", "FILE.prom"},
    {"log-format", 0, 0, G_OPTION_ARG_STRING, &given.log_format,
     "Log as lines of text (the default) or of JSON", "text|json"},
    G_OPTION_ENTRY_NULL};

/* --- Values ----------------------------------------------------------------------------------- */

/* A number from 1 with a unit, one of `units`, by which it is multiplied; "" is the unit of none.
 */
struct unit {
    const char *name;
    uint64_t factor;
};

static bool parse_amount(const char *text, const struct unit *units, uint64_t *amount)
{
    char *end;
    const uint64_t number = g_ascii_isdigit(*text) ? g_ascii_strtoull(text, &end, 10) : 0;

    if (!number)
        return false;
    for (; units->name; units++)
        if (g_ascii_strcasecmp(end, units->name) == 0 && number <= INT64_MAX / units->factor) {
            *amount = number * units->factor;
            return true;
        }
    return false;
}

static bool parse_time(const char *text, int64_t *time)
{
    static const struct unit units[] = {{"", 1},     {"s", 1},     {"m", 60},
                                        {"h", 3600}, {"d", 86400}, {NULL, 0}};
    uint64_t seconds;

    if (!parse_amount(text, units, &seconds) || seconds > (uint64_t)(INT64_MAX / second))
        return false;
    *time = (int64_t)seconds * second;
    return true;
}

static bool parse_size(const char *option, const char *text, uint64_t *size)
{
    static const struct unit units[] = {
        {"", 1},         {"k", 1 << 10},  {"M", 1 << 20},  {"G", 1 << 30},     {"T", 1ULL << 40},
        {"kB", 1 << 10}, {"MB", 1 << 20}, {"GB", 1 << 30}, {"TB", 1ULL << 40}, {NULL, 0}};

    return !text || parse_amount(text, units, size) ||
           usage_error("--%s %s: a size is a number of bytes, or one with k, M, G or T", option,
                       text);
}

static bool parse_log_format(struct recorder_options *options)
{
    const char *format = given.log_format;

    options->json = format && strcmp(format, "json") == 0;
    return !format || options->json || strcmp(format, "text") == 0 ||
           usage_error("--log-format %s: the formats are text and json", format);
}

static bool parse_numbers(struct recorder_options *options)
{
    const int days = given.keep == OPTION_NOT_GIVEN ? 0 : given.keep;
    const int buffer = given.buffer == OPTION_NOT_GIVEN ? BUFFER_DEFAULT : given.buffer;

    if (days < 0)
        return usage_error("--keep %d: a number of days is wanted", days);
    if (buffer < 1 || buffer > BUFFER_MAX)
        return usage_error("--buffer-size %d: 1 to %d MiB are possible", buffer, BUFFER_MAX);
    options->keep_days = (unsigned)days;
    options->buffer = (unsigned)buffer;
    return true;
}

bool recorder_options_parse(void)
{
    struct recorder_options *options = &recorder_options;

    options->idle = IDLE_DEFAULT_S * second;
    if (given.idle && !parse_time(given.idle, &options->idle))
        return usage_error("--idle-timeout %s: a time is a number of seconds, or one with s, m, h "
                           "or d",
                           given.idle);
    return parse_log_format(options) && parse_numbers(options) &&
           parse_size("max-disk", given.max_disk, &options->max_disk) &&
           parse_size("max-demo-size", given.max_demo_size, &options->max_demo_size);
}

/* --- The capture filter ---------------------------------------------------------------------- */

/* Whether "qw=27500" names a protocol whose servers continue on other ports. */
static bool has_game_ports(const char *text, size_t length)
{
    char *name = g_strndup(text, length);
    const int number = qs_protocol_number(name);

    g_free(name);
    return number >= 0 && qs_protocols[number]->has_game_ports;
}

/* "27500,27510-27519" */
static void append_ranges(GString *filter, const char *ranges)
{
    char **each = g_strsplit(ranges, ",", -1);

    for (char **range = each; *range; range++)
        g_string_append_printf(filter, "%s%s %s", filter->len ? " or " : "",
                               strchr(*range, '-') ? "portrange" : "port", *range);
    g_strfreev(each);
}

char *recorder_port_filter(char *const *ports)
{
    GString *filter;

    if (!ports || !*ports)
        return NULL;
    filter = g_string_new(NULL);
    for (; *ports; ports++) {
        const char *equals = strchr(*ports, '=');

        if (!equals || has_game_ports(*ports, (size_t)(equals - *ports))) {
            g_string_free(filter, TRUE);
            return NULL;
        }
        append_ranges(filter, equals + 1);
    }
    g_string_append(filter, " or ip[6:2] & 0x1fff != 0 or ip6 proto 44");
    return g_string_free(filter, FALSE);
}
