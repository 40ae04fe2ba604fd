/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A datagram's position in its conversation, from its header alone. A capture is put in order by it
 * before it is decoded; see qs_protocol.seqinfo.
 *
 * Each end numbers what it sends in one stream, or in several independent ones. A receiver
 * acknowledges the last datagram it accepted, never one that it drops because a later one came
 * first.
 */
#ifndef QS_NETCHAN_SEQINFO_H
#define QS_NETCHAN_SEQINFO_H

#include <stdbool.h>
#include <stdint.h>

#include "common/core/packet.h"

enum { QS_STREAMS = 2 };

/* The bits below the number hold the fragment's offset. */
enum { QS_SEQINFO_SHIFT = 20 };

struct qs_seqinfo {
    bool from_client;
    bool numbered;
    uint8_t stream;  /* of the sender */
    uint64_t number; /* sequence number << QS_SEQINFO_SHIFT | offset of the fragment */
    uint64_t next;   /* what its sender sends next in the stream */
    uint64_t first;  /* what a connection begins with */
    uint32_t ack_id; /* that the receiver repeats; 0: none. Grows with the number */
    bool reliable;   /* it carries what is sent again until the receiver has it */
    bool repeated;   /* and then under the same number */
    uint32_t qport;  /* of a client: see qs_seqinfo_qport(); 0: it sends none, or it is not known */

    uint8_t acked_stream;  /* of the receiver */
    uint32_t acked_id;     /* what the sender accepted last in it; 0: none */
    bool has_reliable_bit; /* a bit, which each reliable message toggles, acknowledges them */
    bool reliable_bit;
};

/* A packet from the end `from`, in a session whose server is `server`. */
static inline struct qs_seqinfo qs_seqinfo_from(enum qs_end from, enum qs_end server)
{
    return (struct qs_seqinfo){.from_client = server != QS_END_UNKNOWN && server != from};
}

/* It is a complete message. */
static inline void qs_seqinfo_message(struct qs_seqinfo *seqinfo, uint32_t sequence, uint32_t first)
{
    seqinfo->numbered = true;
    seqinfo->number = (uint64_t)sequence << QS_SEQINFO_SHIFT;
    seqinfo->next = seqinfo->number + (UINT64_C(1) << QS_SEQINFO_SHIFT);
    seqinfo->first = (uint64_t)first << QS_SEQINFO_SHIFT;
}

/* The qport of `width` bytes. */
static inline uint32_t qs_seqinfo_qport(unsigned width, uint32_t value)
{
    return width << 16 | value;
}

/* It is `size` bytes at `offset` of a message that continues. */
static inline void qs_seqinfo_fragment(struct qs_seqinfo *seqinfo, uint32_t offset, uint32_t size,
                                       bool more)
{
    seqinfo->number |= offset;
    if (more)
        seqinfo->next = seqinfo->number + size;
}

/* No fragment of the message comes behind it. */
static inline bool qs_seqinfo_is_last_fragment(const struct qs_seqinfo *seqinfo)
{
    return !(seqinfo->next & ((UINT64_C(1) << QS_SEQINFO_SHIFT) - 1));
}

#endif
