/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes the copy. Packets are held for a while: what stands in joined fragments is known only with
 * the last of them, and then replaced in all. At most HELD_PACKETS_MAX are, and they are written in
 * the order of their numbers.
 *
 * Packets may become longer or shorter; their headers are made anew. Units of a stream become
 * segments with the copy's own sequence numbers, a hole where one is left out or was lost.
 */
#ifndef PCAP2DEMO_ANONYMIZE_WRITER_H
#define PCAP2DEMO_ANONYMIZE_WRITER_H

#include <glib.h>
#include <stdbool.h>

#include "common/core/packet.h"
#include "common/core/reader.h"
#include "pcap2demo/anonymize/addresses.h"
#include "pcap2demo/anonymize/deflated.h"

enum { HELD_PACKETS_MAX = 4096 };

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

struct anonymous_writer;

/* Called for each packet just before it is written and freed: what is to be done last. */
typedef void packet_finisher(void *user, struct held_packet *packet);

/* The file will be in the folder. `addresses` must live as long. */
struct anonymous_writer *anonymous_writer_new(const char *folder, struct addresses *addresses,
                                              packet_finisher *finish, void *user);
void anonymous_writer_free(struct anonymous_writer *writer);

/*
 * Takes a copy of the packet, which must live in an input's order or nearly. A further unit of a
 * stream, of the same packet and end, is put behind the one before, unless that is deflated; it is
 * returned then.
 */
struct held_packet *anonymous_writer_add(struct anonymous_writer *writer,
                                         const struct qs_packet *packet);

/*
 * The datagram is not decoded, since it repeats an earlier one: what is replaced in that, if it is
 * still held, is replaced in this one, too.
 */
void anonymous_writer_repeat(struct anonymous_writer *writer, struct held_packet *packet);

/* The packet of this number, or NULL: it is not held. */
struct held_packet *anonymous_writer_find(const struct anonymous_writer *writer, uint64_t number);

/* Writes all packets that are held, but those that are left out. */
void anonymous_writer_flush(struct anonymous_writer *writer);

/* How many were written. */
uint64_t anonymous_writer_count(const struct anonymous_writer *writer);

/* Gives the file its name. What is wrong, as a new text, or NULL. */
char *anonymous_writer_commit(struct anonymous_writer *writer, const char *name, bool force);

#endif
