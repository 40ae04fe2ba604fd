/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The numbers of Quake's protocol, by the names that the field uses for them.
 * Those of messages stand in messages.def. Sources: PROTOCOL.md, section 7; QuakeSpasm protocol.h
 * and net_defs.h (15, 666, 999); DarkPlaces protocol.h and netconn.h.
 */
#ifndef NQ_CONSTANTS_H
#define NQ_CONSTANTS_H

#include <stdint.h>

#include "common/fte/constants.h"

/* Protocol versions, as svc_serverinfo gives them. */
enum {
    PROTOCOL_NETQUAKE = 15,
    PROTOCOL_DP1 = 96,
    PROTOCOL_DP2 = 97,
    PROTOCOL_NEHAHRA_MOVIE = 250,
    PROTOCOL_FITZQUAKE = 666,
    PROTOCOL_RMQ = 999,
    PROTOCOL_DP3 = 3500,
    PROTOCOL_DP4 = 3501,
    PROTOCOL_DP5 = 3502,
    PROTOCOL_DP6 = 3503,
    PROTOCOL_DP7 = 3504,
    PROTOCOL_DP8 = 3505,
    PROTOCOL_BJP = 10000,
    PROTOCOL_BJP2 = 10001,
    PROTOCOL_BJP3 = 10002
};

/* Protocol flags of 999: how coordinates and angles are written. */
enum {
    PRFL_SHORTANGLE = 1 << 1,
    PRFL_FLOATANGLE = 1 << 2,
    PRFL_24BITCOORD = 1 << 3,
    PRFL_FLOATCOORD = 1 << 4,
    PRFL_EDICTSCALE = 1 << 5,
    PRFL_ALPHASANITY = 1 << 6,
    PRFL_INT32COORD = 1 << 7
};

/* The svc_signonnum with which a level's sign-on ends. */
enum { SIGNON_DONE = 3 };

/* The first word of a packet: flags, and in the lower half the length. Big-endian. */
#define NETFLAG_LENGTH_MASK UINT32_C(0x0000ffff)
#define NETFLAG_DATA UINT32_C(0x00010000)
#define NETFLAG_ACK UINT32_C(0x00020000)
#define NETFLAG_NAK UINT32_C(0x00040000)
#define NETFLAG_EOM UINT32_C(0x00080000)
#define NETFLAG_UNRELIABLE UINT32_C(0x00100000)
#define NETFLAG_CTL UINT32_C(0x80000000)

enum {
    NET_HEADER_SIZE = 8,     /* flags and length, sequence */
    CONTROL_HEADER_SIZE = 4, /* control packets have no sequence */
    /* The largest reliable message that an engine can send: DarkPlaces' NET_MAXMESSAGE; QuakeSpasm
     * has 64000, id's 8000. */
    NET_MAXMESSAGE = 65536,
    NET_PROTOCOL_VERSION = 3,
    MOD_PROQUAKE = 1
};

/* clang-format off */
enum nq_control {
#define CONTROL(id, number, name, read, asks, answers) id = number,
#include "common/quake/messages.def"
};

enum nq_svc {
#define SVC(id, number, variant, name, read, blurb) SVC_##id = number,
#define SVC_FTE(id, number, fte_bits, fte2_bits, name, read, blurb) SVCFTE_##id = number,
#include "common/quake/messages.def"
    U_SIGNAL = 0x80 /* an id with this bit is an entity update: the rest are its first flags */
};

enum nq_clc {
#define CLC(id, number, name, read, blurb) CLC_##id = number,
#include "common/quake/messages.def"
};

enum nq_temp_entity {
#define TE(id, number, name, shape) TE_##id = number,
#include "common/quake/messages.def"
};
/* clang-format on */

/* Bits of a move's buttons that are none: what follows, with FTE2_PRYDONCURSOR. */
#define BUTTONS_WEAPON (UINT32_C(1) << 30)
#define BUTTONS_CURSOR (UINT32_C(1) << 31)

/* Entity update flags, in the order of the bytes that carry them. */
#define U_MOREBITS (UINT32_C(1) << 0)
#define U_ORIGIN1 (UINT32_C(1) << 1)
#define U_ORIGIN2 (UINT32_C(1) << 2)
#define U_ORIGIN3 (UINT32_C(1) << 3)
#define U_ANGLE2 (UINT32_C(1) << 4)
#define U_STEP (UINT32_C(1) << 5)
#define U_FRAME (UINT32_C(1) << 6)
#define U_ANGLE1 (UINT32_C(1) << 8)
#define U_ANGLE3 (UINT32_C(1) << 9)
#define U_MODEL (UINT32_C(1) << 10)
#define U_COLORMAP (UINT32_C(1) << 11)
#define U_SKIN (UINT32_C(1) << 12)
#define U_EFFECTS (UINT32_C(1) << 13)
#define U_LONGENTITY (UINT32_C(1) << 14)
#define U_EXTEND1 (UINT32_C(1) << 15) /* 666, 999 */
#define U_TRANS (UINT32_C(1) << 15)   /* Nehahra's transparency in protocol 15 */
#define U_ALPHA (UINT32_C(1) << 16)
#define U_FRAME2 (UINT32_C(1) << 17)
#define U_MODEL2 (UINT32_C(1) << 18)
#define U_LERPFINISH (UINT32_C(1) << 19)
#define U_SCALE (UINT32_C(1) << 20)
#define U_EXTEND2 (UINT32_C(1) << 23)
/* The same bits of DarkPlaces' updates. */
#define U_DP_ALPHA (UINT32_C(1) << 17)
#define U_DP_SCALE (UINT32_C(1) << 18)
#define U_DP_EFFECTS2 (UINT32_C(1) << 19)
#define U_DP_GLOWSIZE (UINT32_C(1) << 20)
#define U_DP_GLOWCOLOR (UINT32_C(1) << 21)
#define U_DP_COLORMOD (UINT32_C(1) << 22)
#define U_DP_FRAME2 (UINT32_C(1) << 26)
#define U_DP_MODEL2 (UINT32_C(1) << 27)

/*
 * svc_entities, DP1 to DP4: what of an entity has changed. The last bit of each byte means that
 * another one follows; the values do not stand in the order of the bits.
 */
#define E_ORIGIN1 (UINT32_C(1) << 0)
#define E_ANGLE1 (UINT32_C(1) << 3)
#define E_MODEL1 (UINT32_C(1) << 6)
#define E_EXTEND1 (UINT32_C(1) << 7)
#define E_FRAME1 (UINT32_C(1) << 8)
#define E_EFFECTS1 (UINT32_C(1) << 9)
#define E_ALPHA (UINT32_C(1) << 10)
#define E_SCALE (UINT32_C(1) << 11)
#define E_COLORMAP (UINT32_C(1) << 12)
#define E_SKIN (UINT32_C(1) << 13)
#define E_FLAGS (UINT32_C(1) << 14)
#define E_EXTEND2 (UINT32_C(1) << 15)
#define E_FRAME2 (UINT32_C(1) << 16)
#define E_MODEL2 (UINT32_C(1) << 17)
#define E_EFFECTS2 (UINT32_C(1) << 18)
#define E_GLOWSIZE (UINT32_C(1) << 19)
#define E_GLOWCOLOR (UINT32_C(1) << 20)
#define E_LIGHT (UINT32_C(1) << 21)
#define E_LIGHTPFLAGS (UINT32_C(1) << 22)
#define E_EXTEND3 (UINT32_C(1) << 23)
#define E_TAGATTACHMENT (UINT32_C(1) << 27)
#define E_LIGHTSTYLE (UINT32_C(1) << 28)

/* The same from DP5 on; some bits choose the width of what another one announces. */
#define E5_FULLUPDATE (UINT32_C(1) << 0)
#define E5_ORIGIN (UINT32_C(1) << 1)
#define E5_ANGLES (UINT32_C(1) << 2)
#define E5_MODEL (UINT32_C(1) << 3)
#define E5_FRAME (UINT32_C(1) << 4)
#define E5_SKIN (UINT32_C(1) << 5)
#define E5_EFFECTS (UINT32_C(1) << 6)
#define E5_FLAGS (UINT32_C(1) << 8)
#define E5_ALPHA (UINT32_C(1) << 9)
#define E5_SCALE (UINT32_C(1) << 10)
#define E5_ORIGIN32 (UINT32_C(1) << 11)
#define E5_ANGLES16 (UINT32_C(1) << 12)
#define E5_MODEL16 (UINT32_C(1) << 13)
#define E5_COLORMAP (UINT32_C(1) << 14)
#define E5_ATTACHMENT (UINT32_C(1) << 16)
#define E5_LIGHT (UINT32_C(1) << 17)
#define E5_GLOW (UINT32_C(1) << 18)
#define E5_EFFECTS16 (UINT32_C(1) << 19)
#define E5_EFFECTS32 (UINT32_C(1) << 20)
#define E5_FRAME16 (UINT32_C(1) << 21)
#define E5_COLORMOD (UINT32_C(1) << 22)
#define E5_GLOWMOD (UINT32_C(1) << 24)
#define E5_COMPLEXANIMATION (UINT32_C(1) << 25)
#define E5_TRAILEFFECTNUM (UINT32_C(1) << 26)

/* The number before an entity of svc_entities and svc_csqcentities. */
enum { ENTITY_NUMBER = 0x7fff, ENTITY_REMOVE = 0x8000, ENTITIES_END = 0x8000 };
enum { ENTITIES_END_DP1 = 0xffff }; /* DP1 to DP3 */

/* Of an entity's flags: DP1 to DP4 then write its origin in whole units. */
enum { RENDER_LOWPRECISION = 16 };

/* E5_COMPLEXANIMATION: up to so many frames are blended, or a skeleton comes. */
enum { ANIMATION_BLEND4 = 3, ANIMATION_SKELETON = 4, BONE_POSE_SIZE = 7 * 2 };

/* Flags of svc_clientdata. */
#define SU_VIEWHEIGHT (UINT32_C(1) << 0)
#define SU_IDEALPITCH (UINT32_C(1) << 1)
#define SU_PUNCH1 (UINT32_C(1) << 2)
#define SU_PUNCH2 (UINT32_C(1) << 3)
#define SU_PUNCH3 (UINT32_C(1) << 4)
#define SU_VELOCITY1 (UINT32_C(1) << 5)
#define SU_VELOCITY2 (UINT32_C(1) << 6)
#define SU_VELOCITY3 (UINT32_C(1) << 7)
#define SU_ITEMS (UINT32_C(1) << 9)
#define SU_ONGROUND (UINT32_C(1) << 10)
#define SU_INWATER (UINT32_C(1) << 11)
#define SU_WEAPONFRAME (UINT32_C(1) << 12)
#define SU_ARMOR (UINT32_C(1) << 13)
#define SU_WEAPON (UINT32_C(1) << 14)
#define SU_EXTEND1 (UINT32_C(1) << 15)
#define SU_WEAPON2 (UINT32_C(1) << 16)
#define SU_ARMOR2 (UINT32_C(1) << 17)
#define SU_AMMO2 (UINT32_C(1) << 18)
#define SU_SHELLS2 (UINT32_C(1) << 19)
#define SU_NAILS2 (UINT32_C(1) << 20)
#define SU_ROCKETS2 (UINT32_C(1) << 21)
#define SU_CELLS2 (UINT32_C(1) << 22)
#define SU_EXTEND2 (UINT32_C(1) << 23)
#define SU_WEAPONFRAME2 (UINT32_C(1) << 24)
#define SU_WEAPONALPHA (UINT32_C(1) << 25)
/* The same bits of DarkPlaces. */
#define SU_DP_PUNCHVEC1 (UINT32_C(1) << 16)
#define SU_DP_VIEWZOOM (UINT32_C(1) << 19)

/* Flags of svc_sound. */
enum {
    SND_VOLUME = 1 << 0,
    SND_ATTENUATION = 1 << 1,
    SND_LOOPING = 1 << 2, /* never sent, nothing follows; FTE: SNDX_MORE */
    SND_LARGEENTITY = 1 << 3,
    SND_LARGESOUND = 1 << 4,
    SND_SPEEDUSHORT4000 = 1 << 5 /* DarkPlaces */
};

/* Flags of svc_spawnbaseline2 and svc_spawnstatic2. */
enum { B_LARGEMODEL = 1 << 0, B_LARGEFRAME = 1 << 1, B_ALPHA = 1 << 2, B_SCALE = 1 << 3 };

#endif
