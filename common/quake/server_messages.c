/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Messages of the server: connection, texts, the player's state, downloads. Sources: PROTOCOL.md,
 * sections 7 and 8; QuakeSpasm protocol.h and cl_parse.c (666, 999); DarkPlaces protocol.h and
 * cl_parse.c; fteqw cl_parse.c (what its extensions change).
 */
#include "common/core/text.h"
#include "common/quake/decode.h"

/* --- The connection --- */

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

static void choose_protocol(struct qs_decoder *d, uint32_t version, uint32_t flags)
{
    struct nq_session *session = nq_session_of(d);

    session->base.version = (int32_t)version;
    session->flags = flags;
    if (nq_darkplaces_version(session))
        session->darkplaces_client = true; /* other clients cannot speak these protocols */
    nq_set_formats(d);
}

/* Stops decoding this packet: nothing behind an unknown version can be read. */
static void refuse_protocol(struct qs_decoder *d, uint32_t version)
{
    /* On trial, an unknown version shows that these bytes are no such message. */
    qs_note(d, d->probing ? QS_NOTE_MALFORMED : QS_NOTE_PROTOCOL_UNDECODED, d->in.pos - 4, 4,
            "Protocol %u is not decoded", version);
    d->stop = true;
}

static void read_version(struct qs_decoder *d)
{
    const bool is_agreed = fte_next_is_extension(d);
    uint32_t version;

    fte_read_agreement(d);
    version = qs_u32(d, NQ_VERSION_NUMBER);
    if (d->in.overrun)
        return;
    if (nq_is_decoded(version)) {
        choose_protocol(d, version, 0);
        return;
    }
    /* If the connection's version is known, only this packet is damaged. */
    nq_session_of(d)->undecodable |= is_agreed || !d->session->version;
    refuse_protocol(d, version);
}

/* --- serverinfo --- */

/* Reads names up to an empty one. The first name has number 1. */
static void read_list(struct qs_decoder *d, unsigned group, struct qs_table *table)
{
    const unsigned number_row = group + 1, name_row = group + 2;
    uint32_t number = 1;

    qs_open(d, group);
    while (qs_reader_left(&d->in) && d->in.data[d->in.pos]) {
        qs_emit_generated_uint(d, number_row, d->in.pos, 0, number);
        qs_table_set_name(table, number++, qs_text(d, name_row));
    }
    qs_text(d, name_row);
    qs_label(d, " (%u)", number - 1);
    qs_close(d);
}

/* True if an unknown version follows in a connection whose version is known, though the server has
 * not announced another level, at which it may change the version. */
static bool is_damaged_version(const struct qs_decoder *d)
{
    return d->session->version && d->session->level_state != QS_LEVEL_ENDED &&
           !qs_packet_is_cut(d->packet) && qs_reader_left(&d->in) >= sizeof(uint32_t) &&
           !fte_next_is_extension(d) && !nq_is_decoded(qs_peek_u32(d));
}

static void read_serverinfo(struct qs_decoder *d)
{
    struct nq_session *session = nq_session_of(d);
    uint32_t version;

    if (is_damaged_version(d)) {
        refuse_protocol(d, qs_u32(d, NQ_SERVERINFO_PROTOCOL));
        return;
    }
    nq_session_begin_level(session);
    fte_read_agreement(d);
    version = qs_u32(d, NQ_SERVERINFO_PROTOCOL);
    /* If the capture cut FTE's agreement, one of its words is in the version's place. */
    if (!nq_is_decoded(version) && qs_packet_is_cut(d->packet))
        qs_reader_overrun(&d->in);
    if (d->in.overrun)
        return;
    if (!nq_is_decoded(version)) {
        refuse_protocol(d, version);
        session->undecodable = true;
        session->base.version = (int32_t)version;
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
    const uint8_t stage = qs_u8(d, NQ_SIGNONNUM_STAGE);

    if (!d->in.overrun)
        nq_level_stage(d, stage);
}

/* --- Texts --- */

enum { CHAT_BYTE = 1 /* first byte of a line, which colors it */ };

static struct qs_view name_of(const struct qs_session *session, uint32_t player)
{
    return qs_view_of(qs_table_get(&((const struct nq_session *)session)->players, player));
}

static void read_print(struct qs_decoder *d)
{
    const struct qs_view text = qs_text(d, NQ_PRINT_TEXT);

    /* DarkPlaces prints its name before svc_serverinfo (sv_main.c, SV_SendServerinfo). */
    if (qs_view_begins(text, "\nServer: "))
        nq_session_of(d)->darkplaces = true;
    qs_label_text(d, ": ", text, "");
    if (text.size && text.data[0] == CHAT_BYTE)
        qs_emit_speaker(d, NQ_PRINT_SPEAKER, qs_view_skip(text, 1),
                        qs_table_end(&nq_session_of(d)->players), name_of);
}

static void read_stufftext(struct qs_decoder *d)
{
    const uint32_t at = d->in.pos;
    const struct qs_view commands = qs_text(d, NQ_STUFFTEXT_TEXT);

    qs_label_text(d, ": ", commands, "");
    nq_read_info_commands(d, commands, at);
    nq_add_transfer_commands(d, commands);
    nq_level_stufftext(d, commands);
}

QS_TEXT_READER(read_centerprint, NQ_CENTERPRINT_TEXT)

/* --- The player's view and state --- */

static void read_updatestat(struct qs_decoder *d)
{
    const uint8_t index = qs_u8(d, NQ_UPDATESTAT_INDEX);
    const int32_t value = qs_i32(d, NQ_UPDATESTAT_VALUE);

    d->unlisted |=
        index == STAT_WEAPON && value && !qs_table_get(&nq_session_of(d)->models, (uint32_t)value);
}

QS_ROWS_READER(read_damage, NQ_DAMAGE_ARMOR, NQ_DAMAGE_ORIGIN)

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
    struct nq_session *session = nq_session_of(d);
    const float time = qs_f32(d, NQ_TIME_VALUE);

    qs_label(d, ": %g s", (double)time);
    if (!session->timed)
        session->time = time;
    session->timed = true;
    if (!d->in.overrun)
        nq_level_time(d, time);
    if (session->ext.fte2 & FTE2_PREDINFO)
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

/* --- Players --- */

static void read_updatename(struct qs_decoder *d)
{
    const uint8_t player = qs_u8(d, NQ_UPDATENAME_PLAYER);
    const struct qs_view name = qs_text(d, NQ_UPDATENAME_NAME);

    if (d->in.overrun)
        return;
    qs_table_set_name(&nq_session_of(d)->players, player, name);
    qs_add_player_event(d, QS_PLAYER_INFO, player, name.size != 0);
    qs_label_text(d, ": ", name, "");
}

static uint8_t read_player(struct qs_decoder *d, unsigned number_row, unsigned name_row)
{
    const uint32_t at = d->in.pos;
    const uint8_t player = qs_u8(d, number_row);

    qs_emit_name(d, name_row, &nq_session_of(d)->players, player, at, 1);
    return player;
}

static void read_updatefrags(struct qs_decoder *d)
{
    const uint8_t player = read_player(d, NQ_UPDATEFRAGS_PLAYER, NQ_UPDATEFRAGS_NAME);

    qs_add_player_event(d, QS_PLAYER_FRAGS, player, qs_i16(d, NQ_UPDATEFRAGS_FRAGS));
}

static void read_updatecolors(struct qs_decoder *d)
{
    const uint8_t player = read_player(d, NQ_UPDATECOLORS_PLAYER, NQ_UPDATECOLORS_NAME);

    qs_add_player_event(d, QS_PLAYER_TEAM, player, qs_u8(d, NQ_UPDATECOLORS_COLORS) & 0xf);
}

/* --- Other messages --- */

static void read_intermission(struct qs_decoder *d)
{
    qs_add_player_event(d, QS_PLAYER_LEVEL_OVER, 0, 0);
}

static void read_lightstyle(struct qs_decoder *d)
{
    qs_u8(d, NQ_LIGHTSTYLE_STYLE);
    qs_text(d, NQ_LIGHTSTYLE_MAP);
}

QS_ROWS_READER(read_setpause, NQ_SETPAUSE_PAUSED, NQ_SETPAUSE_PAUSED)
QS_ROWS_READER(read_cdtrack, NQ_CDTRACK_TRACK, NQ_CDTRACK_LOOP)
QS_ROWS_READER(read_stopsound, NQ_STOPSOUND_ENTITY_CHANNEL, NQ_STOPSOUND_CHANNEL)
QS_ROWS_READER(read_finale, NQ_FINALE_TEXT, NQ_FINALE_TEXT)
QS_ROWS_READER(read_cutscene, NQ_CUTSCENE_TEXT, NQ_CUTSCENE_TEXT)
QS_ROWS_READER(read_achievement, NQ_ACHIEVEMENT_ID, NQ_ACHIEVEMENT_ID)
QS_ROWS_READER(read_skybox, NQ_SKYBOX_NAME, NQ_SKYBOX_NAME)
QS_ROWS_READER(read_skyboxsize, NQ_SKYBOXSIZE_SIZE, NQ_SKYBOXSIZE_SIZE)
QS_ROWS_READER(read_hidelmp, NQ_HIDELMP_SLOT, NQ_HIDELMP_SLOT)

static void read_updatestatubyte(struct qs_decoder *d)
{
    qs_u8(d, NQ_UPDATESTAT_INDEX);
    qs_unsigned_byte(d, NQ_UPDATESTAT_VALUE);
}

static void read_added_name(struct qs_decoder *d)
{
    static const unsigned rows[] = {NQ_PRECACHE_NAME, NQ_PRECACHE_EFFECT, NQ_PRECACHE_SOUND_NAME,
                                    NQ_PRECACHE_NAME};
    struct nq_session *session = nq_session_of(d);
    const uint16_t word = qs_u16(d, NQ_PRECACHE_WORD);
    const struct qs_view name = qs_text(d, rows[word >> 14]);
    const uint32_t number = word & PRECACHE_INDEX;

    if (d->in.overrun)
        return;
    qs_label_text(d, ": ", name, "");
    if ((word & PRECACHE_TYPE) == PRECACHE_SOUND)
        qs_table_set_name(&session->sounds, number, name);
    else if ((word & PRECACHE_TYPE) == PRECACHE_MODEL)
        qs_table_set_name(&session->models, number, name);
}

/* In DP1 to DP3 the id is that of svc_sound2: a sound with a large number. */
static void read_precache(struct qs_decoder *d)
{
    const unsigned version = nq_darkplaces_version(nq_session_of(d));

    if (version >= 1 && version <= 3)
        nq_read_sound2(d);
    else
        read_added_name(d);
}

/* --- Message types --- */

/* Sender of a message. DarkPlaces sends its messages in its own protocols, and in 15 if the game
 * asks for them; other engines send Nehahra's in Nehahra's protocols. */
enum variant { QUAKE, DARKPLACES, NEHAHRA, VARIANTS };

/* clang-format off */
static const struct qs_message_type types[VARIANTS][U_SIGNAL] = {
#define SVC(id, number, variant, name, read, blurb)                                               \
    [variant][number] = {name, &name[sizeof "svc_" - 1], NQ_SVC_##id, read},
#include "common/quake/messages.def"
};

static const struct fte_message fte_types[] = {
#define SVC_FTE(id, number, fte_bits, fte2_bits, name, read, blurb)                               \
    [number] = {{name, &name[sizeof "svcfte_" - 1], NQ_SVCFTE_##id, read}, .fte = fte_bits, .fte2 = fte2_bits},
#include "common/quake/messages.def"
};
/* clang-format on */

static const struct qs_message_type update = {"entity update", "update", NQ_UPDATE, nq_read_update};

static const struct qs_message_type *of_variant(enum variant variant, uint32_t id)
{
    return types[variant][id].name ? &types[variant][id] : NULL;
}

static const struct qs_message_type *lookup(const struct qs_decoder *d, uint32_t id)
{
    const struct qs_message_type *type;

    if (id & U_SIGNAL)
        return &update;
    type = fte_allowed_message(d, fte_types, G_N_ELEMENTS(fte_types), id);
    if (!type && nq_has_darkplaces(nq_session_of(d)))
        type = of_variant(DARKPLACES, id);
    else if (!type && nq_has_nehahra(nq_session_of(d)))
        type = of_variant(NEHAHRA, id);
    return type ? type : of_variant(QUAKE, id);
}

static void read_messages(struct qs_decoder *d)
{
    nq_set_formats(d);
    qs_read_messages(d, NQ_SVC, lookup);
}

void nq_read_server_messages(struct qs_decoder *d)
{
    if (nq_pass_over(d))
        return;
    nq_assume_protocol(d, read_messages);
    read_messages(d);
}

/* --- Downloads --- */

/*
 * Downloads of DarkPlaces, QuakeSpasm-Spiked and FTE over this netchan: console commands of the
 * server announce a file and its end, svc_downloaddata carries it, unreliably, and the client
 * acknowledges each chunk. Source: DarkPlaces sv_main.c, SV_Download_f, and cl_parse.c,
 * CL_DownloadBegin_f; fteqw sv_user.c, SV_BeginDownload_f.
 */

/* cl_downloadbegin SIZE NAME [deflate]; SIZE is the number of bytes that are sent. */
static void add_begin(struct qs_decoder *d, struct qs_view command, uint32_t pos)
{
    struct qs_transfer begin = {.event = QS_TRANSFER_BEGIN};
    struct qs_token size, name, packing;

    if (!qs_token_next(command, &pos, &size) || !qs_token_next(command, &pos, &name))
        return;
    begin.total = qs_view_unsigned(size.text);
    begin.name = name.text;
    if (qs_token_next(command, &pos, &packing) && qs_view_equal(packing.text, "deflate"))
        begin.packing = QS_TRANSFER_STREAM;
    qs_add_transfer(d, &begin);
}

static void add_command(struct qs_decoder *d, struct qs_view command)
{
    struct qs_token word;
    uint32_t pos = 0;

    if (!qs_token_next(command, &pos, &word))
        return;
    if (qs_view_equal(word.text, "cl_downloadbegin"))
        add_begin(d, command, pos);
    else if (qs_view_equal(word.text, "stopdownload"))
        qs_add_transfer(d, &(struct qs_transfer){.event = QS_TRANSFER_REFUSED});
}

void nq_add_transfer_commands(struct qs_decoder *d, struct qs_view commands)
{
    if (!d->want_transfers || d->in.overrun)
        return;
    for (uint32_t at = 0; at < commands.size;) {
        const uint32_t end = qs_command_end(commands, at);

        add_command(d, (struct qs_view){commands.data + at, end - at});
        at = end + 1;
    }
}

void nq_read_downloaddata(struct qs_decoder *d)
{
    struct qs_transfer chunk = {.event = QS_TRANSFER_CHUNK};
    uint16_t size;

    chunk.offset = qs_u32(d, NQ_DOWNLOADDATA_START);
    size = qs_u16(d, NQ_DOWNLOADDATA_SIZE);
    qs_label(d, ": %u bytes at %u", size, (uint32_t)chunk.offset);
    if (!size)
        return;
    chunk.data = qs_bytes(d, NQ_DOWNLOADDATA_DATA, size);
    qs_add_transfer(d, &chunk);
}
