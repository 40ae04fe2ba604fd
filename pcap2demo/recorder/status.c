/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/recorder/status.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/numeric_text.h"
#include "common/protocols.h"
#include "pcap2demo/actions/action.h"
#include "pcap2demo/actions/report.h"
#include "pcap2demo/output/writer.h"
#include "pcap2demo/recorder/log.h"

enum { FINISHED_MAX = 100 };

static const char finished_file[] = "pcap2demo-finished.json";

/* --- Counters -------------------------------------------------------------------------------- */

/* clang-format off */
static const struct counter {
    const char *name, *help;
    bool of_games;
    size_t offset;
} counters[] = {
    {"sessions_ended", "Sessions that ended", true, offsetof(struct status_counts, sessions_ended)},
    {"packets", "Packets that were captured", false, offsetof(struct status_counts, packets)},
    {"dropped_kernel", "Packets that the kernel dropped", false, offsetof(struct status_counts, dropped_kernel)},
    {"dropped_interface", "Packets that interfaces dropped", false, offsetof(struct status_counts, dropped_interface)},
    {"demos", "Demos that were written", true, offsetof(struct status_counts, demos)},
    {"demo_bytes", "Bytes of these demos", true, offsetof(struct status_counts, demo_bytes)},
    {"lost_demos", "Demos that are lost or end early", false, offsetof(struct status_counts, lost_demos)},
    {"lost_bytes", "Bytes that are lost", false, offsetof(struct status_counts, lost_bytes)},
};
/* clang-format on */

static uint64_t *count_in(const struct status_counts *counts, const struct counter *counter)
{
    return (uint64_t *)((char *)counts + counter->offset);
}

static struct status_counts sum_up(const struct status *status)
{
    struct status_counts sum = status->all;

    for (size_t i = 0; i < G_N_ELEMENTS(counters); i++)
        for (int game = 0; qs_protocols[game]; game++)
            *count_in(&sum, &counters[i]) += *count_in(&status->games[game], &counters[i]);
    return sum;
}

struct status_counts *status_game(struct status *status, const struct qs_protocol *protocol)
{
    return &status->games[qs_protocol_number(protocol->name)];
}

void status_init(struct status *status)
{
    *status =
        (struct status){.sessions = g_hash_table_new(NULL, NULL), .begun = g_get_monotonic_time()};
    status->finished = report_json("finished");
    json_object_set_new(status->finished, "count", json_integer(0));
    json_object_set_new(status->finished, "demos", json_array());
}

void status_clear(struct status *status)
{
    json_decref(status->finished);
    g_hash_table_destroy(status->sessions);
}

/* Open sessions with a known player, or of a protocol: NULL, all. */
static guint count_sessions(const struct status *status, bool players,
                            const struct qs_protocol *protocol)
{
    GHashTableIter each;
    gpointer data;
    guint count = 0;

    g_hash_table_iter_init(&each, status->sessions);
    while (g_hash_table_iter_next(&each, &data, NULL)) {
        const struct qs_client_session *session = data;

        count += (!players || (session->player && !session->spectator)) &&
                 (!protocol || session->protocol == protocol);
    }
    return count;
}

char *status_text(const struct status *status)
{
    const guint sessions = g_hash_table_size(status->sessions);
    const guint players = count_sessions(status, true, NULL);
    const struct status_counts sum = sum_up(status);
    GString *text = g_string_new(NULL);

    g_string_printf(text, "%u session%s, %u player%s, %" G_GUINT64_FORMAT " demo%s", sessions,
                    qs_plural(sessions), players, qs_plural(players), sum.demos,
                    qs_plural(sum.demos));
    if (sum.demos)
        g_string_append_printf(text, " (%.1f MB)", (double)sum.demo_bytes / 1e6);
    g_string_append_printf(text,
                           ", %" G_GUINT64_FORMAT " packets, dropped %" G_GUINT64_FORMAT
                           " by kernel, %" G_GUINT64_FORMAT " by interface",
                           sum.packets, sum.dropped_kernel, sum.dropped_interface);
    if (sum.lost_bytes || sum.lost_demos)
        g_string_append_printf(text,
                               ", lost %" G_GUINT64_FORMAT " demos, %" G_GUINT64_FORMAT " bytes",
                               sum.lost_demos, sum.lost_bytes);
    return g_string_free(text, FALSE);
}

json_t *status_json(const struct status *status)
{
    const struct status_counts sum = sum_up(status);
    json_t *object =
        json_pack("{s:I, s:I, s:I}", "sessions", (json_int_t)g_hash_table_size(status->sessions),
                  "players", (json_int_t)count_sessions(status, true, NULL), "seconds",
                  (json_int_t)((g_get_monotonic_time() - status->begun) / G_USEC_PER_SEC));

    for (size_t i = 0; i < G_N_ELEMENTS(counters); i++)
        json_object_set_new(object, counters[i].name, report_number(*count_in(&sum, &counters[i])));
    return object;
}

/* --- Files ----------------------------------------------------------------------------------- */

/* If the disk is full, the old file stays; the log has why. */
static void replace_file(const char *folder, const char *name, const char *text)
{
    char *path = g_build_filename(folder, name, NULL);

    g_free(writer_replace(path, text));
    g_free(path);
}

static void replace_json(const char *folder, const char *name, const json_t *object)
{
    char *text = json_dumps(object, JSON_INDENT(1) | JSON_REAL_PRECISION(17));

    replace_file(folder, name, text);
    free(text);
}

static gint compare_numbers(gconstpointer a, gconstpointer b)
{
    const unsigned one = ((const struct qs_client_session *)a)->number,
                   other = ((const struct qs_client_session *)b)->number;

    return one < other ? -1 : one > other;
}

json_t *status_session_json(const struct qs_client_session *session)
{
    json_t *object = report_session_json(session);

    json_object_set_new(object, "bytes", report_number(session->demo ? session->demo->size : 0));
    return object;
}

static json_t *sessions_json(const struct status *status)
{
    GList *sessions = g_list_sort(g_hash_table_get_keys(status->sessions), compare_numbers);
    json_t *array = json_array();

    for (GList *link = sessions; link; link = link->next)
        json_array_append_new(array, status_session_json(link->data));
    g_list_free(sessions);
    return array;
}

static void write_status(const struct status *status, const char *folder)
{
    char *time = log_time(), *text = status_text(status);
    json_t *object = report_json("status"), *numbers = status_json(status);

    json_object_update(object, numbers);
    json_object_set_new(object, "updated", json_string(time));
    json_object_set_new(object, "message", json_string(text));
    json_object_set_new(object, "sessions", sessions_json(status));
    replace_json(folder, STATUS_FILE, object);
    json_decref(numbers);
    json_decref(object);
    g_free(text);
    g_free(time);
}

static void append_metric(GString *text, const struct counter *counter, const char *game,
                          uint64_t value)
{
    g_string_append_printf(text, "pcap2demo_%s_total", counter->name);
    if (game)
        g_string_append_printf(text, "{game=\"%s\"}", game);
    g_string_append_printf(text, " %" G_GUINT64_FORMAT "\n", value);
}

static void write_metrics(const struct status *status, const char *path)
{
    char *folder = g_path_get_dirname(path), *name = g_path_get_basename(path);
    GString *text = g_string_new("# HELP pcap2demo_sessions Sessions that are open\n"
                                 "# TYPE pcap2demo_sessions gauge\n");

    for (int i = 0; qs_protocols[i]; i++)
        g_string_append_printf(text, "pcap2demo_sessions{game=\"%s\"} %u\n", qs_protocols[i]->name,
                               count_sessions(status, false, qs_protocols[i]));
    for (const struct counter *counter = counters; counter < counters + G_N_ELEMENTS(counters);
         counter++) {
        g_string_append_printf(text,
                               "# HELP pcap2demo_%s_total %s\n# TYPE pcap2demo_%s_total counter\n",
                               counter->name, counter->help, counter->name);
        if (!counter->of_games)
            append_metric(text, counter, NULL, *count_in(&status->all, counter));
        for (int i = 0; counter->of_games && qs_protocols[i]; i++)
            append_metric(text, counter, qs_protocols[i]->name,
                          *count_in(&status->games[i], counter));
    }
    replace_file(folder, name, text->str);
    g_string_free(text, TRUE);
    g_free(folder);
    g_free(name);
}

void status_write(struct status *status, const char *folder, const char *metrics)
{
    write_status(status, folder);
    if (status->finished_changed)
        replace_json(folder, finished_file, status->finished);
    status->finished_changed = false;
    if (metrics)
        write_metrics(status, metrics);
}

/* --- Finished demos -------------------------------------------------------------------------- */

void status_continue(struct status *status, const char *folder)
{
    char *path = g_build_filename(folder, finished_file, NULL);
    json_t *before = json_load_file(path, 0, NULL);

    if (json_is_integer(json_object_get(before, "count")) &&
        json_is_array(json_object_get(before, "demos")))
        json_object_update_existing(status->finished, before);
    json_decref(before);
    g_free(path);
}

void status_add_finished(struct status *status, const struct qs_protocol *protocol, json_t *members)
{
    const json_int_t count = json_integer_value(json_object_get(status->finished, "count")) + 1;
    json_t *demos = json_object_get(status->finished, "demos");
    struct status_counts *game = status_game(status, protocol);

    json_object_set_new(status->finished, "count", json_integer(count));
    json_object_set_new(members, "number", json_integer(count));
    json_array_append(demos, members);
    while (json_array_size(demos) > FINISHED_MAX)
        json_array_remove(demos, 0);
    status->finished_changed = true;
    game->demos++;
    game->demo_bytes += (uint64_t)json_integer_value(json_object_get(members, "bytes"));
}

/* --- Who plays ------------------------------------------------------------------------------- */

void status_log_players(const struct status *status)
{
    json_t *sessions = sessions_json(status), *session;
    size_t i;

    json_array_foreach(sessions, i, session)
    {
        char *row = report_status_row(session);

        log_warning("player", json_incref(session), "%s", row);
        g_free(row);
    }
    json_decref(sessions);
}
