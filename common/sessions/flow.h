/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of conversations: pairs of address and port, found by either direction's packets.
 *
 * Memory is bounded: a conversation that was idle for QS_FLOW_IDLE (in the capture's time) is over,
 * and when there are too many of its class the one of them idle longest is. Anybody can begin as
 * many conversations as there are addresses to lie about: those cannot end any that are more than
 * that.
 */
#ifndef QS_SESSIONS_FLOW_H
#define QS_SESSIONS_FLOW_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/core/packet.h"

/* How much there is to a conversation. */
enum qs_flow_class {
    QS_FLOW_ONE_SIDED, /* one end has sent so far */
    QS_FLOW_ANSWERED,  /* both have */
    QS_FLOW_LIVE,      /* whoever uses the table has seen more: see qs_flow_raise() */
    QS_FLOW_CLASSES
};

/* Of each class, unless the table has another limit. */
enum { QS_FLOWS_MAX = 1024 };

/* Nanoseconds. */
#define QS_FLOW_IDLE (INT64_C(300) * 1000000000)

/* What the table keeps of a conversation; its owner's struct begins with this. */
struct qs_flow {
    struct qs_address ends[2];  /* QS_END_A and QS_END_B */
    struct qs_address other[2]; /* a second pair of ends that finds it: */
    bool moved;                 /* those before qs_flow_move() */
    bool translated;            /* those behind a NAT: see qs_flow_add_ends() */
    bool displaced;             /* another conversation has moved to `ends` */
    int64_t last;               /* time of the latest packet; see qs_flow_last() */
    int64_t shifted;            /* by how much the clock had been set then */
    enum qs_flow_class class;
    bool received[2];       /* by enum qs_end */
    GList link, class_link; /* in all, and in its class, idle longest first */
};

struct qs_flow_table;

/* `over` is called for each conversation that ends, and frees it. A conversation that was idle for
 * so long is over; 0: QS_FLOW_IDLE. */
struct qs_flow_table *qs_flow_table_new(int64_t idle,
                                        void (*over)(struct qs_flow *flow, void *user), void *user);

/* Ends the conversations that were idle too long by this time. */
void qs_flow_table_expire(struct qs_flow_table *table, int64_t now);

/* There may be so many conversations of the class, 1 or more, from now on. */
void qs_flow_table_limit(struct qs_flow_table *table, enum qs_flow_class class, guint max);

/* Ends all conversations, the one idle longest first, and the table. */
void qs_flow_table_free(struct qs_flow_table *table);

/*
 * The conversation that the packet belongs to, or NULL. It is then the latest, and packet->from
 * is the end that sent the packet. Others that were idle too long by the packet's time end first,
 * and one may where this one is answered by the packet.
 */
struct qs_flow *qs_flow_find(struct qs_flow_table *table, struct qs_packet *packet);

/* The conversation between two addresses, or NULL. Changes nothing. */
struct qs_flow *qs_flow_between(const struct qs_flow_table *table, const struct qs_address *a,
                                const struct qs_address *b);

/* The address of an end of it is another from now on. The former one still finds it. */
void qs_flow_move(struct qs_flow_table *table, struct qs_flow *flow, enum qs_end end,
                  const struct qs_address *address);

/* Whether the packet was found by the second pair of ends; and that finds it no more. */
bool qs_flow_is_other(const struct qs_flow *flow, const struct qs_packet *packet);
void qs_flow_forget_other(struct qs_flow_table *table, struct qs_flow *flow);

/* The packet's ends find the conversation, too, of which `from` sent the packet. They find no other
 * one. */
void qs_flow_add_ends(struct qs_flow_table *table, struct qs_flow *flow, enum qs_end from,
                      const struct qs_packet *packet);

/* Which end of the conversation an address is. */
enum qs_end qs_flow_end_of(const struct qs_flow *flow, const struct qs_address *address);

/* The conversation of the class that was idle longest, and the latest but `own`; or NULL. */
struct qs_flow *qs_flow_oldest(const struct qs_flow_table *table, enum qs_flow_class class);
struct qs_flow *qs_flow_latest(const struct qs_flow_table *table, enum qs_flow_class class,
                               const struct qs_flow *own);

/* How many conversations are of the class. */
guint qs_flow_count(const struct qs_flow_table *table, enum qs_flow_class class);

/*
 * The conversation is of a higher class from now on, the latest one of it. The one idle longest
 * ends where they are too many.
 */
void qs_flow_raise(struct qs_flow_table *table, struct qs_flow *flow, enum qs_flow_class class);

/* Adds a conversation that is not there yet, of which QS_END_A has sent; the latest as of `now`. */
void qs_flow_add(struct qs_flow_table *table, struct qs_flow *flow, const struct qs_address *a,
                 const struct qs_address *b, int64_t now);

/* Calls `each` of all conversations; it adds and ends none. */
void qs_flow_table_each(struct qs_flow_table *table, void (*each)(struct qs_flow *flow, void *user),
                        void *user);

/* The time moved by as much, as far as times go: from 0 to INT64_MAX. */
static inline int64_t qs_time_moved(int64_t time, int64_t by)
{
    if (by > 0)
        return MIN(time, INT64_MAX - by) + by;
    return MAX(time + by, 0);
}

/* The clock was set forwards by so many nanoseconds: no conversation was idle for that. Takes as
 * long however many there are, since any packet may do it. */
void qs_flow_table_shift(struct qs_flow_table *table, int64_t step);

/* By how much it was set, in all. */
int64_t qs_flow_table_shifted(const struct qs_flow_table *table);

/* Time of the conversation's latest packet, by the clock as it is now. */
int64_t qs_flow_last(const struct qs_flow_table *table, const struct qs_flow *flow);

/* Ends a conversation early. */
void qs_flow_end(struct qs_flow_table *table, struct qs_flow *flow);

#endif
