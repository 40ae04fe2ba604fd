/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The comments on packets of the captures that this program made (--pcap), which libpcap does not
 * give. Comments of other captures are not read: their meaning is up to whoever wrote them.
 */
#ifndef PCAP2DEMO_COMMENTS_H
#define PCAP2DEMO_COMMENTS_H

#include <stdint.h>
#include <stdio.h>

struct comments;

/*
 * Reads those of a pcapng file from its beginning, as far as it is good. NULL where there are none,
 * and where a section header does not name this program.
 */
struct comments *comments_read(FILE *stream);

/*
 * The same by name, plain or compressed by gzip; only of regular files, which can be read twice, of
 * COMMENTS_FILE_MAX bytes.
 */
struct comments *comments_of_file(const char *name);

void comments_free(struct comments *comments);

/* Of a packet, by its number in the file from 1; NULL: there is none. `comments` may be NULL. */
const char *comments_find(const struct comments *comments, uint64_t number);

enum { COMMENTS_FILE_MAX = 1024 * 1024 * 1024 };

#endif
