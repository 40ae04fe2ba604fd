/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --list: a table of the sessions, in order of their start. */
#include <stdio.h>
#include <string.h>

#include "common/dump/dump.h"
#include "pcap2demo/actions/action.h"
#include "pcap2demo/actions/report.h"

enum { SIGN_ON = 10, COLUMNS = 12, CELL_MAX = 48, GAP = 2 };

static const char *const titles[COLUMNS] = {"#",       "client", "server",  "game",
                                            "map",     "player", "start",   "duration",
                                            "packets", "loss",   "sign-on", "demo"};

struct row {
    unsigned number;
    char *cells[COLUMNS];
    json_t *json;
};

struct list {
    struct action action;
    bool json;
    GPtrArray *rows; /* struct row */
};

static void row_free(gpointer data)
{
    struct row *row = data;

    for (int i = 0; i < COLUMNS; i++)
        g_free(row->cells[i]);
    json_decref(row->json);
    g_free(row);
}

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

/* The clock of a demo begins anywhere. */
static char *start_cell(const struct qs_client_session *session)
{
    GDateTime *start =
        session->recorded ? NULL : g_date_time_new_from_unix_utc(session->start / 1000000000);
    char *text = start ? g_date_time_format(start, "%Y-%m-%dT%H:%M:%SZ") : NULL;

    if (start)
        g_date_time_unref(start);
    return text ? text : g_strdup(session->recorded ? "-" : "?");
}

/* Gaps / numbers missing in them / numbers that arrived but are not in the capture. */
static char *loss_cell(const struct qs_client_session *session)
{
    const struct qs_client_session_loss loss = qs_client_session_loss(session);

    if (!session->state.to_server.accepted && !session->state.to_client.accepted)
        return g_strdup("-"); /* a protocol without sequence numbers */
    return g_strdup_printf("%" G_GUINT64_FORMAT "/%" G_GUINT64_FORMAT "/%" G_GUINT64_FORMAT,
                           loss.gaps, loss.missing, loss.not_captured);
}

/* Cuts a cell to CELL_MAX characters. */
static char *fit(char *text)
{
    char *cut;

    if (g_utf8_strlen(text, -1) <= CELL_MAX)
        return text;
    cut = g_utf8_substring(text, 0, CELL_MAX - 1);
    g_free(text);
    text = g_strconcat(cut, "…", NULL);
    g_free(cut);
    return text;
}

static char *sign_on_cell(const struct qs_client_session *session)
{
    char *text = report_sign_on(session);

    return text ? text : g_strdup("");
}

static struct row *row_new(const struct qs_client_session *session)
{
    struct row *row = g_new0(struct row, 1);

    row->number = session->number;
    row->cells[0] = g_strdup_printf("%u", session->number);
    row->cells[1] = address_cell(&session->client);
    row->cells[2] = address_cell(&session->server);
    row->cells[3] = fit(report_game(session));
    row->cells[4] = fit(report_maps(session));
    row->cells[5] = fit(g_strdup(session->player ? session->player : "?"));
    row->cells[6] = start_cell(session);
    row->cells[7] = report_duration(session);
    row->cells[8] = g_strdup_printf("%" G_GUINT64_FORMAT, session->packets);
    row->cells[9] = loss_cell(session);
    row->cells[SIGN_ON] = fit(sign_on_cell(session));
    row->cells[11] = report_demo(session);
    return row;
}

/* --- The table ------------------------------------------------------------------------------- */

static glong width_of(const GPtrArray *rows, int column)
{
    glong width = g_utf8_strlen(titles[column], -1);

    for (guint i = 0; i < rows->len; i++) {
        const struct row *row = g_ptr_array_index(rows, i);

        width = MAX(width, g_utf8_strlen(row->cells[column], -1));
    }
    return width;
}

/* Columns of no width are left out. */
static void print_cells(char *const *cells, const glong *widths)
{
    GString *line = g_string_new(NULL);

    for (int i = 0; i < COLUMNS - 1; i++)
        if (widths[i])
            g_string_append_printf(line, "%s%*s", cells[i],
                                   (int)(widths[i] - g_utf8_strlen(cells[i], -1)) + GAP, "");
    print_line("%s%s", line->str, cells[COLUMNS - 1]);
    g_string_free(line, TRUE);
}

/* Most captures have all sign-ons. */
static bool has_sign_ons(const GPtrArray *rows)
{
    for (guint i = 0; i < rows->len; i++)
        if (*((const struct row *)g_ptr_array_index(rows, i))->cells[SIGN_ON])
            return true;
    return false;
}

static void print_table(const GPtrArray *rows)
{
    glong widths[COLUMNS];
    char *head[COLUMNS];

    for (int i = 0; i < COLUMNS; i++) {
        widths[i] = i == SIGN_ON && !has_sign_ons(rows) ? 0 : width_of(rows, i);
        head[i] = g_strdup(titles[i]);
    }
    print_cells(head, widths);
    for (guint i = 0; i < rows->len; i++) {
        const struct row *row = g_ptr_array_index(rows, i);

        print_cells(row->cells, widths);
    }
    for (int i = 0; i < COLUMNS; i++)
        g_free(head[i]);
}

static void print_json(const GPtrArray *rows)
{
    json_t *report = report_json("list");
    json_t *sessions = json_array();

    for (guint i = 0; i < rows->len; i++) {
        const struct row *row = g_ptr_array_index(rows, i);

        json_array_append(sessions, row->json);
    }
    json_object_set_new(report, "sessions", sessions);
    report_print_json(report);
}

/* --- The action ------------------------------------------------------------------------------ */

static void list_session(struct qs_sessions_handler *handler,
                         const struct qs_client_session *session)
{
    struct list *list = (struct list *)handler;
    struct row *row = row_new(session);

    row->json = report_session_json(session);
    g_ptr_array_add(list->rows, row);
}

static gint compare_rows(gconstpointer a, gconstpointer b)
{
    const struct row *const *x = a, *const *y = b;

    return (*x)->number < (*y)->number ? -1 : 1;
}

static void list_end(struct action *action, bool report)
{
    struct list *list = (struct list *)action;

    g_ptr_array_sort(list->rows, compare_rows);
    if (report && list->json)
        print_json(list->rows);
    else if (report)
        print_table(list->rows);
    g_ptr_array_free(list->rows, TRUE);
    g_free(list);
}

static struct action *create(const struct options *options)
{
    struct list *list = g_new0(struct list, 1);

    list->action = (struct action){
        .handler.want_rebuild = true, .handler.session_end = list_session, .end = list_end};
    list->json = options->json;
    list->rows = g_ptr_array_new_with_free_func(row_free);
    return &list->action;
}

const struct action_kind list_action = {
    .name = "list",
    .letter = 'l',
    .help = "List the sessions",
    .json = true,
    .create = create,
};
