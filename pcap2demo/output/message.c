/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <glib.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "common/core/hash.h"
#include "common/core/numeric_text.h"
#include "pcap2demo/output/message.h"

/* --- Terminals ------------------------------------------------------------------------------- */

static enum { AUTO, ALWAYS, NEVER } color = AUTO;

/* True if the stream is a terminal. Memory streams have no descriptor. */
static bool is_terminal(FILE *stream)
{
    return fileno(stream) >= 0 && isatty(fileno(stream));
}

unsigned terminal_columns(FILE *stream)
{
    const char *columns = g_getenv("COLUMNS");
    guint64 number;
    struct winsize size;

    if (columns && g_ascii_string_to_unsigned(columns, 10, 1, G_MAXUINT16, &number, NULL))
        return (unsigned)number;
    if (is_terminal(stream) && ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col)
        return size.ws_col;
    return 80;
}

void terminal_set_color(const char *when)
{
    color = strcmp(when, "always") == 0 ? ALWAYS : strcmp(when, "never") == 0 ? NEVER : AUTO;
}

static bool has_color(FILE *stream)
{
    const char *no_color = g_getenv("NO_COLOR");
    const char *terminal = g_getenv("TERM");

    if (color != AUTO)
        return color == ALWAYS;
    return is_terminal(stream) && !(no_color && *no_color) && terminal &&
           strcmp(terminal, "dumb") != 0;
}

/* Returns a copy of the printable `text`, with the style if the stream shows styles. */
static char *styled_text(FILE *stream, enum terminal_style style, const char *text)
{
    /* Source: ECMA-48, section 8.3.117, SGR. */
    static const char *const codes[] = {
        [STYLE_PLAIN] = "", [STYLE_TITLE] = "1", [STYLE_GOOD] = "32", [STYLE_BAD] = "1;31"};

    if (style == STYLE_PLAIN || !has_color(stream))
        return g_strdup(text);
    return g_strdup_printf("\033[%sm%s\033[0m", codes[style], text);
}

/* --- Progress --------------------------------------------------------------------------------- */

enum { FIRST = 1000000, EACH = 200000 }; /* first and later intervals, in microseconds */

static struct {
    gboolean on;
    gint64 start, next; /* times of the beginning, and of the next update */
    glong width;        /* width of the line on the screen; 0 if there is none */
} progress;

void progress_begin(const char *when)
{
    progress.on = !when || strcmp(when, "auto") == 0 ? isatty(STDERR_FILENO) != 0
                                                     : strcmp(when, "always") == 0;
    progress.start = g_get_monotonic_time();
    progress.next = progress.start + FIRST;
}

static void show(const char *text)
{
    const glong width = g_utf8_strlen(text, -1);

    fprintf(stderr, "\r%s%*s", text, (int)MAX(progress.width - width, 0), "");
    if (!*text)
        fputc('\r', stderr);
    fflush(stderr);
    progress.width = width;
}

void progress_update(uint64_t read, uint64_t all)
{
    const gint64 now = progress.on ? g_get_monotonic_time() : 0;
    const double seconds = (double)(now - progress.start) / 1e6;
    const double rate = (double)read / MAX(seconds, 1e-6);
    g_autofree char *left = NULL, *text = NULL;

    if (!progress.on || now < progress.next)
        return;
    progress.next = now + EACH;
    if (all && read) {
        left = qs_duration_text((int64_t)((double)(all - MIN(read, all)) / rate + .5));
        text = g_strdup_printf("%3.0f %%  %.1f MB/s  %s left",
                               100 * (double)MIN(read, all) / (double)all, rate / 1e6, left);
    } else {
        text = g_strdup_printf("%.1f MB  %.1f MB/s", (double)read / 1e6, rate / 1e6);
    }
    show(text);
}

/* Erases the line until the next update. */
static void progress_clear(void)
{
    if (progress.width)
        show("");
}

void progress_end(void)
{
    progress_clear();
    progress.on = FALSE;
}

/* --- Lines and messages ---------------------------------------------------------------------- */

static enum exit_status worst = EXIT_OK;
static bool muted;
static void (*printer)(const char *line);
static failure_handler *handler;
static void *handler_user;

static void put_line(FILE *stream, enum terminal_style style, const char *line)
{
    g_autofree char *printable = qs_text_printable(line);
    g_autofree char *styled = styled_text(stream, style, printable);

    if (muted)
        return;
    progress_clear();
    fprintf(stream, "%s\n", styled);
}

void print_styled(enum terminal_style style, const char *format, ...)
{
    va_list arguments;
    char *line;

    va_start(arguments, format);
    line = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    put_line(stdout, style, line);
    g_free(line);
}

void location_append(GString *line, struct qs_location location)
{
    if (location.file)
        g_string_append_printf(line, "%s: ", location.file);
    if (location.packet)
        g_string_append_printf(line, "%s %" G_GUINT64_FORMAT ": ",
                               location.block ? "block" : "packet", location.packet);
    if (location.session)
        g_string_append_printf(line, "session %u: ", location.session);
}

/* Maximum number of messages with one format about one file; further ones are only counted. */
enum { KIND_MAX = 1000 };

/* Numbers of messages by format and file, and of those that were not printed by file; NULL: none */
static GHashTable *kinds, *left_out;

static guint count(GHashTable **table, const char *key)
{
    guint number;

    if (!*table)
        *table = g_hash_table_new_full(qs_str_hash, g_str_equal, g_free, NULL);
    number = GPOINTER_TO_UINT(g_hash_table_lookup(*table, key)) + 1;
    g_hash_table_insert(*table, g_strdup(key), GUINT_TO_POINTER(number));
    return number;
}

/* Counts a message. True if too many about this file had the same format. */
static bool count_message(const char *file, const char *format)
{
    g_autofree char *kind = g_strconcat(format, "\n", file, NULL);
    const bool is_left_out = count(&kinds, kind) > KIND_MAX;

    if (is_left_out)
        count(&left_out, file ? file : "");
    return is_left_out;
}

void messages_end(void)
{
    g_autoptr(GList) files =
        left_out ? g_list_sort(g_hash_table_get_keys(left_out), (GCompareFunc)strcmp) : NULL;

    for (const GList *link = files; link; link = link->next) {
        const char *file = link->data;

        message((struct qs_location){.file = *file ? file : NULL}, "%u more messages",
                GPOINTER_TO_UINT(g_hash_table_lookup(left_out, file)));
    }
    g_clear_pointer(&kinds, g_hash_table_destroy);
    g_clear_pointer(&left_out, g_hash_table_destroy);
}

static void print_message(enum terminal_style style, struct qs_location location,
                          const char *format, va_list arguments)
{
    GString *text;

    if (muted || (!printer && count_message(location.file, format)))
        return;
    text = g_string_new(NULL);
    location_append(text, location);
    g_string_append_vprintf(text, format, arguments);
    if (printer) {
        printer(text->str);
    } else {
        char *name = styled_text(stderr, style, "pcap2demo:");
        char *printable = qs_text_printable(text->str);

        progress_clear();
        fprintf(stderr, "%s %s\n", name, printable);
        g_free(printable);
        g_free(name);
    }
    g_string_free(text, TRUE);
}

void print_messages_with(void (*by)(const char *line))
{
    printer = by;
}

void message(struct qs_location location, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    print_message(STYLE_TITLE, location, format, arguments);
    va_end(arguments);
}

void failure(enum exit_status status, struct qs_location location, const char *format, ...)
{
    va_list arguments;

    exit_status_raise(status);
    va_start(arguments, format);
    print_message(STYLE_BAD, location, format, arguments);
    va_end(arguments);
    if (handler) {
        char *text;

        va_start(arguments, format);
        text = g_strdup_vprintf(format, arguments);
        va_end(arguments);
        handler(status, location, text, handler_user);
        g_free(text);
    }
}

void handle_failures(failure_handler *by, void *user)
{
    handler = by;
    handler_user = user;
}

void failure_detail(struct qs_location location, enum terminal_style style, const char *line)
{
    if (printer)
        printer(line);
    else
        put_line(stderr, style, line);
    if (handler)
        handler(EXIT_PROBLEMS, location, line, handler_user);
}

bool usage_error(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    print_message(STYLE_BAD, (struct qs_location){0}, format, arguments);
    va_end(arguments);
    fputs("Try \"pcap2demo --help\" for more information.\n", stderr);
    return false;
}

bool usage_problem(char *problem)
{
    usage_error("%s", problem);
    g_free(problem);
    return false;
}

void exit_status_raise(enum exit_status status)
{
    if (status > worst && !muted)
        worst = status;
}

void exit_status_reset(void)
{
    worst = EXIT_OK;
}

void messages_mute(bool mute)
{
    muted = mute;
}

enum exit_status exit_status_get(void)
{
    return worst;
}
