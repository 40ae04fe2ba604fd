/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The packets of the copy that are not written yet: what stands in joined fragments is known only
 * with the last of them, and then replaced in all.
 *
 * At most COPY_HELD_MAX packets are held; they are written in the order of their numbers.
 */
#ifndef PCAP2DEMO_COPY_H
#define PCAP2DEMO_COPY_H

#include <glib.h>
#include <stdbool.h>

#include "common/core/packet.h"
#include "common/core/reader.h"
#include "pcap2demo/anonymize/deflated.h"

enum { COPY_HELD_MAX = 4096 };

struct held_packet {
    struct qs_packet about; /* `data` is not valid: see payload */
    GByteArray *payload;
    GBytes *original; /* what the payload was; NULL: it is of a stream */
    bool left_out;
    bool is_packed;     /* something in it is compressed */
    GPtrArray *repeats; /* struct held_packet: later ones with the same bytes; or NULL */
    uint32_t fragment, fragment_size; /* the message's fragment in it; size 0: there is none */

    /* A unit of a deflate stream, with which the payload goes on: see deflated.h. */
    struct deflated *deflated; /* NULL: there is none */
    GByteArray *inflated;
    bool ended;
};

struct copy;

/* Writes a packet, which is freed afterwards. */
typedef void copy_writer(void *user, struct held_packet *packet);

struct copy *copy_new(copy_writer *write, void *user);
void copy_free(struct copy *copy);

/*
 * Takes a copy of the packet, which must live in an input's order or nearly. A further unit of a
 * stream, of the same packet and end, is put behind the one before, unless that is deflated; it is
 * returned then.
 */
struct held_packet *copy_add(struct copy *copy, const struct qs_packet *packet);

/*
 * The datagram is not decoded, since it repeats an earlier one: what is replaced in that, if it is
 * still held, is replaced in this one, too.
 */
void copy_repeat(struct copy *copy, struct held_packet *packet);

/* The packet of this number, or NULL: it is not held. */
struct held_packet *copy_find(const struct copy *copy, uint64_t number);

/* Writes all packets. */
void copy_flush(struct copy *copy);

#endif
