/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of conversations: pairs of address and port, found by either direction's packets.
 *
 * Memory is bounded: a conversation that was idle for FLOW_IDLE (in the capture's time) is over,
 * and when there are too many of its class the one of them idle longest is. Anybody can begin as
 * many conversations as there are addresses to lie about: those cannot end any that are more than
 * that.
 */
#ifndef PCAP2DEMO_FLOW_H
#define PCAP2DEMO_FLOW_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/core/packet.h"

/* How much there is to a conversation. */
enum flow_class {
    FLOW_ONE_SIDED, /* one end has sent so far */
    FLOW_ANSWERED,  /* both have */
    FLOW_LIVE,      /* whoever uses the table has seen more: see flow_raise() */
    FLOW_CLASSES
};

/* Of each class, unless the table has another limit. */
enum { FLOWS_MAX = 1024 };

/* Nanoseconds. */
#define FLOW_IDLE (INT64_C(300) * 1000000000)

/* What the table keeps of a conversation; its owner's struct begins with this. */
struct flow {
    struct qs_address ends[2]; /* QS_END_A and QS_END_B */
    int64_t last;              /* time of the latest packet */
    uint64_t turn;             /* of the uses of all conversations, the number of its latest */
    enum flow_class class;
    bool heard[2]; /* by enum qs_end */
    GList link;    /* in its class, idle longest first */
};

struct flow_table;

/* `over` is called for each conversation that ends, and frees it. */
struct flow_table *flow_table_new(void (*over)(struct flow *flow, void *user), void *user);

/* There may be so many conversations of the class, 1 or more, from now on. */
void flow_table_limit(struct flow_table *table, enum flow_class class, guint max);

/* Ends all conversations, the one idle longest first, and the table. */
void flow_table_free(struct flow_table *table);

/*
 * The conversation that the packet belongs to, or NULL. It is then the latest, and packet->from
 * is the end that sent the packet. Others that were idle too long by the packet's time end first,
 * and one may where this one is answered by the packet.
 */
struct flow *flow_find(struct flow_table *table, struct qs_packet *packet);

/* The conversation between two addresses, or NULL. Changes nothing. */
struct flow *flow_between(const struct flow_table *table, const struct qs_address *a,
                          const struct qs_address *b);

/* Which end of the conversation an address is. */
enum qs_end flow_end_of(const struct flow *flow, const struct qs_address *address);

/* The conversation of the class that was idle longest, and the latest but `own`; or NULL. */
struct flow *flow_oldest(const struct flow_table *table, enum flow_class class);
struct flow *flow_latest(const struct flow_table *table, enum flow_class class,
                         const struct flow *own);

/* How many conversations are of the class. */
guint flow_count(const struct flow_table *table, enum flow_class class);

/*
 * The conversation is of a higher class from now on, the latest one of it. The one idle longest
 * ends where they are too many.
 */
void flow_raise(struct flow_table *table, struct flow *flow, enum flow_class class);

/* Adds a conversation that is not there yet, of which QS_END_A has sent; the latest as of `now`. */
void flow_add(struct flow_table *table, struct flow *flow, const struct qs_address *a,
              const struct qs_address *b, int64_t now);

/* Calls `each` of all conversations; it adds and ends none. */
void flow_table_each(struct flow_table *table, void (*each)(struct flow *flow, void *user),
                     void *user);

/* The clock was set forwards by so many nanoseconds: no conversation was idle for that. */
void flow_table_shift(struct flow_table *table, int64_t step);

/* Ends a conversation early. */
void flow_end(struct flow_table *table, struct flow *flow);

#endif
