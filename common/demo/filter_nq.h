/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Messages of Quake that engines read by different rules, though they play the same protocol: what
 * is a part of the message to one of them are the next messages to another. So --sanitize leaves
 * them out.
 *
 * That is in protocol 15, which all engines play, and for numbers with two meanings in FitzQuake's.
 * Those of DarkPlaces and sessions with FTE's extensions are refused by all who do not know them.
 */
#ifndef QS_DEMO_FILTER_NQ_H
#define QS_DEMO_FILTER_NQ_H

#include "common/core/decoder.h"
#include "common/quake/session.h"

/*
 * Whether every engine finds the end of `message`, its number first, at the same place. It is one
 * of those that were just decoded.
 */
bool nq_is_read_alike(const struct qs_decoder *decoder, struct qs_view message);

#endif
