/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Makes frames for tests, layer by layer from the inside out. */
#ifndef QS_TESTS_TOOL_FRAMES_H
#define QS_TESTS_TOOL_FRAMES_H

#include <glib.h>
#include <stdio.h>

#include "common/core/packet.h"
#include "tests/support/test.h"

/* Appends hexadecimal digits, which spaces may part. */
void append_hex(GByteArray *bytes, const char *digits);

/* A UDP datagram of `size` payload bytes, each its own offset modulo 251. */
GByteArray *udp_datagram(uint16_t source, uint16_t destination, uint32_t size);

struct ipv4_part {
    uint16_t id;
    uint16_t offset; /* in bytes, of this part in the datagram */
    uint16_t size;   /* bytes of the datagram in this part */
    bool more;
};

/* An IPv4 packet from 10.0.0.1 to 10.0.0.2 with one part of a UDP datagram. */
GByteArray *ipv4_packet(const GByteArray *datagram, struct ipv4_part part);

/* The same whole. */
GByteArray *ipv4_whole(const GByteArray *datagram);

/* An IPv6 packet from fd00::1 to fd00::2: `next_header` says what `payload` is. */
GByteArray *ipv6_packet(uint8_t next_header, const GByteArray *payload);

/* The bytes behind an IPv6 fragment header that makes them part of a UDP datagram. */
GByteArray *ipv6_fragment(const GByteArray *datagram, struct ipv4_part part);

struct qs_packet frame_of(const GByteArray *bytes);

/* A file with these bytes, to be read; close it. */
FILE *file_of(const GByteArray *bytes);

#endif
