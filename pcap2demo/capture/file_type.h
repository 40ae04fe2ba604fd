/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Telling captures and compressed files from others, by their first bytes. */
#ifndef PCAP2DEMO_FILE_TYPE_H
#define PCAP2DEMO_FILE_TYPE_H

#include <stdbool.h>
#include <stdio.h>

#include "pcap2demo/capture/codec.h"

/*
 * Whether a stream that was just opened begins as a capture that can be read, and as a pcapng file.
 * Nothing of it is used up.
 */
bool is_capture_stream(FILE *stream);
bool is_pcapng_stream(FILE *stream);

/* What such a stream was compressed by; NULL: by nothing that is known. */
const struct codec *codec_of_stream(FILE *stream);

#endif
