/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --dump: prints every field of every packet, in one of the formats of common/dump. */
#include <stdio.h>
#include <string.h>

#include "common/dump/dump.h"
#include "common/dump/secret.h"
#include "pcap2demo/actions/action.h"
#include "pcap2demo/regression/golden.h"

struct dump {
    struct action action;
    struct qs_dump *dump;
    struct qs_secret_redactor redactor;
    GPtrArray *ignored; /* fields that the compact format leaves out */
};

static void dump_packet(struct qs_sessions_handler *handler,
                        const struct qs_decoded_packet *decoded)
{
    const struct dump *dump = (const struct dump *)handler;
    const struct qs_dump_packet about = {.packet = decoded->packet,
                                         .decoder = decoded->decoder,
                                         .session =
                                             decoded->session ? decoded->session->number : 0};

    if (qs_sessions_want(&dump->action.options->sessions, decoded->session))
        qs_dump_print(dump->dump, &about, stdout);
    else
        dump->dump->discard(dump->dump);
}

static void dump_end(struct action *action, bool report)
{
    struct dump *dump = (struct dump *)action;

    (void)report;
    dump->dump->free(dump->dump);
    qs_secret_redactor_clear(&dump->redactor);
    g_ptr_array_free(dump->ignored, TRUE);
}

/* Initializes the dump. --json overrides other formats. */
static void begin(struct action *action)
{
    const struct options *options = action->options;
    const struct qs_dump_format *format =
        options->json ? &qs_dump_json : qs_dump_format_find(options->argument);
    struct dump *dump = (struct dump *)action;

    qs_secret_redactor_init(&dump->redactor, true);
    dump->dump = format->create();
    dump->ignored = golden_varying_fields();
    /* The compact format is for comparisons, so it leaves out the fields that goldens ignore. */
    if (format == &qs_dump_compact)
        qs_dump_text_leave_out(dump->dump, golden_is_ignored, dump->ignored);
    action->handler.sink = &dump->dump->sink;
    action->handler.want_summary = format->want_summary;
    action->handler.redactor = options->show_secrets ? NULL : &dump->redactor.base;
}

const struct action_kind dump_action = {
    .option = {"dump", .type = OPTION_ACTION, .help = "Print every field of every packet",
               .choices = "text|compact|json", .standard = "text"},
    .json = true,
    .size = sizeof(struct dump),
    .running = {.handler.as_captured = true, .handler.packet = dump_packet, .end = dump_end},
    .begin = begin,
};
