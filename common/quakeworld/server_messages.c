/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Messages from server to client: qwd-format, section 5, where each stands under its name. */
#include "common/quakeworld/parts.h"

#include "common/core/text.h"

static void read_nothing(struct qs_decoder *d)
{
    (void)d;
}

/* MVD ends with the text "EndOfDemo". */
static void read_disconnect(struct qs_decoder *d)
{
    d->session->disconnected = true;
    if (qw_session(d)->mvd && qs_reader_left(&d->in))
        qs_label_text(d, ": ", qs_text(d, QW_DISCONNECT_REASON), "");
}

/* --- The session and its texts */

static void read_print(struct qs_decoder *d)
{
    struct qs_view text;

    qs_u8(d, QW_PRINT_LEVEL);
    text = qs_text(d, QW_PRINT);
    qs_label_text(d, ": ", text, "");
}

static void read_centerprint(struct qs_decoder *d)
{
    qs_label_text(d, ": ", qs_text(d, QW_CENTERPRINT_TEXT), "");
}

static void read_finale(struct qs_decoder *d)
{
    qs_label_text(d, ": ", qs_text(d, QW_FINALE_TEXT), "");
}

/* The whole server info comes as a command: fullserverinfo "\key\value...". */
static void keep_serverinfo(struct qs_decoder *d, struct qs_view text)
{
    struct qs_token word;
    uint32_t pos = 0;

    if (qs_token_next(text, &pos, &word) && qs_view_equal(word.text, "fullserverinfo") &&
        qs_token_next(text, &pos, &word))
        qs_table_set(&qw_session(d)->texts, QW_TEXT_SERVERINFO, word.text);
}

static void read_stufftext(struct qs_decoder *d)
{
    const uint32_t at = d->in.pos;
    const struct qs_view text = qs_text(d, QW_STUFFTEXT_TEXT);

    qs_label_text(d, ": ", text, "");
    qw_emit_commands(d, text, at);
    keep_serverinfo(d, text);
}

static void read_movevars(struct qs_decoder *d)
{
    qs_f32(d, QW_MOVEVAR_GRAVITY);
    qs_f32(d, QW_MOVEVAR_STOPSPEED);
    qs_f32(d, QW_MOVEVAR_MAXSPEED);
    qs_f32(d, QW_MOVEVAR_SPECTATORMAXSPEED);
    qs_f32(d, QW_MOVEVAR_ACCELERATE);
    qs_f32(d, QW_MOVEVAR_AIRACCELERATE);
    qs_f32(d, QW_MOVEVAR_WATERACCELERATE);
    qs_f32(d, QW_MOVEVAR_FRICTION);
    qs_f32(d, QW_MOVEVAR_WATERFRICTION);
    qs_f32(d, QW_MOVEVAR_ENTGRAVITY);
}

static bool is_version(uint32_t number)
{
    return number >= QW_PROTOCOL_FIRST && number <= QW_PROTOCOL_LAST;
}

/* --- Who the client's players are: fteqw cl_parse.c CLQW_ParseServerData */

/* A byte that is a player's number, with a bit for spectators. */
static void read_player_byte(struct qs_decoder *d)
{
    struct qw_session *session = qw_session(d);
    const uint8_t player = qs_u8(d, QW_SERVERDATA_PLAYER_BYTE);

    session->player = player & 0x7f;
    session->spectator = player & 0x80;
}

/* With FTE2's MAXPLAYERS: slots of the server, seats of the client, the player at each. */
static void read_counted_seats(struct qs_decoder *d)
{
    struct qw_session *session = qw_session(d);
    const bool all_bits = session->ext.fte2 & FTE2_VRINPUTS;
    uint8_t seats;

    qs_u8(d, QW_SERVERDATA_MAXCLIENTS);
    seats = qs_u8(d, QW_SERVERDATA_SEATS_BYTE);
    session->spectator = !all_bits && (seats & 0x80);
    if (!all_bits)
        seats &= 0x7f;
    for (unsigned i = 0; i < seats && !d->in.overrun; i++) {
        const uint8_t player = qs_u8(d, QW_SERVERDATA_SEAT);

        if (!i)
            session->player = player;
    }
}

/* With FTE's SPLITSCREEN more players may follow, up to a byte that is none. */
static void read_listed_seats(struct qs_decoder *d)
{
    read_player_byte(d);
    while (qs_reader_left(&d->in) && d->in.data[d->in.pos] != SEATS_END)
        qs_u8(d, QW_SERVERDATA_SEAT);
    qs_u8(d, QW_SERVERDATA_SEATS_END);
}

/* MVD has no player of its own. */
static void read_no_seats(struct qs_decoder *d)
{
    struct qw_session *session = qw_session(d);

    session->player = QW_PLAYER_NONE;
    if (session->ext.fte2 & FTE2_MAXPLAYERS)
        qs_u8(d, QW_SERVERDATA_MAXCLIENTS);
    qs_f32(d, QW_SERVERDATA_TIME);
}

static void read_seats(struct qs_decoder *d)
{
    const struct qw_session *session = qw_session(d);

    if (session->mvd)
        read_no_seats(d);
    else if (session->ext.fte2 & FTE2_MAXPLAYERS)
        read_counted_seats(d);
    else if (session->ext.fte & FTE_SPLITSCREEN)
        read_listed_seats(d);
    else
        read_player_byte(d);
}

static void read_serverdata(struct qs_decoder *d)
{
    struct qw_session *session = qw_session(d);

    qw_session_new_level(session);
    fte_read_agreement(d);
    session->base.version = qs_i32(d, QW_SERVERDATA_PROTOCOL);
    if (!d->in.overrun && !is_version((uint32_t)session->base.version)) {
        qs_note(d, QS_NOTE_PROTOCOL_UNDECODED, d->in.pos - 4, 4,
                "Protocol version %d of svc_serverdata not decoded", session->base.version);
        session->base.version = 0;
        d->stop = true;
        return;
    }
    qw_apply_extensions(d);
    qs_i32(d, QW_SERVERDATA_COUNT);
    qs_table_set(&session->texts, QW_TEXT_GAMEDIR, qs_text(d, QW_SERVERDATA_GAMEDIR));
    read_seats(d);
    qs_table_set(&session->texts, QW_TEXT_LEVEL, qs_text(d, QW_SERVERDATA_LEVEL));
    qs_label_text(d, ": ", qs_view_of(qs_table_get(&session->texts, QW_TEXT_LEVEL)), "");
    if (session->base.version >= QW_PROTOCOL_MOVEVARS)
        read_movevars(d);
}

static void read_serverinfo(struct qs_decoder *d)
{
    struct qs_table *texts = &qw_session(d)->texts;
    const struct qs_view key = qs_text(d, QW_SERVERINFO_KEY);
    const struct qs_view value = qs_text(d, QW_SERVERINFO_VALUE);
    char *info;

    qs_label_text(d, ": ", key, "");
    qs_label_text(d, " = ", value, "");
    if (d->in.overrun)
        return;
    qw_emit_z_ext(d, key, value, d->in.pos - value.size - 1);
    info = qs_info_set(qs_view_of(qs_table_get(texts, QW_TEXT_SERVERINFO)), key, value);
    qs_table_set(texts, QW_TEXT_SERVERINFO, qs_view_of(info));
    g_free(info);
}

static void read_lightstyle(struct qs_decoder *d)
{
    const uint8_t style = qs_u8(d, QW_LIGHTSTYLE_STYLE);

    qs_label(d, ": %u", style);
    qs_text(d, QW_LIGHTSTYLE_MAP);
}

static void read_setpause(struct qs_decoder *d)
{
    qs_u8(d, QW_SETPAUSE_PAUSED);
}

static void read_cdtrack(struct qs_decoder *d)
{
    qs_u8(d, QW_CDTRACK_TRACK);
}

static void read_maxspeed(struct qs_decoder *d)
{
    qs_f32(d, QW_MAXSPEED);
}

static void read_entgravity(struct qs_decoder *d)
{
    qs_f32(d, QW_ENTGRAVITY);
}

static void read_chokecount(struct qs_decoder *d)
{
    const uint8_t count = qs_u8(d, QW_CHOKECOUNT);

    qs_label(d, ": %u", count);
    qw_session(d)->choked = count;
}

/* --- The players */

static void read_updatefrags(struct qs_decoder *d)
{
    qw_read_player(d, QW_UPDATEFRAGS_PLAYER);
    qs_i16(d, QW_UPDATEFRAGS_FRAGS);
}

static void read_updateping(struct qs_decoder *d)
{
    qw_read_player(d, QW_UPDATEPING_PLAYER);
    qs_i16(d, QW_UPDATEPING_PING);
}

static void read_updatepl(struct qs_decoder *d)
{
    qw_read_player(d, QW_UPDATEPL_PLAYER);
    qs_u8(d, QW_UPDATEPL_LOSS);
}

static void read_updateentertime(struct qs_decoder *d)
{
    qw_read_player(d, QW_UPDATEENTERTIME_PLAYER);
    qs_f32(d, QW_UPDATEENTERTIME_SECONDS);
}

static void read_updateuserinfo(struct qs_decoder *d)
{
    const uint8_t player = qs_u8(d, QW_UPDATEUSERINFO_PLAYER);
    struct qs_view info;
    uint32_t at;

    qs_i32(d, QW_UPDATEUSERINFO_USERID);
    at = d->in.pos;
    info = qs_text(d, QW_UPDATEUSERINFO_INFO);
    qs_label(d, ": player %u", player);
    qs_label_text(d, " ", qs_info_value(info, "name"), "");
    if (d->in.overrun)
        return;
    qw_emit_info(d, info, at);
    if (player < QW_PLAYERS_MAX)
        qs_table_set(&qw_session(d)->userinfo, player, info);
}

static void read_setinfo(struct qs_decoder *d)
{
    const uint8_t player = qw_read_player(d, QW_SETINFO_PLAYER);
    const struct qs_view key = qs_text(d, QW_SETINFO_KEY);
    const struct qs_view value = qs_text(d, QW_SETINFO_VALUE);

    qs_label_text(d, " ", key, "");
    qs_label_text(d, " = ", value, "");
    if (d->in.overrun)
        return;
    qw_emit_z_ext(d, key, value, d->in.pos - value.size - 1);
    qw_set_userinfo_value(qw_session(d), player, key, value);
}

/* --- The own player */

void qw_label_stat(struct qs_decoder *d, uint8_t index)
{
    const char *name = qs_name_of(fte_stat_names, index);

    if (name)
        qs_label(d, ": %s", name);
    else
        qs_label(d, ": statistic %u", index);
}

/* What a number means depends on the statistic. */
static void explain_stat(struct qs_decoder *d, uint8_t index, uint32_t value, uint32_t length)
{
    const uint32_t at = d->in.pos - length;

    if (!d->fields_wanted || d->in.overrun)
        return;
    qw_label_stat(d, index);
    qs_label(d, " %d", (int32_t)value);
    if (index == STAT_ITEMS)
        qs_emit_generated_uint(d, QW_STAT_ITEMS, at, length, value);
    else if (index == STAT_ACTIVEWEAPON)
        qs_emit_generated_uint(d, QW_STAT_WEAPON, at, length, value);
    else if (index == STAT_WEAPON)
        qw_emit_model_name(d, at, length, value);
}

static void read_updatestat(struct qs_decoder *d)
{
    const uint8_t index = qs_u8(d, QW_STAT_INDEX);
    const uint8_t value = qs_u8(d, QW_STAT_BYTE);

    explain_stat(d, index, value, 1);
}

static void read_updatestatlong(struct qs_decoder *d)
{
    const uint8_t index = qs_u8(d, QW_STAT_INDEX);
    const int32_t value = qs_i32(d, QW_STAT_LONG);

    explain_stat(d, index, (uint32_t)value, 4);
}

static void read_setangle(struct qs_decoder *d)
{
    if (qw_session(d)->mvd)
        qw_read_player(d, QW_SETANGLE_PLAYER);
    else if (qw_session(d)->ext.mvd1 & MVD1_HIGHLAGTELEPORT)
        qs_u8(d, QW_SETANGLE_REASON);
    qs_angle3(d, QW_SETANGLE_ANGLES);
}

static void read_damage(struct qs_decoder *d)
{
    const uint8_t armor = qs_u8(d, QW_DAMAGE_ARMOR);
    const uint8_t health = qs_u8(d, QW_DAMAGE_HEALTH);

    qs_coord3(d, QW_DAMAGE_ORIGIN);
    qs_label(d, ": armor %u, health %u", armor, health);
}

static void read_intermission(struct qs_decoder *d)
{
    qs_coord3(d, QW_INTERMISSION_ORIGIN);
    qs_angle3(d, QW_INTERMISSION_ANGLES);
}

/* --- Things in the world */

static void read_sound(struct qs_decoder *d)
{
    const uint16_t word = qs_u16(d, QW_SOUND_CHANNEL_WORD);

    qw_emit_entity_name(d, word >> 3 & SND_ENTITY_MASK);
    if (word & SND_VOLUME)
        qs_scaled_u8(d, QW_SOUND_VOLUME, 1 / 255.0);
    else
        qs_emit_generated_double(d, QW_SOUND_VOLUME, d->in.pos, 0, 1);
    if (word & SND_ATTENUATION)
        qs_scaled_u8(d, QW_SOUND_ATTENUATION, 1 / 64.0);
    else
        qs_emit_generated_double(d, QW_SOUND_ATTENUATION, d->in.pos, 0, 1);
    qw_read_sound(d, QW_SOUND_INDEX);
    qs_coord3(d, QW_SOUND_ORIGIN);
}

static void read_stopsound(struct qs_decoder *d)
{
    const uint16_t word = qs_u16(d, QW_STOPSOUND_WORD);

    qw_emit_entity_name(d, word >> 3);
}

static void read_spawnstaticsound(struct qs_decoder *d)
{
    qs_coord3(d, QW_STATICSOUND_ORIGIN);
    qw_read_sound(d, QW_STATICSOUND_INDEX);
    qs_scaled_u8(d, QW_STATICSOUND_VOLUME, 1 / 255.0);
    qs_scaled_u8(d, QW_STATICSOUND_ATTENUATION, 1 / 64.0);
}

static void read_spawnstatic(struct qs_decoder *d)
{
    qw_read_model(d, QW_SPAWNSTATIC_MODEL);
    qs_u8(d, QW_SPAWNSTATIC_FRAME);
    qs_u8(d, QW_SPAWNSTATIC_COLORMAP);
    qs_u8(d, QW_SPAWNSTATIC_SKIN);
    qs_coord(d, QW_SPAWNSTATIC_X);
    qs_angle(d, QW_SPAWNSTATIC_PITCH);
    qs_coord(d, QW_SPAWNSTATIC_Y);
    qs_angle(d, QW_SPAWNSTATIC_YAW);
    qs_coord(d, QW_SPAWNSTATIC_Z);
    qs_angle(d, QW_SPAWNSTATIC_ROLL);
}

static void read_spawnbaseline(struct qs_decoder *d)
{
    qs_label(d, ": entity %u", fte_entity(d, QW_SPAWNBASELINE_ENTITY));
    qw_read_model(d, QW_SPAWNBASELINE_MODEL);
    qs_u8(d, QW_SPAWNBASELINE_FRAME);
    qs_u8(d, QW_SPAWNBASELINE_COLORMAP);
    qs_u8(d, QW_SPAWNBASELINE_SKIN);
    qs_coord(d, QW_SPAWNBASELINE_X);
    qs_angle(d, QW_SPAWNBASELINE_PITCH);
    qs_coord(d, QW_SPAWNBASELINE_Y);
    qs_angle(d, QW_SPAWNBASELINE_YAW);
    qs_coord(d, QW_SPAWNBASELINE_Z);
    qs_angle(d, QW_SPAWNBASELINE_ROLL);
}

static void read_muzzleflash(struct qs_decoder *d)
{
    const uint16_t entity = qs_u16(d, QW_MUZZLEFLASH_ENTITY);

    qs_label(d, ": entity %u", entity);
    qw_emit_entity_name(d, entity);
}

/* --- Downloads */

enum { CHUNK_SIZE = 1024 };

/* FTE's way to say a size of more than 31 bits. */
static int64_t read_long_total(struct qs_decoder *d)
{
    const uint32_t at = d->in.pos;
    uint64_t total = qs_reader_u32(&d->in);

    total |= (uint64_t)qs_reader_u32(&d->in) << 32;
    qs_emit_uint(d, QW_DOWNLOAD_TOTAL64, at, 8, total);
    return total > INT64_MAX ? INT64_MAX : (int64_t)total;
}

/* FTE's CHUNKEDDOWNLOADS; ezquake cl_parse.c CL_ParseChunkedDownload. */
static void read_chunk(struct qs_decoder *d)
{
    const int32_t chunk = qs_i32(d, QW_DOWNLOAD_CHUNK);
    struct qs_transfer transfer = {.event = QS_TRANSFER_CHUNK};
    struct qs_view name;
    int64_t total;

    if (chunk >= 0) {
        transfer.offset = (uint64_t)chunk * CHUNK_SIZE;
        transfer.data = qs_bytes(d, QW_DOWNLOAD_DATA, CHUNK_SIZE);
        qs_add_transfer(d, &transfer);
        return;
    }
    total = qs_i32(d, QW_DOWNLOAD_TOTAL);
    if (total == INT32_MIN)
        total = read_long_total(d);
    name = qs_text(d, QW_DOWNLOAD_NAME);
    qs_label_text(d, ": ", name, "");
    transfer.event = total < 0 ? QS_TRANSFER_REFUSED : QS_TRANSFER_BEGIN;
    transfer.name = name;
    transfer.total = total < 0 ? 0 : (uint64_t)total;
    qs_add_transfer(d, &transfer);
}

static void read_download(struct qs_decoder *d)
{
    struct qs_transfer transfer = {.event = QS_TRANSFER_PIECE};
    int16_t size;

    if (d->connectionless || qw_session(d)->ext.fte & FTE_CHUNKEDDOWNLOADS) {
        read_chunk(d);
        return;
    }
    size = qs_i16(d, QW_DOWNLOAD_SIZE);
    transfer.percent = qs_u8(d, QW_DOWNLOAD_PERCENT);
    qs_label(d, ": %d bytes, %u %%", size, transfer.percent);
    if (size < 0)
        transfer.event = QS_TRANSFER_REFUSED;
    else if (size > 0)
        transfer.data = qs_bytes(d, QW_DOWNLOAD_DATA, (uint16_t)size);
    qs_add_transfer(d, &transfer);
}

/* --- The table */

/* A row without a function is obsolete: a leftover of Quake's protocol that no engine reads. */
static const struct qs_message_type messages[] = {
    [SVC_BAD] = {"svc_bad", "bad", QW_SVC_BAD, NULL},
    [SVC_NOP] = {"svc_nop", "nop", QW_SVC_NOP, read_nothing},
    [SVC_DISCONNECT] = {"svc_disconnect", "disconnect", QW_SVC_DISCONNECT, read_disconnect},
    [SVC_UPDATESTAT] = {"svc_updatestat", "updatestat", QW_SVC_UPDATESTAT, read_updatestat},
    [4] = {"svc_version", "version", QW_SVC_VERSION, NULL},
    [SVC_SETVIEW] = {"svc_setview", "setview", QW_SVC_SETVIEW, NULL},
    [SVC_SOUND] = {"svc_sound", "sound", QW_SVC_SOUND, read_sound},
    [SVC_TIME] = {"svc_time", "time", QW_SVC_TIME, NULL},
    [SVC_PRINT] = {"svc_print", "print", QW_SVC_PRINT, read_print},
    [SVC_STUFFTEXT] = {"svc_stufftext", "stufftext", QW_SVC_STUFFTEXT, read_stufftext},
    [SVC_SETANGLE] = {"svc_setangle", "setangle", QW_SVC_SETANGLE, read_setangle},
    [SVC_SERVERDATA] = {"svc_serverdata", "serverdata", QW_SVC_SERVERDATA, read_serverdata},
    [SVC_LIGHTSTYLE] = {"svc_lightstyle", "lightstyle", QW_SVC_LIGHTSTYLE, read_lightstyle},
    [13] = {"svc_updatename", "updatename", QW_SVC_UPDATENAME, NULL},
    [SVC_UPDATEFRAGS] = {"svc_updatefrags", "updatefrags", QW_SVC_UPDATEFRAGS, read_updatefrags},
    [15] = {"svc_clientdata", "clientdata", QW_SVC_CLIENTDATA, NULL},
    [SVC_STOPSOUND] = {"svc_stopsound", "stopsound", QW_SVC_STOPSOUND, read_stopsound},
    [17] = {"svc_updatecolors", "updatecolors", QW_SVC_UPDATECOLORS, NULL},
    [SVC_PARTICLE] = {"svc_particle", "particle", QW_SVC_PARTICLE, NULL},
    [SVC_DAMAGE] = {"svc_damage", "damage", QW_SVC_DAMAGE, read_damage},
    [SVC_SPAWNSTATIC] = {"svc_spawnstatic", "spawnstatic", QW_SVC_SPAWNSTATIC, read_spawnstatic},
    [21] = {"svc_spawnbinary", "spawnbinary", QW_SVC_SPAWNBINARY, NULL},
    [SVC_SPAWNBASELINE] = {"svc_spawnbaseline", "spawnbaseline", QW_SVC_SPAWNBASELINE,
                           read_spawnbaseline},
    [SVC_TEMP_ENTITY] = {"svc_temp_entity", "temp_entity", QW_SVC_TEMP_ENTITY, qw_read_temp_entity},
    [SVC_SETPAUSE] = {"svc_setpause", "setpause", QW_SVC_SETPAUSE, read_setpause},
    [25] = {"svc_signonnum", "signonnum", QW_SVC_SIGNONNUM, NULL},
    [SVC_CENTERPRINT] = {"svc_centerprint", "centerprint", QW_SVC_CENTERPRINT, read_centerprint},
    [SVC_KILLEDMONSTER] = {"svc_killedmonster", "killedmonster", QW_SVC_KILLEDMONSTER,
                           read_nothing},
    [SVC_FOUNDSECRET] = {"svc_foundsecret", "foundsecret", QW_SVC_FOUNDSECRET, read_nothing},
    [SVC_SPAWNSTATICSOUND] = {"svc_spawnstaticsound", "spawnstaticsound", QW_SVC_SPAWNSTATICSOUND,
                              read_spawnstaticsound},
    [SVC_INTERMISSION] = {"svc_intermission", "intermission", QW_SVC_INTERMISSION,
                          read_intermission},
    [SVC_FINALE] = {"svc_finale", "finale", QW_SVC_FINALE, read_finale},
    [SVC_CDTRACK] = {"svc_cdtrack", "cdtrack", QW_SVC_CDTRACK, read_cdtrack},
    [SVC_SELLSCREEN] = {"svc_sellscreen", "sellscreen", QW_SVC_SELLSCREEN, read_nothing},
    [SVC_SMALLKICK] = {"svc_smallkick", "smallkick", QW_SVC_SMALLKICK, read_nothing},
    [SVC_BIGKICK] = {"svc_bigkick", "bigkick", QW_SVC_BIGKICK, read_nothing},
    [SVC_UPDATEPING] = {"svc_updateping", "updateping", QW_SVC_UPDATEPING, read_updateping},
    [SVC_UPDATEENTERTIME] = {"svc_updateentertime", "updateentertime", QW_SVC_UPDATEENTERTIME,
                             read_updateentertime},
    [SVC_UPDATESTATLONG] = {"svc_updatestatlong", "updatestatlong", QW_SVC_UPDATESTATLONG,
                            read_updatestatlong},
    [SVC_MUZZLEFLASH] = {"svc_muzzleflash", "muzzleflash", QW_SVC_MUZZLEFLASH, read_muzzleflash},
    [SVC_UPDATEUSERINFO] = {"svc_updateuserinfo", "updateuserinfo", QW_SVC_UPDATEUSERINFO,
                            read_updateuserinfo},
    [SVC_DOWNLOAD] = {"svc_download", "download", QW_SVC_DOWNLOAD, read_download},
    [SVC_PLAYERINFO] = {"svc_playerinfo", "playerinfo", QW_SVC_PLAYERINFO, qw_read_playerinfo},
    [SVC_NAILS] = {"svc_nails", "nails", QW_SVC_NAILS, qw_read_nails},
    [SVC_CHOKECOUNT] = {"svc_chokecount", "chokecount", QW_SVC_CHOKECOUNT, read_chokecount},
    [SVC_MODELLIST] = {"svc_modellist", "modellist", QW_SVC_MODELLIST, qw_read_modellist},
    [SVC_SOUNDLIST] = {"svc_soundlist", "soundlist", QW_SVC_SOUNDLIST, qw_read_soundlist},
    [SVC_PACKETENTITIES] = {"svc_packetentities", "packetentities", QW_SVC_PACKETENTITIES,
                            qw_read_packetentities},
    [SVC_DELTAPACKETENTITIES] = {"svc_deltapacketentities", "deltapacketentities",
                                 QW_SVC_DELTAPACKETENTITIES, qw_read_deltapacketentities},
    [SVC_MAXSPEED] = {"svc_maxspeed", "maxspeed", QW_SVC_MAXSPEED, read_maxspeed},
    [SVC_ENTGRAVITY] = {"svc_entgravity", "entgravity", QW_SVC_ENTGRAVITY, read_entgravity},
    [SVC_SETINFO] = {"svc_setinfo", "setinfo", QW_SVC_SETINFO, read_setinfo},
    [SVC_SERVERINFO] = {"svc_serverinfo", "serverinfo", QW_SVC_SERVERINFO, read_serverinfo},
    [SVC_UPDATEPL] = {"svc_updatepl", "updatepl", QW_SVC_UPDATEPL, read_updatepl},
    [SVC_NAILS2] = {"svc_nails2", "nails2", QW_SVC_NAILS2, qw_read_nails2},
    [SVC_QIZMOVOICE] = {"svc_qizmovoice", "qizmovoice", QW_SVC_QIZMOVOICE, qw_read_qizmovoice},
};

/*
 * Messages that extensions add. ANY_EXTENSION: no bit of its own allows it, servers send it to
 * clients that know FTE's extensions. Nobody sends or reads svc_deltapacketsprojectiles.
 */
static const struct fte_message extensions[] = {
    [SVC_SETVIEW] = {{"svc_setview", "setview", QW_SVC_SETVIEW, qw_read_setview},
                     .fte = FTE_SETVIEW},
    [SVC_TIME] = {{"svc_time", "time", QW_SVC_TIME, qw_read_time}, .fte = FTE_ACCURATETIMINGS},
    [SVC_PARTICLE] = {{"svc_particle", "particle", QW_SVC_PARTICLE, qw_read_particle},
                      .fte = FTE_HEXEN2},
    [SVC_FTE_SPAWNSTATIC2] = {{"svcfte_spawnstatic2", "spawnstatic2", QW_SVCFTE_SPAWNSTATIC2,
                               qw_read_spawnstatic2},
                              .fte = FTE_SPAWNSTATIC2,
                              .fte2 = FTE2_REPLACEMENTDELTAS},
    [SVC_FTE_SPLITSCREENCONFIG] = {{"svcfte_splitscreenconfig", "splitscreenconfig",
                                    QW_SVCFTE_SPLITSCREENCONFIG, qw_read_splitscreenconfig},
                                   .fte = FTE_SPLITSCREEN,
                                   .fte2 = FTE2_MAXPLAYERS},
    [SVC_FTE_SOUNDEXTENDED] = {{"svcfte_soundextended", "soundextended", QW_SVCFTE_SOUNDEXTENDED,
                                qw_read_soundextended},
                               .fte = FTE_SOUNDDBL,
                               .fte2 = FTE2_REPLACEMENTDELTAS},
    [SVC_FTE_SOUNDLISTSHORT] = {{"svcfte_soundlistshort", "soundlistshort",
                                 QW_SVCFTE_SOUNDLISTSHORT, qw_read_soundlistshort},
                                .fte = FTE_SOUNDDBL},
    [SVC_FTE_LIGHTSTYLECOL] = {{"svcfte_lightstylecol", "lightstylecol", QW_SVCFTE_LIGHTSTYLECOL,
                                qw_read_lightstylecol},
                               .fte = FTE_LIGHTSTYLECOL},
    [SVC_FTE_MODELLISTSHORT] = {{"svcfte_modellistshort", "modellistshort",
                                 QW_SVCFTE_MODELLISTSHORT, qw_read_modellistshort},
                                .fte = FTE_MODELDBL,
                                .fte2 = FTE2_REPLACEMENTDELTAS},
    [SVC_SETPORTALSTATE] = {{"svc_setportalstate", "setportalstate", QW_SVC_SETPORTALSTATE,
                             qw_read_setportalstate},
                            .fte = FTE_Q2BSP | FTE_Q3BSP},
    [SVC_FTE_PARTICLE2] = {{"svcfte_particle2", "particle2", QW_SVCFTE_PARTICLE2,
                            qw_read_particle2},
                           .fte = FTE_HEXEN2},
    [SVC_FTE_PARTICLE3] = {{"svcfte_particle3", "particle3", QW_SVCFTE_PARTICLE3,
                            qw_read_particle3},
                           .fte = FTE_HEXEN2},
    [SVC_FTE_PARTICLE4] = {{"svcfte_particle4", "particle4", QW_SVCFTE_PARTICLE4,
                            qw_read_particle4},
                           .fte = FTE_HEXEN2},
    [SVC_FTE_SPAWNBASELINE2] = {{"svcfte_spawnbaseline2", "spawnbaseline2",
                                 QW_SVCFTE_SPAWNBASELINE2, qw_read_spawnbaseline2},
                                .fte = FTE_SPAWNSTATIC2,
                                .fte2 = FTE2_REPLACEMENTDELTAS},
    [SVC_FTE_CUSTOMTEMPENT] = {{"svcfte_customtempent", "customtempent", QW_SVCFTE_CUSTOMTEMPENT,
                                qw_read_customtempent},
                               .fte = FTE_CUSTOMTEMPEFFECTS},
    [SVC_FTE_CHOOSESPLITCLIENT] = {{"svcfte_choosesplitclient", "choosesplitclient",
                                    QW_SVCFTE_CHOOSESPLITCLIENT, qw_read_choosesplitclient},
                                   .fte = FTE_SPLITSCREEN,
                                   .fte2 = FTE2_MAXPLAYERS},
    [SVC_FTE_SHOWPIC] = {{"svcfte_showpic", "showpic", QW_SVCFTE_SHOWPIC, qw_read_showpic},
                         .fte = FTE_SHOWPIC},
    [SVC_FTE_HIDEPIC] = {{"svcfte_hidepic", "hidepic", QW_SVCFTE_HIDEPIC, qw_read_hidepic},
                         .fte = FTE_SHOWPIC},
    [SVC_FTE_MOVEPIC] = {{"svcfte_movepic", "movepic", QW_SVCFTE_MOVEPIC, qw_read_movepic},
                         .fte = FTE_SHOWPIC},
    [SVC_FTE_UPDATEPIC] = {{"svcfte_updatepic", "updatepic", QW_SVCFTE_UPDATEPIC,
                            qw_read_updatepic},
                           .fte = FTE_SHOWPIC},
    [SVC_FTE_EFFECT] = {{"svcfte_effect", "effect", QW_SVCFTE_EFFECT, qw_read_effect},
                        .fte = ANY_EXTENSION},
    [SVC_FTE_EFFECT2] = {{"svcfte_effect2", "effect2", QW_SVCFTE_EFFECT2, qw_read_effect2},
                         .fte = ANY_EXTENSION},
    [SVC_FTE_CSQCENTITIES] = {{"svcfte_csqcentities", "csqcentities", QW_SVCFTE_CSQCENTITIES,
                               fte_read_csqcentities},
                              .fte = FTE_CSQC},
    [SVC_FTE_PRECACHE] = {{"svcfte_precache", "precache", QW_SVCFTE_PRECACHE, qw_read_precache},
                          .fte = ANY_EXTENSION,
                          .fte2 = ANY_EXTENSION},
    [SVC_FTE_UPDATESTATSTRING] = {{"svcfte_updatestatstring", "updatestatstring",
                                   QW_SVCFTE_UPDATESTATSTRING, qw_read_updatestatstring},
                                  .fte = ANY_EXTENSION,
                                  .fte2 = ANY_EXTENSION},
    [SVC_FTE_UPDATESTATFLOAT] = {{"svcfte_updatestatfloat", "updatestatfloat",
                                  QW_SVCFTE_UPDATESTATFLOAT, qw_read_updatestatfloat},
                                 .fte = ANY_EXTENSION,
                                 .fte2 = ANY_EXTENSION},
    [SVC_FTE_TRAILPARTICLES] = {{"svcfte_trailparticles", "trailparticles",
                                 QW_SVCFTE_TRAILPARTICLES, qw_read_trailparticles},
                                .fte = ANY_EXTENSION,
                                .fte2 = ANY_EXTENSION},
    [SVC_FTE_POINTPARTICLES] = {{"svcfte_pointparticles", "pointparticles",
                                 QW_SVCFTE_POINTPARTICLES, qw_read_pointparticles},
                                .fte = ANY_EXTENSION,
                                .fte2 = ANY_EXTENSION},
    [SVC_FTE_POINTPARTICLES1] = {{"svcfte_pointparticles1", "pointparticles1",
                                  QW_SVCFTE_POINTPARTICLES1, qw_read_pointparticles1},
                                 .fte = ANY_EXTENSION,
                                 .fte2 = ANY_EXTENSION},
    [SVC_FTE_CGAMEPACKET] = {{"svcfte_cgamepacket", "cgamepacket", QW_SVCFTE_CGAMEPACKET,
                              fte_read_cgamepacket},
                             .fte = FTE_CSQC},
    [SVC_FTE_VOICECHAT] = {{"svcfte_voicechat", "voicechat", QW_SVCFTE_VOICECHAT,
                            fte_read_voicechat},
                           .fte2 = FTE2_VOICECHAT},
    [SVC_FTE_SETANGLEDELTA] = {{"svcfte_setangledelta", "setangledelta", QW_SVCFTE_SETANGLEDELTA,
                                fte_read_setangledelta},
                               .fte2 = FTE2_SETANGLEDELTA},
    [SVC_FTE_UPDATEENTITIES] = {{"svcfte_updateentities", "updateentities",
                                 QW_SVCFTE_UPDATEENTITIES, fte_read_updateentities},
                                .fte2 = FTE2_REPLACEMENTDELTAS},
    [SVC_FTE_BRUSHEDIT] = {{"svcfte_brushedit", "brushedit", QW_SVCFTE_BRUSHEDIT,
                            qw_read_brushedit},
                           .fte = ANY_EXTENSION},
    [SVC_FTE_UPDATESEATS] = {{"svcfte_updateseats", "updateseats", QW_SVCFTE_UPDATESEATS,
                              qw_read_updateseats},
                             .fte = FTE_SPLITSCREEN,
                             .fte2 = FTE2_MAXPLAYERS},
    [SVC_FTE_SETINFOBLOB] = {{"svcfte_setinfoblob", "setinfoblob", QW_SVCFTE_SETINFOBLOB,
                              qw_read_setinfoblob},
                             .fte2 = FTE2_INFOBLOBS},
    [SVC_FTE_CGAMEPACKET_SIZED] = {{"svcfte_cgamepacket_sized", "cgamepacket_sized",
                                    QW_SVCFTE_CGAMEPACKET_SIZED, fte_read_cgamepacket_sized},
                                   .fte = FTE_CSQC},
    [SVC_FTE_TEMP_ENTITY_SIZED] = {{"svcfte_temp_entity_sized", "temp_entity_sized",
                                    QW_SVCFTE_TEMP_ENTITY_SIZED, qw_read_temp_entity_sized},
                                   .fte = ANY_EXTENSION},
    [SVC_FTE_CSQCENTITIES_SIZED] = {{"svcfte_csqcentities_sized", "csqcentities_sized",
                                     QW_SVCFTE_CSQCENTITIES_SIZED, fte_read_csqcentities_sized},
                                    .fte = FTE_CSQC},
    [SVC_FTE_SETANGLEBASE] = {{"svcfte_setanglebase", "setanglebase", QW_SVCFTE_SETANGLEBASE,
                               fte_read_setanglebase},
                              .fte2 = FTE2_VRINPUTS},
    [SVC_FTE_SPAWNSTATICSOUND2] = {{"svcfte_spawnstaticsound2", "spawnstaticsound2",
                                    QW_SVCFTE_SPAWNSTATICSOUND2, qw_read_spawnstaticsound2},
                                   .fte = FTE_SOUNDDBL,
                                   .fte2 = FTE2_REPLACEMENTDELTAS},
    [SVC_PACKETSPROJECTILES] = {{"svc_packetsprojectiles", "packetsprojectiles",
                                 QW_SVC_PACKETSPROJECTILES, qw_read_packetsprojectiles},
                                .mvd1 = MVD1_SIMPLEPROJECTILE},
    [SVC_DELTAPACKETSPROJECTILES] = {{"svc_deltapacketsprojectiles", "deltapacketsprojectiles",
                                      QW_SVC_DELTAPACKETSPROJECTILES, NULL},
                                     .mvd1 = MVD1_SIMPLEPROJECTILE},
};

const struct qs_message_type *qw_server_message(const struct qs_decoder *d, uint32_t id)
{
    const struct qs_message_type *type =
        fte_allowed_message(d, extensions, G_N_ELEMENTS(extensions), id);

    if (type)
        return type;
    return id < G_N_ELEMENTS(messages) && messages[id].name ? &messages[id] : NULL;
}
