/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/output/terminal.h"

#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "common/core/numeric_text.h"

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

bool terminal_set_color(const char *when)
{
    static const char *const names[] = {[AUTO] = "auto", [ALWAYS] = "always", [NEVER] = "never"};

    for (unsigned i = 0; i < G_N_ELEMENTS(names); i++)
        if (strcmp(when, names[i]) == 0) {
            color = i;
            return true;
        }
    return false;
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

/* --- Progress -------------------------------------------------------------------------------- */

enum {
    COLUMNS = 80, /* of a terminal of unknown width */
    SECONDS_MAX = 1000000
};

/* In microseconds. */
static const gint64 first_delay = 500000;
static const gint64 redraw_delay = 100000;

static struct {
    uint64_t total;
    gint64 started, next;
    bool wanted;
    bool shown;
} line;

void progress_start(uint64_t total, bool wanted)
{
    line.total = total;
    line.wanted = wanted && terminal_is(stderr);
    line.started = g_get_monotonic_time();
    line.next = line.started + first_delay;
}

char *progress_text(unsigned columns, uint64_t done, uint64_t total, double seconds)
{
    const double rate = seconds > 0 ? (double)done / seconds / 1e6 : 0;
    const double share = total ? MIN(1.0, (double)done / (double)total) : 0;
    const double shown = share > 0 ? seconds * (1 - share) / share : seconds;
    char *time = qs_duration_text((int64_t)MIN(shown, SECONDS_MAX));
    GString *text = g_string_new(NULL);

    if (total)
        g_string_printf(text, "%3d %%  %.0f MB/s  %s left", (int)(share * 100), rate, time);
    else
        g_string_printf(text, "%.0f MB  %.0f MB/s  %s", (double)done / 1e6, rate, time);
    if (text->len >= columns)
        g_string_truncate(text, columns ? columns - 1 : 0);
    g_free(time);
    return g_string_free(text, FALSE);
}

static void draw(uint64_t done, double seconds)
{
    const unsigned columns = terminal_columns(stderr);
    char *text = progress_text(columns ? columns : COLUMNS, done, line.total, seconds);

    fprintf(stderr, "\r%s\033[K", text);
    fflush(stderr);
    line.shown = true;
    g_free(text);
}

void progress_update(uint64_t done)
{
    gint64 now;

    if (!line.wanted)
        return;
    now = g_get_monotonic_time();
    if (now < line.next)
        return;
    line.next = now + redraw_delay;
    draw(done, (double)(now - line.started) / 1e6);
}

void progress_erase(void)
{
    if (!line.shown)
        return;
    fputs("\r\033[K", stderr);
    line.shown = false;
}
