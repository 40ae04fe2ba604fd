/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Acknex, the engine of 3D GameStudio: the protocol record. Source: acknex-protocol, the manual's
 * description; where that is unclear, PROTOCOL.md says how it is read.
 */
#ifndef ACKNEX_ACKNEX_H
#define ACKNEX_ACKNEX_H

#include "common/acknex/session.h"
#include "common/core/protocol.h"

/* Numbers of the protocol's options. */
enum acknex_option { ACKNEX_POS_RESOLUTION, ACKNEX_ANGLE_BYTE_ORDER, ACKNEX_OPTION_COUNT };

/* How a CPosition is sent: the engine's variable of the same name. */
enum acknex_pos_resolution {
    ACKNEX_POS_PACKED, /* three bytes a coordinate, 1/128 quant */
    ACKNEX_POS_FIXED   /* four bytes, 1/1024 quant */
};

enum acknex_angle_byte_order {
    ACKNEX_ANGLE_BIG_ENDIAN, /* as the document's worked example has it */
    ACKNEX_ANGLE_INTEL       /* as its definition of a Short has it */
};

/* Strict enough to select the protocol on any port when the user asks for it; see the source. */
bool acknex_recognise(const struct qs_packet *packet);

/* Whether it can be read to its end in neither direction. */
bool acknex_is_foreign(const struct qs_packet *packet);

extern const struct qs_protocol acknex_protocol;

#endif
