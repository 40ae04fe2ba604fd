/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The numbers of QuakeWorld's protocol, by the names that the field uses for them.
 * Sources: qwd-format, sections 4 and 5; qw28-protocol; PROTOCOL.md.
 */
#ifndef QW_CONSTANTS_H
#define QW_CONSTANTS_H

#include <stdint.h>

#include "common/core/field.h"
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

/* The bits that rows FLAG of fields.def have, and those that have another meaning there. */
enum qw_flag {
#define QS_ROWS_FLAGS
#include "common/core/field_rows.h"
#include "common/quakeworld/fields.def"
#include "common/core/field_rows.h"
    CM_MSEC = CM_ANGLE2,    /* protocol 26 and before: angle 2 is always there */
    PF_HULLSIZE_Z = 0x4000, /* with FTE's HULLSIZE */
    PF_EXTRA_PFS = 0x8000   /* with FTE_MOREFLAGS: a third byte of flags follows */
};

enum { U_NUMBER = 0x01ff }; /* of the word of an entity delta */

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

enum { SND_ENTITY_MASK = 0x3ff }; /* of svc_sound's channel word */

/* svcfte_customtempent. */
enum {
    CTE_DEFINITION = 255,  /* instead of an effect's number */
    CTE_ID_REMOVE = 0x8000 /* of a persistent effect's id */
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
/* Bits of svc_playerinfo in MVD; DF_ORIGIN and DF_ANGLES are the first of three. qwprot protocol.h
 */
enum {
    DF_ORIGIN = 0x0001,
    DF_ANGLES = 0x0008,
};

/* Hidden messages of MVD. */
enum { ANTILAG_PLAYER = 0x7f, INSTRUCTION_WEAPONS = 10 };

enum { SEATS_END = 0x80 }; /* behind the players of svc_serverdata with SPLITSCREEN */

/* svc_packetsprojectiles: the number's word. */
enum { PROJECTILE_NUMBER = 0x7fff };

/* Any of these adds a byte of flags to svc_playerinfo, and one of bits to entity deltas. */
#define FTE_MOREFLAGS (FTE_SCALE | FTE_TRANS | FTE_FATNESS | FTE_HULLSIZE)
#define FTE_EVENMORE                                                                               \
    (FTE_SCALE | FTE_TRANS | FTE_FATNESS | FTE_HEXEN2 | FTE_COLOURMOD | FTE_DPFLAGS |              \
     FTE_MODELDBL | FTE_ENTITYDBL | FTE_ENTITYDBL2)

/* Levels of svc_print. */

/* --- Fields ----------------------------------------------------------------------------------- */

/* The fields of QuakeWorld by number: one enumerator for each row of fields.def, behind
 * those of common/fte/fields.def. */

enum qw_field {
    QW_FIELD_LAST_OF_FTE = FTE_FIELD_COUNT - 1, /* common/fte/fields.def */
#define QS_ROWS_ENUM
#include "common/core/field_rows.h"
#include "common/quakeworld/fields.def"
#include "common/core/field_rows.h"
    QW_FIELD_COUNT
};

extern const struct qs_field qw_fields[QW_FIELD_COUNT];

/* Names for QuakeWorld's numbers. Sources as in constants.h, and the tables of qwd-format. */
extern const struct qs_name qw_svc_names[];
extern const struct qs_name qw_clc_names[];
extern const struct qs_name qw_print_level_names[];
extern const struct qs_name qw_temp_entity_names[];
extern const struct qs_name qw_protocol_names[]; /* which game a protocol number came with */
extern const struct qs_name qw_pmc_names[];
extern const struct qs_name qw_block_names[]; /* of demos */
extern const struct qs_name qw_hidden_names[];
extern const struct qs_name qw_setangle_names[];
extern const struct qs_name qw_precache_names[];
extern const struct qs_name qw_brush_names[];
extern const struct qs_name qw_debug_names[];
extern const struct qs_name qw_qtv_clc_names[];

#endif
