/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/quakeworld/names.h"

#include <stddef.h>

#include "common/quakeworld/constants.h"

const struct qs_name qw_svc_names[] = {
    {SVC_BAD, "svc_bad"},
    {SVC_NOP, "svc_nop"},
    {SVC_DISCONNECT, "svc_disconnect"},
    {SVC_UPDATESTAT, "svc_updatestat"},
    {4, "svc_version"},
    {5, "svc_setview"},
    {SVC_SOUND, "svc_sound"},
    {7, "svc_time"},
    {SVC_PRINT, "svc_print"},
    {SVC_STUFFTEXT, "svc_stufftext"},
    {SVC_SETANGLE, "svc_setangle"},
    {SVC_SERVERDATA, "svc_serverdata"},
    {SVC_LIGHTSTYLE, "svc_lightstyle"},
    {13, "svc_updatename"},
    {SVC_UPDATEFRAGS, "svc_updatefrags"},
    {15, "svc_clientdata"},
    {SVC_STOPSOUND, "svc_stopsound"},
    {17, "svc_updatecolors"},
    {18, "svc_particle"},
    {SVC_DAMAGE, "svc_damage"},
    {SVC_SPAWNSTATIC, "svc_spawnstatic"},
    {SVC_FTE_SPAWNSTATIC2, "svcfte_spawnstatic2"},
    {SVC_SPAWNBASELINE, "svc_spawnbaseline"},
    {SVC_TEMP_ENTITY, "svc_temp_entity"},
    {SVC_SETPAUSE, "svc_setpause"},
    {25, "svc_signonnum"},
    {SVC_CENTERPRINT, "svc_centerprint"},
    {SVC_KILLEDMONSTER, "svc_killedmonster"},
    {SVC_FOUNDSECRET, "svc_foundsecret"},
    {SVC_SPAWNSTATICSOUND, "svc_spawnstaticsound"},
    {SVC_INTERMISSION, "svc_intermission"},
    {SVC_FINALE, "svc_finale"},
    {SVC_CDTRACK, "svc_cdtrack"},
    {SVC_SELLSCREEN, "svc_sellscreen"},
    {SVC_SMALLKICK, "svc_smallkick"},
    {SVC_BIGKICK, "svc_bigkick"},
    {SVC_UPDATEPING, "svc_updateping"},
    {SVC_UPDATEENTERTIME, "svc_updateentertime"},
    {SVC_UPDATESTATLONG, "svc_updatestatlong"},
    {SVC_MUZZLEFLASH, "svc_muzzleflash"},
    {SVC_UPDATEUSERINFO, "svc_updateuserinfo"},
    {SVC_DOWNLOAD, "svc_download"},
    {SVC_PLAYERINFO, "svc_playerinfo"},
    {SVC_NAILS, "svc_nails"},
    {SVC_CHOKECOUNT, "svc_chokecount"},
    {SVC_MODELLIST, "svc_modellist"},
    {SVC_SOUNDLIST, "svc_soundlist"},
    {SVC_PACKETENTITIES, "svc_packetentities"},
    {SVC_DELTAPACKETENTITIES, "svc_deltapacketentities"},
    {SVC_MAXSPEED, "svc_maxspeed"},
    {SVC_ENTGRAVITY, "svc_entgravity"},
    {SVC_SETINFO, "svc_setinfo"},
    {SVC_SERVERINFO, "svc_serverinfo"},
    {SVC_UPDATEPL, "svc_updatepl"},
    {SVC_FTE_MODELLISTSHORT, "svcfte_modellistshort"},
    {SVC_FTE_SPAWNBASELINE2, "svcfte_spawnbaseline2"},
    {SVC_FTE_UPDATEENTITIES, "svcfte_updateentities"},
    {0, NULL},
};

const struct qs_name qw_clc_names[] = {
    {CLC_BAD, "clc_bad"},
    {CLC_NOP, "clc_nop"},
    {CLC_DOUBLEMOVE, "clc_doublemove"},
    {CLC_MOVE, "clc_move"},
    {CLC_STRINGCMD, "clc_stringcmd"},
    {CLC_DELTA, "clc_delta"},
    {CLC_TMOVE, "clc_tmove"},
    {CLC_UPLOAD, "clc_upload"},
    {0, NULL},
};

/* qwd-format, table 3; 16 and 17 are Z_EXT's. */
const struct qs_name qw_stat_names[] = {
    {0, "STAT_HEALTH"},
    {1, "STAT_FRAGS"},
    {STAT_WEAPON, "STAT_WEAPON"},
    {3, "STAT_AMMO"},
    {4, "STAT_ARMOR"},
    {5, "STAT_WEAPONFRAME"},
    {6, "STAT_SHELLS"},
    {7, "STAT_NAILS"},
    {8, "STAT_ROCKETS"},
    {9, "STAT_CELLS"},
    {STAT_ACTIVEWEAPON, "STAT_ACTIVEWEAPON"},
    {11, "STAT_TOTALSECRETS"},
    {12, "STAT_TOTALMONSTERS"},
    {13, "STAT_SECRETS"},
    {14, "STAT_MONSTERS"},
    {STAT_ITEMS, "STAT_ITEMS"},
    {16, "STAT_VIEWHEIGHT"},
    {17, "STAT_TIME"},
    {0, NULL},
};

/* qwd-format, table 7. */
const struct qs_name qw_print_level_names[] = {
    {0, "PRINT_LOW"}, {1, "PRINT_MEDIUM"}, {2, "PRINT_HIGH"}, {3, "PRINT_CHAT"}, {0, NULL},
};

/* qwd-format, tables 9 to 11. */
const struct qs_name qw_temp_entity_names[] = {
    {0, "TE_SPIKE"},      {1, "TE_SUPERSPIKE"},      {2, "TE_GUNSHOT"},
    {3, "TE_EXPLOSION"},  {4, "TE_TAREXPLOSION"},    {5, "TE_LIGHTNING1"},
    {6, "TE_LIGHTNING2"}, {7, "TE_WIZSPIKE"},        {8, "TE_KNIGHTSPIKE"},
    {9, "TE_LIGHTNING3"}, {10, "TE_LAVASPLASH"},     {11, "TE_TELEPORT"},
    {12, "TE_BLOOD"},     {13, "TE_LIGHTNINGBLOOD"}, {0, NULL},
};

/* qwd-format, table 8. */
const struct qs_name qw_protocol_names[] = {
    {24, "QuakeWorld 1.64"},     {25, "QuakeWorld 2.00, 2.10"}, {26, "QuakeWorld 2.20, 2.21"},
    {27, "QuakeWorld 2.29BETA"}, {28, "QuakeWorld 2.30 on"},    {0, NULL},
};

const struct qs_name qw_extension_names[] = {
    {QW_EXTENSION_FTE, "FTEX"},     {QW_EXTENSION_FTE2, "FTE2"},    {QW_EXTENSION_MVD1, "MVD1"},
    {QW_EXTENSION_VLEN, "vlen"},    {QW_EXTENSION_HUFF, "HUFF"},    {QW_EXTENSION_FRAG, "FRAG"},
    {UINT32_C(0x534c5444), "DTLS"}, {UINT32_C(0x44495547), "GUID"}, {0, NULL},
};

const struct qs_name qw_pmc_names[] = {
    {0, "PMC_NORMAL"},
    {1, "PMC_NORMAL_JUMP_HELD"},
    {2, "PMC_OLD_SPECTATOR"},
    {3, "PMC_SPECTATOR"},
    {4, "PMC_FLY"},
    {5, "PMC_NONE"},
    {6, "PMC_LOCK"},
    {7, "PMC_WALLWALK"},
    {0, NULL},
};

/* fteqw cl_ents.c CLFTE_ReadDelta. */
const struct qs_name qw_solid_names[] = {
    {0, "not solid"},
    {1, "a brush model"},
    {2, "a player's hull"},
    {3, "a large hull"},
    {SOLID_SIZE16, "a size of 16 bits"},
    {SOLID_SIZE32, "a size of 32 bits"},
    {0, NULL},
};

const struct qs_name qw_block_names[] = {
    {0, "dem_cmd"}, {1, "dem_read"}, {2, "dem_set"}, {0, NULL}};
