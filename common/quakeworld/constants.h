/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The numbers of QuakeWorld's protocol, by the names that the field uses for them.
 * Sources: qwd-format, sections 4 and 5; qw28-protocol; PROTOCOL.md.
 */
#ifndef QW_CONSTANTS_H
#define QW_CONSTANTS_H

#include <stdint.h>

#include "common/fte/constants.h"

enum {
    QW_PROTOCOL_FIRST = 24, /* QuakeWorld 1.64 */
    QW_PROTOCOL_MOVEVARS = 25,
    QW_PROTOCOL_LISTS_IN_PARTS = 26, /* precache lists in parts */
    QW_PROTOCOL_WIDE_MOVES = 27,     /* usercmds with 16-bit moves */
    QW_PROTOCOL_LAST = 28
};

/* Bytes of an info string: EXTENDED_INFO_STRING of FTE's common.h, MAX_EXT_INFO_STRING of MVDSV's
 * bothdefs.h; ezQuake keeps 511 of the server's. */
enum { QW_INFO_STRING_MAX = 1023 };

/* clang-format off */
enum {
#define SVC(id, number, name, read, blurb) SVC_##id = number,
#define CLC(id, number, name, read, blurb) CLC_##id = number,
#define HIDDEN(id, number, name, read, blurb) MVDHIDDEN_##id = number,
#define TE(id, number, name, shape) TE_##id = number,
#define QTV_CLC(id, number, name, read) QTV_CLC_##id = number,
#include "common/quakeworld/messages.def"
    MVDHIDDEN_EXTENDED = 0xffff /* another word continues the type */
};
/* clang-format on */

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
    PF_HULLSIZE_Z = 0x4000, /* with FTE's HULLSIZE */
    PF_EXTRA_PFS = 0x8000,  /* with FTE_MOREFLAGS: a third byte of flags follows */
    PF_SCALE = 0x01,        /* in that byte */
    PF_TRANS = 0x02,
    PF_FATNESS = 0x04,
    PF_COLOURMOD = 0x08
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

/* Letters of connectionless packets: id's QW/client/protocol.h, and qwprot's (S a server, C a
 * client, M a master, A anything). Only the last one has no name there: HexenWorld's and
 * QuakeForge's. */
enum {
    S2C_CHALLENGE = 'c',
    S2C_CONNECTION = 'j',
    A2A_PING = 'k',
    A2A_ACK = 'l',
    A2A_NACK = 'm',
    A2C_PRINT = 'n',
    A2C_CLIENT_COMMAND = 'B',
    S2M_HEARTBEAT = 'a',
    S2M_SHUTDOWN = 'C',
    M2C_MASTER_REPLY = 'd'
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

/* Bits of svc_sound's channel word. */
enum { SND_ENTITY_MASK = 0x3ff, SND_ATTENUATION = 0x4000, SND_VOLUME = 0x8000 };

/* Styles of the effects that svcfte_customtempent defines. */
enum {
    CTE_CUSTOMCOUNT = 0x01,
    CTE_CUSTOMDIRECTION = 0x02,
    CTE_STAINS = 0x04,
    CTE_GLOWS = 0x08,
    CTE_CHANNELFADE = 0x10,
    CTE_CUSTOMVELOCITY = 0x20,
    CTE_PERSISTENT = 0x40,
    CTE_ISBEAM = 0x80,
    CTE_DEFINITION = 255,  /* instead of an effect's number */
    CTE_ID_REMOVE = 0x8000 /* of a persistent effect's id */
};

/* Bits of other server messages of FTE. */
enum {
    LIGHTSTYLE_RED = 0x01,
    LIGHTSTYLE_GREEN = 0x02,
    LIGHTSTYLE_BLUE = 0x04,
    LIGHTSTYLE_HIGH = 0x40,
    LIGHTSTYLE_LEVELS = 0x80,
    PORTAL_LARGE = 0x02,
    PORTAL_NUMBER = 0x20,
    PORTAL_AREAS = 0x40,
    PORTAL_NEW = 0x80
};

/* clc_mvd_weapon and clc_mvd_debug. */
enum {
    MVD_WEAPON_FORGET_RANKING = 0x04,
    MVD_WEAPON_FULL_IMPULSE = 0x80,
    MVD_DEBUG_ANTILAG = 1,
    MVD_DEBUG_WEAPON = 2
};

/* Commands of brush editing. */
enum {
    BRUSH_DELETE = 0,
    BRUSH_INSERT = 1,
    BRUSH_PRESPAWNING = 2,
    BRUSH_PRESPAWNED = 3,
    BRUSH_PATCH_INSERT = 4,
    BRUSH_ENTITY_EDIT = 0x40,
    BRUSH_ENTITY_REMOVE = 0x41,
    BRUSH_PLANES_MAX = 8192
};
/* Bits of svc_playerinfo in MVD; DF_ORIGIN and DF_ANGLES are the first of three. qwprot protocol.h
 */
enum {
    DF_ORIGIN = 0x0001,
    DF_ANGLES = 0x0008,
    DF_EFFECTS = 0x0040,
    DF_SKINNUM = 0x0080,
    DF_WEAPONFRAME = 0x0400,
    DF_MODEL = 0x0800
};

/* Hidden messages of MVD. */
enum { ANTILAG_PLAYER = 0x7f, INSTRUCTION_WEAPONS = 10 };

enum { SEATS_END = 0x80 }; /* behind the players of svc_serverdata with SPLITSCREEN */

/* svc_packetsprojectiles: the number's word. */
enum { PROJECTILE_NUMBER = 0x7fff, PROJECTILE_REMOVE = 0x8000 };

/* Any of these adds a byte of flags to svc_playerinfo, and one of bits to entity deltas. */
#define FTE_MOREFLAGS (FTE_SCALE | FTE_TRANS | FTE_FATNESS | FTE_HULLSIZE)
#define FTE_EVENMORE                                                                               \
    (FTE_SCALE | FTE_TRANS | FTE_FATNESS | FTE_HEXEN2 | FTE_COLOURMOD | FTE_DPFLAGS |              \
     FTE_MODELDBL | FTE_ENTITYDBL | FTE_ENTITYDBL2)

#endif
