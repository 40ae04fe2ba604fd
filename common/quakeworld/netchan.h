/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The netchan's header, what FTE changes about it, and its fragments. */
#ifndef QW_NETCHAN_H
#define QW_NETCHAN_H

#include "common/core/parse.h"
#include "common/core/packet.h"
#include "common/core/session.h"
#include "common/netchan/seqinfo.h"
#include "common/quakeworld/quakeworld.h"

/* Added to the sequence word with STUNAWARE. */
#define QW_STUN_BIAS UINT32_C(0x40000000)

/* Of the word of FRAG; the other bits are the fragment's offset in units of 8 bytes. */
enum { QW_MORE_FRAGMENTS = 1 };

static inline uint32_t qw_fragment_offset(uint16_t word)
{
    return (uint32_t)(word & ~QW_MORE_FRAGMENTS) << 2;
}

/* The header's format by the handshake; if the capture lacks it, by the packet's contents. */
const struct qw_netchan_format *qw_netchan_format(struct qs_decoder *d);
/* With STUNAWARE: whether the packet has the bias, and is not of another protocol. */
bool qw_is_biased(const struct qs_decoder *d);
/* The two words of the header, without bias. */
void qw_read_biased_words(struct qs_decoder *d, uint32_t *sequence, uint32_t *ack);
uint16_t qw_read_fragment_word(struct qs_decoder *d);
/*
 * Reads the rest of the packet, a fragment of a message. Returns whether the message is complete;
 * then the session has it as `joined`.
 */
bool qw_read_fragment(struct qs_decoder *d, uint16_t word);
void qw_fragments_copy(struct qw_session *to, const struct qw_session *from);
void qw_fragments_clear(struct qw_session *session);

/* Where a datagram stands in its conversation; for the protocol record. */
bool qw_seqinfo(const struct qs_session *session, const struct qs_packet *packet,
                struct qs_seqinfo *seqinfo);

#endif
