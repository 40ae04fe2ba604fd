/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which frames of a capture are kept when it is cut. */
#ifndef PCAP2DEMO_CUT_FRAMES_H
#define PCAP2DEMO_CUT_FRAMES_H

#include <glib.h>
#include <stdbool.h>

#include "common/core/packet.h"

struct cut_frames {
    char *name;        /* of the file */
    GByteArray *kept;  /* bit n: frame n */
    GHashTable *pairs; /* the two ends of a conversation -> GArray of its stretches */
};

struct cut_frames *cut_frames_new(const char *name);
void cut_frames_free(gpointer frames);

void cut_frames_keep(struct cut_frames *frames, uint64_t number);
bool cut_frames_has(const struct cut_frames *frames, uint64_t number);

/*
 * The packet is one of those that are asked for of the session: what its conversation has between
 * them belongs to it, too. A stream is understood from its beginning only; `to_end`: and it is kept
 * to its end.
 */
void cut_frames_stretch(struct cut_frames *frames, unsigned session, const struct qs_packet *packet,
                        bool to_end);

/* Whether the packet, by its number and addresses, is within such a stretch. */
bool cut_frames_covers(const struct cut_frames *frames, const struct qs_packet *packet);

#endif
