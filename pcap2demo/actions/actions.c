/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The list of actions: the command line loops over it. */
#include "pcap2demo/actions/action.h"

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
