/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rules of --sanitize for demos of QuakeWorld. */
#include "common/core/writer.h"
#include "common/demo/sanitize/rules.h"
#include "common/quakeworld/constants.h"
#include "common/quakeworld/decode.h"
#include "common/quakeworld/entity_states.h"

enum kind {
    ALL = 1,          /* every engine plays the demo */
    FTE = 2,          /* only FTE plays the demo */
    NO_MOREBITS = 4,  /* removals have no further byte, but FTE always reads one */
    NO_EVENMORE = 8,  /* FTE reads the bit only with its extension, ezQuake always */
    NO_MODELDBL = 16, /* ezQuake reads the bit only with its extension, FTE always */
    MVD = 32,
    MVD_FLOATS = 64 /* FTE reads floats nevertheless: cl_ents.c CLQW_ParsePlayerinfo */
};

/* Returns the kinds of a session. Sources: ezquake cl_ents.c CL_ParseDelta, CL_ParsePacketEntities;
 * fteqw cl_ents.c CLQW_ParseDelta, CLQW_ParsePacketEntities. */
static unsigned kinds(const struct qs_session *base)
{
    const struct qw_session *session = (const struct qw_session *)base;
    const uint32_t fte = session->ext.fte;
    unsigned kinds = qw_only_fte_reads(&session->ext) ? FTE : ALL;

    if (!(fte & FTE_ENTITYDBL))
        kinds |= NO_MOREBITS;
    if (fte && !(fte & FTE_EVENMORE))
        kinds |= NO_EVENMORE;
    if (!(fte & FTE_MODELDBL))
        kinds |= NO_MODELDBL;
    if (session->mvd)
        kinds |= session->ext.mvd1 & MVD1_FLOATCOORDS && !(fte & FTE_FLOATCOORDS) ? MVD | MVD_FLOATS
                                                                                  : MVD;
    return kinds;
}

static const struct sanitize_message messages[] = {
    {"svc_nop svc_print svc_updatestat svc_setview svc_sound svc_time svc_setangle "
     "svc_lightstyle svc_updatefrags svc_stopsound svc_particle svc_damage "
     "svc_spawnbaseline svc_temp_entity svc_setpause svc_centerprint svc_killedmonster "
     "svc_foundsecret svc_spawnstaticsound svc_intermission svc_finale svc_cdtrack "
     "svc_sellscreen svc_smallkick svc_bigkick svc_updateping svc_updateentertime "
     "svc_updatestatlong svc_muzzleflash svc_updateuserinfo svc_playerinfo svc_nails "
     "svc_nails2 svc_chokecount svc_maxspeed svc_entgravity svc_setinfo svc_serverinfo "
     "svc_updatepl svcfte_soundextended svcfte_lightstylecol svcfte_particle2 "
     "svcfte_particle3 svcfte_particle4 svcfte_spawnbaseline2 svcfte_customtempent "
     "svcfte_showpic svcfte_hidepic svcfte_updatepic svcfte_effect svcfte_effect2 "
     "svcfte_precache svcfte_updatestatstring svcfte_updatestatfloat svcfte_trailparticles "
     "svcfte_pointparticles svcfte_pointparticles1 svcfte_voicechat svcfte_setangledelta "
     "svcfte_temp_entity_sized svcfte_setanglebase svcfte_spawnstaticsound2 "
     "svc_packetsprojectiles",
     0, 0, 0},
    {"svc_disconnect", SANITIZE_ANYWHERE, MVD, 0},
    {"svc_serverdata", SANITIZE_START, 0, 0},
    {"svc_stufftext", SANITIZE_COMMANDS, 0, 0},
    {"svc_spawnstatic svcfte_spawnstatic2", 0, 0, 512}, /* ezquake client.h, MAX_STATIC_ENTITIES */
    {"svcfte_splitscreenconfig svcfte_choosesplitclient", 0, FTE, 0},
    {"svc_modellist svcfte_modellistshort", SANITIZE_SIGN_ON | SANITIZE_NEEDED, 0, 0},
    {"svc_soundlist svcfte_soundlistshort", SANITIZE_SIGN_ON, 0, 0},
    {"svc_packetentities", SANITIZE_GAME | SANITIZE_EMPTIED, 0, 0},
    {"svc_deltapacketentities", SANITIZE_GAME | SANITIZE_EMPTIED | SANITIZE_DELTA, 0, 0},
    {"svcfte_updateentities", SANITIZE_GAME, FTE, 0},
    {NULL, 0, 0, 0},
};

enum { PLAYERS = 32, STATS = 32, STYLES = 64, LIST = 255, WIDE_LIST = 2047, FTE_PLAYERS = 255 };
enum { BASELINES = 2048 }; /* ezquake client.h, CL_MAX_EDICTS */

/* Two limits of a number: the one at which ezQuake stops, and FTE's. */
#define LIMIT(row, of_all, of_fte)                                                                 \
    {row, .high = (of_all)-1, .kinds = ALL},                                                       \
    {                                                                                              \
        row, .high = (of_fte)-1                                                                    \
    }

/* Bits that a removal keeps. If engines drop an update, they read a removal as a change; mvdsv sets
 * further bits with each entity from 512 on (sv_ents.c SV_EmitPacketEntities). */
enum { ONLY_NUMBER = 0x1ff | U_REMOVE | U_MOREBITS };

static const struct sanitize_limit limits[] = {
    {QW_SERVERDATA_PLAYER, .high = PLAYERS - 1},
    LIMIT(QW_UPDATEFRAGS_PLAYER, PLAYERS, FTE_PLAYERS),
    LIMIT(QW_UPDATEPING_PLAYER, PLAYERS, FTE_PLAYERS),
    LIMIT(QW_UPDATEPL_PLAYER, PLAYERS, FTE_PLAYERS),
    LIMIT(QW_UPDATEENTERTIME_PLAYER, PLAYERS, FTE_PLAYERS),
    LIMIT(QW_UPDATEUSERINFO_PLAYER, PLAYERS, FTE_PLAYERS),
    LIMIT(QW_SETINFO_PLAYER, PLAYERS, FTE_PLAYERS),
    LIMIT(QW_PLAYERINFO_PLAYER, PLAYERS, FTE_PLAYERS),
    LIMIT(QW_STAT_INDEX, STATS, FTE_PLAYERS),
    LIMIT(QW_LIGHTSTYLE_STYLE, STYLES, FTE_PLAYERS),
    {QW_LIST_INDEX, .high = LIST, .kinds = ALL, .message = "svc_modellist"},
    {QW_LIST_INDEX, .high = LIST, .kinds = ALL, .message = "svc_soundlist"},
    {QW_LIST_INDEX, .high = WIDE_LIST},
    {QW_ENTITY_WORD, .high = UINT16_MAX, .only_with = U_REMOVE, .only = ONLY_NUMBER},
    {QW_ENTITY_WORD, .high = UINT16_MAX, .only_with = U_REMOVE, .only = ONLY_NUMBER & ~U_MOREBITS,
     .kinds = NO_MOREBITS},
    {QW_ENTITY_WORD, .high = UINT16_MAX, .forbidden = U_REMOVE, .message = "svc_packetentities"},
    {QW_ENTITY_WORD, .high = UINT16_MAX, .forbidden = U_REMOVE, .message = "svcfte_spawnbaseline2"},
    {QW_ENTITY_WORD, .high = UINT16_MAX, .forbidden = U_REMOVE, .message = "svcfte_spawnstatic2"},
    {QW_ENTITY_MOREBITS, .high = 255, .forbidden = U_FTE_EVENMORE, .kinds = NO_EVENMORE},
    {QW_ENTITY_EVENMORE, .high = 255, .forbidden = U_FTE_MODELDBL, .kinds = NO_MODELDBL},
    {QW_ENTITY_YETMORE, .high = 255,
     .forbidden = U_FTE_DPFLAGS | U_FTE_TAGINFO | U_FTE_LIGHT | U_FTE_EFFECTS16, .kinds = ALL},
    {FTE_UPDATE_NUMBER, .high = FTE_ENTITIES_MAX - 1},
    {FTE_UPDATE_TAG_ENTITY, .high = FTE_ENTITIES_MAX - 1},
    {FTE_BASELINE_ENTITY, .high = FTE_ENTITIES_MAX - 1},
    {FTE_PARTICLES_ENTITY, .high = FTE_ENTITIES_MAX - 1},
    {FTE_TE_ENTITY, .high = FTE_ENTITIES_MAX - 1, .kinds = FTE}, /* ezQuake only compares it */
    {QW_SETVIEW_ENTITY, .high = FTE_ENTITIES_MAX - 1},
    {QW_SOUNDX_ENTITY, .high = FTE_ENTITIES_MAX - 1},
    LIMIT(QW_SPAWNBASELINE_ENTITY, BASELINES, FTE_ENTITIES_MAX),
    {QW_MUZZLEFLASH_ENTITY, .high = FTE_ENTITIES_MAX - 1},
    /* ezQuake ignores the bit, and does not read its bytes. */
    {QW_PLAYERINFO_MOREFLAGS, .high = 255, .forbidden = PF_COLOURMOD, .kinds = ALL},
    {QW_PLAYERINFO_DF, .high = UINT16_MAX, .forbidden = 7 * DF_ORIGIN, .kinds = MVD_FLOATS},
    /* If the player is not being watched, ezQuake assumes that every unknown type consists of an
     * origin alone: cl_tent.c CL_ParseTEnt. */
    {QW_TE_TYPE, .high = TE_QUAKE_LAST, .kinds = MVD},
    {QW_EFFECT_MODEL, .low = 1, .high = UINT16_MAX},
    {0},
};

/*
 * Console commands that stay, because engines need them: the server's settings, the start and end
 * of a level, and what the game shows. All others are useless or harmful in a player's console:
 * `packet` sends real datagrams, and `reconnect` leaves the demo for the last server (ezquake
 * cl_main.c CL_Reconnect_f). Of the remarks ("//..."), the list has those that clients only
 * display: FTE executes //set, //exectrigger and //querycmd, ezQuake executes an alias for
 * //finalscores, and //paks and //paknames change FTE's packages (ezquake cl_parse.c
 * CL_ParseStufftext; fteqw cl_parse.c CL_ParseStuffCmd).
 */
static const struct qs_needed_command commands[] = {
    {"fullserverinfo", "i"},
    {"skins", ""},
    {"changing", ""},
    {"bf", ""},
    /* Sources: mvdsv, QTV; ezquake hud_teaminfo.c, hud_weapon_stats.c, mvd_utils.c, qtv.c; KTX */
    {"//at", "n"},
    {"//cainfo", "pdddddn?tnnnnnnnnnn"},
    {"//demomark", "?nww"},
    {"//ktx bp", "ec"},
    {"//ktx di", "dddnnnn"},
    {"//ktx drop", "enc"},
    {"//ktx expire", "e"},
    {"//ktx matchstart", ""},
    {"//ktx race cp", "ndddd"},
    {"//ktx race end", "ddddn"},
    {"//ktx race pm", "e"},
    {"//ktx race start", "nnw"},
    {"//ktx timer", "en"},
    {"//ktx took", "enc"},
    {"//qul", "nn?t"},
    {"//sn", "npdddddn?tnnnn"},
    {"//tinfo", "pdddddn?tnnnn"},
    {"//ucmd", "dn?n"},
    {"//vwep", "?f*"},
    {"//wps", "pwnn"},
    {NULL, ""},
};

/*
 * Appends an svc_serverdata at which engines stop that would misread the level. If only FTE reads
 * its messages correctly, the message begins with an empty extension "vlen", at which all others
 * end the demo. If only ezQuake does, because of its weapon prediction, an empty
 * svc_packetsprojectiles follows, which the others do not know. MVD has no predictions.
 */
static void append_start(const struct qs_session *base, struct qs_view message, GByteArray *out)
{
    const struct qw_session *session = (const struct qw_session *)base;

    qs_write_u8(out, SVC_SERVERDATA);
    if (qw_only_fte_reads(&session->ext)) {
        qs_write_u32(out, EXTENSION_VLEN);
        qs_write_u32(out, 0);
        qs_write_u32(out, 0);
    }
    qs_write_view(out, (struct qs_view){message.data + 1, message.size - 1});
    if (session->ext.mvd1 & MVD1_WEAPONPREDICTION && !session->mvd) {
        qs_write_u8(out, SVC_PACKETSPROJECTILES);
        qs_write_u32(out, 0);
        qs_write_u16(out, 0);
    }
}

/* Returns the maximum number of entities in an update. Engines end the game if there are more:
 * ezquake cl_ents.c, CL_ParsePacketEntities. */
static uint32_t most_entities(const struct qs_session *session)
{
    return qw_delta_format(&((const struct qw_session *)session)->ext).entities;
}

const struct sanitize_game sanitize_quakeworld = {
    .messages = messages,
    .limits = limits,
    .commands = commands,
    .stufftext = SVC_STUFFTEXT,
    .ids = {QW_SVC},
    .has_font = true,
    .kinds = kinds,
    .append_start = append_start,
    .number_row = QW_LIST_INDEX,
    .most_entities = most_entities,
    .entity_row = QW_ENTITY_NUMBER,
};
