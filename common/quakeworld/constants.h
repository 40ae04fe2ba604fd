/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The numbers of QuakeWorld's protocol, by the names that the field uses for them.
 * Sources: qwd-format, sections 4 and 5; qw28-protocol; extensions facts, E.1.
 */
#ifndef QW_CONSTANTS_H
#define QW_CONSTANTS_H

#include <stdint.h>

enum {
    QW_PROTOCOL_FIRST = 24, /* QuakeWorld 1.64 */
    QW_PROTOCOL_MOVEVARS = 25,
    QW_PROTOCOL_LISTS_IN_PARTS = 26, /* precache lists in parts */
    QW_PROTOCOL_WIDE_MOVES = 27,     /* usercmds with 16-bit moves */
    QW_PROTOCOL_LAST = 28
};

enum {
    SVC_BAD = 0,
    SVC_NOP = 1,
    SVC_DISCONNECT = 2,
    SVC_UPDATESTAT = 3,
    SVC_SOUND = 6,
    SVC_PRINT = 8,
    SVC_STUFFTEXT = 9,
    SVC_SETANGLE = 10,
    SVC_SERVERDATA = 11,
    SVC_LIGHTSTYLE = 12,
    SVC_UPDATEFRAGS = 14,
    SVC_STOPSOUND = 16,
    SVC_DAMAGE = 19,
    SVC_SPAWNSTATIC = 20,
    SVC_FTE_SPAWNSTATIC2 = 21,
    SVC_SPAWNBASELINE = 22,
    SVC_TEMP_ENTITY = 23,
    SVC_SETPAUSE = 24,
    SVC_CENTERPRINT = 26,
    SVC_KILLEDMONSTER = 27,
    SVC_FOUNDSECRET = 28,
    SVC_SPAWNSTATICSOUND = 29,
    SVC_INTERMISSION = 30,
    SVC_FINALE = 31,
    SVC_CDTRACK = 32,
    SVC_SELLSCREEN = 33,
    SVC_SMALLKICK = 34,
    SVC_BIGKICK = 35,
    SVC_UPDATEPING = 36,
    SVC_UPDATEENTERTIME = 37,
    SVC_UPDATESTATLONG = 38,
    SVC_MUZZLEFLASH = 39,
    SVC_UPDATEUSERINFO = 40,
    SVC_DOWNLOAD = 41,
    SVC_PLAYERINFO = 42,
    SVC_NAILS = 43,
    SVC_CHOKECOUNT = 44,
    SVC_MODELLIST = 45,
    SVC_SOUNDLIST = 46,
    SVC_PACKETENTITIES = 47,
    SVC_DELTAPACKETENTITIES = 48,
    SVC_MAXSPEED = 49,
    SVC_ENTGRAVITY = 50,
    SVC_SETINFO = 51,
    SVC_SERVERINFO = 52,
    SVC_UPDATEPL = 53,
    SVC_FTE_MODELLISTSHORT = 60,
    SVC_FTE_SPAWNBASELINE2 = 66,
    SVC_FTE_UPDATEENTITIES = 86
};

enum {
    CLC_BAD = 0,
    CLC_NOP = 1,
    CLC_DOUBLEMOVE = 2, /* older than what is known of the protocol */
    CLC_MOVE = 3,
    CLC_STRINGCMD = 4,
    CLC_DELTA = 5,
    CLC_TMOVE = 6,
    CLC_UPLOAD = 7
};

/* Bits of a delta usercmd. */
enum {
    CM_ANGLE1 = 0x01,
    CM_ANGLE3 = 0x02,
    CM_FORWARD = 0x04,
    CM_SIDE = 0x08,
    CM_UP = 0x10,
    CM_BUTTONS = 0x20,
    CM_IMPULSE = 0x40,
    CM_ANGLE2 = 0x80, /* protocol 27 on */
    CM_MSEC = 0x80    /* protocol 26 and before: angle 2 is always there */
};

/* Bits of svc_playerinfo. */
enum {
    PF_MSEC = 0x0001,
    PF_COMMAND = 0x0002,
    PF_VELOCITY1 = 0x0004,
    PF_VELOCITY2 = 0x0008,
    PF_VELOCITY3 = 0x0010,
    PF_MODEL = 0x0020,
    PF_SKINNUM = 0x0040,
    PF_EFFECTS = 0x0080,
    PF_WEAPONFRAME = 0x0100,
    PF_DEAD = 0x0200,
    PF_GIB = 0x0400,
    PF_EXTRA_PFS = 0x8000, /* with FTE's TRANS: a third byte of flags follows */
    PF_TRANS = 0x02,       /* in that byte */
    PF_TRANS_ALLOWED =
        0xc2 /* those of that byte that are decoded: PF_TRANS, and two without data */
};

/* Bits of an entity delta: in its word, and in the byte that U_MOREBITS announces. */
enum {
    U_NUMBER = 0x01ff,
    U_ORIGIN1 = 0x0200,
    U_ORIGIN2 = 0x0400,
    U_ORIGIN3 = 0x0800,
    U_ANGLE2 = 0x1000,
    U_FRAME = 0x2000,
    U_REMOVE = 0x4000,
    U_MOREBITS = 0x8000,
    U_ANGLE1 = 0x01,
    U_ANGLE3 = 0x02,
    U_MODEL = 0x04,
    U_COLORMAP = 0x08,
    U_SKIN = 0x10,
    U_EFFECTS = 0x20,
    U_SOLID = 0x40,
    U_FTE_EVENMORE = 0x80
};

/* Bits of the bytes that U_FTE_EVENMORE and U_FTE_YETMORE announce. */
enum {
    U_FTE_SCALE = 0x01,
    U_FTE_TRANS = 0x02,
    U_FTE_FATNESS = 0x04,
    U_FTE_MODELDBL = 0x08,
    U_FTE_ENTITYDBL = 0x20,
    U_FTE_ENTITYDBL2 = 0x40,
    U_FTE_YETMORE = 0x80,
    U_FTE_DRAWFLAGS = 0x01,
    U_FTE_ABSLIGHT = 0x02,
    U_FTE_COLOURMOD = 0x04,
    U_FTE_DPFLAGS = 0x08,
    U_FTE_TAGINFO = 0x10,
    U_FTE_LIGHT = 0x20,
    U_FTE_EFFECTS16 = 0x40
};

/* svcfte_updateentities: the number's word, and the bits of an update. */
enum { UPDATE_NUMBER = 0x3fff, UPDATE_EXTENDED = 0x4000, UPDATE_REMOVE = 0x8000 };

#define UF_FRAME UINT32_C(0x00000001)
#define UF_ORIGINXY UINT32_C(0x00000002)
#define UF_ORIGINZ UINT32_C(0x00000004)
#define UF_ANGLESXZ UINT32_C(0x00000008)
#define UF_ANGLESY UINT32_C(0x00000010)
#define UF_EFFECTS UINT32_C(0x00000020)
#define UF_PREDINFO UINT32_C(0x00000040)
#define UF_EXTEND1 UINT32_C(0x00000080)
#define UF_RESET UINT32_C(0x00000100)
#define UF_16BIT_LERPTIME UINT32_C(0x00000200)
#define UF_MODEL UINT32_C(0x00000400)
#define UF_SKIN UINT32_C(0x00000800)
#define UF_COLORMAP UINT32_C(0x00001000)
#define UF_SOLID UINT32_C(0x00002000)
#define UF_FLAGS UINT32_C(0x00004000)
#define UF_EXTEND2 UINT32_C(0x00008000)
#define UF_ALPHA UINT32_C(0x00010000)
#define UF_SCALE UINT32_C(0x00020000)
#define UF_BONEDATA UINT32_C(0x00040000)
#define UF_DRAWFLAGS UINT32_C(0x00080000)
#define UF_TAGINFO UINT32_C(0x00100000)
#define UF_LIGHT UINT32_C(0x00200000)
#define UF_TRAILEFFECT UINT32_C(0x00400000)
#define UF_EXTEND3 UINT32_C(0x00800000)
#define UF_COLORMOD UINT32_C(0x01000000)
#define UF_GLOW UINT32_C(0x02000000)
#define UF_FATNESS UINT32_C(0x04000000)
#define UF_MODELINDEX2 UINT32_C(0x08000000)
#define UF_GRAVITYDIR UINT32_C(0x10000000)
#define UF_EFFECTS2 UINT32_C(0x20000000)
#define UF_UNUSED1 UINT32_C(0x40000000)
#define UF_EXTEND4 UINT32_C(0x80000000)

/* Bits of an update's prediction. */
enum {
    UFP_FORWARD = 0x01,
    UFP_SIDE = 0x02,
    UFP_UP = 0x04,
    UFP_MOVETYPE = 0x08,
    UFP_VELOCITYXY = 0x10,
    UFP_VELOCITYZ = 0x20,
    UFP_MSEC = 0x40,
    UFP_VIEWANGLE = 0x80 /* without PREDINFO: the weapon's frame */
};

/* How an update says a size, with NEWSIZEENCODING. */
enum { SOLID_HULL2 = 3, SOLID_SIZE16 = 16, SOLID_SIZE32 = 32 };

enum {
    BONEDATA_BONES = 0x80,
    BONEDATA_BASE = 0x40,
    BONE_SIZE = 14,         /* bytes: seven 16-bit numbers */
    DRAWFLAGS_LIGHT = 0x07, /* Hexen II's MLS bits; all set: a light level follows */
    TRAIL_EMITS = 0x8000    /* a second effect follows */
};

/* Bits of svc_sound's channel word. */
enum { SND_ENTITY_MASK = 0x3ff, SND_ATTENUATION = 0x4000, SND_VOLUME = 0x8000 };

/* Kinds of temporary entities that are not a mere point. */
enum { TE_GUNSHOT = 2, TE_LIGHTNING1 = 5, TE_LIGHTNING2 = 6, TE_LIGHTNING3 = 9, TE_BLOOD = 12 };

enum { SEATS_END = 0x80 }; /* behind the players of svc_serverdata with SPLITSCREEN */

enum { STAT_WEAPON = 2, STAT_ACTIVEWEAPON = 10, STAT_ITEMS = 15 };

/* Keys of protocol extensions, in challenges, connects and svc_serverdata. */
#define QW_EXTENSION_FTE UINT32_C(0x58455446)  /* "FTEX" */
#define QW_EXTENSION_FTE2 UINT32_C(0x32455446) /* "FTE2" */
#define QW_EXTENSION_MVD1 UINT32_C(0x3144564d) /* "MVD1" */
#define QW_EXTENSION_VLEN UINT32_C(0x6e656c76) /* "vlen" */
#define QW_EXTENSION_FRAG UINT32_C(0x47415246) /* "FRAG" */
#define QW_EXTENSION_HUFF UINT32_C(0x46465548) /* "HUFF" */

#define FTE_TRANS UINT32_C(0x00000008)
#define FTE_MODELDBL UINT32_C(0x00001000)
#define FTE_ENTITYDBL UINT32_C(0x00002000)
#define FTE_ENTITYDBL2 UINT32_C(0x00004000)
#define FTE_FLOATCOORDS UINT32_C(0x00008000)
#define FTE_COLOURMOD UINT32_C(0x00080000)
#define FTE_SPLITSCREEN UINT32_C(0x00100000)
#define FTE_SPAWNSTATIC2 UINT32_C(0x00400000)
#define FTE_CHUNKEDDOWNLOADS UINT32_C(0x20000000)

#define FTE2_REPLACEMENTDELTAS UINT32_C(0x00000008)
#define FTE2_MAXPLAYERS UINT32_C(0x00000010)
#define FTE2_PREDINFO UINT32_C(0x00000020)
#define FTE2_NEWSIZEENCODING UINT32_C(0x00000040)
#define FTE2_STUNAWARE UINT32_C(0x00000100)
#define FTE2_VRINPUTS UINT32_C(0x00000200)
#define FTE2_LERPTIME UINT32_C(0x00000400)

#define MVD1_FLOATCOORDS UINT32_C(0x00000001)
#define MVD1_HIGHLAGTELEPORT UINT32_C(0x00000002)
#define MVD1_WEAPONPREDICTION UINT32_C(0x00000080)

#endif
