/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The reliable packets of one end of a netchan whose packets have a reliable bit: the other end
 * tells in one bit of each packet whether it has received an even or an odd number of them. Where
 * that is not what was captured, the capture lacks one, or the line lost one. Source: id's qwsv,
 * net_chan.c, Netchan_Process; Quake II's is the same.
 */
#ifndef QS_NETCHAN_RELIABLE_H
#define QS_NETCHAN_RELIABLE_H

#include "common/core/session.h"

/* A packet that the other end accepts; its number is larger than those before. `content`: of a
 * reliable one how its messages begin, by which it is known when it is sent again; 0: unknown. */
void qs_reliable_send(struct qs_reliable *way, uint32_t sequence, bool reliable, uint64_t content);

/* The other end acknowledges packet `number`. */
void qs_reliable_acknowledge(struct qs_reliable *way, uint32_t number, bool bit);

#endif
