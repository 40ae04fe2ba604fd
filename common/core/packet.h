/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A packet: one UDP payload, or one PDU of a TCP stream, and its origin. The protocol divides
 * streams into PDUs (see qs_protocol.pdu_length).
 */
#ifndef QS_CORE_PACKET_H
#define QS_CORE_PACKET_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "common/core/hash.h"

/* The two ends of a conversation; A sent its first packet. */
enum qs_end { QS_END_A, QS_END_B, QS_END_UNKNOWN };

static inline enum qs_end qs_other_end(enum qs_end end)
{
    return end == QS_END_A ? QS_END_B : QS_END_A;
}

enum qs_direction { QS_DIRECTION_UNKNOWN, QS_C2S, QS_S2C };

/* Returns the direction as summaries show it: from client to server, or back. */
static inline const char *qs_direction_arrow(enum qs_direction direction)
{
    static const char *const arrows[] = {"?", [QS_C2S] = "C→S", [QS_S2C] = "S→C"};

    return arrows[direction];
}

struct qs_address {
    uint8_t family; /* IP version: 4, 6, or 0 for no address */
    uint8_t bytes[16];
    uint16_t port;
};

/* A file of the input. */
struct qs_capture_file {
    const char *name, *stem; /* interned; `stem` is for names of the demos of its sessions */
};

struct qs_packet {
    const uint8_t *data; /* UDP payload, or PDU */
    uint32_t size;       /* bytes in `data` */
    uint32_t wire_size;  /* bytes that were sent: more than `size` if the capture cut the packet */
    uint64_t number;     /* in its file, from 1; of a PDU: number of its last packet */
    uint64_t frame;      /* number in the input, which may be several files; 0: unknown */
    const struct qs_capture_file *file; /* NULL: the file of qs_sessions_set_source() */
    int64_t time;                       /* nanoseconds since the epoch */
    struct qs_address source, destination;
    enum qs_end from;

    /* Distinguish copies of a datagram from other datagrams with the same bytes: see
     * common/sessions/copies.h. */
    uint32_t ip_id; /* IP identification; 0: none */
    uint64_t
        capture_point; /* capture point, if ip_id is 0: hash of interface, MAC addresses and TTL */

    /* Later packets show that the receiver did not accept this packet, or that it acknowledges
     * packets that were not sent. */
    bool rejected, false_ack;
    /* Servers of this protocol listen on the port, by default or by preference. */
    bool source_is_server_port, destination_is_server_port;

    /* For PDUs: */
    uint32_t pdu;     /* 1 for the first PDU that the packet completed; 0: this is a datagram */
    uint32_t missing; /* number of bytes before this PDU that the capture lacks */
    uint64_t missing_before; /* number of the packet after the missing bytes */
    bool missing_is_cut;     /* the capture cut the packets with the missing bytes */
};

/* True if the capture cut the packet ("snaplen"). */
static inline bool qs_packet_is_cut(const struct qs_packet *packet)
{
    return packet->size < packet->wire_size;
}

/* Addresses as keys for g_hash_table_new(): equal if bytes, family and port are equal. */

static inline gboolean qs_address_equal(gconstpointer key, gconstpointer other)
{
    const struct qs_address *a = key, *b = other;

    return a->port == b->port && a->family == b->family &&
           memcmp(a->bytes, b->bytes, sizeof a->bytes) == 0;
}

static inline guint qs_address_hash(gconstpointer key)
{
    const struct qs_address *a = key;
    uint32_t words[QS_HASH_WORDS] = {(uint32_t)a->port << 16 | a->family};

    memcpy(words + 1, a->bytes, sizeof a->bytes);
    return (guint)qs_hash_words(words);
}

/* The two ends of a conversation, in any order; a key for g_hash_table_new(). */
struct qs_endpoints {
    struct qs_address ends[2];
};

static inline guint qs_endpoints_hash(gconstpointer key)
{
    const struct qs_endpoints *endpoints = key;

    return qs_address_hash(&endpoints->ends[0]) + qs_address_hash(&endpoints->ends[1]);
}

static inline gboolean qs_endpoints_equal(gconstpointer key, gconstpointer other)
{
    const struct qs_endpoints *a = key, *b = other;
    const bool turned = !qs_address_equal(&a->ends[0], &b->ends[0]);

    return qs_address_equal(&a->ends[0], &b->ends[turned]) &&
           qs_address_equal(&a->ends[1], &b->ends[!turned]);
}

#endif
