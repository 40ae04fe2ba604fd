/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Table of conversations: pairs of address and port, found by packets of either direction.
 *
 * Memory is bounded: a conversation ends after QS_FLOW_IDLE without packets (in the capture's
 * time), or if its class is full and it is the longest idle one. An attacker can start as many
 * conversations as there are addresses to forge, but these cannot end any of a higher class.
 */
#ifndef QS_SESSIONS_FLOW_H
#define QS_SESSIONS_FLOW_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/core/packet.h"
#include "common/core/protocol.h"

/* Evidence that a conversation is genuine, in ascending order. */
enum qs_flow_class {
    QS_FLOW_ONE_SIDED, /* one end has sent so far */
    QS_FLOW_ANSWERED,  /* both ends have sent */
    QS_FLOW_LIVE,      /* confirmed by the table's user: see qs_flow_raise() */
    QS_FLOW_CLASSES
};

/* Maximum number of conversations of each class, unless the table has another limit. */
enum { QS_FLOWS_MAX = 1024 };

/* Time without packets after which a conversation ends (ns). */
#define QS_FLOW_IDLE (INT64_C(300) * 1000000000)

/* The table's part of a conversation. The struct of its owner begins with this one. */
struct qs_flow {
    struct qs_address ends[2];  /* QS_END_A and QS_END_B */
    struct qs_address other[2]; /* second pair of ends that finds it, if `moved` or `translated` */
    bool moved;                 /* `other` are the ends before qs_flow_move() */
    bool translated; /* `other` are the ends on the other side of a NAT: see qs_flow_add_ends() */
    bool displaced;  /* another conversation has moved to `ends` */
    int64_t last;    /* time of the latest packet (ns); see qs_flow_last() */
    int64_t shifted; /* sum of the clock's steps before that packet (ns) */
    enum qs_flow_class class;
    bool received[2];       /* true if the end has sent; by enum qs_end */
    GList link, class_link; /* in the lists of all flows and its class, longest idle first */
};

struct qs_flow_table;

/* Creates a table. `over` is called for each conversation that ends, and frees it. A conversation
 * ends after `idle` ns without packets; 0: QS_FLOW_IDLE. */
struct qs_flow_table *qs_flow_table_new(int64_t idle,
                                        void (*over)(struct qs_flow *flow, void *user), void *user);

/* Ends the conversations that were idle too long by time `now`. */
void qs_flow_table_expire(struct qs_flow_table *table, int64_t now);

/* Sets the maximum number of conversations of the class, 1 or more. */
void qs_flow_table_limit(struct qs_flow_table *table, enum qs_flow_class class, guint max);

/* Ends all conversations, longest idle first, and frees the table. */
void qs_flow_table_free(struct qs_flow_table *table);

/*
 * Returns the conversation of the packet, or NULL. Makes it the latest and sets packet->from. First
 * ends conversations that were idle too long by the packet's time. If the packet is the first
 * answer, may end the longest idle conversation of the class QS_FLOW_ANSWERED.
 */
struct qs_flow *qs_flow_find(struct qs_flow_table *table, struct qs_packet *packet);

/* Returns the conversation between two addresses, or NULL. Changes nothing. */
struct qs_flow *qs_flow_between(const struct qs_flow_table *table, const struct qs_address *a,
                                const struct qs_address *b);

/* Changes the address of an end. The former address still finds the conversation. */
void qs_flow_move(struct qs_flow_table *table, struct qs_flow *flow, enum qs_end end,
                  const struct qs_address *address);

/* qs_flow_is_other() is true if only the second pair of ends finds the packet;
 * qs_flow_forget_other() removes that pair. */
bool qs_flow_is_other(const struct qs_flow *flow, const struct qs_packet *packet);
void qs_flow_forget_other(struct qs_flow_table *table, struct qs_flow *flow);

/* Adds the packet's ends, sent by `from`, as the second pair. They must not be in use. */
void qs_flow_add_ends(struct qs_flow_table *table, struct qs_flow *flow, enum qs_end from,
                      const struct qs_packet *packet);

/* Returns the end that has the address. One of them must have it. */
enum qs_end qs_flow_end_of(const struct qs_flow *flow, const struct qs_address *address);

/* Returns the longest idle conversation of the class, or NULL. */
struct qs_flow *qs_flow_oldest(const struct qs_flow_table *table, enum qs_flow_class class);

/* Returns the number of conversations of the class. */
guint qs_flow_count(const struct qs_flow_table *table, enum qs_flow_class class);

/*
 * Moves the conversation to a higher class, as its latest. A full class ends its longest idle one.
 */
void qs_flow_raise(struct qs_flow_table *table, struct qs_flow *flow, enum qs_flow_class class);

/* Adds a new conversation, whose first packet QS_END_A sent at time `now`, as the latest. */
void qs_flow_add(struct qs_flow_table *table, struct qs_flow *flow, const struct qs_address *a,
                 const struct qs_address *b, int64_t now);

/* Calls `each` for all conversations. It must not add or end any. */
void qs_flow_table_each(struct qs_flow_table *table, void (*each)(struct qs_flow *flow, void *user),
                        void *user);

/* Returns the time plus `by`, limited to 0 … INT64_MAX. */
static inline int64_t qs_time_moved(int64_t time, int64_t by)
{
    if (by > 0)
        return MIN(time, INT64_MAX - by) + by;
    return MAX(time + by, 0);
}

/* Adapts the table to a clock that was set by `step` ns: the step does not count as idle time.
 * Takes constant time, because any packet may cause it. */
void qs_flow_table_shift(struct qs_flow_table *table, int64_t step);

/* Returns the sum of the clock's steps (ns). */
int64_t qs_flow_table_shifted(const struct qs_flow_table *table);

/* Returns the time of the conversation's latest packet, on the present clock (ns). */
int64_t qs_flow_last(const struct qs_flow_table *table, const struct qs_flow *flow);

/* Ends a conversation early. */
void qs_flow_end(struct qs_flow_table *table, struct qs_flow *flow);

/* --- Qports: qports.c ------------------------------------------------------------------------- */

/*
 * Finds clients whose address changes during a game, because routers assign them another port. For
 * this reason clients of QuakeWorld and Quake II send a qport in each datagram. The server follows
 * the client (SV_ReadPackets) if host and qport are the same and the numbers continue.
 */

/* Entry that finds a conversation by the server's address, the client's host and its qport. */
struct qs_qport;

struct qs_qports;

struct qs_qports *qs_qports_new(void);
/* Frees the table, but not its entries. */
void qs_qports_free(struct qs_qports *qports);

/* Adds the qport of the client of conversation `owner`: see qs_seqinfo.qport; not 0. Among equal
 * ones, the latest is found. The caller frees the result with qs_qports_remove(). */
struct qs_qport *qs_qports_add(struct qs_qports *qports, const struct qs_address *server,
                               const struct qs_address *client, uint32_t qport, void *owner);
/* Removes and frees an entry; NULL is allowed. */
void qs_qports_remove(struct qs_qports *qports, struct qs_qport *qport);

/*
 * Returns the conversation of a datagram between unknown ends: it has the same server and qport,
 * and `continues` is true. Returns NULL if there is none. `same_host`: only the client's port
 * differs.
 */
void *qs_qports_find(struct qs_qports *qports, const struct qs_packet *packet,
                     bool (*continues)(void *owner, const struct qs_packet *packet,
                                       bool same_host));

/* Returns the conversation of the same server and client host for which `continues` is true, or
 * NULL. If a host has many clients, tries only some of them. */
void *qs_qports_find_host(struct qs_qports *qports, const struct qs_address *server,
                          const struct qs_address *client, const struct qs_packet *packet,
                          bool (*continues)(void *owner, const struct qs_packet *packet,
                                            bool same_host));

/* Size of a datagram that may have a qport. */
enum { QS_QPORT_END = 8 + 2 };

/* Returns the qport of `width` bytes, 1 or 2, of a client's datagram that has QS_QPORT_END bytes.
 */
uint32_t qs_qport_of(const struct qs_packet *packet, unsigned width);

/*
 * True if the datagram's number follows those of the session's client, whose qport is `qport`. From
 * another host, it must be higher than all. For `continues`.
 */
bool qs_session_continues(const struct qs_protocol *protocol, const struct qs_session *session,
                          const struct qs_packet *packet, uint32_t qport, bool same_host);

#endif
