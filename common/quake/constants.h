/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Constants of Quake's protocol, under the engines' names. messages.def has those of messages.
 * Sources: PROTOCOL.md, section 7; QuakeSpasm protocol.h and net_defs.h (15, 666, 999); DarkPlaces
 * protocol.h and netconn.h.
 */
#ifndef NQ_CONSTANTS_H
#define NQ_CONSTANTS_H

#include <stdint.h>

#include "common/core/field.h"
#include "common/fte/constants.h"

/* Bits of the FLAG rows of fields.def. */
enum nq_flag {
#define QS_ROWS_FLAGS
#include "common/core/field_rows.h"
#include "common/quake/fields.def"
#include "common/core/field_rows.h"
};

/* Protocol versions in svc_serverinfo. */
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

/* Number of the svc_signonnum that ends a level's sign-on. */
enum { SIGNON_DONE = 3 };

/* First word of a packet, big-endian: flags, and the length in the lower half. */
#define NETFLAG_LENGTH_MASK UINT32_C(0x0000ffff)
#define NETFLAG_CTL UINT32_C(0x80000000)

enum {
    NET_HEADER_SIZE = 8,     /* flags and length, sequence number */
    CONTROL_HEADER_SIZE = 4, /* control packets have no sequence number */
    /* Size of the largest reliable message that an engine can send: DarkPlaces' NET_MAXMESSAGE.
     * QuakeSpasm's is 64000, id's 8000. */
    NET_MAXMESSAGE = 65536,
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

/* Bits of a move's buttons that announce further fields, with FTE2_PRYDONCURSOR. */
#define BUTTONS_WEAPON (UINT32_C(1) << 30)
#define BUTTONS_CURSOR (UINT32_C(1) << 31)

/* Flag of Nehahra's transparency in protocol 15. */
enum { U_TRANS = U_EXTEND1 };

/* Word before an entity of svc_entities: mask of its number, and the end of the list. */
enum { ENTITY_NUMBER = 0x7fff, ENTITIES_END = 0x8000 };
enum { ENTITIES_END_DP1 = 0xffff }; /* in DP1 to DP3 */

/* Types of animation with E5_COMPLEXANIMATION: 0 to ANIMATION_BLEND4 blend one to four frames. */
enum { ANIMATION_BLEND4 = 3, ANIMATION_SKELETON = 4, BONE_POSE_SIZE = 7 * 2 };

/* --- Fields ----------------------------------------------------------------------------------- */

/* Fields of Quake by number: one enumerator for each row of fields.def, after those of FTE's
 * extensions. */

enum nq_field {
    NQ_FIELD_LAST_OF_FTE = FTE_FIELD_COUNT - 1, /* common/fte/fields.def */
#define QS_ROWS_ENUM
#include "common/core/field_rows.h"
#include "common/quake/fields.def"
#include "common/core/field_rows.h"
    NQ_FIELD_COUNT
};

extern const struct qs_field nq_fields[NQ_FIELD_COUNT];

/* Names of the numbers above and in messages.def. */
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
