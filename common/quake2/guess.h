/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Guesses what a capture that begins within a connection lacks: the protocol version, the
 * width of the client's qport, the netchan, and who is the server.
 */
#ifndef Q2_GUESS_H
#define Q2_GUESS_H

#include "common/core/decoder.h"

/*
 * Looks which protocol the packet at hand can be read in, and adapts the session. Does nothing
 * where the session knows. `decode` decodes a packet from its first byte on.
 */
void q2_guess(struct qs_decoder *d, void (*decode)(struct qs_decoder *));

#endif
