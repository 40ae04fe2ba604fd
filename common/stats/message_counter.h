/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A sink that counts what a packet consists of: the outermost groups of fields, which are messages
 * and the headers around them. What was joined or inflated counts as it is then.
 */
#ifndef QS_STATS_MESSAGE_COUNTER_H
#define QS_STATS_MESSAGE_COUNTER_H

#include <glib.h>

#include "common/core/parse.h"

/* A message. */
struct qs_counted {
    const struct qs_field *group;
    uint32_t bytes;
    bool open; /* its end, and with it `bytes`, is to come */
};

struct qs_message_counter {
    struct qs_sink base;
    struct qs_sink *next; /* that is given all of it, too; or NULL */
    GArray *counted;      /* struct qs_counted: of the packet that was decoded last */
    GArray *open;         /* uint32_t: offsets of open groups */
    GArray *bases;        /* guint: groups that were open when each source began */
};

void qs_message_counter_init(struct qs_message_counter *counter);
void qs_message_counter_clear(struct qs_message_counter *counter);

/* Another packet is decoded next. */
void qs_message_counter_begin(struct qs_message_counter *counter, struct qs_sink *next);

#endif
