/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/demo/filter_nq.h"

#include "common/quake/constants.h"
#include "common/quake/dialect.h"

/* The byte at `at`, or 0 behind the end. */
static uint32_t byte_at(struct qs_view message, uint32_t at)
{
    return at < message.size ? message.data[at] : 0;
}

/* QuakeSpasm takes U_TRANS for Nehahra's, DarkPlaces the same bit for U_EXTEND1, id's engine for
 * nothing. */
static bool is_plain_update(struct qs_view message)
{
    const bool more = byte_at(message, 0) & U_MOREBITS;

    return !more || !(byte_at(message, 1) << 8 & U_TRANS);
}

/* DarkPlaces and QuakeSpasm read other bytes for the bits above. */
static bool is_plain_clientdata(struct qs_view message)
{
    return !((byte_at(message, 1) | byte_at(message, 2) << 8) & SU_EXTEND1);
}

static bool is_plain_sound(struct qs_view message, uint32_t known)
{
    return !(byte_at(message, 1) & ~known);
}

/* The protocol at the message's place is not the one that is in force behind the packet. */
static bool changes_protocol(const struct qs_decoder *decoder)
{
    return qs_has_message(decoder, SVC_SERVERINFO) || qs_has_message(decoder, SVC_VERSION);
}

bool nq_is_read_alike(const struct qs_decoder *decoder, struct qs_view message)
{
    static const uint32_t plain_sound = SND_VOLUME | SND_ATTENUATION | SND_LOOPING;
    const struct nq_session *session = (const struct nq_session *)decoder->session;
    const bool changes = changes_protocol(decoder);
    const bool plain = changes || nq_version(session) == PROTOCOL_NETQUAKE;

    if (!message.size || (!changes && (nq_darkplaces_version(session) || nq_has_fte(session))))
        return true;
    if (message.data[0] & U_SIGNAL)
        return !plain || is_plain_update(message);
    switch (message.data[0]) {
    case SVC_CLIENTDATA:
        return !plain || is_plain_clientdata(message);
    case SVC_SOUND:
        return is_plain_sound(message,
                              plain ? plain_sound : plain_sound | SND_LARGEENTITY | SND_LARGESOUND);
    case SVC_SHOWLMP:
    case SVC_DP_DOWNLOADDATA:
    case SVC_DP_UPDATESTATUBYTE:
    case SVC_ACHIEVEMENT:
    case SVC_LOCALSOUND:
        return false;
    default:
        return true;
    }
}
