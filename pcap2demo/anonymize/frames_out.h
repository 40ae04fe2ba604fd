/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The copy as a pcapng file: packets become bare IP packets, with the stand-ins of addresses. */
#ifndef PCAP2DEMO_FRAMES_OUT_H
#define PCAP2DEMO_FRAMES_OUT_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "pcap2demo/anonymize/addresses.h"
#include "pcap2demo/anonymize/copy.h"

struct frames_out;

/* The file will be in the folder. `addresses` must live as long. */
struct frames_out *frames_out_new(const char *folder, struct addresses *addresses);
void frames_out_free(struct frames_out *out);

/*
 * Writes a packet, unless it is left out. Units of a stream become segments with the stream's
 * sequence numbers, a hole where one is left out or was lost.
 */
void frames_out_packet(struct frames_out *out, const struct held_packet *packet);

/* How many were written. */
uint64_t frames_out_count(const struct frames_out *out);

/* Gives the file its name. What is wrong, as a new text, or NULL. */
char *frames_out_commit(struct frames_out *out, const char *name, bool force);

#endif
