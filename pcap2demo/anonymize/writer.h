/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes the anonymized copy of a capture. Holds packets for a while, because a message of joined
 * fragments is decoded with the last one, and then replaced in all of them. Holds at most
 * HELD_PACKETS_MAX packets and HELD_BYTES_MAX bytes, and writes them in the order of their
 * numbers, which count in the whole input.
 *
 * Packets may change their size, so they get new headers, with the old IP identification. The hop
 * limit distinguishes capture points, so that copies of a datagram stay copies. PDUs of a stream
 * become segments with the copy's own sequence numbers, with a gap for a PDU that is left out or
 * was lost, and a SYN before those of another connection between the same ports.
 */
#ifndef PCAP2DEMO_ANONYMIZE_WRITER_H
#define PCAP2DEMO_ANONYMIZE_WRITER_H

#include <glib.h>
#include <stdbool.h>

#include "common/core/packet.h"
#include "pcap2demo/anonymize/pseudonyms.h"

enum { HELD_PACKETS_MAX = 4096, HELD_BYTES_MAX = 8 << 20 };

struct held_packet {
    struct qs_packet about; /* `data` is invalid: use `payload` */
    GByteArray *payload;
    uint32_t left_out; /* size of the payload that was left out; `payload` is empty then */
    uint32_t fragment, fragment_size; /* fragment of a message in `payload`; size 0: none */
    uint64_t conversation;            /* of a PDU: a new number is a new TCP connection */
};

struct anonymous_writer;

/* Creates the file in the folder. `addresses` must outlive the writer. */
struct anonymous_writer *anonymous_writer_new(const char *folder, struct addresses *addresses);
void anonymous_writer_free(struct anonymous_writer *writer);

/* Adds a copy of a packet, or of a PDU of a stream, in roughly the input's order. Returns it; later
 * calls may write and free it. */
struct held_packet *anonymous_writer_add(struct anonymous_writer *writer,
                                         const struct qs_packet *packet);

void anonymous_writer_leave_out(struct held_packet *packet);

/* Returns the latest held datagram of this number with the addresses of `other`, or NULL. */
struct held_packet *anonymous_writer_find(const struct anonymous_writer *writer,
                                          const struct held_packet *other, uint64_t number);

/* Writes all held packets. Returns the number of those left out since the last call. */
uint64_t anonymous_writer_flush(struct anonymous_writer *writer);

/* Returns the number of packets written. */
uint64_t anonymous_writer_count(const struct anonymous_writer *writer);

/* Gives the file its name. Returns NULL, or an error message to be freed. */
char *anonymous_writer_commit(struct anonymous_writer *writer, const char *name, bool force);

#endif
