/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the server tells the client.
 * Sources: dem-format, section 6; QuakeSpasm protocol.h and cl_parse.c (666, 999); DarkPlaces
 * protocol.h and cl_parse.c (its own messages and protocols); fteqw cl_parse.c (what its extensions
 * change; its own messages are in fte.c). Where engines and the text disagree the engines count,
 * and a comment says so.
 */
#include "common/core/text.h"
#include "common/quake/internal.h"

void nq_name(struct qs_decoder *d, unsigned row, const struct qs_table *table, uint32_t index,
             uint32_t offset, uint32_t length)
{
    const char *name = qs_table_get(table, index);

    if (!name || d->in.overrun)
        return;
    qs_emit_generated_text(d, row, offset, length, name);
    qs_label_text(d, " ", qs_view_of(name), "");
}

/* --- The connection --- */

static void read_nothing(struct qs_decoder *d)
{
    (void)d;
}

void nq_read_reason(struct qs_decoder *d)
{
    if (nq_darkplaces_version(nq_session_of(d)) >= 8)
        qs_label_text(d, ": ", qs_text(d, NQ_DISCONNECT_REASON), "");
}

static void read_disconnect(struct qs_decoder *d)
{
    nq_read_reason(d);
    d->session->disconnected = true;
}

static bool is_decoded(uint32_t version)
{
    switch (version) {
    case PROTOCOL_NETQUAKE:
    case PROTOCOL_FITZQUAKE:
    case PROTOCOL_RMQ:
    case PROTOCOL_DP1:
    case PROTOCOL_DP2:
    case PROTOCOL_NEHAHRA_MOVIE:
    case PROTOCOL_BJP:
    case PROTOCOL_BJP2:
    case PROTOCOL_BJP3:
        return true;
    }
    return version >= PROTOCOL_DP3 && version <= PROTOCOL_DP8;
}

static void choose_protocol(struct qs_decoder *d, uint32_t version, uint32_t flags)
{
    struct nq_session *session = nq_session_of(d);

    session->base.version = (int32_t)version;
    session->flags = flags;
    nq_set_formats(d);
}

/* Nothing behind this can be read. */
static void refuse_protocol(struct qs_decoder *d, uint32_t version)
{
    nq_session_of(d)->undecodable = true;
    qs_note(d, QS_NOTE_PROTOCOL_UNDECODED, d->in.pos - 4, 4, "Protocol %u is not decoded", version);
    d->stop = true;
}

static void read_version(struct qs_decoder *d)
{
    uint32_t version;

    fte_read_agreement(d);
    version = qs_u32(d, NQ_VERSION_NUMBER);
    if (d->in.overrun)
        return;
    if (is_decoded(version))
        choose_protocol(d, version, 0);
    else
        refuse_protocol(d, version);
}

/* --- serverinfo --- */

static void begin_level(struct nq_session *session)
{
    session->base.level++;
    session->signon = 0;
    session->view_entity = 0;
    session->undecodable = false;
    fte_forget_agreement(&session->ext);
    qs_table_clear(&session->models);
    qs_table_clear(&session->sounds);
    qs_table_clear(&session->players);
    qs_table_clear(&session->coarse);
}

/* Names until an empty one; the first has number 1. */
static void read_list(struct qs_decoder *d, unsigned group, struct qs_table *table)
{
    const unsigned number_row = group + 1, name_row = group + 2;
    uint32_t number = 1;

    qs_open(d, group);
    while (qs_reader_left(&d->in) && d->in.data[d->in.pos]) {
        qs_emit_generated_uint(d, number_row, d->in.pos, 0, number);
        qs_table_set(table, number++, qs_text(d, name_row));
    }
    qs_text(d, name_row);
    qs_label(d, " (%u)", number - 1);
    qs_close(d);
}

static void read_serverinfo(struct qs_decoder *d)
{
    struct nq_session *session = nq_session_of(d);
    uint32_t version;

    begin_level(session);
    fte_read_agreement(d);
    version = qs_u32(d, NQ_SERVERINFO_PROTOCOL);
    if (d->in.overrun)
        return;
    session->base.version = (int32_t)version;
    if (!is_decoded(version)) {
        refuse_protocol(d, version);
        return;
    }
    choose_protocol(d, version, version == PROTOCOL_RMQ ? qs_u32(d, NQ_SERVERINFO_FLAGS) : 0);
    if (session->ext.fte2 & FTE2_PREDINFO)
        qs_text(d, NQ_SERVERINFO_GAMEDIR);
    session->maxclients = qs_u8(d, NQ_SERVERINFO_MAXCLIENTS);
    qs_u8(d, NQ_SERVERINFO_GAMETYPE);
    qs_label_text(d, ": ", qs_text(d, NQ_SERVERINFO_LEVELNAME), "");
    read_list(d, NQ_SERVERINFO_MODELS, &session->models);
    read_list(d, NQ_SERVERINFO_SOUNDS, &session->sounds);
}

static void read_signonnum(struct qs_decoder *d)
{
    nq_session_of(d)->signon = qs_u8(d, NQ_SIGNONNUM_STAGE);
}

/* --- Texts --- */

/* DarkPlaces greets with its name before svc_serverinfo (sv_main.c, SV_SendServerinfo). */
static bool is_darkplaces_greeting(struct qs_view text)
{
    static const char greeting[] = "\nServer: ";

    return text.size >= strlen(greeting) && memcmp(text.data, greeting, strlen(greeting)) == 0;
}

static void read_print(struct qs_decoder *d)
{
    const struct qs_view text = qs_text(d, NQ_PRINT_TEXT);

    if (is_darkplaces_greeting(text))
        nq_session_of(d)->darkplaces = true;
    qs_label_text(d, ": ", text, "");
}

static void read_stufftext(struct qs_decoder *d)
{
    const struct qs_view commands = qs_text(d, NQ_STUFFTEXT_TEXT);

    qs_label_text(d, ": ", commands, "");
    nq_add_transfer_commands(d, commands);
}

static void read_centerprint(struct qs_decoder *d)
{
    qs_label_text(d, ": ", qs_text(d, NQ_CENTERPRINT_TEXT), "");
}

static void read_finale(struct qs_decoder *d)
{
    qs_text(d, NQ_FINALE_TEXT);
}

static void read_cutscene(struct qs_decoder *d)
{
    qs_text(d, NQ_CUTSCENE_TEXT);
}

/* --- The player's view and state --- */

static void read_updatestat(struct qs_decoder *d)
{
    qs_u8(d, NQ_UPDATESTAT_INDEX);
    qs_i32(d, NQ_UPDATESTAT_VALUE);
}

static void read_updatestatstring(struct qs_decoder *d)
{
    qs_u8(d, NQ_UPDATESTAT_INDEX);
    qs_label_text(d, ": ", qs_text(d, FTE_STAT_STRING), "");
}

static void read_updatestatfloat(struct qs_decoder *d)
{
    qs_u8(d, NQ_UPDATESTAT_INDEX);
    qs_f32(d, FTE_STAT_FLOAT);
}

static void read_setview(struct qs_decoder *d)
{
    nq_session_of(d)->view_entity = (uint16_t)fte_entity(d, NQ_SETVIEW_ENTITY);
}

static void read_time(struct qs_decoder *d)
{
    qs_label(d, ": %g s", (double)qs_f32(d, NQ_TIME_VALUE));
    if (nq_session_of(d)->ext.fte2 & FTE2_PREDINFO)
        qs_u16(d, NQ_TIME_MOVE);
}

static void read_setangle(struct qs_decoder *d)
{
    struct nq_session *session = nq_session_of(d);

    qs_open(d, NQ_SETANGLE_ANGLES);
    session->set.pitch = qs_angle(d, NQ_SETANGLE_ANGLES_PITCH);
    session->set.yaw = qs_angle(d, NQ_SETANGLE_ANGLES_YAW);
    session->set.roll = qs_angle(d, NQ_SETANGLE_ANGLES_ROLL);
    session->angle_set = !d->in.overrun;
    qs_close(d);
}

static void read_damage(struct qs_decoder *d)
{
    qs_u8(d, NQ_DAMAGE_ARMOR);
    qs_u8(d, NQ_DAMAGE_HEALTH);
    qs_coord3(d, NQ_DAMAGE_ORIGIN);
}

static void read_setpause(struct qs_decoder *d)
{
    qs_u8(d, NQ_SETPAUSE_PAUSED);
}

static void read_cdtrack(struct qs_decoder *d)
{
    qs_u8(d, NQ_CDTRACK_TRACK);
    qs_u8(d, NQ_CDTRACK_LOOP);
}

/* --- Players --- */

static void read_updatename(struct qs_decoder *d)
{
    const uint8_t player = qs_u8(d, NQ_UPDATENAME_PLAYER);
    const struct qs_view name = qs_text(d, NQ_UPDATENAME_NAME);

    if (d->in.overrun)
        return;
    qs_table_set(&nq_session_of(d)->players, player, name);
    qs_label_text(d, ": ", name, "");
}

static void read_player(struct qs_decoder *d, unsigned number_row, unsigned name_row)
{
    const uint32_t at = d->in.pos;
    const uint8_t player = qs_u8(d, number_row);

    nq_name(d, name_row, &nq_session_of(d)->players, player, at, 1);
}

static void read_updatefrags(struct qs_decoder *d)
{
    read_player(d, NQ_UPDATEFRAGS_PLAYER, NQ_UPDATEFRAGS_NAME);
    qs_i16(d, NQ_UPDATEFRAGS_FRAGS);
}

static void read_updatecolors(struct qs_decoder *d)
{
    read_player(d, NQ_UPDATECOLORS_PLAYER, NQ_UPDATECOLORS_NAME);
    qs_u8(d, NQ_UPDATECOLORS_COLORS);
}

/* --- Sounds --- */

static void name_sound(struct qs_decoder *d, unsigned row, uint32_t number, uint32_t at)
{
    nq_name(d, row, &nq_session_of(d)->sounds, number, at, d->in.pos - at);
}

static void read_sound_number(struct qs_decoder *d, unsigned number_row, unsigned name_row,
                              bool large)
{
    const uint32_t at = d->in.pos;

    name_sound(d, name_row, large ? qs_u16(d, number_row) : qs_u8(d, number_row), at);
}

/* Entity and channel share a word, or with SND_LARGEENTITY stand apart. */
static void read_sound_entity(struct qs_decoder *d, bool large)
{
    const uint32_t at = d->in.pos;

    if (large) {
        fte_entity(d, NQ_SOUND_ENTITY);
        qs_u8(d, NQ_SOUND_CHANNEL);
    } else {
        const uint16_t both = qs_u16(d, NQ_SOUND_ENTITY_CHANNEL);

        qs_emit_uint(d, NQ_SOUND_ENTITY, at, 2, both >> 3);
        qs_emit_uint(d, NQ_SOUND_CHANNEL, at, 1, both & 7);
    }
}

/* What stands between volume and attenuation and the entity. FTE: CLNQ_ParseStartSoundPacket. */
static void read_playback(struct qs_decoder *d, uint32_t flags)
{
    const bool fte = nq_has_fte(nq_session_of(d));

    if (flags & SNDX_PITCH && fte)
        qs_u8(d, NQ_SOUND_PITCHADJ);
    if (flags & SNDX_TIME_OFFSET && fte)
        qs_i16(d, NQ_SOUND_TIMEOFS);
    if (flags & SNDX_VELOCITY) {
        qs_open(d, NQ_SOUND_VELOCITY);
        for (unsigned axis = 0; axis < 3; axis++)
            qs_scaled_i16(d, NQ_SOUND_VELOCITY_X + axis, 1 / 8.0);
        qs_close(d);
    }
    if (flags & SND_SPEEDUSHORT4000 && nq_has_darkplaces(nq_session_of(d)))
        qs_u16(d, NQ_SOUND_SPEED);
}

static void read_any_sound(struct qs_decoder *d, bool large)
{
    uint32_t flags = qs_u8(d, NQ_SOUND_FLAGS);

    if (flags & SNDX_MORE && nq_has_fte(nq_session_of(d)))
        flags |= fte_varint(d, NQ_SOUND_FLAGS2) << 8;
    if (flags & SND_VOLUME)
        qs_scaled_u8(d, NQ_SOUND_VOLUME, 1.0 / 255);
    if (flags & SND_ATTENUATION)
        qs_scaled_u8(d, NQ_SOUND_ATTENUATION, 1.0 / 64);
    read_playback(d, flags);
    read_sound_entity(d, flags & SND_LARGEENTITY);
    read_sound_number(d, NQ_SOUND_NUMBER, NQ_SOUND_NAME,
                      large || flags & SND_LARGESOUND || nq_has_wide_sounds(nq_session_of(d)));
    qs_coord3(d, NQ_SOUND_ORIGIN);
}

static void read_sound(struct qs_decoder *d)
{
    read_any_sound(d, false);
}

static void read_stopsound(struct qs_decoder *d)
{
    qs_u16(d, NQ_STOPSOUND_ENTITY_CHANNEL);
}

static void read_staticsound_number(struct qs_decoder *d, bool large)
{
    const uint32_t at = d->in.pos;

    if (large && nq_session_of(d)->ext.fte2 & FTE2_LERPTIME)
        name_sound(d, NQ_STATICSOUND_NAME, fte_uleb128(d, NQ_STATICSOUND_NUMBER), at);
    else
        read_sound_number(d, NQ_STATICSOUND_NUMBER, NQ_STATICSOUND_NAME, large);
}

static void read_staticsound_level(struct qs_decoder *d)
{
    qs_scaled_u8(d, NQ_STATICSOUND_VOLUME, 1.0 / 255);
    qs_scaled_u8(d, NQ_STATICSOUND_ATTENUATION, 1.0 / 64);
}

/*
 * Whether the number that comes next has 16 bits: in BJP 2, and with DarkPlaces in BJP 3. Its
 * server of 2018 does the same in the first BJP, which not even its client can read; there a volume
 * of 0 is the number's upper byte.
 */
static bool next_is_wide(const struct qs_decoder *d)
{
    const struct nq_session *session = nq_session_of(d);

    switch (nq_version(session)) {
    case PROTOCOL_BJP:
        return session->darkplaces && qs_reader_left(&d->in) > 1 && !d->in.data[d->in.pos + 1];
    case PROTOCOL_BJP2:
        return true;
    case PROTOCOL_BJP3:
        return session->darkplaces;
    default:
        return false;
    }
}

static void read_spawnstaticsound(struct qs_decoder *d)
{
    qs_coord3(d, NQ_STATICSOUND_ORIGIN);
    read_staticsound_number(d, next_is_wide(d));
    read_staticsound_level(d);
}

static void read_spawnstaticsound2(struct qs_decoder *d)
{
    qs_coord3(d, NQ_STATICSOUND_ORIGIN);
    read_staticsound_number(d, true);
    read_staticsound_level(d);
}

/* The re-release's sound for one player alone: QuakeSpasm cl_parse.c, CL_ParseLocalSound. */
static void read_localsound(struct qs_decoder *d)
{
    const uint8_t flags = qs_u8(d, NQ_SOUND_FLAGS);

    read_sound_number(d, NQ_SOUND_NUMBER, NQ_SOUND_NAME, flags & SND_LARGESOUND);
}

/* --- The world --- */

static void read_lightstyle(struct qs_decoder *d)
{
    qs_u8(d, NQ_LIGHTSTYLE_STYLE);
    qs_text(d, NQ_LIGHTSTYLE_MAP);
}

/* The count comes before the color: id's SV_StartParticle, and blood (73) in demos; the text has
 * them the other way round. */
static void read_particle(struct qs_decoder *d)
{
    qs_coord3(d, NQ_PARTICLE_ORIGIN);
    qs_open(d, NQ_PARTICLE_VELOCITY);
    for (unsigned axis = 0; axis < 3; axis++)
        qs_scaled_i8(d, NQ_PARTICLE_VELOCITY_X + axis, 1.0 / 16);
    qs_close(d);
    qs_u8(d, NQ_PARTICLE_COUNT);
    qs_u8(d, NQ_PARTICLE_COLOR);
}

static void read_skybox(struct qs_decoder *d)
{
    qs_text(d, NQ_SKYBOX_NAME);
}

static void read_fog(struct qs_decoder *d)
{
    qs_scaled_u8(d, NQ_FOG_DENSITY, 1.0 / 255);
    qs_scaled_u8(d, NQ_FOG_RED, 1.0 / 255);
    qs_scaled_u8(d, NQ_FOG_GREEN, 1.0 / 255);
    qs_scaled_u8(d, NQ_FOG_BLUE, 1.0 / 255);
    qs_scaled_i16(d, NQ_FOG_TIME, 1.0 / 100);
}

static void read_showlmp(struct qs_decoder *d)
{
    qs_text(d, NQ_SHOWLMP_SLOT);
    qs_text(d, NQ_SHOWLMP_PICTURE);
    if (nq_has_nehahra(nq_session_of(d))) {
        qs_unsigned_byte(d, NQ_SHOWLMP_X);
        qs_unsigned_byte(d, NQ_SHOWLMP_Y);
    } else {
        qs_i16(d, NQ_SHOWLMP_X);
        qs_i16(d, NQ_SHOWLMP_Y);
    }
}

static void read_hidelmp(struct qs_decoder *d)
{
    qs_text(d, NQ_HIDELMP_SLOT);
}

static void read_achievement(struct qs_decoder *d)
{
    qs_text(d, NQ_ACHIEVEMENT_ID);
}

/* --- Nehahra's own: fteqw protocol.h and cl_parse.c --- */

static void read_nehahra_skyboxsize(struct qs_decoder *d)
{
    qs_coord(d, NQ_SKYBOXSIZE_SIZE);
}

static void read_nehahra_fog(struct qs_decoder *d)
{
    if (!qs_u8(d, NQ_FOG_ENABLED))
        return;
    qs_f32(d, NQ_FOG_DENSITY);
    qs_scaled_u8(d, NQ_FOG_RED, 1.0 / 255);
    qs_scaled_u8(d, NQ_FOG_GREEN, 1.0 / 255);
    qs_scaled_u8(d, NQ_FOG_BLUE, 1.0 / 255);
}

/* --- DarkPlaces' own --- */

static void read_any_effect(struct qs_decoder *d, bool large)
{
    uint32_t at;
    uint16_t model;

    qs_coord3(d, NQ_EFFECT_ORIGIN);
    at = d->in.pos;
    model = large ? qs_u16(d, NQ_EFFECT_MODEL) : qs_u8(d, NQ_EFFECT_MODEL);
    nq_name(d, NQ_EFFECT_MODEL_NAME, &nq_session_of(d)->models, model, at, d->in.pos - at);
    if (large)
        qs_u16(d, NQ_EFFECT_FRAME);
    else
        qs_u8(d, NQ_EFFECT_FRAME);
    qs_u8(d, NQ_EFFECT_COUNT);
    qs_u8(d, NQ_EFFECT_RATE);
}

static void read_effect(struct qs_decoder *d)
{
    read_any_effect(d, false);
}

static void read_effect2(struct qs_decoder *d)
{
    read_any_effect(d, true);
}

static void read_updatestatubyte(struct qs_decoder *d)
{
    qs_u8(d, NQ_UPDATESTAT_INDEX);
    qs_unsigned_byte(d, NQ_UPDATESTAT_VALUE);
}

static void read_added_name(struct qs_decoder *d)
{
    struct nq_session *session = nq_session_of(d);
    const uint16_t word = qs_u16(d, NQ_PRECACHE_WORD);
    const struct qs_view name = qs_text(d, NQ_PRECACHE_NAME);
    const uint32_t number = word & PRECACHE_INDEX;

    if (d->in.overrun)
        return;
    qs_label_text(d, ": ", name, "");
    if ((word & PRECACHE_TYPE) == PRECACHE_SOUND)
        qs_table_set(&session->sounds, number, name);
    else if ((word & PRECACHE_TYPE) == PRECACHE_MODEL)
        qs_table_set(&session->models, number, name);
}

/* The id was svc_sound2 to begin with: a sound with a large number. */
static void read_precache(struct qs_decoder *d)
{
    const unsigned version = nq_darkplaces_version(nq_session_of(d));

    if (version >= 1 && version <= 3)
        read_any_sound(d, true);
    else
        read_added_name(d);
}

static void read_trailparticles(struct qs_decoder *d)
{
    fte_entity(d, NQ_PARTICLES_ENTITY);
    qs_u16(d, NQ_PARTICLES_EFFECT);
    qs_coord3(d, NQ_PARTICLES_START);
    qs_coord3(d, NQ_PARTICLES_END);
}

static void read_pointparticles(struct qs_decoder *d)
{
    qs_u16(d, NQ_PARTICLES_EFFECT);
    qs_coord3(d, NQ_PARTICLES_START);
    qs_coord3(d, NQ_PARTICLES_VELOCITY);
    qs_u16(d, NQ_PARTICLES_COUNT);
}

static void read_pointparticles1(struct qs_decoder *d)
{
    qs_u16(d, NQ_PARTICLES_EFFECT);
    qs_coord3(d, NQ_PARTICLES_START);
}

/* --- The loop --- */

/* Who sends a message. DarkPlaces' come in its own protocols, and in 15 too when its game asks for
 * them; Nehahra's from other engines in its protocols. */
enum dialect { QUAKE, DARKPLACES, NEHAHRA, DIALECTS };

/* clang-format off */
static const struct qs_message_type types[DIALECTS][U_SIGNAL] = {
#define SVC(id, number, dialect, name, read, blurb)                                               \
    [dialect][number] = {name, &name[sizeof "svc_" - 1], NQ_SVC_##id, read},
#include "common/quake/messages.def"
};

static const struct fte_message fte_types[] = {
#define SVC_FTE(id, number, fte_bits, fte2_bits, name, read, blurb)                               \
    [number] = {{name, &name[sizeof "svcfte_" - 1], NQ_SVCFTE_##id, read}, .fte = fte_bits, .fte2 = fte2_bits},
#include "common/quake/messages.def"
};
/* clang-format on */

static const struct qs_message_type update = {"entity update", "update", NQ_UPDATE, nq_read_update};

static const struct qs_message_type *of_dialect(enum dialect dialect, uint32_t id)
{
    return types[dialect][id].name ? &types[dialect][id] : NULL;
}

static const struct qs_message_type *lookup(const struct qs_decoder *d, uint32_t id)
{
    const struct qs_message_type *type;

    if (id & U_SIGNAL)
        return &update;
    type = fte_allowed_message(d, fte_types, G_N_ELEMENTS(fte_types), id);
    if (!type && nq_has_darkplaces(nq_session_of(d)))
        type = of_dialect(DARKPLACES, id);
    else if (!type && nq_has_nehahra(nq_session_of(d)))
        type = of_dialect(NEHAHRA, id);
    return type ? type : of_dialect(QUAKE, id);
}

/* By DarkPlaces' version (com_msg.c, MSG_ReadCoord and MSG_ReadAngle). */
static void set_darkplaces_formats(struct qs_decoder *d, unsigned version)
{
    d->coord_format = version >= 2 && version <= 4 ? QS_COORD_WHOLE : QS_COORD_FLOAT32;
    d->angle_format = version >= 5 ? QS_ANGLE_SHORT : QS_ANGLE_BYTE;
}

/* In QuakeSpasm's order (common.c, MSG_ReadCoord and MSG_ReadAngle). */
static void set_flagged_formats(struct qs_decoder *d, uint32_t flags)
{
    if (flags & PRFL_FLOATCOORD)
        d->coord_format = QS_COORD_FLOAT32;
    else if (flags & PRFL_INT32COORD)
        d->coord_format = QS_COORD_INT32;
    else
        d->coord_format = flags & PRFL_24BITCOORD ? QS_COORD_24BIT : QS_COORD_SHORT;
    if (flags & PRFL_FLOATANGLE)
        d->angle_format = QS_ANGLE_FLOAT32;
    else
        d->angle_format = flags & PRFL_SHORTANGLE ? QS_ANGLE_SHORT : QS_ANGLE_BYTE;
}

/* fteqw cl_parse.c, CLNQ_ParseProtoVersion. */
static void widen_formats(struct qs_decoder *d)
{
    d->coord_format = QS_COORD_FLOAT32;
    if (d->angle_format == QS_ANGLE_BYTE)
        d->angle_format = QS_ANGLE_SHORT;
}

void nq_set_formats(struct qs_decoder *d)
{
    const struct nq_session *session = nq_session_of(d);
    const unsigned darkplaces = nq_darkplaces_version(session);

    if (darkplaces)
        set_darkplaces_formats(d, darkplaces);
    else
        set_flagged_formats(d, session->flags);
    if (session->ext.fte & FTE_FLOATCOORDS)
        widen_formats(d);
}

static void read_messages(struct qs_decoder *d)
{
    nq_set_formats(d);
    qs_read_messages(d, NQ_SVC, lookup);
}

/* --- Without a serverinfo --- */

/* What servers choose, the usual first. */
static const struct {
    int32_t version;
    uint32_t flags, fte, fte2;
} usual[] = {
    {PROTOCOL_NETQUAKE, 0, 0, 0},
    {PROTOCOL_FITZQUAKE, 0, 0, 0},
    {PROTOCOL_RMQ, PRFL_INT32COORD | PRFL_SHORTANGLE, 0, 0}, /* QuakeSpasm */
    {PROTOCOL_RMQ, PRFL_FLOATCOORD | PRFL_SHORTANGLE, 0, 0}, /* FTE */
    {PROTOCOL_RMQ, PRFL_FLOATCOORD | PRFL_FLOATANGLE, 0, 0},
    {PROTOCOL_RMQ, PRFL_24BITCOORD | PRFL_SHORTANGLE, 0, 0},
    {PROTOCOL_RMQ, PRFL_FLOATCOORD, 0, 0},
    {PROTOCOL_RMQ, PRFL_INT32COORD, 0, 0},
    {PROTOCOL_RMQ, PRFL_24BITCOORD, 0, 0},
    {PROTOCOL_RMQ, PRFL_SHORTANGLE, 0, 0},
    {PROTOCOL_DP7, 0, 0, 0},
    {PROTOCOL_DP6, 0, 0, 0},
    {PROTOCOL_DP5, 0, 0, 0},
    /* FTE's extensions as its own client gets them. */
    {PROTOCOL_RMQ, PRFL_FLOATCOORD | PRFL_SHORTANGLE, UINT32_C(0x40060600), UINT32_C(0x7f)},
};

/* The first that reads the messages without a problem. */
static void assume_usual(struct qs_decoder *d, void (*read)(struct qs_decoder *d))
{
    struct nq_session *session = nq_session_of(d);
    struct nq_session guess = *session; /* only read from */

    for (size_t i = 0; i < G_N_ELEMENTS(usual); i++) {
        guess.assumed_version = usual[i].version;
        guess.flags = usual[i].flags;
        guess.ext.fte = usual[i].fte;
        guess.ext.fte2 = usual[i].fte2;
        if (qs_is_readable(d, &guess.base, read)) {
            session->assumed_version = guess.assumed_version;
            session->flags = guess.flags;
            session->ext.fte = guess.ext.fte;
            session->ext.fte2 = guess.ext.fte2;
            return;
        }
    }
}

void nq_assume_protocol(struct qs_decoder *d, void (*read)(struct qs_decoder *d))
{
    const struct nq_session *session = nq_session_of(d);

    if (session->base.version)
        return;
    if (!session->assumed_version || !qs_is_readable(d, d->session, read))
        assume_usual(d, read);
}

/* nop and disconnect, alone, are the same in all protocols, from both sides. */
static bool is_common(struct qs_decoder *d)
{
    return qs_reader_left(&d->in) == 1 && d->in.data[d->in.pos] <= SVC_DISCONNECT;
}

/* So is a console command of the client. */
static bool is_command(struct qs_decoder *d)
{
    const uint8_t *message = d->in.data + d->in.pos;
    const uint32_t size = qs_reader_left(&d->in);

    return d->direction == QS_C2S && size > 1 && message[0] == CLC_STRINGCMD &&
           memchr(message, 0, size) == message + size - 1;
}

bool nq_pass_over(struct qs_decoder *d)
{
    const struct nq_session *session = nq_session_of(d);

    if (!session->undecodable || is_common(d) || is_command(d))
        return false;
    qs_note(d, QS_NOTE_PROTOCOL_UNDECODED, d->in.pos, qs_reader_left(&d->in),
            "Protocol %d is not decoded", session->base.version);
    qs_undecoded(d);
    return true;
}

void nq_read_server_messages(struct qs_decoder *d)
{
    if (nq_pass_over(d))
        return;
    nq_assume_protocol(d, read_messages);
    read_messages(d);
}
