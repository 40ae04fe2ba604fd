/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --list: prints a table of the sessions, by start or by loss. */
#include <stdio.h>
#include <string.h>

#include "common/dump/dump.h"
#include "pcap2demo/actions/action.h"
#include "pcap2demo/actions/report.h"

enum { CELL_MAX = 48, GAP = 2 };

enum cell {
    NUMBER,
    INPUT,
    PLAYER,
    MAP,
    GAME,
    DURATION,
    PING,
    LOSS_UP,
    LOSS_DOWN,
    DEMO,
    SIGN_ON,
    START,
    PACKETS,
    CLIENT,
    SERVER,
    SCORE,
    COLUMNS
};

/* clang-format off */
static const struct column {
    const char *title;
    unsigned rank; /* on narrow terminals, columns of the highest rank are dropped; 0: never */
    glong least;   /* minimum width on narrow terminals, in characters; 0: never cut */
    bool cut;      /* cut to CELL_MAX characters everywhere, unless --wide */
    bool end;      /* cut at the front */
} columns[COLUMNS] = {
    [NUMBER] = {.title = "#"},
    [INPUT] = {.title = "file", .least = 12, .end = true},
    [PLAYER] = {.title = "player", .least = 8, .cut = true},
    [MAP] = {.title = "map", .rank = 3, .least = 6, .cut = true},
    [GAME] = {.title = "game", .rank = 4, .cut = true},
    [DURATION] = {.title = "duration", .rank = 5},
    [LOSS_UP] = {.title = "loss↑", .rank = 1},
    [LOSS_DOWN] = {.title = "loss↓", .rank = 1},
    [DEMO] = {.title = "demo", .rank = 6, .least = 8},
    [PING] = {.title = "ping", .rank = 2},
    [SIGN_ON] = {.title = "sign-on", .rank = 7, .least = 8, .cut = true},
    [START] = {.title = "start", .rank = 8},
    [PACKETS] = {.title = "packets", .rank = 9},
    [CLIENT] = {.title = "client", .rank = 10},
    [SERVER] = {.title = "server", .rank = 11},
    [SCORE] = {.title = "score", .rank = 12, .least = 12, .cut = true},
};
/* clang-format on */

struct list {
    struct action action;
    glong width[COLUMNS]; /* width of the widest cell; when printing, of the column; 0: hidden */
    const char *file;     /* file of the last session */
    size_t common;        /* length of the folder part that all files' names share, in bytes */
    bool several_files;
    bool by_loss; /* rows are sorted by loss */
    bool ascii;   /* the terminal's character set has only ASCII */
};

static const char *title_of(const struct list *list, int column)
{
    if (list->ascii && (column == LOSS_UP || column == LOSS_DOWN))
        return column == LOSS_UP ? "loss up" : "loss down";
    return columns[column].title;
}

/* --- Cells ----------------------------------------------------------------------------------- */

/* Returns the address, or "-" for demos, which have none. */
static char *address_cell(const struct qs_address *address)
{
    return address->family ? qs_address_text(address) : g_strdup("-");
}

/* Returns the start time; "-" for demos without a clock time, "?" if it cannot be formatted. */
static char *start_cell(const struct qs_client_session *session)
{
    const int64_t time = report_start(session);
    GDateTime *start =
        session->recorded && !time ? NULL : g_date_time_new_from_unix_utc(time / 1000000000);
    char *text = start ? g_date_time_format(start, "%Y-%m-%dT%H:%M:%SZ") : NULL;

    if (start)
        g_date_time_unref(start);
    return text ? text : g_strdup(session->recorded ? "-" : "?");
}

/* Fills the cells of the path's quality: ping in milliseconds, loss in percent. */
static void fill_line_cells(const struct qs_client_session *session, bool ascii, char *cells[])
{
    struct qs_path_quality line;

    qs_path_quality(session->quality, &line);
    cells[PING] = line.ping < 0 ? g_strdup("-") : g_strdup_printf("%.0f", line.ping);
    cells[LOSS_UP] = qs_path_loss_text(&line.c2s, ascii);
    cells[LOSS_DOWN] = qs_path_loss_text(&line.s2c, ascii);
}

/* Fills the cells with new strings, which the caller frees. */
static void fill_cells(const struct list *list, const struct qs_client_session *session,
                       char *cells[COLUMNS])
{
    cells[NUMBER] = g_strdup_printf("%u", session->number);
    cells[INPUT] = qs_text_printable(session->first.file);
    cells[PLAYER] = g_strconcat(session->player ? session->player : "?",
                                session->spectator ? " (spectator)" : "", NULL);
    cells[MAP] = report_maps(session);
    cells[GAME] = report_short_game(session, list->action.options->verbose);
    cells[DURATION] = report_duration(session);
    fill_line_cells(session, list->ascii, cells);
    cells[DEMO] = report_demo(session);
    cells[SIGN_ON] = report_sign_on(session);
    if (!cells[SIGN_ON])
        cells[SIGN_ON] = g_strdup("");
    cells[START] = start_cell(session);
    cells[PACKETS] = g_strdup_printf("%" G_GUINT64_FORMAT, session->packets);
    cells[CLIENT] = address_cell(&session->client);
    cells[SERVER] = address_cell(&session->server);
    cells[SCORE] = qs_match_score_text(session->match);
    if (!cells[SCORE])
        cells[SCORE] = g_strdup("");
}

/* --- Table ----------------------------------------------------------------------------------- */

/* Cuts a cell to `characters`, 1 or more. Frees `text` if it returns another string. */
static char *cut_cell(const struct list *list, char *text, const struct column *column,
                      glong characters)
{
    const glong length = g_utf8_strlen(text, -1);
    const char *mark = list->ascii ? "~" : "…";
    char *cut, *marked;

    if (length <= characters)
        return text;
    cut = column->end ? g_utf8_substring(text, length - characters + 1, length)
                      : g_utf8_substring(text, 0, characters - 1);
    marked = column->end ? g_strconcat(mark, cut, NULL) : g_strconcat(cut, mark, NULL);
    g_free(cut);
    g_free(text);
    return marked;
}

static void measure(struct list *list, int column, const char *cell)
{
    list->width[column] = MAX(list->width[column], g_utf8_strlen(cell, -1));
}

/* Returns a row's sort key: the session's number, or the loss (highest first, unknown last). */
static unsigned sort_key(const struct list *list, const struct qs_client_session *session)
{
    struct qs_path_quality line;

    if (!list->by_loss)
        return session->number;
    qs_path_quality(session->quality, &line);
    return 1 + (unsigned)((100 - qs_path_worst(&line)) * 1000);
}

/* Updates `several_files`, and `common`: the folder part that all files so far share. */
static void add_file(struct list *list, const char *file)
{
    size_t same = 0;

    if (!list->file)
        list->common = strlen(file);
    else if (strcmp(list->file, file) != 0)
        list->several_files = true;
    while (list->file && same < list->common && file[same] == list->file[same])
        same++;
    for (list->common = list->file ? same : list->common;
         list->common && file[list->common - 1] != '/';)
        list->common--;
    list->file = file;
}

static void add_row(struct list *list, const struct qs_client_session *session)
{
    GByteArray *row = g_byte_array_new();
    char *cells[COLUMNS];

    fill_cells(list, session, cells);
    add_file(list, g_intern_string(cells[INPUT]));
    for (int i = 0; i < COLUMNS; i++) {
        if (!list->action.options->list.wide && columns[i].cut)
            cells[i] = cut_cell(list, cells[i], &columns[i], CELL_MAX);
        measure(list, i, cells[i]);
        g_byte_array_append(row, (const guint8 *)cells[i], (guint)strlen(cells[i]) + 1);
        g_free(cells[i]);
    }
    rows_add(list->action.rows, sort_key(list, session), row->data, row->len);
    g_byte_array_free(row, TRUE);
}

/* Returns a line of the table; the caller frees it. `cells` are strings, each with its NUL. Columns
 * of width 0 are left out, as are the first `common` bytes of the file's name. */
static char *line_of(const struct list *list, const char *cells, size_t common)
{
    GString *line = g_string_new(NULL);

    for (int i = 0; i < COLUMNS; i++, cells += strlen(cells) + 1) {
        const char *text = cells + (i == INPUT ? common : 0);
        char *cell =
            list->width[i] ? cut_cell(list, g_strdup(text), &columns[i], list->width[i]) : NULL;
        const glong pad = cell ? list->width[i] - g_utf8_strlen(cell, -1) + GAP : 0;

        if (cell)
            g_string_append_printf(line, "%s%*s", cell, (int)pad, "");
        g_free(cell);
    }
    return g_strchomp(g_string_free(line, FALSE));
}

static void print_cells(void *user, const char *cells, gsize size)
{
    g_autofree char *line = line_of(user, cells, ((const struct list *)user)->common);

    (void)size;
    print_line("%s", line);
}

/* Widens columns for their titles, and drops those without information. */
static void widen_for_titles(struct list *list)
{
    if (list->several_files)
        list->width[INPUT] -= g_utf8_strlen(list->file, (gssize)list->common);
    for (int i = 0; i < COLUMNS; i++)
        if (((i == SIGN_ON || i == SCORE) && !list->width[i]) ||
            (i == INPUT && !list->several_files))
            list->width[i] = 0;
        else
            measure(list, i, title_of(list, i));
}

/* Returns the width of a row whose cells are cut to `times` their minimum. */
static glong row_width(const struct list *list, glong times)
{
    glong total = -GAP;

    for (int i = 0; i < COLUMNS; i++) {
        const glong most = columns[i].least ? times * columns[i].least : list->width[i];

        total += list->width[i] ? MIN(list->width[i], most) + GAP : 0;
    }
    return total;
}

/* Drops the columns of the highest rank above `rank`. False if there are none. */
static bool leave_out(struct list *list, unsigned rank)
{
    const unsigned least = rank;

    for (int i = 0; i < COLUMNS; i++)
        rank = MAX(rank, list->width[i] ? columns[i].rank : 0);
    for (int i = 0; i < COLUMNS; i++)
        if (rank > least && columns[i].rank == rank)
            list->width[i] = 0;
    return rank > least;
}

/* Returns the widest column that can still be narrowed, or -1. */
static int widest(const struct list *list)
{
    int found = -1;

    for (int i = 0; i < COLUMNS; i++)
        if (columns[i].least && list->width[i] > columns[i].least &&
            (found < 0 || list->width[i] > list->width[found]))
            found = i;
    return found;
}

/* Fits rows into lines of `line` characters: drops columns, then narrows others. */
static void narrow(struct list *list, glong line)
{
    int column;

    while (row_width(list, 2) > line && leave_out(list, columns[DEMO].rank))
        ;
    while (row_width(list, 1) > line && leave_out(list, 0))
        ;
    while (row_width(list, G_MAXINT16) > line && (column = widest(list)) >= 0)
        list->width[column]--;
}

static void print_titles(const struct list *list)
{
    GString *head = g_string_new(NULL);
    char *line;

    for (int i = 0; i < COLUMNS; i++)
        g_string_append_len(head, title_of(list, i), (gssize)strlen(title_of(list, i)) + 1);
    line = line_of(list, head->str, 0);
    print_styled(STYLE_TITLE, "%s", line);
    g_free(line);
    g_string_free(head, TRUE);
}

static void print_table(struct list *list)
{
    widen_for_titles(list);
    if (!list->action.options->list.wide)
        narrow(list, (glong)terminal_columns(stdout));
    print_titles(list);
    rows_each(list->action.rows, print_cells, list);
    report_print_others(&list->action.others);
}

/* --- Sessions -------------------------------------------------------------------------------- */

static void list_session(struct qs_sessions_handler *handler,
                         const struct qs_client_session *session)
{
    struct list *list = (struct list *)handler;

    list->action.sessions++;
    if (list->action.options->json)
        report_add_json(list->action.rows, sort_key(list, session), report_session_json(session));
    else
        add_row(list, session);
}

/* --- End ------------------------------------------------------------------------------------- */

static void list_end(struct action *action, bool report)
{
    struct list *list = (struct list *)action;

    if (report && action->options->json) {
        json_t *json = report_json("list");

        json_object_set_new(json, "sessions", json_array());
        report_print_json(json, action);
    } else if (report)
        print_table(list);
    if (report)
        action_report_no_session(action);
}

static void begin(struct action *action)
{
    struct list *list = (struct list *)action;

    /* Only JSON needs the count of packets with problems. */
    action->handler.unchecked = !action->options->json;
    list->by_loss = g_strcmp0(action->options->list.sort, "loss") == 0;
    list->ascii = !g_get_charset(NULL);
}

static const struct option_row rows[] = {
    {"sort", 0, OPTION(TEXT, list.sort), "The order of --list; loss: the worst line first",
     .choices = "start|loss"},
    {"wide", 0, OPTION(FLAG, list.wide), "All columns of --list, not only those that fit"},
    OPTIONS_END};

const struct action_kind list_action = {
    .option = {"list", 'l', .type = OPTION_ACTION,
               .help = "List the sessions: who played, and how good the line was"},
    .json = true,
    .rows = rows,
    .size = sizeof(struct list),
    .running = {.handler.want_figures = true,
                .handler.want_rebuild = true,
                .handler.session_end = list_session,
                .handler.others = action_add_others,
                .handler.missed = action_add_missed,
                .end = list_end},
    .begin = begin,
};
