/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A compressed file as a stream: it is unpacked as it is read, in as little memory as that takes.
 *
 * A file that unpacks to very much was made to do so. What is beyond a limit reads as the end.
 */
#ifndef PCAP2DEMO_UNPACK_H
#define PCAP2DEMO_UNPACK_H

#include <stdint.h>
#include <stdio.h>

#include "pcap2demo/capture/codec.h"

/* Captures and demos shrink to a fifth or a tenth; deflate can stand for 1032 times its size, xz
 * and zstd for many thousand times. */
enum { UNPACK_RATIO_MAX = 200, UNPACK_RATIO_FROM = 16 * 1024 * 1024 };

/* In bytes, unpacked. */
#define UNPACK_TOTAL_MAX (UINT64_C(1) << 40)

struct unpack;

/* From where `packed` stands on; it must stay open until the stream is read. */
struct unpack *unpack_new(const struct codec *codec, FILE *packed, uint64_t total_max);

/*
 * The stream of unpacked bytes, which the caller closes, once; NULL on failure. It cannot be
 * rewound. Not to be read after unpack_free().
 */
FILE *unpack_stream(struct unpack *unpack);

/* What is wrong with what was read so far, for a message; NULL: nothing. */
const char *unpack_problem(const struct unpack *unpack);

/* Bytes of the compressed file that were read so far. */
uint64_t unpack_position(const struct unpack *unpack);

/* After the stream was closed. */
void unpack_free(struct unpack *unpack);

#endif
