/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Other ranges of bytes that a packet's values are read from: joined fragments, inflated bytes. */
#ifndef QS_CORE_SOURCE_H
#define QS_CORE_SOURCE_H

#include "common/core/decoder_state.h"

/*
 * From here on reads come from `data`, until qs_pop_source(). Returns false, and reads on where it
 * was, when sources are nested too deep.
 */
bool qs_push_source(struct qs_decoder *d, const char *title, const uint8_t *data, uint32_t size);
void qs_pop_source(struct qs_decoder *d);

/*
 * The framing of a demo's or stream's block has been read: what is left of it is the payload, which
 * parse functions see as a packet. Sinks go on counting offsets from the beginning of the block.
 */
void qs_enter_payload(struct qs_decoder *d);

/* The framing cannot be read: that is noted, and nothing of the block is decoded. */
void qs_no_block(struct qs_decoder *d);

#endif
