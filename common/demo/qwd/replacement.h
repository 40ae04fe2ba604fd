/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How an engine handles FTE's replacement deltas (svcfte_updateentities), and what it needs if
 * packets are missing. An update is a delta from the last update that the engine accepted. The
 * engine drops it if the level has none, or if that is 63 packets back or more, unless the update
 * begins with the reset, which removes all entities: common/fte/PROTOCOL.md, section 3; fteqw
 * cl_ents.c, CLFTE_ParseEntities.
 */
#ifndef QS_DEMO_QWD_REPLACEMENT_H
#define QS_DEMO_QWD_REPLACEMENT_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/core/reader.h"

struct qwd_replacement {
    bool any;       /* an update of the level was accepted */
    uint32_t valid; /* packet of the last one */
};

/* What an update needs for an engine to accept it. */
enum qwd_replacement_need {
    QWD_REPLACEMENT_NOTHING,
    QWD_REPLACEMENT_RESET, /* before it; this loses nothing */
    QWD_REPLACEMENT_FILLER /* an empty update in an extra packet, numbered as below */
};

/* A level begins. */
void qwd_replacement_level(struct qwd_replacement *replacement);

/* What the update in packet `sequence` needs; `body` is the message's, after its id. */
enum qwd_replacement_need qwd_replacement_needs(const struct qwd_replacement *replacement,
                                                uint32_t sequence, struct qs_view body);

/* The number of the next extra packet, if any. */
uint32_t qwd_replacement_filler(const struct qwd_replacement *replacement);

/* The engine accepted the update in that packet. */
void qwd_replacement_took(struct qwd_replacement *replacement, uint32_t sequence);

/* Appends the message with the reset before its first update. */
void qwd_replacement_append_reset(GByteArray *to, struct qs_view body);

/* Appends a message of the same time with other updates, which `updates` ends; the empty ones. */
void qwd_replacement_append(GByteArray *to, struct qs_view body, struct qs_view updates);
extern const struct qs_view qwd_replacement_empty;

#endif
