/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/recording/options.h"

#include <glib.h>
#include <string.h>

#include "pcap2demo/output/message.h"

#define SECOND INT64_C(1000000000) /* nanoseconds */

struct recorder_options recorder_options;

/* The command line options. */
static struct {
    char *log_format, *idle, *ring_size, *max_demo_size, *min_free;
} given;

/* Options of earlier versions. */
static struct {
    char *user, *max_disk, *keep, *packets, *buffer;
} gone;

const GOptionEntry recorder_entries[] = {
    {"follow", 0, 0, G_OPTION_ARG_FILENAME, &recorder_options.follow,
     "Read the captures of this folder as they are written", "DIR"},
    {"interface", 'i', 0, G_OPTION_ARG_STRING, &recorder_options.interface,
     "Let tcpdump capture, and follow it", "IFACE[,IFACE...]"},
    {"ring", 0, 0, G_OPTION_ARG_FILENAME, &recorder_options.ring,
     "Capture to this folder (default: DEMOS/ring)", "DIR"},
    {"ring-size", 0, 0, G_OPTION_ARG_STRING, &given.ring_size,
     "Remove the oldest captures above this size (-i: 1G)", "SIZE"},
    {"idle-timeout", 0, 0, G_OPTION_ARG_STRING, &given.idle,
     "End sessions after this time without packets (5m)", "TIME"},
    {"min-free", 0, 0, G_OPTION_ARG_STRING, &given.min_free,
     "Begin no demo if less disk space is free (1G)", "SIZE"},
    {"max-demo-size", 0, 0, G_OPTION_ARG_STRING, &given.max_demo_size,
     "End a demo at this size; resume at the next level", "SIZE"},
    {"players-only", 0, 0, G_OPTION_ARG_NONE, &recorder_options.players_only,
     "Record no spectators", NULL},
    {"metrics", 0, 0, G_OPTION_ARG_FILENAME, &recorder_options.metrics,
     "Write counters to this file, for Prometheus", "FILE.prom"},
    {"log-format", 0, 0, G_OPTION_ARG_STRING, &given.log_format,
     "Log as lines of text (the default) or of JSON", "text|json"},
    {"relinquish-privileges", 'Z', G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_STRING, &gone.user, NULL,
     "USER"},
    {"user", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_STRING, &gone.user, NULL, "USER"},
    {"max-disk", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_STRING, &gone.max_disk, NULL, "SIZE"},
    {"keep", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_STRING, &gone.keep, NULL, "TIME"},
    {"write-pcap", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_FILENAME, &gone.packets, NULL, "DIR"},
    {"buffer-size", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_STRING, &gone.buffer, NULL, "SIZE"},
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

bool recorder_is_wanted(void)
{
    return recorder_options.follow || recorder_options.interface;
}

/* Services of earlier versions have these options in their files: they start all the same. */
static void warn_of_gone(void)
{
    static const struct {
        char **value;
        const char *name, *instead;
    } all[] = {{&gone.user, "relinquish-privileges",
                "as root, it becomes the user of sudo, or the "
                "owner of the demos' folder"},
               {&gone.max_disk, "max-disk", "--min-free keeps disk space free"},
               {&gone.keep, "keep", "tmpfiles.d removes old demos: see RECORDING.md"},
               {&gone.packets, "write-pcap", "--pcap -s N cuts a session out of the captures"},
               {&gone.buffer, "buffer-size", "tcpdump has the buffer"}};

    for (size_t i = 0; i < G_N_ELEMENTS(all); i++)
        if (*all[i].value)
            message((struct qs_location){0}, "--%s is not used any more: %s", all[i].name,
                    all[i].instead);
}

static bool check_interface(const struct recorder_options *options)
{
    if (options->interface && options->follow)
        return usage_error("--interface follows what it captures: choose --ring, not --follow");
    if (options->interface && g_file_test(options->interface, G_FILE_TEST_IS_REGULAR))
        return usage_error("%s is a file: pcap2demo %s", options->interface, options->interface);
    if (options->ring && !options->interface)
        return usage_error("--ring goes with --interface");
    return true;
}

bool recorder_options_parse(void)
{
    enum { STANDARD = 1 << 30 };
    struct recorder_options *options = &recorder_options;
    uint64_t idle = 0;

    options->ring_size = options->interface ? STANDARD : 0;
    options->min_free = STANDARD;
    options->max_demo_size = 0;
    if (!check_interface(options) || !parse("idle-timeout", given.idle, times, "s", &idle) ||
        !parse("ring-size", given.ring_size, sizes, "b", &options->ring_size) ||
        !parse("min-free", given.min_free, sizes, "b", &options->min_free) ||
        !parse("max-demo-size", given.max_demo_size, sizes, "b", &options->max_demo_size))
        return false;
    options->idle = (int64_t)idle * SECOND;
    options->json = g_strcmp0(given.log_format, "json") == 0;
    warn_of_gone();
    return true;
}
