/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Telling captures and compressed files from others, by their first bytes. */
#ifndef PCAP2DEMO_FILE_TYPE_H
#define PCAP2DEMO_FILE_TYPE_H

#include <stdbool.h>
#include <stdio.h>

/*
 * Whether a stream that was just opened begins as a capture that libpcap reads, or as gzip's files
 * do. Nothing of it is used up.
 */
bool is_capture_stream(FILE *stream);
bool is_gzip_stream(FILE *stream);

#endif
