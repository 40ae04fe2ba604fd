/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The numbers of Quake's protocol, by the names that the field uses for them.
 * Those of messages stand in messages.def. Sources: PROTOCOL.md, section 7; QuakeSpasm protocol.h
 * and net_defs.h (15, 666, 999); DarkPlaces protocol.h and netconn.h.
 */
#ifndef NQ_CONSTANTS_H
#define NQ_CONSTANTS_H

#include <stdint.h>

#include "common/core/field.h"
#include "common/fte/constants.h"

/* The bits that rows FLAG of fields.def have. */
enum nq_flag {
#define QS_ROWS_FLAGS
#include "common/core/field_rows.h"
#include "common/quake/fields.def"
#include "common/core/field_rows.h"
};

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

/* The svc_signonnum with which a level's sign-on ends. */
enum { SIGNON_DONE = 3 };

/* The first word of a packet: flags, and in the lower half the length. Big-endian. */
#define NETFLAG_LENGTH_MASK UINT32_C(0x0000ffff)
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

/* Nehahra's transparency in protocol 15. */
enum { U_TRANS = U_EXTEND1 };

/* The number before an entity of svc_entities and svc_csqcentities. */
enum { ENTITY_NUMBER = 0x7fff, ENTITIES_END = 0x8000 };
enum { ENTITIES_END_DP1 = 0xffff }; /* DP1 to DP3 */

/* E5_COMPLEXANIMATION: up to so many frames are blended, or a skeleton comes. */
enum { ANIMATION_BLEND4 = 3, ANIMATION_SKELETON = 4, BONE_POSE_SIZE = 7 * 2 };

/* --- Fields ----------------------------------------------------------------------------------- */

/* The fields of Quake by number: one enumerator for each row of fields.def, behind
 * those of FTE's extensions. */

enum nq_field {
    NQ_FIELD_LAST_OF_FTE = FTE_FIELD_COUNT - 1, /* common/fte/fields.def */
#define QS_ROWS_ENUM
#include "common/core/field_rows.h"
#include "common/quake/fields.def"
#include "common/core/field_rows.h"
    NQ_FIELD_COUNT
};

extern const struct qs_field nq_fields[NQ_FIELD_COUNT];

/* Names for Quake's numbers. Sources as in constants.h and messages.def. */
extern const struct qs_name nq_protocol_names[];
extern const struct qs_name nq_control_names[];
extern const struct qs_name nq_mod_names[];
extern const struct qs_name nq_svc_names[];
extern const struct qs_name nq_clc_names[];
extern const struct qs_name nq_signon_names[];
extern const struct qs_name nq_gametype_names[];
extern const struct qs_name nq_temp_entity_names[];
extern const struct qs_name nq_animation_names[];

#endif
