/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/quake2/session.h"

#include "common/quake2/constants.h"

enum {
    NO_SUPPRESS_BYTE = 26 /* protocol whose svc_frame lacks the byte */
};

bool q2_is_q2pro(int32_t version)
{
    return version == Q2_PROTOCOL_Q2PRO || version == Q2_PROTOCOL_AQTION;
}

/* Q2PRO's minor versions are 1015 to 1026; MVD's are 2009 to 2013, but it has no datagrams. */
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

/* Demos with extended limits have frames of protocol 34 with fields of protocol 36. Their version
 * stands for a server's flags. Source: Q2PRO, parse.c CL_ParseServerData. */
struct q2_variant q2_demo_variant(int32_t version)
{
    const bool extended = version >= Q2_PROTOCOL_EXTENDED;

    return (struct q2_variant){
        .suppress_byte = version != NO_SUPPRESS_BYTE,
        .long_solid = extended,
        .short_angles = extended,
        .beam_origin = extended,
        .extensions = extended,
        .extensions2 = version > Q2_PROTOCOL_EXTENDED,
        .player_fog = version == Q2_PROTOCOL_EXTENDED_LAST,
    };
}

static void set_r1q2(struct q2_variant *variant, uint32_t minor)
{
    variant->packed = true;
    variant->beam_origin = true;
    variant->long_solid = minor >= R1Q2_LONG_SOLID;
}

static void set_q2pro(struct q2_variant *variant, uint32_t minor, uint16_t flags)
{
    variant->packed = true;
    variant->long_solid = true;
    variant->beam_origin = minor >= Q2PRO_BEAM_ORIGIN;
    variant->short_angles = minor >= Q2PRO_SHORT_ANGLES;
    variant->clientnum16 = minor >= Q2PRO_CLIENTNUM_SHORT;
    variant->extensions = flags & PF_EXTENSIONS;
    variant->extensions2 = variant->extensions && flags & PF_EXTENSIONS_2;
    variant->player_fog = variant->extensions2 && minor >= Q2PRO_PLAYERFOG;
}

/* q2repro has the fields of extended limits, whatever the limits of the game are. */
static void set_q2repro(struct q2_variant *variant, uint16_t flags)
{
    variant->packed = variant->q2repro = variant->floats = true;
    variant->long_solid = true;
    variant->beam_origin = true;
    variant->short_angles = true;
    variant->clientnum16 = true;
    variant->extensions = variant->extensions2 = true;
    variant->layout = Q2_LAYOUT_RERELEASE;
    if (flags & PF_GAME3)
        variant->layout =
            flags & (PF_EXTENSIONS | PF_EXTENSIONS_2) ? Q2_LAYOUT_EXTENDED : Q2_LAYOUT_VANILLA;
}

/* The rerelease has frames as in protocol 34, but with other fields. */
static void set_rerelease(struct q2_variant *variant, bool floats)
{
    *variant = (struct q2_variant){.rerelease = true,
                                   .floats = floats,
                                   .suppress_byte = true,
                                   .long_solid = true,
                                   .beam_origin = true,
                                   .layout = Q2_LAYOUT_RERELEASE};
}

struct q2_variant q2_variant_of(int32_t version, uint32_t minor, uint16_t flags, uint8_t record)
{
    struct q2_variant variant = q2_demo_variant(version);

    variant.relay = record == Q2_RECORD_RELAY;
    variant.server_record = record == Q2_RECORD_SERVER;
    if (version == Q2_PROTOCOL_R1Q2)
        set_r1q2(&variant, minor);
    else if (version == Q2_PROTOCOL_Q2PRO)
        set_q2pro(&variant, minor, flags);
    else if (version == Q2_PROTOCOL_AQTION) /* Q2PRO's variant of that time */
        set_q2pro(&variant, Q2PRO_SHORT_ANGLES, 0);
    variant.aqtion = version == Q2_PROTOCOL_AQTION;
    if (version == Q2_PROTOCOL_Q2REPRO)
        set_q2repro(&variant, flags);
    else if (variant.extensions)
        variant.layout = Q2_LAYOUT_EXTENDED;
    if (q2_is_rerelease(version))
        set_rerelease(&variant, version == Q2_PROTOCOL_RERELEASE);
    return variant;
}

bool q2_is_minor_of_mvd(uint32_t minor)
{
    return minor >= MVD_OLDEST && minor <= MVD_NEWEST;
}

/* Source: Q2PRO, server/mvd/parse.c MVD_ParseServerData. */
struct q2_variant q2_mvd_variant(uint32_t minor, uint16_t flags)
{
    struct q2_variant variant = {.mvd = true, .beam_origin = true};

    variant.extensions = minor >= MVD_EXTLIMITS && flags & MVF_EXTLIMITS;
    variant.extensions2 = variant.extensions && minor >= MVD_EXTLIMITS_2 && flags & MVF_EXTLIMITS_2;
    variant.player_fog = variant.extensions2 && minor >= MVD_PLAYERFOG;
    variant.long_solid = variant.short_angles = variant.extensions;
    if (variant.extensions)
        variant.layout = Q2_LAYOUT_EXTENDED;
    return variant;
}
