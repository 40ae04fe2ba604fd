/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/demo/sanitize/filter_quake.h"

#include "common/quake/constants.h"
#include "common/quake/decode.h"

/* The byte at `at`, or 0 behind the end. */
static uint32_t byte_at(struct qs_view message, uint32_t at)
{
    return at < message.size ? message.data[at] : 0;
}

static uint32_t clientdata_flags(struct qs_view message)
{
    return byte_at(message, 1) | byte_at(message, 2) << 8;
}

/* Others read the items whether the bit is set or not, as FTE does in protocol 15 alone:
 * cl_parse.c, CLNQ_ParseClientdata. */
static bool has_items(struct qs_view message)
{
    return clientdata_flags(message) & SU_ITEMS;
}

static bool is_plain_sound(struct qs_view message, uint32_t known)
{
    return !(byte_at(message, 1) & ~known);
}

enum nq_players nq_players_of(const struct nq_session *session)
{
    const unsigned darkplaces = nq_darkplaces_version(session);

    if (nq_has_fte(session))
        return NQ_PLAYERS_ALIKE;
    if (darkplaces)
        return darkplaces == 5 ? NQ_PLAYERS_DARKPLACES5 : NQ_PLAYERS_DARKPLACES;
    return nq_version(session) == PROTOCOL_NETQUAKE ? NQ_PLAYERS_ALL : NQ_PLAYERS_LATER;
}

enum nq_players nq_players_of_decoded(const struct qs_decoder *decoder)
{
    if (qs_has_message(decoder, SVC_SERVERINFO) || qs_has_message(decoder, SVC_VERSION) ||
        decoder->notes[QS_NOTE_MALFORMED] || decoder->notes[QS_NOTE_PROTOCOL_UNDECODED])
        return NQ_PLAYERS_ALL; /* what was not read may be one of the two */
    return nq_players_of((const struct nq_session *)decoder->session);
}

/* With SND_LOOPING FTE reads further bits, and bits that it alone knows: cl_parse.c,
 * CLNQ_ParseStartSoundPacket. */
static bool is_alike_in_darkplaces(enum nq_players players, struct qs_view message)
{
    switch (message.data[0]) {
    case SVC_CLIENTDATA:
        return players != NQ_PLAYERS_DARKPLACES5 || has_items(message);
    case SVC_SOUND:
        return is_plain_sound(message, SND_VOLUME | SND_ATTENUATION | SND_LARGEENTITY |
                                           SND_LARGESOUND | SND_SPEEDUSHORT4000);
    default:
        return true;
    }
}

bool nq_is_read_alike(enum nq_players players, struct qs_view message)
{
    static const uint32_t plain_sound = SND_VOLUME | SND_ATTENUATION;
    const bool all = players == NQ_PLAYERS_ALL;

    if (!message.size)
        return true;
    if (message.data[0] == SVC_SHOWLMP || message.data[0] == SVC_HIDELMP) /* FTE stops */
        return false;
    if (players == NQ_PLAYERS_ALIKE)
        return message.data[0] != SVC_CLIENTDATA || has_items(message);
    if (players == NQ_PLAYERS_DARKPLACES || players == NQ_PLAYERS_DARKPLACES5)
        return is_alike_in_darkplaces(players, message);
    /* QuakeSpasm reads U_TRANS as Nehahra's, DarkPlaces the same bit as U_EXTEND1, id's engine for
     * nothing. */
    if (message.data[0] & U_SIGNAL)
        return !all || !(message.data[0] & U_MOREBITS) || !(byte_at(message, 1) << 8 & U_TRANS);
    switch (message.data[0]) {
    case SVC_CLIENTDATA: /* DarkPlaces and QuakeSpasm read other bytes for the bits above */
        return all ? !(clientdata_flags(message) & SU_EXTEND1) : has_items(message);
    case SVC_TEMP_ENTITY: /* QuakeSpasm stops where a mission pack's model is not installed */
        return byte_at(message, 1) != TE_BEAM;
    case SVC_BF:
    case SVC_FOG:
    case SVC_SPAWNBASELINE2:
    case SVC_SPAWNSTATIC2:
    case SVC_SPAWNSTATICSOUND2: /* FitzQuake's; DarkPlaces stops */
        return !all;
    case SVC_SOUND:
        return is_plain_sound(message,
                              all ? plain_sound : plain_sound | SND_LARGEENTITY | SND_LARGESOUND);
    case SVC_DP_DOWNLOADDATA:
    case SVC_DP_UPDATESTATUBYTE:
    case SVC_ACHIEVEMENT:
    case SVC_LOCALSOUND:
        return false;
    default:
        return true;
    }
}
