/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers that Quake II has on the wire: protocol versions, messages, temporary entities. */
#ifndef Q2_CONSTANTS_H
#define Q2_CONSTANTS_H

enum {
    Q2_PROTOCOL_TEST_RELEASE = 25, /* recognised, not decoded */
    Q2_PROTOCOL_OLDEST = 26,       /* of those that can be decoded */
    Q2_PROTOCOL_VANILLA = 34,
    Q2_PROTOCOL_R1Q2 = 35,
    Q2_PROTOCOL_Q2PRO = 36,
    Q2_PROTOCOL_EXTENDED = 3434, /* demo files only */
    Q2_PROTOCOL_EXTENDED_LAST = 3436
};

/* The record type of svc_serverdata (attractloop). Source: dm2-format, section 3.13. */
enum q2_record {
    Q2_RECORD_NETWORK = 0,
    Q2_RECORD_CLIENT = 1,
    Q2_RECORD_SERVER = 2,
    Q2_RECORD_RELAY = 0x80
};

/* Numbers of messages; one may have two names in different protocols. */
/* clang-format off */
enum q2_clc {
#define CLC(id, number, name, read, blurb) CLC_##id = number,
#include "common/quake2/messages.def"
};

enum q2_svc {
#define SVC(id, number, name, read, blurb) SVC_##id = number,
#define SVC_R1Q2 SVC
#include "common/quake2/messages.def"
};

enum q2_te {
#define TE(id, number, name, parts) TE_##id = number,
#include "common/quake2/messages.def"
};

enum q2_te31 { /* up to protocol 31 */
#define TE31(id, number, name, parts) TE31_##id = number,
#include "common/quake2/messages.def"
};
/* clang-format on */

#endif
