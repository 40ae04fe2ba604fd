/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/recording/status.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/numeric_text.h"
#include "common/protocols.h"
#include "pcap2demo/actions/action.h"
#include "pcap2demo/actions/report.h"
#include "pcap2demo/output/writer.h"
#include "pcap2demo/recording/log.h"

/* --- Counters -------------------------------------------------------------------------------- */

static const struct {
    const char *name, *help;
    bool of_games; /* else of `all` */
} counters[] = {
    [SESSIONS_ENDED] = {"sessions_ended", "Sessions that ended", true},
    [PACKETS] = {"packets", "Packets that were captured", false},
    [DROPPED_KERNEL] = {"dropped_kernel", "Packets that the kernel dropped", false},
    [DROPPED_INTERFACE] = {"dropped_interface", "Packets that interfaces dropped", false},
    [DEMOS_WRITTEN] = {"demos", "Demos that were written", true},
    [DEMO_BYTES] = {"demo_bytes", "Bytes of these demos", true},
    [LOST_DEMOS] = {"lost_demos", "Demos that are lost or end early", false},
    [LOST_BYTES] = {"lost_bytes", "Bytes that are lost", false},
};

void status_count_game(struct status *status, const struct qs_protocol *protocol,
                       enum status_counter counter, uint64_t more)
{
    status->games[qs_protocol_number(protocol->name)][counter] += more;
}

/* Of all games. */
static uint64_t sum_of(const struct status *status, enum status_counter counter)
{
    uint64_t sum = status->all[counter];

    for (int game = 0; qs_protocols[game]; game++)
        sum += status->games[game][counter];
    return sum;
}

void status_init(struct status *status)
{
    *status = (struct status){.sessions = g_ptr_array_new(), .begun = g_get_monotonic_time()};
}

void status_clear(struct status *status)
{
    g_ptr_array_free(status->sessions, TRUE);
}

/* Open sessions with a known player, or of a protocol: NULL, all. */
static guint count_sessions(const struct status *status, bool players,
                            const struct qs_protocol *protocol)
{
    guint count = 0;

    for (guint i = 0; i < status->sessions->len; i++) {
        const struct qs_client_session *session = g_ptr_array_index(status->sessions, i);

        count += (!players || (session->player && !session->spectator)) &&
                 (!protocol || session->protocol == protocol);
    }
    return count;
}

char *status_text(const struct status *status)
{
    const guint sessions = status->sessions->len, players = count_sessions(status, true, NULL);
    const uint64_t demos = sum_of(status, DEMOS_WRITTEN);
    GString *text = g_string_new(NULL);

    g_string_printf(text, "%u session%s, %u player%s, %" G_GUINT64_FORMAT " demo%s", sessions,
                    qs_plural(sessions), players, qs_plural(players), demos, qs_plural(demos));
    if (demos)
        g_string_append_printf(text, " (%.1f MB)", (double)sum_of(status, DEMO_BYTES) / 1e6);
    g_string_append_printf(text,
                           ", %" G_GUINT64_FORMAT " packets, dropped %" G_GUINT64_FORMAT
                           " by kernel, %" G_GUINT64_FORMAT " by interface",
                           status->all[PACKETS], status->all[DROPPED_KERNEL],
                           status->all[DROPPED_INTERFACE]);
    if (status->all[LOST_BYTES] || status->all[LOST_DEMOS])
        g_string_append_printf(text,
                               ", lost %" G_GUINT64_FORMAT " demos, %" G_GUINT64_FORMAT " bytes",
                               status->all[LOST_DEMOS], status->all[LOST_BYTES]);
    return g_string_free(text, FALSE);
}

json_t *status_json(const struct status *status)
{
    json_t *object =
        json_pack("{s:I, s:I, s:I}", "sessions", (json_int_t)status->sessions->len, "players",
                  (json_int_t)count_sessions(status, true, NULL), "seconds",
                  (json_int_t)((g_get_monotonic_time() - status->begun) / G_USEC_PER_SEC));

    for (enum status_counter i = 0; i < STATUS_COUNTERS; i++)
        json_object_set_new(object, counters[i].name, report_number(sum_of(status, i)));
    return object;
}

/* --- Files ----------------------------------------------------------------------------------- */

/* Frees the text. If the disk is full, the old file stays; the log has why. */
static void replace_file(const char *folder, const char *name, GString *text)
{
    char *path = g_build_filename(folder, name, NULL);

    g_free(writer_replace(path, text->str));
    g_free(path);
    g_string_free(text, TRUE);
}

/* Frees it. */
static void append_json(GString *text, json_t *object)
{
    char *json = json_dumps(object, JSON_COMPACT | JSON_REAL_PRECISION(17));

    g_string_append(text, json);
    json_decref(object);
    free(json);
}

json_t *status_session_json(const struct qs_client_session *session)
{
    json_t *object = report_session_json(session);

    json_object_set_new(object, "bytes", report_number(session->demo ? session->demo->size : 0));
    return object;
}

/* A session at a time, since there may be thousands. */
static void write_status(const struct status *status, const char *folder)
{
    char *time = log_time(), *message = status_text(status);
    json_t *object = report_json("status"), *numbers = status_json(status);
    GString *text = g_string_new(NULL);

    json_object_update(object, numbers);
    json_object_set_new(object, "updated", json_string(time));
    json_object_set_new(object, "message", json_string(message));
    append_json(text, object);
    g_string_truncate(text, text->len - 1); /* the brace at its end */
    g_string_append(text, ",\"sessions\":[");
    for (guint i = 0; i < status->sessions->len; i++) {
        g_string_append(text, i ? ",\n" : "\n");
        append_json(text, status_session_json(g_ptr_array_index(status->sessions, i)));
    }
    g_string_append(text, "]}\n");
    replace_file(folder, STATUS_FILE, text);
    json_decref(numbers);
    g_free(message);
    g_free(time);
}

static void append_metric(GString *text, const struct status *status, enum status_counter counter)
{
    const char *name = counters[counter].name;

    g_string_append_printf(text,
                           "# HELP pcap2demo_%s_total %s\n# TYPE pcap2demo_%s_total counter\n",
                           name, counters[counter].help, name);
    if (!counters[counter].of_games)
        g_string_append_printf(text, "pcap2demo_%s_total %" G_GUINT64_FORMAT "\n", name,
                               status->all[counter]);
    for (int i = 0; counters[counter].of_games && qs_protocols[i]; i++)
        g_string_append_printf(text, "pcap2demo_%s_total{game=\"%s\"} %" G_GUINT64_FORMAT "\n",
                               name, qs_protocols[i]->name, status->games[i][counter]);
}

static void write_metrics(const struct status *status, const char *path)
{
    GString *text = g_string_new("# HELP pcap2demo_sessions Sessions that are open\n"
                                 "# TYPE pcap2demo_sessions gauge\n");

    for (int i = 0; qs_protocols[i]; i++)
        g_string_append_printf(text, "pcap2demo_sessions{game=\"%s\"} %u\n", qs_protocols[i]->name,
                               count_sessions(status, false, qs_protocols[i]));
    for (enum status_counter i = 0; i < STATUS_COUNTERS; i++)
        append_metric(text, status, i);
    g_free(writer_replace(path, text->str));
    g_string_free(text, TRUE);
}

void status_write(struct status *status, const char *folder, const char *metrics)
{
    write_status(status, folder);
    if (metrics)
        write_metrics(status, metrics);
}

/* --- Who plays ------------------------------------------------------------------------------- */

void status_log_players(const struct status *status)
{
    for (guint i = 0; i < status->sessions->len; i++) {
        json_t *session = status_session_json(g_ptr_array_index(status->sessions, i));
        char *row = report_status_row(session);

        log_event(LOG_WARNING, "player", session, "%s", row);
        g_free(row);
    }
}
