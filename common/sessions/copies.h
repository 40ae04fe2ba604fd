/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Datagrams that the capture has more than once: a bridge, a bond, several interfaces, both ends of
 * the line, or both sides of a translation of addresses (NAT) were captured.
 *
 * A datagram is a copy of an earlier one if both have the same bytes and the same IP
 * identification, and came within QS_COPY_WINDOW of one clock. The clocks of two recorders may
 * differ by QS_CLOCKS_DIFFER; their offset is measured once, at the first copy. What an end sends
 * twice has two identifications, and is no copy.
 *
 * Where the identification is absent (IPv6) or 0, only datagrams between the same two addresses
 * that were seen at two places (interface, link layer addresses, TTL) are copies.
 */
#ifndef QS_SESSIONS_COPIES_H
#define QS_SESSIONS_COPIES_H

#include "common/core/packet.h"

/* Nanoseconds. */
#define QS_COPY_WINDOW (INT64_C(5) * 1000000000)
#define QS_CLOCKS_DIFFER (INT64_C(60) * 1000000000)

/* Datagrams that are remembered; a flood shortens the window. */
enum { QS_COPIES_MAX = 65536 };

/* One time that a datagram was seen. */
struct qs_sighting {
    struct qs_address source, destination;
    uint64_t number; /* of the packet */
    int64_t time;
    uint64_t place; /* these are struct qs_packet's */
    uint32_t size, ip_id;
    uint16_t recorder;
};

struct qs_copies;

struct qs_copies *qs_copies_new(void);
void qs_copies_free(struct qs_copies *copies);

/* Remembers a datagram. If it is a copy, returns the first one, valid until the next call; else
 * NULL. */
const struct qs_sighting *qs_copies_find(struct qs_copies *copies, const struct qs_packet *packet);

#endif
