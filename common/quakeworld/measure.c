/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The sizes of the server messages of which a game consists, where no extension changes them. The
 * layouts are those that entities.c, server_messages.c and usercmd.c read.
 */
#include "common/quakeworld/decode.h"
#include "common/quakeworld/usercmd.h"

enum { COORDS = 3 * 2 };

/* Number, flags, origin and frame come first. */
static uint32_t measure_playerinfo(const uint8_t *at, uint32_t left)
{
    enum { FLAGS = 2, COMMAND = FLAGS + 2 + COORDS + 1 };
    static const uint32_t speeds = PF_VELOCITY1 | PF_VELOCITY2 | PF_VELOCITY3;
    static const uint32_t bytes = PF_MODEL | PF_SKINNUM | PF_EFFECTS;
    uint32_t flags, size = COMMAND;

    if (left < COMMAND + 2)
        return 0;
    flags = qs_le16(at + FLAGS);
    size += flags & PF_MSEC ? 1 : 0;
    if (flags & PF_COMMAND)
        size += qw_usercmd_size(at[size]);
    return size + 2 * qs_bits_in(flags & speeds) + qs_bits_in(flags & bytes) +
           (flags & PF_WEAPONFRAME ? 1 : 0);
}

/* A delta's size; 0: engines may disagree about it. */
static uint32_t measure_delta(uint16_t word, uint8_t further)
{
    static const uint8_t bytes = U_ANGLE1 | U_ANGLE3 | U_MODEL | U_COLORMAP | U_SKIN | U_EFFECTS;
    static const uint16_t coords = U_ORIGIN1 | U_ORIGIN2 | U_ORIGIN3, others = U_ANGLE2 | U_FRAME;
    const uint32_t size =
        2 + 2 * qs_bits_in((word & coords) >> 8) + qs_bits_in((word & others) >> 8);

    if (word & U_REMOVE)
        return word & ~(U_REMOVE | U_NUMBER) ? 0 : size;
    if (!(word & U_MOREBITS))
        return size;
    return further & U_FTE_EVENMORE ? 0 : size + 1 + qs_bits_in(further & bytes);
}

static uint32_t measure_entities(const uint8_t *at, uint32_t left, uint32_t start)
{
    uint32_t pos = start;

    while (left >= pos + 3) {
        const uint16_t word = qs_le16(at + pos);
        const uint32_t size = word ? measure_delta(word, at[pos + 2]) : 2;

        pos += size;
        if (!word || !size)
            return size ? pos : 0;
    }
    return left == pos + 2 && !qs_le16(at + pos) ? left : 0;
}

static uint32_t measure(const struct qs_decoder *d, const uint8_t *at, uint32_t left)
{
    static const uint8_t sizes[QS_MESSAGE_IDS] = {
        [SVC_UPDATESTAT] = 3, [SVC_SETANGLE] = 4,    [SVC_DAMAGE] = 3 + COORDS, [SVC_SMALLKICK] = 1,
        [SVC_BIGKICK] = 1,    [SVC_MUZZLEFLASH] = 3, [SVC_UPDATESTATLONG] = 6,
    };
    const uint8_t next = left > 1 ? at[1] : 0;
    uint32_t size = sizes[at[0]];

    (void)d;
    if (at[0] == SVC_PLAYERINFO)
        size = measure_playerinfo(at, left);
    else if (at[0] == SVC_PACKETENTITIES)
        size = measure_entities(at, left, 1);
    else if (at[0] == SVC_DELTAPACKETENTITIES)
        size = measure_entities(at, left, 2);
    else if (at[0] == SVC_NAILS)
        size = 2 + 6 * (uint32_t)next;
    else if (at[0] == SVC_SOUND && left > 2) /* the upper bits of the word */
        size = 4u + COORDS + qs_bits_in(at[2] & (SND_VOLUME | SND_ATTENUATION) >> 8);
    return size <= left ? size : 0;
}

qs_message_measure *qw_measure_for(const struct qs_decoder *d)
{
    const struct qw_session *session = qw_session_of(d);

    return session->ext.fte || session->ext.fte2 || session->ext.mvd1 || session->mvd ||
                   qw_version(d) < QW_PROTOCOL_WIDE_MOVES
               ? NULL
               : measure;
}
