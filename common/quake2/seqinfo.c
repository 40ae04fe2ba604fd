/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Source: PROTOCOL.md, section 4; Q2PRO, net/chan.c. */
#include "common/quake2/seqinfo.h"

#include "common/netchan/netchan.h"
#include "common/core/reader.h"
#include "common/quake2/decode.h"

enum { WORDS_SIZE = 8, FRAGMENT_WORD_SIZE = 2, FIRST_NUMBER = 1 };

static uint32_t header_size(const struct q2_session *session, const struct qs_packet *packet)
{
    if (session->base.server == packet->from)
        return WORDS_SIZE;
    switch (session->qport_width) {
    case Q2_QPORT_NONE:
        return WORDS_SIZE;
    case Q2_QPORT_BYTE:
        return WORDS_SIZE + 1;
    case Q2_QPORT_SHORT:
    case Q2_QPORT_UNKNOWN:
        break;
    }
    return WORDS_SIZE + 2;
}

static bool read_fragment(const struct q2_session *session, const struct qs_packet *packet,
                          struct qs_seqinfo *seqinfo)
{
    const uint32_t at = header_size(session, packet), start = at + FRAGMENT_WORD_SIZE;
    uint16_t word;

    if (session->base.server == QS_END_UNKNOWN || packet->size < start)
        return false;
    word = qs_le16(packet->data + at);
    qs_seqinfo_fragment(seqinfo, word & (Q2_MORE_FRAGMENTS - 1), packet->wire_size - start,
                        word & Q2_MORE_FRAGMENTS);
    return true;
}

bool q2_seqinfo(const struct qs_session *base, const struct qs_packet *packet,
                struct qs_seqinfo *seqinfo)
{
    const struct q2_session *session = q2_session_of_const(base);
    const uint32_t mask =
        session->new_netchan ? QS_SEQUENCE_MASK & ~Q2_FRAGMENT_BIT : QS_SEQUENCE_MASK;
    uint32_t word;

    if (packet->size < WORDS_SIZE || q2_is_connectionless(packet))
        return false;
    word = qs_le32(packet->data);
    *seqinfo = qs_seqinfo_from(packet->from, base->server);
    qs_seqinfo_message(seqinfo, word & mask, FIRST_NUMBER);
    seqinfo->mark = word & mask;
    seqinfo->echo = qs_le32(packet->data + 4) & mask;
    seqinfo->reliable = word & QS_RELIABLE_BIT;
    seqinfo->toggles = true;
    seqinfo->toggle = qs_le32(packet->data + 4) & QS_RELIABLE_BIT;
    return !session->new_netchan || !(word & Q2_FRAGMENT_BIT) ||
           read_fragment(session, packet, seqinfo);
}
