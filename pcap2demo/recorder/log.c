/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/recorder/log.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "pcap2demo/output/message.h"

enum { DEFAULT_WIDTH = 80 };

static struct {
    struct log_setup setup;
    bool times;  /* before lines of text */
    bool closed; /* standard output */
    char *status;
} log_state = {.setup = {.messages = true}};

/* --- The status line ------------------------------------------------------------------------- */

static int terminal_width(void)
{
    struct winsize size;

    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1)
        return size.ws_col - 1;
    return DEFAULT_WIDTH - 1;
}

static void erase_status(void)
{
    if (log_state.status)
        fputs("\r\033[K", stderr);
}

/* It is plain ASCII. */
static void draw_status(void)
{
    if (log_state.status)
        fprintf(stderr, "\r\033[K%.*s", terminal_width(), log_state.status);
}

bool log_has_status(void)
{
    return log_state.setup.status;
}

void log_set_status(const char *text)
{
    g_free(log_state.status);
    log_state.status = g_strdup(text);
    draw_status();
}

/* --- Lines ----------------------------------------------------------------------------------- */

/* Unbuffered: lines appear at once, and a pipe without a reader is noticed. */
static void write_line(const char *line, size_t size)
{
    while (size && !log_state.closed) {
        const ssize_t written = write(STDOUT_FILENO, line, size);

        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0) {
            log_state.closed = true;
            return;
        }
        line += written;
        size -= (size_t)written;
    }
}

/* By the wall clock, in UTC as in the names of demos. New. */
static char *time_text(void)
{
    GDateTime *now = g_date_time_new_now_utc();
    char *text = g_date_time_format(now, "%Y-%m-%dT%H:%M:%SZ");

    g_date_time_unref(now);
    return text;
}

/* Takes over `members`. */
static char *json_line(const char *event, json_t *members, const char *text)
{
    json_t *object = json_object();
    char *time = time_text(), *line, *copy;

    json_object_set_new(object, "time", json_string(time));
    json_object_set_new(object, "event", json_string(event));
    if (members)
        json_object_update(object, members);
    json_object_set_new(object, "message", json_string(text));
    line = json_dumps(object, JSON_COMPACT);
    copy = g_strconcat(line, "\n", NULL);
    free(line);
    g_free(time);
    json_decref(object);
    return copy;
}

static char *text_line(const char *text)
{
    char *time, *line;

    if (!log_state.times)
        return g_strconcat(text, "\n", NULL);
    time = time_text();
    line = g_strconcat(time, " ", text, "\n", NULL);
    g_free(time);
    return line;
}

/* `text` may contain any bytes. */
static void write_event(const char *event, json_t *members, const char *text)
{
    char *clean, *line;

    if (log_state.setup.messages) {
        message((struct qs_location){0}, "%s", text);
        return;
    }
    clean = qs_text_printable(text);
    line = log_state.setup.json ? json_line(event, members, clean) : text_line(clean);
    erase_status();
    write_line(line, strlen(line));
    draw_status();
    g_free(line);
    g_free(clean);
}

static void write_formatted(const char *event, json_t *members, const char *format,
                            va_list arguments)
{
    char *text = g_strdup_vprintf(format, arguments);

    write_event(event, members, text);
    g_free(text);
}

void log_event(const char *event, json_t *members, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    if (log_state.setup.events)
        write_formatted(event, members, format, arguments);
    va_end(arguments);
    json_decref(members);
}

void log_warning(const char *event, json_t *members, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    write_formatted(event, members, format, arguments);
    va_end(arguments);
    json_decref(members);
}

/* --- Opening --------------------------------------------------------------------------------- */

static void message_event(const char *line)
{
    write_event("message", NULL, line);
}

void log_open(const struct log_setup *setup)
{
    log_state.setup = *setup;
    log_state.setup.status = setup->status && !setup->messages && isatty(STDERR_FILENO);
    log_state.times = !g_getenv("JOURNAL_STREAM");
    if (!setup->messages)
        print_messages_with(message_event);
}

void log_close(void)
{
    erase_status();
    g_clear_pointer(&log_state.status, g_free);
    print_messages_with(NULL);
    log_state.setup = (struct log_setup){.messages = true};
}
