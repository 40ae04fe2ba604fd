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

struct list {
    struct action action;
    bool json;
    struct rows *rows;    /* JSON, or cells that end with a NUL each */
    glong width[COLUMNS]; /* of the widest cell */
    struct qs_crowd_others others;
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
    const struct qs_session_loss loss = qs_session_loss(&session->state);

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

/* New texts. */
static void fill_cells(const struct qs_client_session *session, char *cells[COLUMNS])
{
    cells[0] = g_strdup_printf("%u", session->number);
    cells[1] = address_cell(&session->client);
    cells[2] = address_cell(&session->server);
    cells[3] = fit(report_game(session));
    cells[4] = fit(report_maps(session));
    cells[5] = fit(g_strdup(session->player ? session->player : "?"));
    cells[6] = start_cell(session);
    cells[7] = report_duration(session);
    cells[8] = g_strdup_printf("%" G_GUINT64_FORMAT, session->packets);
    cells[9] = loss_cell(session);
    cells[SIGN_ON] = fit(sign_on_cell(session));
    cells[11] = report_demo(session);
}

/* --- The table ------------------------------------------------------------------------------- */

static void add_row(struct list *list, const struct qs_client_session *session)
{
    GByteArray *row = g_byte_array_new();
    char *cells[COLUMNS];

    fill_cells(session, cells);
    for (int i = 0; i < COLUMNS; i++) {
        list->width[i] = MAX(list->width[i], g_utf8_strlen(cells[i], -1));
        g_byte_array_append(row, (const guint8 *)cells[i], (guint)strlen(cells[i]) + 1);
        g_free(cells[i]);
    }
    rows_add(list->rows, session->number, row->data, row->len);
    g_byte_array_free(row, TRUE);
}

/* `cells` end with a NUL each. Columns of no width are left out. */
static void print_cells(void *user, const char *cells, gsize size)
{
    const struct list *list = user;
    GString *line = g_string_new(NULL);

    (void)size;
    for (int i = 0; i < COLUMNS - 1; i++, cells += strlen(cells) + 1)
        if (list->width[i])
            g_string_append_printf(line, "%s%*s", cells,
                                   (int)(list->width[i] - g_utf8_strlen(cells, -1)) + GAP, "");
    print_line("%s%s", line->str, cells);
    g_string_free(line, TRUE);
}

/* Most captures have all sign-ons. */
static void widen_for_titles(struct list *list)
{
    for (int i = 0; i < COLUMNS; i++)
        if (i != SIGN_ON || list->width[i])
            list->width[i] = MAX(list->width[i], g_utf8_strlen(titles[i], -1));
}

static void print_titles(struct list *list)
{
    GString *head = g_string_new(NULL);

    for (int i = 0; i < COLUMNS; i++)
        g_string_append_len(head, titles[i], (gssize)strlen(titles[i]) + 1);
    print_cells(list, head->str, head->len);
    g_string_free(head, TRUE);
}

static void print_table(struct list *list)
{
    widen_for_titles(list);
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
        report_add_json(list->rows, session->number, report_session_json(session));
    else
        add_row(list, session);
}

static void list_others(struct qs_sessions_handler *handler, const struct qs_crowd_others *others)
{
    report_add_others(&((struct list *)handler)->others, others);
}

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

    list->action = (struct action){.handler.want_rebuild = true,
                                   .handler.session_end = list_session,
                                   .handler.others = list_others,
                                   .end = list_end};
    list->json = options->json;
    list->rows = rows_new();
    return &list->action;
}

const struct action_kind list_action = {
    .name = "list",
    .letter = 'l',
    .help = "List the sessions",
    .json = true,
    .create = create,
};
