/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers of Quake II's protocols: versions, messages, limits, bits of masks. */
#ifndef Q2_CONSTANTS_H
#define Q2_CONSTANTS_H

#include <glib.h>
#include <stdint.h>

#include "common/core/field.h"

enum {
    Q2_PROTOCOL_TEST_RELEASE = 25, /* recognized, but not decoded */
    Q2_PROTOCOL_OLDEST = 26,       /* oldest version that is decoded */
    Q2_PROTOCOL_VANILLA = 34,
    Q2_PROTOCOL_R1Q2 = 35,
    Q2_PROTOCOL_Q2PRO = 36,
    Q2_PROTOCOL_MVD = 37, /* streams and files of servers */
    Q2_PROTOCOL_AQTION = 38,
    Q2_PROTOCOL_Q2REPRO = 1038,
    Q2_PROTOCOL_RERELEASE_DEMO = 2022, /* in demo files only, like 2023 */
    Q2_PROTOCOL_RERELEASE = 2023,
    Q2_PROTOCOL_EXTENDED = 3434, /* in demo files only, like the next */
    Q2_PROTOCOL_EXTENDED_LAST = 3436
};

/* Minor versions: the first ones with a change of the format, and the newest. */
enum q2_minor {
    R1Q2_UCMD = 1904,
    R1Q2_LONG_SOLID = 1905,
    R1Q2_NEWEST = R1Q2_LONG_SOLID,
    Q2PRO_BEAM_ORIGIN = 1017,
    Q2PRO_SHORT_ANGLES = 1018,
    Q2PRO_CLIENTNUM_SHORT = 1022,
    Q2PRO_PLAYERFOG = 1026,
    Q2PRO_NEWEST = Q2PRO_PLAYERFOG,
    MVD_OLDEST = 2009,
    MVD_EXTLIMITS = 2011,
    MVD_EXTLIMITS_2 = 2012, /* the flags have their own word */
    MVD_PLAYERFOG = 2013,
    MVD_NEWEST = MVD_PLAYERFOG,
    AQTION_NEWEST = 3015
};

/* Bits of the FLAG rows of fields.def. Sources: engine, qcommon.h U_*, PS_*, q_shared.h RF_*;
 * Q2PRO, protocol.h U_* from bit 28 on, EPS_*, FOG_BIT_*, PPS_* (masks of players in MVD); AQtion's
 * Q2PRO, ghud.h GHU_*. */
enum q2_flag {
#define QS_ROWS_FLAGS
#include "common/core/field_rows.h"
#include "common/quake2/fields.def"
#include "common/core/field_rows.h"
};
#define QS_ROWS_WIDE_FLAGS /* bits too high for an enumerator */
#include "common/core/field_rows.h"
#include "common/quake2/fields.def"
#include "common/core/field_rows.h"

/* Maximum length of an info string in bytes: MAX_INFO_STRING of q_shared.h. */
enum { Q2_INFO_STRING_MAX = 511 };

/* Record type of svc_serverdata (attractloop). Source: dm2-format, section 3.13. */
enum q2_record {
    Q2_RECORD_NETWORK = 0,
    Q2_RECORD_CLIENT = 1,
    Q2_RECORD_SERVER = 2,
    Q2_RECORD_RELAY = 0x80
};

/* Bits of Q2PRO's netchan: in the sequence word, and in the word of a fragment's offset. */
#define Q2_FRAGMENT_BIT UINT32_C(0x40000000)
enum { Q2_MORE_FRAGMENTS = 0x8000 };

/* Numbers of messages; a number may have different names in different protocols. */
/* clang-format off */
enum q2_clc {
#define CLC(id, number, name, read, blurb) CLC_##id = number,
#include "common/quake2/messages.def"
};

enum q2_svc {
#define SVC(id, number, name, read, demo, blurb) SVC_##id = number,
#define SVC_R1Q2 SVC
#include "common/quake2/messages.def"
};

enum q2_q2repro_svc { /* from 24 on; lower ones are the same as in other protocols */
#define SVC_Q2REPRO(id, number, name, read, blurb) Q2REPRO_SVC_##id = number,
#define SVC_Q2REPRO_AS(id, number, name, read) Q2REPRO_SVC_##id = number,
#include "common/quake2/messages.def"
};

enum q2_gtc {
#define GTC(id, number, name, read) GTC_##id = number,
#include "common/quake2/messages.def"
};

enum q2_gts {
#define GTS(id, number, name, read) GTS_##id = number,
#include "common/quake2/messages.def"
};

enum q2_mvd {
#define MVD(id, number, name, read) MVD_##id = number,
#include "common/quake2/messages.def"
};

enum q2_te {
#define TE(id, number, name, parts) TE_##id = number,
#include "common/quake2/messages.def"
};

enum { Q2_TE31_LAST_PROTOCOL = 31 };

enum q2_te31 { /* up to that protocol */
#define TE31(id, number, name, parts) TE31_##id = number,
#include "common/quake2/messages.def"
};
/* clang-format on */

/*
 * Content of a server message in a rebuilt DM2 demo. Source: what recording clients write,
 * PROTOCOL.md, sections 2, 3 and 9.
 */
enum q2_in_demo {
    Q2_DEMO_NOTHING,  /* nothing: the message is about the connection, or AQtion's own */
    Q2_DEMO_SENT,     /* the message unchanged */
    Q2_DEMO_COMMANDS, /* only commands that change what is seen */
    Q2_DEMO_START,    /* its content, in the demo's first blocks */
    Q2_DEMO_FRAME,    /* nothing, unless it is part of a whole frame */
    Q2_DEMO_STOPS     /* nothing: players stop at it; the omission is counted */
};

/* Ranges of config strings. Source: dm2-format, section 3.14; engine, q_shared.h CS_*; extended
 * limits: PROTOCOL.md, section 13. */
enum q2_range {
    Q2_RANGE_NAME,
    Q2_RANGE_CDTRACK,
    Q2_RANGE_SKY,
    Q2_RANGE_SKYAXIS,
    Q2_RANGE_SKYROTATE,
    Q2_RANGE_STATUSBAR,
    Q2_RANGE_AIRACCEL,
    Q2_RANGE_MAXCLIENTS,
    Q2_RANGE_MAPCHECKSUM,
    Q2_RANGE_MODELS,
    Q2_RANGE_SOUNDS,
    Q2_RANGE_IMAGES,
    Q2_RANGE_LIGHTS,
    Q2_RANGE_ITEMS,
    Q2_RANGE_PLAYERSKINS,
    Q2_RANGE_GENERAL,
    Q2_RANGE_SHADOWLIGHTS, /* from here on, ranges of the rerelease */
    Q2_RANGE_WHEEL_WEAPONS,
    Q2_RANGE_WHEEL_AMMO,
    Q2_RANGE_WHEEL_POWERUPS,
    Q2_RANGE_CD_LOOP_COUNT,
    Q2_RANGE_GAME_STYLE,
    Q2_RANGES
};

enum {
    Q2_ENTITIES_MAX = 1024,          /* MAX_EDICTS; numbers are 1 to this - 1 */
    Q2_ENTITIES_EXTENDED_MAX = 8192, /* with extended limits */
    Q2_STATS = 32,
    Q2_STATS_EXTENDED = 64,
    Q2_AREA_BYTES_MAX = 32, /* MAX_MAP_AREAS / 8 */
    Q2_SOLID_BRUSH = 31     /* solid of brush models; others are packed boxes */
};

/* Bits of an entity's mask that announce other fields in the rerelease. */
#define U_KEX_EFFECTS64 U_MOREFX8
#define U_KEX_INSTANCE U_MOREFX16

#define PS_RR_VIEWHEIGHT 0x8000u /* q2repro only */
#define EPS_GUNRATE 0x80000000u  /* q2repro only */

/* Words of a looping sound and of a gun with extended limits: an index, and above it two bits or
 * the skin. Source: PROTOCOL.md, section 13. */
#define SOUND_WORD_INDEX 0x3fffu
#define SOUND_WORD_VOLUME 0x4000u
#define SOUND_WORD_ATTENUATION 0x8000u
#define GUN_WORD_INDEX 0x1fffu
#define GUN_WORD_SKIN_SHIFT 13

/* Flags of protocol 36 in the byte of svc_frame that counts suppressed frames in others. */
enum { FF_SUPPRESSED = 1, FF_CLIENTDROP = 2 };

/* Numbers of statistics; engine, q_shared.h. LAYOUT_SHOWN is a bit of STAT_LAYOUTS (svc_layout). */
enum {
    STAT_HEALTH_ICON = 0,
    STAT_HEALTH = 1,
    STAT_AMMO = 3,
    STAT_ARMOR = 5,
    STAT_SELECTED_ICON = 6,
    STAT_PICKUP_STRING = 8,  /* config string of the item's name */
    STAT_SELECTED_ITEM = 12, /* config string of the item */
    STAT_LAYOUTS = 13,
    STAT_FRAGS = 14,
    STAT_CHASE = 16, /* config string of the player that a spectator follows */
    SPAWN_HEALTH = 100,
    LAYOUT_SHOWN = 1
};

/* Values of the player's movement. From PM_DEAD on, and with PMF_NO_PREDICTION, all servers send
 * the view. Source: engine, q_shared.h pmtype_t, PMF_*. */
enum { PM_DEAD = 2, PMF_ON_GROUND = 4, PMF_NO_PREDICTION = 64 };

/* Flags of protocol 36's svc_serverdata. Source: Q2PRO, protocol.h Q2PRO_PF_*. */
enum { PF_EXTENSIONS = 8, PF_EXTENSIONS_2 = 16 };
#define PF_GAME3 0x8000u /* q2repro: the game is one of id's engine, or derived from it */

/* Flags of an MVD stream. Source: Q2PRO, protocol.h mvd_flags_t. */
enum { MVF_EXTLIMITS = 4, MVF_EXTLIMITS_2 = 8 };

/* --- Fields ----------------------------------------------------------------------------------- */

/* Fields of Quake II by number: one enumerator for each row of fields.def. */

enum q2_field {
#define QS_ROWS_ENUM
#include "common/core/field_rows.h"
#include "common/quake2/fields.def"
#include "common/core/field_rows.h"
    Q2_FIELD_COUNT
};

extern const struct qs_field q2_fields[Q2_FIELD_COUNT];

/* Names of the numbers in Quake II's protocols, as q_shared.h and qcommon.h of the engines spell
 * them. Types above id's are Q2PRO's (inc/shared/shared.h, inc/common/protocol.h). */
extern const struct qs_name q2_undecoded_names[]; /* protocols that are known, but not decoded */
extern const struct qs_name q2_muzzleflash_names[];
extern const struct qs_name q2_muzzleflash2_names[];
extern const struct qs_name q2_configstring_names[];
extern const struct qs_name q2_stat_names[];
extern const struct qs_name q2_te_names[];
extern const struct qs_name q2_te31_names[];

#endif
