/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The packets of a recording, kept as they came: pcapng files NAME-START.pcapng, of which another
 * one begins when one is large or old enough, and the oldest of this run are removed when there are
 * too many. What came is on disk within a second or two.
 */
#ifndef PCAP2DEMO_PACKET_FILES_H
#define PCAP2DEMO_PACKET_FILES_H

#include "pcap2demo/capture/live.h"
#include "pcap2demo/recorder/recorder_options.h"

struct packet_files;

/* Both arguments must live as long. NULL on failure; then `*error` is a new text. */
struct packet_files *packet_files_new(const struct recorder_options *options,
                                      char *const *interfaces, char **error);
void packet_files_free(struct packet_files *files);

/* Keeps a frame, from its link layer on. */
void packet_files_add(struct packet_files *files, const struct live_frame *frame);

/* Brings to disk what waits in memory; to be called every second. */
void packet_files_tend(struct packet_files *files);

/* The present file is over; the next packet begins another one. */
void packet_files_next(struct packet_files *files);

#endif
