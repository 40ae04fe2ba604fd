/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The decoder: reads values off a packet, emits them to a sink, and keeps the session up to date.
 *
 * A parse function reads as its specification does, one call a value, in wire order:
 *
 *     static void read_damage(struct qs_decoder *d)
 *     {
 *         qs_u8(d, QW_DAMAGE_ARMOR);
 *         qs_u8(d, QW_DAMAGE_HEALTH);
 *         qs_coord3(d, QW_DAMAGE_ORIGIN);
 *     }
 *
 * The function's name is the wire format; the field's row says how to show it. Without a sink the
 * calls only read.
 */
#ifndef QS_CORE_PARSE_H
#define QS_CORE_PARSE_H

#include "common/core/decode.h"
#include "common/core/emit.h"
#include "common/core/summary.h"
#include "common/core/findings.h"
#include "common/core/values.h"

#endif
