/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Asides: what a demo says and the packets of a game cannot. A capture that is made of a demo
 * (--pcap) has it as console commands of the client, clc_stringcmd, so that the very same demo can
 * be made of the capture again:
 *
 *     demo NAME [TRACK]  in the client's first packet: the format, and a DEM's line
 *     demo head HEX      QWD: the first five bytes of the next block, where its packet's time does
 *                        not give them
 *     demo block HEX     QWD: a whole block that no packet gives; the packet's move is of it
 *     demo view HEX      DEM: three floats, the view angles of the blocks to come
 *     demo client        DEM: the client's next packet is a block
 *     demo end           DM2: the end mark
 */
#ifndef PCAP2DEMO_ASIDE_H
#define PCAP2DEMO_ASIDE_H

#include <glib.h>

#include "common/core/decoder.h"

enum { CLIENT_STRINGCMD = 4 }; /* clc_stringcmd, in all games */

/*
 * A QTV stream that was made of an MVD has one aside, "demo MVD", as viewers send commands. This is
 * the whole unit, which comes before the first block.
 */
struct qs_view aside_of_mvd(void);

/* Adds a clc_stringcmd with "demo WORD VALUE"; `value` may be NULL. */
void aside_append(GByteArray *to, const char *word, const char *value);
/* The same with the value in hexadecimal. */
void aside_append_bytes(GByteArray *to, const char *word, struct qs_view value);

/*
 * The packet's next aside, from message `*at` on, which moves behind it. `*word` and `*value` are
 * parts of it. False: there is none.
 */
bool aside_next(const struct qs_decoder *decoder, const struct qs_packet *packet, guint *at,
                struct qs_view *word, struct qs_view *value);

/* The bytes that a value in hexadecimal stands for: new; NULL when it is none. */
GByteArray *aside_bytes(struct qs_view value);

#endif
