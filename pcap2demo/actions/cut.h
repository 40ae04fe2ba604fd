/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cuts captures: which of their frames are kept for --pcap, and the copy of these.
 *
 * A first reading, which decodes, tells the packets of the sessions that are asked for, and those
 * before them without which they cannot be understood: the handshake, and the sign-on of the level.
 * A second one finds their frames, which may be several (fragments of IP, segments of TCP), and
 * frames of their conversations that decoding had no use for, such as second copies. A third one
 * copies.
 */
#ifndef PCAP2DEMO_CUT_H
#define PCAP2DEMO_CUT_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "pcap2demo/actions/options.h"
#include "pcap2demo/capture/pcap_out.h"

struct cut;

/* The options that go with --pcap: which packets of captures are kept. */
extern const GOptionEntry cut_entries[];

/* Whether one of them was given. */
bool cut_options_are_given(void);

/* Parses the values. False: an error was reported. */
bool cut_options_parse(const struct options *options);

/* The options must live as long. */
struct cut *cut_new(const struct options *options);
void cut_free(struct cut *cut);

/* The first reading: an input begins. */
void cut_begin_file(struct cut *cut, const char *name);
/* The input that was begun last is a demo: it is no matter of this. */
void cut_leave_file(struct cut *cut);
bool cut_has_files(const struct cut *cut);
/* A packet of one was decoded. */
void cut_packet(struct cut *cut, const struct qs_decoded_packet *decoded);
/* The session has no more packets. */
void cut_session_over(struct cut *cut, unsigned session);

/* What was copied. */
struct cut_counts {
    uint64_t frames, kept;
    unsigned sessions; /* that packets were asked of */
};

/*
 * The second and the third reading. False where a file cannot be read again, which was reported.
 * `*have_pieces`: packets have comments with pieces of demos.
 */
bool cut_find_frames(struct cut *cut, bool *have_pieces);
bool cut_copy(struct cut *cut, struct pcap_out *out, struct cut_counts *counts);

#endif
