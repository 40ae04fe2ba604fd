/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What gzip has compressed, as a stream: it is inflated as it is read, in as little memory as that
 * takes.
 *
 * A file that inflates to very much was made to do so. What is beyond a limit reads as the end.
 */
#ifndef PCAP2DEMO_GUNZIP_H
#define PCAP2DEMO_GUNZIP_H

#include <stdint.h>
#include <stdio.h>

/* Captures and demos shrink to a fifth or a tenth; deflate can stand for 1032 times its size. */
enum { GUNZIP_RATIO_MAX = 200, GUNZIP_RATIO_FROM = 16 * 1024 * 1024 };

/* In bytes, inflated. */
#define GUNZIP_TOTAL_MAX (UINT64_C(1) << 40)

struct gunzip;

/* From where `packed` stands on; it must stay open until the stream is read. */
struct gunzip *gunzip_new(FILE *packed, uint64_t total_max);

/*
 * The stream of inflated bytes, which the caller closes, once. It cannot be rewound. Not to be read
 * after gunzip_free().
 */
FILE *gunzip_stream(struct gunzip *gunzip);

/* What is wrong with what was read so far, for a message; NULL: nothing. */
const char *gunzip_problem(const struct gunzip *gunzip);

/* After the stream was closed. */
void gunzip_free(struct gunzip *gunzip);

#endif
