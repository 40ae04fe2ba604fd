/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The packets of a recording as they came: pcapng files NAME-START.pcapng. They are rotated by size
 * or age, and the oldest of this run are removed when there are too many. A packet is on disk
 * within a second or two.
 */
#ifndef PCAP2DEMO_PACKET_FILES_H
#define PCAP2DEMO_PACKET_FILES_H

#include "pcap2demo/capture/live.h"
#include "pcap2demo/recorder/options.h"

struct packet_files;

/* Both arguments must live as long. NULL on failure; then `*error` is a new text. */
struct packet_files *packet_files_new(const struct recorder_options *options,
                                      char *const *interfaces, char **error);
void packet_files_free(struct packet_files *files);

/* Adds a frame, from its link layer on. */
void packet_files_add(struct packet_files *files, const struct live_frame *frame);

/* Writes what waits in memory; to be called every second. */
void packet_files_tick(struct packet_files *files);

/* Closes the file; the next packet begins another one. */
void packet_files_next(struct packet_files *files);

#endif
