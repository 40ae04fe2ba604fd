/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of conversations: pairs of address and port, found by either direction's packets.
 *
 * Memory is bounded: a conversation that was idle for QS_FLOW_IDLE (in the capture's time) is over,
 * and when there are QS_FLOWS_MAX the one idle longest is.
 */
#ifndef QS_SESSIONS_FLOW_H
#define QS_SESSIONS_FLOW_H

#include <glib.h>
#include <stdint.h>

#include "common/core/packet.h"

enum { QS_FLOWS_MAX = 1024 };

/* Nanoseconds. */
#define QS_FLOW_IDLE (INT64_C(300) * 1000000000)

/* What the table keeps of a conversation; its owner's struct begins with this. */
struct qs_flow {
    struct qs_address ends[2]; /* QS_END_A and QS_END_B */
    int64_t last;              /* time of the latest packet */
    GList link;
};

struct qs_flow_table;

/* `over` is called for each conversation that ends, and frees it. */
struct qs_flow_table *qs_flow_table_new(void (*over)(struct qs_flow *flow, void *user), void *user);

/* Ends all conversations, the one idle longest first, and the table. */
void qs_flow_table_free(struct qs_flow_table *table);

/*
 * The conversation that the packet belongs to, or NULL. It is then the latest, and packet->from
 * is the end that sent the packet. Others that were idle too long by the packet's time end first.
 */
struct qs_flow *qs_flow_find(struct qs_flow_table *table, struct qs_packet *packet);

/* The conversation between two addresses, or NULL. Changes nothing. */
struct qs_flow *qs_flow_between(const struct qs_flow_table *table, const struct qs_address *a,
                                const struct qs_address *b);

/* Which end of the conversation an address is. */
enum qs_end qs_flow_end_of(const struct qs_flow *flow, const struct qs_address *address);

/* The conversation whose latest packet came before this one's; or NULL. */
struct qs_flow *qs_flow_before(const struct qs_flow *flow);

/* Adds a conversation that is not there yet; the latest as of `now`. */
void qs_flow_add(struct qs_flow_table *table, struct qs_flow *flow, const struct qs_address *a,
                 const struct qs_address *b, int64_t now);

/* Calls `each` of all conversations; it adds and ends none. */
void qs_flow_table_each(struct qs_flow_table *table, void (*each)(struct qs_flow *flow, void *user),
                        void *user);

/* The clock was set forwards by so many nanoseconds: no conversation was idle for that. */
void qs_flow_table_shift(struct qs_flow_table *table, int64_t step);

/* Ends a conversation early. */
void qs_flow_end(struct qs_flow_table *table, struct qs_flow *flow);

#endif
