/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A datagram's position in its conversation, read from its header alone. The packets of a capture
 * are put in order by it before they are decoded; see qs_protocol.seqinfo.
 *
 * Each end numbers its datagrams in one stream, or in several independent ones. A receiver
 * acknowledges the last datagram that it accepted, never one that it drops because a later one came
 * first.
 */
#ifndef QS_NETCHAN_SEQINFO_H
#define QS_NETCHAN_SEQINFO_H

#include <stdbool.h>
#include <stdint.h>

#include "common/core/packet.h"

enum { QS_STREAMS = 2 };

/* Number of bits below the sequence number, for a fragment's offset. */
enum { QS_SEQINFO_SHIFT = 20 };

struct qs_seqinfo {
    bool from_client;
    bool numbered;
    uint8_t stream;  /* index of the sender's stream */
    uint64_t number; /* sequence number << QS_SEQINFO_SHIFT | offset of the fragment */
    uint64_t next;   /* number that the sender uses next in the stream */
    uint64_t first;  /* first number of a connection */
    uint32_t ack_id; /* id that the receiver repeats; 0: none. Grows with the number */
    bool reliable;   /* has data that is sent again until the receiver has it */
    bool repeated;   /* sent again under the same number, if `reliable` */
    uint32_t qport;  /* qport of a client: see qs_seqinfo_qport(); 0: none, or unknown */

    uint8_t acked_stream;  /* index of the receiver's stream */
    uint32_t acked_id;     /* ack_id of the last datagram that the sender accepted in it; 0: none */
    bool has_reliable_bit; /* messages are confirmed by a bit, which each one toggles */
    bool reliable_bit;
};

/* Returns the seqinfo of a packet from the end `from`, if the server is the end `server`. */
static inline struct qs_seqinfo qs_seqinfo_from(enum qs_end from, enum qs_end server)
{
    return (struct qs_seqinfo){.from_client = server != QS_END_UNKNOWN && server != from};
}

/* Sets the numbers of a packet with a complete message. */
static inline void qs_seqinfo_message(struct qs_seqinfo *seqinfo, uint32_t sequence, uint32_t first)
{
    seqinfo->numbered = true;
    seqinfo->number = (uint64_t)sequence << QS_SEQINFO_SHIFT;
    seqinfo->next = seqinfo->number + (UINT64_C(1) << QS_SEQINFO_SHIFT);
    seqinfo->first = (uint64_t)first << QS_SEQINFO_SHIFT;
}

/* Returns a qport of `width` bytes, with its width. */
static inline uint32_t qs_seqinfo_qport(unsigned width, uint32_t value)
{
    return width << 16 | value;
}

/* Makes the packet a fragment: `size` bytes at `offset` of a message; `more`: others follow. */
static inline void qs_seqinfo_fragment(struct qs_seqinfo *seqinfo, uint32_t offset, uint32_t size,
                                       bool more)
{
    seqinfo->number |= offset;
    if (more)
        seqinfo->next = seqinfo->number + size;
}

/* True if no fragment of the message follows. */
static inline bool qs_seqinfo_is_last_fragment(const struct qs_seqinfo *seqinfo)
{
    return !(seqinfo->next & ((UINT64_C(1) << QS_SEQINFO_SHIFT) - 1));
}

#endif
