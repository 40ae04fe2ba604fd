/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the frames of pcap files in large pieces, which libpcap does not (see pieces.h).
 *
 * Only what is common is read: regular files of version 2.4, of either byte order and precision,
 * whose link type pcap2demo knows. All else is libpcap's matter: older variants, and streams of
 * which a whole piece may be long in coming. Source: pcap-savefile(5).
 */
#ifndef PCAP2DEMO_PCAP_IN_H
#define PCAP2DEMO_PCAP_IN_H

#include <stdio.h>

#include "pcap2demo/capture/frame_reader.h"

enum { PCAP_IN_FRAME_MAX = 262144 /* bytes: what libpcap takes for these link types */ };

/*
 * NULL where the stream is for libpcap; it then stands where it stood. Else the reader closes it.
 */
struct frame_reader *pcap_in_open(FILE *stream);

#endif
