/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/actions/report.h"

static const char *text_of(const json_t *object, const char *member)
{
    const char *text = json_string_value(json_object_get(object, member));

    return text ? text : "?";
}

enum { FIGURE = 16, PROBLEMS_SHOWN = 3 };

/* "12.3", or "-" if it is not known. */
static const char *figure_text(char text[FIGURE], const json_t *object, const char *member)
{
    const json_t *value = json_object_get(object, member);

    if (!json_is_number(value))
        return "-";
    g_snprintf(text, FIGURE, "%.1f", json_number_value(value));
    return text;
}

char *report_status_row(const json_t *session)
{
    const json_t *line = json_object_get(session, "line"), *maps = json_object_get(session, "maps");
    const json_t *map = json_array_get(maps, json_array_size(maps) - 1);
    char up[FIGURE], down[FIGURE], ping[FIGURE];

    return g_strdup_printf(
        "%-24s %-11s %-12s %6.0f s %9" G_GINT64_FORMAT " %6s %6s %7s %9" G_GINT64_FORMAT "%s",
        text_of(session, "player"), text_of(session, "title"), map ? json_string_value(map) : "?",
        json_number_value(json_object_get(session, "duration")),
        (gint64)json_integer_value(json_object_get(session, "packets")),
        figure_text(up, json_object_get(line, "c2s"), "loss"),
        figure_text(down, json_object_get(line, "s2c"), "loss"), figure_text(ping, line, "ping"),
        (gint64)json_integer_value(json_object_get(session, "bytes")),
        json_is_true(json_object_get(session, "spectator")) ? "  spectator" : "");
}

/* What is wrong with a demo: the first lines. */
static void print_problems(const json_t *problems)
{
    const size_t count = json_array_size(problems);

    for (size_t i = 0; i < MIN(count, PROBLEMS_SHOWN); i++)
        print_line("  %s", json_string_value(json_array_get(problems, i)));
    if (count > PROBLEMS_SHOWN)
        print_line("  and %zu more", count - PROBLEMS_SHOWN);
}

static void print_sessions(const json_t *sessions)
{
    const json_t *session;
    size_t i;

    json_array_foreach(sessions, i, session)
    {
        g_autofree char *row = report_status_row(session);

        print_line("%s", row);
        print_problems(json_object_get(session, "demo_problems"));
    }
}

static void print_status(const struct options *options)
{
    const bool ascii = !g_get_charset(NULL);
    const char *folder =
        options->files && options->files[0] ? options->files[0] : "/var/lib/pcap2demo";
    g_autofree char *path = g_build_filename(folder, STATUS_FILE, NULL);
    json_error_t error;
    json_t *status = json_load_file(path, 0, &error);
    const json_t *finished = json_object_get(status, "finished");

    if (!status)
        failure(EXIT_UNUSABLE, (struct qs_location){.file = path}, "no status of a recorder: %s",
                g_file_test(path, G_FILE_TEST_EXISTS) ? error.text : "there is no such file");
    else
        print_line("%-24s %-11s %-12s %8s %9s %s %s %7s %9s", "player", "game", "map", "since",
                   "packets", ascii ? "  up %" : "loss↑%", ascii ? "down %" : "loss↓%", "ping ms",
                   "bytes");
    print_sessions(json_object_get(status, "sessions"));
    if (json_array_size(finished))
        print_line("finished:");
    print_sessions(finished);
    if (status)
        print_line("%s: %s", text_of(status, "updated"), text_of(status, "message"));
    json_decref(status);
}

const struct action_kind status_action = {
    .option = {"status", .type = OPTION_ACTION,
               .help = "Print who plays, as the recorder of a FOLDER saw it last"},
    .task = TASK_RECORD,
    .print = print_status,
};
