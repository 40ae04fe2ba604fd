/* SPDX-License-Identifier: GPL-2.0-or-later */
/* MVD, the server's demo: its blocks, and the hidden messages in them. */
#ifndef QW_MVD_H
#define QW_MVD_H

#include "common/core/parse.h"

/*
 * A whole block of a demo or of a QTV stream, framing and all; see mvd_framing.h. The packet is
 * the block.
 */
void qw_decode_mvd_block(struct qs_decoder *d);

/* mvd_hidden.c: hidden messages up to the end of the source. */
void qw_read_hidden_messages(struct qs_decoder *d);

#endif
