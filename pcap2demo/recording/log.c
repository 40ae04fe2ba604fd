/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/recording/log.h"

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "pcap2demo/output/message.h"

enum { CLOSE_MS = 2000, FILE_MODE = 0640 };

static struct {
    struct log_setup setup;
    bool times;       /* before lines of text */
    char *path;       /* of standard output; NULL: it is no file */
    GString *waiting; /* lines that are not written yet: of the first perhaps only the rest */
    unsigned dropped; /* lines */
} state = {.setup = {.messages = true}};

/* --- Writing --------------------------------------------------------------------------------- */

/* After poll() a write of PIPE_BUF bytes does not block, except to a terminal. */
void log_flush(int milliseconds)
{
    const gint64 until = g_get_monotonic_time() + milliseconds * G_TIME_SPAN_MILLISECOND;
    struct pollfd output = {.fd = STDOUT_FILENO, .events = POLLOUT};
    ssize_t written = 0;

    while (state.waiting && state.waiting->len && poll(&output, 1, milliseconds) > 0 &&
           (written >= 0 || (errno == EAGAIN && milliseconds))) {
        written = write(STDOUT_FILENO, state.waiting->str, MIN(state.waiting->len, PIPE_BUF));
        g_string_erase(state.waiting, 0, MAX(written, 0));
        milliseconds = (int)MAX((until - g_get_monotonic_time()) / G_TIME_SPAN_MILLISECOND, 0);
    }
}

/* --- Lines ----------------------------------------------------------------------------------- */

char *log_time(void)
{
    const time_t now = time(NULL);
    struct tm utc;
    char text[32];

    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
    return g_strdup(text);
}

/* `members` may be NULL. */
static void push_line(const char *event, json_t *members, const char *text)
{
    char *time = state.setup.json || state.times ? log_time() : NULL;

    if (state.setup.json) {
        json_t *object = json_pack("{s:s, s:s}", "time", time, "event", event);
        char *dump;

        json_object_update(object, members);
        json_object_set_new(object, "message", json_string(text));
        dump = json_dumps(object, JSON_COMPACT);
        g_string_append(state.waiting, dump);
        free(dump);
        json_decref(object);
    } else {
        g_string_append_printf(state.waiting, "%s%s%s", time ? time : "", time ? " " : "", text);
    }
    g_string_append_c(state.waiting, '\n');
    g_free(time);
    if (state.waiting->len >= PIPE_BUF)
        log_flush(0);
}

static void push_dropped(void)
{
    g_autofree char *text = g_strdup_printf("%u lines of the log were dropped", state.dropped);

    if (state.dropped)
        push_line("log_dropped", NULL, text);
    state.dropped = 0;
}

void log_event(int priority, const char *event, json_t *members, const char *format, ...)
{
    va_list arguments;
    char *text, *clean; /* `text` is of any bytes */

    if (priority > LOG_WARNING && !state.setup.events) {
        json_decref(members);
        return;
    }
    va_start(arguments, format);
    text = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    clean = qs_text_printable(text);
    if (state.setup.messages) {
        message((struct qs_location){0}, "%s", text);
    } else if (state.waiting->len >= LOG_WAITING_MAX) {
        state.dropped++;
    } else {
        push_dropped();
        push_line(event, members, clean);
    }
    g_free(clean);
    g_free(text);
    json_decref(members);
}

/* --- Opening --------------------------------------------------------------------------------- */

static void message_event(const char *line)
{
    log_event(LOG_WARNING, "message", NULL, "%s", line);
}

void log_open_terminal(void)
{
    const int terminal = isatty(STDOUT_FILENO)
                             ? open("/proc/self/fd/1", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
                             : -1;

    if (terminal < 0)
        return;
    dup2(terminal, STDOUT_FILENO);
    close(terminal);
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
    state.waiting = g_string_new(NULL);
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

void log_close(void)
{
    if (state.setup.messages)
        return;
    print_messages_with(NULL);
    push_dropped();
    log_flush(CLOSE_MS);
    g_string_free(state.waiting, TRUE);
    state.waiting = NULL;
    g_clear_pointer(&state.path, g_free);
    state.setup = (struct log_setup){.messages = true};
}
