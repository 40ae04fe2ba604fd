/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/output/message.h"

#include <stdio.h>

#include "pcap2demo/output/progress.h"
#include "pcap2demo/output/transcript.h"

static enum exit_status worst = EXIT_WELL;
static GString *kept; /* transcript; NULL: lines are printed */
static void (*printer)(const char *line);
static failure_handler *handler;
static void *handler_user;

GString *keep_lines(GString *transcript)
{
    GString *before = kept;

    kept = transcript;
    return before;
}

static void put_line(FILE *stream, const char *line)
{
    if (kept) {
        transcript_add(kept, stream, line);
        return;
    }
    progress_erase();
    fprintf(stream, "%s\n", line);
}

/* As it stands in a line. New. */
static char *session_text(unsigned session)
{
    return kept ? transcript_number(session) : g_strdup_printf("%u", session);
}

static void print_styled_list(enum terminal_style style, const char *format, va_list arguments)
{
    char *text = g_strdup_vprintf(format, arguments);
    char *printable = qs_text_printable(text);
    char *styled = terminal_styled(stdout, style, printable);

    put_line(stdout, styled);
    g_free(styled);
    g_free(printable);
    g_free(text);
}

void print_styled(enum terminal_style style, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    print_styled_list(style, format, arguments);
    va_end(arguments);
}

void print_line(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    print_styled_list(STYLE_PLAIN, format, arguments);
    va_end(arguments);
}

void print_session_line(const char *before, unsigned session, const char *format, ...)
{
    char *number = session_text(session);
    char *start = qs_text_printable(before);
    char *text, *printable, *line;
    va_list arguments;

    va_start(arguments, format);
    text = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    printable = qs_text_printable(text);
    line = g_strdup_printf("%s: session %s, %s", start, number, printable);
    put_line(stdout, line);
    g_free(line);
    g_free(printable);
    g_free(text);
    g_free(start);
    g_free(number);
}

/* "FILE: packet 12: " */
static void append_location(GString *line, struct qs_location location)
{
    if (location.file)
        g_string_append_printf(line, "%s: ", location.file);
    if (location.packet)
        g_string_append_printf(line, "%s %" G_GUINT64_FORMAT ": ",
                               location.block ? "block" : "packet", location.packet);
}

static void append_session(GString *line, unsigned session)
{
    char *number;

    if (!session)
        return;
    number = session_text(session);
    g_string_append_printf(line, "session %s: ", number);
    g_free(number);
}

/* For who else takes messages: as it came. */
static void give_message(struct qs_location location, const char *text)
{
    GString *line = g_string_new(NULL);

    append_location(line, location);
    append_session(line, location.session);
    g_string_append(line, text);
    progress_erase();
    printer(line->str);
    g_string_free(line, TRUE);
}

static void put_message(enum terminal_style style, struct qs_location location, const char *text)
{
    char *name = terminal_styled(stderr, style, "pcap2demo:");
    GString *place = g_string_new(NULL), *line = g_string_new(name);
    char *printable_place, *printable = qs_text_printable(text);

    append_location(place, location);
    printable_place = qs_text_printable(place->str);
    g_string_append_printf(line, " %s", printable_place);
    append_session(line, location.session);
    g_string_append(line, printable);
    put_line(stderr, line->str);
    g_free(printable);
    g_free(printable_place);
    g_string_free(line, TRUE);
    g_string_free(place, TRUE);
    g_free(name);
}

static void print_message(enum terminal_style style, struct qs_location location,
                          const char *format, va_list arguments)
{
    char *text = g_strdup_vprintf(format, arguments);

    if (printer)
        give_message(location, text);
    else
        put_message(style, location, text);
    g_free(text);
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

    raise_status(status);
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

void message_detail(enum terminal_style style, const char *line)
{
    char *printable = qs_text_printable(line);
    char *styled = terminal_styled(stderr, style, printable);

    if (printer)
        printer(line);
    else
        put_line(stderr, styled);
    g_free(styled);
    g_free(printable);
}

void failure_detail(struct qs_location location, enum terminal_style style, const char *line)
{
    message_detail(style, line);
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

void raise_status(enum exit_status status)
{
    if (status > worst)
        worst = status;
}

void forgive(void)
{
    worst = EXIT_WELL;
}

enum exit_status status_so_far(void)
{
    return worst;
}
