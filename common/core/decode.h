/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The life of a decoder, and the ways to decode a packet. */
#ifndef QS_CORE_DECODE_H
#define QS_CORE_DECODE_H

#include "common/core/decoder_state.h"

/* `protocol` may not change later. Free what it holds with qs_decoder_clear(). */
void qs_decoder_init(struct qs_decoder *decoder, const struct qs_protocol *protocol);
void qs_decoder_clear(struct qs_decoder *decoder);

/*
 * Decodes one packet for `sink` (may be NULL) and updates `session`. The packet's bytes need to
 * live only as long as the call.
 */
void qs_decode(struct qs_decoder *decoder, struct qs_session *session, struct qs_sink *sink,
               const struct qs_packet *packet);

/*
 * The same for one unit of a stream (packet->unit is not 0), in the stream's order. Messages in
 * `decoder->messages` count in `decoder->payload` where the unit frames them. Only for protocols
 * that have `decode_unit`.
 */
void qs_decode_unit(struct qs_decoder *decoder, struct qs_session *session, struct qs_sink *sink,
                    const struct qs_packet *unit);

/*
 * The same for server messages that stand alone, without a packet's header: a block of a demo file.
 * Only for protocols that have `decode_server_messages`.
 */
void qs_decode_server_messages(struct qs_decoder *decoder, struct qs_session *session,
                               struct qs_sink *sink, const struct qs_packet *block);

/*
 * The same for a block of a file, with its framing, which `decode` reads. `offset` is the block's
 * in its file, where sinks count from. Messages in `decoder->messages` count in what the framing
 * holds, `decoder->payload`.
 */
void qs_decode_block(struct qs_decoder *decoder, void (*decode)(struct qs_decoder *),
                     struct qs_session *session, struct qs_sink *sink,
                     const struct qs_packet *block, uint32_t offset);

/* Problems found in the last packet: notes that fail a check, and undecoded bytes. */
uint32_t qs_decoder_problems(const struct qs_decoder *decoder);

/* --- For the core */

/* Runs `decode` over `packet` with the session, sink and direction that the decoder has. */
void qs_decoder_run(struct qs_decoder *d, const struct qs_packet *packet,
                    void (*decode)(struct qs_decoder *));

#endif
