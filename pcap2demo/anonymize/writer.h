/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes the copy. Packets are held for a while: joined fragments are decoded with the last one,
 * and then replaced in all. At most HELD_PACKETS_MAX of HELD_BYTES_MAX are held; they are written
 * in the order of their numbers.
 *
 * Packets may become longer or shorter; they get new headers. Units of a stream become segments
 * with the copy's own sequence numbers, with a gap for a unit that is left out or was lost.
 */
#ifndef PCAP2DEMO_ANONYMIZE_WRITER_H
#define PCAP2DEMO_ANONYMIZE_WRITER_H

#include <glib.h>
#include <stdbool.h>

#include "common/core/packet.h"
#include "common/core/reader.h"
#include "pcap2demo/anonymize/pseudonyms.h"

enum { HELD_PACKETS_MAX = 4096, HELD_BYTES_MAX = 8 << 20 };

struct held_packet {
    struct qs_packet about; /* `data` is not valid: see payload */
    GByteArray *payload;
    uint32_t left_out;                /* bytes of the payload, which is empty then */
    uint32_t fragment, fragment_size; /* of a message; size 0: none */
};

struct anonymous_writer;

/* Writes the file to the folder. `addresses` must outlive the writer. */
struct anonymous_writer *anonymous_writer_new(const char *folder, struct addresses *addresses);
void anonymous_writer_free(struct anonymous_writer *writer);

/* Copies the packet, or unit of a stream; they come in the input's order or nearly so. */
struct held_packet *anonymous_writer_add(struct anonymous_writer *writer,
                                         const struct qs_packet *packet);

void anonymous_writer_leave_out(struct held_packet *packet);

/* The latest datagram of this number with the addresses of `other`; NULL: it is not held. */
struct held_packet *anonymous_writer_find(const struct anonymous_writer *writer,
                                          const struct held_packet *other, uint64_t number);

/* Writes all held packets that are not left out; returns how many are, since the last call. */
uint64_t anonymous_writer_flush(struct anonymous_writer *writer);

/* The number of packets written. */
uint64_t anonymous_writer_count(const struct anonymous_writer *writer);

/* Gives the file its name. Returns NULL, or what is wrong as a new string. */
char *anonymous_writer_commit(struct anonymous_writer *writer, const char *name, bool force);

#endif
