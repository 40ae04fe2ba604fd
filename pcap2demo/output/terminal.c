/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/output/terminal.h"

#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static enum { AUTO, ALWAYS, NEVER } color = AUTO;

/* Memory streams have no descriptor. */
bool terminal_is(FILE *stream)
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
    return terminal_is(stream) && ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
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
    return terminal_is(stream) && !(no_color && *no_color) && terminal &&
           strcmp(terminal, "dumb") != 0;
}

char *terminal_styled(FILE *stream, enum terminal_style style, const char *text)
{
    /* Source: ECMA-48, section 8.3.117, SGR. */
    static const char *const codes[] = {
        [STYLE_PLAIN] = "", [STYLE_TITLE] = "1", [STYLE_GOOD] = "32", [STYLE_BAD] = "1;31"};

    if (style == STYLE_PLAIN || !has_color(stream))
        return g_strdup(text);
    return g_strdup_printf("\033[%sm%s\033[0m", codes[style], text);
}
