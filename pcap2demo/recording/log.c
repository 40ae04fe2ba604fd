/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/recording/recording.h"

#include <stdio.h>
#include <stdlib.h>

#include "pcap2demo/output/message.h"

static struct {
    bool json, events;
    bool times; /* text lines begin with the time */
} log_options;

char *log_time(void)
{
    g_autoptr(GDateTime) now = g_date_time_new_now_utc();

    return g_date_time_format(now, "%Y-%m-%dT%H:%M:%SZ");
}

static void print_json(const char *event, json_t *members, const char *time, const char *text)
{
    json_t *object = json_pack("{s:s, s:s}", "time", time, "event", event);
    char *line;

    json_object_update(object, members);
    json_object_set_new(object, "message", json_string(text));
    line = json_dumps(object, JSON_COMPACT);
    puts(line);
    free(line);
    json_decref(object);
}

void log_event(int priority, const char *event, json_t *members, const char *format, ...)
{
    va_list arguments;
    char *text, *printable; /* `text` may contain any bytes */

    if (priority <= LOG_WARNING || log_options.events) {
        g_autofree char *time = log_time();

        va_start(arguments, format);
        text = g_strdup_vprintf(format, arguments);
        va_end(arguments);
        printable = qs_text_printable(text);
        if (log_options.json)
            print_json(event, members, time, printable);
        else
            printf("%s%s%s\n", log_options.times ? time : "", log_options.times ? " " : "",
                   printable);
        fflush(stdout);
        g_free(printable);
        g_free(text);
    }
    json_decref(members);
}

static void log_message(const char *line)
{
    log_event(LOG_WARNING, "message", NULL, "%s", line);
}

void log_open(bool json, bool events)
{
    log_options.json = json;
    log_options.events = events;
    log_options.times = !g_getenv("JOURNAL_STREAM");
    print_messages_with(log_message);
}

void log_close(void)
{
    print_messages_with(NULL);
}

bool log_is_json(void)
{
    return log_options.json;
}
