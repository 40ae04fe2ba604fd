/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What extensions change in all messages, and what of FTE's is QuakeWorld's own. */
#ifndef QW_EXTENSIONS_H
#define QW_EXTENSIONS_H

#include "common/fte/fte.h"

/* Sets the formats of coordinates and angles, as the agreed extensions have them. */
void qw_apply_extensions(struct qs_decoder *d);

extern const struct fte_game qw_fte_game;

#endif
