/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/recorder/log.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pcap2demo/output/message.h"
#include "pcap2demo/output/writer.h"

enum { CLOSE_MS = 2000, POLL_MS = 5, FILE_MODE = 0640 };

static struct {
    struct log_setup setup;
    bool times;          /* before lines of text */
    char *path;          /* of standard output; NULL: it is no file */
    GThreadPool *writer; /* a thread */
    gint waiting;        /* lines for it; atomic */
    gint dropped;        /* lines; atomic */
} state = {.setup = {.messages = true}};

/* --- Writing --------------------------------------------------------------------------------- */

static bool write_text(const char *text)
{
    return write_whole(STDOUT_FILENO, text, strlen(text)) == strlen(text);
}

/* A line that was cut gets its end before the next one. */
static void write_line(gpointer line, gpointer user)
{
    static bool cut;
    const bool written = (!cut || write_text("\n")) && write_text(line);

    (void)user;
    if (!written)
        g_atomic_int_inc(&state.dropped);
    cut = !written;
    g_free(line);
    g_atomic_int_add(&state.waiting, -1);
}

/* --- Lines ----------------------------------------------------------------------------------- */

char *log_time(void)
{
    GDateTime *now = g_date_time_new_now_utc();
    char *text = g_date_time_format(now, "%Y-%m-%dT%H:%M:%SZ");

    g_date_time_unref(now);
    return text;
}

/* `members` may be NULL. */
static void push_line(const char *event, json_t *members, const char *text)
{
    char *time = state.setup.json || state.times ? log_time() : NULL;
    char *line;

    if (state.setup.json) {
        json_t *object = json_pack("{s:s, s:s}", "time", time, "event", event);
        char *dump;

        json_object_update(object, members);
        json_object_set_new(object, "message", json_string(text));
        dump = json_dumps(object, JSON_COMPACT);
        line = g_strconcat(dump, "\n", NULL);
        free(dump);
        json_decref(object);
    } else {
        line = g_strconcat(time ? time : "", time ? " " : "", text, "\n", NULL);
    }
    g_free(time);
    g_atomic_int_inc(&state.waiting);
    g_thread_pool_push(state.writer, line, NULL);
}

static void push_dropped(void)
{
    const int dropped = g_atomic_int_get(&state.dropped);
    char *text;

    if (!dropped)
        return;
    g_atomic_int_add(&state.dropped, -dropped);
    text = g_strdup_printf("%d lines of the log were dropped", dropped);
    push_line("log_dropped", NULL, text);
    g_free(text);
}

static void write_event(const char *event, json_t *members, const char *format, va_list arguments)
{
    char *text = g_strdup_vprintf(format, arguments); /* of any bytes */

    if (state.setup.messages) {
        message((struct qs_location){0}, "%s", text);
    } else if (g_atomic_int_get(&state.waiting) >= LOG_LINES_MAX) {
        g_atomic_int_inc(&state.dropped);
    } else {
        char *clean = qs_text_printable(text);

        push_dropped();
        push_line(event, members, clean);
        g_free(clean);
    }
    g_free(text);
    json_decref(members);
}

void log_event(const char *event, json_t *members, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    if (state.setup.events)
        write_event(event, members, format, arguments);
    else
        json_decref(members);
    va_end(arguments);
}

void log_warning(const char *event, json_t *members, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    write_event(event, members, format, arguments);
    va_end(arguments);
}

/* --- Opening --------------------------------------------------------------------------------- */

static void message_event(const char *line)
{
    log_warning("message", NULL, "%s", line);
}

void log_open(const struct log_setup *setup)
{
    struct stat about;

    state.setup = *setup;
    state.times = !g_getenv("JOURNAL_STREAM");
    if (setup->messages)
        return;
    if (fstat(STDOUT_FILENO, &about) == 0 && S_ISREG(about.st_mode))
        state.path = g_file_read_link("/proc/self/fd/1", NULL);
    state.writer = g_thread_pool_new(write_line, NULL, 1, TRUE, NULL);
    print_messages_with(message_event);
}

void log_reopen(void)
{
    const int file =
        state.path
            ? open(state.path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, FILE_MODE)
            : -1;

    if (file < 0)
        return;
    dup2(file, STDOUT_FILENO);
    close(file);
}

/* If standard output is stuck, so is the thread, and ends with the program. */
void log_close(void)
{
    const gint64 until = g_get_monotonic_time() + CLOSE_MS * G_TIME_SPAN_MILLISECOND;

    if (state.setup.messages)
        return;
    print_messages_with(NULL);
    push_dropped();
    while (g_atomic_int_get(&state.waiting) && g_get_monotonic_time() < until)
        g_usleep(POLL_MS * G_TIME_SPAN_MILLISECOND);
    if (!g_atomic_int_get(&state.waiting))
        g_thread_pool_free(state.writer, FALSE, TRUE);
    g_clear_pointer(&state.path, g_free);
    state.setup = (struct log_setup){.messages = true};
}
