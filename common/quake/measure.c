/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The sizes of the server messages of which a game consists, in the protocols of Quake and
 * FitzQuake. The layouts are those that entities.c, clientdata.c and effects.c read.
 */
#include "common/quake/decode.h"

static uint32_t coord_size(const struct qs_decoder *d)
{
    return d->coord_format == QS_COORD_24BIT ? 3 : d->coord_format < QS_COORD_24BIT ? 2 : 4;
}

static uint32_t angle_size(const struct qs_decoder *d)
{
    return d->angle_format == QS_ANGLE_FLOAT32 ? 4 : d->angle_format == QS_ANGLE_SHORT ? 2 : 1;
}

/* Flags whose bytes are spread over the message's first bytes; `*head`: how many these are. */
static uint32_t update_flags(const uint8_t *at, bool extended, uint32_t *head)
{
    uint32_t flags = at[0];

    *head = 1;
    if (flags & U_MOREBITS)
        flags |= (uint32_t)at[(*head)++] << 8;
    if (extended && flags & U_EXTEND1)
        flags |= (uint32_t)at[(*head)++] << 16;
    if (extended && flags & U_EXTEND2)
        flags |= (uint32_t)at[(*head)++] << 24;
    return flags;
}

static uint32_t measure_update(const struct qs_decoder *d, const uint8_t *at, uint32_t left)
{
    enum {
        HEAD_MAX = 4,
        BYTES = (U_MODEL | U_COLORMAP | U_SKIN | U_EFFECTS | U_LONGENTITY) >> 8,
        ORIGIN = U_ORIGIN1 | U_ORIGIN2 | U_ORIGIN3,
        UPPER = (U_ALPHA | U_FRAME2 | U_MODEL2 | U_LERPFINISH | U_SCALE) >> 16
    };
    const bool extended = nq_is_extended(nq_session_of(d));
    uint32_t flags, size;

    if (left < HEAD_MAX)
        return 0;
    flags = update_flags(at, extended, &size);
    if (!extended && flags & U_TRANS)
        return 0;
    return size + 1 + (flags & U_FRAME ? 1 : 0) + qs_bits_in(flags >> 8 & BYTES) +
           qs_bits_in(flags & ORIGIN) * coord_size(d) +
           qs_bits_in((flags & U_ANGLE2) | (flags >> 8 & (U_ANGLE1 | U_ANGLE3) >> 8)) *
               angle_size(d) +
           qs_bits_in(flags >> 16 & UPPER);
}

/* Flags; items, health, ammunition and the weapon are always there. */
static uint32_t measure_clientdata(const uint8_t *at, uint32_t left)
{
    enum {
        FIRST = 0xff, /* SU_VIEWHEIGHT to SU_VELOCITY3 */
        SECOND = (SU_WEAPONFRAME | SU_ARMOR | SU_WEAPON) >> 8,
        ALWAYS = 3 + 4 + 2 + 6
    };
    const uint32_t flags = left > 2 ? qs_le16(at + 1) : SU_EXTEND1;

    if (flags & SU_EXTEND1)
        return 0;
    return ALWAYS + qs_bits_in(flags & FIRST) + qs_bits_in(flags >> 8 & SECOND);
}

static uint32_t measure(const struct qs_decoder *d, const uint8_t *at, uint32_t left)
{
    const uint8_t next = left > 1 ? at[1] : 0;
    uint32_t size = 0;

    if (at[0] & U_SIGNAL)
        size = measure_update(d, at, left);
    else if (at[0] == SVC_CLIENTDATA)
        size = measure_clientdata(at, left);
    else if (at[0] == SVC_SOUND && !(next & ~(SND_VOLUME | SND_ATTENUATION)))
        size = 5 + qs_bits_in(next) + 3 * coord_size(d);
    else if (at[0] == SVC_PARTICLE)
        size = 6 + 3 * coord_size(d);
    else if (at[0] == SVC_UPDATESTAT)
        size = 6;
    else if (at[0] == SVC_DAMAGE)
        size = 3 + 3 * coord_size(d);
    return size <= left ? size : 0;
}

/* While a protocol is tried, positions tell whether it is the right one. */
qs_message_measure *nq_measure_for(const struct qs_decoder *d)
{
    const struct nq_session *session = nq_session_of(d);
    const bool plain = nq_version(session) == PROTOCOL_NETQUAKE || nq_is_extended(session);

    return plain && !nq_has_darkplaces(session) && !d->probing &&
                   !(d->want_entities >> QS_ENTITY_UPDATE & 1)
               ? measure
               : NULL;
}
