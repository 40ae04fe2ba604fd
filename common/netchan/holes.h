/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Holes of the capture (struct qs_hole): packets that it lacks although their receiver had them, or
 * although both ends sent on. Numbers that only the sender skipped prove nothing: the line may have
 * lost those packets.
 */
#ifndef QS_NETCHAN_HOLES_H
#define QS_NETCHAN_HOLES_H

#include "common/core/decoder.h"

/*
 * The packet has `lost` numbers before it that its sender did not skip on purpose. Returns whether
 * it is a burst: both ends skipped numbers since the other's last packet. Networks seldom lose both
 * at once, captures do. So the numbers of a burst count as not captured, and those of a gap of
 * which a packet is proved not to be captured.
 */
bool qs_hole_gap(struct qs_decoder *d, uint32_t lost);

/* The packet acknowledges number d->found.acknowledged, which the capture lacks. */
void qs_hole_acknowledged(struct qs_decoder *d);

/* The packet proves that the capture lacks a reliable one of the other end. */
void qs_hole_reliable(struct qs_decoder *d);

/* The capture lacks so many reliable packets of the direction, which have separate numbers, sent
 * after the time `since`. A gap of its other packets since then is part of the hole. */
void qs_hole_separate(struct qs_decoder *d, enum qs_direction direction, uint32_t packets,
                      int64_t since);

/*
 * The packet names, by something else than their numbers, packets of the other end that the capture
 * lacks: `ahead` of its last one, of which so many are counted now, and all when their gap ends; or
 * in its last gap.
 */
void qs_hole_named(struct qs_decoder *d, uint32_t packets, bool ahead);

#endif
