/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The comments on packets of the captures that this program made (--pcap), which libpcap does not
 * give. Comments of other captures are not read: their meaning is up to whoever wrote them.
 */
#ifndef PCAP2DEMO_COMMENTS_H
#define PCAP2DEMO_COMMENTS_H

#include <stdio.h>

#include "common/sessions/demo_input.h"

/*
 * Reads those of a pcapng file from its beginning, as far as it is good. NULL where there are none,
 * and where a section header does not name this program.
 */
struct qs_comments *comments_read(FILE *stream);

/*
 * The same by name, plain or compressed; only of regular files, which can be read twice, of
 * COMMENTS_FILE_MAX bytes.
 */
struct qs_comments *comments_of_file(const char *name);

enum { COMMENTS_FILE_MAX = 1024 * 1024 * 1024 };

#endif
