/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Numbers of FTE's extensions, by their names in the engines. Sources: PROTOCOL.md; fteqw
 * protocol.h.
 */
#ifndef FTE_CONSTANTS_H
#define FTE_CONSTANTS_H

#include <stdint.h>

#include "common/core/field.h"

/* Bits of the rows FLAG in fields.def. */
enum fte_flag {
#define QS_ROWS_FLAGS
#include "common/core/field_rows.h"
#include "common/fte/fields.def"
#include "common/core/field_rows.h"
};

enum { STAT_WEAPON = 2, STAT_ACTIVEWEAPON = 10, STAT_ITEMS = 15 };

enum { UPDATE_NUMBER = 0x3fff }; /* bits of the word in svcfte_updateentities */
/* FTE accepts 128 times as many, and allocates 1.4 GB for them; DarkPlaces accepts this many. */
enum { FTE_ENTITIES_MAX = 32768 };
#define UF_EXTEND4 UINT32_C(0x80000000)

/* Encodings of a size in an update, with NEWSIZEENCODING. */
enum { SOLID_HULL2 = 3, SOLID_SIZE16 = 16, SOLID_SIZE32 = 32 };

enum {
    BONEDATA_BONES = 0x80,
    BONEDATA_BASE = 0x40,
    BONE_SIZE = 14,       /* size in bytes: seven 16-bit numbers */
    DRAWFLAGS_MLS = 0x07, /* lighting mode of Hexen II */
    MLS_ADDLIGHT = 6,     /* modes from here on have a light level */
    TRAIL_EMITS = 0x8000  /* a second effect follows */
};

/* Parts of the word in svcfte_precache. */
enum {
    PRECACHE_INDEX = 0x3fff,
    PRECACHE_TYPE = 0xc000,
    PRECACHE_MODEL = 0x0000,
    PRECACHE_PARTICLE = 0x4000,
    PRECACHE_SOUND = 0x8000
};

enum { TE_QUAKE_LAST = 13 };                            /* last type of all engines */
enum { TE_SIZE_MASK = 0x7fff, TE_SIZE_QUAKE = 0x8000 }; /* of svcfte_temp_entity_sized */

/* Unknown bits of clcfte_move, and of the commands in it. */
#define VRM_UNSUPPORTED (~UINT32_C(0x1f))
#define UC_UNSUPPORTED (~UINT32_C(0x4ffff))

/* Types of QuakeC in clcfte_qcrequest. */
enum {
    EV_VOID = 0, /* end of the arguments */
    EV_STRING = 1,
    EV_FLOAT = 2,
    EV_VECTOR = 3,
    EV_ENTITY = 4,
    EV_POINTER = 7,
    EV_INTEGER = 8,
    EV_UINT = 9,
    EV_INT64 = 10,
    EV_UINT64 = 11,
    EV_DOUBLE = 12,
    QC_SEATS_FIRST = 200, /* first of the types that name a seat */
    QC_SEATS = 4,
    QC_ARGUMENTS_MAX = 7,
    QC_POINTER_MAX = 65536
};

/* Keys of protocol extensions, in challenges, connects and svc_serverdata. */
#define EXTENSION_FTE UINT32_C(0x58455446)  /* "FTEX" */
#define EXTENSION_FTE2 UINT32_C(0x32455446) /* "FTE2" */
#define EXTENSION_MVD1 UINT32_C(0x3144564d) /* "MVD1" */
#define EXTENSION_VLEN UINT32_C(0x6e656c76) /* "vlen" */
#define EXTENSION_FRAG UINT32_C(0x47415246) /* "FRAG" */
#define EXTENSION_HUFF UINT32_C(0x46465548) /* "HUFF" */

#define FTE_DPFLAGS UINT32_C(0x80000000)
#define ANY_EXTENSION UINT32_MAX

/* --- Fields ----------------------------------------------------------------------------------- */

/* Indices of the extension fields: one enumerator for each row of fields.def. */

enum fte_field {
#define QS_ROWS_ENUM
#include "common/core/field_rows.h"
#define FTE_PREFIX
#include "common/fte/fields.def"
#undef FTE_PREFIX
#include "common/core/field_rows.h"
    FTE_FIELD_COUNT
};

/* Names for the numbers of FTE's extensions. */
extern const struct qs_name fte_extension_names[];
extern const struct qs_name fte_stat_names[]; /* includes QuakeWorld's own */
extern const struct qs_name fte_solid_names[];
extern const struct qs_name fte_qc_type_names[];

/*
 * Names for numbers of id's game code (progs), which Quake and QuakeWorld share. Sources:
 * dem-format, 6.7 and 6.16; qwd-format, table 6.
 */
/* Item bits; a message that sends a byte truncates the axe's to 0. */
extern const struct qs_name qs_progs_weapon_names[];
extern const struct qs_name qs_progs_channel_names[];

#endif
