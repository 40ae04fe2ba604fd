/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Constants of QuakeWorld's protocol, by their usual names. Sources: qwd-format, sections 4 and 5;
 * qw28-protocol; PROTOCOL.md.
 */
#ifndef QW_CONSTANTS_H
#define QW_CONSTANTS_H

#include <stdint.h>

#include "common/core/field.h"
#include "common/fte/constants.h"

enum {
    QW_PROTOCOL_FIRST = 24, /* QuakeWorld 1.64 */
    QW_PROTOCOL_MOVEVARS = 25,
    QW_PROTOCOL_LISTS_IN_PARTS = 26,
    QW_PROTOCOL_WIDE_MOVES = 27, /* usercmds with 16-bit moves */
    QW_PROTOCOL_LAST = 28
};

/* Maximum size of an info string (bytes): EXTENDED_INFO_STRING of FTE's common.h,
 * MAX_EXT_INFO_STRING of MVDSV's bothdefs.h; ezQuake keeps 511 of the server's. */
enum { QW_INFO_STRING_MAX = 1023 };

/* clang-format off */
enum {
#define SVC(id, number, name, read, blurb) SVC_##id = number,
#define CLC(id, number, name, read, blurb) CLC_##id = number,
#define HIDDEN(id, number, name, read, blurb) MVDHIDDEN_##id = number,
#define TE(id, number, name, shape) TE_##id = number,
#define QTV_CLC(id, number, name, read) QTV_CLC_##id = number,
#include "common/quakeworld/messages.def"
    MVDHIDDEN_EXTENDED = 0xffff /* the type continues in the next word */
};
/* clang-format on */

/* Bits of the FLAG rows of fields.def, and other names of bits that have a second meaning. */
enum qw_flag {
#define QS_ROWS_FLAGS
#include "common/core/field_rows.h"
#include "common/quakeworld/fields.def"
#include "common/core/field_rows.h"
    CM_MSEC = CM_ANGLE2,    /* up to protocol 26, which always sends angle 2 */
    PF_HULLSIZE_Z = 0x4000, /* with FTE's HULLSIZE */
    PF_EXTRA_PFS = 0x8000   /* with FTE_MOREFLAGS: a third byte of flags follows */
};

enum { U_NUMBER = 0x01ff }; /* mask of the entity number in the word of a delta */

/* Letters of connectionless packets, named as in id's QW/client/protocol.h and in qwprot (S:
 * server, C: client, M: master, A: any). Only the name of the last one is from HexenWorld and
 * QuakeForge. */
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

enum { SND_ENTITY_MASK = 0x3ff }; /* mask of the entity number in svc_sound's channel word */

/* Constants of svcfte_customtempent. */
enum {
    CTE_DEFINITION = 255,  /* in place of an effect's number: a definition follows */
    CTE_ID_REMOVE = 0x8000 /* in a persistent effect's id: removes the effect */
};

enum { MVD_DEBUG_ANTILAG = 1, MVD_DEBUG_WEAPON = 2 }; /* types of clc_mvd_debug */

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

/* Bits of svc_playerinfo in MVD, each the first of three. Source: qwprot protocol.h. */
enum {
    DF_ORIGIN = 0x0001,
    DF_ANGLES = 0x0008,
};

/* Constants of MVD's hidden messages. */
enum { ANTILAG_PLAYER = 0x7f, INSTRUCTION_WEAPONS = 10 };

enum { SEATS_END = 0x80 }; /* ends the players of svc_serverdata with SPLITSCREEN */

/* Mask of the number in the word of svc_packetsprojectiles. */
enum { PROJECTILE_NUMBER = 0x7fff };

/* Extensions that add a byte of flags to svc_playerinfo, and extensions that add a byte of bits to
 * entity deltas. */
#define FTE_MOREFLAGS (FTE_SCALE | FTE_TRANS | FTE_FATNESS | FTE_HULLSIZE)
#define FTE_EVENMORE                                                                               \
    (FTE_SCALE | FTE_TRANS | FTE_FATNESS | FTE_HEXEN2 | FTE_COLOURMOD | FTE_DPFLAGS |              \
     FTE_MODELDBL | FTE_ENTITYDBL | FTE_ENTITYDBL2)

/* --- Fields ----------------------------------------------------------------------------------- */

/* Fields of QuakeWorld by number: one enumerator per row of fields.def, after those of
 * common/fte/fields.def. */

enum qw_field {
    QW_FIELD_LAST_OF_FTE = FTE_FIELD_COUNT - 1,
#define QS_ROWS_ENUM
#include "common/core/field_rows.h"
#include "common/quakeworld/fields.def"
#include "common/core/field_rows.h"
    QW_FIELD_COUNT
};

extern const struct qs_field qw_fields[QW_FIELD_COUNT];

/* Names of QuakeWorld's numbers. Sources: as above, and the tables of qwd-format. */
extern const struct qs_name qw_svc_names[];
extern const struct qs_name qw_clc_names[];
extern const struct qs_name qw_print_level_names[];
extern const struct qs_name qw_temp_entity_names[];
extern const struct qs_name qw_protocol_names[]; /* releases of the game by protocol number */
extern const struct qs_name qw_pmc_names[];
extern const struct qs_name qw_block_names[]; /* block types of demos */
extern const struct qs_name qw_hidden_names[];
extern const struct qs_name qw_setangle_names[];
extern const struct qs_name qw_precache_names[];
extern const struct qs_name qw_brush_names[];
extern const struct qs_name qw_debug_names[];
extern const struct qs_name qw_qtv_clc_names[];

#endif
