/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What extensions change in all messages, and what of FTE's is QuakeWorld's own. */
#ifndef QW_EXTENSIONS_H
#define QW_EXTENSIONS_H

#include "common/fte/fte.h"

/* Sets the formats of coordinates and angles, as the agreed extensions have them. */
void qw_apply_extensions(struct qs_decoder *d);

/*
 * Whether they change messages in ways that only FTE knows. Others pass over bits that they do not
 * know, and read those messages wrong: ezquake cl_parse.c, CL_ParseServerData.
 */
bool qw_only_fte_reads(const struct fte_session *session);

extern const struct fte_game qw_fte_game;

#endif
