/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Source: PROTOCOL.md, sections 1 and 2. Fragments of reliable messages are acknowledged by their
 * numbers; unreliable messages are not, but a client's move repeats the time of the last message
 * that it was given (clc_move, svc_time).
 */
#include "common/quake/seqinfo.h"

#include "common/core/reader.h"
#include "common/quake/constants.h"
#include "common/quake/messages.h"
#include "common/quake/session.h"

enum { UNRELIABLE, RELIABLE, TIME_END = NET_HEADER_SIZE + 5 };

/* Others have another number before the time, or are not known well enough. */
static bool moves_begin_with_time(const struct nq_session *session)
{
    const int32_t version = session->base.version;

    return !(session->ext.fte2 & FTE2_PREDINFO) &&
           (version == PROTOCOL_NETQUAKE || version == PROTOCOL_FITZQUAKE ||
            version == PROTOCOL_RMQ);
}

/* The bits of a float that is not negative grow with it. */
static void read_time(const struct qs_session *session, const struct qs_packet *packet,
                      struct qs_seqinfo *seqinfo)
{
    const uint8_t message = packet->size >= TIME_END ? packet->data[NET_HEADER_SIZE] : 0;
    const bool from_server = session->server == packet->from;

    if (session->server == QS_END_UNKNOWN ||
        !moves_begin_with_time((const struct nq_session *)session))
        return;
    if (from_server && message == SVC_TIME)
        seqinfo->mark = qs_le32(packet->data + NET_HEADER_SIZE + 1);
    else if (!from_server && message == CLC_MOVE)
        seqinfo->echo = qs_le32(packet->data + NET_HEADER_SIZE + 1);
}

bool nq_seqinfo(const struct qs_session *session, const struct qs_packet *packet,
                struct qs_seqinfo *seqinfo)
{
    uint32_t word, sequence;

    if (packet->size < NET_HEADER_SIZE || qs_be32(packet->data) & NETFLAG_CTL)
        return false;
    word = qs_be32(packet->data);
    sequence = qs_be32(packet->data + 4);
    *seqinfo = qs_seqinfo_from(packet->from, session->server);
    seqinfo->stream = word & NETFLAG_UNRELIABLE ? UNRELIABLE : RELIABLE;
    if (word & NETFLAG_UNRELIABLE) {
        qs_seqinfo_message(seqinfo, sequence, 0);
        read_time(session, packet, seqinfo);
    } else if (word & NETFLAG_ACK) {
        seqinfo->echo_stream = RELIABLE;
        seqinfo->echo = sequence + 1;
    } else {
        qs_seqinfo_message(seqinfo, sequence, 0);
        seqinfo->mark = sequence + 1;
        seqinfo->reliable = seqinfo->repeated = true;
    }
    return true;
}
