/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of conversations: pairs of address and port, found by either direction's packets.
 *
 * Memory is bounded: a conversation that was idle for FLOW_IDLE (in the capture's time) is over,
 * and when there are FLOWS_MAX the one idle longest is.
 */
#ifndef PCAP2DEMO_FLOW_H
#define PCAP2DEMO_FLOW_H

#include <glib.h>
#include <stdint.h>

#include "common/core/packet.h"

enum { FLOWS_MAX = 1024 };

/* Nanoseconds. */
#define FLOW_IDLE (INT64_C(300) * 1000000000)

/* What the table keeps of a conversation; its owner's struct begins with this. */
struct flow {
    struct qs_address ends[2]; /* QS_END_A and QS_END_B */
    int64_t last;              /* time of the latest packet */
    GList link;
};

struct flow_table;

/* `over` is called for each conversation that ends, and frees it. */
struct flow_table *flow_table_new(void (*over)(struct flow *flow, void *user), void *user);

/* Ends all conversations, the one idle longest first, and the table. */
void flow_table_free(struct flow_table *table);

/*
 * The conversation that the packet belongs to, or NULL. It is then the latest, and packet->from
 * is the end that sent the packet. Others that were idle too long by the packet's time end first.
 */
struct flow *flow_find(struct flow_table *table, struct qs_packet *packet);

/* The conversation between two addresses, or NULL. Changes nothing. */
struct flow *flow_between(const struct flow_table *table, const struct qs_address *a,
                          const struct qs_address *b);

/* Which end of the conversation an address is. */
enum qs_end flow_end_of(const struct flow *flow, const struct qs_address *address);

/* The conversation whose latest packet came before this one's; or NULL. */
struct flow *flow_before(const struct flow *flow);

/* Adds a conversation that is not there yet; the latest as of `now`. */
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
