/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/quake2/dialect.h"

#include "common/quake2/constants.h"

enum {
    NO_SUPPRESS_BYTE = 26,  /* the protocol whose svc_frame lacks the byte */
    R1Q2_LONG_SOLID = 1905, /* first minor versions */
    Q2PRO_BEAM_ORIGIN = 1017,
    Q2PRO_SHORT_ANGLES = 1018,
    Q2PRO_CLIENTNUM_SHORT = 1022,
    Q2PRO_PLAYERFOG = 1026,
    MVD_OLDEST = 2009,
    MVD_EXTENDED_LIMITS = 2011,
    MVD_EXTENDED_LIMITS_2 = 2012,
    MVD_PLAYERFOG = 2013
};

bool q2_is_q2pro(int32_t version)
{
    return version == Q2_PROTOCOL_Q2PRO || version == Q2_PROTOCOL_AQTION;
}

/* Those of Q2PRO are 1015 to 1026, of MVD 2009 to 2013, which is no protocol of datagrams. */
bool q2_is_minor_of_q2pro_ng(uint32_t minor)
{
    return minor >= 2000 && minor < 3000;
}

bool q2_is_rerelease(int32_t version)
{
    return version == Q2_PROTOCOL_RERELEASE_DEMO || version == Q2_PROTOCOL_RERELEASE;
}

bool q2_is_decoded(int32_t version, uint32_t minor)
{
    if (version == Q2_PROTOCOL_Q2PRO)
        return !q2_is_minor_of_q2pro_ng(minor);
    return (version >= Q2_PROTOCOL_OLDEST && version < Q2_PROTOCOL_Q2PRO) ||
           version == Q2_PROTOCOL_AQTION || version == Q2_PROTOCOL_Q2REPRO ||
           (version >= Q2_PROTOCOL_EXTENDED && version <= Q2_PROTOCOL_EXTENDED_LAST);
}

/* Demos with extended limits have frames as in protocol 34, of fields as in protocol 36, and have
 * in their version what a server has in flags. Source: Q2PRO, parse.c CL_ParseServerData. */
struct q2_dialect q2_demo_dialect(int32_t version)
{
    const bool extended = version >= Q2_PROTOCOL_EXTENDED;

    return (struct q2_dialect){
        .suppress_byte = version != NO_SUPPRESS_BYTE,
        .long_solid = extended,
        .short_angles = extended,
        .beam_origin = extended,
        .extensions = extended,
        .extensions2 = version > Q2_PROTOCOL_EXTENDED,
        .player_fog = version == Q2_PROTOCOL_EXTENDED_LAST,
    };
}

static void set_r1q2(struct q2_dialect *dialect, uint32_t minor)
{
    dialect->packed = true;
    dialect->beam_origin = true;
    dialect->long_solid = minor >= R1Q2_LONG_SOLID;
}

static void set_q2pro(struct q2_dialect *dialect, uint32_t minor, uint16_t flags)
{
    dialect->packed = true;
    dialect->long_solid = true;
    dialect->beam_origin = minor >= Q2PRO_BEAM_ORIGIN;
    dialect->short_angles = minor >= Q2PRO_SHORT_ANGLES;
    dialect->clientnum16 = minor >= Q2PRO_CLIENTNUM_SHORT;
    dialect->extensions = flags & PF_EXTENSIONS;
    dialect->extensions2 = dialect->extensions && flags & PF_EXTENSIONS_2;
    dialect->player_fog = dialect->extensions2 && minor >= Q2PRO_PLAYERFOG;
}

/* Q2PRO's of the time when solids, angles and beams had become what they are. */
static void set_aqtion(struct q2_dialect *dialect)
{
    dialect->packed = true;
    dialect->long_solid = true;
    dialect->beam_origin = true;
    dialect->short_angles = true;
    dialect->aqtion = true;
}

/* Its fields are those of extended limits, whatever the limits of the game. */
static void set_q2repro(struct q2_dialect *dialect, uint16_t flags)
{
    dialect->packed = dialect->q2repro = dialect->floats = true;
    dialect->long_solid = true;
    dialect->beam_origin = true;
    dialect->short_angles = true;
    dialect->clientnum16 = true;
    dialect->extensions = dialect->extensions2 = true;
    dialect->layout = Q2_LAYOUT_RERELEASE;
    if (flags & PF_GAME3)
        dialect->layout =
            flags & (PF_EXTENSIONS | PF_EXTENSIONS_2) ? Q2_LAYOUT_EXTENDED : Q2_LAYOUT_VANILLA;
}

/* Frames are as in protocol 34, and what is in them is not. */
static void set_rerelease(struct q2_dialect *dialect, bool floats)
{
    *dialect = (struct q2_dialect){.rerelease = true,
                                   .floats = floats,
                                   .suppress_byte = true,
                                   .long_solid = true,
                                   .beam_origin = true,
                                   .layout = Q2_LAYOUT_RERELEASE};
}

struct q2_dialect q2_dialect_of(int32_t version, uint32_t minor, uint16_t flags, uint8_t record)
{
    struct q2_dialect dialect = q2_demo_dialect(version);

    dialect.relay = record == Q2_RECORD_RELAY;
    dialect.server_record = record == Q2_RECORD_SERVER;
    if (version == Q2_PROTOCOL_R1Q2)
        set_r1q2(&dialect, minor);
    else if (version == Q2_PROTOCOL_Q2PRO)
        set_q2pro(&dialect, minor, flags);
    else if (version == Q2_PROTOCOL_AQTION)
        set_aqtion(&dialect);
    if (version == Q2_PROTOCOL_Q2REPRO)
        set_q2repro(&dialect, flags);
    else if (dialect.extensions)
        dialect.layout = Q2_LAYOUT_EXTENDED;
    if (q2_is_rerelease(version))
        set_rerelease(&dialect, version == Q2_PROTOCOL_RERELEASE);
    return dialect;
}

bool q2_is_minor_of_mvd(uint32_t minor)
{
    return minor >= MVD_OLDEST && minor <= MVD_PLAYERFOG;
}

/* Source: Q2PRO, server/mvd/parse.c MVD_ParseServerData. */
struct q2_dialect q2_mvd_dialect(uint32_t minor, uint16_t flags)
{
    struct q2_dialect dialect = {.mvd = true, .beam_origin = true};

    dialect.extensions = minor >= MVD_EXTENDED_LIMITS && flags & MVF_EXTLIMITS;
    dialect.extensions2 =
        dialect.extensions && minor >= MVD_EXTENDED_LIMITS_2 && flags & MVF_EXTLIMITS_2;
    dialect.player_fog = dialect.extensions2 && minor >= MVD_PLAYERFOG;
    dialect.long_solid = dialect.short_angles = dialect.extensions;
    if (dialect.extensions)
        dialect.layout = Q2_LAYOUT_EXTENDED;
    return dialect;
}
