/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/quake2/session.h"

#include <string.h>

#include "common/core/text.h"
#include "common/quake2/constants.h"

const struct qs_name q2_undecoded_names[] = {
    {25, "test release"},
    {37, "MVD"},
    {56, "KMQuake2"},
    {2022, "rerelease"},
    {2023, "rerelease"},
    {2024, "yquake2remaster"},
    {0, NULL},
};

void q2_session_init(struct qs_session *base)
{
    struct q2_session *session = q2_session_of(base);

    memset(session, 0, sizeof *session);
    qs_session_init(base);
    session->qport_width = Q2_QPORT_UNKNOWN;
    session->player = session->viewed = Q2_PLAYER_UNKNOWN;
    q2_session_set_version(session, 0);
}

void q2_session_copy(struct qs_session *to_base, const struct qs_session *from_base)
{
    struct q2_session *to = q2_session_of(to_base);
    const struct q2_session *from = q2_session_of_const(from_base);

    *to = *from;
    qs_table_copy(&to->level.configstrings, &from->level.configstrings);
    qs_table_copy(&to->texts, &from->texts);
    qs_table_copy(&to->level.baselines, &from->level.baselines);
    qs_table_copy(&to->level.rosters, &from->level.rosters);
    qs_table_copy(&to->level.solids, &from->level.solids);
    qs_fragments_copy(&to->to_server, &from->to_server);
    qs_fragments_copy(&to->to_client, &from->to_client);
    qs_inflate_stream_copy(&to->gtv.inflating, &from->gtv.inflating);
    if (from->gtv.held)
        g_bytes_ref(from->gtv.held);
    to->gtv.blocks = NULL;
    to->tracker = NULL;
}

static bool gtv_shares(const struct q2_gtv *a, const struct q2_gtv *b)
{
    return a->inflating.inflater == b->inflating.inflater && a->held == b->held &&
           a->blocks == b->blocks;
}

bool q2_session_shares(const struct qs_session *a, const struct qs_session *b)
{
    const struct q2_session *one = q2_session_of_const(a), *other = q2_session_of_const(b);

    return qs_table_shares(&one->level.configstrings, &other->level.configstrings) &&
           qs_table_shares(&one->texts, &other->texts) &&
           qs_table_shares(&one->level.baselines, &other->level.baselines) &&
           qs_table_shares(&one->level.rosters, &other->level.rosters) &&
           qs_table_shares(&one->level.solids, &other->level.solids) &&
           qs_fragments_shares(&one->to_server, &other->to_server) &&
           qs_fragments_shares(&one->to_client, &other->to_client) &&
           gtv_shares(&one->gtv, &other->gtv);
}

void q2_session_forget_packet(struct qs_session *session)
{
    struct q2_session *q2 = q2_session_of(session);

    q2->packet = (struct q2_last_packet){0};
}

static void clear_gtv(struct q2_gtv *gtv)
{
    qs_inflate_stream_clear(&gtv->inflating);
    if (gtv->held)
        g_bytes_unref(gtv->held);
    if (gtv->blocks)
        g_byte_array_free(gtv->blocks, TRUE);
}

static void clear_level(struct q2_level *level)
{
    qs_table_clear(&level->configstrings);
    qs_table_clear(&level->baselines);
    qs_table_clear(&level->rosters);
    qs_table_clear(&level->solids);
}

void q2_session_clear(struct qs_session *base)
{
    struct q2_session *session = q2_session_of(base);

    clear_level(&session->level);
    qs_table_clear(&session->texts);
    qs_fragments_clear(&session->to_server);
    qs_fragments_clear(&session->to_client);
    clear_gtv(&session->gtv);
    if (session->tracker)
        q2_tracker_detach(session->tracker);
}

void q2_session_connect(struct q2_session *session)
{
    struct q2_session old = *session;
    const struct q2_wanted *wanted = &old.handshake.wanted;
    const struct qs_view userinfo = qs_view_of(qs_table_get(&old.texts, Q2_TEXT_WANTED_USERINFO));

    q2_session_init(&session->base);
    session->base = old.base;
    qs_session_connect(&session->base);
    session->gtv = old.gtv; /* kept, because the connection is in its stream */
    old.gtv = (struct q2_gtv){0};
    session->handshake.wanted = *wanted;
    session->handshake.connect_minor = session->minor = wanted->minor;
    session->new_netchan = wanted->new_netchan;
    if (wanted->version) {
        session->qport_width = wanted->qport_width;
        q2_session_set_version(session, wanted->version);
    }
    qs_table_set(&session->texts, Q2_TEXT_USERINFO, userinfo);
    qs_table_set(&session->texts, Q2_TEXT_WANTED_USERINFO, userinfo);
    if (old.handshake.connect_pending) /* client_connect came before the old connection ended */
        qs_table_set(&session->texts, Q2_TEXT_MAP,
                     qs_view_of(qs_table_get(&old.texts, Q2_TEXT_MAP)));
    if (old.tracker)
        q2_tracker_attach(old.tracker, session);
    old.tracker = NULL;
    q2_session_clear(&old.base);
}

void q2_session_accept(struct q2_session *session)
{
    const bool idle = !session->base.to_server.started && !session->base.to_client.started;

    if (!session->base.connection || session->base.disconnected)
        q2_session_connect(session);
    else if (!idle)
        session->handshake.connect_pending = true;
}

void q2_session_set_netchan(struct q2_session *session, bool has_fragments)
{
    session->handshake.wanted.new_netchan = has_fragments;
    if (!session->handshake.connect_pending)
        session->new_netchan = has_fragments;
}

void q2_session_begin_level(struct q2_session *session)
{
    const int32_t count = session->level.servercount;

    qs_level_begin(&session->base);
    clear_level(&session->level);
    session->level = (struct q2_level){.servercount = count, .old_servercount = count};
}

void q2_session_use_donor(struct q2_session *session, const struct q2_session *donor,
                          const struct q2_session *known)
{
    qs_level_begin(&session->base);
    qs_level_play(&session->base, 0);
    session->level.servercount = donor->level.servercount;
    session->level.last_frame = 0;
    session->level.max_clients = donor->level.max_clients;
    session->qport_width = known->qport_width;
    session->new_netchan = known->new_netchan;
    session->handshake.connect_minor = known->handshake.connect_minor;
    session->minor = known->minor;
    session->protocol_flags = known->protocol_flags;
    session->handshake.guessed = known->handshake.guessed;
    qs_table_clear(&session->level.configstrings);
    qs_table_clear(&session->level.baselines);
    qs_table_copy(&session->level.configstrings, &donor->level.configstrings);
    qs_table_copy(&session->level.baselines, &donor->level.baselines);
    qs_table_set(&session->texts, Q2_TEXT_GAMEDIR,
                 qs_view_of(qs_table_get(&donor->texts, Q2_TEXT_GAMEDIR)));
    /* Older versions are not decoded; packets of all versions up to 34 look the same. */
    q2_session_set_version(session, known->base.version >= Q2_PROTOCOL_OLDEST
                                        ? known->base.version
                                        : Q2_PROTOCOL_VANILLA);
}

void q2_session_set_version(struct q2_session *session, int32_t version)
{
    session->base.version = version;
    /* The rerelease's demos are decoded, but not its connections, which differ. */
    session->undecodable =
        version && !q2_is_decoded(version, session->minor) &&
        (!q2_is_rerelease(version) || session->handshake.wanted.version == version);
    session->variant =
        q2_variant_of(version, session->minor, session->protocol_flags, session->record);
}

void q2_session_set_mvd(struct q2_session *session, uint32_t minor, uint16_t flags)
{
    session->base.version = Q2_PROTOCOL_MVD;
    session->minor = minor;
    session->protocol_flags = flags;
    session->undecodable = false;
    session->variant = q2_mvd_variant(minor, flags);
}

/* --- Session lists --- */

static char *readable(const char *text)
{
    return text ? qs_text_utf8(qs_view_of(text)) : NULL;
}

/* Returns the engine's name and a blank, or "" if the version numbers alone identify the engine. */
static const char *engine_of(const struct q2_session *session)
{
    if (session->base.version == Q2_PROTOCOL_AQTION)
        return "AQtion ";
    if (session->base.version == Q2_PROTOCOL_Q2REPRO)
        return "q2repro ";
    if (session->variant.mvd)
        return "MVD ";
    if (session->base.version == Q2_PROTOCOL_Q2PRO && session->undecodable)
        return "q2pro-ng ";
    return "";
}

char *q2_version_text(const struct q2_session *session)
{
    const int32_t version = session->base.version;
    const char *name = qs_name_of(q2_undecoded_names, (uint32_t)version);

    if (!version)
        return NULL;
    if (name && !session->variant.mvd)
        return g_strdup_printf("%s %d", name, version);
    if (session->minor)
        return g_strdup_printf("%s%d (%u)", engine_of(session), version, session->minor);
    return g_strdup_printf("%s%d", engine_of(session), version);
}

/* Returns the map of the first model ("maps/q2dm1.bsp"), or of client_connect until its level ends,
 * for the caller to free. */
static char *describe_map(const struct q2_session *session)
{
    const char *model = q2_configstring(session, Q2_RANGE_MODELS, 1);
    char *map = readable(model);

    if (!map)
        return session->base.level > 1 ? NULL
                                       : readable(qs_table_get(&session->texts, Q2_TEXT_MAP));
    if (g_str_has_prefix(map, "maps/"))
        memmove(map, map + 5, strlen(map + 5) + 1);
    if (g_str_has_suffix(map, ".bsp"))
        map[strlen(map) - 4] = '\0';
    return map;
}

/* Returns the name in the userinfo, or else in the config string. The caller frees it. */
static char *describe_player(const struct q2_session *session)
{
    const struct qs_view info = qs_view_of(qs_table_get(&session->texts, Q2_TEXT_USERINFO));
    const struct qs_view name = qs_info_value(info, "name");

    return name.data ? qs_text_utf8(name) : readable(qs_table_get(&session->texts, Q2_TEXT_PLAYER));
}

/* Describes a player. Teams are skins: "ctf_r" of "anna\\male/ctf_r". */
bool q2_session_player(const struct qs_session *base, uint32_t slot, struct qs_player *player)
{
    const struct q2_session *session = q2_session_of_const(base);
    const bool own = session->player >= 0 && slot == (uint32_t)session->player;
    const char *text = q2_configstring(session, Q2_RANGE_PLAYERSKINS, slot);
    const char *skin = text ? strrchr(text, '/') : NULL;
    g_autofree char *name = text ? q2_player_name(session, slot) : NULL;

    if (!name || !*name || (session->variant.mvd && own)) /* the server's own player */
        return false;
    *player = (struct qs_player){
        .name = qs_text_title(qs_view_of(name), QS_PLAYER_CHARACTERS),
        .team = skin ? readable(skin + 1) : NULL,
        .has_frags = own || session->variant.mvd,
        .teams_count = g_strcmp0(qs_table_get(&session->texts, Q2_TEXT_GAMEDIR), "ctf") == 0,
    };
    return true;
}

void q2_session_describe(const struct qs_session *base, struct qs_description *description)
{
    const struct q2_session *session = q2_session_of_const(base);
    const struct qs_view info = qs_view_of(qs_table_get(&session->texts, Q2_TEXT_USERINFO));

    *description = (struct qs_description){
        .version = q2_version_text(session),
        .map = describe_map(session),
        .player = session->variant.mvd ? NULL : describe_player(session),
        .spectator = qs_info_is_set(info, "spectator"),
        .has_all_players = session->variant.mvd,
    };
}

/* --- Baselines: bytes of the struct, in a table that copies of the session share --- */

void q2_baseline_set(struct q2_session *session, const struct q2_entity *baseline)
{
    if (baseline->number && baseline->number < Q2_ENTITIES_EXTENDED_MAX)
        qs_table_set(&session->level.baselines, baseline->number,
                     (struct qs_view){(const uint8_t *)baseline, sizeof *baseline});
}

/* --- Config strings --- */

enum {
    CLIENTS_MAX = 256,
    STRING_ROOM = 64,           /* size of a config string in engines, with its NUL */
    STRING_ROOM_RERELEASE = 96, /* CS_MAX_STRING_LENGTH of game.h */
};

/* Start of a range, and number of its strings; 0 if the layout lacks the range. */
struct range {
    uint16_t start, count;
};

#define FIRST_RANGES                                                                               \
    [Q2_RANGE_NAME] = {0, 1}, [Q2_RANGE_CDTRACK] = {1, 1}, [Q2_RANGE_SKY] = {2, 1},                \
    [Q2_RANGE_SKYAXIS] = {3, 1}, [Q2_RANGE_SKYROTATE] = {4, 1}

/* Ranges of extended limits and of the rerelease. */
#define WIDE_RANGES                                                                                \
    FIRST_RANGES, [Q2_RANGE_STATUSBAR] = {5, 54}, [Q2_RANGE_AIRACCEL] = {59, 1},                   \
                  [Q2_RANGE_MAXCLIENTS] = {60, 1}, [Q2_RANGE_MAPCHECKSUM] = {61, 1},               \
                  [Q2_RANGE_MODELS] = {62, 8192}, [Q2_RANGE_SOUNDS] = {8254, 2048}

static const struct layout {
    uint16_t end;
    struct range ranges[Q2_RANGES];
} layouts[] = {
    [Q2_LAYOUT_VANILLA] =
        {2080,
         {FIRST_RANGES, [Q2_RANGE_STATUSBAR] = {5, 24}, [Q2_RANGE_AIRACCEL] = {29, 1},
          [Q2_RANGE_MAXCLIENTS] = {30, 1}, [Q2_RANGE_MAPCHECKSUM] = {31, 1},
          [Q2_RANGE_MODELS] = {32, 256}, [Q2_RANGE_SOUNDS] = {288, 256},
          [Q2_RANGE_IMAGES] = {544, 256}, [Q2_RANGE_LIGHTS] = {800, 256},
          [Q2_RANGE_ITEMS] = {1056, 256}, [Q2_RANGE_PLAYERSKINS] = {1312, 256},
          [Q2_RANGE_GENERAL] = {1568, 512}}},
    [Q2_LAYOUT_EXTENDED] =
        {13630,
         {WIDE_RANGES, [Q2_RANGE_IMAGES] = {10302, 2048}, [Q2_RANGE_LIGHTS] = {12350, 256},
          [Q2_RANGE_ITEMS] = {12606, 256}, [Q2_RANGE_PLAYERSKINS] = {12862, 256},
          [Q2_RANGE_GENERAL] = {13118, 512}}},
    [Q2_LAYOUT_RERELEASE] =
        {12448,
         {WIDE_RANGES, [Q2_RANGE_IMAGES] = {10302, 512}, [Q2_RANGE_LIGHTS] = {10814, 256},
          [Q2_RANGE_SHADOWLIGHTS] = {11070, 256}, [Q2_RANGE_ITEMS] = {11326, 256},
          [Q2_RANGE_PLAYERSKINS] = {11582, 256}, [Q2_RANGE_GENERAL] = {11838, 512},
          [Q2_RANGE_WHEEL_WEAPONS] = {12350, 32}, [Q2_RANGE_WHEEL_AMMO] = {12382, 32},
          [Q2_RANGE_WHEEL_POWERUPS] = {12414, 32}, [Q2_RANGE_CD_LOOP_COUNT] = {12446, 1},
          [Q2_RANGE_GAME_STYLE] = {12447, 1}}},
};

static const struct layout *layout_of(const struct q2_session *session)
{
    return &layouts[session->variant.layout];
}

bool q2_configstring_range(const struct q2_session *session, uint32_t index, enum q2_range *range,
                           uint32_t *number)
{
    const struct range *ranges = layout_of(session)->ranges;

    for (unsigned i = 0; i < Q2_RANGES; i++)
        if (index - ranges[i].start < ranges[i].count) {
            *range = (enum q2_range)i;
            *number = index - ranges[i].start;
            return true;
        }
    return false;
}

uint32_t q2_configstring_end(const struct q2_session *session)
{
    return layout_of(session)->end;
}

static uint32_t string_room(const struct q2_session *session)
{
    return session->variant.layout == Q2_LAYOUT_RERELEASE ? STRING_ROOM_RERELEASE : STRING_ROOM;
}

char *q2_status_bar(const struct q2_session *session)
{
    const uint32_t room = string_room(session);
    GString *text = g_string_new(NULL);

    for (uint32_t number = 0; number * room <= text->len; number++) {
        const char *part = q2_configstring(session, Q2_RANGE_STATUSBAR, number);

        if (part)
            g_string_append(g_string_truncate(text, number * room), part);
    }
    return g_string_free(text, FALSE);
}

/* Returns the maximum length of a config string in engines. In two ranges a string may continue in
 * the next ones. Source: Q2PRO utils.h, Com_ConfigstringSize. */
static uint32_t room_for(const struct q2_session *session, uint32_t index)
{
    const struct layout *layout = layout_of(session);
    const struct range bar = layout->ranges[Q2_RANGE_STATUSBAR];
    uint32_t parts = 1;

    if (index >= bar.start && index < bar.start + bar.count)
        parts = bar.start + bar.count - index;
    else if (index >= layout->ranges[Q2_RANGE_GENERAL].start)
        parts = layout->end - index;
    return parts * string_room(session) - 1;
}

void q2_configstring_set(struct q2_session *session, uint32_t index, struct qs_view text)
{
    const struct range *ranges = layout_of(session)->ranges;
    int64_t number;

    if (index >= q2_configstring_end(session))
        return;
    text.size = MIN(text.size, room_for(session, index));
    for (uint32_t part = text.size / string_room(session); part; part--) /* it overwrites others */
        qs_table_set(&session->level.configstrings, index + part, (struct qs_view){0});
    qs_table_set(&session->level.configstrings, index, text);
    if (text.size && session->player >= 0 &&
        index == ranges[Q2_RANGE_PLAYERSKINS].start + (uint32_t)session->player) {
        g_autofree char *name = q2_player_name(session, (uint32_t)session->player);

        qs_table_set(&session->texts, Q2_TEXT_PLAYER, qs_view_of(name));
    }
    if (index == ranges[Q2_RANGE_MAXCLIENTS].start)
        session->level.max_clients =
            qs_view_number_within(text, 1, CLIENTS_MAX, &number) ? (uint16_t)number : 0;
}

const char *q2_configstring(const struct q2_session *session, enum q2_range range, uint32_t number)
{
    const struct range *strings = &layout_of(session)->ranges[range];

    if (number >= strings->count)
        return NULL;
    return qs_table_get(&session->level.configstrings, strings->start + number);
}

char *q2_player_name(const struct q2_session *session, uint32_t player)
{
    const char *skin = q2_configstring(session, Q2_RANGE_PLAYERSKINS, player);

    return skin ? g_strndup(skin, strcspn(skin, "\\")) : NULL;
}
