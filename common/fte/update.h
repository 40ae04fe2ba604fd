/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * FTE's replacement deltas taken apart without showing them: where each update of
 * svcfte_updateentities ends, and what it says of itself. Source: PROTOCOL.md, section 3; fteqw
 * cl_ents.c CLFTE_ParseEntities and CLFTE_ReadDelta.
 */
#ifndef FTE_UPDATE_H
#define FTE_UPDATE_H

#include "common/core/reader.h"

struct fte_session;

/* An update of an entity. */
struct fte_update {
    uint32_t number;
    bool removes;         /* number 0: all entities */
    uint32_t bits;        /* UF_*; 0 where it removes */
    uint8_t predbits;     /* UFP_*; 0 without UF_PREDINFO */
    struct qs_view bytes; /* from its number on */
};

/*
 * The next one of `in`, which stands behind the message's time. False: the message is over, or goes
 * on with what has no size that is known here: bones, and the numbers of LERPTIME.
 */
bool fte_next_update(struct qs_reader *in, const struct fte_session *agreed,
                     struct fte_update *update);

#endif
