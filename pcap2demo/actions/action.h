/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is done with the sessions of the input: convert, list, dump, check, ... Each action is a
 * file with a record, which actions.c lists.
 */
#ifndef PCAP2DEMO_ACTION_H
#define PCAP2DEMO_ACTION_H

#include <stdbool.h>

#include "pcap2demo/actions/options.h"
#include "common/sessions/sessions.h"
#include "pcap2demo/output/message.h"

/*
 * A running action. Any function but `end` may be NULL. An implementation begins with this struct;
 * the handler gets packets and sessions.
 */
struct action {
    struct qs_sessions_handler handler;
    bool separate_inputs; /* sessions end with each input, and are numbered from 1 in the next */
    bool interrupted;     /* set by the caller: not everything was read */
    /*
     * The inputs are read twice where this is not NULL: it is called before the first reading
     * (`begins`) and after it; messages are muted meanwhile. Pipes are read once, unless `twice`:
     * then they are refused.
     */
    void (*ahead)(struct action *action, bool begins);
    bool twice;
    /* An input is open, and will be read. */
    void (*input_start)(struct action *action, const char *file);
    /* The input was read, to its end unless it is damaged. */
    void (*input_over)(struct action *action, const char *file, uint64_t frames);
    /* Everything was read. Frees the action. `report` is false where nothing could be read. */
    void (*end)(struct action *action, bool report);
};

/* How the command line asks for an action. */
struct action_kind {
    const char *name; /* of the option: "list" */
    char letter;      /* its short form, or 0 */
    const char *help;
    const char *argument; /* what --help calls the option's argument, or NULL */
    /* The argument is one of several: number i of them, NULL behind the last. Or NULL. */
    const char *(*choice)(unsigned i);
    const char *standard; /* the argument where it is left out; NULL: it may not be */
    bool json;            /* --json goes with it */
    /* What is wrong with the argument, as a new text, or NULL. NULL: nothing can be. */
    char *(*problem)(const char *argument);
    const GOptionEntry *entries; /* options that go with it alone (options.h); or NULL */
    bool is_implied;             /* one of them asks for the action, too */
    /* Parses their values; the files are known. False: an error was reported. NULL: all are good.
     */
    bool (*parse_options)(const struct options *options);
    struct action *(*create)(const struct options *options);
    /* Instead of `create`, of what needs no input: the files are words. Or NULL. */
    void (*print)(const struct options *options);
};

/* What is done where no option names an action. */
extern const struct action_kind convert_action;

/* The others, as --help has them; ends with NULL. */
extern const struct action_kind *const action_kinds[];

extern const struct action_kind list_action, dump_action, check_action, stats_action, pcap_action,
    extract_action, anonymize_action, fields_action;

#endif
