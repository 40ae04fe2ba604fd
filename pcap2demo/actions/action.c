/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdint.h>
#include <string.h>

#include "common/core/numeric_text.h"
#include "common/dump/dump.h"
#include "pcap2demo/actions/action.h"

/* --- Rows of a report ------------------------------------------------------------------------- */

/* A row: its number, and the location of its bytes in rows.bytes. */
struct row {
    uint64_t number; /* number, counted over all parts */
    gsize offset, size;
};

struct rows {
    uint64_t before; /* highest number of earlier parts */
    uint64_t last;   /* highest number of all rows */
    GString *bytes;
    GArray *index; /* struct row */
};

void rows_begin_part(struct rows *rows)
{
    rows->before = rows->last;
}

void rows_add(struct rows *rows, unsigned number, const void *bytes, gsize size)
{
    const struct row row = {rows->before + number, rows->bytes->len, size};

    rows->last = MAX(rows->last, row.number);
    g_array_append_val(rows->index, row);
    g_string_append_len(rows->bytes, bytes, (gssize)size);
    g_string_append_c(rows->bytes, '\0');
}

static gint compare_rows(gconstpointer a, gconstpointer b)
{
    const struct row *x = a, *y = b;

    if (x->number != y->number)
        return x->number < y->number ? -1 : 1;
    return x->offset < y->offset ? -1 : 1;
}

void rows_each(struct rows *rows, row_visitor *each, void *user)
{
    g_array_sort(rows->index, compare_rows);
    for (guint i = 0; i < rows->index->len; i++) {
        const struct row *row = &g_array_index(rows->index, struct row, i);

        each(user, rows->bytes->str + row->offset, row->size);
    }
}

struct action *action_new(const struct options *options)
{
    const struct action_kind *kind = options->action;
    struct action *action = g_malloc0(kind->size);

    *action = kind->running;
    action->options = options;
    action->rows = g_new0(struct rows, 1);
    action->rows->bytes = g_string_new(NULL);
    action->rows->index = g_array_new(FALSE, FALSE, sizeof(struct row));
    if (kind->begin)
        kind->begin(action);
    return action;
}

void action_free(struct action *action)
{
    if (action->rows) {
        g_string_free(action->rows->bytes, TRUE);
        g_array_free(action->rows->index, TRUE);
        g_free(action->rows);
    }
    g_free(action);
}

void action_add_others(struct qs_sessions_handler *handler, const struct qs_small_sessions *others)
{
    struct qs_small_sessions *sum = &((struct action *)handler)->others;

    sum->sessions += others->sessions;
    sum->packets += others->packets;
}

void action_add_missed(struct qs_sessions_handler *handler, const struct qs_missed_games *missed)
{
    struct action *action = (struct action *)handler;
    g_autofree char *server = NULL;

    memcpy(action->likely_ports, missed->ports, sizeof missed->ports);
    if (!missed->announced)
        return;
    action->sessions++;
    server = qs_address_text(&missed->server);
    failure(EXIT_PROBLEMS, (struct qs_location){0},
            "a server sent its client to %s, but the capture has no packet from there%s; capture "
            "with a filter that names no port, such as: udp and host %.*s",
            server, missed->announced > 1 ? ", and others on other ports" : "",
            (int)(strrchr(server, ':') - server), server);
}

void action_warn_of_clocks(const struct action *action)
{
    if (action->read.overlap)
        message((struct qs_location){.file = action->options->argument},
                "the captures overlap; if their clocks differ, the loss and ping of this copy are "
                "wrong: shift one with editcap -t before");
}

void action_report_no_session(const struct action *action)
{
    const uint16_t port = action->likely_ports[0];

    if (action->sessions || action->others.sessions || exit_status_get() != EXIT_OK)
        return;
    if (port)
        failure(EXIT_PROBLEMS, (struct qs_location){0},
                "no session found; the packets between ports %u and %u are numbered like a game's: "
                "try --port with the server's port, such as --port qw=%u or --port q2=%u",
                port, action->likely_ports[1], port, port);
    else
        failure(EXIT_PROBLEMS,
                (struct qs_location){.file = action->read.files == 1 ? action->read.file : NULL},
                "no session found: none of %" G_GUINT64_FORMAT " packet%s (%" G_GUINT64_FORMAT
                " of UDP, %" G_GUINT64_FORMAT " of TCP) is of a game's connection; %s",
                action->read.packets, qs_plural(action->read.packets), action->read.datagrams,
                action->read.segments,
                action->read.cut ? "the capture has only the beginning of packets: record with "
                                   "tcpdump -s 0"
                                 : "was the capture made where the game's packets pass, on the "
                                   "server's port?");
}
