/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/capture/pair.h"

#include "common/core/packet.h"

guint pair_hash(gconstpointer key)
{
    const struct pair *pair = key;

    return qs_address_hash(&pair->ends[0]) + qs_address_hash(&pair->ends[1]);
}

gboolean pair_equal(gconstpointer a, gconstpointer b)
{
    const struct pair *x = a, *y = b;
    const bool turned = !qs_address_equal(&x->ends[0], &y->ends[0]);

    return qs_address_equal(&x->ends[0], &y->ends[turned]) &&
           qs_address_equal(&x->ends[1], &y->ends[!turned]);
}
