/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The reliable packets of one end of a netchan with a reliable bit: one bit of each packet shows
 * whether the other end has received an even or an odd number of them. If that differs from the
 * captured number, the capture lacks one, or the path lost one. Source: id's qwsv, net_chan.c,
 * Netchan_Process; Quake II's is the same.
 */
#ifndef QS_NETCHAN_RELIABLE_H
#define QS_NETCHAN_RELIABLE_H

#include "common/core/session.h"

/* Adds a packet that the other end accepts; its number is higher than those before. `content` is
 * the start of a reliable packet's messages, which identifies a repetition; 0: unknown. */
void qs_reliable_send(struct qs_reliable *way, uint32_t sequence, bool reliable, uint64_t content);

/* Adds the other end's acknowledgement of packet `number`, with its reliable bit. */
void qs_reliable_acknowledge(struct qs_reliable *way, uint32_t number, bool bit);

#endif
