/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The frames of entities that a client acknowledges: where one of them was not captured, later ones
 * do not repeat its contents. DarkPlaces numbers its svc_entities, anew in each level; an update of
 * FTE's has the number of its packet. Source: PROTOCOL.md, section 2.
 */
#ifndef NQ_FRAME_ACKS_H
#define NQ_FRAME_ACKS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/core/parse.h"

/* Of the last 64 numbers; all 0 to begin with. */
struct nq_frames {
    bool started;
    uint32_t newest;       /* number that was captured */
    uint32_t top;          /* the newest that was captured or acknowledged */
    uint64_t settled;      /* bit n: frame top - n was captured or reported as missing */
    uint64_t acknowledged; /* bit n: frame top - n was */
};

/* The server's frame of this number is being read. */
void nq_take_frame(struct qs_decoder *d, int32_t number);

/* A message of the server may have had a frame where it could not be read. */
void nq_take_unread_frame(struct qs_decoder *d);

/*
 * The client acknowledges the frame in the field of 4 bytes before the read position. What the
 * capture lacks is noted, and counted as not captured, once a later frame has come: recorders may
 * write the acknowledgement first.
 */
void nq_acknowledge_frame(struct qs_decoder *d, int32_t number);

/* Frames that were acknowledged, and may still come. */
unsigned nq_frames_awaited(const struct nq_frames *frames);

#endif
