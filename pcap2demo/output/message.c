/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/output/message.h"

#include <stdio.h>

#include "pcap2demo/output/progress.h"

static enum exit_status worst = EXIT_WELL;
static void (*printer)(const char *line);
static failure_handler *handler;
static void *handler_user;

static void put_line(const char *text, FILE *out)
{
    char *line = qs_text_printable(text);

    fputs(line, out);
    fputc('\n', out);
    g_free(line);
}

void print_line(const char *format, ...)
{
    va_list arguments;
    char *text;

    va_start(arguments, format);
    text = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    put_line(text, stdout);
    g_free(text);
}

static void print_message(struct qs_location location, const char *format, va_list arguments)
{
    GString *line = g_string_new(printer ? NULL : "pcap2demo: ");

    if (location.file)
        g_string_append_printf(line, "%s: ", location.file);
    if (location.packet)
        g_string_append_printf(line, "%s %" G_GUINT64_FORMAT ": ",
                               location.block ? "block" : "packet", location.packet);
    g_string_append_vprintf(line, format, arguments);
    progress_erase();
    if (printer)
        printer(line->str);
    else
        put_line(line->str, stderr);
    g_string_free(line, TRUE);
}

void print_messages_with(void (*by)(const char *line))
{
    printer = by;
}

void message(struct qs_location location, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    print_message(location, format, arguments);
    va_end(arguments);
}

void failure(enum exit_status status, struct qs_location location, const char *format, ...)
{
    va_list arguments;

    raise_status(status);
    va_start(arguments, format);
    print_message(location, format, arguments);
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

bool usage_error(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    print_message((struct qs_location){0}, format, arguments);
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
