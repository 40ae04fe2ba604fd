/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The constants of pcapng files. Source: the pcapng specification (draft-ietf-opsawg-pcapng),
 * sections 3 and 4.
 */
#ifndef PCAP2DEMO_PCAPNG_H
#define PCAP2DEMO_PCAPNG_H

enum {
    PCAPNG_SECTION = 0x0a0d0d0a,
    PCAPNG_INTERFACE = 1,
    PCAPNG_OLD_PACKET = 2,
    PCAPNG_SIMPLE_PACKET = 3,
    PCAPNG_PACKET = 6,
    PCAPNG_BYTE_ORDER = 0x1a2b3c4d,

    PCAPNG_FRAMING = 12,                 /* a block's type, length, and length again */
    PCAPNG_BLOCK_MAX = 16 * 1024 * 1024, /* bytes; libpcap's limit */

    PCAPNG_OPTION_END = 0,
    PCAPNG_OPTION_COMMENT = 1,
    PCAPNG_OPTION_NAME = 2, /* of an interface */
    PCAPNG_OPTION_APPLICATION = 4,
    PCAPNG_OPTION_TIME_RESOLUTION = 9,
    PCAPNG_OPTION_TIME_OFFSET = 14
};

/* The application names in captures that this program writes, of demos and others; its version
 * follows. */
#define PCAPNG_APPLICATION "pcap2demo "
#define PCAPNG_CUTTER "pcap2demo-cut "

#endif
