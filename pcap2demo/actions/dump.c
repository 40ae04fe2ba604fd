/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --dump: every field of every packet, as text or JSON lines. */
#include <stdio.h>

#include "common/dump/dump.h"
#include "pcap2demo/actions/action.h"
#include "pcap2demo/sessions/sessions.h"

struct dump {
    struct action action;
    const struct options *options;
    struct qs_text_sink *text; /* one of the two is NULL */
    struct qs_json_sink *json;
};

static void dump_packet(struct session_handler *handler, const struct decoded_packet *decoded)
{
    const struct dump *dump = (const struct dump *)handler;
    const struct qs_dump_packet about = {.packet = decoded->packet,
                                         .decoder = decoded->decoder,
                                         .session =
                                             decoded->session ? decoded->session->number : 0};
    const bool wanted = sessions_want(&dump->options->sessions, decoded->session);

    if (dump->json && wanted)
        qs_json_sink_end(dump->json, &about);
    else if (dump->json)
        qs_json_sink_discard(dump->json);
    else if (wanted)
        qs_text_sink_end(dump->text, &about);
    else
        qs_text_sink_discard(dump->text);
}

static void dump_end(struct action *action, bool report)
{
    struct dump *dump = (struct dump *)action;

    (void)report;
    if (dump->json)
        qs_json_sink_free(dump->json);
    else
        qs_text_sink_free(dump->text);
    g_free(dump);
}

struct action *dump_new(const struct options *options)
{
    struct dump *dump = g_new0(struct dump, 1);

    dump->action = (struct action){.handler.packet = dump_packet, .end = dump_end};
    dump->options = options;
    if (options->json) {
        dump->json = qs_json_sink_new(stdout);
        dump->action.handler.sink = qs_json_sink_base(dump->json);
        dump->action.handler.want_summary = true;
    } else {
        dump->text = qs_text_sink_new(stdout);
        dump->action.handler.sink = qs_text_sink_base(dump->text);
    }
    return &dump->action;
}
