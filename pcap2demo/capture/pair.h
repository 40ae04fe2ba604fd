/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The two ends of a conversation, in any order, as a key of hash tables. */
#ifndef PCAP2DEMO_PAIR_H
#define PCAP2DEMO_PAIR_H

#include <glib.h>

#include "common/core/packet.h"

struct pair {
    struct qs_address ends[2];
};

/* Of `struct pair *`: for g_hash_table_new(). */
guint pair_hash(gconstpointer pair);
gboolean pair_equal(gconstpointer a, gconstpointer b);

#endif
