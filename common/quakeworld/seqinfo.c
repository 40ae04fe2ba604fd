/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Source: PROTOCOL.md, section 2; FTE's words: common/fte/PROTOCOL.md, section 2. */
#include "common/quakeworld/seqinfo.h"

#include "common/netchan/netchan.h"
#include "common/core/reader.h"
#include "common/quakeworld/decode.h"
#include "common/quakeworld/fte_netchan.h"

enum { WORDS_SIZE = 8, QPORT_SIZE = 2, FRAGMENT_WORD_SIZE = 2, FIRST_NUMBER = 0 };

/* The texts that lack the mark belong to no connection that goes on. */
static bool is_connectionless(const struct qs_session *session, const struct qs_packet *packet)
{
    return packet->size < WORDS_SIZE || qs_le32(packet->data) == UINT32_MAX ||
           (!session->to_client.started && qw_is_bare_text(packet));
}

static void read_words(const struct qs_packet *packet, bool biased, struct qs_seqinfo *seqinfo)
{
    const uint32_t sequence = biased ? qs_be32(packet->data) - QW_STUN_BIAS : qs_le32(packet->data);
    const uint32_t ack = biased ? qs_be32(packet->data + 4) : qs_le32(packet->data + 4);

    qs_seqinfo_message(seqinfo, sequence & QS_SEQUENCE_MASK, FIRST_NUMBER);
    seqinfo->mark = sequence & QS_SEQUENCE_MASK;
    seqinfo->echo = ack & QS_SEQUENCE_MASK;
    seqinfo->reliable = sequence & QS_RELIABLE_BIT;
    seqinfo->toggles = true;
    seqinfo->toggle = ack & QS_RELIABLE_BIT;
}

static bool read_fragment(const struct qs_packet *packet, uint32_t at, struct qs_seqinfo *seqinfo)
{
    const uint32_t start = at + FRAGMENT_WORD_SIZE;
    uint16_t word;

    if (packet->wire_size < start || packet->size < start)
        return false;
    word = qs_le16(packet->data + at);
    if (word)
        qs_seqinfo_fragment(seqinfo, qw_fragment_offset(word), packet->wire_size - start,
                            word & QW_MORE_FRAGMENTS);
    return true;
}

bool qw_seqinfo(const struct qs_session *base, const struct qs_packet *packet,
                struct qs_seqinfo *seqinfo)
{
    const struct qw_session *session = (const struct qw_session *)base;
    const struct qw_netchan_format *format =
        session->connecting && session->asked.known ? &session->asked : &session->format;

    if (!format->known || format->huffman || is_connectionless(base, packet))
        return false;
    *seqinfo = qs_seqinfo_from(packet->from, base->server);
    read_words(packet, format->stunaware, seqinfo);
    if (!format->fragments)
        return true;
    return base->server != QS_END_UNKNOWN &&
           read_fragment(packet, WORDS_SIZE + (base->server == packet->from ? 0 : QPORT_SIZE),
                         seqinfo);
}
