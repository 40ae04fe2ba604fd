/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Delta usercmds, in moves and in svc_playerinfo. */
#ifndef QW_USERCMD_H
#define QW_USERCMD_H

#include "common/core/parse.h"
#include "common/quakeworld/quakeworld.h"

/* Reads a command as changes to `cmd`, which becomes the absolute command. */
void qw_read_usercmd(struct qs_decoder *d, struct qw_usercmd *cmd);
/* The angles in degrees, the moves, buttons and impulse, as demos have them. */
void qw_read_whole_usercmd(struct qs_decoder *d);

#endif
