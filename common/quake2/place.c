/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Source: PROTOCOL.md, section 4; Q2PRO, net/chan.c. */
#include "common/quake2/place.h"

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
                          struct qs_place *place)
{
    const uint32_t at = header_size(session, packet), start = at + FRAGMENT_WORD_SIZE;
    uint16_t word;

    if (session->base.server == QS_END_UNKNOWN || packet->size < start)
        return false;
    word = qs_le16(packet->data + at);
    qs_place_fragment(place, word & (Q2_MORE_FRAGMENTS - 1), packet->wire_size - start,
                      word & Q2_MORE_FRAGMENTS);
    return true;
}

bool q2_place(const struct qs_session *base, const struct qs_packet *packet, struct qs_place *place)
{
    const struct q2_session *session = q2_session_of_const(base);
    const uint32_t mask =
        session->new_netchan ? QS_SEQUENCE_MASK & ~Q2_FRAGMENT_BIT : QS_SEQUENCE_MASK;
    uint32_t word;

    if (packet->size < WORDS_SIZE || q2_is_connectionless(packet))
        return false;
    word = qs_le32(packet->data);
    *place = qs_place_from(packet->from, base->server);
    qs_place_whole(place, word & mask, FIRST_NUMBER);
    place->mark = word & mask;
    place->echo = qs_le32(packet->data + 4) & mask;
    place->reliable = word & QS_RELIABLE_BIT;
    place->toggles = true;
    place->toggle = qs_le32(packet->data + 4) & QS_RELIABLE_BIT;
    return !session->new_netchan || !(word & Q2_FRAGMENT_BIT) ||
           read_fragment(session, packet, place);
}
