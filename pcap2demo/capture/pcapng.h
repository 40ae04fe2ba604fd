/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What pcapng files are made of, and their blocks one by one. Source: the pcapng specification
 * (draft-ietf-opsawg-pcapng), sections 3 and 4.
 */
#ifndef PCAP2DEMO_PCAPNG_H
#define PCAP2DEMO_PCAPNG_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "common/core/reader.h"
#include "pcap2demo/capture/frame_reader.h"
#include "pcap2demo/capture/pieces.h"

enum {
    PCAPNG_SECTION = 0x0a0d0d0a,
    PCAPNG_INTERFACE = 1,
    PCAPNG_OLD_PACKET = 2,
    PCAPNG_SIMPLE_PACKET = 3,
    PCAPNG_PACKET = 6,
    PCAPNG_BYTE_ORDER = 0x1a2b3c4d,

    PCAPNG_FRAMING = 12,                 /* type and length of a block, and its length again */
    PCAPNG_BLOCK_MAX = 16 * 1024 * 1024, /* bytes; libpcap reads no longer ones */

    PCAPNG_OPTION_END = 0,
    PCAPNG_OPTION_COMMENT = 1,
    PCAPNG_OPTION_NAME = 2, /* of an interface */
    PCAPNG_OPTION_APPLICATION = 4,
    PCAPNG_OPTION_TIME_RESOLUTION = 9,
    PCAPNG_OPTION_TIME_OFFSET = 14
};

/* The applications that captures of this program name, those made of demos and others; its version
 * follows. */
#define PCAPNG_APPLICATION "pcap2demo "
#define PCAPNG_CUTTER "pcap2demo-cut "

struct pcapng {
    struct pieces in;    /* its position is behind the block at hand */
    bool big_endian;     /* the section at hand */
    uint32_t type;       /* of the block at hand */
    struct qs_view body; /* its; valid until the next block is read */
    char *problem;       /* or NULL */
};

/* From the stream's beginning; it stays the caller's. */
void pcapng_init(struct pcapng *file, FILE *stream);
void pcapng_clear(struct pcapng *file);

/*
 * Reads the next block. READ_BROKEN: the file ends within a block, or what comes is none, as
 * `problem` says; also where it does not begin with a section.
 */
enum read_status pcapng_next(struct pcapng *file);

/* Numbers in the byte order of the section. */
uint16_t pcapng_u16(const struct pcapng *file, const uint8_t *at);
uint32_t pcapng_u32(const struct pcapng *file, const uint8_t *at);

/* A body from this byte on; nothing where it is shorter. */
struct qs_view pcapng_rest(const struct pcapng *file, uint32_t from);

/* The value of the first option of this code. Empty: there is none. */
struct qs_view pcapng_option(const struct pcapng *file, struct qs_view options, uint16_t code);

#endif
