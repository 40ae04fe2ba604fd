/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A part of a captured packet: bytes owned elsewhere, some of which may not be captured. */
#ifndef PCAP2DEMO_SPAN_H
#define PCAP2DEMO_SPAN_H

#include <stdbool.h>
#include <stdint.h>

struct span {
    const uint8_t *data;
    uint32_t size; /* bytes in `data` */
    uint32_t
        wire_size; /* bytes that were sent; more than `size` where the capture cut the packet */
};

/* Skips the first `count` bytes. False, without a change, if they were not captured. */
static inline bool span_skip(struct span *span, uint32_t count)
{
    if (span->size < count)
        return false;
    span->data += count;
    span->size -= count;
    span->wire_size -= count;
    return true;
}

/* Limits the span to `wire_size` sent bytes, by a length field. */
static inline void span_limit(struct span *span, uint32_t wire_size)
{
    if (span->wire_size > wire_size)
        span->wire_size = wire_size;
    if (span->size > wire_size)
        span->size = wire_size;
}

#endif
