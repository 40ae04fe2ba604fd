/* SPDX-License-Identifier: GPL-2.0-or-later */
/* QuakeWorld's part of FTE's extensions: callbacks of common/fte, and messages. */
#include "common/quakeworld/decode.h"

/* Keeps the newest three inputs as clc_move has them. */
static void keep_inputs(struct qs_session *base, const struct fte_input *inputs, unsigned count)
{
    struct qw_session *session = (struct qw_session *)base;

    for (unsigned i = 0; i < count; i++) {
        const struct fte_input *input = &inputs[i];

        session->cmds[0] = session->cmds[1];
        session->cmds[1] = session->cmds[2];
        session->cmds[2] = (struct qw_usercmd){
            .msec = input->msec,
            .angles = {input->angles[0], input->angles[1], input->angles[2]},
            .forward = input->forward,
            .side = input->side,
            .up = input->up,
            .buttons = input->buttons,
            .impulse = input->impulse,
        };
    }
    /* Demo players count a packet without commands, too: it must not repeat time and impulse. */
    if (!count)
        session->cmds[2].msec = session->cmds[2].impulse = 0;
    session->moved = true;
}

/* True for MVDSV 0.35 or later: PROTOCOL.md, section 5. */
static bool server_is_mvdsv(const struct qs_session *base)
{
    static const char name[] = "mvdsv ";
    const struct qw_session *session = (const struct qw_session *)base;
    const struct qs_view info = qs_view_of(qs_table_get(&session->texts, QW_TEXT_SERVERINFO));
    /* The text in the table is NUL-terminated. */
    const char *version = (const char *)qs_info_value(info, "*version").data;

    return version && g_ascii_strncasecmp(version, name, strlen(name)) == 0 &&
           g_ascii_strtod(version + strlen(name), NULL) >= 0.35;
}

/* clang-format off */
static const struct fte_temp_entity temp_entities[] = {
#define TE(id, number, name, shape) [number] = {name, FTE_SHAPE_##shape, false},
#define TE_EXT(id, number, name, shape) [number] = {name, FTE_SHAPE_##shape, true},
#include "common/quakeworld/messages.def"
};
/* clang-format on */

const struct fte_game qw_fte_game = {
    .rows = {.entities_end = QW_ENTITIES_END,
             .usercmd = QW_USERCMD,
             .pitch = QW_USERCMD_PITCH,
             .forward = QW_USERCMD_FORWARD,
             .side = QW_USERCMD_SIDE,
             .up = QW_USERCMD_UP,
             .msec = QW_USERCMD_MSEC,
             .loss = QW_MOVE_LOSS,
             .temp_entity_type = QW_TE_TYPE},
    .temp_entities = temp_entities,
    .temp_entity_count = G_N_ELEMENTS(temp_entities),
    .name_model = qw_emit_model_name,
    .name_entity = qw_emit_entity_name,
    .read_player = qw_read_player,
    .keep_inputs = keep_inputs,
    .server_is_mvdsv = server_is_mvdsv,
};

/* --- Server messages --- */

/*
 * Server messages that FTE adds, except entities and temporary entities (common/fte). Source:
 * common/fte/PROTOCOL.md, sections 6 and 7; fteqw cl_parse.c and the functions that it calls, which
 * are named below.
 *
 * Not decodable from the packets alone:
 *   - svcfte_csqcentities, once an entity is updated, and svcfte_cgamepacket: only the server's mod
 *     knows their length, and so where the next message begins (their sized forms are skipped);
 *   - svcfte_customtempent, if the capture lacks the effect's definition;
 *   - packets compressed by the extension HUFF, whose table is not sent;
 *   - svc_deltapacketsprojectiles, which has a number but no layout that any engine knows.
 */

/* --- Time and view --- */

QS_ROWS_READER(read_time, QW_TIME, QW_TIME)

static void read_setview(struct qs_decoder *d)
{
    qs_label(d, ": entity %u", fte_entity(d, QW_SETVIEW_ENTITY));
}

/* --- Seats: several players on one screen --- */

static void read_seats(struct qs_decoder *d)
{
    const uint8_t count = qs_u8(d, QW_SEATS_COUNT);

    for (unsigned i = 0; i < count && !d->in.overrun; i++)
        qs_u8(d, QW_SEATS_PLAYER);
}

/* Reads the seat that the next message is for. */
static void read_choosesplitclient(struct qs_decoder *d)
{
    qs_label(d, ": %u", qs_u8(d, QW_SEAT));
}

/* --- Statistics, info, precaches --- */

static void read_updatestatstring(struct qs_decoder *d)
{
    qw_label_stat(d, qs_u8(d, QW_STAT_INDEX));
    qs_label_text(d, " ", qs_text(d, FTE_STAT_STRING), "");
}

static void read_updatestatfloat(struct qs_decoder *d)
{
    qw_label_stat(d, qs_u8(d, QW_STAT_INDEX));
    qs_label(d, " %g", (double)qs_f32(d, FTE_STAT_FLOAT));
}

/* Reads a part of a long value; slot 0 is the server's info. Source: CL_ParseSetInfoBlob. */
static void read_setinfoblob(struct qs_decoder *d)
{
    qs_u8(d, QW_INFOBLOB_SLOT);
    qs_label_text(d, ": ", qs_text(d, QW_INFOBLOB_KEY), "");
    qs_u32(d, QW_INFOBLOB_POSITION);
    qs_bytes(d, QW_INFOBLOB_DATA, qs_u16(d, QW_INFOBLOB_SIZE));
}

/* Reads a late precache entry; the word's upper bits select the list. Source: CL_ParsePrecache. */
static void read_precache(struct qs_decoder *d)
{
    static const unsigned rows[] = {QW_PRECACHE_NAME, QW_PRECACHE_EFFECT, QW_PRECACHE_SOUND_NAME,
                                    QW_PRECACHE_NAME};
    const uint16_t word = qs_u16(d, QW_PRECACHE_WORD);
    const struct qs_view name = qs_text(d, rows[word >> 14]);
    const uint32_t index = word & PRECACHE_INDEX;

    qs_label_text(d, ": ", name, "");
    if (d->in.overrun)
        return;
    if ((word & PRECACHE_TYPE) == PRECACHE_MODEL)
        qs_table_set_name(&qw_session_of(d)->models, index, name);
    else if ((word & PRECACHE_TYPE) == PRECACHE_SOUND)
        qs_table_set_name(&qw_session_of(d)->sounds, index, name);
}

/* --- Sound --- */

/* Reads the fields between the mask and the entity. */
static void read_sound_options(struct qs_decoder *d, uint32_t mask)
{
    if (mask & SNDX_VOLUME)
        qs_scaled_u8(d, QW_SOUND_VOLUME, 1 / 255.0);
    if (mask & SNDX_ATTENUATION)
        qs_scaled_u8(d, QW_SOUND_ATTENUATION, 1 / 64.0);
    if (mask & SNDX_PITCH)
        qs_u8(d, QW_SOUNDX_PITCH);
    if (mask & SNDX_TIME_OFFSET)
        qs_i16(d, QW_SOUNDX_TIME_OFFSET);
    for (unsigned axis = 0; mask & SNDX_VELOCITY && axis < 3; axis++)
        qs_scaled_i16(d, QW_SOUNDX_VELOCITY_X + axis, 1 / 8.0);
    if (mask & SNDX_SPEED)
        qs_u16(d, QW_SOUNDX_SPEED);
}

/* Reads the layout of Quake's svc_sound with additions. Source: CLNQ_ParseStartSoundPacket. */
static void read_soundextended(struct qs_decoder *d)
{
    uint32_t mask = qs_u8(d, QW_SOUNDX_MASK);

    if (mask & SNDX_MORE)
        mask |= fte_varint(d, QW_SOUNDX_MORE_MASK) << 8;
    read_sound_options(d, mask);
    if (mask & SNDX_LARGE_ENTITY) {
        qw_emit_entity_name(d, fte_entity(d, QW_SOUNDX_ENTITY));
        qs_u8(d, QW_SOUNDX_CHANNEL);
    } else {
        qw_emit_entity_name(d, qs_u16(d, QW_STOPSOUND_WORD) >> 3);
    }
    if (mask & SNDX_LARGE_SOUND)
        qw_emit_sound_name(d, qs_u16(d, QW_SOUNDX_INDEX), 2);
    else
        qw_emit_sound_name(d, qs_u8(d, QW_SOUNDX_INDEX), 1);
    qs_coord3(d, QW_SOUND_ORIGIN);
}

/* Reads the number of a static sound, which any flag widens. Source: CL_ParseStaticSound. */
static uint16_t read_staticsound_number(struct qs_decoder *d, uint8_t flags)
{
    if (!flags)
        return qs_u8(d, QW_STATICSOUND2_INDEX);
    if (qw_session_of(d)->ext.fte2 & FTE2_LERPTIME)
        return fte_uleb128_short(d, QW_STATICSOUND2_INDEX);
    return qs_u16(d, QW_STATICSOUND2_INDEX);
}

static void read_spawnstaticsound2(struct qs_decoder *d)
{
    const uint8_t flags = qs_u8(d, QW_STATICSOUND2_FLAGS);
    uint32_t at;
    uint16_t number;

    qs_coord3(d, QW_STATICSOUND_ORIGIN);
    at = d->in.pos;
    number = read_staticsound_number(d, flags);
    qw_emit_sound_name(d, number, d->in.pos - at);
    qs_scaled_u8(d, QW_STATICSOUND_VOLUME, 1 / 255.0);
    qs_scaled_u8(d, QW_STATICSOUND_ATTENUATION, 1 / 64.0);
}

/* --- Lights, portals, pictures --- */

static void read_lightstylecol(struct qs_decoder *d)
{
    uint32_t style = qs_u8(d, QW_LIGHTSTYLE_STYLE);
    const uint8_t bits = qs_u8(d, QW_LIGHTSTYLE_BITS);

    if (bits & LIGHTSTYLE_HIGH)
        style |= (uint32_t)qs_u8(d, QW_LIGHTSTYLE_STYLE_HIGH) << 8;
    qs_label(d, ": %u", style);
    if (bits & LIGHTSTYLE_LEVELS) {
        for (unsigned color = 0; color < 3; color++)
            if (bits & LIGHTSTYLE_RED << color)
                qs_scaled_i16(d, QW_LIGHTSTYLE_RED_LEVEL + color, 1 / 1024.0);
    }
    qs_text(d, QW_LIGHTSTYLE_MAP);
}

/* Source: CL_ParsePortalState. */
static void read_setportalstate(struct qs_decoder *d)
{
    const uint8_t mode = qs_u8(d, QW_PORTAL_MODE);
    const bool areas = mode & PORTAL_AREAS;
    const bool portal = (mode & PORTAL_NUMBER) || !areas;
    const bool large = mode & PORTAL_LARGE;

    if (!(mode & PORTAL_NEW)) {
        qs_u8(d, QW_PORTAL_OLD);
        return;
    }
    if (portal && large)
        qs_u16(d, QW_PORTAL);
    else if (portal)
        qs_u8(d, QW_PORTAL);
    for (unsigned i = 0; areas && i < 2; i++) {
        if (large)
            qs_u16(d, QW_PORTAL_AREA);
        else
            qs_u8(d, QW_PORTAL_AREA);
    }
}

/* Reads a picture on the screen. Source: SCR_ShowPic_Create and its neighbors. */
static void read_showpic(struct qs_decoder *d)
{
    qs_u8(d, QW_PIC_ZONE);
    qs_label_text(d, ": ", qs_text(d, QW_PIC_SLOT), "");
    qs_label_text(d, " ", qs_text(d, QW_PIC_NAME), "");
    qs_i16(d, QW_PIC_X);
    qs_i16(d, QW_PIC_Y);
}

QS_TEXT_READER(read_hidepic, QW_PIC_SLOT)

/* Reads the server's order; fteqw's own client expects the zone first, and ends the game. */
static void read_movepic(struct qs_decoder *d)
{
    qs_label_text(d, ": ", qs_text(d, QW_PIC_SLOT), "");
    qs_u8(d, QW_PIC_ZONE);
    qs_i16(d, QW_PIC_X);
    qs_i16(d, QW_PIC_Y);
}

static void read_updatepic(struct qs_decoder *d)
{
    qs_label_text(d, ": ", qs_text(d, QW_PIC_SLOT), "");
    qs_label_text(d, " ", qs_text(d, QW_PIC_NAME), "");
}

/* --- Particles and effects --- */

/* Reads Quake's svc_particle, which Hexen II's games need. Source: CLNQ_ParseParticleEffect. */
static void read_particle(struct qs_decoder *d)
{
    qs_coord3(d, QW_PARTICLE_ORIGIN);
    for (unsigned axis = 0; axis < 3; axis++)
        qs_scaled_i8(d, QW_PARTICLE_DIRECTION_X + axis, 1 / 16.0);
    qs_u8(d, QW_PARTICLE_COUNT);
    qs_u8(d, QW_PARTICLE_COLOR_BYTE);
}

static void read_particle2(struct qs_decoder *d)
{
    qs_coord3(d, QW_PARTICLE_ORIGIN);
    qs_rows(d, QW_PARTICLE_MIN_X, QW_PARTICLE_MAX_Z);
    qs_rows(d, QW_PARTICLE_COLOR, QW_PARTICLE_EFFECT);
}

static void read_particle3(struct qs_decoder *d)
{
    qs_coord3(d, QW_PARTICLE_ORIGIN);
    qs_rows(d, QW_PARTICLE_BOX_X, QW_PARTICLE_BOX_Z);
    qs_rows(d, QW_PARTICLE_COLOR, QW_PARTICLE_EFFECT);
}

static void read_particle4(struct qs_decoder *d)
{
    qs_coord3(d, QW_PARTICLE_ORIGIN);
    qs_u8(d, QW_PARTICLE_RADIUS);
    qs_rows(d, QW_PARTICLE_COLOR, QW_PARTICLE_EFFECT);
}

/* Reads a sprite or model that plays some frames. Source: CL_ParseEffect. */
static void read_effect(struct qs_decoder *d)
{
    const bool wide = qs_message_byte(d) == SVC_FTE_EFFECT2;
    uint32_t at;
    uint16_t model;

    qs_coord3(d, QW_EFFECT_ORIGIN);
    at = d->in.pos;
    model = wide ? qs_u16(d, QW_EFFECT_MODEL) : qs_u8(d, QW_EFFECT_MODEL);
    qw_emit_model_name(d, model, at, d->in.pos - at);
    if (wide)
        qs_u16(d, QW_EFFECT_START);
    else
        qs_u8(d, QW_EFFECT_START);
    qs_rows(d, QW_EFFECT_FRAMES, QW_EFFECT_RATE);
}

/* --- svcfte_brushedit --- */

/*
 * FTE's editing of maps during a game, with the same layout in both directions. Source: fteqw
 * gl_heightmap.c CL_Parse_BrushEdit, SV_Parse_BrushEdit, Brush_Deserialise, Patch_Deserialise.
 */

static void read_brush(struct qs_decoder *d)
{
    const uint32_t at = d->in.pos;
    uint32_t planes;

    qs_rows(d, QW_BRUSH_ID, QW_BRUSH_CONTENTS);
    planes = qs_u32(d, QW_BRUSH_PLANES);
    if (planes > BRUSH_PLANES_MAX) {
        fte_stop_malformed(d, at, "Number of planes of brush editing:", planes);
        return;
    }
    for (uint32_t i = 0; i < planes && !d->in.overrun; i++) {
        qs_open(d, QW_PLANE);
        qs_label_text(d, ": ", qs_text(d, QW_BRUSH_TEXTURE), "");
        qs_rows(d, QW_PLANE_X, QW_PLANE_T_OFFSET);
        qs_close(d);
    }
}

/* Reads a control point; the patch's flags select the colors that follow. */
static void read_point(struct qs_decoder *d, uint8_t flags)
{
    qs_open(d, QW_PATCH_POINT);
    qs_rows(d, QW_PATCH_X, QW_PATCH_T);
    for (unsigned i = 0; i < 4; i++)
        if (flags & (1u << i))
            qs_f32(d, QW_PATCH_RED + i);
    qs_close(d);
}

static void read_patch(struct qs_decoder *d)
{
    const uint32_t at = d->in.pos;
    uint32_t points;
    uint8_t flags;

    qs_rows(d, QW_BRUSH_ID, QW_BRUSH_CONTENTS);
    points = qs_u16(d, QW_PATCH_WIDTH);
    points *= qs_u16(d, QW_PATCH_HEIGHT);
    if (points > BRUSH_PLANES_MAX) {
        fte_stop_malformed(d, at, "Number of control points of brush editing:", points);
        return;
    }
    flags = qs_u8(d, QW_PATCH_FLAGS);
    qs_text(d, QW_BRUSH_TEXTURE);
    qs_rows(d, QW_PATCH_SUBDIVISIONS_X, QW_PATCH_SUBDIVISIONS_Y);
    for (uint32_t i = 0; i < points && !d->in.overrun; i++)
        read_point(d, flags);
}

void qw_read_brushedit(struct qs_decoder *d)
{
    uint32_t at;
    uint8_t command;

    qs_u16(d, QW_BRUSH_MODEL);
    at = d->in.pos;
    command = qs_u8(d, QW_BRUSH_COMMAND);
    switch (command) {
    case BRUSH_DELETE:
    case BRUSH_ENTITY_REMOVE:
        qs_u32(d, QW_BRUSH_ID);
        break;
    case BRUSH_INSERT:
        read_brush(d);
        break;
    case BRUSH_PATCH_INSERT:
        read_patch(d);
        break;
    case BRUSH_ENTITY_EDIT:
        qs_u32(d, QW_BRUSH_ID);
        qs_text(d, QW_BRUSH_ENTITY);
        break;
    case BRUSH_PRESPAWNING:
    case BRUSH_PRESPAWNED:
        break;
    default:
        fte_stop_malformed(d, at, "Unknown command of brush editing:", command);
        break;
    }
}

/* --- Table of messages --- */

/* clang-format off */
static const struct fte_message extensions[] = {
#define ROW(id, prefix, name, read, ...) [SVC_##id] = {{name, &name[sizeof prefix - 1], QW_SVC_##id, read}, __VA_ARGS__},
#define SVC_FTE(id, number, name, read, ...) ROW(FTE_##id, "svcfte_", name, read, __VA_ARGS__)
#define SVC_EXT(id, number, name, read, ...) ROW(id, "svc_", name, read, __VA_ARGS__)
#define SVC_REVIVED(id, number, name, read, ...) ROW(id, "svc_", name, read, __VA_ARGS__)
#include "common/quakeworld/messages.def"
#undef ROW
};
/* clang-format on */

const struct qs_message_type *qw_extension_message(const struct qs_decoder *d, uint32_t id)
{
    return fte_allowed_message(d, extensions, G_N_ELEMENTS(extensions), id);
}
