/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --list: a table of the sessions, in order of their start, or of their loss. */
#include <stdio.h>
#include <string.h>

#include "common/dump/dump.h"
#include "pcap2demo/actions/action.h"
#include "pcap2demo/actions/report.h"

enum { PING = 9, SIGN_ON = 12, COLUMNS = 14, CELL_MAX = 48, GAP = 2 };

/* clang-format off */
static struct column {
    const char *title;
    bool cut;     /* to CELL_MAX characters, on any output */
    bool end;     /* cut at the front */
    glong least;  /* minimum width on a narrow terminal; 0: never cut */
} columns[COLUMNS] = {
    {"#", false, false, 0},
    {"client", false, false, 6},
    {"server", false, false, 6},
    {"game", true, false, 5},
    {"map", true, false, 4},
    {"player", true, false, 5},
    {"start", false, true, 10},
    {"duration", false, false, 0},
    {"packets", false, false, 0},
    {"ping", false, false, 0},
    {"loss↑", false, false, 0},
    {"loss↓", false, false, 0},
    {"sign-on", true, false, 5},
    {"demo", false, false, 5},
};
/* clang-format on */

static gboolean wide; /* columns are not cut */
static char *sort;
static bool by_loss, ascii; /* of `sort`; the terminal has no other characters */

struct list {
    struct action action;
    bool json;
    struct rows *rows;    /* JSON, or the cells after the number, each with a NUL */
    glong width[COLUMNS]; /* of the widest cell; when printing, of the column */
    glong least[COLUMNS]; /* minimum of `width` on a narrow terminal */
    struct qs_small_sessions others;
};

/* --- Cells ----------------------------------------------------------------------------------- */

/* Demos have no addresses. */
static char *address_cell(const struct qs_address *address)
{
    GString *text;

    if (!address->family)
        return g_strdup("-");
    text = g_string_new(NULL);
    qs_address_append(text, address);
    return g_string_free(text, FALSE);
}

/* Demos have no wall clock time. */
static char *start_cell(const struct qs_client_session *session)
{
    GDateTime *start =
        session->recorded ? NULL : g_date_time_new_from_unix_utc(session->start / 1000000000);
    char *text = start ? g_date_time_format(start, "%Y-%m-%dT%H:%M:%SZ") : NULL;

    if (start)
        g_date_time_unref(start);
    return text ? text : g_strdup(session->recorded ? "-" : "?");
}

/* Milliseconds; percents to and from the server. */
static void fill_line_cells(const struct qs_client_session *session, char *cells[])
{
    struct qs_line line;

    qs_quality_line(session->quality, &line);
    cells[0] = line.ping < 0 ? g_strdup("-") : g_strdup_printf("%.0f", line.ping);
    cells[1] = qs_line_loss_text(&line.c2s, ascii);
    cells[2] = qs_line_loss_text(&line.s2c, ascii);
}

static char *sign_on_cell(const struct qs_client_session *session)
{
    char *text = report_sign_on(session);

    return text ? text : g_strdup("");
}

/* Fills the cells with new strings. */
static void fill_cells(const struct qs_client_session *session, char *cells[COLUMNS])
{
    cells[0] = g_strdup_printf("%u", session->number);
    cells[1] = address_cell(&session->client);
    cells[2] = address_cell(&session->server);
    cells[3] = report_game(session);
    cells[4] = report_maps(session);
    cells[5] = g_strconcat(session->player ? session->player : "?",
                           session->spectator ? " (spectator)" : "", NULL);
    cells[6] = start_cell(session);
    cells[7] = report_duration(session);
    cells[8] = g_strdup_printf("%" G_GUINT64_FORMAT, session->packets);
    fill_line_cells(session, &cells[PING]);
    cells[SIGN_ON] = sign_on_cell(session);
    cells[SIGN_ON + 1] = report_demo(session);
}

/* --- The table ------------------------------------------------------------------------------- */

/* Cuts a cell to `characters`, 1 or more. */
static char *cut_cell(char *text, const struct column *column, glong characters)
{
    const glong length = g_utf8_strlen(text, -1);
    char *cut, *marked;

    if (length <= characters)
        return text;
    cut = column->end ? g_utf8_substring(text, length - characters + 1, length)
                      : g_utf8_substring(text, 0, characters - 1);
    marked = column->end ? g_strconcat("…", cut, NULL) : g_strconcat(cut, "…", NULL);
    g_free(cut);
    g_free(text);
    return marked;
}

static void measure(struct list *list, int column, const char *cell)
{
    list->width[column] = MAX(list->width[column], g_utf8_strlen(cell, -1));
}

/* The place of a session's row: the worst line first, those that are not known last. */
static unsigned place_of(const struct qs_client_session *session)
{
    struct qs_line line;

    if (!by_loss)
        return session->number;
    qs_quality_line(session->quality, &line);
    return 1 + (unsigned)((100 - qs_line_worst(&line)) * 1000);
}

static void add_row(struct list *list, const struct qs_client_session *session)
{
    GByteArray *row = g_byte_array_new();
    char *cells[COLUMNS];

    fill_cells(session, cells);
    for (int i = 0; i < COLUMNS; i++) {
        if (!wide && columns[i].cut)
            cells[i] = cut_cell(cells[i], &columns[i], CELL_MAX);
        measure(list, i, cells[i]);
        g_byte_array_append(row, (const guint8 *)cells[i], (guint)strlen(cells[i]) + 1);
        g_free(cells[i]);
    }
    rows_add(list->rows, place_of(session), row->data, row->len);
    g_byte_array_free(row, TRUE);
}

/* `cells` have a NUL each. Columns of width 0 are left out. */
static char *line_of(const struct list *list, const char *cells)
{
    GString *line = g_string_new(NULL);

    for (int i = 0; i < COLUMNS; i++, cells += strlen(cells) + 1) {
        char *cell = list->width[i] ? cut_cell(g_strdup(cells), &columns[i], list->width[i]) : NULL;
        const glong pad = cell ? list->width[i] - g_utf8_strlen(cell, -1) + GAP : 0;

        if (cell)
            g_string_append_printf(line, "%s%*s", cell, i + 1 < COLUMNS ? (int)pad : 0, "");
        g_free(cell);
    }
    return g_string_free(line, FALSE);
}

static void print_cells(void *user, uint64_t number, const char *cells, gsize size)
{
    char *line = line_of(user, cells);

    (void)number, (void)size;
    print_line("%s", line);
    g_free(line);
}

/* Hides the sign-on column if all are in the capture. Titles may be cut where cells may not. */
static void widen_for_titles(struct list *list)
{
    for (int i = 0; i < COLUMNS; i++)
        list->least[i] = columns[i].least ? columns[i].least : MAX(list->width[i], 1);
    for (int i = 0; i < COLUMNS; i++)
        if (i != SIGN_ON || list->width[i])
            list->width[i] = MAX(list->width[i], g_utf8_strlen(columns[i].title, -1));
}

/* The column with the most room above its minimum, or -1. */
static int widest(const struct list *list)
{
    int found = -1;

    for (int i = 0; i < COLUMNS; i++)
        if (list->width[i] > list->least[i] && (found < 0 || list->width[i] > list->width[found]))
            found = i;
    return found;
}

/* Narrows the widest columns until a row fits into the terminal. */
static void narrow(struct list *list, glong line)
{
    glong total = -GAP;
    int column;

    for (int i = 0; i < COLUMNS; i++)
        total += list->width[i] ? list->width[i] + GAP : 0;
    for (; total > line && (column = widest(list)) >= 0; total--)
        list->width[column]--;
}

static void print_titles(const struct list *list)
{
    GString *head = g_string_new(NULL);
    char *line;

    for (int i = 0; i < COLUMNS; i++)
        g_string_append_len(head, columns[i].title, (gssize)strlen(columns[i].title) + 1);
    line = line_of(list, head->str);
    print_styled(STYLE_TITLE, "%s", line);
    g_free(line);
    g_string_free(head, TRUE);
}

static void print_table(struct list *list)
{
    const unsigned line = terminal_columns(stdout);

    widen_for_titles(list);
    if (line && !wide)
        narrow(list, (glong)line);
    print_titles(list);
    rows_each(list->rows, print_cells, list);
    report_rows_error(list->rows);
    report_print_others(&list->others);
}

static void print_json(const struct list *list)
{
    json_t *report = report_json("list");

    json_object_set_new(report, "sessions", json_array());
    report_print_json(report, list->rows, &list->others);
}

/* --- The action ------------------------------------------------------------------------------ */

static void list_session(struct qs_sessions_handler *handler,
                         const struct qs_client_session *session)
{
    struct list *list = (struct list *)handler;

    if (list->json)
        report_add_json(list->rows, place_of(session), report_session_json(session));
    else
        add_row(list, session);
}

static void list_others(struct qs_sessions_handler *handler, const struct qs_small_sessions *others)
{
    report_add_others(&((struct list *)handler)->others, others);
}

/* --- The end --------------------------------------------------------------------------------- */

static void list_end(struct action *action, bool report)
{
    struct list *list = (struct list *)action;

    if (report && list->json)
        print_json(list);
    else if (report)
        print_table(list);
    rows_free(list->rows);
    g_free(list);
}

static struct action *create(const struct options *options)
{
    struct list *list = g_new0(struct list, 1);

    list->action = (struct action){.handler.want_lines = true,
                                   .handler.want_rebuild = true,
                                   .handler.session_end = list_session,
                                   .handler.others = list_others,
                                   .end = list_end};
    list->json = options->json;
    list->rows = rows_new();
    return &list->action;
}

static bool parse_options(const struct options *options)
{
    (void)options;
    ascii = !g_get_charset(NULL);
    by_loss = sort && strcmp(sort, "loss") == 0;
    if (ascii) {
        columns[PING + 1].title = "loss up";
        columns[PING + 2].title = "loss down";
    }
    return !sort || by_loss || strcmp(sort, "start") == 0 ||
           usage_error("--sort %s: sessions are sorted by start or loss", sort);
}

static const GOptionEntry entries[] = {
    {"sort", 0, 0, G_OPTION_ARG_STRING, &sort,
     "Order of the sessions: start, or loss (worst first)", "ORDER"},
    {"wide", 0, 0, G_OPTION_ARG_NONE, &wide, "Do not cut columns to the terminal's width", NULL},
    G_OPTION_ENTRY_NULL};

const struct action_kind list_action = {
    .name = "list",
    .letter = 'l',
    .help = "List the sessions",
    .json = true,
    .entries = entries,
    .parse_options = parse_options,
    .create = create,
};
