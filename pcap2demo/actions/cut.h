/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cuts captures for --pcap: selects frames and copies them.
 *
 * The first pass decodes. It selects the packets of the chosen sessions, and the earlier ones that
 * decoding needs: the handshake and the sign-on of the level. The second pass finds their frames
 * (several for packets in IP fragments or TCP segments), and other frames of their conversations,
 * such as duplicates. The third pass copies the frames.
 */
#ifndef PCAP2DEMO_CUT_H
#define PCAP2DEMO_CUT_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "pcap2demo/actions/action.h"
#include "pcap2demo/capture/pcapng_writer.h"

struct cut;

/* Creates a cut. `options` must outlive it. Free it with cut_free(). */
struct cut *cut_new(const struct options *options);
void cut_free(struct cut *cut);

/* Selects packets: called for each decoded packet of the first pass. */
void cut_packet(struct cut *cut, const struct qs_decoded_packet *decoded);
/* Ends a session: called after its last packet. */
void cut_session_over(struct cut *cut, unsigned session);

/* Counts of all frames, of those copied, and of sessions. */
struct cut_counts {
    uint64_t frames, kept;
    unsigned sessions; /* sessions with selected packets */
};

/* Makes the second and the third pass: begins the file with this comment and copies the frames.
 * False, after reporting it, if the files do not have this identity, that of the first pass. Call
 * it once. */
bool cut_copy(struct cut *cut, uint64_t identity, struct pcapng_writer *out, const char *comment,
              struct cut_counts *counts);

#endif
