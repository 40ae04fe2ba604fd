/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is done with the sessions of a capture: convert, list, dump, check, count or extract files.
 * Each is an action, in a file of its own.
 */
#ifndef PCAP2DEMO_ACTION_H
#define PCAP2DEMO_ACTION_H

#include <stdbool.h>

#include "pcap2demo/options.h"
#include "pcap2demo/sessions/sessions.h"

/*
 * Any function but `end` may be NULL. An implementation begins with this struct, and has its
 * functions for packets and sessions in the handler.
 */
struct action {
    struct session_handler handler;
    bool interrupted; /* set by the caller: not everything was read */
    /* An input is open, and will be read. */
    void (*input_start)(struct action *action, const char *file);
    /* An input was read to its end, or as far as it could be. */
    void (*input_over)(struct action *action, const char *file, uint64_t frames);
    /* Everything was read. Frees the action. `report` is false where nothing could be read. */
    void (*end)(struct action *action, bool report);
};

struct action *convert_new(const struct options *options);
struct action *list_new(const struct options *options);
struct action *dump_new(const struct options *options);
struct action *check_new(const struct options *options);
struct action *pcap_new(const struct options *options);
struct action *stats_new(const struct options *options);
struct action *extract_new(const struct options *options);

#endif
