/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Players, nails and other entities: qwd-format 5.43, 5.44, 5.48, 5.49; PROTOCOL.md, sections 4 and
 * 5, with the layouts as in ezquake cl_ents.c CL_ParsePlayerinfo and CL_ParseDelta.
 */
#include "common/quakeworld/decode.h"
#include "common/quakeworld/extensions.h"
#include "common/quakeworld/messages.h"
#include "common/quakeworld/usercmd.h"

/* --- svc_playerinfo --- */

static uint8_t read_moreflags(struct qs_decoder *d, uint16_t flags)
{
    return (qw_session(d)->ext.fte & FTE_MOREFLAGS) && (flags & PF_EXTRA_PFS)
               ? qs_u8(d, QW_PLAYERINFO_MOREFLAGS)
               : 0;
}

static void read_command(struct qs_decoder *d)
{
    struct qw_usercmd cmd = {0};

    qw_read_usercmd(d, &cmd);
}

/* The velocity is in whole units per second and no coordinate: PROTOCOL.md, section 4. */
static void read_velocity(struct qs_decoder *d, uint16_t flags)
{
    if (flags & PF_VELOCITY1)
        qs_i16(d, QW_PLAYERINFO_VELOCITY_X);
    if (flags & PF_VELOCITY2)
        qs_i16(d, QW_PLAYERINFO_VELOCITY_Y);
    if (flags & PF_VELOCITY3)
        qs_i16(d, QW_PLAYERINFO_VELOCITY_Z);
}

/* MVD1's WEAPONPREDICTION; ezquake cl_ents.c CL_ParsePlayerinfo. */
static void read_weapon_prediction(struct qs_decoder *d)
{
    if (!qs_u8(d, QW_WEAPON_PREDICTED))
        return;
    qs_u8(d, QW_WEAPON_IMPULSE);
    qs_i16(d, QW_WEAPON_WEAPON);
    qs_f32(d, QW_WEAPON_TIME);
    qs_f32(d, QW_WEAPON_ATTACK_FINISHED);
    qs_f32(d, QW_WEAPON_NEXTTHINK);
    qs_u8(d, QW_WEAPON_THINKINDEX);
    qs_u8(d, QW_WEAPON_PING);
    qs_u8(d, QW_WEAPON_FLAGS);
    qs_u8(d, QW_WEAPON_SHELLS);
    qs_u8(d, QW_WEAPON_NAILS);
    qs_u8(d, QW_WEAPON_ROCKETS);
    qs_u8(d, QW_WEAPON_CELLS);
}

/* What FTE's extensions add at the end; fteqw cl_ents.c CLQW_ParsePlayerinfo. */
static void read_player_looks(struct qs_decoder *d, uint16_t flags, uint8_t moreflags)
{
    const uint32_t fte = qw_session(d)->ext.fte;

    if ((moreflags & PF_SCALE) && (fte & FTE_SCALE))
        qs_scaled_u8(d, QW_PLAYERINFO_SCALE, 1 / 50.0);
    if ((moreflags & PF_TRANS) && (fte & FTE_TRANS))
        qs_u8(d, QW_PLAYERINFO_ALPHA);
    if ((moreflags & PF_FATNESS) && (fte & FTE_FATNESS))
        qs_i8(d, QW_PLAYERINFO_FATNESS);
    if ((flags & PF_HULLSIZE_Z) && (fte & FTE_HULLSIZE))
        qs_u8(d, QW_PLAYERINFO_HULL);
    if ((moreflags & PF_COLOURMOD) && (fte & FTE_COLOURMOD)) {
        d->ambiguous |= !qw_only_fte_reads(&qw_session(d)->ext); /* ezQuake passes over that bit */
        qs_u8(d, QW_PLAYERINFO_RED);
        qs_u8(d, QW_PLAYERINFO_GREEN);
        qs_u8(d, QW_PLAYERINFO_BLUE);
    }
}

static void read_client_playerinfo(struct qs_decoder *d)
{
    const uint16_t flags = qs_u16(d, QW_PLAYERINFO_FLAGS);
    enum qs_coord_format coords;
    uint8_t moreflags;

    moreflags = read_moreflags(d, flags);
    coords = fte_widen_coords(d);
    qs_coord3(d, QW_PLAYERINFO_ORIGIN);
    d->coord_format = coords;
    qs_u8(d, QW_PLAYERINFO_FRAME);
    if (flags & PF_MSEC)
        qs_u8(d, QW_PLAYERINFO_MSEC);
    if (flags & PF_COMMAND)
        read_command(d);
    read_velocity(d, flags);
    if (flags & PF_MODEL)
        qw_read_model(d, QW_PLAYERINFO_MODEL);
    if (flags & PF_SKINNUM)
        qs_u8(d, QW_PLAYERINFO_SKIN);
    if (flags & PF_EFFECTS)
        qs_u8(d, QW_PLAYERINFO_EFFECTS);
    if (flags & PF_WEAPONFRAME)
        qs_u8(d, QW_PLAYERINFO_WEAPONFRAME);
    if ((flags & PF_WEAPONFRAME) && (qw_session(d)->ext.mvd1 & MVD1_WEAPONPREDICTION))
        read_weapon_prediction(d);
    read_player_looks(d, flags, moreflags);
}

/* A vector of which only the components with a bit are there. */
static void read_changed(struct qs_decoder *d, unsigned id, unsigned bits,
                         double (*read)(struct qs_decoder *, unsigned))
{
    if (!(bits & 7))
        return;
    qs_open(d, id);
    for (unsigned component = id + 1; component <= id + 3; component++, bits >>= 1)
        if (bits & 1)
            qs_label(d, " %s %g", qw_fields[component].title, read(d, component));
    qs_close(d);
}

/*
 * In MVD only what has changed is there, and the extensions that concern players change nothing;
 * mvdsv sv_demo.c SV_MVDWritePacketsEx, fteqw sv_mvd.c SV_MVDWritePackets.
 */
static void read_server_playerinfo(struct qs_decoder *d)
{
    const uint16_t flags = qs_u16(d, QW_PLAYERINFO_DF);
    const enum qs_angle_format angles = d->angle_format;
    const struct fte_session *agreed = fte_session(d);

    /* Where FTE reads floats nevertheless: cl_ents.c CLQW_ParsePlayerinfo. */
    d->ambiguous |= (flags & 7 * DF_ORIGIN) && (agreed->mvd1 & MVD1_FLOATCOORDS) &&
                    !(agreed->fte & FTE_FLOATCOORDS);

    qs_u8(d, QW_PLAYERINFO_FRAME);
    read_changed(d, QW_PLAYERINFO_ORIGIN, flags / DF_ORIGIN, qs_coord);
    d->angle_format = QS_ANGLE_SHORT;
    read_changed(d, QW_PLAYERINFO_ANGLES, flags / DF_ANGLES, qs_angle);
    d->angle_format = angles;
    if (flags & DF_MODEL)
        qw_read_model(d, QW_PLAYERINFO_MODEL);
    if (flags & DF_SKINNUM)
        qs_u8(d, QW_PLAYERINFO_SKIN);
    if (flags & DF_EFFECTS)
        qs_u8(d, QW_PLAYERINFO_EFFECTS);
    if (flags & DF_WEAPONFRAME)
        qs_u8(d, QW_PLAYERINFO_WEAPONFRAME);
}

void qw_read_playerinfo(struct qs_decoder *d)
{
    qw_read_player(d, QW_PLAYERINFO_PLAYER);
    if (qw_session(d)->mvd)
        read_server_playerinfo(d);
    else
        read_client_playerinfo(d);
}

/* --- svc_nails --- */

/* A 12-bit coordinate in steps of 2 units around the origin. */
static double nail_coord(uint32_t bits)
{
    return ((int)bits - 2048) * 2;
}

/* Six bytes: three coordinates of 12 bits, 4 bits of pitch, 8 of yaw; qwd-format, table 13. */
static void read_flight(struct qs_decoder *d)
{
    const uint32_t at = d->in.pos;
    const uint8_t *b = qs_reader_take(&d->in, 6);
    int pitch;

    if (!b || !d->fields_wanted)
        return;
    pitch = b[4] >> 4;
    if (pitch >= 8)
        pitch -= 16;
    qs_emit_double(d, QW_NAIL_X, at, 2, nail_coord(b[0] | (b[1] & 0x0fu) << 8));
    qs_emit_double(d, QW_NAIL_Y, at + 1, 2, nail_coord(b[1] >> 4 | (unsigned)b[2] << 4));
    qs_emit_double(d, QW_NAIL_Z, at + 3, 2, nail_coord(b[3] | (b[4] & 0x0fu) << 8));
    qs_emit_double(d, QW_NAIL_PITCH, at + 4, 1, pitch * (360.0 / 16));
    qs_emit_double(d, QW_NAIL_YAW, at + 5, 1, (int8_t)b[5] * (360.0 / 256));
}

static void read_nails(struct qs_decoder *d, bool numbered)
{
    const uint8_t count = qs_u8(d, QW_NAILS_COUNT);

    qs_label(d, ": %u", count);
    for (unsigned i = 0; i < count && !d->in.overrun; i++) {
        qs_open(d, QW_NAIL);
        if (numbered)
            qs_u8(d, QW_NAIL_NUMBER);
        read_flight(d);
        qs_close(d);
    }
}

void qw_read_nails(struct qs_decoder *d)
{
    read_nails(d, false);
}

/* Each nail with a number, for demos of the server's side; ezquake cl_ents.c CL_ParseProjectiles.
 */
void qw_read_nails2(struct qs_decoder *d)
{
    read_nails(d, true);
}

/* --- svc_packetentities, svc_deltapacketentities --- */

/* The bits of one entity, from all the bytes that hold some. */
struct entity_bits {
    uint16_t word;
    uint8_t more, evenmore, yetmore;
};

/* With FTE's ENTITYDBL even a removal has its further bits, for the number; see ezquake. */
static void read_morebits(struct qs_decoder *d, struct entity_bits *bits)
{
    if (!(bits->word & U_MOREBITS))
        return;
    bits->more = qs_u8(d, QW_ENTITY_MOREBITS);
    if (!(bits->more & U_FTE_EVENMORE) || !(qw_session(d)->ext.fte & FTE_EVENMORE))
        return;
    bits->evenmore = qs_u8(d, QW_ENTITY_EVENMORE);
    if (bits->evenmore & U_FTE_YETMORE)
        bits->yetmore = qs_u8(d, QW_ENTITY_YETMORE);
}

static void emit_number(struct qs_decoder *d, const struct entity_bits *bits, uint32_t at)
{
    uint32_t number = bits->word & U_NUMBER;

    if (bits->evenmore & U_FTE_ENTITYDBL)
        number += 512;
    if (bits->evenmore & U_FTE_ENTITYDBL2)
        number += 1024;
    qs_emit_generated_uint(d, QW_ENTITY_NUMBER, at, d->in.pos - at, number);
    qs_label(d, " %u", number);
}

static void read_model(struct qs_decoder *d, const struct entity_bits *bits)
{
    const uint32_t at = d->in.pos;
    uint32_t model;

    if (bits->more & U_MODEL)
        model = qs_u8(d, QW_ENTITY_MODEL) + (bits->evenmore & U_FTE_MODELDBL ? 256u : 0);
    else if (bits->evenmore & U_FTE_MODELDBL)
        model = qs_u16(d, QW_ENTITY_MODEL);
    else
        return;
    if (d->fields_wanted)
        qw_emit_model_name(d, at, d->in.pos - at, model);
}

static void read_place(struct qs_decoder *d, const struct entity_bits *bits)
{
    const enum qs_coord_format coords = fte_widen_coords(d);

    if (bits->word & U_ORIGIN1)
        qs_coord(d, QW_ENTITY_X);
    if (bits->more & U_ANGLE1)
        qs_angle(d, QW_ENTITY_PITCH);
    if (bits->word & U_ORIGIN2)
        qs_coord(d, QW_ENTITY_Y);
    if (bits->word & U_ANGLE2)
        qs_angle(d, QW_ENTITY_YAW);
    if (bits->word & U_ORIGIN3)
        qs_coord(d, QW_ENTITY_Z);
    if (bits->more & U_ANGLE3)
        qs_angle(d, QW_ENTITY_ROLL);
    d->coord_format = coords;
}

static void read_entity_light(struct qs_decoder *d)
{
    qs_u16(d, QW_ENTITY_LIGHT_RED);
    qs_u16(d, QW_ENTITY_LIGHT_GREEN);
    qs_u16(d, QW_ENTITY_LIGHT_BLUE);
    qs_u16(d, QW_ENTITY_LIGHT_RADIUS);
    qs_u8(d, QW_ENTITY_LIGHT_STYLE);
    qs_u8(d, QW_ENTITY_LIGHT_FLAGS);
}

/* The bits of the last byte; fteqw cl_ents.c CLQW_ParseDelta. */
static void read_yetmore(struct qs_decoder *d, const struct entity_bits *bits)
{
    const uint32_t fte = qw_session(d)->ext.fte;

    if ((bits->yetmore & U_FTE_DRAWFLAGS) && (fte & FTE_HEXEN2))
        qs_u8(d, QW_ENTITY_DRAWFLAGS);
    if ((bits->yetmore & U_FTE_ABSLIGHT) && (fte & FTE_HEXEN2))
        qs_u8(d, QW_ENTITY_ABSLIGHT);
    if ((bits->yetmore & U_FTE_COLOURMOD) && (fte & FTE_COLOURMOD)) {
        qs_u8(d, QW_ENTITY_RED);
        qs_u8(d, QW_ENTITY_GREEN);
        qs_u8(d, QW_ENTITY_BLUE);
    }
    if (bits->yetmore & U_FTE_DPFLAGS)
        qs_u8(d, QW_ENTITY_DPFLAGS);
    if (bits->yetmore & U_FTE_TAGINFO) {
        qs_u16(d, QW_ENTITY_TAG_ENTITY);
        qs_i16(d, QW_ENTITY_TAG_INDEX);
    }
    if (bits->yetmore & U_FTE_LIGHT)
        read_entity_light(d);
    if (bits->yetmore & U_FTE_EFFECTS16)
        qs_u8(d, QW_ENTITY_EFFECTS_HIGH);
}

/* What FTE's bits add behind the rest. */
static void read_extras(struct qs_decoder *d, const struct entity_bits *bits)
{
    const uint32_t fte = qw_session(d)->ext.fte;

    if ((bits->evenmore & U_FTE_SCALE) && (fte & FTE_SCALE))
        qs_u8(d, QW_ENTITY_SCALE);
    if ((bits->evenmore & U_FTE_TRANS) && (fte & FTE_TRANS))
        qs_u8(d, QW_ENTITY_ALPHA);
    if ((bits->evenmore & U_FTE_FATNESS) && (fte & FTE_FATNESS))
        qs_i8(d, QW_ENTITY_FATNESS);
    if (bits->yetmore)
        read_yetmore(d, bits);
}

/*
 * Players that drop an update read removals in it as changes: with all that their bits announce. Of
 * the further bits FTE always reads a byte, others with ENTITYDBL only; ezquake cl_ents.c
 * FlushEntityPacket, CL_ParsePacketEntities; fteqw cl_ents.c CLQW_ParsePacketEntities.
 */
static bool is_odd_removal(const struct qs_decoder *d, const struct entity_bits *bits)
{
    static const unsigned plain = U_NUMBER | U_REMOVE | U_MOREBITS;
    static const unsigned numbers = U_FTE_ENTITYDBL | U_FTE_ENTITYDBL2;

    return (bits->word & ~plain) || (bits->more & ~U_FTE_EVENMORE) || (bits->evenmore & ~numbers) ||
           ((bits->word & U_MOREBITS) && !(qw_session(d)->ext.fte & FTE_ENTITYDBL));
}

/* Where FTE asks for an extension ezQuake does not, and where ezQuake does FTE does not; ezquake
 * cl_ents.c CL_ParseDelta, fteqw cl_ents.c CLQW_ParseDelta. */
static bool is_odd_change(const struct qs_decoder *d, const struct entity_bits *bits)
{
    static const unsigned only_fte = U_FTE_DPFLAGS | U_FTE_TAGINFO | U_FTE_LIGHT | U_FTE_EFFECTS16;
    const uint32_t fte = qw_session(d)->ext.fte;

    return ((bits->more & U_FTE_EVENMORE) && fte && !(fte & FTE_EVENMORE)) ||
           ((bits->evenmore & U_FTE_MODELDBL) && !(fte & FTE_MODELDBL)) ||
           ((bits->yetmore & only_fte) && !qw_only_fte_reads(&qw_session(d)->ext));
}

/* One delta; the word is the next to read and not 0, or the entity is a baseline. */
static void read_delta(struct qs_decoder *d)
{
    const uint32_t at = d->in.pos;
    struct entity_bits bits = {0};

    qs_open(d, QW_ENTITY);
    bits.word = qs_u16(d, QW_ENTITY_WORD);
    if (!(bits.word & U_REMOVE) || (qw_session(d)->ext.fte & FTE_ENTITYDBL))
        read_morebits(d, &bits);
    emit_number(d, &bits, at);
    if (bits.word & U_REMOVE) {
        d->ambiguous |= is_odd_removal(d, &bits);
        qs_label(d, " removed");
    } else {
        d->ambiguous |= is_odd_change(d, &bits);
        read_model(d, &bits);
        if (bits.word & U_FRAME)
            qs_u8(d, QW_ENTITY_FRAME);
        if (bits.more & U_COLORMAP)
            qs_u8(d, QW_ENTITY_COLORMAP);
        if (bits.more & U_SKIN)
            qs_u8(d, QW_ENTITY_SKIN);
        if (bits.more & U_EFFECTS)
            qs_u8(d, QW_ENTITY_EFFECTS);
        read_place(d, &bits);
        read_extras(d, &bits);
    }
    qs_close(d);
}

void qw_read_packetentities(struct qs_decoder *d)
{
    while (!d->in.overrun) {
        if (qs_reader_left(&d->in) < 2 || qs_peek_u16(d) == 0) {
            qs_u16(d, QW_ENTITIES_END);
            return;
        }
        read_delta(d);
    }
}

void qw_read_deltapacketentities(struct qs_decoder *d)
{
    qs_u8(d, QW_PACKETENTITIES_FROM);
    qw_read_packetentities(d);
}

/* Nobody takes it for a removal: ezquake cl_parse.c CL_ParseSpawnBaseline2, CL_ParseStatic. */
static void read_whole_delta(struct qs_decoder *d)
{
    d->ambiguous |= qs_reader_left(&d->in) >= 2 && (qs_peek_u16(d) & U_REMOVE);
    read_delta(d);
}

/*
 * FTE's SPAWNSTATIC2: entity deltas from nothing; common/fte/PROTOCOL.md, section 4. With
 * REPLACEMENTDELTAS the same ids carry another kind of delta.
 */
void qw_read_spawnstatic2(struct qs_decoder *d)
{
    if (qw_session(d)->ext.fte2 & FTE2_REPLACEMENTDELTAS)
        fte_read_static_update(d);
    else
        read_whole_delta(d);
}

void qw_read_spawnbaseline2(struct qs_decoder *d)
{
    if (qw_session(d)->ext.fte2 & FTE2_REPLACEMENTDELTAS)
        fte_read_baseline_update(d);
    else
        read_whole_delta(d);
}
