/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Holes of the capture (struct qs_hole): packets that it lacks although their receiver had them, or
 * although both ends sent on. Numbers that only the sender skipped prove nothing: the path may have
 * lost those packets.
 */
#ifndef QS_NETCHAN_HOLES_H
#define QS_NETCHAN_HOLES_H

#include "common/core/decoder.h"

/*
 * Counts the gap of `lost` numbers before the packet, which its sender did not skip on purpose.
 * True if it is a burst: both ends skipped numbers since the other's last packet. Networks seldom
 * lose both at once, captures do. So all numbers of a burst count as not captured, and so do all of
 * a gap if one of them is proved not to be captured.
 */
bool qs_hole_gap(struct qs_decoder *d, uint32_t lost);

/* Counts number d->found.acknowledged, which the packet acknowledges and the capture lacks. */
void qs_hole_acknowledged(struct qs_decoder *d);

/* Counts a reliable packet of the other end, which the capture lacks, as this packet proves. */
void qs_hole_reliable(struct qs_decoder *d);

/* Counts reliable packets of the direction that the capture lacks, which have separate numbers and
 * were sent after `since`. A gap of its other packets since then is part of the hole. */
void qs_hole_separate(struct qs_decoder *d, enum qs_direction direction, uint32_t packets,
                      int64_t since);

/*
 * Counts packets of the other end that the capture lacks, which the packet names by something else
 * than their numbers. `ahead`: they are behind the last captured one; `packets` are counted now,
 * all when their gap ends. Otherwise they are in the last gap.
 */
void qs_hole_named(struct qs_decoder *d, uint32_t packets, bool ahead);

#endif
