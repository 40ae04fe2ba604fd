/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cuts captures for --pcap: selects frames and copies them.
 *
 * The first pass decodes and selects the packets of the wanted sessions, and those before them that
 * decoding needs: the handshake and the sign-on of the level. The second pass finds their frames,
 * maybe several for each (IP fragments, TCP segments), and other frames of their conversations,
 * such as duplicates. The third pass copies.
 */
#ifndef PCAP2DEMO_CUT_H
#define PCAP2DEMO_CUT_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "pcap2demo/actions/action.h"
#include "pcap2demo/capture/pcapng_writer.h"

struct cut;

/* `options` must outlive it. */
struct cut *cut_new(const struct options *options);
void cut_free(struct cut *cut);

/* The first pass: a packet of an input was decoded. */
void cut_packet(struct cut *cut, const struct qs_decoded_packet *decoded);
/* The session has no more packets. */
void cut_session_over(struct cut *cut, unsigned session);

/* Numbers of what was copied. */
struct cut_counts {
    uint64_t frames, kept;
    unsigned sessions; /* with wanted packets */
};

/*
 * The second and the third pass: begins the file with this comment and copies the frames. False if
 * a file cannot be read again; that was reported.
 */
bool cut_copy(struct cut *cut, struct pcapng_writer *out, const char *comment,
              struct cut_counts *counts);

#endif
