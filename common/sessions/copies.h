/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Datagrams that the capture has more than once, because it was made on a bridge, a bond, several
 * interfaces, both endpoints, or both sides of a NAT.
 *
 * A datagram is a copy of an earlier one if both have the same bytes and the same IP
 * identification, and were captured within QS_COPY_WINDOW on one clock. The clocks of two capture
 * files may differ by QS_CLOCKS_DIFFER; their offset is measured once, at the first copy. A
 * datagram that an end sends twice has two identifications, and is no copy.
 *
 * If the identification is absent (IPv6) or 0, only datagrams between the same two addresses that
 * were captured at two places (interface, link layer addresses, TTL) are copies. A
 * datagram captured more than QS_COPY_WINDOW before a file's first one then has no copy in that
 * file, because clients repeat their requests.
 */
#ifndef QS_SESSIONS_COPIES_H
#define QS_SESSIONS_COPIES_H

#include "common/core/packet.h"

/* Maximum time between two copies on one clock, and between two clocks (ns). */
#define QS_COPY_WINDOW (INT64_C(5) * 1000000000)
#define QS_CLOCKS_DIFFER (INT64_C(60) * 1000000000)

/* Maximum number of datagrams that are remembered; a flood shortens the window. */
enum { QS_COPIES_MAX = 65536 };

/* One capture of a datagram. Its members are those of struct qs_packet; `recorder` is the number of
 * the capture file, in the order in which the files began. */
struct qs_sighting {
    struct qs_address source, destination;
    uint64_t number;
    int64_t time;
    uint64_t capture_point;
    uint32_t size, ip_id;
    unsigned recorder;
};

struct qs_copies;

struct qs_copies *qs_copies_new(void);
void qs_copies_free(struct qs_copies *copies);

/* Returns the first capture of the datagram if this one is a copy, valid until the next call.
 * Remembers any other datagram, and returns NULL. */
const struct qs_sighting *qs_copies_find(struct qs_copies *copies, const struct qs_packet *packet);
/* Returns the sighting.recorder of the last packet. */
unsigned qs_copies_recorder(const struct qs_copies *copies);

#endif
