/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The numbers of FTE's extensions, by the names that the field uses for them. Sources:
 * PROTOCOL.md; fteqw protocol.h.
 */
#ifndef FTE_CONSTANTS_H
#define FTE_CONSTANTS_H

#include <stdint.h>

#include "common/core/field.h"

/* The bits that rows FLAG of fields.def have. */
enum fte_flag {
#define QS_ROWS_FLAGS
#include "common/core/field_rows.h"
#include "common/fte/fields.def"
#include "common/core/field_rows.h"
};

enum { STAT_WEAPON = 2, STAT_ACTIVEWEAPON = 10, STAT_ITEMS = 15 };

enum { UPDATE_NUMBER = 0x3fff }; /* of the word of svcfte_updateentities */
/* FTE has room for 128 times as many, and fills it: 1.4 GB. DarkPlaces has as many. */
enum { FTE_ENTITIES_MAX = 32768 };
#define UF_EXTEND4 UINT32_C(0x80000000)

/* The encoding of a size in an update, with NEWSIZEENCODING. */
enum { SOLID_HULL2 = 3, SOLID_SIZE16 = 16, SOLID_SIZE32 = 32 };

enum {
    BONEDATA_BONES = 0x80,
    BONEDATA_BASE = 0x40,
    BONE_SIZE = 14,       /* bytes: seven 16-bit numbers */
    DRAWFLAGS_MLS = 0x07, /* Hexen II's way to be lit */
    MLS_ADDLIGHT = 6,     /* from here on a light level follows */
    TRAIL_EMITS = 0x8000  /* a second effect follows */
};

/* The word of svcfte_precache. */
enum {
    PRECACHE_INDEX = 0x3fff,
    PRECACHE_TYPE = 0xc000,
    PRECACHE_MODEL = 0x0000,
    PRECACHE_PARTICLE = 0x4000,
    PRECACHE_SOUND = 0x8000
};

enum { TE_QUAKE_LAST = 13 };                            /* of the types that all engines know */
enum { TE_SIZE_MASK = 0x7fff, TE_SIZE_QUAKE = 0x8000 }; /* of svcfte_temp_entity_sized */

/* clcfte_move, and the commands in it. */
#define VRM_UNSUPPORTED (~UINT32_C(0x1f))
#define UC_UNSUPPORTED (~UINT32_C(0x4ffff))

/* clcfte_qcrequest: QuakeC's types. */
enum {
    EV_VOID = 0, /* ends the arguments */
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
    QC_SEATS_FIRST = 200, /* types from here on name a seat */
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

/* The fields of FTE's extensions by number: one enumerator for each row of fields.def. */

enum fte_field {
#define QS_ROWS_ENUM
#include "common/core/field_rows.h"
#define FTE_PREFIX
#include "common/fte/fields.def"
#undef FTE_PREFIX
#include "common/core/field_rows.h"
    FTE_FIELD_COUNT
};

/* Names for the numbers of FTE's extensions. Sources as in constants.h. */
extern const struct qs_name fte_extension_names[];
extern const struct qs_name fte_stat_names[]; /* QuakeWorld's own, too */
extern const struct qs_name fte_solid_names[];
extern const struct qs_name fte_qc_type_names[];

/*
 * Numbers of id's game code (progs), which Quake and QuakeWorld share. Sources: dem-format, 6.7 and
 * 6.16; qwd-format, table 6.
 */
/* Item bits; messages of a byte cut the axe's to 0. */
extern const struct qs_name qs_progs_weapon_names[];
extern const struct qs_name qs_progs_channel_names[];

#endif
