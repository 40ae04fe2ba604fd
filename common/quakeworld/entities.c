/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Players, nails and other entities. Source: qwd-format 5.43, 5.44, 5.48, 5.49; PROTOCOL.md,
 * sections 4 and 5; layouts as in ezquake cl_ents.c CL_ParsePlayerinfo and CL_ParseDelta.
 */
#include "common/quakeworld/decode.h"
#include "common/quakeworld/entity_states.h"

/* --- svc_playerinfo --- */

/* Reads the velocity, in whole units per second and not as a coordinate: PROTOCOL.md, section 4. */
static void read_velocity(struct qs_decoder *d, uint16_t flags)
{
    if (flags & PF_VELOCITY1)
        qs_i16(d, QW_PLAYERINFO_VELOCITY_X);
    if (flags & PF_VELOCITY2)
        qs_i16(d, QW_PLAYERINFO_VELOCITY_Y);
    if (flags & PF_VELOCITY3)
        qs_i16(d, QW_PLAYERINFO_VELOCITY_Z);
}

/* Reads the fields that FTE's extensions add at the end; fteqw cl_ents.c CLQW_ParsePlayerinfo. */
static void read_player_looks(struct qs_decoder *d, uint16_t flags, uint8_t moreflags)
{
    const uint32_t fte = qw_session_of(d)->ext.fte;

    if ((moreflags & PF_SCALE) && (fte & FTE_SCALE))
        qs_scaled_u8(d, QW_PLAYERINFO_SCALE, 1 / 50.0);
    if ((moreflags & PF_TRANS) && (fte & FTE_TRANS))
        qs_u8(d, QW_PLAYERINFO_ALPHA);
    if ((moreflags & PF_FATNESS) && (fte & FTE_FATNESS))
        qs_i8(d, QW_PLAYERINFO_FATNESS);
    if ((flags & PF_HULLSIZE_Z) && (fte & FTE_HULLSIZE))
        qs_u8(d, QW_PLAYERINFO_HULL);
    if ((moreflags & PF_COLOURMOD) && (fte & FTE_COLOURMOD)) {
        qs_rows(d, QW_PLAYERINFO_RED, QW_PLAYERINFO_BLUE);
    }
}

/* Reads the model number, whose highest bit is bit 7 of the skin that follows. */
static void read_player_model(struct qs_decoder *d, bool has_skin)
{
    const uint32_t at = d->in.pos, number = qs_u8(d, QW_PLAYERINFO_MODEL);
    const bool high = has_skin && qs_reader_left(&d->in) && d->in.data[d->in.pos] & 0x80;

    qw_emit_model_name(d, high ? number + 256 : number, at, 1);
}

static void read_client_playerinfo(struct qs_decoder *d)
{
    const uint16_t flags = qs_u16(d, QW_PLAYERINFO_FLAGS);
    const bool more = (qw_session_of(d)->ext.fte & FTE_MOREFLAGS) && (flags & PF_EXTRA_PFS);
    const uint8_t moreflags = more ? qs_u8(d, QW_PLAYERINFO_MOREFLAGS) : 0;
    const enum qs_coord_format coords = fte_widen_coords(d);

    qs_coord3(d, QW_PLAYERINFO_ORIGIN);
    d->coord_format = coords;
    qs_u8(d, QW_PLAYERINFO_FRAME);
    if (flags & PF_MSEC)
        qs_u8(d, QW_PLAYERINFO_MSEC);
    if (flags & PF_COMMAND)
        qw_read_usercmd(d, &(struct qw_usercmd){0});
    read_velocity(d, flags);
    if (flags & PF_MODEL)
        read_player_model(d, flags & PF_SKINNUM);
    if (flags & PF_SKINNUM)
        qs_u8(d, QW_PLAYERINFO_SKIN);
    if (flags & PF_EFFECTS)
        qs_u8(d, QW_PLAYERINFO_EFFECTS);
    if (flags & PF_WEAPONFRAME)
        qs_u8(d, QW_PLAYERINFO_WEAPONFRAME);
    /* Source: ezquake cl_ents.c CL_ParsePlayerinfo. */
    if ((flags & PF_WEAPONFRAME) && (qw_session_of(d)->ext.mvd1 & MVD1_WEAPONPREDICTION) &&
        qs_u8(d, QW_WEAPON_PREDICTED))
        qs_rows(d, QW_WEAPON_IMPULSE, QW_WEAPON_CELLS);
    read_player_looks(d, flags, moreflags);
}

/* Reads the components of a vector that have a bit. */
static void read_changed(struct qs_decoder *d, unsigned id, unsigned bits,
                         double (*read)(struct qs_decoder *, unsigned))
{
    if (!(bits & 7))
        return;
    qs_open(d, id);
    for (unsigned component = id + 1; component <= id + 3; component++, bits >>= 1)
        if (bits & 1)
            qs_label(d, " %s %g", d->protocol->fields[component].title, read(d, component));
    qs_close(d);
}

/*
 * Reads svc_playerinfo of MVD, which has only changed values and ignores extensions for players;
 * mvdsv sv_demo.c SV_MVDWritePacketsEx, fteqw sv_mvd.c SV_MVDWritePackets.
 */
static void read_server_playerinfo(struct qs_decoder *d)
{
    const uint16_t flags = qs_u16(d, QW_PLAYERINFO_DF);
    const enum qs_angle_format angles = d->angle_format;

    qs_u8(d, QW_PLAYERINFO_FRAME);
    read_changed(d, QW_PLAYERINFO_ORIGIN, flags / DF_ORIGIN, qs_coord);
    d->angle_format = QS_ANGLE_SHORT;
    read_changed(d, QW_PLAYERINFO_ANGLES, flags / DF_ANGLES, qs_angle);
    d->angle_format = angles;
    if (flags & DF_MODEL)
        read_player_model(d, flags & DF_SKINNUM);
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
    if (qw_session_of(d)->mvd)
        read_server_playerinfo(d);
    else
        read_client_playerinfo(d);
}

/* --- svc_nails --- */

/* Converts a 12-bit coordinate, in steps of 2 units around the origin. */
static double nail_coord(uint32_t bits)
{
    return ((int)bits - 2048) * 2;
}

/* Reads six bytes: three coordinates of 12 bits, 4 bits of pitch, 8 of yaw; qwd-format, table
 * 13. */
static void read_flight(struct qs_decoder *d)
{
    const uint32_t at = d->in.pos;
    const uint8_t *b = qs_reader_bytes(&d->in, 6);
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

/* Reads nails with a number each, as servers record them; ezquake cl_ents.c CL_ParseProjectiles. */
void qw_read_nails2(struct qs_decoder *d)
{
    read_nails(d, true);
}

/* --- svc_packetentities, svc_deltapacketentities --- */

/* Emits the head of a delta, read from `at` on. */
static void emit_head(struct qs_decoder *d, const struct qw_delta *delta, uint32_t at)
{
    static const struct {
        unsigned row, shift;
    } further[] = {{QW_ENTITY_MOREBITS, 0}, {QW_ENTITY_EVENMORE, 16}, {QW_ENTITY_YETMORE, 24}};
    const uint32_t start = at + 2;

    qs_emit_uint(d, QW_ENTITY_WORD, at, 2, qs_le16(d->in.data + at));
    for (uint32_t i = 0; start + i < d->in.pos; i++)
        qs_emit_uint(d, further[i].row, start + i, 1, (uint8_t)(delta->bits >> further[i].shift));
    qs_emit_generated_uint(d, QW_ENTITY_NUMBER, at, d->in.pos - at, delta->number);
    qs_label(d, " %u", delta->number);
}

static void read_model(struct qs_decoder *d, const struct qw_delta *delta)
{
    const bool high = delta->bits & QW_EVENMORE(U_FTE_MODELDBL);
    const uint32_t at = d->in.pos;
    uint32_t model;

    if (delta->bits & U_MODEL)
        model = qs_u8(d, QW_ENTITY_MODEL) + (high ? 256u : 0);
    else if (high)
        model = qs_u16(d, QW_ENTITY_MODEL);
    else
        return;
    qw_emit_model_name(d, model, at, d->in.pos - at);
}

/* Reads a field. Only FTE's scale, opacity and tint are sent in steps. */
static void read_field(struct qs_decoder *d, const struct qw_entity_field *field)
{
    const double step = field->row == QW_ENTITY_SCALE   ? 1 / 16.0
                        : field->row == QW_ENTITY_ALPHA ? 1 / 255.0
                        : field->row == QW_ENTITY_RED   ? 1 / 32.0
                                                        : 0;

    if (step == 0)
        qs_rows(d, field->row, field->row + field->rows - 1u);
    else
        for (unsigned i = 0; i < field->rows; i++)
            qs_scaled_u8(d, field->row + i, step);
}

static void read_delta_fields(struct qs_decoder *d, const struct qw_delta *delta)
{
    const enum qs_coord_format coords = fte_widen_coords(d);
    const uint32_t fte = qw_session_of(d)->ext.fte;

    read_model(d, delta);
    for (unsigned i = 0; i < qw_entity_field_count(delta->bits); i++) {
        const struct qw_entity_field *field = &qw_entity_fields[i];

        if (qw_delta_has_field(delta, field, fte))
            read_field(d, field);
    }
    d->coord_format = coords;
}

/* Reads one delta, whose word must not be 0 unless the entity is a baseline. */
static void read_delta(struct qs_decoder *d)
{
    const uint32_t at = d->in.pos;
    struct qw_delta delta;

    qs_open(d, QW_ENTITY);
    delta = qw_read_delta(&d->in, qw_session_of(d)->ext.fte);
    if (d->values_wanted && !d->in.overrun)
        emit_head(d, &delta, at);
    if (delta.removes) {
        qs_label(d, " removed");
    } else {
        read_delta_fields(d, &delta);
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

/*
 * Reads FTE's SPAWNSTATIC2: an entity delta from nothing; common/fte/PROTOCOL.md, section 4. With
 * REPLACEMENTDELTAS the same message ids carry another kind of delta.
 */
void qw_read_spawnstatic2(struct qs_decoder *d)
{
    if (qw_session_of(d)->ext.fte2 & FTE2_REPLACEMENTDELTAS)
        fte_read_static_update(d);
    else
        read_delta(d);
}

void qw_read_spawnbaseline2(struct qs_decoder *d)
{
    if (qw_session_of(d)->ext.fte2 & FTE2_REPLACEMENTDELTAS)
        fte_read_baseline_update(d);
    else
        read_delta(d);
}

/* --- svc_packetsprojectiles --- */

/*
 * MVD1's SIMPLEPROJECTILE: projectiles that clients move without updates. Source: ezquake cl_ents.c
 * CL_ParsePacketSimpleProjectiles. Entity deltas use the same bits for other fields.
 */

static void read_projectile(struct qs_decoder *d)
{
    uint16_t word, flags;

    qs_open(d, QW_PROJECTILE);
    word = qs_u16(d, QW_PROJECTILE_WORD);
    qs_label(d, " %u%s", word & PROJECTILE_NUMBER, word & PROJECTILE_REMOVE ? " removed" : "");
    if (!(word & PROJECTILE_REMOVE)) {
        flags = qs_u16(d, QW_PROJECTILE_FLAGS);
        if (flags & U_ORIGIN1)
            qs_rows(d, QW_PROJECTILE_X, QW_PROJECTILE_VELOCITY_Z);
        if (flags & U_ANGLE1)
            qs_angle3(d, QW_PROJECTILE_ANGLES);
        if (flags & U_MODEL) {
            const uint32_t at = d->in.pos;

            qw_emit_model_name(d, qs_u16(d, QW_PROJECTILE_MODEL), at, 2);
            qs_u16(d, QW_PROJECTILE_OWNER);
        }
        if (flags & U_ORIGIN3)
            qs_scaled_u8(d, QW_PROJECTILE_AGE, 1 / 255.0);
    }
    qs_close(d);
}

void qw_read_packetsprojectiles(struct qs_decoder *d)
{
    qs_u32(d, QW_PROJECTILES_FRAME);
    while (!d->in.overrun) {
        if (qs_reader_left(&d->in) < 2 || qs_peek_u16(d) == 0) {
            qs_u16(d, QW_ENTITIES_END);
            return;
        }
        read_projectile(d);
    }
}

/* --- Effects that the server defines ---------------------------------------------------------- */

/* Source: fteqw cl_tent.c, CL_ParseCustomTEnt. */

/* Style of an undefined effect, and number of effects that have a style. */
enum { STYLE_UNKNOWN = 0x100, STYLES = 255 };

static uint16_t style_of(const struct qw_session *session, uint8_t effect)
{
    const uint16_t *styles =
        session->effect_styles ? g_bytes_get_data(session->effect_styles, NULL) : NULL;

    return styles && effect < STYLES ? styles[effect] : STYLE_UNKNOWN;
}

/* Stores a style. Replaces the whole array, because copies of the session share it. */
static void store_style(struct qw_session *session, uint8_t effect, uint8_t style)
{
    uint16_t styles[STYLES];

    if (effect >= STYLES || style_of(session, effect) == style)
        return;
    for (unsigned i = 0; i < STYLES; i++)
        styles[i] = style_of(session, (uint8_t)i);
    styles[effect] = style;
    g_clear_pointer(&session->effect_styles, g_bytes_unref);
    session->effect_styles = g_bytes_new(styles, sizeof styles);
}

static void read_definition(struct qs_decoder *d)
{
    const uint8_t effect = qs_u8(d, QW_CUSTOM_DEFINED);
    const uint8_t style = qs_u8(d, QW_CUSTOM_STYLE);

    qs_label_text(d, ": defines ", qs_text(d, QW_CUSTOM_NAME), "");
    if (style & CTE_STAINS)
        qs_rows(d, QW_CUSTOM_STAIN_RED, QW_CUSTOM_STAIN_RADIUS);
    if (style & CTE_GLOWS) {
        qs_rows(d, FTE_TE_RED, FTE_TE_RADIUS);
        qs_scaled_u8(d, QW_CUSTOM_GLOW_TIME, 1 / 16.0);
        for (unsigned color = 0; style & CTE_CHANNELFADE && color < 3; color++)
            qs_scaled_u8(d, QW_CUSTOM_FADE_RED + color, 1 / 64.0);
    }
    if (!d->in.overrun)
        store_style(qw_session_of(d), effect, style);
}

static void read_instance(struct qs_decoder *d, uint16_t style)
{
    if ((style & CTE_PERSISTENT) && (qs_u16(d, QW_CUSTOM_ID) & CTE_ID_REMOVE))
        return;
    qs_coord3(d, FTE_TE_ORIGIN);
    if (style & CTE_ISBEAM)
        qs_coord3(d, FTE_TE_END);
    if (style & CTE_CUSTOMCOUNT)
        qs_u8(d, FTE_TE_COUNT);
    if (style & CTE_CUSTOMVELOCITY)
        qs_coord3(d, FTE_TE_VELOCITY);
    else if (style & CTE_CUSTOMDIRECTION)
        qs_u8(d, QW_CUSTOM_DIRECTION);
}

void qw_read_customtempent(struct qs_decoder *d)
{
    const uint32_t at = d->in.pos;
    const uint8_t effect = qs_u8(d, QW_CUSTOM_EFFECT);
    const uint16_t style = style_of(qw_session_of(d), effect);

    if (effect == CTE_DEFINITION) {
        read_definition(d);
    } else if (style != STYLE_UNKNOWN) {
        read_instance(d, style);
    } else if (!d->in.overrun) {
        qs_note(d, QS_NOTE_PROTOCOL_UNDECODED, at, 1,
                "svcfte_customtempent not decoded: the capture lacks the definition of effect %u",
                effect);
        d->stop = true;
    }
}
