/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Telling captures from other files, by their first four bytes. */
#ifndef PCAP2DEMO_FILE_TYPE_H
#define PCAP2DEMO_FILE_TYPE_H

#include <stdbool.h>
#include <stdio.h>

#include "common/core/reader.h"

/* Whether this is the start of a capture that libpcap reads. */
bool is_capture(struct qs_view file);

/* The same for a stream that was just opened. Nothing of it is used up. */
bool is_capture_stream(FILE *stream);

#endif
