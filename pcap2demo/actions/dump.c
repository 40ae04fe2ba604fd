/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --dump: every field of every packet, as text or JSON lines. */
#include <stdio.h>

#include "common/dump/dump.h"
#include "pcap2demo/actions/action.h"
#include "pcap2demo/sessions/session.h"

struct dump {
    struct action action;
    const struct options *options;
    struct qs_text_sink *text; /* one of the two is NULL */
    struct qs_json_sink *json;
};

static void dump_packet(struct action *action, const struct seen *seen)
{
    const struct dump *dump = (const struct dump *)action;
    const struct qs_dump_packet about = {.packet = seen->packet,
                                         .decoder = seen->decoder,
                                         .session = seen->session ? seen->session->number : 0};
    const bool wanted = session_is_wanted(seen->session, dump->options);

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

    dump->action = (struct action){.packet = dump_packet, .end = dump_end};
    dump->options = options;
    if (options->json) {
        dump->json = qs_json_sink_new(stdout);
        dump->action.sink = qs_json_sink_base(dump->json);
        dump->action.want_summary = true;
    } else {
        dump->text = qs_text_sink_new(stdout);
        dump->action.sink = qs_text_sink_base(dump->text);
    }
    return &dump->action;
}
