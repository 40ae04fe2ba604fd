/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A sink that holds every decode to what sink.h and decoder.h promise, whatever the packet: groups
 * are balanced and nested in their source, nothing is outside the bytes of the packet, values
 * fit their rows, texts are UTF-8, counts agree. A broken promise is printed and aborts, so that a
 * fuzzer or a test stops at it.
 */
#ifndef TESTS_SUPPORT_INVARIANTS_H
#define TESTS_SUPPORT_INVARIANTS_H

#include <glib.h>

#include "common/core/decode.h"
#include "common/core/sink.h"

struct invariants {
    struct qs_sink base;
    uint32_t sizes[QS_SOURCES_MAX + 1]; /* of the open sources; the payload's first */
    unsigned sources;
    GArray *open;                                     /* groups open now */
    uint64_t fields, undecoded, notes[QS_NOTE_KINDS]; /* received in this packet */
    uint64_t inflated;                                /* bytes that it inflated to */
    uint64_t bytes;                                   /* sum of all bytes of all values */
    bool compare_silent; /* with a decode that has no sink; the caller sets it */
};

void invariants_init(struct invariants *invariants);
void invariants_clear(struct invariants *invariants);

/* Decodes the packet or PDU with `invariants` as its sink, and checks what was found. */
void invariants_decode(struct invariants *invariants, struct qs_decoder *decoder,
                       struct qs_session *session, const struct qs_packet *packet);

/* Decodes in a copy of the session, and in the session itself: both must find the same. */
void invariants_decode_twice(struct invariants *invariants, struct qs_decoder *decoder,
                             struct qs_session *session, const struct qs_packet *packet);

#endif
