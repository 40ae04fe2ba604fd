/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/quake/names.h"

#include <stddef.h>

#include "common/quake/constants.h"

const struct qs_name nq_protocol_names[] = {
    {PROTOCOL_NETQUAKE, "Quake"},
    {PROTOCOL_DP1, "DarkPlaces 1"},
    {PROTOCOL_DP2, "DarkPlaces 2"},
    {PROTOCOL_NEHAHRA_MOVIE, "Nehahra movie"},
    {PROTOCOL_FITZQUAKE, "FitzQuake"},
    {PROTOCOL_RMQ, "RMQ"},
    {PROTOCOL_DP3, "DarkPlaces 3"},
    {PROTOCOL_DP4, "DarkPlaces 4"},
    {PROTOCOL_DP5, "DarkPlaces 5"},
    {PROTOCOL_DP6, "DarkPlaces 6"},
    {PROTOCOL_DP7, "DarkPlaces 7"},
    {PROTOCOL_DP8, "DarkPlaces 8"},
    {PROTOCOL_BJP, "BJP"},
    {PROTOCOL_BJP2, "BJP 2"},
    {PROTOCOL_BJP3, "BJP 3"},
    {0, NULL},
};

const struct qs_name nq_extension_names[] = {
    {NQ_PEXT_FTEX, "FTEX"},
    {NQ_PEXT_FTE2, "FTE2"},
    {0, NULL},
};

const struct qs_name nq_control_names[] = {
    {CCREQ_CONNECT, "CCREQ_CONNECT"},
    {CCREQ_SERVER_INFO, "CCREQ_SERVER_INFO"},
    {CCREQ_PLAYER_INFO, "CCREQ_PLAYER_INFO"},
    {CCREQ_RULE_INFO, "CCREQ_RULE_INFO"},
    {CCREQ_RCON, "CCREQ_RCON"},
    {CCREP_ACCEPT, "CCREP_ACCEPT"},
    {CCREP_REJECT, "CCREP_REJECT"},
    {CCREP_SERVER_INFO, "CCREP_SERVER_INFO"},
    {CCREP_PLAYER_INFO, "CCREP_PLAYER_INFO"},
    {CCREP_RULE_INFO, "CCREP_RULE_INFO"},
    {CCREP_RCON, "CCREP_RCON"},
    {0, NULL},
};

const struct qs_name nq_mod_names[] = {
    {0, "None"},
    {MOD_PROQUAKE, "ProQuake"},
    {0, NULL},
};

const struct qs_name nq_svc_names[] = {
    {SVC_BAD, "svc_bad"},
    {SVC_NOP, "svc_nop"},
    {SVC_DISCONNECT, "svc_disconnect"},
    {SVC_UPDATESTAT, "svc_updatestat"},
    {SVC_VERSION, "svc_version"},
    {SVC_SETVIEW, "svc_setview"},
    {SVC_SOUND, "svc_sound"},
    {SVC_TIME, "svc_time"},
    {SVC_PRINT, "svc_print"},
    {SVC_STUFFTEXT, "svc_stufftext"},
    {SVC_SETANGLE, "svc_setangle"},
    {SVC_SERVERINFO, "svc_serverinfo"},
    {SVC_LIGHTSTYLE, "svc_lightstyle"},
    {SVC_UPDATENAME, "svc_updatename"},
    {SVC_UPDATEFRAGS, "svc_updatefrags"},
    {SVC_CLIENTDATA, "svc_clientdata"},
    {SVC_STOPSOUND, "svc_stopsound"},
    {SVC_UPDATECOLORS, "svc_updatecolors"},
    {SVC_PARTICLE, "svc_particle"},
    {SVC_DAMAGE, "svc_damage"},
    {SVC_SPAWNSTATIC, "svc_spawnstatic"},
    {SVC_SPAWNBINARY, "svc_spawnbinary"},
    {SVC_SPAWNBASELINE, "svc_spawnbaseline"},
    {SVC_TEMP_ENTITY, "svc_temp_entity"},
    {SVC_SETPAUSE, "svc_setpause"},
    {SVC_SIGNONNUM, "svc_signonnum"},
    {SVC_CENTERPRINT, "svc_centerprint"},
    {SVC_KILLEDMONSTER, "svc_killedmonster"},
    {SVC_FOUNDSECRET, "svc_foundsecret"},
    {SVC_SPAWNSTATICSOUND, "svc_spawnstaticsound"},
    {SVC_INTERMISSION, "svc_intermission"},
    {SVC_FINALE, "svc_finale"},
    {SVC_CDTRACK, "svc_cdtrack"},
    {SVC_SELLSCREEN, "svc_sellscreen"},
    {SVC_CUTSCENE, "svc_cutscene"},
    {SVC_SHOWLMP, "svc_showlmp"},
    {SVC_HIDELMP, "svc_hidelmp"},
    {SVC_SKYBOX, "svc_skybox"},
    {SVC_BF, "svc_bf"},
    {SVC_FOG, "svc_fog"},
    {SVC_SPAWNBASELINE2, "svc_spawnbaseline2"},
    {SVC_SPAWNSTATIC2, "svc_spawnstatic2"},
    {SVC_SPAWNSTATICSOUND2, "svc_spawnstaticsound2"},
    {SVC_ACHIEVEMENT, "svc_achievement or svc_effect"},
    {SVC_DP_EFFECT2, "svc_effect2"},
    {SVC_DP_DOWNLOADDATA, "svc_downloaddata"},
    {SVC_DP_UPDATESTATUBYTE, "svc_updatestatubyte"},
    {SVC_DP_PRECACHE, "svc_precache"},
    {SVC_DP_SPAWNBASELINE2, "svc_spawnbaseline2 (DarkPlaces)"},
    {SVC_DP_ENTITIES, "svc_entities"},
    {SVC_DP_CSQCENTITIES, "svc_csqcentities"},
    {SVC_LOCALSOUND, "svc_localsound or svc_spawnstatic2"},
    {SVC_DP_SPAWNSTATICSOUND2, "svc_spawnstaticsound2 (DarkPlaces)"},
    {SVC_DP_TRAILPARTICLES, "svc_trailparticles"},
    {SVC_DP_POINTPARTICLES, "svc_pointparticles"},
    {SVC_DP_POINTPARTICLES1, "svc_pointparticles1"},
    {0, NULL},
};

const struct qs_name nq_clc_names[] = {
    {CLC_NOP, "clc_nop"},
    {CLC_DISCONNECT, "clc_disconnect"},
    {CLC_MOVE, "clc_move"},
    {CLC_STRINGCMD, "clc_stringcmd"},
    {CLC_DP_ACKFRAME, "clc_ackframe"},
    {CLC_DP_ACKDOWNLOADDATA, "clc_ackdownloaddata"},
    {0, NULL},
};

/* dem-format, 6.4. */
const struct qs_name nq_stat_names[] = {
    {0, "STAT_HEALTH"},        {2, "STAT_WEAPON"},        {3, "STAT_AMMO"},
    {4, "STAT_ARMOR"},         {5, "STAT_WEAPONFRAME"},   {6, "STAT_SHELLS"},
    {7, "STAT_NAILS"},         {8, "STAT_ROCKETS"},       {9, "STAT_CELLS"},
    {10, "STAT_ACTIVEWEAPON"}, {11, "STAT_TOTALSECRETS"}, {12, "STAT_TOTALMONSTERS"},
    {13, "STAT_SECRETS"},      {14, "STAT_MONSTERS"},     {0, NULL},
};

/* dem-format, 6.26. */
const struct qs_name nq_signon_names[] = {
    {1, "Lists sent: ask for the entities (prespawn)"},
    {2, "Entities sent: ask for the player (spawn)"},
    {3, "All sent: begin"},
    {0, NULL},
};

const struct qs_name nq_gametype_names[] = {
    {0, "Single player or cooperative"},
    {1, "Deathmatch"},
    {0, NULL},
};

/* dem-format, 6.24 (0 to 11); QuakeSpasm and DarkPlaces protocol.h (the rest). */
const struct qs_name nq_temp_entity_names[] = {
    {0, "TE_SPIKE"},          {1, "TE_SUPERSPIKE"},
    {2, "TE_GUNSHOT"},        {3, "TE_EXPLOSION"},
    {4, "TE_TAREXPLOSION"},   {5, "TE_LIGHTNING1"},
    {6, "TE_LIGHTNING2"},     {7, "TE_WIZSPIKE"},
    {8, "TE_KNIGHTSPIKE"},    {9, "TE_LIGHTNING3"},
    {10, "TE_LAVASPLASH"},    {11, "TE_TELEPORT"},
    {12, "TE_EXPLOSION2"},    {13, "TE_BEAM"},
    {16, "TE_EXPLOSION3"},    {17, "TE_LIGHTNING4NEH"},
    {50, "TE_BLOOD"},         {51, "TE_SPARK"},
    {52, "TE_BLOODSHOWER"},   {53, "TE_EXPLOSIONRGB"},
    {54, "TE_PARTICLECUBE"},  {55, "TE_PARTICLERAIN"},
    {56, "TE_PARTICLESNOW"},  {57, "TE_GUNSHOTQUAD"},
    {58, "TE_SPIKEQUAD"},     {59, "TE_SUPERSPIKEQUAD"},
    {70, "TE_EXPLOSIONQUAD"}, {72, "TE_SMALLFLASH"},
    {73, "TE_CUSTOMFLASH"},   {74, "TE_FLAMEJET"},
    {75, "TE_PLASMABURN"},    {76, "TE_TEI_G3"},
    {77, "TE_TEI_SMOKE"},     {78, "TE_TEI_BIGEXPLOSION"},
    {79, "TE_TEI_PLASMAHIT"}, {0, NULL},
};

const struct qs_name nq_animation_names[] = {
    {0, "One frame"},
    {1, "Two frames"},
    {2, "Three frames"},
    {ANIMATION_BLEND4, "Four frames"},
    {ANIMATION_SKELETON, "Skeleton"},
    {0, NULL},
};
