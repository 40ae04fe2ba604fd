/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The default action: a demo for each session. */
#include <stdio.h>

#include "common/core/numeric_text.h"
#include "pcap2demo/actions/action.h"
#include "common/dump/dump.h"
#include "pcap2demo/actions/report.h"

struct convert {
    struct action action;
    unsigned sessions;        /* with or without a demo */
    uint16_t likely_ports[2]; /* see struct qs_missed_games */
};

static void print_file(const struct convert *convert, const struct qs_client_session *session,
                       const struct qs_session_demo_file *file)
{
    char *game, *duration, *path;

    if (file->error) {
        failure(EXIT_PROBLEMS, report_location(session), "%s%s%s", file->name ? file->name : "",
                file->name ? ": " : "", file->error);
        return;
    }
    if (convert->action.options->quiet)
        return;
    game = report_game(session);
    duration = qs_duration_text(qs_seconds_of(file->end - file->start));
    path = g_build_filename(demo_files_folder(convert->action.options->demos), file->name, NULL);
    print_line("%s: session %u, %s, %s, %" G_GUINT64_FORMAT " bytes%s",
               path + (g_str_has_prefix(path, "./") ? 2 : 0), session->number, game, duration,
               file->size, file->unchanged ? ", unchanged" : "");
    g_free(game);
    g_free(duration);
    g_free(path);
}

static void print_counts(const struct qs_client_session *session)
{
    const struct qs_demo_counts *counts = &session->demo->writer.counts;

    message(report_location(session),
            "blocks: %" G_GUINT64_FORMAT ", messages left out: %" G_GUINT64_FORMAT
            ", frames repaired: %" G_GUINT64_FORMAT ", missing: %" G_GUINT64_FORMAT,
            counts->blocks, counts->stripped, counts->repaired, counts->missing);
}

static void print_left_out(const struct qs_client_session *session)
{
    g_autofree char *text = qs_session_demo_left_out_text(session->demo);

    if (text)
        message(report_location(session), "commands left out: %s", text);
}

static void convert_session(struct qs_sessions_handler *handler,
                            const struct qs_client_session *session)
{
    struct convert *convert = (struct convert *)handler;
    char *why;

    if (session->recorded) {
        failure(EXIT_UNUSABLE, (struct qs_location){.file = session->first.file},
                "is already a demo; --list, --dump, --check and --pcap read it");
        return;
    }
    convert->sessions++;
    if (!session->demo) { /* its protocol has no rebuilder */
        why = report_demo(session);
        if (!convert->action.options->quiet)
            message(report_location(session), "%s %s", session->protocol->title, why);
        g_free(why);
        return;
    }
    for (guint i = 0; i < session->demo->files->len; i++)
        print_file(convert, session, g_ptr_array_index(session->demo->files, i));
    report_demo_problems(session);
    if (!convert->action.options->quiet)
        print_left_out(session);
    if (convert->action.options->verbose)
        print_counts(session);
}

static void convert_others(struct qs_sessions_handler *handler,
                           const struct qs_small_sessions *others)
{
    ((struct convert *)handler)->sessions++;
    report_fail_others(others);
}

static void convert_missed(struct qs_sessions_handler *handler,
                           const struct qs_missed_games *missed)
{
    struct convert *convert = (struct convert *)handler;
    GString *server;

    memcpy(convert->likely_ports, missed->ports, sizeof missed->ports);
    if (!missed->announced)
        return;
    convert->sessions++;
    server = g_string_new(NULL);
    qs_address_append(server, &missed->server);
    failure(EXIT_PROBLEMS, (struct qs_location){0},
            "a server sent its client to %s, but the capture has no packet from there%s; capture "
            "with a filter that names no port, such as: udp and host %.*s",
            server->str, missed->announced > 1 ? ", and others on other ports" : "",
            (int)(strrchr(server->str, ':') - server->str), server->str);
    g_string_free(server, TRUE);
}

static void print_no_session(const uint16_t likely[2])
{
    if (likely[0])
        failure(EXIT_PROBLEMS, (struct qs_location){0},
                "no session found; the packets between ports %u and %u are numbered like a game's: "
                "try --port with the server's port, such as --port qw=%u or --port q2=%u",
                likely[0], likely[1], likely[0], likely[0]);
    else
        failure(EXIT_PROBLEMS, (struct qs_location){0}, "no session found");
}

static void convert_end(struct action *action, bool report)
{
    const struct convert *convert = (const struct convert *)action;

    if (report && !convert->sessions && status_so_far() == EXIT_WELL)
        print_no_session(convert->likely_ports);
}

const struct action_kind convert_action = {
    .size = sizeof(struct convert),
    .running = {.handler.want_rebuild = true,
                .handler.write_demos = true,
                .handler.unchecked = true,
                .handler.session_end = convert_session,
                .handler.others = convert_others,
                .handler.missed = convert_missed,
                .end = convert_end},
};
