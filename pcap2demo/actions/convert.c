/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Converts captures: the default action, which writes a demo of each session. */
#include <stdio.h>

#include "common/core/numeric_text.h"
#include "pcap2demo/actions/action.h"
#include "common/dump/dump.h"
#include "pcap2demo/actions/report.h"

static void print_file(const struct action *action, const struct qs_client_session *session,
                       const struct qs_session_demo_file *file)
{
    char *game, *duration, *path;

    if (file->error) {
        failure(EXIT_PROBLEMS, report_location(session), "%s%s%s", file->name ? file->name : "",
                file->name ? ": " : "", file->error);
        return;
    }
    if (action->options->quiet)
        return;
    game = report_game(session);
    duration = qs_duration_text(qs_seconds_of(file->end - file->start));
    path = g_build_filename(demo_files_folder(action->options->demos), file->name, NULL);
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

static void convert_session(struct qs_sessions_handler *handler,
                            const struct qs_client_session *session)
{
    struct action *action = (struct action *)handler;
    g_autofree char *left_out = NULL;
    char *why;

    if (session->recorded) {
        failure(EXIT_UNUSABLE, (struct qs_location){.file = session->first.file},
                "is already a demo; --list, --dump, --check and --pcap read it");
        return;
    }
    action->sessions++;
    if (!session->demo) { /* the protocol has no rebuilder */
        why = report_demo(session);
        if (!action->options->quiet)
            message(report_location(session), "%s %s", session->protocol->title, why);
        g_free(why);
        return;
    }
    for (guint i = 0; i < session->demo->files->len; i++)
        print_file(action, session, g_ptr_array_index(session->demo->files, i));
    report_demo_problems(session);
    if (!action->options->quiet)
        left_out = qs_session_demo_left_out_text(session->demo);
    if (left_out)
        message(report_location(session), "commands left out: %s", left_out);
    if (action->options->verbose)
        print_counts(session);
}

static void convert_others(struct qs_sessions_handler *handler,
                           const struct qs_small_sessions *others)
{
    action_add_others(handler, others);
    report_fail_others(others);
}

static void convert_end(struct action *action, bool report)
{
    if (report)
        action_report_no_session(action);
}

const struct action_kind convert_action = {
    .size = sizeof(struct action),
    .running = {.handler.want_rebuild = true,
                .handler.write_demos = true,
                .handler.unchecked = true,
                .handler.session_end = convert_session,
                .handler.others = convert_others,
                .handler.missed = action_add_missed,
                .end = convert_end},
};
