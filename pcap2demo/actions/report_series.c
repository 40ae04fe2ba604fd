/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A session over time: the path, chat and the ways of players, in JSON. */
#include <math.h>

#include "common/dump/dump.h"
#include "pcap2demo/actions/report.h"

/* Of the session, to the millisecond. */
static json_t *seconds_json(const struct qs_client_session *session, int64_t time)
{
    const int64_t milliseconds = (time - session->start) / 1000000;

    return json_real((double)milliseconds / 1e3);
}

/* --- The path -------------------------------------------------------------------------------- */

/* Adds arrays of one length: a column each of a table. */
static json_t *add_columns(json_t *json, const char *const *names)
{
    for (; *names; names++)
        json_object_set_new(json, *names, json_array());
    return json;
}

static void append(json_t *columns, const char *name, json_t *value)
{
    json_array_append_new(json_object_get(columns, name), value);
}

json_t *report_series_json(const struct qs_client_session *session, const struct qs_series *series)
{
    static const char *const both[] = {"ping", "ping_p95", "choke", NULL};
    static const char *const one[] = {"packets", "loss", "loss_at_most", "not_captured", NULL};
    json_t *json, *directions[2];
    struct qs_path_quality quality;

    if (!series)
        return json_null();
    qs_path_quality(session->quality, &quality);
    json = add_columns(json_object(), both);
    json_object_set_new(json, "seconds", json_real((double)series->width / 1e9));
    for (int i = 0; i < 2; i++) {
        directions[i] = add_columns(json_object(), one);
        json_object_set_new(json, qs_direction_name(i ? QS_S2C : QS_C2S), directions[i]);
    }
    for (uint32_t i = 0; i < series->count; i++) {
        const struct qs_series_bin *bin = &series->bins[i];
        const struct qs_bin_figures figures = qs_series_figures(bin, &quality);

        append(json, "ping", report_figure_json(figures.ping));
        append(json, "ping_p95", report_figure_json(figures.ping_p95));
        append(json, "choke", report_figure_json(figures.choke));
        for (int j = 0; j < 2; j++) {
            append(directions[j], "packets", report_number(bin->sides[j].packets));
            append(directions[j], "loss", report_figure_json(figures.loss[j]));
            append(directions[j], "loss_at_most", report_figure_json(figures.loss_at_most[j]));
            append(directions[j], "not_captured", report_number(figures.not_captured[j]));
        }
    }
    return json;
}

/* --- Chat and ways --------------------------------------------------------------------------- */

/* Null stands between points that no way joins. */
static json_t *way_json(const struct qs_client_session *session, const struct qs_way *way)
{
    static const char *const names[] = {"time", "x", "y", NULL};
    json_t *json =
        json_pack("{s:o}", "player", report_text_json(way->name ? way->name : session->player));

    add_columns(json, names);
    for (guint i = 0; i < way->points->len; i++) {
        const struct qs_way_point *point = &g_array_index(way->points, struct qs_way_point, i);

        for (int j = 0; point->apart && i && names[j]; j++)
            append(json, names[j], json_null());
        append(json, "time", seconds_json(session, point->time));
        append(json, "x", json_integer(lrintf(point->x)));
        append(json, "y", json_integer(lrintf(point->y)));
    }
    return json;
}

json_t *report_play_json(const struct qs_client_session *session, const struct qs_play *play)
{
    json_t *chat = json_array(), *ways = json_array();

    for (guint i = 0; i < play->chat->len; i++) {
        const struct qs_chat_line *line = &g_array_index(play->chat, struct qs_chat_line, i);

        json_array_append_new(
            chat, json_pack("{s:o, s:o, s:o}", "time", seconds_json(session, line->time), "player",
                            report_text_json(line->speaker), "text", report_text_json(line->text)));
    }
    for (guint i = 0; i < play->ways->len; i++) {
        const struct qs_way *way = g_ptr_array_index(play->ways, i);

        if (way->points->len)
            json_array_append_new(ways, way_json(session, way));
    }
    return json_pack("{s:o, s:o, s:o}", "chat", chat, "chat_left_out",
                     report_number(play->chat_omitted), "ways", ways);
}
