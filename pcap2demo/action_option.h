/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options of the command line that say what is done, each of which is an action's. */
#ifndef PCAP2DEMO_ACTION_OPTION_H
#define PCAP2DEMO_ACTION_OPTION_H

#include "pcap2demo/actions/action.h"
#include "pcap2demo/actions/option_table.h"

/* What the options' callback gets: GOption's user data of their group. */
struct action_option {
    struct options *options; /* get the action and its argument */
    bool several;            /* more than one action was named */
};

void action_option_add(struct option_table *table);

/* "--list, --dump, --check and --stats", with `last` before the last one; `json`: of those that
 * print JSON. New. */
char *action_option_names(const char *last, bool json);

/*
 * GOption would take the word behind a bare --dump for its argument; it is a file's name. The texts
 * that it gets instead are collected in `spelt_out`.
 */
void action_option_spell_out(int argc, char **argv, GPtrArray *spelt_out);

#endif
