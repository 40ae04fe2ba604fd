/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A piece of a captured packet: bytes that somebody else owns, some of which may not be there. */
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

/* Leaves out the first `count` bytes. False, and nothing changes, when they were not captured. */
static inline bool span_skip(struct span *span, uint32_t count)
{
    if (span->size < count)
        return false;
    span->data += count;
    span->size -= count;
    span->wire_size -= count;
    return true;
}

/* Cuts the span to `wire_size` sent bytes, where a length field gives a smaller size. */
static inline void span_limit(struct span *span, uint32_t wire_size)
{
    if (span->wire_size > wire_size)
        span->wire_size = wire_size;
    if (span->size > wire_size)
        span->size = wire_size;
}

#endif
