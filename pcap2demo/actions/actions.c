/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The list of actions: the command line loops over it. */
#include "pcap2demo/actions/action.h"

#include "pcap2demo/output/rows.h"

extern const struct action_kind list_action, dump_action, stats_action, anonymize_action,
    fields_action, status_action;

/* clang-format off */
const struct action_kind *const action_kinds[] = {
    &list_action,
    &dump_action,
    &check_action,
    &stats_action,
    &pcap_action,
    &extract_action,
    &anonymize_action,
    &fields_action,
    &status_action,
    NULL,
};
/* clang-format on */

struct action *action_new(const struct options *options)
{
    const struct action_kind *kind = options->action;
    struct action *action = g_malloc0(kind->size);

    *action = kind->running;
    action->options = options;
    action->rows = rows_new();
    if (kind->begin)
        kind->begin(action);
    return action;
}

void action_free(struct action *action)
{
    if (action->rows)
        rows_free(action->rows);
    g_free(action);
}

void action_add_others(struct qs_sessions_handler *handler, const struct qs_small_sessions *others)
{
    struct qs_small_sessions *sum = &((struct action *)handler)->others;

    sum->sessions += others->sessions;
    sum->packets += others->packets;
}
