/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Messages from server to client. Source: qwd-format, section 5, by name. */
#include "common/quakeworld/decode.h"

/* Reads svc_disconnect. In MVD the text "EndOfDemo" follows. */
static void read_disconnect(struct qs_decoder *d)
{
    d->session->disconnected = true;
    if (qw_session_of(d)->mvd && qs_reader_left(&d->in))
        qs_label_text(d, ": ", qs_text(d, QW_DISCONNECT_REASON), "");
}

/* --- The session and its texts --- */

static struct qs_view name_of(const struct qs_session *session, uint32_t player)
{
    return qw_player_name((const struct qw_session *)session, player);
}

static void read_print(struct qs_decoder *d)
{
    const bool chat = qs_u8(d, QW_PRINT_LEVEL) == QS_PRINT_CHAT;
    const struct qs_view text = qs_text(d, QW_PRINT_TEXT);

    qs_label_text(d, ": ", text, "");
    if (chat)
        qs_emit_speaker(d, QW_PRINT_SPEAKER, text, QW_PLAYERS_MAX, name_of);
}

QS_TEXT_READER(read_centerprint, QW_CENTERPRINT_TEXT)
QS_TEXT_READER(read_finale, QW_FINALE_TEXT)

/* Stores the complete server info, which arrives as a command: fullserverinfo "\key\value...". */
static void store_serverinfo(struct qs_decoder *d, struct qs_view text)
{
    struct qs_token word;
    uint32_t pos = 0;

    if (qs_token_next(text, &pos, &word) && qs_view_equal(word.text, "fullserverinfo") &&
        qs_token_next(text, &pos, &word))
        qs_info_replace(d, &qw_session_of(d)->texts, QW_TEXT_SERVERINFO, word.text,
                        QW_INFO_STRING_MAX);
}

static void read_stufftext(struct qs_decoder *d)
{
    const uint32_t at = d->in.pos;
    const struct qs_view text = qs_text(d, QW_STUFFTEXT_TEXT);

    qs_label_text(d, ": ", text, "");
    qw_emit_commands(d, text, at);
    store_serverinfo(d, text);
    qw_level_stufftext(d, text);
}

/* --- Players of the client (fteqw cl_parse.c CLQW_ParseServerData) --- */

static void read_player_byte(struct qs_decoder *d)
{
    struct qw_session *session = qw_session_of(d);
    const uint8_t player = qs_u8(d, QW_SERVERDATA_PLAYER_BYTE);

    session->player = player & 0x7f;
    session->spectator = player & 0x80;
}

/* With FTE2's MAXPLAYERS: reads the server's slots, the client's seats, and each seat's player. */
static void read_counted_seats(struct qs_decoder *d)
{
    struct qw_session *session = qw_session_of(d);
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

/* Reads the players of FTE's SPLITSCREEN, one or more, up to SEATS_END. */
static void read_listed_seats(struct qs_decoder *d)
{
    read_player_byte(d);
    while (qs_reader_left(&d->in) && d->in.data[d->in.pos] != SEATS_END)
        qs_u8(d, QW_SERVERDATA_SEAT);
    qs_u8(d, QW_SERVERDATA_SEATS_END);
}

/* Reads the time that MVD has in place of a player. */
static void read_no_seats(struct qs_decoder *d)
{
    struct qw_session *session = qw_session_of(d);

    session->player = QW_PLAYER_NONE;
    if (session->ext.fte2 & FTE2_MAXPLAYERS)
        qs_u8(d, QW_SERVERDATA_MAXCLIENTS);
    qs_f32(d, QW_SERVERDATA_TIME);
}

static void read_seats(struct qs_decoder *d)
{
    const struct qw_session *session = qw_session_of(d);

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
    struct qw_session *session = qw_session_of(d);
    struct qs_view gamedir;

    qw_session_begin_level(session);
    fte_read_agreement(d);
    session->base.version = (int32_t)qs_u32(d, QW_SERVERDATA_PROTOCOL);
    if (!d->in.overrun &&
        (session->base.version < QW_PROTOCOL_FIRST || session->base.version > QW_PROTOCOL_LAST)) {
        qs_note(d, QS_NOTE_PROTOCOL_UNDECODED, d->in.pos - 4, 4,
                "Protocol version %d of svc_serverdata not decoded", session->base.version);
        session->base.version = 0;
        d->stop = true;
        return;
    }
    qw_apply_extensions(d);
    qw_level_serverdata(d, qs_i32(d, QW_SERVERDATA_COUNT));
    gamedir = qs_text(d, QW_SERVERDATA_GAMEDIR);
    qs_table_set(&session->texts, QW_TEXT_GAMEDIR, gamedir);
    read_seats(d);
    qs_table_set(&session->texts, QW_TEXT_LEVEL, qs_text(d, QW_SERVERDATA_LEVEL));
    qs_label_text(d, ": ", qs_view_of(qs_table_get(&session->texts, QW_TEXT_LEVEL)), "");
    if (session->base.version >= QW_PROTOCOL_MOVEVARS)
        qs_rows(d, QW_MOVEVAR_GRAVITY, QW_MOVEVAR_ENTGRAVITY);
}

static void read_serverinfo(struct qs_decoder *d)
{
    const struct qs_view key = qs_text(d, QW_SERVERINFO_KEY);
    const struct qs_view value = qs_text(d, QW_SERVERINFO_VALUE);

    qs_label_text(d, ": ", key, "");
    qs_label_text(d, " = ", value, "");
    if (d->in.overrun)
        return;
    qw_emit_z_ext(d, key, value, d->in.pos - value.size - 1);
    qs_info_change(d, &qw_session_of(d)->texts, QW_TEXT_SERVERINFO, key, value, QW_INFO_STRING_MAX);
}

static void read_lightstyle(struct qs_decoder *d)
{
    const uint8_t style = qs_u8(d, QW_LIGHTSTYLE_STYLE);

    qs_label(d, ": %u", style);
    qs_text(d, QW_LIGHTSTYLE_MAP);
}

QS_ROWS_READER(read_setpause, QW_SETPAUSE_PAUSED, QW_SETPAUSE_PAUSED)
QS_ROWS_READER(read_cdtrack, QW_CDTRACK_TRACK, QW_CDTRACK_TRACK)
QS_ROWS_READER(read_maxspeed, QW_MAXSPEED, QW_MAXSPEED)
QS_ROWS_READER(read_entgravity, QW_ENTGRAVITY, QW_ENTGRAVITY)

static void read_intermission(struct qs_decoder *d)
{
    qs_rows(d, QW_INTERMISSION_ORIGIN, QW_INTERMISSION_ANGLES);
    qs_add_player_event(d, QS_PLAYER_LEVEL_OVER, 0, 0);
}

static void read_chokecount(struct qs_decoder *d)
{
    const uint8_t count = qs_u8(d, QW_CHOKECOUNT);

    qs_label(d, ": %u", count);
    qw_session_of(d)->choked = count;
    d->found.path.choked = count;
}

/* --- The players --- */

/* Defines a reader of messages with a player and a value. */
#define PLAYER_READER(function, player_row, kind, value)                                           \
    static void function(struct qs_decoder *d)                                                     \
    {                                                                                              \
        const uint8_t player = qw_read_player(d, player_row);                                      \
                                                                                                   \
        qs_add_player_event(d, kind, player, value);                                               \
    }

PLAYER_READER(read_updatefrags, QW_UPDATEFRAGS_PLAYER, QS_PLAYER_FRAGS,
              qs_i16(d, QW_UPDATEFRAGS_FRAGS))
PLAYER_READER(read_updateping, QW_UPDATEPING_PLAYER, QS_PLAYER_PING, qs_i16(d, QW_UPDATEPING_PING))
PLAYER_READER(read_updatepl, QW_UPDATEPL_PLAYER, QS_PLAYER_LOSS, qs_u8(d, QW_UPDATEPL_LOSS))

static void read_updateentertime(struct qs_decoder *d)
{
    qw_read_player(d, QW_UPDATEENTERTIME_PLAYER);
    qs_rows(d, QW_UPDATEENTERTIME_SECONDS, QW_UPDATEENTERTIME_SECONDS);
}

static void read_updateuserinfo(struct qs_decoder *d)
{
    const uint8_t player = qs_u8(d, QW_UPDATEUSERINFO_PLAYER);
    struct qs_view info;
    int32_t user;
    uint32_t at;

    user = qs_i32(d, QW_UPDATEUSERINFO_USERID);
    at = d->in.pos;
    info = qs_text(d, QW_UPDATEUSERINFO_INFO);
    qs_label(d, ": player %u", player);
    qs_label_text(d, " ", qs_info_value(info, "name"), "");
    if (d->in.overrun)
        return;
    qw_emit_info(d, info, at);
    if (player < QW_PLAYERS_MAX)
        qs_info_replace(d, &qw_session_of(d)->userinfo, player, info, QW_INFO_STRING_MAX);
    /* Mods list departed players as user 0: their real user is unknown. */
    qs_add_player_event(d, QS_PLAYER_INFO, player,
                        qs_info_value(info, "name").size ? user ? user : QS_PLAYER_USER_UNKNOWN
                                                         : 0);
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
    if (player < QW_PLAYERS_MAX)
        qs_info_change(d, &qw_session_of(d)->userinfo, player, key, value, QW_INFO_STRING_MAX);
    qs_add_player_event(d, QS_PLAYER_INFO, player, QS_PLAYER_USER_UNKNOWN);
}

/* --- The client's own player --- */

/* Emits the meaning of a number, which depends on the statistic. */
static void explain_stat(struct qs_decoder *d, uint8_t index, uint32_t value, uint32_t length)
{
    const uint32_t at = d->in.pos - length;

    if (d->in.overrun || (!d->fields_wanted && index != STAT_WEAPON))
        return;
    qw_label_stat(d, index);
    qs_label(d, " %d", (int32_t)value);
    if (index == STAT_ITEMS)
        qs_emit_generated_uint(d, QW_STAT_ITEMS, at, length, value);
    else if (index == STAT_ACTIVEWEAPON)
        qs_emit_generated_uint(d, QW_STAT_WEAPON, at, length, value);
    else if (index == STAT_WEAPON)
        qw_emit_model_name(d, value, at, length);
}

static void read_updatestat(struct qs_decoder *d)
{
    const uint8_t index = qs_u8(d, QW_STAT_INDEX);
    const uint8_t value = qs_unsigned_byte(d, QW_STAT_BYTE);

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
    if (qw_session_of(d)->mvd)
        qw_read_player(d, QW_SETANGLE_PLAYER);
    else if (qw_session_of(d)->ext.mvd1 & MVD1_HIGHLAGTELEPORT)
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

/* --- Entities and sounds --- */

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
    qw_emit_sound_name(d, qs_u8(d, QW_SOUND_INDEX), 1);
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
    qw_emit_sound_name(d, qs_u8(d, QW_STATICSOUND_INDEX), 1);
    qs_scaled_u8(d, QW_STATICSOUND_VOLUME, 1 / 255.0);
    qs_scaled_u8(d, QW_STATICSOUND_ATTENUATION, 1 / 64.0);
}

static void read_spawnstatic(struct qs_decoder *d)
{
    qw_read_model(d, QW_SPAWNSTATIC_MODEL);
    qs_rows(d, QW_SPAWNSTATIC_FRAME, QW_SPAWNSTATIC_ROLL);
}

static void read_spawnbaseline(struct qs_decoder *d)
{
    qs_label(d, ": entity %u", fte_entity(d, QW_SPAWNBASELINE_ENTITY));
    qw_read_model(d, QW_SPAWNBASELINE_MODEL);
    qs_rows(d, QW_SPAWNBASELINE_FRAME, QW_SPAWNBASELINE_ROLL);
}

/* Reads a GSM frame of Qizmo, a proxy: ezquake cl_parse.c CL_ParseQizmoVoice. */
static void read_qizmovoice(struct qs_decoder *d)
{
    enum { QIZMO_FRAME_SIZE = 33 };

    qs_u8(d, QW_QIZMO_SEQUENCE);
    qs_bytes(d, QW_QIZMO_DATA, QIZMO_FRAME_SIZE);
}

static void read_muzzleflash(struct qs_decoder *d)
{
    const uint32_t entity = fte_entity(d, QW_MUZZLEFLASH_ENTITY);

    qs_label(d, ": entity %u", entity);
    qw_emit_entity_name(d, entity);
}

/* --- Downloads --- */

enum { CHUNK_SIZE = 1024, RENAMED = -2, REDIRECTED = -3 };

/* Reads a message of FTE's CHUNKEDDOWNLOADS; ezquake cl_parse.c CL_ParseChunkedDownload. */
static void read_chunk(struct qs_decoder *d)
{
    const int32_t chunk = qs_i32(d, QW_DOWNLOAD_CHUNK);
    struct qs_transfer transfer = {.event = QS_TRANSFER_CHUNK};
    int64_t total;

    if (chunk >= 0) {
        transfer.offset = (uint64_t)chunk * CHUNK_SIZE;
        transfer.data = qs_bytes(d, QW_DOWNLOAD_DATA, CHUNK_SIZE);
        qs_add_transfer(d, &transfer);
        return;
    }
    total = qs_i32(d, QW_DOWNLOAD_TOTAL);
    if (total == INT32_MIN) /* size of more than 31 bits */
        total = (int64_t)(qs_u64(d, QW_DOWNLOAD_TOTAL64) & INT64_MAX);
    transfer.event = total < 0 ? QS_TRANSFER_REFUSED : QS_TRANSFER_BEGIN;
    transfer.name = qs_text(d, QW_DOWNLOAD_NAME);
    qs_label_text(d, ": ", transfer.name, "");
    transfer.total = total < 0 ? 0 : (uint64_t)total;
    qs_add_transfer(d, &transfer);
}

static void read_download(struct qs_decoder *d)
{
    struct qs_transfer transfer = {.event = QS_TRANSFER_PIECE};
    int16_t size;

    if (d->found.connectionless || qw_session_of(d)->ext.fte & FTE_CHUNKEDDOWNLOADS) {
        read_chunk(d);
        return;
    }
    size = qs_i16(d, QW_DOWNLOAD_SIZE);
    transfer.percent = qs_u8(d, QW_DOWNLOAD_PERCENT);
    qs_label(d, ": %d bytes, %u %%", size, transfer.percent);
    if (size == REDIRECTED)
        qs_text(d, QW_DOWNLOAD_URL);
    if (size == REDIRECTED || size == RENAMED)
        qs_text(d, QW_DOWNLOAD_NAME);
    if (size < 0 && size != RENAMED)
        transfer.event = QS_TRANSFER_REFUSED;
    else if (size > 0)
        transfer.data = qs_bytes(d, QW_DOWNLOAD_DATA, (uint16_t)size);
    qs_add_transfer(d, &transfer);
}

/* --- Table of messages --- */

/* clang-format off */
static const struct qs_message_type messages[] = {
#define SVC(id, number, name, read, blurb) [SVC_##id] = {name, &name[sizeof "svc_" - 1], QW_SVC_##id, read},
#define SVC_FTE(id, number, name, read, ...)
#define SVC_EXT(id, number, name, read, ...)
#include "common/quakeworld/messages.def"
};
/* clang-format on */

const struct qs_message_type *qw_server_message(const struct qs_decoder *d, uint32_t id)
{
    const struct qs_message_type *type = qw_extension_message(d, id);

    if (type)
        return type;
    return id < G_N_ELEMENTS(messages) && messages[id].name ? &messages[id] : NULL;
}
