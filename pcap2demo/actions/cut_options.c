/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/actions/cut_options.h"

#include "pcap2demo/output/message.h"
#include "pcap2demo/inputs.h"

static const int64_t second = 1000000000;

struct cut_options cut_options;

/* As the command line has them. */
static struct {
    char **packets, *from, *to;
} given;

const GOptionEntry cut_entries[] = {
    {"packets", 0, 0, G_OPTION_ARG_STRING_ARRAY, &given.packets,
     "Only these packets: 100-200,300 (may be repeated)", "RANGES"},
    {"from", 0, 0, G_OPTION_ARG_STRING, &given.from,
     "Only from then on: 2026-11-20T15:54:01Z or +SECONDS", "TIME"},
    {"to", 0, 0, G_OPTION_ARG_STRING, &given.to, "Only packets up to then", "TIME"},
    {"no-sign-on", 0, 0, G_OPTION_ARG_NONE, &cut_options.no_sign_on,
     "Leave out what sessions need from before", NULL},
    G_OPTION_ENTRY_NULL};

bool cut_options_have_ranges(const struct cut_options *options)
{
    return options->packets->len || options->from.given || options->to.given;
}

bool cut_options_are_given(void)
{
    return given.packets || given.from || given.to || cut_options.no_sign_on;
}

/* --- Times ----------------------------------------------------------------------------------- */

/* "12" or "12.345": all of the text. */
static bool parse_seconds(const char *text, int64_t *nanoseconds)
{
    int64_t unit = second / 10;
    guint64 seconds;
    char *end;

    if (!g_ascii_isdigit(*text))
        return false;
    seconds = g_ascii_strtoull(text, &end, 10);
    if (seconds >= (guint64)(INT64_MAX / second))
        return false;
    *nanoseconds = (int64_t)seconds * second;
    if (*end == '.')
        for (end++; g_ascii_isdigit(*end); end++, unit /= 10)
            *nanoseconds += (*end - '0') * unit;
    return !*end;
}

/* A date that 64 bits of nanoseconds do not hold, before 1678 or behind 2261, is the nearest. */
static bool parse_date(const char *text, int64_t *nanoseconds)
{
    const int64_t seconds_max = INT64_MAX / second - 1;
    GTimeZone *local = g_time_zone_new_local();
    GDateTime *date = g_date_time_new_from_iso8601(text, local);

    g_time_zone_unref(local);
    if (!date)
        return false;
    *nanoseconds = CLAMP(g_date_time_to_unix(date), -seconds_max, seconds_max) * second +
                   (int64_t)g_date_time_get_microsecond(date) * 1000;
    g_date_time_unref(date);
    return true;
}

bool cut_time_parse(struct cut_time *time, const char *text)
{
    *time = (struct cut_time){.given = true, .relative = *text == '+'};
    if (time->relative)
        return parse_seconds(text + 1, &time->nanoseconds);
    return parse_seconds(text, &time->nanoseconds) || parse_date(text, &time->nanoseconds);
}

static bool take_time(struct cut_time *time, const char *option, const char *text)
{
    *time = (struct cut_time){0};
    return !text || cut_time_parse(time, text) ||
           usage_error("%s %s: a time is 2026-11-20T15:54:01Z, seconds since 1970, or +SECONDS "
                       "from the first packet on",
                       option, text);
}

bool cut_options_parse(const struct options *options)
{
    if (given.packets && options->files[0] && options->files[1])
        return usage_error("--packets goes with one capture: each counts its own packets");
    g_clear_pointer(&cut_options.packets, g_array_unref);
    cut_options.packets = g_array_new(FALSE, FALSE, sizeof(struct range));
    for (char **text = given.packets; text && *text; text++)
        if (!ranges_parse(cut_options.packets, *text))
            return usage_error("--packets %s: packets are numbers from 1, as 7 or 100-200,300-",
                               *text);
    return take_time(&cut_options.from, "--from", given.from) &&
           take_time(&cut_options.to, "--to", given.to);
}

/* --- Packets --------------------------------------------------------------------------------- */

static int64_t absolute(const struct cut_time *time, int64_t start)
{
    return time->relative && time->nanoseconds < INT64_MAX - start ? start + time->nanoseconds
                                                                   : time->nanoseconds;
}

bool cut_options_want(const struct cut_options *options, uint64_t number, int64_t time,
                      int64_t start)
{
    return (!options->packets->len || ranges_have(options->packets, number)) &&
           (!options->from.given || time >= absolute(&options->from, start)) &&
           (!options->to.given || time <= absolute(&options->to, start));
}
